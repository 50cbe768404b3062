//! Builds the index: for the program when it is compiled, and for what packs change when it starts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Bytes, FIELDS, Field, Index, K1, Unit, WEIGHT_UNIT};
use crate::knowledge::check::phrase;
use crate::knowledge::directory::Sorted;
use crate::knowledge::markdown::Alert;
use crate::knowledge::model::{Flow, Signature, Variable};
use crate::knowledge::records::{self, Records};
use crate::search::log_lines::{self, BuiltPatterns};
use crate::search::shape::Shape;
use crate::search::tuning::{IndexTuning, Wording};
use crate::search::values;
use crate::search::words::{self, Word};

/// An index as bytes.
pub struct Built {
    pub terms: Vec<u8>,
    pub phrases: Vec<u8>,
    pub units: Vec<u8>,
    pub patterns: BuiltPatterns,
    pub values: Vec<u8>,
    pub off_topic: Vec<u8>,
    pub shapes: Vec<u8>,
    pub lengths: Vec<u8>,
}

impl Built {
    /// The bytes.
    pub fn bytes(&self) -> Bytes<'_> {
        Bytes {
            terms: &self.terms,
            phrases: &self.phrases,
            units: &self.units,
            pattern_texts: &self.patterns.texts,
            pattern_words: &self.patterns.words,
            values: &self.values,
            off_topic: &self.off_topic,
            shapes: &self.shapes,
            lengths: &self.lengths,
        }
    }

    /// The index over these bytes.
    pub fn index(&self) -> Index<'_> {
        Index::new(&self.bytes())
    }
}

/// The words of a unit, by field.
struct Document {
    unit: Unit,
    fields: [Vec<Word>; FIELDS],
}

/// Builds the index. Long and short are measured against `lengths`, the average lengths of the fields; without it, of these documents.
pub fn build(content: &Sorted<'_>, tuning: &IndexTuning, lengths: Option<[f32; FIELDS]>) -> Built {
    let words = |text: &str| words::words(text, tuning.wording);
    let mut documents = Vec::new();
    let mut phrases: BTreeMap<String, u16> = BTreeMap::new();
    let mut wholes = Vec::new();
    let flows: HashMap<&str, &Flow<'_>> = content.flows.iter().map(|flow| (flow.id, flow)).collect();
    let lines = if tuning.lines { lines(&content.signatures) } else { BTreeMap::new() };
    for (file, number) in content.sections.iter().zip(0..) {
        let section = &file.section;
        wholes.push(documents.len() as u16);
        let bodies: Vec<String> = file
            .parts
            .iter()
            .map(|part| {
                let lines = lines.get(&*address(section.id, part.id)).map_or(&[][..], |lines| lines);
                body(part.body, &flows) + "\n" + &lines.join("\n")
            })
            .collect();
        let headings: Vec<&str> = file.parts.iter().map(|part| &*part.heading).collect();
        documents.push(Document {
            unit: Unit::Section(number),
            fields: [
                words(&format!("{}\n{}", section.triggers.join("\n"), section.id)),
                words(section.title),
                words(&headings.join("\n")),
                words(section.summary),
                words(&bodies.join("\n")),
                Vec::new(),
            ],
        });
        for ((part, place), body) in file.parts.iter().zip(0..).zip(&bodies) {
            documents.push(Document {
                unit: Unit::Part(number, place),
                fields: [
                    Vec::new(),
                    words(section.title),
                    words(&part.heading),
                    if part.id.is_empty() { words(section.summary) } else { Vec::new() },
                    words(body),
                    Vec::new(),
                ],
            });
        }
    }
    for (file, whole) in content.sections.iter().zip(&wholes) {
        for name in file.section.triggers.iter().chain([&file.section.id]) {
            phrases.insert(phrase(name), *whole);
        }
    }
    for (file, whole) in content.sections.iter().zip(&wholes) {
        phrases.entry(phrase(file.section.title)).or_insert(*whole);
    }
    for (variable, number) in content.variables.iter().zip(0..) {
        phrases.insert(phrase(variable.name), documents.len() as u16);
        documents.push(variable_document(variable, number, tuning.wording));
    }
    for (other, number) in content.others.iter().zip(0..) {
        // A trigger goes first: `NCCL transport` is the subject, not a variable of that name.
        phrases.entry(phrase(other.name)).or_insert(documents.len() as u16);
        // Found by the whole name only: its pieces and its purpose would draw questions about other things.
        let name = words(other.name).into_iter().map(|word| Word { pieces: Vec::new(), ..word }).collect();
        let mut fields: [Vec<Word>; FIELDS] = Default::default();
        fields[Field::Title as usize] = name;
        documents.push(Document { unit: Unit::Other(number), fields });
    }
    let unit_of = |address: &str| {
        let (id, part) = address.split_once('#').unwrap_or((address, ""));
        let section = content.sections.iter().position(|file| file.section.id == id).expect("checked");
        let place = content.sections[section].parts.iter().position(|candidate| candidate.id == part).expect("checked");
        wholes[section] + 1 + place as u16
    };
    let mut ask = |part: u16, text: &str| {
        let mut fields: [Vec<Word>; FIELDS] = Default::default();
        fields[Field::Asked as usize] = words(text);
        documents.push(Document { unit: Unit::Asked(part), fields });
    };
    for asked in &content.asked {
        let part = unit_of(asked.part);
        asked.asks.iter().for_each(|text| ask(part, text));
    }
    for (file, whole) in content.sections.iter().zip(&wholes) {
        for (part, place) in file.parts.iter().zip(1..) {
            myths(part.body).for_each(|myth| ask(whole + place, myth));
        }
    }
    let lengths = lengths.unwrap_or_else(|| average_lengths(&documents));
    let terms = terms(&documents, tuning, lengths);
    Built {
        shapes: shapes(&terms),
        terms,
        lengths: lengths.iter().flat_map(|length| length.to_le_bytes()).collect(),
        phrases: records::encode(&phrases.iter().map(|(phrase, unit)| (&**phrase, *unit)).collect::<Vec<_>>()),
        units: units(documents.iter().map(|document| document.unit)),
        patterns: log_lines::build(&content.signatures, unit_of),
        values: values::build(&content.sections),
        off_topic: off_topic(&content.off_topic, tuning.wording),
    }
}

fn off_topic(questions: &[&str], wording: Wording) -> Vec<u8> {
    let mut counts: BTreeMap<String, u16> = BTreeMap::new();
    counts.insert(String::new(), questions.len() as u16);
    for question in questions {
        let words: BTreeSet<String> = words::words(question, wording).into_iter().map(|word| word.whole).collect();
        for word in words {
            *counts.entry(word).or_default() += 1;
        }
    }
    records::encode(&counts.iter().map(|(word, count)| (&**word, *count)).collect::<Vec<_>>())
}

/// The log lines that a part explains, with what they mean.
fn lines<'a>(signatures: &[Signature<'a>]) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut lines: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for signature in signatures {
        let texts = signature.patterns.iter().map(|pattern| pattern.text);
        lines.entry(signature.part).or_default().extend(texts.chain([signature.means]));
    }
    lines
}

/// The wrong statements of a body, which are what some people search for.
fn myths(body: &str) -> impl Iterator<Item = &str> {
    body.lines().filter_map(|line| match Alert::strip(line.strip_prefix("> ")?)? {
        (Alert::Myth, statement) => Some(statement),
        (Alert::Note, _) => None,
    })
}

fn address(id: &str, part: &str) -> String {
    if part.is_empty() { id.to_string() } else { format!("{id}#{part}") }
}

fn variable_document(variable: &Variable<'_>, number: u16, wording: Wording) -> Document {
    let words = |text: &str| words::words(text, wording);
    let values = variable.values.iter().flat_map(|value| [value.value, value.meaning]);
    let notes = variable.notes.iter().map(|note| note.text);
    let body: Vec<&str> = values.chain(notes).chain(variable.default_meaning).collect();
    let mut fields: [Vec<Word>; FIELDS] = Default::default();
    fields[Field::Title as usize] = words(variable.name);
    fields[Field::Summary as usize] = words(variable.purpose);
    fields[Field::Body as usize] = words(&body.join("\n"));
    Document { unit: Unit::Variable(number), fields }
}

/// The text of a body that is worth indexing: without citations and targets of links, with the words of the flows that it shows.
fn body(markdown: &str, flows: &HashMap<&str, &Flow<'_>>) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(start) = rest.find(['[', ']']) {
        let (before, after) = rest.split_at(start);
        text.push_str(before);
        let end = match after {
            _ if after.starts_with("[^") => after.find(']').map(|end| end + 1),
            _ if after.starts_with("](") => after.find(')').map(|end| end + 1),
            _ => None,
        };
        text.push(' ');
        rest = &after[end.unwrap_or(1)..];
    }
    text.push_str(rest);
    let shown: BTreeSet<&str> =
        markdown.split("```flow\n").skip(1).filter_map(|block| block.split_once('\n')).map(|(id, _)| id).collect();
    for flow in shown.into_iter().filter_map(|id| flows.get(id)) {
        for step in &flow.steps {
            text.push_str(&format!("\n{} {} {}", step.at, step.does, step.via.unwrap_or("")));
        }
    }
    text
}

/// A [`Shape`] for each of the encoded terms.
pub(in crate::search) fn shapes(terms: &[u8]) -> Vec<u8> {
    Records::<(&str, &[u8], &str)>::new(terms).keys().flat_map(|term| Shape::of(term).to_bytes()).collect()
}

/// Encodes units, which stand in their order: each section followed by its parts, variables, other names, ways to ask.
pub(in crate::search) fn units(units: impl Iterator<Item = Unit>) -> Vec<u8> {
    units.flat_map(Unit::to_bytes).collect()
}

fn average_lengths(documents: &[Document]) -> [f32; FIELDS] {
    std::array::from_fn(|field| {
        let filled = documents.iter().filter(|document| !document.fields[field].is_empty()).count().max(1);
        documents.iter().map(|document| document.fields[field].len()).sum::<usize>() as f32 / filled as f32
    })
}

fn terms(documents: &[Document], tuning: &IndexTuning, average: [f32; FIELDS]) -> Vec<u8> {
    let mut terms: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    let mut written: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for (unit, document) in documents.iter().enumerate() {
        let mut counts: BTreeMap<&str, (u8, f32)> = BTreeMap::new();
        for (number, words) in document.fields.iter().enumerate() {
            let length = words.len() as f32 / average[number].max(1.0);
            let discount = 1.0 + tuning.length_discounts[number] * (length - 1.0);
            for word in words {
                *written.entry(&word.whole).or_default().entry(word.written.to_lowercase()).or_default() += 1;
                for term in std::iter::once(&word.whole).chain(&word.pieces) {
                    let count = counts.entry(term).or_default();
                    count.0 |= 1 << number;
                    count.1 += tuning.weights[number] / discount;
                }
            }
        }
        for (term, (fields, frequency)) in counts {
            let weight = (K1 + 1.0) * frequency / (K1 + frequency);
            let postings = terms.entry(term).or_default();
            postings.extend((unit as u16).to_le_bytes());
            postings.push(fields);
            postings.extend(((weight * WEIGHT_UNIT) as u16).to_le_bytes());
        }
    }
    let entries: Vec<(&str, &[u8], &str)> = terms
        .iter()
        .map(|(term, postings)| {
            let forms = written.get(term).into_iter().flatten();
            let most = forms.max_by_key(|&(form, count)| (count, std::cmp::Reverse(form)));
            let form = most.map_or("", |(form, _)| &**form);
            (*term, &**postings, if form == *term { "" } else { form })
        })
        .collect();
    records::encode(&entries)
}
