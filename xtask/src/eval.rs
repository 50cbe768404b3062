//! Scores the search on question files, as `score.py` does, for the shipped tuning and with each method taken away.

use std::collections::BTreeSet;
use std::process::ExitCode;

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use rdmanav::knowledge::Section;

use rdmanav::search::Searcher;
use rdmanav::search::index::{Built, FIELDS, Field};
use rdmanav::search::tuning::{IndexTuning, Tuning, Wording};

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
        features(questions, &directory);
        return ExitCode::SUCCESS;
    }
    if options.iter().any(|option| *option == "--search") {
        search(&questions, &directory);
        return ExitCode::SUCCESS;
    }
    if options.iter().any(|option| *option == "--asked") {
        asked(&directory);
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
        ("without joined words", Tuning { joins: false, ..shipped }),
        ("without leaving out words of no topic", Tuning { topic_free: false, ..shipped }),
        ("without signatures of log lines", Tuning { signatures: false, ..shipped }),
        ("without rows for values", Tuning { rows: false, ..shipped }),
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
    let mut unasked = IndexTuning::SHIPPED;
    unasked.weights[Field::Asked as usize] = 0.0;
    row("without how people ask", score(&questions, &searcher(&corpus::build(&directory, &unasked), shipped)));
    let wording = Wording { stem: false, split: true };
    let mut flat = IndexTuning { wording, weights: [1.0; FIELDS], length_discounts: [0.75; FIELDS], lines: false };
    flat.weights[Field::Asked as usize] = 0.0;
    let bare = Tuning {
        section_share: 0.0,
        phrases: false,
        aliases: false,
        typos: false,
        abbreviations: false,
        topic_free: false,
        joins: false,
        signatures: false,
        rows: false,
        wording,
        ..shipped
    };
    // The plain methods answer whatever they find: the decision to answer rests on weights fitted to the shipped method.
    let split = corpus::build(&directory, &flat);
    row("plain BM25 on the same parts, identifiers split", score_plain(&questions, &searcher(&split, bare)));
    let wording = Wording { stem: false, split: false };
    let plainest = corpus::build(&directory, &IndexTuning { wording, ..flat });
    row("plain BM25 on the same parts", score_plain(&questions, &searcher(&plainest, Tuning { wording, ..bare })));
    let texts = part_texts();
    row("fuzzy-matcher alone, on the same parts", score_with(&questions, |question| fuzzy(question, &texts)));
    row("substrings, on the same parts", score_with(&questions, |question| substrings(question, &texts)));
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
    score_with(questions, |question| {
        let hits = searcher.search(question, None, 10).hits;
        hits.iter().map(|hit| searcher.section_id(hit.unit).to_string()).collect()
    })
}

/// As [`score`], without the decision to answer.
fn score_plain(questions: &[Question], searcher: &Searcher<'_>) -> Score {
    score_with(questions, |question| {
        let hits = searcher.ranked(question, 10);
        hits.iter().map(|hit| searcher.section_id(hit.unit).to_string()).collect()
    })
}

/// Scores any method that gives ids of sections, best first.
fn score_with(questions: &[Question], ids: impl Fn(&str) -> Vec<String>) -> Score {
    let (mut answered, mut off_topic) = (0.0, 0.0);
    let mut score = Score::default();
    for question in questions {
        let mut ids = ids(&question.text);
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        ids.truncate(10);
        if question.expected.is_empty() {
            off_topic += 1.0;
            score.rejected += f32::from(u8::from(ids.is_empty()));
            continue;
        }
        answered += 1.0;
        let rank = ids.iter().position(|id| question.expected.iter().any(|expected| expected == id));
        score.at_1 += f32::from(u8::from(rank == Some(0)));
        score.at_3 += f32::from(u8::from(rank.is_some_and(|rank| rank < 3)));
        score.best_at_1 += f32::from(u8::from(ids.first() == question.expected.first()));
    }
    score.at_1 /= answered;
    score.at_3 /= answered;
    score.best_at_1 /= answered;
    score.rejected /= f32::max(off_topic, 1.0);
    score
}

/// Section and text of each part.
fn part_texts() -> Vec<(&'static str, String)> {
    let library = rdmanav::library();
    let of = |section: Section<'static>| {
        let parts = library.parts(&section).collect::<Vec<_>>();
        parts
            .into_iter()
            .map(move |part| (section.id, format!("{}\n{}\n{}", section.title, part.heading, part.body).to_lowercase()))
    };
    library.sections.iter().flat_map(of).collect()
}

/// Sections in the order of their best part's score; parts without one are left out.
fn by_score<S: Ord>(texts: &[(&'static str, String)], score: impl Fn(&str) -> Option<S>) -> Vec<String> {
    let mut scored: Vec<(S, &str)> = texts.iter().filter_map(|(id, text)| Some((score(text)?, *id))).collect();
    scored.sort_by(|a, b| b.cmp(a));
    scored.into_iter().map(|(_, id)| id.to_string()).collect()
}

/// The question as a subsequence of a part.
fn fuzzy(question: &str, texts: &[(&'static str, String)]) -> Vec<String> {
    let matcher = SkimMatcherV2::default();
    by_score(texts, |text| matcher.fuzzy_match(text, &question.to_lowercase()))
}

/// The number of words of the question that stand in a part, as they are typed.
fn substrings(question: &str, texts: &[(&'static str, String)]) -> Vec<String> {
    let question = question.to_lowercase();
    by_score(texts, |text| {
        let found = question.split_whitespace().filter(|word| text.contains(*word)).count();
        (found > 0).then_some((found, std::cmp::Reverse(text.len())))
    })
}

/// What the decision to answer rests on, a line a question: those of the files, and, fold by fold, those of `content/questions.yaml` and
/// `content/off-topic.yaml`, which are not indexed meanwhile.
fn features(questions: Vec<Question>, directory: &rdmanav::knowledge::directory::Directory) {
    println!("number\tstyle\ton_topic\t{}", rdmanav::search::rank::Evidence::NAMES.join("\t"));
    let built = corpus::build(directory, &IndexTuning::SHIPPED);
    print_features(&questions, &searcher(&built, Tuning::SHIPPED));
    for fold in 0..corpus::FOLDS {
        let built = corpus::build_without(directory, &IndexTuning::SHIPPED, fold);
        let off_topic = corpus::off_topic(directory, fold).into_iter().map(|text| own(text, Vec::new()));
        let asked = corpus::asked(directory, fold).into_iter().map(|(text, section)| own(text, vec![section]));
        print_features(&off_topic.chain(asked).collect::<Vec<_>>(), &searcher(&built, Tuning::SHIPPED));
    }
}

fn own(text: String, expected: Vec<String>) -> Question {
    Question { number: "own".to_string(), text, style: "own".to_string(), expected }
}

fn print_features(questions: &[Question], searcher: &Searcher<'_>) {
    for question in questions {
        let Some(evidence) = searcher.evidence(&question.text) else { continue };
        let values: Vec<String> = evidence.values().iter().map(|value| format!("{value:.3}")).collect();
        let on_topic = u8::from(!question.expected.is_empty());
        println!("{}\t{}\t{on_topic}\t{}", question.number, question.style, values.join("\t"));
    }
}

/// Asks one fold of `content/questions.yaml` with the other folds indexed: a line a question whose section is not first.
fn asked(directory: &rdmanav::knowledge::directory::Directory) {
    let built = corpus::build_without(directory, &IndexTuning::SHIPPED, 0);
    let searcher = searcher(&built, Tuning::SHIPPED);
    let asked = corpus::asked(directory, 0);
    let mut right = 0;
    for (text, section) in &asked {
        let hits = searcher.ranked(text, 3);
        let ids: Vec<&str> = hits.iter().map(|hit| searcher.section_id(hit.unit)).collect();
        if ids.first().is_some_and(|id| id == section) {
            right += 1;
        } else {
            println!("{section}\t{}\t{text}", ids.join(","));
        }
    }
    println!("{right} of {} first", asked.len());
}

/// Tries weights at random, from the shipped ones on, and prints those that score better, on the questions of the files and on one fold of
/// `content/questions.yaml`, once without any other way to ask and once with those of the other folds.
fn search(questions: &[Question], directory: &rdmanav::knowledge::directory::Directory) {
    let asked: Vec<Question> =
        corpus::asked(directory, 0).into_iter().map(|(text, section)| own(text, vec![section])).collect();
    let asked: Vec<&Question> = asked.iter().collect();
    let on_topic: Vec<&Question> = questions.iter().filter(|question| !question.expected.is_empty()).collect();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 40) as f32 / 16_777_216.0
    };
    let mut best = (0.0, IndexTuning::SHIPPED, Tuning::SHIPPED);
    for round in 0..200 {
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
            jolt(&mut tuning.asked_share);
            jolt(&mut tuning.asked_per_part);
            jolt(&mut tuning.coverage_share);
        }
        let built = corpus::build_without(directory, &index_tuning, 0);
        let given = reciprocal(&on_topic, &searcher(&built, tuning));
        let unaided = reciprocal(&asked, &searcher(&built, Tuning { asked_share: 0.0, ..tuning }));
        let aided = reciprocal(&asked, &searcher(&built, tuning));
        let value = 2.0 * given + unaided + 0.5 * aided;
        if value > best.0 {
            best = (value, index_tuning, tuning);
            println!("round {round}: given {given:.4}, asked {unaided:.4} {aided:.4}\n{index_tuning:?}\n{tuning:?}");
        }
    }
}

/// The mean reciprocal rank, smoother than the share at 1; half as much again where the best section is first.
fn reciprocal(questions: &[&Question], searcher: &Searcher<'_>) -> f32 {
    let of = |question: &&Question| {
        let outcome = searcher.ranked(&question.text, 10);
        let mut ids = outcome.iter().map(|hit| searcher.section_id(hit.unit));
        let best = ids.clone().next().is_some_and(|id| id == question.expected[0]);
        let rank = ids.position(|id| question.expected.iter().any(|expected| expected == id));
        rank.map_or(0.0, |rank| 1.0 / (rank as f32 + 1.0)) + if best { 0.5 } else { 0.0 }
    };
    questions.iter().map(of).sum::<f32>() / questions.len() as f32
}
