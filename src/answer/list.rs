//! `list`: the sections, or the parts that explain something going wrong.

use serde::Serialize;

use super::{Answer, cell};
use crate::knowledge::{Kind, Library};

/// Sections or issues.
#[derive(Debug, Serialize)]
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
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    id: &'a str,
    /// The part, for an issue.
    part: Option<&'a str>,
    title: String,
    kind: &'static str,
    summary: &'a str,
    triggers: Vec<&'a str>,
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

impl ListAnswer<'_> {
    /// One a line, id and title: for a pipe.
    pub fn lines(&self) -> String {
        let mut out = String::new();
        for entry in &self.entries {
            let address = entry.part.map_or(entry.id.to_string(), |part| format!("{}#{part}", entry.id));
            let text = if self.view == View::Triggers { entry.triggers.join(", ") } else { entry.title.clone() };
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
        };
        let mut out = format!("| {first} | {second} |\n|---|---|\n");
        for entry in &self.entries {
            let row = match self.view {
                View::Sections => format!("| `{}` | {} |\n", entry.id, cell(&entry.title)),
                View::Issues => {
                    format!("| {} | `{}#{}` |\n", cell(&entry.title), entry.id, entry.part.unwrap_or_default())
                }
                View::Triggers => format!("| `{}` | {} |\n", entry.id, cell(&entry.triggers.join(", "))),
            };
            out.push_str(&row);
        }
        out.push_str("\n`rdmanav show ID` prints one, `rdmanav query WORDS` finds the part that answers a question.\n");
        out
    }
}
