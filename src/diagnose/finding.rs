//! A conclusion.

use super::job::Place;
pub use crate::knowledge::severity::Severity;

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
    /// What to read, best first: `section#part`. The claims of the text are cited there.
    pub parts: Vec<String>,
    /// Ids of the sources of the text, for a finding of one signature.
    pub sources: Vec<String>,
    pub hosts: Vec<String>,
    pub ranks: Vec<u32>,
    /// What probably follows from it: rule and count.
    pub consequences: Vec<(String, usize)>,
}
