//! Ranks the parts of the library for a question.

use super::index::{Field, Index, Unit};
use super::log_lines;
use super::lookup::{self, Alternative, Found, Slot};
use super::tuning::Tuning;
use super::values::{self, Row};
use super::words;
use crate::knowledge::check::phrase;
use crate::knowledge::library::{Library, VARIABLE_SECTION};
use crate::knowledge::model::{Alias, Kind};
use crate::knowledge::records::Records;
use crate::knowledge::tables;

/// At most this many words of a question are looked at: enough for a pasted log line, and a bound on the work.
const MOST_WORDS: usize = 120;

/// A longer run of words is never taken for a name.
const LONGEST_PHRASE: usize = 6;

/// An exact name outranks any sum of word scores,
const EXACT: f32 = 1000.0;

/// the row of a table that explains a value outranks a name,
const ROW: f32 = 2000.0;

/// and a signature of a log line outranks words.
const LINE: f32 = 500.0;

/// A question with more words beside a number asks for more than a value; beside an identifier, one word is too much.
const MOST_BESIDE_VALUE: usize = 2;

/// The share of the words beside a value that must stand around its row.
const AROUND_ROW: f32 = 0.6;

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
    /// As `covered`, of the words that stand in triggers, titles and headings.
    pub named: f32,
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
    pub const NAMES: [&str; 12] = [
        "share",
        "part_share",
        "asked_share",
        "covered",
        "named",
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
        let log_odds = -11.5 + 2.6 * self.share + 2.1 * self.part_share + 0.6 * self.asked_share
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
    pub fn values(self) -> [f32; 12] {
        [
            self.share,
            self.part_share,
            self.asked_share,
            self.covered,
            self.named,
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
    /// As `covered`, of words that name something here.
    named: f32,
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
        let slots = lookup::slots(&words, &self.index, self.aliases, &self.tuning);
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

    /// The rows that explain the value which a log line holds, in the part that explains the line.
    fn rows_of_line(&self, line: &log_lines::Match) -> Vec<Row> {
        let Some(part) = self.part_place(usize::from(line.unit)) else { return Vec::new() };
        let rows_of = |value: &String| {
            let (_, rows) = self.index.values.find(value)?;
            Some(same_column(rows.into_iter().filter(|row| usize::from(row.part) == part).collect()))
        };
        line.values.iter().filter_map(rows_of).find(|rows| !rows.is_empty()).unwrap_or_default()
    }

    /// The rows that explain a value of a short question: the words beside the value stand around them. An identifier, and a value that
    /// is part of a name, are looked for in the best section only, which the words have found already.
    fn rows(
        &self,
        question: &str,
        slots: &[Slot],
        scores: &Scores,
        best_section: Option<u16>,
        is_name: bool,
    ) -> Vec<Row> {
        if !self.tuning.rows {
            return Vec::new();
        }
        let mut best: (f32, Vec<Row>) = (0.0, Vec::new());
        for (value, before) in values::values(question) {
            let Some((_, rows)) = self.index.values.find(&value) else { continue };
            let others: Vec<&Slot> = slots.iter().filter(|slot| slot.word.written.to_lowercase() != value).collect();
            let counts = values::is_number(&value) && !values::is_hexadecimal(&value);
            let most = if values::is_number(&value) { MOST_BESIDE_VALUE } else { 0 };
            if others.len() > most || (counts && others.is_empty()) {
                continue;
            }
            for (place, row) in rows.iter().enumerate() {
                let unit = self.unit_of_row(*row);
                let elsewhere = self.index.unit(unit).section() != best_section;
                if elsewhere && (is_name || !values::is_number(&value)) {
                    continue;
                }
                let Some(fit) = self.fit(*row, &others, &before, counts) else { continue };
                let fit = fit + 0.001 * scores.units[self.section_unit(unit)].words;
                if fit > best.0 {
                    best = (fit, same_column(rows[place..].to_vec()));
                }
            }
        }
        best.1
    }

    /// How well a row fits the words beside a value; none when it does not. A plain number must follow a word that names its column,
    /// part or section.
    fn fit(&self, row: Row, others: &[&Slot], before: &[String], counts: bool) -> Option<f32> {
        let number = self.unit_of_row(row);
        let section = self.library.sections.get(usize::from(self.index.unit(number).section()?));
        let part = self.library.part(usize::from(row.part));
        let table = tables::tables(part.body).into_iter().nth(usize::from(row.table))?;
        let terms = |text: &str| -> Vec<String> {
            let words = words::words(text, self.tuning.wording).into_iter();
            words.flat_map(|word| [word.whole].into_iter().chain(word.pieces)).collect()
        };
        let column = *tables::cells(table.header).get(usize::from(row.column))?;
        let names = terms(&format!("{column} {} {} {}", part.heading, section.title, section.triggers.join(" ")));
        let mut around = terms(&table.with_rows(&[usize::from(row.line)]));
        around.extend(names.iter().cloned());
        let stands = |slot: &Slot, terms: &[String]| {
            let own = slot.alternatives.iter().map(|alternative| self.index.terms.key(alternative.term));
            own.chain([&*slot.word.whole]).any(|term| terms.iter().any(|other| other == term))
        };
        let rarity = |slot: &Slot| {
            let rarities = slot.alternatives.iter().map(|alternative| self.rarity(alternative.term));
            rarities.reduce(f32::max).unwrap_or(self.tuning.unknown_rarity)
        };
        let total: f32 = others.iter().map(|slot| rarity(slot)).sum();
        let held: f32 = others.iter().filter(|slot| stands(slot, &around)).map(|slot| rarity(slot)).sum();
        let share = if total == 0.0 { 1.0 } else { held / total };
        let said = |terms: &[String]| {
            let before = others.iter().filter(|slot| before.contains(&slot.word.written.to_lowercase()));
            before.filter(|slot| stands(slot, terms)).count() as f32
        };
        if share < AROUND_ROW || (counts && said(&names) == 0.0) {
            return None;
        }
        // A heading or a column says what its table is about; a title and triggers, what many are about.
        let near = terms(&format!("{column} {}", part.heading));
        Some(share + 0.5 * said(&near) + 0.2 * said(&names) - 0.1 * f32::from(row.column))
    }

    /// The number of the unit of the part that a row stands in.
    fn unit_of_row(&self, row: Row) -> usize {
        // Each section is a unit, followed by its parts.
        let part = usize::from(row.part);
        let sections = 0..self.library.sections.len();
        let section = sections.rev().find(|&number| usize::from(self.library.section_head(number).first_part) <= part);
        part + section.map_or(0, |section| section + 1)
    }

    /// The place of a unit that is a part among all parts.
    fn part_place(&self, unit: usize) -> Option<usize> {
        let Unit::Part(section, place) = self.index.unit(unit) else { return None };
        Some(usize::from(self.library.section_head(usize::from(section)).first_part + place))
    }

    fn weigh(&self, scores: &Scores, hit: &Hit) -> Evidence {
        let section = &scores.units[self.section_unit(hit.matched)];
        let part = &scores.units[hit.matched];
        Evidence {
            share: scores.share(section.covered),
            part_share: scores.share(part.covered),
            asked_share: scores.share(part.asked_covered),
            covered: section.covered,
            named: section.named,
            phrase: section.phrases,
            unknown: scores.unknown,
            topic: scores.topic,
            corrected: scores.corrected,
            words: scores.words,
            leaning: scores.leaning,
            score: hit.score,
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
                        unit.named += if posting.names() { rarity } else { 0.0 };
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

    /// The log odds that a simple word speaks for this field.
    fn leaning(&self, slot: &Slot) -> f32 {
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
    fn is_topic(&self, slot: &Slot) -> bool {
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
                    section_score = unit_score.words * self.tuning.section_share + unit_score.phrases;
                    section_exact = exact == Some(number);
                    let score = section_score + if section_exact { EXACT } else { 0.0 };
                    if kind.is_none_or(|kind| self.library.section_head(usize::from(section)).kind == kind) {
                        best.push(Hit { unit: Unit::Part(section, 0), score, rows: Vec::new(), matched: number });
                    }
                }
                Unit::Part(section, _) => {
                    let share = scores.share(unit_score.covered.max(unit_score.asked_covered));
                    let score = (unit_score.words + section_score + self.tuning.asked_share * unit_score.asked)
                        * (1.0 + self.tuning.coverage_share * share);
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

    fn part_heading(&self, row: Row) -> String {
        let heading = self.library.part(usize::from(row.part)).heading;
        let section = || self.section_id(self.index.unit(self.unit_of_row(row))).to_string();
        if heading.is_empty() { section() } else { heading.into_owned() }
    }
}

/// Those rows that stand in the same table as the first, with the value in the same column.
fn same_column(mut rows: Vec<Row>) -> Vec<Row> {
    if let Some(first) = rows.first().copied() {
        rows.retain(|row| Row { line: first.line, ..*row } == first);
    }
    rows
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
