//! Packs parts into a budget of tokens: each whole or not at all, most useful first, their sources once at the end.

use std::collections::HashSet;

use crate::answer::context::{ContextAnswer, LeftOut, Packed};
use crate::answer::variables::{OtherAnswer, VariableAnswer};
use crate::answer::{NotFound, section};
use crate::knowledge::library::VARIABLE_SECTION;
use crate::knowledge::{Library, Section};
use crate::render;
use crate::render::tokens;
use crate::search::Searcher;
use crate::search::index::Unit;

/// At most so many parts are looked at for a question: what comes later answers something else.
const MOST_PARTS: usize = 12;

/// At most so many parts are named in the last line.
const MOST_NAMED: usize = 8;

/// At most so many parts may be named: more than there are.
pub const MOST_SECTIONS: usize = 1000;

/// Parts that may be packed, most useful first.
pub struct Found<'a> {
    query: Option<String>,
    candidates: Vec<Candidate>,
    library: Library<'a>,
}

/// A part that may be packed.
struct Candidate {
    packed: Packed,
    /// In rdmanav's dialect, with its heading.
    document: String,
    /// What it costs without its sources.
    alone: f32,
    /// The places of its sources.
    sources: Vec<String>,
}

/// The best parts for a question.
pub fn of_question<'a>(question: &str, searcher: &Searcher<'a>) -> Result<Found<'a>, NotFound> {
    let question = render::clean(question);
    let outcome = searcher.search_parts(&question, MOST_PARTS);
    if outcome.hits.is_empty() {
        return Err(NotFound::answer(&outcome.near));
    }
    let library = searcher.library;
    let candidates = outcome.hits.iter().map(|hit| of_unit(hit.unit, &library)).collect();
    Ok(Found { query: Some(question.into_owned()), candidates, library })
}

/// Named parts, each once: `id` for a section with all its parts, `id#part` for one, `id#` for the opening alone.
pub fn of_sections<'a>(addresses: &[String], library: &Library<'a>) -> Result<Found<'a>, NotFound> {
    if addresses.len() > MOST_SECTIONS {
        return Err(NotFound {
            message: format!("{} sections are named, and at most {MOST_SECTIONS} are packed", addresses.len()),
            hints: vec!["name the few that matter; all sections: rdmanav list".to_string()],
        });
    }
    let mut seen = HashSet::new();
    let mut units: Vec<Unit> = Vec::new();
    for address in addresses {
        units.extend(of_address(address, library)?.into_iter().filter(|&unit| seen.insert(unit)));
    }
    let candidates = units.into_iter().map(|unit| of_unit(unit, library)).collect();
    Ok(Found { query: None, candidates, library: *library })
}

fn of_address(address: &str, library: &Library<'_>) -> Result<Vec<Unit>, NotFound> {
    let (id, part) = address.split_once('#').map_or((address, None), |(id, part)| (id, Some(part)));
    let Some(number) = library.sections.position(&id.to_lowercase()) else {
        return Err(NotFound::section(id, library));
    };
    let section = library.sections.get(number);
    let places = 0..section.part_count;
    let found = places
        .filter(|&place| part.is_none_or(|part| part == library.part(usize::from(section.first_part + place)).id));
    let found: Vec<Unit> = found.map(|place| Unit::Part(number as u16, place)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let name = part.unwrap_or_default().to_uppercase();
    if section.id == VARIABLE_SECTION
        && let Some(variable) = library.variables.position(&name)
    {
        return Ok(vec![Unit::Variable(variable as u16)]);
    }
    if section.id == VARIABLE_SECTION
        && let Some(other) = library.others.position(&name)
    {
        return Ok(vec![Unit::Other(other as u16)]);
    }
    // Says which parts there are.
    Err(section::show(address, library).err().unwrap_or_else(|| NotFound::section(address, library)))
}

fn of_unit(unit: Unit, library: &Library<'_>) -> Candidate {
    match unit {
        Unit::Variable(number) => {
            let variable = library.variables.get(usize::from(number));
            of_variable(variable.name, &VariableAnswer::new(variable).body(), library)
        }
        Unit::Other(number) => {
            let other = library.others.get(usize::from(number));
            of_variable(other.name, &OtherAnswer::new(other).body(library), library)
        }
        Unit::Part(section, place) => of_part(&library.sections.get(usize::from(section)), place, library),
        Unit::Section(section) => of_part(&library.sections.get(usize::from(section)), 0, library),
        Unit::Asked(_) => unreachable!("a way to ask is no hit: its part is"),
    }
}

fn of_part(section: &Section<'_>, place: u16, library: &Library<'_>) -> Candidate {
    let part = library.part(usize::from(section.first_part + place));
    let title = if place == 0 { section.title.to_string() } else { part.heading.to_string() };
    let within = if place == 0 { String::new() } else { format!(", in {}", section.title) };
    let address = format!("{}#{}", section.id, part.id);
    let origin = library.origin_of_part(section.id, part.id);
    let pack = origin.map_or(String::new(), |pack| format!("; from the pack {pack}"));
    // What a pack appended was neither reviewed with the section, nor need it hold for the same.
    let is_of_section = origin == library.origin(section.id);
    let date = Some(section.reviewed).filter(|date| is_of_section && !date.is_empty());
    let reviewed = date.map_or(String::new(), |date| format!("; reviewed {date}"));
    let applies = section.applies_to.filter(|_| is_of_section);
    let applies = applies.map_or(String::new(), |applies| format!("; applies to {applies}"));
    let about = format!("*{}{within}{reviewed}{applies}{pack}*", address.trim_end_matches('#'));
    // The opening of a section is often short: what the section holds says more.
    let summary = if place == 0 { format!("{}\n\n", section.summary) } else { String::new() };
    candidate(
        Packed {
            id: section.id.to_string(),
            part: (place > 0).then(|| part.id.to_string()),
            title,
            tokens: 0,
            reviewed: date.map(str::to_string),
            origin: origin.map(str::to_string),
        },
        &format!("{about}\n\n{summary}{}", part.body),
        library,
    )
}

fn of_variable(name: &str, body: &str, library: &Library<'_>) -> Candidate {
    let packed = Packed {
        id: VARIABLE_SECTION.to_string(),
        part: Some(name.to_string()),
        title: name.to_string(),
        tokens: 0,
        reviewed: None,
        origin: library.origin(&format!("variable {name}")).map(str::to_string),
    };
    candidate(packed, body, library)
}

fn candidate(mut packed: Packed, text: &str, library: &Library<'_>) -> Candidate {
    let document = format!("## {}\n\n{}\n\n", packed.title, text.trim_end());
    packed.tokens = tokens::estimate(&render::compact(&document, library));
    let (text, sources) = render::compact_apart(&document, library);
    Candidate { packed, document, alone: tokens::exact(&text), sources }
}

impl Packed {
    /// As `--sections` takes it: an opening alone is `id#`.
    fn address(&self) -> String {
        format!("{}#{}", self.id, self.part.as_deref().unwrap_or_default())
    }
}

impl Found<'_> {
    /// Takes what fits, in the order of the candidates.
    pub fn pack(&self, max_tokens: usize) -> Result<ContextAnswer, NotFound> {
        let (candidates, library) = (&self.candidates, &self.library);
        let taken = take(candidates, max_tokens, library);
        if taken.is_empty() {
            return Err(too_small(candidates, library));
        }
        let document = document(candidates, &taken);
        let text = text(candidates, &taken, library);
        let (mut parts, mut left_out) = (Vec::new(), Vec::new());
        for (number, Candidate { packed, .. }) in candidates.iter().enumerate() {
            if taken.binary_search(&number).is_ok() {
                parts.push(packed.clone());
            } else {
                let command = format!("rdmanav show {}", packed.address().trim_end_matches('#'));
                let Packed { id, part, title, tokens, .. } = packed.clone();
                left_out.push(LeftOut { id, part, title, tokens, command });
            }
        }
        Ok(ContextAnswer {
            schema: "rdmanav.context/1",
            query: self.query.clone(),
            max_tokens,
            tokens: tokens::estimate(&text),
            counted: tokens::METHOD,
            parts,
            left_out,
            text,
            document,
        })
    }
}

/// The numbers of those that fit, in their order.
fn take(candidates: &[Candidate], max_tokens: usize, library: &Library<'_>) -> Vec<usize> {
    /// A sum of estimates may differ by so much from the estimate of the whole.
    const ROUNDING: f64 = 4.0;
    let mut taken: Vec<usize> = Vec::new();
    // The parts that are taken, each counted with all its sources: at least what they cost together.
    let mut separately = 0;
    // What they cost with each source once. Making the text again for each candidate would take time by the square of their number.
    let mut together = 0.0;
    let mut cited: HashSet<&str> = HashSet::new();
    let first_line = tokens::estimate(&last_line(candidates, &[]));
    for (number, candidate) in candidates.iter().enumerate() {
        taken.push(number);
        let sum = separately + candidate.packed.tokens;
        let new: Vec<&str> =
            candidate.sources.iter().map(|place| &**place).filter(|place| !cited.contains(place)).collect();
        let lines = new.iter().map(|place| f64::from(tokens::exact(&format!("[^1]: {place}\n"))));
        let with = together + f64::from(candidate.alone) + lines.sum::<f64>();
        let fits = sum + first_line <= max_tokens || {
            let all = with + f64::from(tokens::exact(&last_line(candidates, &taken)));
            if (all - max_tokens as f64).abs() > ROUNDING {
                all < max_tokens as f64
            } else {
                cost(candidates, &taken, library) <= max_tokens
            }
        };
        if fits {
            (separately, together) = (sum, with);
            cited.extend(new);
        } else {
            taken.pop();
        }
    }
    // The line names other parts than it was counted with.
    while cost(candidates, &taken, library) > max_tokens && taken.pop().is_some() {}
    taken
}

fn cost(candidates: &[Candidate], taken: &[usize], library: &Library<'_>) -> usize {
    tokens::estimate(&text(candidates, taken, library))
}

fn text(candidates: &[Candidate], taken: &[usize], library: &Library<'_>) -> String {
    let parts: String = taken.iter().map(|&number| &*candidates[number].document).collect();
    let mut out = render::compact(&parts, library);
    out.push('\n');
    out.push_str(&last_line(candidates, taken));
    out
}

fn document(candidates: &[Candidate], taken: &[usize]) -> String {
    let mut out: String = taken.iter().map(|&number| &*candidates[number].document).collect();
    out.push_str(&last_line(candidates, taken));
    out
}

/// What was left out, and the command that prints it.
fn last_line(candidates: &[Candidate], taken: &[usize]) -> String {
    let left = (0..candidates.len()).filter(|number| taken.binary_search(number).is_err());
    let named: Vec<&Packed> = left.take(MOST_NAMED).map(|number| &candidates[number].packed).collect();
    if named.is_empty() {
        return "Nothing that was found is left out; `rdmanav show ID` prints a whole section.\n".to_string();
    }
    let addresses: Vec<String> = named.iter().map(|packed| packed.address()).collect();
    let needed = named.iter().map(|packed| packed.tokens).sum::<usize>() + 100;
    let more = candidates.len() - taken.len() - named.len();
    let more = if more > 0 { format!(" ({more} more parts with a larger budget)") } else { String::new() };
    format!(
        "Left out: `rdmanav context --sections {} --max-tokens {}`{more}\n",
        addresses.join(","),
        needed.next_multiple_of(100)
    )
}

/// Not even one part fits.
fn too_small(candidates: &[Candidate], library: &Library<'_>) -> NotFound {
    let all: Vec<usize> = (0..candidates.len()).collect();
    let (number, needed) = all
        .iter()
        .map(|&number| (number, cost(candidates, &[number], library)))
        .min_by_key(|&(_, needed)| needed)
        .unwrap_or((0, 0));
    let Some(smallest) = candidates.get(number) else { return NotFound::answer(&[]) };
    NotFound {
        message: "no part fits whole, and none is cut".to_string(),
        hints: vec![format!(
            "the smallest, {}, needs --max-tokens {needed}; the best one, {}, about {}",
            smallest.packed.address().trim_end_matches('#'),
            candidates[0].packed.address().trim_end_matches('#'),
            cost(candidates, &[0], library)
        )],
    }
}
