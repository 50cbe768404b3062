//! `list`: the sections, or the parts that explain something going wrong.

use schemars::JsonSchema;
use serde::Serialize;

use super::section::{self, Shown};
use super::{Answer, cell};
use crate::knowledge::{Kind, Library, Section};
use crate::render::tokens;

/// Sections or issues.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListAnswer<'a> {
    schema: &'static str,
    entries: Vec<Entry<'a>>,
    #[serde(skip)]
    view: View,
}

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Sections,
    Issues,
    Triggers,
    Tokens,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Entry<'a> {
    id: &'a str,
    /// The part, for an issue.
    part: Option<&'a str>,
    title: String,
    kind: &'static str,
    summary: &'a str,
    triggers: Vec<&'a str>,
    /// What `show` prints of it, in tokens (estimated); only where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

/// Lists sections of a kind, or all.
pub fn list<'a>(kind: Option<Kind>, view: View, library: &Library<'a>) -> ListAnswer<'a> {
    let mut entries = Vec::new();
    for section in library.sections.iter().filter(|section| kind.is_none_or(|kind| kind == section.kind)) {
        let entry = |part, title| Entry {
            id: section.id,
            part,
            title,
            kind: section.kind.name(),
            summary: section.summary,
            triggers: section.triggers.clone(),
            tokens: (view == View::Tokens).then(|| section_tokens(&section, library)),
        };
        if view == View::Issues {
            let issues = library.parts(&section).filter(|part| part.issue);
            entries.extend(issues.map(|part| entry(Some(part.id), part.heading.into_owned())));
        } else {
            entries.push(entry(None, section.title.to_string()));
        }
    }
    ListAnswer { schema: "rdmanav.list/1", entries, view }
}

fn section_tokens(section: &Section<'_>, library: &Library<'_>) -> usize {
    section::show(section.id, library).map_or(0, |shown| match shown {
        Shown::Section(answer) => tokens::estimate(&answer.markdown(library)),
        Shown::Variable(_) | Shown::Other(_) => 0,
    })
}

impl ListAnswer<'_> {
    /// One a line, id and title: for a pipe.
    pub fn lines(&self) -> String {
        let mut out = String::new();
        for entry in &self.entries {
            let address = entry.part.map_or(entry.id.to_string(), |part| format!("{}#{part}", entry.id));
            let text = match self.view {
                View::Triggers => entry.triggers.join(", "),
                View::Tokens => entry.tokens.unwrap_or_default().to_string(),
                View::Sections | View::Issues => entry.title.clone(),
            };
            out.push_str(&format!("{address}\t{text}\n"));
        }
        out
    }
}

impl Answer for ListAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let (first, second) = match self.view {
            View::Sections => ("Section", "About"),
            View::Issues => ("Issue", "Part"),
            View::Triggers => ("Section", "Words that lead to it"),
            View::Tokens => ("Section", "Tokens"),
        };
        let mut out = format!("| {first} | {second} |\n|---|---|\n");
        for entry in &self.entries {
            let row = match self.view {
                View::Sections => format!("| `{}` | {} |\n", entry.id, cell(&entry.title)),
                View::Issues => {
                    format!("| {} | `{}#{}` |\n", cell(&entry.title), entry.id, entry.part.unwrap_or_default())
                }
                View::Tokens => format!("| `{}` | {} |\n", entry.id, entry.tokens.unwrap_or_default()),
                View::Triggers => format!("| `{}` | {} |\n", entry.id, cell(&entry.triggers.join(", "))),
            };
            out.push_str(&row);
        }
        out.push_str("\n`rdmanav show ID` prints one, `rdmanav query WORDS` finds the part that answers a question.\n");
        out
    }
}
