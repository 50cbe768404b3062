//! Packs parts into a budget of tokens: each whole or not at all, most useful first, their sources once at the end.

use crate::answer::context::{ContextAnswer, LeftOut, Packed};
use crate::answer::variables::{OtherAnswer, VariableAnswer};
use crate::answer::{NotFound, section};
use crate::knowledge::library::VARIABLE_SECTION;
use crate::knowledge::{Library, Section};
use crate::render;
use crate::render::tokens;
use crate::search::index::Unit;
use crate::search::{Hit, Searcher};

/// At most so many parts are looked at for a question: what comes later answers something else.
const MOST_PARTS: usize = 12;

/// At most so many parts are named in the last line.
const MOST_NAMED: usize = 8;

/// A part that may be packed.
struct Candidate {
    packed: Packed,
    /// In rdmanav's dialect, with its heading.
    document: String,
}

/// The best parts for a question.
pub fn of_question(question: &str, max_tokens: usize, searcher: &Searcher<'_>) -> Result<ContextAnswer, NotFound> {
    let question = render::clean(question);
    let outcome = searcher.search_parts(&question, MOST_PARTS);
    if outcome.hits.is_empty() {
        return Err(NotFound::answer(&outcome.near));
    }
    let library = &searcher.library;
    let candidates = outcome.hits.iter().map(|hit| of_hit(hit, library)).collect();
    pack(Some(question.into_owned()), candidates, max_tokens, library)
}

/// Named parts: `id` for a section with all its parts, `id#part` for one, `id#` for the opening alone.
pub fn of_sections(addresses: &[String], max_tokens: usize, library: &Library<'_>) -> Result<ContextAnswer, NotFound> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for address in addresses {
        for candidate in of_address(address, library)? {
            let is_new = |known: &Candidate| known.packed.address() != candidate.packed.address();
            if candidates.iter().all(is_new) {
                candidates.push(candidate);
            }
        }
    }
    pack(None, candidates, max_tokens, library)
}

fn of_address(address: &str, library: &Library<'_>) -> Result<Vec<Candidate>, NotFound> {
    let (id, part) = address.split_once('#').map_or((address, None), |(id, part)| (id, Some(part)));
    let Some(section) = library.sections.find(&id.to_lowercase()) else {
        return Err(NotFound::section(id, library));
    };
    let places = 0..section.part_count;
    let found = places
        .filter(|&place| part.is_none_or(|part| part == library.part(usize::from(section.first_part + place)).id));
    let found: Vec<Candidate> = found.map(|place| of_part(&section, place, library)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let name = part.unwrap_or_default().to_uppercase();
    if section.id == VARIABLE_SECTION
        && let Some(variable) = library.variables.find(&name)
    {
        return Ok(vec![of_variable(variable.name, &VariableAnswer::new(variable).body(), library)]);
    }
    if section.id == VARIABLE_SECTION
        && let Some(other) = library.others.find(&name)
    {
        return Ok(vec![of_variable(other.name, &OtherAnswer::new(other).body(library), library)]);
    }
    // Says which parts there are.
    Err(section::show(address, library).err().unwrap_or_else(|| NotFound::section(address, library)))
}

fn of_hit(hit: &Hit, library: &Library<'_>) -> Candidate {
    match hit.unit {
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
    Candidate { packed, document }
}

impl Packed {
    /// As `--sections` takes it: an opening alone is `id#`.
    fn address(&self) -> String {
        format!("{}#{}", self.id, self.part.as_deref().unwrap_or_default())
    }
}

/// Takes what fits, in the order of the candidates.
fn pack(
    query: Option<String>,
    candidates: Vec<Candidate>,
    max_tokens: usize,
    library: &Library<'_>,
) -> Result<ContextAnswer, NotFound> {
    let mut taken: Vec<usize> = Vec::new();
    // The parts that are taken, each counted with all its sources: at least what they cost together.
    let mut separately = 0;
    let last_line = tokens::estimate(&last_line(&candidates, &[]));
    for (number, candidate) in candidates.iter().enumerate() {
        taken.push(number);
        let sum = separately + candidate.packed.tokens;
        if sum + last_line > max_tokens && cost(&candidates, &taken, library) > max_tokens {
            taken.pop();
        } else {
            separately = sum;
        }
    }
    // The line names other parts than it was counted with.
    while cost(&candidates, &taken, library) > max_tokens && taken.pop().is_some() {}
    if taken.is_empty() {
        return Err(too_small(&candidates, library));
    }
    let document = document(&candidates, &taken);
    let text = text(&candidates, &taken, library);
    let (mut parts, mut left_out) = (Vec::new(), Vec::new());
    for (number, Candidate { packed, .. }) in candidates.into_iter().enumerate() {
        if taken.contains(&number) {
            parts.push(packed);
        } else {
            let command = format!("rdmanav show {}", packed.address().trim_end_matches('#'));
            let Packed { id, part, title, tokens, .. } = packed;
            left_out.push(LeftOut { id, part, title, tokens, command });
        }
    }
    Ok(ContextAnswer {
        schema: "rdmanav.context/1",
        query,
        max_tokens,
        tokens: tokens::estimate(&text),
        counted: tokens::METHOD,
        parts,
        left_out,
        text,
        document,
    })
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
    let left: Vec<&Packed> = (0..candidates.len())
        .filter(|number| !taken.contains(number))
        .map(|number| &candidates[number].packed)
        .collect();
    if left.is_empty() {
        return "Nothing that was found is left out; `rdmanav show ID` prints a whole section.\n".to_string();
    }
    let named = &left[..left.len().min(MOST_NAMED)];
    let addresses: Vec<String> = named.iter().map(|packed| packed.address()).collect();
    let needed = named.iter().map(|packed| packed.tokens).sum::<usize>() + 100;
    let more = left.len() - named.len();
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
