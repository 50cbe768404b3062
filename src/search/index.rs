//! The search index: built from the content at build time (`index::build`), read in place at run time.

use crate::knowledge::records::Records;
use crate::search::log_lines::Patterns;
use crate::search::shape::{SHAPE_BYTES, Shape};
use crate::search::values::Row;

mod build;

pub use build::{Built, build};
pub(super) use build::{shapes, units};

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
    /// Names, titles and triggers, folded by [`phrase`](crate::knowledge::check::phrase) -> number of the unit.
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
