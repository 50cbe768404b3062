//! `context`: whole parts, within the budget, the right ones.

use std::path::Path;

use rdmanav::agent::context;
use rdmanav::render;

use crate::tokens::real;

/// Question and expected sections, of the questions that have an answer.
fn questions(text: &str) -> Vec<(String, Vec<String>)> {
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter(|cells| cells[3] != "none")
        .map(|cells| (cells[1].to_string(), cells[3].split(',').map(str::to_string).collect()))
        .collect()
}

fn own_questions() -> Vec<(String, Vec<String>)> {
    questions(include_str!("../eval/questions-own.tsv"))
}

/// Without citations, whose numbers differ from pack to pack.
fn without_citations(text: &str) -> String {
    let mut pieces = text.split("[^");
    let mut out = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        out.push_str(piece.split_once(']').map_or(piece, |(_, after)| after));
    }
    out
}

#[test]
fn the_real_count_keeps_the_budget_and_parts_stay_whole() {
    let searcher = rdmanav::searcher();
    let library = &searcher.library;
    for (question, _) in own_questions().iter().step_by(3) {
        for budget in [700, 1500, 4000] {
            let Ok(pack) = context::of_question(question, &searcher).and_then(|found| found.pack(budget)) else {
                continue;
            };
            let count = real(&pack.text);
            assert!(count as f64 <= 1.02 * budget as f64, "{question}: {count} of {budget}");
            assert!(pack.tokens <= budget, "{question}");
            let text = without_citations(&pack.text);
            for packed in &pack.parts {
                let Some(section) = library.sections.find(&packed.id) else { panic!("{}", packed.id) };
                let wanted = packed.part.as_deref().unwrap_or_default();
                let Some(part) = library.parts(&section).find(|part| part.id == wanted) else { continue };
                let body = render::markdown(part.body, library);
                let body = body.split("\n[^1]: ").next().unwrap_or_default();
                assert!(text.contains(without_citations(body).trim()), "{question}: {}#{wanted} is cut", packed.id);
            }
        }
    }
}

#[test]
fn the_right_part_is_inside_1500_tokens() {
    let share = |questions: &[(String, Vec<String>)]| {
        let searcher = rdmanav::searcher();
        let inside = |(question, expected): &&(String, Vec<String>)| {
            let pack = context::of_question(question, &searcher).and_then(|found| found.pack(1500));
            let found = pack.is_ok_and(|pack| pack.parts.iter().any(|part| expected.contains(&part.id)));
            if !found {
                println!("not inside: {question} ({})", expected.join(","));
            }
            found
        };
        questions.iter().filter(inside).count() as f64 / questions.len() as f64
    };
    let own = share(&own_questions());
    println!("own questions: {own:.3}");
    assert!(own >= 0.92, "{own}");
    // They stand beside the repository, not in it.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/eval/questions-dev.tsv");
    if let Ok(text) = std::fs::read_to_string(path) {
        let all = questions(&text);
        // Every so many, for 40 of them.
        let step = all.len() / 40;
        let forty: Vec<_> = all.iter().step_by(step).take(40).cloned().collect();
        let (share_of_forty, share_of_all) = (share(&forty), share(&all));
        println!("given questions: {share_of_forty:.3} of {}, {share_of_all:.3} of {}", forty.len(), all.len());
        assert!(share_of_forty >= 0.95 && share_of_all >= 0.95, "{share_of_forty} {share_of_all}");
    }
}

#[test]
fn the_command_of_the_last_line_gets_what_was_left_out() {
    let searcher = rdmanav::searcher();
    let pack = context::of_question("nccl falls back to sockets", &searcher).unwrap().pack(1200).unwrap();
    assert!(!pack.left_out.is_empty());
    let line = pack.text.lines().last().unwrap();
    let (_, command) = line.split_once("--sections ").unwrap_or_else(|| panic!("{line}"));
    let (addresses, rest) = command.split_once(" --max-tokens ").unwrap();
    let addresses: Vec<String> = addresses.split(',').map(str::to_string).collect();
    let budget: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let rest = context::of_sections(&addresses, &searcher.library).unwrap().pack(budget.parse().unwrap()).unwrap();
    assert_eq!(rest.parts.len(), addresses.len());
    assert!(rest.left_out.is_empty());
    let named: Vec<_> = pack.left_out.iter().take(8).map(|left| (&left.id, &left.part)).collect();
    assert_eq!(rest.parts.iter().map(|part| (&part.id, &part.part)).collect::<Vec<_>>(), named);
}

#[test]
fn named_sections_are_packed_in_order_and_once() {
    let library = rdmanav::library();
    let addresses =
        ["pxn#".to_string(), "dcqcn".to_string(), "dcqcn#roles".to_string(), "nccl-env#nccl_ib_tc".to_string()];
    let pack = context::of_sections(&addresses, &library).unwrap().pack(100_000).unwrap();
    assert_eq!((&*pack.parts[0].id, &pack.parts[0].part), ("pxn", &None));
    assert_eq!(pack.parts.last().unwrap().part.as_deref(), Some("NCCL_IB_TC"));
    assert_eq!(pack.parts.iter().filter(|part| part.part.as_deref() == Some("roles")).count(), 1);
    for (address, hint) in [("dcqn", "did you mean dcqcn?"), ("dcqcn#paramters", "did you mean parameters?")] {
        let error = context::of_sections(&[address.to_string()], &library).map(|_| ()).unwrap_err();
        assert!(error.hints.iter().any(|text| text == hint), "{error:?}");
    }
}

#[test]
fn a_budget_that_is_too_small_says_what_is_enough() {
    let searcher = rdmanav::searcher();
    let found = context::of_question("DCQCN", &searcher).unwrap();
    let error = found.pack(20).unwrap_err();
    let needed = error.hints[0].split("--max-tokens ").nth(1).and_then(|text| text.split(';').next()).unwrap();
    let needed: usize = needed.parse().unwrap();
    assert!(found.pack(needed).is_ok() && found.pack(needed - 1).is_err(), "{error:?}");
}

#[test]
fn everything_fits_into_a_large_budget() {
    let library = rdmanav::library();
    let ids: Vec<String> = library.sections.keys().map(str::to_string).collect();
    let pack = context::of_sections(&ids, &library).unwrap().pack(10_000_000).unwrap();
    assert_eq!(pack.parts.len(), library.stored_parts.len());
    assert!(pack.text.ends_with("prints a whole section.\n"));
}

#[test]
fn a_name_counts_once_and_too_many_are_refused() {
    let library = rdmanav::library();
    let found = context::of_sections(&vec!["dcqcn".to_string(); context::MOST_SECTIONS], &library).unwrap();
    let once = context::of_sections(&["dcqcn".to_string()], &library).unwrap();
    assert_eq!(found.pack(3000).unwrap().text, once.pack(3000).unwrap().text);
    let many = vec!["dcqcn".to_string(); context::MOST_SECTIONS + 1];
    assert!(context::of_sections(&many, &library).is_err_and(|error| error.message.contains("at most 1000")));
    let run = crate::run::rdmanav(&["context", "--sections", &many.join(",")]);
    assert!(run.status == 2 && run.stderr.contains("1000"), "{run:?}");
}

/// All parts and variables, under any budget: what is taken is what taking one after the other by its whole text would take.
#[test]
fn the_sum_of_costs_decides_as_the_whole_text_does() {
    let searcher = rdmanav::searcher();
    let library = &searcher.library;
    let ids: Vec<String> = library.sections.keys().map(str::to_string).collect();
    let found = context::of_sections(&ids, library).unwrap();
    for budget in [1000, 5000, 20_000] {
        let pack = found.pack(budget).unwrap();
        let real = render::tokens::estimate(&pack.text);
        assert!(pack.tokens == real && real <= budget, "{real} of {budget}");
        // The next smallest part would have been too much.
        let smallest = pack.left_out.iter().map(|left| left.tokens).min().unwrap();
        assert!(real + smallest + 100 > budget, "{real} and {smallest} of {budget}");
    }
}
