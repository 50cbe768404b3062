//! `context`: parts packed for a prompt.

use schemars::JsonSchema;
use serde::Serialize;

use super::Answer;
use crate::knowledge::Library;

/// Whole parts within a budget of tokens, most useful first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "context")]
pub struct ContextAnswer {
    pub(crate) schema: &'static str,
    /// The question; `null` when parts were named.
    pub query: Option<String>,
    pub max_tokens: usize,
    /// The estimated tokens of `text`.
    pub tokens: usize,
    /// How tokens were counted.
    pub counted: &'static str,
    pub parts: Vec<Packed>,
    pub left_out: Vec<LeftOut>,
    /// The pack: markdown, with the sources of all parts at the end, and a last line that says what was left out.
    pub text: String,
    /// The pack in rdmanav's dialect.
    #[serde(skip)]
    pub(crate) document: String,
}

/// A part that is in the pack.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Packed {
    pub id: String,
    /// `null` for the opening of a section.
    pub part: Option<String>,
    pub title: String,
    /// The estimated tokens of the part alone.
    pub tokens: usize,
    /// Date of the section's last review; `null` for a variable.
    pub reviewed: Option<String>,
    /// The pack that it is from; `null` for what is embedded.
    pub origin: Option<String>,
}

/// A part that would have been worth packing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeftOut {
    pub id: String,
    pub part: Option<String>,
    pub title: String,
    pub tokens: usize,
    /// Prints it.
    pub command: String,
}

impl Answer for ContextAnswer {
    fn document(&self, _library: &Library<'_>) -> String {
        self.document.clone()
    }

    fn markdown(&self, _library: &Library<'_>) -> String {
        self.text.clone()
    }
}
