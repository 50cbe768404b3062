//! The content, with an index built as a measurement wants it.

use std::path::Path;

use rdmanav::knowledge::directory::Directory;
use rdmanav::search::index::{self, Built};
use rdmanav::search::tuning::IndexTuning;

/// Builds the index over `content/` of this repository.
pub fn build(directory: &Directory, tuning: &IndexTuning) -> Built {
    let (content, findings) = directory.content();
    assert!(findings.is_empty(), "content/ is checked by the build");
    let mut sections = content.sections;
    let mut flows: Vec<_> = content.flows.into_iter().map(|located| located.entry).collect();
    let mut variables: Vec<_> = content.variables.into_iter().map(|located| located.entry).collect();
    sections.sort_by_key(|file| file.section.id);
    flows.sort_by_key(|flow| flow.id);
    let mut others: Vec<_> = content.others.into_iter().map(|located| located.entry).collect();
    variables.sort_by_key(|variable| variable.name);
    others.sort_by_key(|other| other.name);
    index::build(&sections, &flows, &variables, &others, tuning)
}

/// Reads `content/` of this repository.
pub fn read() -> Directory {
    Directory::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../content")).expect("content/ can be read")
}
