//! The content checker: the build fails on its findings, and `rdmanav check` prints them.

mod entries;

use std::collections::{BTreeMap, BTreeSet};

use super::claims::{self, LABELS};
use super::directory::{Content, Finding, Located};
use super::library::{Library, VARIABLE_SECTION};
use super::pack;
use super::section_file::Change;
use super::severity::Severity;

/// What was checked.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Claims and cited claims, a section, in the order of the files.
    pub sections: Vec<SectionCount>,
    pub findings: Vec<Finding>,
}

/// The claims of a section.
#[derive(Clone, Debug, serde::Serialize, schemars::JsonSchema)]
pub struct SectionCount {
    pub id: String,
    pub claims: usize,
    pub cited: usize,
}

/// Checks the content. `today` (`YYYY-MM-DD`) is what review dates are held against; `base` is what names may refer to besides: the
/// embedded knowledge, for a user's directory. Of a pack ([`Content::pack`]) only what the program cannot work with is an error.
pub fn check(content: &Content<'_>, today: Option<&str>, base: Option<Library<'_>>) -> Report {
    let report = Report { sections: Vec::new(), findings: pack::check(content, base.as_ref()) };
    let (names, is_pack) = (Names::new(content), content.pack.is_some());
    let mut checker = Checker { names, base, is_pack, used_sources: BTreeSet::new(), flows_shown: 0, report };
    checker.unique(content);
    checker.sections(content);
    if let Some(today) = today {
        checker.reviews(content, today);
    }
    for flow in &content.flows {
        checker.flow(flow);
    }
    checker.profiles(content);
    checker.variables(content);
    checker.others(content);
    checker.signatures(content);
    checker.asked(content);
    checker.sources(content);
    checker.report.findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    checker.report
}

/// A trigger or title as it is compared: lower case, words of letters and digits, single spaces.
pub fn phrase(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// What the content itself defines.
struct Names<'a> {
    parts: BTreeMap<&'a str, BTreeSet<&'a str>>,
    flows: BTreeSet<&'a str>,
    variables: BTreeSet<&'a str>,
    others: BTreeSet<&'a str>,
    sources: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn new(content: &Content<'a>) -> Self {
        Names {
            parts: content
                .sections
                .iter()
                .map(|file| (file.section.id, file.parts.iter().map(|part| part.id).collect()))
                .collect(),
            flows: content.flows.iter().map(|flow| flow.entry.id).collect(),
            variables: content.variables.iter().map(|variable| variable.entry.name).collect(),
            others: content.others.iter().map(|other| other.entry.name).collect(),
            sources: content.sources.iter().map(|source| source.entry.id).collect(),
        }
    }
}

struct Checker<'a> {
    names: Names<'a>,
    base: Option<Library<'a>>,
    is_pack: bool,
    used_sources: BTreeSet<String>,
    /// By all sections.
    flows_shown: usize,
    report: Report,
}

impl Checker<'_> {
    fn finding(&mut self, file: &str, line: usize, message: impl Into<String>) {
        self.report.findings.push(Finding::error(file, line, message));
    }

    /// Text that stands in lists, comments of scripts and settings: a second line would be something else there.
    fn one_line(&mut self, text: &str, what: &str, file: &str, line: usize) {
        if text.contains(char::is_control) {
            self.finding(file, line, format!("{what}: write it on one line, without tabs"));
        }
    }

    /// Names of variables go into shells, env-files and completions as they are.
    fn name(&mut self, name: &str, file: &str, line: usize) {
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !is_name {
            self.finding(file, line, format!("{name}: is no name of an environment variable"));
        }
    }

    /// What is wrong and can be worked with all the same.
    fn fault(&mut self, file: &str, line: usize, message: impl Into<String>) {
        let severity = if self.is_pack { Severity::Warning } else { Severity::Error };
        self.report.findings.push(Finding { severity, ..Finding::error(file, line, message) });
    }

    fn unique(&mut self, content: &Content<'_>) {
        let sections = content.sections.iter().map(|file| (file.section.id, file.file, 2));
        self.no_duplicates("section", sections);
        self.no_duplicates("flow", content.flows.iter().map(|flow| (flow.entry.id, flow.file, flow.line)));
        self.no_duplicates(
            "profile",
            content.profiles.iter().map(|profile| (profile.entry.id, profile.file, profile.line)),
        );
        let variables = content.variables.iter().map(|variable| (variable.entry.name, variable.file, variable.line));
        self.no_duplicates("variable", variables);
        self.no_duplicates("name", content.others.iter().map(|other| (other.entry.name, other.file, other.line)));
        let signatures = content.signatures.iter().map(|located| (located.entry.id, located.file, located.line));
        self.no_duplicates("signature", signatures);
        self.no_duplicates("entry for", content.asked.iter().map(|asked| (asked.entry.part, asked.file, asked.line)));
        self.no_duplicates("source", content.sources.iter().map(|source| (source.entry.id, source.file, source.line)));
        for (id, file) in content
            .sections
            .iter()
            .map(|file| (file.section.id, file.file))
            .chain(content.flows.iter().map(|flow| (flow.entry.id, flow.file)))
            .chain(content.profiles.iter().map(|profile| (profile.entry.id, profile.file)))
        {
            let stem = file.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(stem, _)| stem);
            if id != stem {
                self.finding(file, 0, format!("the id is {id}, the file's name says {stem}; make them the same"));
            }
            if !is_id(id) {
                self.finding(file, 0, format!("id {id}: {ID}"));
            }
        }
    }

    fn no_duplicates<'b>(&mut self, what: &str, names: impl Iterator<Item = (&'b str, &'b str, usize)>) {
        let mut seen = BTreeMap::new();
        for (name, file, line) in names {
            if let Some(first) = seen.insert(name, file) {
                self.finding(
                    file,
                    line,
                    format!("{what} {name} is there twice (also in {first}); rename or remove one"),
                );
            }
        }
    }

    fn sections(&mut self, content: &Content<'_>) {
        let mut triggers: BTreeMap<String, &str> = BTreeMap::new();
        for file in &content.sections {
            let section = &file.section;
            self.one_line(section.title, "title", file.file, 0);
            if phrase(section.title).is_empty() && file.change != Change::Append {
                self.finding(file.file, 0, "title has no letter or digit");
            }
            for trigger in &section.triggers {
                self.one_line(trigger, "triggers", file.file, 0);
                let phrase = phrase(trigger);
                if phrase.is_empty() {
                    self.finding(file.file, 0, format!("trigger \"{trigger}\" has no letter or digit"));
                } else if self.knows_variable(trigger) {
                    self.fault(
                        file.file,
                        0,
                        format!("trigger \"{trigger}\" is a variable, which is found by its name"),
                    );
                } else if let Some(other) = triggers.insert(phrase, section.id) {
                    let message = format!("trigger \"{trigger}\" belongs to {other} too; leave it to one section");
                    self.fault(file.file, 0, message);
                }
            }
            for id in &section.see_also {
                if *id == section.id {
                    self.fault(file.file, 0, "see_also names the section itself");
                } else if !self.knows_part(id, "") {
                    self.fault(file.file, 0, format!("see_also: no section {id}"));
                }
            }
            let may_be_missing = self.is_pack && section.reviewed.is_empty();
            if !is_date(section.reviewed) && !may_be_missing {
                self.fault(file.file, 0, format!("reviewed: {} is no date of the form 2026-11-29", section.reviewed));
            }
            self.body(section.id, file.file, file.body, file.lines_above_body);
        }
    }

    /// A review that is older than a year is worth a look.
    fn reviews(&mut self, content: &Content<'_>, today: &str) {
        let year = |date: &str| date.get(..4).and_then(|year| year.parse::<u16>().ok());
        for file in &content.sections {
            let reviewed = file.section.reviewed;
            let (Some(then), Some(now)) = (year(reviewed), year(today)) else { continue };
            let is_old = now > then + 1 || (now == then + 1 && today[4..] > reviewed[4..]);
            if is_date(reviewed) && is_old {
                let message = format!("last reviewed {reviewed}, more than a year ago; review it and change the date");
                self.report.findings.push(Finding::warning(file.file, 0, message));
            }
        }
    }

    fn body(&mut self, id: &str, file: &str, body: &str, lines_above: usize) {
        let survey = claims::survey(body);
        for (line, message) in survey.problems {
            self.fault(file, line + lines_above, message);
        }
        // A team's runbook is its own source.
        let uncited = if self.is_pack { Vec::new() } else { survey.uncited };
        for (line, message) in uncited {
            self.finding(file, line + lines_above, message);
        }
        let mut parts = BTreeSet::new();
        for (line, part, heading) in survey.headings {
            match part {
                None => {
                    self.finding(
                        file,
                        line + lines_above,
                        format!("heading \"{heading}\" has no id; add {{#some-id}}"),
                    );
                }
                Some(part) if !is_id(&part) => {
                    self.finding(file, line + lines_above, format!("part id {part}: {ID}"));
                }
                Some(part) => {
                    if !parts.insert(part.clone()) {
                        self.finding(file, line + lines_above, format!("part id {part} is there twice"));
                    }
                }
            }
        }
        if survey.citations.is_empty() && !self.is_pack {
            self.finding(file, 0, "cites no source");
        }
        for (line, source) in survey.citations {
            self.source(&source, file, line + lines_above);
        }
        for (line, link) in survey.links {
            self.link(id, &link, file, line + lines_above);
        }
        if survey.flows.len() > MOST_FLOWS {
            self.finding(file, 0, format!("shows more than {MOST_FLOWS} flows; link to them"));
        }
        self.flows_shown += survey.flows.len();
        if self.is_pack && self.flows_shown > MOST_FLOWS_OF_A_PACK {
            self.finding(file, 0, format!("the sections show more than {MOST_FLOWS_OF_A_PACK} flows; link to them"));
        }
        let mut shown = BTreeSet::new();
        for (line, flow) in survey.flows {
            if !shown.insert(flow.clone()) {
                self.finding(file, line + lines_above, format!("flow {flow} is there twice"));
            }
            if !self.names.flows.contains(&*flow) && self.base.is_none_or(|base| base.flows.position(&flow).is_none()) {
                self.fault(file, line + lines_above, format!("no flow \"{flow}\"; add flows/{flow}.yaml"));
            }
        }
        self.report.sections.push(SectionCount { id: id.to_string(), claims: survey.claims, cited: survey.cited });
    }

    fn link(&mut self, id: &str, target: &str, file: &str, line: usize) {
        if target.starts_with("https://") || (self.is_pack && target.starts_with("http://")) {
            return;
        }
        let (section, part) = target.split_once('#').unwrap_or((target, ""));
        let section = if section.is_empty() { id } else { section };
        let known = self.knows_part(section, part) || (section == VARIABLE_SECTION && self.knows_variable(part));
        if !known {
            self.fault(file, line, format!("link to {target}: no such section, part or variable"));
        }
    }

    /// `id` or `id#part`.
    fn address(&mut self, address: &str, what: &str, file: &str, line: usize) {
        let (section, part) = address.split_once('#').unwrap_or((address, ""));
        if !self.knows_part(section, part) {
            self.finding(file, line, format!("{what}: no section or part {address}"));
        }
    }

    fn sources(&mut self, content: &Content<'_>) {
        for Located { entry, file, line } in &content.sources {
            self.one_line(entry.title, entry.id, file, *line);
            self.one_line(entry.place, entry.id, file, *line);
            if !is_source_id(entry.id) {
                self.finding(file, *line, format!("id {}: {ID}, dots", entry.id));
            }
            if LABELS.contains(&entry.id) {
                self.finding(file, *line, format!("{} is a label, not a source", entry.id));
            }
            if !entry.is_address() && !self.is_pack {
                let message = format!(
                    "{}: where: write https://..., owner/repository:path@ref or owner/repository#123",
                    entry.id
                );
                self.finding(file, *line, message);
            }
            if !self.used_sources.contains(entry.id) {
                self.fault(file, *line, format!("source {} is never cited; remove it", entry.id));
            }
        }
    }

    fn cites(&mut self, sources: &[&str], file: &str, line: usize, what: &str) {
        if sources.is_empty() && !self.is_pack {
            self.finding(file, line, format!("{what} cites no source"));
        }
        for source in sources {
            // It is going to stand in a citation of text.
            if !is_source_id(source) {
                self.finding(file, line, format!("{what}: source {source}: {ID}, dots"));
            }
            self.source(source, file, line);
        }
    }

    fn source(&mut self, id: &str, file: &str, line: usize) {
        self.used_sources.insert(id.to_string());
        let known = LABELS.contains(&id)
            || self.names.sources.contains(id)
            || self.base.is_some_and(|base| base.sources.position(id).is_some());
        if !known {
            self.fault(file, line, format!("unknown source {id}; add it to sources.yaml"));
        }
    }

    fn knows_part(&self, section: &str, part: &str) -> bool {
        self.names.parts.get(section).is_some_and(|parts| parts.contains(part))
            || self.base.is_some_and(|base| base.has_part(section, part))
    }

    fn knows_other(&self, name: &str) -> bool {
        self.names.others.contains(name) || self.base.is_some_and(|base| base.others.position(name).is_some())
    }

    fn knows_variable(&self, name: &str) -> bool {
        self.names.variables.contains(name) || self.base.is_some_and(|base| base.variables.position(name).is_some())
    }
}

/// A section that shows more is a list of them, and as long as all together.
const MOST_FLOWS: usize = 10;

/// Each is a copy of the flow's text.
const MOST_FLOWS_OF_A_PACK: usize = 200;

/// What an id must be. One that begins with a hyphen would read as a flag.
pub(super) const ID: &str = "use lower-case letters, digits and hyphens, no hyphen first";

pub(super) fn is_id(id: &str) -> bool {
    !id.is_empty()
        && !id.starts_with('-')
        && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Sources of releases have their numbers in them.
fn is_source_id(id: &str) -> bool {
    is_id(&id.replace('.', "-"))
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_ignore_case_and_punctuation() {
        assert_eq!(phrase("Rail-Aligned"), "rail aligned");
        assert_eq!(phrase("NCCL_IB_TC"), "nccl ib tc");
        assert_eq!(phrase(" -- "), "");
    }

    #[test]
    fn dates_have_one_form() {
        assert!(is_date("2026-11-29"));
        assert!(!is_date("2026-1-29"));
    }
}
