//! Ranks the parts of the library for a question.

use super::index::{Field, Index, Unit};
use super::lookup::{self, Alternative, Found, Slot};
use super::tuning::Tuning;
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

/// What the score of a name counts that another library reads.
const OWNED_SHARE: f32 = 0.2;

/// Sections that hold this share are named as the nearest when nothing answers.
const NEAR: f32 = 0.3;

/// What answers a question.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub unit: Unit,
    pub score: f32,
    /// The number of the unit that matched: that of `unit`, or of its section as a whole.
    matched: usize,
}

/// What the decision to answer rests on.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// The share of the question's rarity that the best section holds.
    pub share: f32,
    /// As `share`, for the best part alone.
    pub part_share: f32,
    /// The rarity that the best section holds.
    pub covered: f32,
    /// As `covered`, of the words that stand in triggers, titles and headings.
    pub named: f32,
    /// The score of the triggers of the best section that stand in the question.
    pub phrase: f32,
    /// The number of words that stand nowhere.
    pub unknown: f32,
    /// The number of words that by themselves show that the question is about this field.
    pub topic: f32,
    /// The number of words that were taken for another word, which does not show that the question is about this field.
    pub corrected: f32,
    /// The number of words that were looked up.
    pub words: f32,
}

impl Evidence {
    /// The names of [`values`](Self::values).
    pub const NAMES: [&str; 9] =
        ["share", "part_share", "covered", "named", "phrase", "unknown", "topic", "corrected", "words"];

    /// The question is about this field. A logistic regression over the evidence, fitted to real questions and to others with
    /// similar words (`docs/search.md`); its sign decides.
    pub fn is_on_topic(self) -> bool {
        let unknown_share = self.unknown.min(4.0) / self.words.max(1.0);
        let has_topic = if self.topic > 0.0 { 1.7 } else { 0.0 };
        let log_odds = -8.0
            + 2.6 * self.share
            + 3.2 * self.part_share
            + 1.5 * self.covered.ln_1p()
            + 0.8 * self.named.ln_1p()
            + 0.2 * self.phrase.min(3.0)
            - 5.2 * unknown_share
            - 0.9 * self.corrected / self.words.max(1.0)
            + self.topic.min(2.0)
            + has_topic;
        log_odds >= 0.0
    }

    /// All, for fitting.
    pub fn values(self) -> [f32; 9] {
        [
            self.share,
            self.part_share,
            self.covered,
            self.named,
            self.phrase,
            self.unknown,
            self.topic,
            self.corrected,
            self.words,
        ]
    }
}

/// The answer to a question.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Best first; a section once.
    pub hits: Vec<Hit>,
    /// Sections that came nearest when nothing answers.
    pub near: Vec<String>,
    slots: Vec<Slot>,
}

/// Searches a library.
#[derive(Clone, Copy)]
pub struct Searcher<'a> {
    pub library: Library<'a>,
    pub index: Index<'a>,
    pub aliases: Records<'a, Alias<'a>>,
    /// Stemmed words that by themselves show that a question is about this field.
    pub topic_words: Records<'a, &'a str>,
    pub tuning: Tuning,
}

/// The score of a unit for one question.
#[derive(Clone, Copy, Default)]
struct UnitScore {
    /// Sum over the words.
    words: f32,
    /// The rarity of the matched words.
    covered: f32,
    /// As `covered`, of words that name something here.
    named: f32,
    /// For triggers that stand in the question.
    phrases: f32,
}

/// The scores for one question.
struct Scores {
    /// By unit.
    units: Vec<UnitScore>,
    /// Sum of the rarity of all words.
    total: f32,
    /// The number of words that stand nowhere.
    unknown: f32,
    /// The number of words that by themselves show that the question is about this field.
    topic: f32,
    /// The number of words that were taken for another word, which is none of `topic`.
    corrected: f32,
    /// The number of words that were looked up.
    words: f32,
}

impl Scores {
    /// The share of the question's rarity that a unit holds.
    fn share(&self, unit: &UnitScore) -> f32 {
        if self.total == 0.0 { 0.0 } else { unit.covered / self.total }
    }
}

impl<'a> Searcher<'a> {
    /// Answers a question with at most `most` hits. With `kind`, only sections of that kind are looked at.
    pub fn search(&self, question: &str, kind: Option<Kind>, most: usize) -> Outcome {
        let (scores, mut hits, exact, slots) = self.rank(question, kind);
        // An exact name answers, unless `kind` left it out.
        let named = exact.is_some() && kind.is_none_or(|_| hits.first().is_some_and(|hit| hit.score >= EXACT));
        let answered = named || hits.first().is_some_and(|hit| self.weigh(&scores, hit).is_on_topic());
        if !answered {
            let near = hits
                .iter()
                .filter(|hit| hit.unit.section().is_some() && self.weigh(&scores, hit).share >= NEAR)
                .take(3);
            let near = near.map(|hit| self.section_id(hit.unit).to_string()).collect();
            return Outcome { near, ..Outcome::default() };
        }
        hits.truncate(most);
        Outcome { hits, near: Vec::new(), slots }
    }

    /// The hits of a question, whether it is on topic or not.
    pub fn ranked(&self, question: &str, most: usize) -> Vec<Hit> {
        let (_, mut hits, _, _) = self.rank(question, None);
        hits.truncate(most);
        hits
    }

    /// What the decision to answer a question rests on; none for a question that is a name, and for one that nothing matches.
    pub fn evidence(&self, question: &str) -> Option<Evidence> {
        let (scores, hits, exact, _) = self.rank(question, None);
        if exact.is_some() { None } else { Some(self.weigh(&scores, hits.first()?)) }
    }

    fn rank(&self, question: &str, kind: Option<Kind>) -> (Scores, Vec<Hit>, Option<usize>, Vec<Slot>) {
        let mut words = words::words(question, self.tuning.wording);
        words.truncate(MOST_WORDS);
        let slots = lookup::slots(&words, &self.index, self.aliases, &self.tuning);
        let scores = self.score(question, &slots);
        let exact = self.named(question).or_else(|| self.named(&lookup::corrected(&slots, &self.index)?));
        let hits = self.best_by_section(&scores, exact, kind);
        (scores, hits, exact, slots)
    }

    fn weigh(&self, scores: &Scores, hit: &Hit) -> Evidence {
        let section = &scores.units[self.section_unit(hit.matched)];
        let part = &scores.units[hit.matched];
        Evidence {
            share: scores.share(section),
            part_share: scores.share(part),
            covered: section.covered,
            named: section.named,
            phrase: section.phrases,
            unknown: scores.unknown,
            topic: scores.topic,
            corrected: scores.corrected,
            words: scores.words,
        }
    }

    /// The unit whose name or trigger this text is.
    fn named(&self, text: &str) -> Option<usize> {
        if !self.tuning.phrases {
            return None;
        }
        self.index.phrases.find(&phrase(text)).map(|(_, unit)| usize::from(unit))
    }

    /// The section of a unit.
    pub fn section_id(&self, unit: Unit) -> &'a str {
        match unit {
            Unit::Section(section) | Unit::Part(section, _) => self.library.sections.key(usize::from(section)),
            Unit::Variable(_) | Unit::Other(_) => VARIABLE_SECTION,
        }
    }

    fn score(&self, question: &str, slots: &[Slot]) -> Scores {
        let mut scores = Scores {
            units: vec![UnitScore::default(); self.index.units()],
            total: 0.0,
            unknown: 0.0,
            topic: 0.0,
            corrected: 0.0,
            words: 0.0,
        };
        for slot in slots {
            let weight = match &*slot.alternatives {
                [] => self.score_abbreviation(slot, &mut scores),
                [only] => {
                    let rarity = self.rarity(only.term) * only.factor;
                    for posting in self.index.postings(only.term) {
                        let unit = &mut scores.units[posting.unit];
                        unit.words += rarity * posting.weight;
                        unit.covered += rarity;
                        unit.named += if posting.names() { rarity } else { 0.0 };
                    }
                    rarity
                }
                several => self.score_alternatives(several, &mut scores),
            };
            scores.total += weight;
            scores.words += 1.0;
            let taken = |found: &Alternative| matches!(found.found, Found::Typo(_) | Found::Prefix);
            if self.is_topic(slot) {
                scores.topic += 1.0;
            } else if !slot.alternatives.is_empty() && slot.alternatives.iter().all(taken) {
                scores.corrected += 1.0;
            }
        }
        if self.tuning.phrases {
            self.score_phrases(question, &mut scores);
        }
        scores
    }

    /// The word, a piece of it, or what it was corrected to, shows that the question is about this field. What an alias stands for does not:
    /// a card is not always a NIC.
    fn is_topic(&self, slot: &Slot) -> bool {
        let own = slot.alternatives.iter().filter(|alternative| alternative.found != Found::Alias);
        let terms = own.map(|alternative| self.index.terms.key(alternative.term));
        terms
            .chain([&*slot.word.whole])
            .chain(slot.word.pieces.iter().map(|piece| &**piece))
            .any(|term| self.topic_words.position(term).is_some())
    }

    /// Adds, in each unit, the alternative that scores best there. Returns the greatest rarity.
    fn score_alternatives(&self, alternatives: &[Alternative], scores: &mut Scores) -> f32 {
        let mut weight = 0.0f32;
        let mut best = vec![(0.0f32, 0.0f32, 0.0f32); scores.units.len()];
        for alternative in alternatives {
            let rarity = self.rarity(alternative.term) * alternative.factor;
            weight = weight.max(rarity);
            for posting in self.index.postings(alternative.term) {
                let best = &mut best[posting.unit];
                let named = if posting.names() { rarity } else { 0.0 };
                *best = (best.0.max(rarity * posting.weight), best.1.max(rarity), best.2.max(named));
            }
        }
        for (unit, (words, covered, named)) in scores.units.iter_mut().zip(best) {
            unit.words += words;
            unit.covered += covered;
            unit.named += named;
        }
        weight
    }

    /// Adds the phrases that a word abbreviates; any other unknown word counts as missing, and as rare.
    fn score_abbreviation(&self, slot: &Slot, scores: &mut Scores) -> f32 {
        let weight = self.tuning.unknown_rarity;
        if slot.abbreviates.is_empty() {
            scores.unknown += 1.0;
        }
        for unit in slot.abbreviates.iter().map(|unit| usize::from(*unit)) {
            scores.units[unit].words += 2.0 * weight;
            scores.units[unit].covered += weight;
        }
        weight
    }

    fn score_phrases(&self, question: &str, scores: &mut Scores) {
        let folded = phrase(question);
        let folded: Vec<&str> = folded.split(' ').take(MOST_WORDS).collect();
        for start in 0..folded.len() {
            for end in start + 1..=folded.len().min(start + LONGEST_PHRASE) {
                let Some((_, unit)) = self.index.phrases.find(&folded[start..end].join(" ")) else { continue };
                let rarity: f32 = folded[start..end].iter().map(|word| self.word_rarity(word)).sum();
                scores.units[usize::from(unit)].phrases += self.tuning.phrase_share * rarity;
            }
        }
    }

    /// The rarity of a term (the idf of BM25).
    fn rarity(&self, term: usize) -> f32 {
        // Names that NCCL does not read are one word each: counted as units they would make every word look rare.
        let units = (self.index.units() - self.library.others.len()) as f32;
        let holding = (self.index.postings(term).len() as f32).min(units);
        (1.0 + (units - holding + 0.5) / (holding + 0.5)).ln()
    }

    fn word_rarity(&self, word: &str) -> f32 {
        let term = if self.tuning.wording.stem { words::stem(word) } else { word.to_string() };
        self.index.terms.position(&term).map_or(0.0, |term| self.rarity(term))
    }

    /// The best part of each section, and each variable, best first.
    fn best_by_section(&self, scores: &Scores, exact: Option<usize>, kind: Option<Kind>) -> Vec<Hit> {
        let mut best: Vec<Hit> = Vec::new();
        let mut section_score = 0.0;
        let mut section_exact = false;
        // Units stand in the order section, its parts, next section; then the variables.
        for (number, unit_score) in scores.units.iter().enumerate() {
            if unit_score.words == 0.0 && unit_score.phrases == 0.0 && exact != Some(number) {
                continue;
            }
            let unit = self.index.unit(number);
            match unit {
                Unit::Section(section) => {
                    section_score = unit_score.words * self.tuning.section_share + unit_score.phrases;
                    section_exact = exact == Some(number);
                    let score = section_score + if section_exact { EXACT } else { 0.0 };
                    if kind.is_none_or(|kind| self.library.section_head(usize::from(section)).kind == kind) {
                        best.push(Hit { unit: Unit::Part(section, 0), score, matched: number });
                    }
                }
                Unit::Part(section, _) => {
                    let score = unit_score.words + section_score;
                    let Some(hit) = best.last_mut().filter(|hit| hit.unit.section() == Some(section)) else { continue };
                    if section_exact {
                        hit.score = hit.score.max(EXACT + score);
                    } else if score > hit.score {
                        *hit = Hit { unit, score, matched: number };
                    }
                }
                Unit::Variable(_) | Unit::Other(_) => {
                    let score = (unit_score.words + unit_score.phrases) * self.tuning.variable_share;
                    // Of a name that another library reads, the sections that write about it say more.
                    let owned = matches!(unit, Unit::Other(other) if self.has_owner(other));
                    let bonus = if exact == Some(number) && !owned { EXACT } else { 0.0 };
                    let score = if owned { OWNED_SHARE * score } else { score };
                    if kind.is_none_or(|kind| kind == Kind::Reference) {
                        best.push(Hit { unit, score: score + bonus, matched: number });
                    }
                }
            }
        }
        best.retain(|hit| hit.score > 0.0);
        best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.unit.cmp(&b.unit)));
        best
    }

    /// Another library reads the name.
    fn has_owner(&self, other: u16) -> bool {
        !["nobody", "unknown"].contains(&self.library.others.get(usize::from(other)).owner)
    }

    /// The number of the unit that is the whole section of a part.
    fn section_unit(&self, part: usize) -> usize {
        (0..=part).rev().find(|&number| !matches!(self.index.unit(number), Unit::Part(..))).unwrap_or(part)
    }

    /// What matched in a hit, in plain words, the word that decided most first.
    pub fn why(&self, outcome: &Outcome, hit: &Hit) -> Vec<String> {
        let section = self.section_unit(hit.matched);
        let mut why: Vec<(f32, String)> = Vec::new();
        if hit.score >= EXACT {
            why.push((EXACT, "the name, or a trigger, is the question".to_string()));
        }
        for slot in &outcome.slots {
            let mut best: Option<(f32, String)> = None;
            for alternative in &slot.alternatives {
                let rarity = self.rarity(alternative.term) * alternative.factor;
                let postings = self.index.postings(alternative.term);
                for posting in postings.filter(|posting| posting.unit == hit.matched || posting.unit == section) {
                    let score = rarity * posting.weight;
                    if best.as_ref().is_none_or(|(other, _)| score > *other) {
                        let field = Field::ALL[posting.fields.trailing_zeros() as usize].name();
                        let term = self.index.written(alternative.term);
                        best =
                            Some((score, format!("{field}: {}", reason(&alternative.found, term, &slot.word.written))));
                    }
                }
            }
            why.extend(best);
        }
        why.sort_by(|a, b| b.0.total_cmp(&a.0));
        why.into_iter().map(|(_, text)| text).collect()
    }
}

fn reason(found: &Found, term: &str, typed: &str) -> String {
    match found {
        Found::Exact => typed.to_string(),
        Found::Joined => term.to_string(),
        Found::Alias => format!("{term} (for {typed})"),
        Found::Typo(1) => format!("{term} (typed {typed}, 1 edit)"),
        Found::Typo(edits) => format!("{term} (typed {typed}, {edits} edits)"),
        Found::Prefix => format!("{term} (typed {typed})"),
    }
}

impl Outcome {
    /// Words that were corrected: typed, taken for.
    pub fn corrections(&self, index: &Index<'_>) -> Vec<(String, String)> {
        let corrected = |slot: &Slot| {
            let alternative = slot.alternatives.first()?;
            let term = index.written(alternative.term);
            matches!(alternative.found, Found::Typo(_)).then(|| (slot.word.written.clone(), term.to_string()))
        };
        self.slots.iter().filter_map(corrected).collect()
    }
}
