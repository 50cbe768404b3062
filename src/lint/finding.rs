//! What is wrong with a setting.

use super::Position;
pub use crate::knowledge::severity::Severity;

/// Something wrong, or worth a word, at a place of a file.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The id of its rule.
    pub rule: &'static str,
    pub severity: Severity,
    /// The place of the file among the inputs.
    pub file: usize,
    pub at: Position,
    /// Columns that it takes, for the marks under the line.
    pub length: usize,
    pub message: String,
    pub advice: String,
    /// `section#part` to read, best first.
    pub parts: Vec<String>,
}

/// How many more there are than are kept.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The place of the file among the inputs.
    pub file: usize,
    pub rule: &'static str,
    pub severity: Severity,
    pub count: usize,
}
