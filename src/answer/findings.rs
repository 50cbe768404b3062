//! `diagnose`: what is wrong, why, and what to do.

use schemars::JsonSchema;
use serde::Serialize;

use super::job::Summary;
use super::{Answer, code, from_pack, next, shows};
use crate::diagnose::{Finding, Job, Severity};
use crate::knowledge::Library;
use crate::lint::finding as lint;
use crate::render::{self, clean_line, foreign};

/// The conclusions from a log.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingsAnswer {
    schema: &'static str,
    pub findings: Vec<Shown>,
    summary: Summary,
    /// Print the table of the job instead.
    #[serde(skip)]
    only_summary: bool,
    /// Print notes, too.
    #[serde(skip)]
    notes: bool,
}

/// A conclusion, as it is printed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Shown {
    pub rule: String,
    pub severity: Severity,
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    /// The line. Of a longer one than 400 characters, of a file of settings, a piece, with `…` where it is cut: it begins 100 columns before `column`.
    evidence: String,
    count: usize,
    pub message: String,
    pub advice: String,
    /// Ids of `parts`, each once.
    sections: Vec<String>,
    parts: Vec<String>,
    sources: Vec<String>,
    hosts: Vec<String>,
    ranks: Vec<u32>,
    consequences: Vec<Consequence>,
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<String>,
}

/// Lines that probably follow from a cause.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Consequence {
    rule: String,
    count: usize,
}

/// Makes the answer. `files` are the names of the inputs.
pub fn findings(
    findings: Vec<Finding>,
    job: &Job,
    files: &[String],
    only_summary: bool,
    notes: bool,
) -> FindingsAnswer {
    let show = |finding: Finding| Shown {
        rule: finding.rule,
        severity: finding.severity,
        file: finding.place.and_then(|place| files.get(place.file).cloned()),
        line: finding.place.map(|place| place.line),
        column: finding.place.map(|_| 1),
        evidence: clean_line(&finding.evidence),
        count: finding.count,
        message: clean_line(&finding.message),
        advice: clean_line(&finding.advice),
        sections: sections(&finding.parts),
        parts: finding.parts,
        sources: finding.sources,
        hosts: finding.hosts.iter().map(|host| clean_line(host)).collect(),
        ranks: finding.ranks,
        consequences: finding.consequences.into_iter().map(|(rule, count)| Consequence { rule, count }).collect(),
        origin: None,
    };
    FindingsAnswer {
        schema: "rdmanav.findings/1",
        findings: findings.into_iter().map(show).collect(),
        summary: Summary::of(job),
        only_summary,
        notes,
    }
}

/// The ids of the sections of parts, in their order.
fn sections(parts: &[String]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for part in parts {
        let id = part.split('#').next().unwrap_or(part);
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_string());
        }
    }
    ids
}

impl FindingsAnswer {
    /// The worst severity; none without a finding.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// A severity as a word.
pub fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Note => "Note",
    }
}

impl Shown {
    /// A finding in a file of settings; `line` is the line that it is in, or a piece of it.
    pub fn at_place(finding: lint::Finding, files: &[String], line: &str, sources: Vec<String>) -> Self {
        Shown {
            rule: finding.rule.to_string(),
            severity: finding.severity,
            file: files.get(finding.file).cloned(),
            line: Some(finding.at.line),
            column: Some(finding.at.column),
            evidence: clean_line(line).trim().to_string(),
            count: 1,
            message: clean_line(&finding.message),
            advice: clean_line(&finding.advice),
            sections: sections(&finding.parts),
            parts: finding.parts,
            sources,
            hosts: Vec::new(),
            ranks: Vec::new(),
            consequences: Vec::new(),
            origin: None,
        }
    }

    /// `file:line:column`.
    pub fn place(&self) -> String {
        let number = |number: Option<usize>| number.map_or(String::new(), |number| format!(":{number}"));
        format!("{}{}{}", self.file.as_deref().unwrap_or_default(), number(self.line), number(self.column))
    }

    fn document(&self, library: &Library<'_>) -> String {
        let severity = severity_name(self.severity);
        let pack = from_pack(library.origin(&format!("signature {}", self.rule)));
        let mut out = format!("## {severity}: {}{pack}\n\n{}\n\n", self.rule, self.message);
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            let times = if self.count > 1 { format!(", {} times", self.count) } else { String::new() };
            out.push_str(&format!(
                "{}{times}:\n\n{}\n",
                code(&format!("{file}:{line}")),
                render::fenced(&self.evidence)
            ));
        }
        if !self.hosts.is_empty() {
            let hosts: Vec<String> = self.hosts.iter().take(16).map(|host| foreign(host)).collect();
            let more = self.hosts.len().saturating_sub(16);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            out.push_str(&format!("Hosts: {}{more}\n\n", hosts.join(", ")));
        }
        out.push_str(&format!("**Do.** {}\n\n", self.advice));
        if !self.consequences.is_empty() {
            let entries: Vec<String> =
                self.consequences.iter().map(|entry| format!("{} ({})", entry.rule, entry.count)).collect();
            out.push_str(&format!("Probably consequences: {}\n\n", entries.join(", ")));
        }
        out.push_str(&next(&shows(&self.parts)));
        out.push('\n');
        out
    }
}

impl Answer for FindingsAnswer {
    fn resolve(&mut self, library: &Library<'_>) {
        for finding in &mut self.findings {
            finding.origin = library.origin(&format!("signature {}", finding.rule)).map(str::to_string);
        }
    }

    fn document(&self, library: &Library<'_>) -> String {
        if self.only_summary {
            return self.summary.document();
        }
        let shown = |finding: &&Shown| self.notes || finding.severity > Severity::Note;
        let mut out: String = self.findings.iter().filter(shown).map(|finding| finding.document(library)).collect();
        if out.is_empty() {
            out = format!("No fault found: {}.\n", self.summary.line());
        } else {
            out.push_str(&format!("The job: {}.\n", self.summary.line()));
        }
        let notes = self.findings.iter().filter(|finding| finding.severity == Severity::Note).count();
        if notes > 0 && !self.notes {
            let noun = if notes == 1 { "note" } else { "notes" };
            out.push_str(&format!("\n{notes} {noun}: add `--notes`\n"));
        }
        out
    }
}
