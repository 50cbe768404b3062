//! The content, with an index built as a measurement wants it.

use std::path::Path;

use rdmanav::knowledge::directory::{Directory, Located};
use rdmanav::knowledge::model::Asked;
use rdmanav::search::index::{self, Built};
use rdmanav::search::tuning::IndexTuning;

/// The ways to ask are split into this many.
pub const FOLDS: usize = 5;

/// Builds the index over `content/` of this repository.
pub fn build(directory: &Directory, tuning: &IndexTuning) -> Built {
    let (content, findings) = directory.content();
    assert!(findings.is_empty(), "content/ is checked by the build");
    index::build(&content.sorted(), tuning, None)
}

/// As [`build`], with the ways to ask of all folds but one: those of `fold` are questions of the measurement.
pub fn build_without(directory: &Directory, tuning: &IndexTuning, fold: usize) -> Built {
    let (mut content, _) = directory.content();
    for located in &mut content.asked {
        let asks = std::mem::take(&mut located.entry.asks).into_iter().enumerate();
        located.entry.asks = asks.filter(|(number, _)| number % FOLDS != fold).map(|(_, text)| text).collect();
    }
    // Of the questions about something else, too, one fold is left for measuring.
    let off_topic = std::mem::take(&mut content.off_topic).into_iter().enumerate();
    content.off_topic = off_topic.filter(|(number, _)| number % FOLDS != fold).map(|(_, text)| text).collect();
    index::build(&content.sorted(), tuning, None)
}

/// The questions about something else of a fold.
pub fn off_topic(directory: &Directory, fold: usize) -> Vec<String> {
    let (content, _) = directory.content();
    let questions = content.off_topic.iter().enumerate().filter(|(number, _)| number % FOLDS == fold);
    questions.map(|(_, text)| (*text).to_string()).collect()
}

/// The ways to ask of a fold, each with its section.
pub fn asked(directory: &Directory, fold: usize) -> Vec<(String, String)> {
    let (content, _) = directory.content();
    let of = |located: &Located<'_, Asked<'_>>| {
        let section = located.entry.part.split('#').next().unwrap_or_default().to_string();
        let asks = located.entry.asks.iter().enumerate().filter(|(number, _)| number % FOLDS == fold);
        asks.map(|(_, text)| ((*text).to_string(), section.clone())).collect::<Vec<_>>()
    };
    content.asked.iter().flat_map(of).collect()
}

/// Reads `content/` of this repository.
pub fn read() -> Directory {
    Directory::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../content")).expect("content/ can be read")
}
