//! `query`: the part that answers, then others worth a look.

use serde::Serialize;

use super::Answer;
use super::variables::VariableAnswer;
use crate::knowledge::library::VARIABLE_SECTION;
use crate::knowledge::{Kind, Library};
use crate::render;
use crate::search::index::Unit;
use crate::search::{Hit, Searcher};

/// The answer to a question.
#[derive(Debug, Serialize)]
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
    view: View,
}

/// How much of the answer the text shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// One hit a line.
    pub list: bool,
    /// Say what matched.
    pub why: bool,
}

/// A part that answers.
#[derive(Debug, Serialize)]
pub struct QueryHit<'a> {
    pub id: &'a str,
    /// `null` for the opening of a section.
    pub part: Option<&'a str>,
    /// The heading of the part, or the title of the section.
    pub title: String,
    pub kind: &'static str,
    pub score: f32,
    pub why: Vec<String>,
    /// The section's summary, or the variable's purpose.
    pub summary: &'a str,
    pub text: String,
    /// The section's title.
    #[serde(skip)]
    section: &'a str,
    /// For an opening: the section's other parts, id and heading.
    #[serde(skip)]
    parts: Vec<(&'a str, String)>,
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
    QueryAnswer {
        schema: "rdmanav.query/1",
        query: question.into_owned(),
        hits: outcome
            .hits
            .into_iter()
            .map(|hit| hit_answer(hit, &searcher.library))
            .collect(),
        corrections: outcome.corrections,
        near: outcome.near,
        view,
    }
}

fn hit_answer<'a>(hit: Hit, library: &Library<'a>) -> QueryHit<'a> {
    let score = (hit.score * 10.0).round() / 10.0;
    match hit.unit {
        Unit::Variable(number) => {
            let variable = library.variables.get(usize::from(number));
            let (name, purpose) = (variable.name, variable.purpose);
            let section = library
                .sections
                .find(VARIABLE_SECTION)
                .map_or("", |section| section.title);
            QueryHit {
                id: VARIABLE_SECTION,
                part: Some(name),
                title: name.to_string(),
                kind: Kind::Reference.name(),
                score,
                why: hit.why,
                summary: purpose,
                text: VariableAnswer::new(variable).body(),
                section,
                parts: Vec::new(),
            }
        }
        Unit::Section(number) | Unit::Part(number, _) => {
            let section = library.sections.get(usize::from(number));
            let place = if let Unit::Part(_, place) = hit.unit {
                usize::from(place)
            } else {
                0
            };
            let part = &section.parts[place];
            let opening = place == 0;
            QueryHit {
                id: section.id,
                part: (!opening).then_some(part.id),
                title: if opening {
                    section.title.to_string()
                } else {
                    part.heading.clone()
                },
                kind: section.kind.name(),
                score,
                why: hit.why,
                summary: section.summary,
                text: part.body.to_string(),
                section: section.title,
                parts: if opening {
                    section.parts[1..]
                        .iter()
                        .map(|part| (part.id, part.heading.clone()))
                        .collect()
                } else {
                    Vec::new()
                },
            }
        }
    }
}

impl QueryHit<'_> {
    /// `id` or `id#part`, as `show` takes it.
    pub fn address(&self) -> String {
        match self.part {
            Some(part) => format!("{}#{part}", self.id),
            None => self.id.to_string(),
        }
    }

    fn document(&self) -> String {
        let mut out = format!("# {}\n\n", self.title);
        if self.part.is_some() {
            out.push_str(&format!("*{}, in {}*\n\n{}\n", self.address(), self.section, self.text));
            return out;
        }
        out.push_str(&format!("{}\n\n{}\n", self.summary, self.text));
        if !self.parts.is_empty() {
            out.push_str(&format!("\n## Parts of {}\n\n", self.id));
            for (id, heading) in &self.parts {
                out.push_str(&format!("- `{}#{id}`: {heading}\n", self.id));
            }
        }
        out
    }
}

impl Answer for QueryAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = String::new();
        if self.view.list {
            for hit in &self.hits {
                out.push_str(&format!("- `{}`: {}\n", hit.address(), hit.title));
                if self.view.why {
                    out.push_str(&format!("  ({})\n", hit.why.join("; ")));
                }
            }
            return out;
        }
        let Some((first, others)) = self.hits.split_first() else {
            return out;
        };
        out.push_str(&first.document());
        if self.view.why {
            out.push_str(&format!("\nMatched: {}.\n", first.why.join("; ")));
        }
        if !others.is_empty() {
            out.push_str("\n## Also worth a look\n\n");
            for hit in others {
                out.push_str(&format!("- `rdmanav show {}`: {}\n", hit.address(), hit.title));
                if self.view.why {
                    out.push_str(&format!("  ({})\n", hit.why.join("; ")));
                }
            }
        }
        out
    }

    fn resolve(&mut self, library: &Library<'_>) {
        for hit in &mut self.hits {
            hit.text = render::markdown(&hit.text, library);
        }
    }
}
