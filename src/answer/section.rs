//! `show`: a section, or one of its parts.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::variables::{OtherAnswer, VariableAnswer};
use super::{Answer, NotFound, from_pack, next, shows};
use crate::knowledge::library::VARIABLE_SECTION;
use crate::knowledge::{Library, Part, Section};
use crate::render;
use crate::search::suggest;

/// A section, whole or one part of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SectionAnswer<'a> {
    schema: &'static str,
    id: &'a str,
    title: &'a str,
    kind: &'static str,
    summary: &'a str,
    triggers: Vec<&'a str>,
    see_also: Vec<&'a str>,
    reviewed: &'a str,
    applies_to: Option<&'a str>,
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<&'a str>,
    parts: Vec<PartText<'a>>,
    /// One part was asked for.
    #[serde(skip)]
    single: bool,
}

/// A part with its text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PartText<'a> {
    /// `null` for the opening.
    id: Option<&'a str>,
    heading: Option<Cow<'a, str>>,
    issue: bool,
    text: String,
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<&'a str>,
}

/// What `ID` or `ID#PART` names.
pub enum Shown<'a> {
    Section(SectionAnswer<'a>),
    Variable(VariableAnswer<'a>),
    Other(OtherAnswer<'a>),
}

/// Looks up `ID` or `ID#PART`; a variable is a part of `nccl-env`.
pub fn show<'a>(address: &str, library: &Library<'a>) -> Result<Shown<'a>, NotFound> {
    let (id, part) = match address.split_once('#') {
        Some((id, part)) => (id, Some(part)),
        None => (address, None),
    };
    let Some(section) = library.sections.find(id).or_else(|| library.sections.find(&id.to_lowercase())) else {
        return Err(NotFound::section(id, library));
    };
    let parts: Vec<Part<'a>> = library.parts(&section).collect();
    let Some(part) = part else { return Ok(Shown::Section(answer(section, parts, false, library))) };
    if let Some(found) = parts.iter().find(|candidate| candidate.id == part && !part.is_empty()) {
        let found = vec![found.clone()];
        return Ok(Shown::Section(answer(section, found, true, library)));
    }
    if section.id == VARIABLE_SECTION
        && let Some(variable) = library.variables.find(&part.to_uppercase())
    {
        return Ok(Shown::Variable(VariableAnswer::new(variable)));
    }
    if section.id == VARIABLE_SECTION
        && let Some(other) = library.others.find(&part.to_uppercase())
    {
        return Ok(Shown::Other(OtherAnswer::new(other)));
    }
    let ids: Vec<&str> = parts.iter().map(|part| part.id).filter(|id| !id.is_empty()).collect();
    let variables = library.variables.keys().chain(library.others.keys()).filter(|_| section.id == VARIABLE_SECTION);
    let near = suggest::nearest(part, ids.iter().copied().chain(variables));
    let all = format!("its parts: {}", ids.join(", "));
    let message = format!("section {} has no part \"{}\"", section.id, render::short(part));
    Err(NotFound::new(message, &near, &all))
}

impl SectionAnswer<'_> {
    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Keeps the text of the first parts, at least of one; returns the addresses of the others, whose texts say that they were left out.
    pub fn keep(&mut self, count: usize) -> Vec<String> {
        let mut left = Vec::new();
        for part in self.parts.iter_mut().skip(count.max(1)) {
            let address = format!("{}#{}", self.id, part.id.unwrap_or_default());
            part.text = format!("(left out for length: `rdmanav show {address}`)");
            left.push(address);
        }
        left
    }
}

fn answer<'a>(section: Section<'a>, parts: Vec<Part<'a>>, single: bool, library: &Library<'a>) -> SectionAnswer<'a> {
    let origin = library.origin(section.id);
    SectionAnswer {
        schema: "rdmanav.section/1",
        id: section.id,
        title: section.title,
        kind: section.kind.name(),
        summary: section.summary,
        triggers: section.triggers,
        see_also: section.see_also,
        reviewed: section.reviewed,
        applies_to: section.applies_to,
        origin,
        parts: parts
            .into_iter()
            .map(|part| PartText {
                id: (!part.id.is_empty()).then_some(part.id),
                heading: (!part.id.is_empty()).then_some(part.heading),
                issue: part.issue,
                text: part.body.to_string(),
                origin: library.origin_of_part(section.id, part.id),
            })
            .collect(),
        single,
    }
}

impl Answer for SectionAnswer<'_> {
    fn document(&self, library: &Library<'_>) -> String {
        if self.single {
            let part = &self.parts[0];
            let heading = part.heading.as_deref().unwrap_or_default();
            return format!(
                "# {heading}\n\n*{}#{}, in {}{}*\n\n{}\n{}",
                self.id,
                part.id.unwrap_or_default(),
                self.title,
                from_pack(part.origin),
                part.text.trim_end(),
                next(&shows(&[self.id]))
            );
        }
        let mut out = format!("# {}\n\n{}\n\n", self.title, self.summary);
        for part in &self.parts {
            if let Some(heading) = &part.heading {
                let pack = from_pack(part.origin.filter(|_| part.origin != self.origin));
                out.push_str(&format!("## {heading}{pack}\n\n"));
            }
            out.push_str(&format!("{}\n\n", part.text));
        }
        if !self.see_also.is_empty() {
            out.push_str("## See also\n\n");
            for id in &self.see_also {
                let title = library.sections.find(id).map_or("", |section| section.title);
                out.push_str(&format!("- `rdmanav show {id}`: {title}\n"));
            }
            out.push('\n');
        }
        if let Some(applies_to) = self.applies_to {
            out.push_str(&format!("Applies to: {applies_to}. "));
        }
        if !self.reviewed.is_empty() {
            out.push_str(&format!("Reviewed {}. ", self.reviewed));
        }
        if let Some(pack) = self.origin {
            out.push_str(&format!("From the pack {pack}."));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out.push_str(&next(&[format!("`rdmanav sources {}`", self.id)]));
        out
    }

    fn resolve(&mut self, library: &Library<'_>) {
        for part in &mut self.parts {
            part.text = render::markdown(&part.text, library);
        }
    }
}
