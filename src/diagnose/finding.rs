//! A conclusion.

use schemars::JsonSchema;
use serde::Serialize;

use super::job::Place;

/// How bad a conclusion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A conclusion: one cause, with what it rests on.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its name: that of a rule, or the id of a signature.
    pub rule: String,
    pub severity: Severity,
    /// The first line that shows it; none where the cause is an absence.
    pub place: Option<Place>,
    /// That line, cleaned.
    pub evidence: String,
    /// How often it was seen.
    pub count: usize,
    /// What is wrong.
    pub message: String,
    /// What to do, most likely cause first.
    pub advice: String,
    /// Sections and parts to read, best first.
    pub sections: Vec<String>,
    pub hosts: Vec<String>,
    pub ranks: Vec<u32>,
    /// What probably follows from it: rule and count.
    pub consequences: Vec<(String, usize)>,
}
