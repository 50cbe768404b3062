//! Ranks the parts of the library for a question.

use super::index::{Field, Index, Unit};
use super::lookup::{self, Found, Slot};
use super::words;
use crate::knowledge::check::phrase;
use crate::knowledge::library::{Library, VARIABLE_SECTION};
use crate::knowledge::model::{Alias, Kind};
use crate::knowledge::records::Records;

/// At most this many words of a question are looked at: enough for a pasted log line, and a bound on the work.
const MOST_WORDS: usize = 120;

/// A longer run of words is never taken for a name.
const LONGEST_PHRASE: usize = 6;

/// An exact name outranks any sum of word scores.
const EXACT: f32 = 1000.0;

/// How much the section around a part adds to the part's own score.
const SECTION_SHARE: f32 = 0.6;

/// A trigger inside the question adds this much for each of its words, times their rarity.
const PHRASE_SHARE: f32 = 0.6;

/// The least share of a question's weight that the best section must hold; below it the question is about something
/// else. Measured on `../shared/eval`: see `docs/search.md`.
const FLOOR: f32 = 0.55;

/// As [`FLOOR`], when a trigger stands in the question.
const FLOOR_WITH_TRIGGER: f32 = 0.45;

/// What answers a question.
#[derive(Clone, Debug)]
pub struct Hit {
    pub unit: Unit,
    pub score: f32,
    /// What matched, in plain words.
    pub why: Vec<String>,
}

/// The answer to a question.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Best first; a section once.
    pub hits: Vec<Hit>,
    /// Words that were corrected: typed, taken for.
    pub corrections: Vec<(String, String)>,
    /// Sections that came nearest when nothing answers.
    pub near: Vec<String>,
}

/// Searches a library.
#[derive(Clone, Copy)]
pub struct Searcher<'a> {
    pub library: Library<'a>,
    pub index: Index<'a>,
    pub aliases: Records<'a, Alias<'a>>,
}

/// The scores of all units for one question.
struct Scores {
    /// By unit: sum over the words.
    words: Vec<f32>,
    /// By unit: the rarity of the matched words.
    covered: Vec<f32>,
    /// By unit: for triggers that stand in the question.
    phrases: Vec<f32>,
    /// Sum of the rarity of all words.
    total: f32,
}

impl<'a> Searcher<'a> {
    /// Answers a question with at most `most` hits. With `kind`, only sections of that kind are looked at.
    pub fn search(&self, question: &str, kind: Option<Kind>, most: usize) -> Outcome {
        let mut words = words::words(question);
        words.truncate(MOST_WORDS);
        let slots = lookup::slots(&words, &self.index, self.aliases);
        let (scores, named) = self.score(question, &slots);
        let exact = self
            .index
            .phrases
            .find(&phrase(question))
            .map(|(_, unit)| usize::from(unit));
        let mut hits = self.best_by_section(&scores, exact, kind);
        let answered = exact.is_some()
            || hits
                .first()
                .is_some_and(|(hit, _)| self.on_topic(&scores, hit.unit, named));
        if !answered {
            let near = hits
                .iter()
                .filter(|(hit, _)| !matches!(hit.unit, Unit::Variable(_)))
                .take(3);
            return Outcome {
                near: near.map(|(hit, _)| self.section_id(hit.unit).to_string()).collect(),
                ..Outcome::default()
            };
        }
        hits.truncate(most);
        let corrections = corrections(&slots, &self.index);
        let hits = hits
            .into_iter()
            .map(|(hit, unit)| Hit {
                why: self.why(&slots, unit, exact == Some(unit) || hit.score >= EXACT, question),
                ..hit
            })
            .collect();
        Outcome {
            hits,
            corrections,
            near: Vec::new(),
        }
    }

    /// The section of a unit.
    pub fn section_id(&self, unit: Unit) -> &'a str {
        match unit {
            Unit::Section(section) | Unit::Part(section, _) => self.library.sections.key(usize::from(section)),
            Unit::Variable(_) => VARIABLE_SECTION,
        }
    }

    fn score(&self, question: &str, slots: &[Slot]) -> (Scores, bool) {
        let units = self.index.units();
        let mut scores = Scores {
            words: vec![0.0; units],
            covered: vec![0.0; units],
            phrases: vec![0.0; units],
            total: 0.0,
        };
        let mut best = vec![(0.0f32, 0.0f32); units];
        let mut named = false;
        for slot in slots {
            let mut weight = 0.0f32;
            best.fill((0.0, 0.0));
            for alternative in &slot.alternatives {
                let rarity = self.rarity(alternative.term) * alternative.factor;
                weight = weight.max(rarity);
                for posting in self.index.postings(alternative.term) {
                    let best = &mut best[posting.unit];
                    *best = (best.0.max(rarity * posting.weight), best.1.max(rarity));
                }
            }
            if slot.alternatives.is_empty() {
                for unit in lookup::abbreviated(&slot.word.whole, &self.index) {
                    named = true;
                    weight = self.unknown_rarity();
                    best[usize::from(unit)] = (2.0 * weight, weight);
                }
            }
            scores.total += if weight == 0.0 { self.unknown_rarity() } else { weight };
            for (unit, (score, covered)) in best.iter().enumerate() {
                scores.words[unit] += score;
                scores.covered[unit] += covered;
            }
        }
        let folded = phrase(question);
        let folded: Vec<&str> = folded.split(' ').take(MOST_WORDS).collect();
        for start in 0..folded.len() {
            for end in start + 1..=folded.len().min(start + LONGEST_PHRASE) {
                if let Some((_, unit)) = self.index.phrases.find(&folded[start..end].join(" ")) {
                    named = true;
                    let rarity: f32 = folded[start..end].iter().map(|word| self.word_rarity(word)).sum();
                    scores.phrases[usize::from(unit)] += PHRASE_SHARE * rarity;
                }
            }
        }
        (scores, named)
    }

    /// The rarity of a term (the idf of BM25).
    fn rarity(&self, term: usize) -> f32 {
        let (units, holding) = (self.index.units() as f32, self.index.postings(term).len() as f32);
        (1.0 + (units - holding + 0.5) / (holding + 0.5)).ln()
    }

    fn word_rarity(&self, word: &str) -> f32 {
        self.index
            .terms
            .position(&words::stem(word))
            .map_or(0.0, |term| self.rarity(term))
    }

    /// The rarity of a word that stands nowhere.
    fn unknown_rarity(&self) -> f32 {
        (1.0 + 2.0 * self.index.units() as f32).ln()
    }

    /// The best part of each section, and each variable, best first; with the number of the unit that matched.
    fn best_by_section(&self, scores: &Scores, exact: Option<usize>, kind: Option<Kind>) -> Vec<(Hit, usize)> {
        let mut best: Vec<(Hit, usize)> = Vec::new();
        let mut section_score = 0.0;
        let mut section_exact = false;
        // Units stand in the order section, its parts, next section; then the variables.
        for number in 0..self.index.units() {
            let unit = self.index.unit(number);
            match unit {
                Unit::Section(section) => {
                    section_score = scores.words[number] * SECTION_SHARE + scores.phrases[number];
                    section_exact = exact == Some(number);
                    if kind.is_none_or(|kind| self.library.sections.get(usize::from(section)).kind == kind) {
                        let score = if section_exact { EXACT } else { 0.0 };
                        best.push((
                            Hit {
                                unit: Unit::Part(section, 0),
                                score,
                                why: Vec::new(),
                            },
                            number,
                        ));
                    }
                }
                Unit::Part(section, _) => {
                    let score = scores.words[number] + section_score;
                    let Some((hit, matched)) = best.last_mut() else {
                        continue;
                    };
                    let same = matches!(hit.unit, Unit::Part(other, _) if other == section);
                    if same && !section_exact && score > hit.score {
                        (hit.score, hit.unit, *matched) = (score, unit, number);
                    } else if same && section_exact {
                        hit.score = hit.score.max(EXACT + score);
                    }
                }
                Unit::Variable(_) => {
                    if kind.is_none_or(|kind| kind == Kind::Reference) {
                        let bonus = if exact == Some(number) { EXACT } else { 0.0 };
                        let score = scores.words[number] + scores.phrases[number] + bonus;
                        best.push((
                            Hit {
                                unit,
                                score,
                                why: Vec::new(),
                            },
                            number,
                        ));
                    }
                }
            }
        }
        best.retain(|(hit, _)| hit.score > 0.0);
        best.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score).then(a.unit.cmp(&b.unit)));
        best
    }

    fn on_topic(&self, scores: &Scores, unit: Unit, named: bool) -> bool {
        let number = (0..self.index.units())
            .find(|&number| match (self.index.unit(number), unit) {
                (Unit::Section(a), Unit::Part(b, _)) => a == b,
                (a, b) => a == b,
            })
            .expect("hits are units");
        let floor = if named { FLOOR_WITH_TRIGGER } else { FLOOR };
        scores.total > 0.0 && scores.covered[number] / scores.total >= floor
    }

    /// What matched in a unit, best words first.
    fn why(&self, slots: &[Slot], unit: usize, exact: bool, question: &str) -> Vec<String> {
        if exact {
            return vec![format!("name or trigger \"{}\"", phrase(question))];
        }
        let section = match self.index.unit(unit) {
            Unit::Part(section, _) => (0..unit)
                .rev()
                .find(|&number| self.index.unit(number) == Unit::Section(section)),
            _ => None,
        };
        let mut why: Vec<(f32, String)> = Vec::new();
        for slot in slots {
            let matched = slot
                .alternatives
                .iter()
                .flat_map(|alternative| {
                    let postings = self.index.postings(alternative.term);
                    postings
                        .filter(|posting| posting.unit == unit || Some(posting.unit) == section)
                        .map(move |posting| {
                            (
                                self.rarity(alternative.term) * alternative.factor * posting.weight,
                                alternative,
                                posting,
                            )
                        })
                })
                .max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((score, alternative, posting)) = matched {
                let field = Field::ALL[posting.fields.trailing_zeros() as usize].name();
                let term = self.index.terms.key(alternative.term);
                let typed = &slot.word.written;
                why.push((
                    score,
                    match &alternative.found {
                        Found::Exact => format!("{field}: {typed}"),
                        Found::Joined => format!("{field}: {term}"),
                        Found::Alias => format!("{field}: {term} (for {typed})"),
                        Found::Typo(1) => format!("{field}: {term} (typed {typed}, 1 edit)"),
                        Found::Typo(edits) => format!("{field}: {term} (typed {typed}, {edits} edits)"),
                        Found::Prefix => format!("{field}: {term} (typed {typed})"),
                    },
                ));
            }
        }
        why.sort_by(|a, b| b.0.total_cmp(&a.0));
        why.into_iter().map(|(_, text)| text).collect()
    }
}

fn corrections(slots: &[Slot], index: &Index<'_>) -> Vec<(String, String)> {
    slots
        .iter()
        .filter_map(|slot| {
            let alternative = slot.alternatives.first()?;
            matches!(alternative.found, Found::Typo(_))
                .then(|| (slot.word.written.clone(), index.terms.key(alternative.term).to_string()))
        })
        .collect()
}
