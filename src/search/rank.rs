//! Ranks the parts of the library for a question.

mod parts;
mod rows;
mod topic;

pub use topic::Evidence;

use super::index::{Field, Index, Unit};
use super::log_lines;
use super::lookup::{self, Alternative, Found, Slot};
use super::tuning::Tuning;
use super::values::Row;
use super::words;
use crate::knowledge::check::phrase;
use crate::knowledge::library::{Library, VARIABLE_SECTION};
use crate::knowledge::model::{Alias, Kind};
use crate::knowledge::records::Records;

/// At most this many words of a question are looked at: enough for a pasted log line, and a bound on the work.
const MOST_WORDS: usize = 120;

/// So many pieces of their words are looked at: an identifier may have any number.
const MOST_SLOTS: usize = 4 * MOST_WORDS;

/// A longer run of words is never taken for a name.
const LONGEST_PHRASE: usize = 6;

/// An exact name outranks any sum of word scores,
const EXACT: f32 = 1000.0;

/// the row of a table that explains a value outranks a name,
const ROW: f32 = 2000.0;

/// and a signature of a log line outranks words.
const LINE: f32 = 500.0;

/// What the score of a name counts that another library reads.
const OWNED_SHARE: f32 = 0.2;

/// Sections that hold this share are named as the nearest when nothing answers.
const NEAR: f32 = 0.3;

/// What answers a question.
#[derive(Clone, Debug)]
pub struct Hit {
    pub unit: Unit,
    pub score: f32,
    /// The rows of a table in it that answer.
    pub rows: Vec<Row>,
    /// The number of the unit that matched: that of `unit`, or of its section as a whole.
    matched: usize,
}

/// The answer to a question.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Best first; a section once.
    pub hits: Vec<Hit>,
    /// Sections that came nearest when nothing answers.
    pub near: Vec<String>,
    /// The number of the signature of a pasted line.
    pub signature: Option<u16>,
    slots: Vec<Slot>,
    /// The name that the question was taken for.
    renamed: Option<String>,
}

/// All that is known of a question when its hits are in order.
struct Ranking {
    scores: Scores,
    hits: Vec<Hit>,
    /// The unit whose name the question is.
    exact: Option<usize>,
    renamed: Option<String>,
    line: Option<log_lines::Match>,
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
    /// For triggers that stand in the question.
    phrases: f32,
    /// The best of the ways to ask for it.
    asked: f32,
    /// The rarity that the best of the ways to ask for it holds.
    asked_covered: f32,
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
    /// The sum of the doubts of the words that were taken for another word, which is none of `topic`.
    corrected: f32,
    /// The number of words that were looked up.
    words: f32,
    /// As in [`Evidence`].
    leaning: f32,
}

impl Scores {
    /// The share of the question's rarity.
    fn share(&self, covered: f32) -> f32 {
        if self.total == 0.0 { 0.0 } else { covered / self.total }
    }
}

impl<'a> Searcher<'a> {
    /// Answers a question with at most `most` hits. With `kind`, only sections of that kind are looked at.
    pub fn search(&self, question: &str, kind: Option<Kind>, most: usize) -> Outcome {
        let Ranking { scores, mut hits, exact, renamed, line, slots } = self.rank(question, kind);
        // A name, an abbreviation of one, a line or a value answers, unless `kind` left it out.
        let is_abbreviation = slots.iter().any(|slot| !slot.abbreviates.is_empty());
        let led =
            is_abbreviation || (exact.is_some() && kind.is_none()) || hits.first().is_some_and(|hit| hit.score >= LINE);
        let answered = led || hits.first().is_some_and(|hit| self.weigh(&scores, hit).is_on_topic());
        if !answered {
            let near = hits
                .iter()
                .filter(|hit| hit.unit.section().is_some() && self.weigh(&scores, hit).share >= NEAR)
                .take(3);
            let near = near.map(|hit| self.section_id(hit.unit).to_string()).collect();
            return Outcome { near, ..Outcome::default() };
        }
        hits.truncate(most);
        Outcome { hits, near: Vec::new(), signature: line.map(|line| line.signature), slots, renamed }
    }

    /// The hits of a question, whether it is on topic or not.
    pub fn ranked(&self, question: &str, most: usize) -> Vec<Hit> {
        let mut hits = self.rank(question, None).hits;
        hits.truncate(most);
        hits
    }

    /// What the decision to answer a question rests on; none for a question that is a name, a log line or a value, and for one that
    /// nothing matches.
    pub fn evidence(&self, question: &str) -> Option<Evidence> {
        let ranking = self.rank(question, None);
        let first = ranking.hits.first()?;
        if ranking.exact.is_some() || first.score >= LINE { None } else { Some(self.weigh(&ranking.scores, first)) }
    }

    fn rank(&self, question: &str, kind: Option<Kind>) -> Ranking {
        let mut words = words::words(question, self.tuning.wording);
        words.truncate(MOST_WORDS);
        let mut slots = lookup::slots(&words, &self.index, self.aliases, &self.tuning);
        slots.truncate(MOST_SLOTS);
        let scores = self.score(question, &slots);
        let mut renamed = None;
        let exact = self.named(question).or_else(|| {
            let (name, unit) = self.misspelt(question, &slots)?;
            // `fat trees` and `gpu direct` are no errors.
            let folded = |text: &str| -> String {
                words::words(text, self.tuning.wording).into_iter().map(|word| word.whole).collect()
            };
            renamed = Some(name).filter(|name| folded(name) != folded(question));
            Some(unit)
        });
        let line = if self.tuning.signatures && exact.is_none() { self.index.patterns.find(question) } else { None };
        let mut hits = self.best_by_section(&scores, exact, kind);
        if let Some(line) = &line {
            let rows = self.rows_of_line(line);
            self.lead(&mut hits, usize::from(line.unit), rows, LINE + line.weight, &scores, kind);
        }
        let best = hits.first().and_then(|hit| hit.unit.section());
        let rows =
            if line.is_none() { self.rows(question, &slots, &scores, best, exact.is_some()) } else { Vec::new() };
        if let Some(row) = rows.first() {
            self.lead(&mut hits, self.unit_of_row(*row), rows, ROW, &scores, kind);
        }
        Ranking { scores, hits, exact, renamed, line, slots }
    }

    /// Puts a unit before the others.
    fn lead(&self, hits: &mut Vec<Hit>, unit: usize, rows: Vec<Row>, bonus: f32, scores: &Scores, kind: Option<Kind>) {
        let number = unit;
        let unit = self.index.unit(number);
        let Some(section) = unit.section() else { return };
        if kind.is_some_and(|kind| self.library.section_head(usize::from(section)).kind != kind) {
            return;
        }
        hits.retain(|hit| hit.unit.section() != Some(section));
        hits.insert(0, Hit { unit, score: bonus + scores.units[number].words, rows, matched: number });
    }

    /// The name that a question was probably meant to be. When all its words are known, only a long name one edit away.
    fn misspelt(&self, question: &str, slots: &[Slot]) -> Option<(String, usize)> {
        if !self.tuning.typos || !self.tuning.phrases {
            return None;
        }
        let is_known = slots.iter().all(Slot::is_known);
        if let Some((name, unit)) = lookup::nearest_phrase(question, is_known, &self.index) {
            return Some((name.to_string(), usize::from(unit)));
        }
        let corrected = lookup::corrected(slots, &self.index)?;
        let unit = self.named(&corrected)?;
        Some((corrected, unit))
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
            Unit::Asked(part) => self.section_id(self.index.unit(usize::from(part))),
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
            leaning: 0.0,
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
                    }
                    rarity
                }
                several => self.score_alternatives(several, &mut scores),
            };
            scores.total += weight;
            scores.words += 1.0;
            scores.leaning += self.leaning(slot);
            if self.is_topic(slot) {
                scores.topic += 1.0;
            } else {
                scores.corrected += slot.doubt();
            }
        }
        if self.tuning.phrases {
            match lookup::corrected(slots, &self.index).filter(|_| self.tuning.typos) {
                Some(corrected) => self.score_phrases(&corrected, &mut scores),
                None => self.score_phrases(question, &mut scores),
            }
        }
        for number in self.index.first_asked()..self.index.units() {
            let UnitScore { words, covered, .. } = scores.units[number];
            let Unit::Asked(part) = self.index.unit(number) else { continue };
            let part = &mut scores.units[usize::from(part)];
            part.asked = part.asked.max(words);
            part.asked_covered = part.asked_covered.max(covered);
        }
        scores
    }

    /// Adds, in each unit, the alternative that scores best there. Returns the greatest rarity.
    fn score_alternatives(&self, alternatives: &[Alternative], scores: &mut Scores) -> f32 {
        let mut weight = 0.0f32;
        let mut best = vec![(0.0f32, 0.0f32); scores.units.len()];
        for alternative in alternatives {
            let rarity = self.rarity(alternative.term) * alternative.factor;
            weight = weight.max(rarity);
            for posting in self.index.postings(alternative.term) {
                let best = &mut best[posting.unit];
                *best = (best.0.max(rarity * posting.weight), best.1.max(rarity));
            }
        }
        for (unit, (words, covered)) in scores.units.iter_mut().zip(best) {
            unit.words += words;
            unit.covered += covered;
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
                let rarity: f32 = match self.index.unit(usize::from(unit)) {
                    // A variable is one word: its pieces stand everywhere.
                    Unit::Variable(_) | Unit::Other(_) => {
                        let term = self.index.terms.position(&folded[start..end].concat());
                        term.map_or(0.0, |term| self.rarity(term))
                    }
                    _ => folded[start..end].iter().map(|word| self.word_rarity(word)).sum(),
                };
                scores.units[usize::from(unit)].phrases += self.tuning.phrase_share * rarity;
            }
        }
    }

    /// The rarity of a term (the idf of BM25).
    fn rarity(&self, term: usize) -> f32 {
        // Names that NCCL does not read are one word each: counted as units they would make every word look rare.
        let first_asked = self.index.first_asked();
        let asks = self.index.units() - first_asked;
        let others = self.library.others.len();
        let units = (self.index.units() - others - asks) as f32 + asks as f32 / self.tuning.asked_per_part;
        let postings = self.index.postings(term);
        let asked = self.index.asked_postings(term, first_asked);
        let holding = (postings.len() - asked) as f32 + asked as f32 / self.tuning.asked_per_part;
        let holding = holding.min(units);
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
            if unit_score.words == 0.0 && unit_score.phrases == 0.0 && unit_score.asked == 0.0 && exact != Some(number)
            {
                continue;
            }
            let unit = self.index.unit(number);
            match unit {
                Unit::Section(section) => {
                    section_score = self.section_score(unit_score);
                    section_exact = exact == Some(number);
                    let score = section_score + if section_exact { EXACT } else { 0.0 };
                    if kind.is_none_or(|kind| self.library.section_head(usize::from(section)).kind == kind) {
                        best.push(Hit { unit: Unit::Part(section, 0), score, rows: Vec::new(), matched: number });
                    }
                }
                Unit::Part(section, _) => {
                    let score = self.part_score(unit_score, section_score, scores);
                    let Some(hit) = best.last_mut().filter(|hit| hit.unit.section() == Some(section)) else { continue };
                    if section_exact {
                        hit.score = hit.score.max(EXACT + score);
                    } else if score > hit.score {
                        *hit = Hit { unit, score, rows: Vec::new(), matched: number };
                    }
                }
                Unit::Asked(_) => break,
                Unit::Variable(_) | Unit::Other(_) => {
                    let score = unit_score.words * self.tuning.variable_share + unit_score.phrases;
                    // Of a name that another library reads, the sections that write about it say more.
                    let owned = matches!(unit, Unit::Other(other) if self.has_owner(other));
                    let bonus = if exact == Some(number) && !owned { EXACT } else { 0.0 };
                    let score = if owned { OWNED_SHARE * score } else { score };
                    if kind.is_none_or(|kind| kind == Kind::Reference) {
                        best.push(Hit { unit, score: score + bonus, rows: Vec::new(), matched: number });
                    }
                }
            }
        }
        best.retain(|hit| hit.score > 0.0);
        best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.unit.cmp(&b.unit)));
        best
    }

    /// What a section as a whole adds to each of its parts.
    fn section_score(&self, section: &UnitScore) -> f32 {
        section.words * self.tuning.section_share + section.phrases
    }

    fn part_score(&self, part: &UnitScore, section_score: f32, scores: &Scores) -> f32 {
        let share = scores.share(part.covered.max(part.asked_covered));
        (part.words + section_score + self.tuning.asked_share * part.asked) * (1.0 + self.tuning.coverage_share * share)
    }

    /// Another library reads the name.
    fn has_owner(&self, other: u16) -> bool {
        !["nobody", "unknown"].contains(&self.library.others.get(usize::from(other)).owner)
    }

    /// The number of the unit that is the whole section of a part.
    fn section_unit(&self, part: usize) -> usize {
        (0..=part).rev().find(|&number| !matches!(self.index.unit(number), Unit::Part(..))).unwrap_or(part)
    }

    /// What matched in a hit, in plain words, what decided most first.
    pub fn why(&self, outcome: &Outcome, hit: &Hit) -> Vec<String> {
        let mut led = Vec::new();
        if let Some(row) = hit.rows.first() {
            let heading = self.part_heading(*row);
            led.push(format!("a table under \"{heading}\" explains the value"));
        }
        if let Some(signature) = outcome.signature.filter(|_| hit.score >= LINE) {
            let id = self.library.signatures.key(usize::from(signature));
            led.push(format!("log line: signature {id}"));
        } else if hit.score >= EXACT && hit.rows.is_empty() {
            led.push(match &outcome.renamed {
                Some(name) => format!("name or trigger \"{name}\" (after correction)"),
                None => "the name, or a trigger, is the question".to_string(),
            });
        }
        let section = self.section_unit(hit.matched);
        let mut why: Vec<(f32, String)> = Vec::new();
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
        led.extend(why.into_iter().map(|(_, text)| text));
        led
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
    /// What was corrected: typed, taken for. The whole question, where it was taken for a name, else single words.
    pub fn corrections(&self, question: &str, index: &Index<'_>) -> Vec<(String, String)> {
        if let Some(name) = &self.renamed {
            return vec![(question.to_string(), index.name(name))];
        }
        let corrected = |slot: &Slot| {
            let alternative = slot.alternatives.first()?;
            let term = index.written(alternative.term);
            matches!(alternative.found, Found::Typo(_)).then(|| (slot.word.written.clone(), term.to_string()))
        };
        self.slots.iter().filter_map(corrected).collect()
    }
}
