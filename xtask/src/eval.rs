//! Scores the search on question files, as `score.py` does, for the shipped tuning and with each method taken away.

use std::process::ExitCode;

use rdmanav::search::tuning::{IndexTuning, Tuning, Wording};
use rdmanav::search::{Searcher, index::Built};

use crate::corpus;

/// A question with the sections that answer it, best first; none for one that is off topic.
struct Question {
    number: String,
    text: String,
    style: String,
    expected: Vec<String>,
}

/// Shares, 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    at_1: f32,
    best_at_1: f32,
    at_3: f32,
    rejected: f32,
}

/// Measures.
pub fn run(arguments: &[String]) -> ExitCode {
    let (options, files): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|text| text.starts_with("--"));
    let questions: Vec<Question> = files.iter().flat_map(|file| read(file)).collect();
    let directory = corpus::read();
    let built = corpus::build(&directory, &IndexTuning::SHIPPED);
    if options.iter().any(|option| *option == "--features") {
        features(&questions, &searcher(&built, Tuning::SHIPPED));
        return ExitCode::SUCCESS;
    }
    if options.iter().any(|option| *option == "--search") {
        search(&questions, &directory);
        return ExitCode::SUCCESS;
    }
    println!("| method | success@1 | best@1 | success@3 | off-topic refused |\n|---|---|---|---|---|");
    let shipped = Tuning::SHIPPED;
    row("shipped", score(&questions, &searcher(&built, shipped)));
    for (name, tuning) in [
        ("without names and triggers as phrases", Tuning { phrases: false, ..shipped }),
        ("without aliases", Tuning { aliases: false, ..shipped }),
        ("without typing errors", Tuning { typos: false, ..shipped }),
        ("without abbreviations", Tuning { abbreviations: false, ..shipped }),
        ("without the section around a part", Tuning { section_share: 0.0, ..shipped }),
    ] {
        row(name, score(&questions, &searcher(&built, tuning)));
    }
    for (name, wording) in [
        ("without stemming", Wording { stem: false, ..Wording::SHIPPED }),
        ("without splitting", Wording { split: false, ..Wording::SHIPPED }),
    ] {
        let built = corpus::build(&directory, &IndexTuning { wording, ..IndexTuning::SHIPPED });
        row(name, score(&questions, &searcher(&built, Tuning { wording, ..shipped })));
    }
    let flat = IndexTuning { weights: [1.0; 5], length_discounts: [0.75; 5], ..IndexTuning::SHIPPED };
    let bare =
        Tuning { section_share: 0.0, phrases: false, aliases: false, typos: false, abbreviations: false, ..shipped };
    row(
        "plain BM25 on the same parts, identifiers split",
        score(&questions, &searcher(&corpus::build(&directory, &flat), bare)),
    );
    let wording = Wording { stem: false, split: false };
    let plainest = corpus::build(&directory, &IndexTuning { wording, ..flat });
    row("plain BM25 on the same parts", score(&questions, &searcher(&plainest, Tuning { wording, ..bare })));
    ExitCode::SUCCESS
}

fn searcher(built: &Built, tuning: Tuning) -> Searcher<'_> {
    Searcher { index: built.index(), tuning, ..rdmanav::searcher() }
}

fn row(name: &str, score: Score) {
    println!("| {name} | {:.3} | {:.3} | {:.3} | {:.3} |", score.at_1, score.best_at_1, score.at_3, score.rejected);
}

fn read(file: &str) -> Vec<Question> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let lines = text.lines().skip(1).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let expected = cells[3].split(',').filter(|id| *id != "none").map(str::to_string).collect();
            Question { number: cells[0].into(), text: cells[1].into(), style: cells[2].into(), expected }
        })
        .collect()
}

fn score(questions: &[Question], searcher: &Searcher<'_>) -> Score {
    let (mut answered, mut off_topic) = (0.0, 0.0);
    let mut score = Score::default();
    for question in questions {
        let outcome = searcher.search(&question.text, None, 10);
        let mut ids: Vec<&str> = Vec::new();
        for id in outcome.hits.iter().map(|hit| searcher.section_id(hit.unit)) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        if question.expected.is_empty() {
            off_topic += 1.0;
            score.rejected += f32::from(u8::from(ids.is_empty()));
            continue;
        }
        answered += 1.0;
        let rank = ids.iter().position(|id| question.expected.iter().any(|expected| expected == id));
        score.at_1 += f32::from(u8::from(rank == Some(0)));
        score.at_3 += f32::from(u8::from(rank.is_some_and(|rank| rank < 3)));
        score.best_at_1 += f32::from(u8::from(ids.first().is_some_and(|id| *id == question.expected[0])));
    }
    score.at_1 /= answered;
    score.at_3 /= answered;
    score.best_at_1 /= answered;
    score.rejected /= f32::max(off_topic, 1.0);
    score
}

/// What the decision to answer rests on, a line a question.
fn features(questions: &[Question], searcher: &Searcher<'_>) {
    println!("number\tstyle\ton_topic\t{}", rdmanav::search::rank::Evidence::NAMES.join("\t"));
    for question in questions {
        let Some(evidence) = searcher.evidence(&question.text) else { continue };
        let values: Vec<String> = evidence.values().iter().map(|value| format!("{value:.3}")).collect();
        let on_topic = u8::from(!question.expected.is_empty());
        println!("{}\t{}\t{on_topic}\t{}", question.number, question.style, values.join("\t"));
    }
}

/// Tries weights at random, from the shipped ones on, and prints those that score better.
fn search(questions: &[Question], directory: &rdmanav::knowledge::directory::Directory) {
    let on_topic: Vec<&Question> = questions.iter().filter(|question| !question.expected.is_empty()).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 40) as f32 / 16_777_216.0
    };
    let mut best = (0.0, IndexTuning::SHIPPED, Tuning::SHIPPED);
    for round in 0..400 {
        let (mut index_tuning, mut tuning) = (best.1, best.2);
        if round > 0 {
            let mut jolt = |value: &mut f32| {
                if next() < 0.35 {
                    *value *= (1.2 * (next() - 0.5)).exp();
                }
            };
            index_tuning.weights.iter_mut().for_each(&mut jolt);
            index_tuning.length_discounts.iter_mut().for_each(|value| {
                jolt(value);
                *value = value.min(1.0);
            });
            jolt(&mut tuning.section_share);
            jolt(&mut tuning.phrase_share);
            jolt(&mut tuning.variable_share);
        }
        let built = corpus::build(directory, &index_tuning);
        let searcher = searcher(&built, tuning);
        // The mean reciprocal rank is smoother than the share at 1; two folds must both gain.
        let mut folds = [0.0f32; 2];
        for (number, question) in on_topic.iter().enumerate() {
            let outcome = searcher.ranked(&question.text, 10);
            let rank = outcome.iter().position(|hit| {
                let id = searcher.section_id(hit.unit);
                question.expected.iter().any(|expected| expected == id)
            });
            let best = outcome.first().is_some_and(|hit| searcher.section_id(hit.unit) == question.expected[0]);
            folds[number % 2] += rank.map_or(0.0, |rank| 1.0 / (rank as f32 + 1.0)) + if best { 0.5 } else { 0.0 };
        }
        let value = folds[0] + folds[1] - 0.3 * (folds[0] - folds[1]).abs();
        if value > best.0 {
            best = (value, index_tuning, tuning);
            println!("round {round}: {:.4}\n{index_tuning:?}\n{tuning:?}", value / on_topic.len() as f32);
        }
    }
}
