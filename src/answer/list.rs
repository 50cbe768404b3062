//! `list`: the sections, or the parts that explain something going wrong.

use schemars::JsonSchema;
use serde::Serialize;

use super::section::{self, Shown};
use super::{Answer, cell, from_pack, next};
use crate::knowledge::{Kind, Library, Section};
use crate::render::tokens;

/// Sections or issues.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListAnswer<'a> {
    schema: &'static str,
    entries: Vec<Entry<'a>>,
    #[serde(skip)]
    view: View,
    /// How sections are laid out.
    #[serde(skip)]
    pub layout: Layout,
}

/// How sections are laid out: a table reads best, where there is no room for its columns lines do, and where there is much summaries fit, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Lines,
    Table,
    Summaries,
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
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<&'a str>,
    /// What `show` prints of it, in tokens (estimated); only where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

/// Lists sections of a kind, or all.
pub fn list<'a>(kind: Option<Kind>, view: View, library: &Library<'a>) -> ListAnswer<'a> {
    let mut entries = Vec::new();
    for section in library.sections.iter().filter(|section| kind.is_none_or(|kind| kind == section.kind)) {
        let entry = |part: Option<&'a str>, title| Entry {
            id: section.id,
            part,
            title,
            kind: section.kind.name(),
            summary: section.summary,
            triggers: section.triggers.clone(),
            origin: library.origin_of_part(section.id, part.unwrap_or_default()),
            tokens: (view == View::Tokens).then(|| section_tokens(&section, library)),
        };
        if view == View::Issues {
            let issues = library.parts(&section).filter(|part| part.issue);
            entries.extend(issues.map(|part| entry(Some(part.id), part.heading.into_owned())));
        } else {
            entries.push(entry(None, section.title.to_string()));
        }
    }
    ListAnswer { schema: "rdmanav.list/1", entries, view, layout: Layout::Table }
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
            out.push_str(&format!("{address}\t{text}{}\n", from_pack(entry.origin)));
        }
        out
    }
}

impl Answer for ListAnswer<'_> {
    fn document(&self, library: &Library<'_>) -> String {
        let mut out = String::new();
        match self.view {
            View::Sections => self.sections(&mut out),
            View::Issues => self.issues(library, &mut out),
            View::Triggers => {
                for entry in &self.entries {
                    let pack = from_pack(entry.origin);
                    out.push_str(&format!("- `{}`{pack}: {}\n", entry.id, entry.triggers.join(", ")));
                }
            }
            View::Tokens => {
                out.push_str("| Section | Tokens |\n|---|---|\n");
                for entry in &self.entries {
                    let pack = from_pack(entry.origin);
                    out.push_str(&format!("| `{}`{pack} | {} |\n", entry.id, entry.tokens.unwrap_or_default()));
                }
            }
        }
        let show = match self.view {
            View::Issues => "`rdmanav show ID#PART` prints one",
            _ => "`rdmanav show ID` prints one",
        };
        out.push_str(&next(&[show, "`rdmanav query WORDS` finds the part that answers a question"]));
        out
    }
}

/// The kinds in the order of a list, with what stands above each.
const KINDS: [(Kind, &str); 4] = [
    (Kind::Procedure, "How to"),
    (Kind::Subsystem, "How it works"),
    (Kind::Platform, "Platforms"),
    (Kind::Reference, "To look things up"),
];

impl ListAnswer<'_> {
    /// By kind, with summaries where there is room for them.
    fn sections(&self, out: &mut String) {
        for (kind, heading) in KINDS {
            let entries: Vec<_> = self.entries.iter().filter(|entry| entry.kind == kind.name()).collect();
            if entries.is_empty() {
                continue;
            }
            out.push_str(&format!("## {heading} ({})\n\n", kind.name()));
            if self.layout == Layout::Table {
                out.push_str("| Section | About |\n|---|---|\n");
            }
            for Entry { id, title, summary, origin, .. } in entries {
                let pack = from_pack(*origin);
                out.push_str(&match self.layout {
                    Layout::Lines => format!("- `{id}`: {title}{pack}\n"),
                    Layout::Table => format!("| `{id}` | {}{pack} |\n", cell(title)),
                    Layout::Summaries => format!("- `{id}`: **{title}**{pack}. {summary}\n"),
                });
            }
            out.push('\n');
        }
    }

    /// By section, under its title.
    fn issues(&self, library: &Library<'_>, out: &mut String) {
        let mut section = "";
        for entry in &self.entries {
            if entry.id != section {
                section = entry.id;
                let title = library.sections.find(section).map_or(section, |section| section.title);
                out.push_str(&format!("\n## {title}\n\n"));
            }
            let pack = from_pack(entry.origin);
            out.push_str(&format!("- `{section}#{}`: {}{pack}\n", entry.part.unwrap_or_default(), entry.title));
        }
    }
}
