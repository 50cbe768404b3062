//! What the search weighs, and the switches that take a method away to see what it is worth (`docs/search.md`).

use super::index::FIELDS;

/// How text becomes terms; the same for what is indexed and for what is asked.
#[derive(Clone, Copy, Debug)]
pub struct Wording {
    /// Fold endings: plural, -ing, -ed, final e.
    pub stem: bool,
    /// Index the pieces of identifiers beside the whole.
    pub split: bool,
}

/// How the index is built.
#[derive(Clone, Copy, Debug)]
pub struct IndexTuning {
    pub wording: Wording,
    /// Weight of a term in a trigger, title, heading, summary, body, question.
    pub weights: [f32; FIELDS],
    /// How much a long field is discounted (the `b` of BM25F), in the same order: names are short by nature, bodies are not.
    pub length_discounts: [f32; FIELDS],
    /// Index the log lines that a part explains with its text.
    pub lines: bool,
}

/// How a question is ranked.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of a measurement")]
pub struct Tuning {
    pub wording: Wording,
    /// How much the section around a part adds to the part's own score.
    pub section_share: f32,
    /// A trigger inside the question adds this much for each of its words, times their rarity.
    pub phrase_share: f32,
    /// How much the best of the ways to ask for a part adds to its score.
    pub asked_share: f32,
    /// How many ways to ask count as much as one part in the rarity of a word.
    pub asked_per_part: f32,
    /// How much more a part counts that holds the whole question, next to one that holds a word of it.
    pub coverage_share: f32,
    /// What the score of a variable counts, next to that of a section's part.
    pub variable_share: f32,
    /// Rarity of a word that stands nowhere.
    pub unknown_rarity: f32,
    /// Exact names and triggers first, and triggers inside the question.
    pub phrases: bool,
    pub aliases: bool,
    /// Edit distance and prefix for unknown words.
    pub typos: bool,
    /// Abbreviations of triggers.
    pub abbreviations: bool,
    /// Leave out words that carry no topic.
    pub topic_free: bool,
    /// Try a word joined with its neighbour.
    pub joins: bool,
    /// Signatures of log lines.
    pub signatures: bool,
    /// Rows of tables for values.
    pub rows: bool,
}

impl Wording {
    /// What is shipped.
    pub const SHIPPED: Wording = Wording { stem: true, split: true };
}

impl IndexTuning {
    /// What is shipped.
    pub const SHIPPED: IndexTuning = IndexTuning {
        wording: Wording::SHIPPED,
        weights: [4.0, 6.0, 2.2, 1.0, 1.2, 1.5],
        length_discounts: [0.8, 0.2, 0.15, 0.45, 1.0, 0.3],
        lines: true,
    };
}

impl Tuning {
    /// What is shipped.
    pub const SHIPPED: Tuning = Tuning {
        wording: Wording::SHIPPED,
        section_share: 0.8,
        phrase_share: 3.0,
        asked_share: 1.0,
        asked_per_part: 10.0,
        coverage_share: 0.35,
        variable_share: 0.5,
        unknown_rarity: 7.4,
        phrases: true,
        aliases: true,
        typos: true,
        abbreviations: true,
        topic_free: true,
        joins: true,
        signatures: true,
        rows: true,
    };
}
