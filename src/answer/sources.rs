//! `sources`: where the claims of a section come from.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, NotFound, from_pack, next};
use crate::knowledge::claims::{self, LABELS};
use crate::knowledge::model::SourceKind;
use crate::knowledge::{Library, Source};

/// Sources, in the order in which they are cited, or all by id.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SourcesAnswer<'a> {
    schema: &'static str,
    section: Option<String>,
    sources: Vec<Entry<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Entry<'a> {
    id: &'a str,
    title: &'a str,
    url: String,
    kind: SourceKind,
    date: Option<&'a str>,
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<&'a str>,
}

/// The sources of a section, or all.
pub fn sources<'a>(section: Option<&str>, library: &Library<'a>) -> Result<SourcesAnswer<'a>, NotFound> {
    let sources: Vec<Source<'a>> = match section {
        None => library.sources.iter().collect(),
        Some(id) => cited(id, library)?,
    };
    let sources = sources
        .into_iter()
        .map(|source| Entry {
            id: source.id,
            title: source.title,
            url: source.url(),
            kind: source.kind,
            date: source.date,
            origin: library.origin(&format!("source {}", source.id)),
        })
        .collect();
    Ok(SourcesAnswer { schema: "rdmanav.sources/1", section: section.map(str::to_string), sources })
}

fn cited<'a>(id: &str, library: &Library<'a>) -> Result<Vec<Source<'a>>, NotFound> {
    let Some(section) = library.sections.find(&id.to_lowercase()) else {
        return Err(NotFound::section(id, library));
    };
    let mut ids: Vec<String> = Vec::new();
    for part in library.parts(&section) {
        let survey = claims::survey(part.body);
        let flows = survey.flows.iter().filter_map(|(_, flow)| library.flows.find(flow));
        let steps = flows.flat_map(|flow| flow.steps).flat_map(|step| step.sources).map(str::to_string);
        for id in survey.citations.into_iter().map(|(_, id)| id).chain(steps) {
            if !ids.contains(&id) && !LABELS.contains(&&*id) {
                ids.push(id);
            }
        }
    }
    Ok(ids.iter().filter_map(|id| library.sources.find(id)).collect())
}

/// The kinds of sources, those that decide first.
const KINDS: [(SourceKind, &str); 7] = [
    (SourceKind::Code, "Source code"),
    (SourceKind::Standard, "Standards"),
    (SourceKind::Paper, "Papers"),
    (SourceKind::Manual, "Manuals"),
    (SourceKind::Docs, "Documentation"),
    (SourceKind::Issue, "Issues"),
    (SourceKind::Report, "Reports"),
];

fn entries<'e, 'a: 'e>(sources: impl Iterator<Item = &'e Entry<'a>>, out: &mut String) {
    for source in sources {
        let date = source.date.map_or(String::new(), |date| format!(" ({date})"));
        let pack = from_pack(source.origin);
        out.push_str(&format!("- `{}`: {}{date}, {}{pack}\n", source.id, source.title, source.url));
    }
}

impl Answer for SourcesAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = String::new();
        if self.sources.is_empty() {
            out.push_str("It cites no source.\n");
        }
        if self.section.is_some() {
            entries(self.sources.iter(), &mut out);
        } else {
            for (kind, heading) in KINDS {
                out.push_str(&format!("## {heading}\n\n"));
                entries(self.sources.iter().filter(|source| source.kind == kind), &mut out);
                out.push('\n');
            }
        }
        out.push_str(&next(&match &self.section {
            Some(id) => vec![format!("`rdmanav show {id}`")],
            None => vec!["`rdmanav sources ID` lists those of a section".to_string()],
        }));
        out
    }
}
