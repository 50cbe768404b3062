//! The estimate of tokens against real tokenizers.

use std::sync::LazyLock;

use rdmanav::answer::section::{self, Shown};
use rdmanav::answer::variables::VariableAnswer;
use rdmanav::answer::{Answer, flows};
use rdmanav::render::{self, tokens};
use tiktoken_rs::CoreBPE;

static TOKENIZERS: LazyLock<[CoreBPE; 2]> =
    LazyLock::new(|| [tiktoken_rs::o200k_base().unwrap(), tiktoken_rs::cl100k_base().unwrap()]);

/// What the costlier of the two tokenizers counts.
pub fn real(text: &str) -> usize {
    let counts = TOKENIZERS.iter().map(|tokenizer| tokenizer.encode_ordinary(text).len());
    counts.max().unwrap()
}

/// Holds the bound for one text; returns estimate over real count.
fn hold(name: &str, text: &str) -> f64 {
    let (estimate, real) = (tokens::estimate(text), real(text));
    assert!(real as f64 <= 1.02 * estimate as f64, "{name}: {real} tokens, estimated {estimate}");
    estimate as f64 / real as f64
}

#[test]
fn no_text_of_the_content_costs_more_than_two_percent_above_the_estimate() {
    let library = rdmanav::library();
    let mut ratios = Vec::new();
    for section in library.sections.iter() {
        for part in library.parts(&section) {
            let name = format!("{}#{}", section.id, part.id);
            ratios.push(hold(&name, part.markdown));
            ratios.push(hold(&name, &render::compact(part.body, &library)));
        }
        let Ok(Shown::Section(shown)) = section::show(section.id, &library) else { panic!("{}", section.id) };
        ratios.push(hold(section.id, &shown.markdown(&library)));
    }
    for variable in library.variables.iter() {
        let name = variable.name;
        ratios.push(hold(name, &VariableAnswer::new(variable).markdown(&library)));
    }
    for id in library.flows.keys() {
        ratios.push(hold(id, &flows::flow(id, &library).unwrap().markdown(&library)));
    }
    ratios.sort_by(f64::total_cmp);
    let (median, worst) = (ratios[ratios.len() / 2], ratios[ratios.len() - 1]);
    println!("{} texts, estimate over real count: median {median:.3}, at most {worst:.3}", ratios.len());
    // An estimate that is safe and wastes the budget is no good, either.
    assert!(median < 1.15 && worst < 1.35, "{median} {worst}");
}
