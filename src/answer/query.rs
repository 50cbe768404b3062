//! `query`: the part that answers, then others worth a look.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::variables::{OtherAnswer, VariableAnswer};
use super::{Answer, from_pack};
use crate::knowledge::library::VARIABLE_SECTION;
use crate::knowledge::model::SectionHead;
use crate::knowledge::{Kind, Library, tables};
use crate::render;
use crate::search::index::Unit;
use crate::search::{Hit, Searcher};

/// The most characters of an answer as markdown: what the tools of agents pass on whole.
pub const MOST_TEXT: usize = 9_999;

/// The answer to a question.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QueryAnswer<'a> {
    schema: &'static str,
    query: String,
    pub hits: Vec<QueryHit<'a>>,
    /// Words that were corrected: typed, taken for.
    #[serde(skip)]
    pub corrections: Vec<(String, String)>,
    /// Sections that came nearest when nothing answers.
    #[serde(skip)]
    pub near: Vec<String>,
    #[serde(skip)]
    pub view: View,
}

/// How much of the answer is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// One hit a line.
    pub list: bool,
    /// Say what matched.
    pub why: bool,
}

/// A part that answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QueryHit<'a> {
    pub id: &'a str,
    /// `null` for the opening of a section.
    pub part: Option<&'a str>,
    /// The heading of the part, or the title of the section.
    pub title: Cow<'a, str>,
    pub kind: &'static str,
    pub score: f32,
    /// Empty unless it was asked for.
    pub why: Vec<String>,
    /// The section's summary, or the variable's purpose.
    pub summary: &'a str,
    // Of a variable, before `resolve`, still in the dialect.
    /// Plain markdown with its sources.
    pub text: Cow<'a, str>,
    /// The pack that it is from; `null` for what is embedded.
    pub origin: Option<&'a str>,
    /// The section, and the place of the part in it; none for a variable.
    #[serde(skip)]
    section: Option<(SectionHead<'a>, u16)>,
    /// The text is some rows of a table.
    #[serde(skip)]
    is_row: bool,
    /// The text in rdmanav's dialect; none for a variable, whose text is that until it is resolved.
    #[serde(skip)]
    body: Option<Cow<'a, str>>,
}

/// Answers a question with at most `most` hits.
pub fn query<'a>(
    question: &str,
    kind: Option<Kind>,
    most: usize,
    view: View,
    searcher: &Searcher<'a>,
) -> QueryAnswer<'a> {
    let question = render::clean(question);
    let outcome = searcher.search(&question, kind, most);
    let hits = outcome.hits.iter().map(|hit| {
        let why = if view.why { searcher.why(&outcome, hit) } else { Vec::new() };
        hit_answer(hit, why, &searcher.library)
    });
    QueryAnswer {
        schema: "rdmanav.query/1",
        query: question.to_string(),
        hits: hits.collect(),
        corrections: outcome.corrections(&question, &searcher.index),
        near: outcome.near,
        view,
    }
}

fn hit_answer<'a>(hit: &Hit, why: Vec<String>, library: &Library<'a>) -> QueryHit<'a> {
    let score = (hit.score * 10.0).round() / 10.0;
    let (section, place) = match hit.unit {
        Unit::Variable(number) => {
            let variable = library.variables.get(usize::from(number));
            let (name, purpose) = (variable.name, variable.purpose);
            let origin = library.origin(&["variable ", name].concat());
            return variable_hit(name, purpose, VariableAnswer::new(variable).body(), (score, why), origin);
        }
        Unit::Other(number) => {
            let other = library.others.get(usize::from(number));
            let (name, purpose) = (other.name, other.purpose);
            let origin = library.origin(&["variable ", name].concat());
            return variable_hit(name, purpose, OtherAnswer::new(other).body(library), (score, why), origin);
        }
        Unit::Asked(_) => unreachable!("a way to ask is no hit: its part is"),
        Unit::Section(section) => (section, 0),
        Unit::Part(section, place) => (section, place),
    };
    let section = library.section_head(usize::from(section));
    let part = library.part(usize::from(section.first_part + place));
    let rows = hit.rows.first().and_then(|first| {
        let tables = tables::tables(part.body);
        let rows: Vec<usize> = hit.rows.iter().map(|row| usize::from(row.line)).collect();
        Some(tables.get(usize::from(first.table))?.with_rows(&rows))
    });
    QueryHit {
        id: section.id,
        part: (place > 0).then_some(part.id),
        title: if place > 0 { part.heading } else { Cow::Borrowed(section.title) },
        kind: section.kind.name(),
        score,
        why,
        summary: section.summary,
        origin: library.origin_of_part(section.id, part.id),
        text: rows.as_deref().map_or(Cow::Borrowed(part.markdown), |rows| render::markdown(rows, library).into()),
        section: Some((section, place)),
        is_row: rows.is_some(),
        body: Some(rows.map_or(Cow::Borrowed(part.body), Cow::Owned)),
    }
}

/// A hit that is a variable, or another name, under the section of the variables.
fn variable_hit<'a>(
    name: &'a str,
    summary: &'a str,
    text: String,
    (score, why): (f32, Vec<String>),
    origin: Option<&'a str>,
) -> QueryHit<'a> {
    QueryHit {
        id: VARIABLE_SECTION,
        part: Some(name),
        title: Cow::Borrowed(name),
        kind: Kind::Reference.name(),
        score,
        why,
        summary,
        text: Cow::Owned(text),
        origin,
        section: None,
        is_row: false,
        body: None,
    }
}

impl QueryHit<'_> {
    /// `id` or `id#part`, as `show` takes it.
    pub fn address(&self) -> String {
        match self.part {
            Some(part) => [self.id, "#", part].concat(),
            None => self.id.to_string(),
        }
    }

    /// The hit around its text.
    fn document(&self, text: &str, library: &Library<'_>) -> String {
        let mut out = String::with_capacity(2 * text.len() + 2000);
        push(&mut out, &["# ", &self.title, "\n\n"]);
        if self.part.is_some() {
            let section = self.section.as_ref().map_or("NCCL environment variables", |(section, _)| section.title);
            let pack = from_pack(self.origin);
            push(&mut out, &["*", &self.address(), ", in ", section, &pack, "*\n\n", text.trim_end(), "\n"]);
            if self.is_row {
                push(&mut out, &["\nThe whole table: `rdmanav show ", &self.address(), "`\n"]);
            }
            self.other_parts(library, &mut out);
            return out;
        }
        if let Some(pack) = self.origin {
            push(&mut out, &["*From the pack ", pack, ".*\n\n"]);
        }
        push(&mut out, &[self.summary, "\n\n", text]);
        if let Some((section, _)) = self.section.as_ref().filter(|(section, _)| section.part_count > 1) {
            push(&mut out, &["\n\n## Parts of ", self.id, "\n\n"]);
            for place in 1..section.part_count {
                let part = library.part(usize::from(section.first_part + place));
                push(&mut out, &["- `", self.id, "#", part.id, "`: ", &part.heading, "\n"]);
            }
        }
        out
    }

    /// A line that names the other parts of the section.
    fn other_parts(&self, library: &Library<'_>, out: &mut String) {
        let Some((section, own)) = self.section.as_ref().filter(|(section, _)| section.part_count > 2) else { return };
        push(out, &["\nMore in `", self.id, "`:"]);
        let places = (1..section.part_count).filter(|place| place != own);
        for (number, place) in places.enumerate() {
            let part = library.part(usize::from(section.first_part + place));
            push(out, &[if number > 0 { ", `#" } else { " `#" }, part.id, "`"]);
        }
        out.push('\n');
    }

    /// A line that leads to the hit.
    fn pointer(&self, why: bool, out: &mut String) {
        push(out, &["- `rdmanav show ", &self.address(), "`: ", &self.title, &from_pack(self.origin), "\n"]);
        if why {
            push(out, &["  (", &self.why.join("; "), ")\n"]);
        }
    }
}

fn push(out: &mut String, pieces: &[&str]) {
    for piece in pieces {
        out.push_str(piece);
    }
}

impl QueryAnswer<'_> {
    fn around(&self, text: impl Fn(&QueryHit<'_>) -> String, library: &Library<'_>) -> String {
        let mut out = String::new();
        if self.view.list {
            for hit in &self.hits {
                hit.pointer(self.view.why, &mut out);
            }
            return out;
        }
        let Some((first, others)) = self.hits.split_first() else { return out };
        out = first.document(&text(first), library);
        if self.view.why {
            push(&mut out, &["\nMatched: ", &first.why.join("; "), ".\n"]);
        }
        if !others.is_empty() {
            out.push_str("\n## Also worth a look\n\n");
            for hit in others {
                hit.pointer(self.view.why, &mut out);
            }
        }
        out
    }
}

impl Answer for QueryAnswer<'_> {
    fn document(&self, library: &Library<'_>) -> String {
        self.around(|hit| hit.body.as_ref().unwrap_or(&hit.text).to_string(), library)
    }

    fn markdown(&self, library: &Library<'_>) -> String {
        let text = |hit: &QueryHit<'_>| match hit.section {
            Some(_) => hit.text.to_string(),
            None => render::markdown(&hit.text, library),
        };
        let first = self.hits.first().map_or(String::new(), QueryHit::address);
        render::cut(
            self.around(text, library),
            MOST_TEXT,
            &format!("The part: `rdmanav show {first}`; fewer pointers: -n 6"),
        )
    }

    fn resolve(&mut self, library: &Library<'_>) {
        for hit in self.hits.iter_mut().filter(|hit| hit.section.is_none()) {
            hit.text = Cow::Owned(render::markdown(&hit.text, library));
        }
    }
}
