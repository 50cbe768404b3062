//! The signatures of log lines.

use std::collections::BTreeMap;
use std::path::Path;

use rdmanav::knowledge::Signature;
use rdmanav::knowledge::release::Release;
use rdmanav::knowledge::signature;
use rdmanav::search::index::Unit;

fn signatures() -> Vec<Signature<'static>> {
    rdmanav::library().signatures.iter().collect()
}

/// A line of this pattern, with something in each gap.
fn line(pattern: &str) -> String {
    format!("node7:4711:4821 [3] NCCL WARN {}", signature::split(pattern).0.join("17"))
}

/// `id#part`, or `id` for the opening.
fn address(unit: Unit) -> String {
    let library = rdmanav::library();
    let Unit::Part(section, place) = unit else { panic!("a signature leads to a part, not to {unit:?}") };
    let section = library.section_head(usize::from(section));
    let part = library.part(usize::from(section.first_part + place));
    if part.id.is_empty() { section.id.to_string() } else { format!("{}#{}", section.id, part.id) }
}

#[test]
fn a_line_of_each_pattern_leads_to_the_part_that_explains_it() {
    let searcher = rdmanav::searcher();
    let (mut all, mut wrong) = (0, Vec::new());
    for signature in signatures() {
        for pattern in &signature.patterns {
            all += 1;
            let found = searcher.search(&line(pattern.text), None, 1);
            let part = found.hits.first().map(|hit| address(hit.unit));
            if part.as_deref() != Some(signature.part) {
                wrong
                    .push(format!("{}: {:?} leads to {part:?}, not to {}", signature.id, pattern.text, signature.part));
            }
        }
    }
    // A line that fits a general pattern as well as a special one may go either way.
    assert!(wrong.len() * 50 < all, "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What the table of messages says of the releases that print a pattern: first, last (none: still printed).
fn table(text: &str) -> BTreeMap<String, Vec<(Release, Option<Release>)>> {
    let release = |tag: &str| {
        let number = tag.trim_start_matches('v').split('-').next().unwrap_or_default();
        (!number.is_empty()).then(|| Release::parse(number).expect("a release"))
    };
    let mut table: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let pattern = cells[0].replace("\\n", "").trim().to_string();
        table.entry(pattern).or_default().push((release(cells[4]).expect("each has a first tag"), release(cells[5])));
    }
    table
}

/// The pattern with its named gaps unnamed, as the table writes it.
fn unnamed(pattern: &str) -> String {
    signature::split(pattern).0.join("{}")
}

#[test]
fn releases_are_those_of_the_table_of_messages() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/nccl-warnings.tsv");
    let sample = include_str!("messages-sample.tsv");
    let text = std::fs::read_to_string(path).unwrap_or_else(|_| sample.to_string());
    let table = table(&text);
    let wrong = include_str!("table-differs.tsv");
    let mut compared = 0;
    let mut differ = Vec::new();
    for signature in signatures() {
        for pattern in &signature.patterns {
            let Some(rows) = table.get(unnamed(pattern.text).trim()) else { continue };
            let since = rows.iter().map(|(first, _)| *first).min().expect("an entry has a row");
            let until =
                rows.iter().map(|(_, last)| *last).collect::<Option<Vec<_>>>().and_then(|last| last.into_iter().max());
            let parse = |text: Option<&str>| text.map(|text| Release::parse(text).expect("checked"));
            if signature.printed_by == "nccl" {
                compared += 1;
                let own = (parse(pattern.since), parse(pattern.until));
                let row =
                    [signature.id, pattern.text, pattern.since.unwrap_or(""), pattern.until.unwrap_or("")].join("\t");
                let is_wrong = wrong.lines().any(|line| line.starts_with(&(row.clone() + "\t")));
                if (own != (Some(since), until)) != is_wrong {
                    differ.push(format!("{}: {:?}: since {since}, until {until:?}", signature.id, pattern.text));
                }
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(compared >= 20, "only {compared} patterns are in the table");
}
