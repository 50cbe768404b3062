//! Whether a question is about this field.

use super::{Hit, Scores, Searcher};
use crate::search::lookup::{Found, Slot};
use crate::search::words;

/// What the decision to answer rests on.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// The share of the question's rarity that the best section holds.
    pub share: f32,
    /// As `share`, for the best part alone.
    pub part_share: f32,
    /// As `share`, for the best way to ask for the part.
    pub asked_share: f32,
    /// The rarity that the best section holds.
    pub covered: f32,
    /// The score of the triggers of the best section that stand in the question.
    pub phrase: f32,
    /// The number of words that stand nowhere.
    pub unknown: f32,
    /// The number of words that by themselves show that the question is about this field.
    pub topic: f32,
    /// The sum of the doubts of the words that were taken for another word, which does not show that the question is about this field.
    pub corrected: f32,
    /// The number of words that were looked up.
    pub words: f32,
    /// The log odds of its simple words, by how people ask about this field and about others.
    pub leaning: f32,
    /// The score of the best hit.
    pub score: f32,
}

impl Evidence {
    /// The names of [`values`](Self::values).
    pub const NAMES: [&str; 11] = [
        "share",
        "part_share",
        "asked_share",
        "covered",
        "phrase",
        "unknown",
        "topic",
        "corrected",
        "words",
        "leaning",
        "score",
    ];

    /// The question is about this field. A logistic regression over the evidence, fitted to real questions and to others with
    /// similar words (`docs/search.md`); its sign decides.
    pub fn is_on_topic(self) -> bool {
        let unknown_share = self.unknown.min(4.0) / self.words.max(1.0);
        let has_topic = if self.topic > 0.0 { 2.5 } else { 0.0 };
        let log_odds = -11.8 + 2.6 * self.share + 2.1 * self.part_share + 0.6 * self.asked_share
            - 1.3 * self.covered.ln_1p()
            + 0.2 * self.phrase.min(3.0)
            - 3.5 * unknown_share
            - 6.8 * self.corrected / self.words.max(1.0)
            + 1.1 * self.topic.min(2.0)
            + has_topic
            + 0.44 * self.leaning.clamp(-8.0, 8.0)
            + 2.8 * self.score.ln_1p();
        log_odds >= 0.0
    }

    /// All, for fitting.
    pub fn values(self) -> [f32; 11] {
        [
            self.share,
            self.part_share,
            self.asked_share,
            self.covered,
            self.phrase,
            self.unknown,
            self.topic,
            self.corrected,
            self.words,
            self.leaning,
            self.score,
        ]
    }
}

impl Searcher<'_> {
    pub(super) fn weigh(&self, scores: &Scores, hit: &Hit) -> Evidence {
        let section = &scores.units[self.section_unit(hit.matched)];
        let part = &scores.units[hit.matched];
        Evidence {
            share: scores.share(section.covered),
            part_share: scores.share(part.covered),
            asked_share: scores.share(part.asked_covered),
            covered: section.covered,
            phrase: section.phrases,
            unknown: scores.unknown,
            topic: scores.topic,
            corrected: scores.corrected,
            words: scores.words,
            leaning: scores.leaning,
            score: hit.score,
        }
    }

    /// The log odds that a simple word speaks for this field.
    pub(super) fn leaning(&self, slot: &Slot) -> f32 {
        // Of words that nobody asked with, neither here nor elsewhere, a third of an occurrence is assumed.
        const UNSEEN: f32 = 0.3;
        // A word in a text says less than one in a question.
        const TEXT: f32 = 0.5;
        if !slot.word.pieces.is_empty() {
            return 0.0;
        }
        let own = slot.alternatives.iter().find(|found| matches!(found.found, Found::Exact | Found::Typo(_)));
        let word = own.map_or(&*slot.word.whole, |found| self.index.terms.key(found.term));
        let first = self.index.first_asked();
        let asked = own.map_or(0, |found| self.index.asked_postings(found.term, first)) as f32;
        let texts = own.map_or(0, |found| self.index.postings(found.term).len()) as f32 - asked;
        let here = asked + TEXT * texts;
        let elsewhere = f32::from(self.index.off_topic.find(word).map_or(0, |(_, count)| count));
        let all_here = (self.index.units() - first) as f32 + TEXT * self.library.stored_parts.len() as f32;
        let all_elsewhere = f32::from(self.index.off_topic.find("").map_or(0, |(_, count)| count));
        let odds = (here + UNSEEN) / (all_here + 2.0 * UNSEEN) * (all_elsewhere + 2.0 * UNSEEN) / (elsewhere + UNSEEN);
        odds.ln().clamp(-3.0, 3.0)
    }

    /// The word, a piece of it, or what it was corrected to, shows that the question is about this field. What an alias stands for does not:
    /// a card is not always a NIC.
    pub(super) fn is_topic(&self, slot: &Slot) -> bool {
        // A name of code that stands here: `port_xmit_wait`, `LinkErrorRecovery`.
        let is_code = slot.word.written.contains('_') || words::changes_case(&slot.word.written);
        if is_code && self.index.terms.position(&slot.word.whole).is_some() {
            return true;
        }
        let own = slot.alternatives.iter().filter(|alternative| alternative.found != Found::Alias);
        let terms = own.map(|alternative| self.index.terms.key(alternative.term));
        terms
            .chain([&*slot.word.whole])
            .chain(slot.word.pieces.iter().map(|piece| &**piece))
            .any(|term| self.topic_words.position(term).is_some())
    }
}
