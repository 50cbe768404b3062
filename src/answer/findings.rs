//! `diagnose`: what is wrong, why, and what to do.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, cell, code};
use crate::diagnose::{Finding, Job, Severity};
use crate::knowledge::Library;
use crate::render;

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
    evidence: String,
    count: usize,
    message: String,
    advice: String,
    sections: Vec<String>,
    hosts: Vec<String>,
    ranks: Vec<u32>,
    consequences: Vec<Consequence>,
}

/// Lines that probably follow from a cause.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Consequence {
    rule: String,
    count: usize,
}

/// The job, as its log shows it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Summary {
    nccl_lines: usize,
    nodes: u32,
    hosts: usize,
    ranks: u32,
    versions: Vec<String>,
    networks: Vec<String>,
    /// Device lists, each with the number of hosts that have it.
    nics: BTreeMap<String, usize>,
    bootstrap: BTreeMap<String, usize>,
    /// Channels by transport.
    channels: BTreeMap<&'static str, usize>,
    init_completed: usize,
}

/// Makes the answer. `files` are the names of the inputs.
pub fn findings(
    findings: Vec<Finding>,
    job: &Job,
    files: &[String],
    only_summary: bool,
    notes: bool,
) -> FindingsAnswer {
    // What another run wrote may hold anything.
    let clean = |text: &str| render::clean(text).replace('\n', " ");
    let show = |finding: Finding| Shown {
        rule: finding.rule,
        severity: finding.severity,
        file: finding.place.and_then(|place| files.get(place.file).cloned()),
        line: finding.place.map(|place| place.line),
        column: finding.place.map(|_| 1),
        evidence: clean(&finding.evidence),
        count: finding.count,
        message: clean(&finding.message),
        advice: clean(&finding.advice),
        sections: finding.sections,
        hosts: finding.hosts.iter().map(|host| clean(host)).collect(),
        ranks: finding.ranks,
        consequences: finding.consequences.into_iter().map(|(rule, count)| Consequence { rule, count }).collect(),
    };
    FindingsAnswer {
        schema: "rdmanav.findings/1",
        findings: findings.into_iter().map(show).collect(),
        summary: summary(job),
        only_summary,
        notes,
    }
}

fn summary(job: &Job) -> Summary {
    let mut summary = Summary {
        nccl_lines: job.nccl_lines,
        nodes: job.nodes,
        hosts: job.hosts.keys().filter(|name| !name.is_empty()).count(),
        ranks: job.ranks,
        init_completed: job.completed.len(),
        ..Summary::default()
    };
    for facts in job.hosts.values() {
        summary.versions.extend(facts.versions.keys().cloned());
        summary.networks.extend(facts.networks.keys().cloned());
        if !facts.hcas.is_empty() {
            *summary.nics.entry(facts.hcas.join(" ")).or_default() += 1;
        }
        if let Some((interface, ..)) = &facts.bootstrap {
            *summary.bootstrap.entry(interface.clone()).or_default() += 1;
        }
        for (transport, seen) in &facts.transports {
            *summary.channels.entry(transport.name()).or_default() += seen.count;
        }
    }
    for list in [&mut summary.versions, &mut summary.networks] {
        list.sort();
        list.dedup();
    }
    summary
}

impl FindingsAnswer {
    /// The worst severity; none without a finding.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

impl Summary {
    fn document(&self) -> String {
        let counted = |map: &BTreeMap<String, usize>| {
            let entries = map.iter().map(|(name, hosts)| format!("{} on {hosts}", code(name)));
            entries.collect::<Vec<_>>().join(", ")
        };
        let known = |number: u32| if number == 0 { "not in the log".to_string() } else { number.to_string() };
        let channels: Vec<String> = self.channels.iter().map(|(name, count)| format!("{name}: {count}")).collect();
        let rows = [
            ("Nodes", if self.nodes > 0 { self.nodes.to_string() } else { format!("{} in the log", self.hosts) }),
            ("Ranks", known(self.ranks)),
            ("Ranks that completed init", self.init_completed.to_string()),
            ("NCCL", self.versions.join(", ")),
            ("Network", self.networks.join(", ")),
            ("NICs", counted(&self.nics)),
            ("Bootstrap interface", counted(&self.bootstrap)),
            ("Channels", channels.join(", ")),
        ];
        let mut out = "| The job | |\n|---|---|\n".to_string();
        for (name, value) in rows {
            let value = &*render::clean(&value);
            let value = if value.is_empty() { "not in the log" } else { value };
            out.push_str(&format!("| {name} | {} |\n", cell(value)));
        }
        out
    }

    /// A line that says what the job uses.
    fn line(&self) -> String {
        let nets: Vec<&str> = self.channels.keys().copied().collect();
        let network =
            if self.networks.is_empty() { String::new() } else { format!(", network {}", self.networks.join(", ")) };
        let channels = if nets.is_empty() { String::new() } else { format!(", channels by {}", nets.join(", ")) };
        let version = self.versions.first().map_or(String::new(), |version| format!("NCCL {version}, "));
        let plural = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let ranks = if self.ranks > 0 { plural(self.ranks as usize, "rank") } else { "ranks unknown".to_string() };
        let nodes = if self.nodes > 0 {
            plural(self.nodes as usize, "node")
        } else {
            format!("{} in the log", plural(self.hosts, "host"))
        };
        render::clean(&format!("{version}{ranks}, {nodes}{network}{channels}")).replace('\n', " ")
    }
}

impl Shown {
    fn document(&self) -> String {
        let severity = match self.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
            Severity::Note => "Note",
        };
        let mut out = format!("## {severity}: {}\n\n{}\n\n", self.rule, self.message);
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            let times = if self.count > 1 { format!(", {} times", self.count) } else { String::new() };
            out.push_str(&format!("{}{times}:\n\n{}\n\n", code(&format!("{file}:{line}")), quoted(&self.evidence)));
        }
        if !self.hosts.is_empty() {
            let hosts: Vec<&str> = self.hosts.iter().take(16).map(String::as_str).collect();
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
        let sections: Vec<String> = self.sections.iter().map(|section| format!("`rdmanav show {section}`")).collect();
        out.push_str(&format!("More: {}\n\n", sections.join(", ")));
        out
    }
}

/// A line of a log as a code block: nothing in it is markdown.
fn quoted(line: &str) -> String {
    format!("````text\n{}\n````", line.replace("````", "'''"))
}

impl Answer for FindingsAnswer {
    fn document(&self, _library: &Library<'_>) -> String {
        if self.only_summary {
            return self.summary.document();
        }
        let shown = |finding: &&Shown| self.notes || finding.severity > Severity::Note;
        let mut out: String = self.findings.iter().filter(shown).map(Shown::document).collect();
        if out.is_empty() {
            out = format!("No fault found: {}.\n", self.summary.line());
        } else {
            out.push_str(&format!("The job: {}.\n", self.summary.line()));
        }
        let notes = self.findings.iter().filter(|finding| finding.severity == Severity::Note).count();
        if notes > 0 && !self.notes {
            out.push_str(&format!("\n{notes} notes: add `--notes`\n"));
        }
        out
    }
}
