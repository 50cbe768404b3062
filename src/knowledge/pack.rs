//! What holds for packs only: knowledge of users that is laid over ours (`docs/packs.md`).

use std::collections::BTreeSet;

use super::check::{ID, is_id};
use super::directory::{Content, Finding, Located, MANIFEST, SectionFile};
use super::library::Library;
use super::model::Step;
use super::records::Records;
use super::section_file::Change;

/// A section of more would not be read, and takes long to show.
const MOST_PARTS: usize = 200;

/// Nobody follows more steps.
const MOST_STEPS: usize = 400;

/// Nor reads more of a flow, in bytes: each section that shows it holds its text.
const LONGEST_FLOW: usize = 32_000;

/// Checks what a pack says of itself, and against the library that it is laid over; of other content, that it changes nothing.
pub fn check(content: &Content<'_>, base: Option<&Library<'_>>) -> Vec<Finding> {
    let Some(manifest) = &content.pack else {
        let changes = content.sections.iter().filter(|file| file.change != Change::Add);
        return changes
            .map(|file| Finding::error(file.file, 0, "change: only a section of a pack changes another"))
            .collect();
    };
    let mut findings = Vec::new();
    if !is_id(manifest.name) {
        let message = format!("name {}: {ID}", manifest.name);
        findings.push(Finding::error(MANIFEST, 0, message));
    }
    if !content.off_topic.is_empty() {
        findings.push(Finding::warning("off-topic.yaml", 0, "is not read from a pack"));
    }
    for file in content.sections.iter().filter(|file| file.parts.len() > MOST_PARTS) {
        findings.push(Finding::error(file.file, 0, format!("more than {MOST_PARTS} parts; split the section")));
    }
    for flow in content.flows.iter().filter(|flow| flow.entry.steps.len() > MOST_STEPS) {
        let message = format!("{}: more than {MOST_STEPS} steps; split the flow", flow.entry.id);
        findings.push(Finding::error(flow.file, flow.line, message));
    }
    let length = |step: &Step<'_>| {
        let texts =
            [step.at, step.does].into_iter().chain(step.via).chain(step.cost).chain(step.sources.iter().copied());
        texts.map(str::len).sum::<usize>()
    };
    for flow in &content.flows {
        if flow.entry.steps.iter().map(length).sum::<usize>() > LONGEST_FLOW {
            let message = format!("{}: more than {LONGEST_FLOW} bytes; split the flow", flow.entry.id);
            findings.push(Finding::error(flow.file, flow.line, message));
        }
    }
    for profile in content.profiles.iter().filter(|profile| ["current", "diff"].contains(&profile.entry.id)) {
        let message = format!("profile {}: env knows this word already; choose another name", profile.entry.id);
        findings.push(Finding::error(profile.file, 0, message));
    }
    let Some(base) = base else { return findings };
    if let Some(other) = base.packs.find(manifest.name) {
        let message = format!("a pack of the name {} is in use already: {}", manifest.name, other.directory);
        findings.push(Finding::error(MANIFEST, 0, message));
    }
    findings.extend(content.sections.iter().flat_map(|file| section(file, base)));
    taken("flow", &content.flows, |flow| flow.id, base.flows, &mut findings);
    taken("profile", &content.profiles, |profile| profile.id, base.profiles, &mut findings);
    taken("variable", &content.variables, |variable| variable.name, base.variables, &mut findings);
    taken("name", &content.others, |other| other.name, base.others, &mut findings);
    taken("signature", &content.signatures, |signature| signature.id, base.signatures, &mut findings);
    taken("source", &content.sources, |source| source.id, base.sources, &mut findings);
    findings
}

/// A section against the one of its id.
fn section(file: &SectionFile<'_>, base: &Library<'_>) -> Vec<Finding> {
    let id = file.section.id;
    let message = match (base.sections.find(id), file.change) {
        (Some(_), Change::Add) => {
            format!("section {id} is there already; write change: append or change: replace in the front matter")
        }
        (None, Change::Append | Change::Replace) => format!("no section {id} to change; take change out to add it"),
        (Some(section), Change::Append) => {
            let parts: BTreeSet<&str> = base.parts(&section).map(|part| part.id).collect();
            let twice = file.parts.iter().filter(|part| !part.id.is_empty() && parts.contains(part.id));
            return twice
                .map(|part| {
                    Finding::error(
                        file.file,
                        0,
                        format!("{id} has a part {} already; choose another id, or replace the section", part.id),
                    )
                })
                .collect();
        }
        _ => return Vec::new(),
    };
    vec![Finding::error(file.file, 0, message)]
}

fn taken<'a, T, B: serde::Deserialize<'a>>(
    what: &str,
    entries: &[Located<'_, T>],
    name: impl Fn(&T) -> &str,
    base: Records<'a, B>,
    findings: &mut Vec<Finding>,
) {
    for located in entries.iter().filter(|located| base.position(name(&located.entry)).is_some()) {
        let message = format!("{what} {} is there already; choose another name", name(&located.entry));
        findings.push(Finding::error(located.file, located.line, message));
    }
}
