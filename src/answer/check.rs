//! `check`: the claims of content, cited or not, and what is wrong with it.

use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, cell, code};
use crate::knowledge::Library;
use crate::knowledge::check::{self, SectionCount};
use crate::knowledge::claims;
use crate::knowledge::directory::{Directory, Finding};
use crate::knowledge::severity::Severity;
use crate::render;

/// What the checker found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckAnswer {
    schema: &'static str,
    sections: Vec<SectionCount>,
    pub findings: Vec<Finding>,
}

/// Checks a directory on the day `today` (`YYYY-MM-DD`). Its names may refer to the library.
pub fn directory(path: &Path, today: &str, library: &Library<'_>) -> io::Result<CheckAnswer> {
    let directory = Directory::read(path)?;
    let (content, mut findings) = directory.content();
    let report = check::check(&content, Some(today), Some(*library));
    findings.extend(report.findings);
    // YAML can spell any character: what it made of a foreign file is cleaned, and kept on one line.
    for finding in &mut findings {
        finding.message = render::clean_line(&finding.message);
        finding.file = render::clean_line(&finding.file);
    }
    let mut sections = report.sections;
    for section in &mut sections {
        section.id = render::clean_line(&section.id);
    }
    if findings.is_empty() && content.sections.is_empty() && content.pack.is_none() {
        let message = "neither pack.yaml nor sections/*.md here; see docs/packs.md";
        findings.push(Finding::error(".", 0, message));
    }
    Ok(CheckAnswer { schema: "rdmanav.check/1", sections, findings })
}

impl CheckAnswer {
    /// The worst finding.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// Counts the claims of the library, which was checked when it was built.
pub fn embedded(library: &Library<'_>) -> CheckAnswer {
    let sections = library.sections.iter().map(|section| {
        let surveys: Vec<_> = library.parts(&section).map(|part| claims::survey(part.body)).collect();
        SectionCount {
            id: section.id.to_string(),
            claims: surveys.iter().map(|survey| survey.claims).sum(),
            cited: surveys.iter().map(|survey| survey.cited).sum(),
        }
    });
    CheckAnswer { schema: "rdmanav.check/1", sections: sections.collect(), findings: Vec::new() }
}

impl Answer for CheckAnswer {
    fn document(&self, _library: &Library<'_>) -> String {
        let claims: usize = self.sections.iter().map(|section| section.claims).sum();
        let cited: usize = self.sections.iter().map(|section| section.cited).sum();
        let mut out = "| Section | Claims | Cited |\n|---|---|---|\n".to_string();
        for section in &self.sections {
            out.push_str(&format!("| {} | {} | {} |\n", cell(&code(&section.id)), section.claims, section.cited));
        }
        out.push_str(&format!(
            "\n{} sections, {claims} claims, {cited} cited, {} findings\n",
            self.sections.len(),
            self.findings.len()
        ));
        out
    }
}
