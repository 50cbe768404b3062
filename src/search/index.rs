//! The search index: built from the content at build time, read in place at run time.

use std::collections::{BTreeMap, BTreeSet};

use crate::knowledge::check::phrase;
use crate::knowledge::directory::Sorted;
use crate::knowledge::markdown::Alert;
use crate::knowledge::model::{Flow, Signature, Variable};
use crate::knowledge::records::{self, Records};
use crate::search::log_lines::{self, BuiltPatterns, Patterns};
use crate::search::shape::{SHAPE_BYTES, Shape};
use crate::search::tuning::{IndexTuning, Wording};
use crate::search::values::{self, Row};
use crate::search::words::{self, Word};

/// The number of fields.
pub const FIELDS: usize = 6;

/// Where a term can stand, with its weight: a word of a trigger says more about a part than a word of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Trigger,
    Title,
    Heading,
    Summary,
    Body,
    /// How people ask for it (`content/questions.yaml`).
    Asked,
}

impl Field {
    /// All fields, in the order of their bits in [`Posting::fields`].
    pub const ALL: [Field; FIELDS] =
        [Field::Trigger, Field::Title, Field::Heading, Field::Summary, Field::Body, Field::Asked];

    /// Its name in explanations.
    pub fn name(self) -> &'static str {
        match self {
            Field::Trigger => "trigger",
            Field::Title => "title",
            Field::Heading => "heading",
            Field::Summary => "summary",
            Field::Body => "text",
            Field::Asked => "questions",
        }
    }
}

/// Saturation of BM25: how fast further occurrences of a term stop to matter.
const K1: f32 = 1.2;

/// Weights are stored as sixteen bits; the largest is K1 + 1.
const WEIGHT_UNIT: f32 = 65535.0 / (K1 + 1.0);

/// What a question can be matched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// A section as a whole, by its place among the sections.
    Section(u16),
    /// A part: place of the section, place of the part in it.
    Part(u16, u16),
    /// A variable, by its place among the variables.
    Variable(u16),
    /// A name that core NCCL does not read, by its place among those.
    Other(u16),
    /// A way to ask for a part, by the number of the part's unit. These are the last units.
    Asked(u16),
}

/// Stand for a section in the first half of an encoded unit.
const VARIABLE: u16 = u16::MAX;
const OTHER: u16 = u16::MAX - 1;
const ASKED: u16 = u16::MAX - 2;

impl Unit {
    /// The place of its section among the sections; none for a variable.
    pub fn section(self) -> Option<u16> {
        match self {
            Unit::Section(section) | Unit::Part(section, _) => Some(section),
            Unit::Variable(_) | Unit::Other(_) | Unit::Asked(_) => None,
        }
    }

    fn to_bytes(self) -> [u8; 4] {
        let (first, second) = match self {
            Unit::Section(section) => (section, u16::MAX),
            Unit::Part(section, part) => (section, part),
            Unit::Variable(variable) => (VARIABLE, variable),
            Unit::Other(other) => (OTHER, other),
            Unit::Asked(part) => (ASKED, part),
        };
        let ([a, b], [c, d]) = (first.to_le_bytes(), second.to_le_bytes());
        [a, b, c, d]
    }

    fn from_bytes(bytes: [u8; 4]) -> Self {
        let [a, b, c, d] = bytes;
        match (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])) {
            (VARIABLE, variable) => Unit::Variable(variable),
            (OTHER, other) => Unit::Other(other),
            (ASKED, part) => Unit::Asked(part),
            (section, u16::MAX) => Unit::Section(section),
            (section, part) => Unit::Part(section, part),
        }
    }
}

/// A term in a unit.
#[derive(Clone, Copy, Debug)]
pub struct Posting {
    pub unit: usize,
    /// A bit a field, lowest first in the order of [`Field::ALL`].
    pub fields: u8,
    /// The BM25F weight without the rarity of the term, 0 to K1 + 1.
    pub weight: f32,
}

pub(super) const POSTING_BYTES: usize = 5;

/// The index. Cheap to copy; nothing is decoded until a term is asked for.
#[derive(Clone, Copy)]
pub struct Index<'a> {
    /// Term -> postings, and how the term is most often written where that is something else.
    pub terms: Records<'a, (&'a str, &'a [u8], &'a str)>,
    /// Names, titles and triggers, folded by [`phrase`] -> number of the unit.
    pub phrases: Records<'a, (&'a str, u16)>,
    /// What log lines look like.
    pub patterns: Patterns<'a>,
    /// Value -> rows of tables that explain it.
    pub values: Records<'a, (&'a str, Vec<Row>)>,
    /// Word -> in how many questions about something else it stands. The first entry, the empty word, is the number of all.
    pub off_topic: Records<'a, (&'a str, u16)>,
    units: &'a [u8],
    /// A [`Shape`] a term.
    shapes: &'a [u8],
    first_asked: usize,
    /// The average number of words in each field, where it has any.
    pub lengths: [f32; FIELDS],
}

/// The bytes that an [`Index`] reads, as [`Built`] holds them.
pub struct Bytes<'a> {
    pub terms: &'a [u8],
    pub phrases: &'a [u8],
    pub units: &'a [u8],
    pub pattern_texts: &'a [u8],
    pub pattern_words: &'a [u8],
    pub values: &'a [u8],
    pub off_topic: &'a [u8],
    pub shapes: &'a [u8],
    pub lengths: &'a [u8],
}

impl<'a> Index<'a> {
    /// Reads what [`Built`] holds.
    pub const fn new(bytes: &Bytes<'a>) -> Self {
        Self {
            terms: Records::new(bytes.terms),
            phrases: Records::new(bytes.phrases),
            patterns: Patterns::new(bytes.pattern_texts, bytes.pattern_words),
            values: Records::new(bytes.values),
            off_topic: Records::new(bytes.off_topic),
            units: bytes.units,
            shapes: bytes.shapes,
            first_asked: first_asked(bytes.units),
            lengths: lengths(bytes.lengths),
        }
    }

    /// The number of units.
    pub fn units(&self) -> usize {
        self.units.len() / 4
    }

    /// The number of the first unit that is a way to ask for a part.
    pub fn first_asked(&self) -> usize {
        self.first_asked
    }

    /// The unit of this number.
    pub fn unit(&self, number: usize) -> Unit {
        Unit::from_bytes(self.units[4 * number..4 * number + 4].try_into().expect("four bytes"))
    }

    /// The terms that may be so many edits from a word: a filter that costs little.
    pub fn similar(&self, word: &str, edits: u32) -> impl Iterator<Item = usize> + use<'a> {
        let shape = Shape::of(word);
        let shapes = self.shapes.chunks_exact(SHAPE_BYTES).enumerate();
        shapes.filter(move |(_, bytes)| shape.is_similar(bytes, edits)).map(|(term, _)| term)
    }

    /// The terms that begin with a word.
    pub fn beginning(&self, word: &str) -> impl Iterator<Item = usize> + use<'a> {
        let (mut low, mut high) = (0, self.terms.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.terms.key(middle) < word { low = middle + 1 } else { high = middle }
        }
        let (terms, word) = (self.terms, word.to_string());
        (low..terms.len()).take_while(move |&term| terms.key(term).starts_with(&word))
    }

    /// A term as people write it: terms are stemmed.
    pub fn written(&self, term: usize) -> &'a str {
        let (term, _, written) = self.terms.get(term);
        if written.is_empty() { term } else { written }
    }

    /// A phrase as people write it: a variable in capitals, other names as they are.
    pub fn name(&self, phrase: &str) -> String {
        let is_variable = self
            .phrases
            .find(phrase)
            .is_some_and(|(_, unit)| matches!(self.unit(usize::from(unit)), Unit::Variable(_) | Unit::Other(_)));
        if is_variable { phrase.to_uppercase().replace(' ', "_") } else { phrase.to_string() }
    }

    /// In how many ways to ask a term stands; `first` is [`first_asked`](Self::first_asked).
    pub fn asked_postings(&self, term: usize, first: usize) -> usize {
        let postings = self.terms.get(term).1;
        let unit = |place: usize| {
            usize::from(u16::from_le_bytes([postings[POSTING_BYTES * place], postings[POSTING_BYTES * place + 1]]))
        };
        let (mut low, mut high) = (0, postings.len() / POSTING_BYTES);
        while low < high {
            let middle = low.midpoint(high);
            if unit(middle) >= first { high = middle } else { low = middle + 1 }
        }
        postings.len() / POSTING_BYTES - low
    }

    /// Where a term stands.
    pub fn postings(&self, term: usize) -> impl ExactSizeIterator<Item = Posting> + use<'a> {
        self.terms.get(term).1.chunks_exact(POSTING_BYTES).map(|bytes| Posting {
            unit: usize::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            fields: bytes[2],
            weight: f32::from(u16::from_le_bytes([bytes[3], bytes[4]])) / WEIGHT_UNIT,
        })
    }
}

/// Ways to ask are the last units: the number of the first of them.
const fn first_asked(units: &[u8]) -> usize {
    let [low_byte, high_byte] = ASKED.to_le_bytes();
    let (mut low, mut high) = (0, units.len() / 4);
    while low < high {
        let middle = usize::midpoint(low, high);
        if units[4 * middle] == low_byte && units[4 * middle + 1] == high_byte {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

const fn lengths(bytes: &[u8]) -> [f32; FIELDS] {
    let mut lengths = [0.0; FIELDS];
    let mut field = 0;
    while field < FIELDS {
        let at = 4 * field;
        lengths[field] = f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        field += 1;
    }
    lengths
}

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
    let lines = if tuning.lines { lines(&content.signatures) } else { BTreeMap::new() };
    for (file, number) in content.sections.iter().zip(0..) {
        let section = &file.section;
        wholes.push(documents.len() as u16);
        let bodies: Vec<String> = file
            .parts
            .iter()
            .map(|part| {
                let lines = lines.get(&*address(section.id, part.id)).map_or(&[][..], |lines| lines);
                body(part.body, &content.flows) + "\n" + &lines.join("\n")
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
fn body(markdown: &str, flows: &[Flow<'_>]) -> String {
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
    for flow in flows.iter().filter(|flow| markdown.contains(&format!("```flow\n{}\n", flow.id))) {
        for step in &flow.steps {
            text.push_str(&format!("\n{} {} {}", step.at, step.does, step.via.unwrap_or("")));
        }
    }
    text
}

/// A [`Shape`] for each of the encoded terms.
pub(super) fn shapes(terms: &[u8]) -> Vec<u8> {
    Records::<(&str, &[u8], &str)>::new(terms).keys().flat_map(|term| Shape::of(term).to_bytes()).collect()
}

/// Encodes units, which stand in their order: each section followed by its parts, variables, other names, ways to ask.
pub(super) fn units(units: impl Iterator<Item = Unit>) -> Vec<u8> {
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
