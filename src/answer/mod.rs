//! Answers: values that every command, and later every other front, gives back. Text and JSON are views of the same value.

pub mod check;
pub mod context;
pub mod diff;
pub mod findings;
pub mod flows;
pub mod job;
pub mod lint;
pub mod list;
pub mod packs;
pub mod profiles;
pub mod query;
pub mod schema;
pub mod section;
pub mod sources;
pub mod variables;

use serde::Serialize;

use crate::knowledge::Library;
use crate::render::{self, code};
use crate::search::suggest;

/// An answer: its JSON is the serialized value, its text a document in rdmanav's dialect for [`crate::render`].
pub trait Answer: Serialize {
    /// The document.
    fn document(&self, library: &Library<'_>) -> String;

    /// The document as plain markdown.
    fn markdown(&self, library: &Library<'_>) -> String {
        render::markdown(&self.document(library), library)
    }

    /// Replaces text in the dialect by plain markdown, before the value is serialized.
    fn resolve(&mut self, _library: &Library<'_>) {}
}

/// Nothing was found: what was looked for, and what may have been meant.
#[derive(Debug)]
pub struct NotFound {
    pub message: String,
    pub hints: Vec<String>,
}

impl NotFound {
    /// Offers the near misses, or where there are none says where to look.
    pub fn new(message: String, near: &[&str], otherwise: &str) -> Self {
        let hints = if near.is_empty() {
            vec![otherwise.to_string()]
        } else {
            near.iter().map(|name| format!("did you mean {name}?")).collect()
        };
        NotFound { message, hints }
    }

    /// No profile of this id.
    pub fn profile(id: &str, library: &Library<'_>) -> Self {
        let near = suggest::nearest(id, library.profiles.keys());
        NotFound::new(format!("no profile \"{}\"", render::short(id)), &near, "all profiles: rdmanav env")
    }

    /// Nothing answers a question; `near` are the sections that came nearest.
    pub fn answer(near: &[String]) -> Self {
        let hint = if near.is_empty() {
            "all sections: rdmanav list".to_string()
        } else {
            format!("nearest sections: {}", near.join(", "))
        };
        NotFound { message: "nothing here answers that".to_string(), hints: vec![hint] }
    }

    /// No section of this id.
    pub fn section(id: &str, library: &Library<'_>) -> Self {
        let near = suggest::nearest(id, library.sections.keys());
        NotFound::new(
            format!("no section \"{}\"", render::short(id)),
            &near,
            "all sections: rdmanav list; a question: rdmanav query WORDS",
        )
    }
}

/// Where to go next: the last line of an answer.
fn next<T: AsRef<str>>(steps: &[T]) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let steps: Vec<&str> = steps.iter().map(AsRef::as_ref).collect();
    format!("\n**Next:** {}\n", steps.join("; "))
}

/// The commands that print sections, as steps.
fn shows<T: AsRef<str>>(sections: &[T]) -> Vec<String> {
    sections.iter().map(|id| format!("`rdmanav show {}`", id.as_ref())).collect()
}

/// What is said of something that is from a pack.
fn from_pack(origin: Option<&str>) -> String {
    origin.map_or(String::new(), |pack| format!(" (pack {pack})"))
}

/// Text in a table cell of a document: on one line, bars escaped. Readers do not agree on what two backslashes before a bar are: they get a space
/// between.
fn cell(text: &str) -> String {
    text.replace("\\|", "\\ |").replace('|', "\\|").replace('\n', " ")
}

/// Footnotes for sources.
fn footnotes(sources: &[&str]) -> String {
    sources.iter().fold(String::new(), |out, source| out + "[^" + source + "]")
}
