//! A pasted log line -> the signature that it matches.
//!
//! No automaton: a pattern is looked up by its rarest words, then aligned with the line word by word.

use std::collections::{BTreeMap, BTreeSet};

use crate::knowledge::model::Signature;
use crate::knowledge::records::{self, Records};
use crate::knowledge::signature::{self, Piece};
use crate::search::values::is_number;

/// The patterns of all signatures.
#[derive(Clone, Copy)]
pub struct Patterns<'a> {
    /// Text -> number of the signature, number of the unit that explains it.
    pub texts: Records<'a, (&'a str, u16, u16)>,
    /// Literal word, lower case -> how many patterns have it, and the places of those that have few rarer ones.
    pub words: Records<'a, (&'a str, u16, Vec<u16>)>,
}

/// Patterns as bytes.
#[derive(Default)]
pub struct BuiltPatterns {
    pub texts: Vec<u8>,
    pub words: Vec<u8>,
}

/// A pattern that a line matches.
#[derive(Clone, Debug)]
pub struct Match {
    /// The number of the signature.
    pub signature: u16,
    /// The number of the unit that explains it.
    pub unit: u16,
    /// The rarity of the words that matched.
    pub weight: f32,
    /// Their share of the pattern, 0 to 1.
    pub share: f32,
    /// What stands in the line for a named gap, then the numbers of the pattern itself.
    pub values: Vec<String>,
}

/// The levels of NCCL's log, as they stand after `NCCL`.
const LEVELS: [&str; 5] = ["warn", "info", "trace", "abort", "version"];

/// At most this many words of a line are looked at.
const MOST_WORDS: usize = 160;

/// A pattern is looked up by so many of its words, the rarest.
const LOOKED_UP_BY: usize = 4;

/// So many patterns that share most of these words with a line are aligned with it.
const MOST_CANDIDATES: usize = 48;

/// A gap stands for at most this many words.
const LONGEST_GAP: usize = 14;

/// What two words cost, next to their rarity, that stand side by side in the pattern and not in the line.
const APART: f32 = 0.5;

/// A match holds at least this share of its pattern, and all but one in so many words,
const LEAST_SHARE: f32 = 0.78;
const MISSING: usize = 5;

/// or this share, when so many words of a long pattern match: lines are pasted without their beginning or end.
const LEAST_SHARE_OF_MANY: f32 = 0.5;
const MANY: usize = 6;

/// A match is as rare as this many words that stand in one pattern only: two rare words, or several common ones;
const LEAST_RARE_WORDS: f32 = 1.2;

/// of a line that has the prefix of NCCL's log, this many.
const LEAST_AFTER_PREFIX: f32 = 0.4;

/// Encodes the patterns of sorted signatures. `unit` tells the number of the unit of a part (`id#part`).
pub fn build(signatures: &[Signature<'_>], unit: impl Fn(&str) -> u16) -> BuiltPatterns {
    let mut texts: Vec<(&str, u16, u16)> = Vec::new();
    for (signature, number) in signatures.iter().zip(0..) {
        texts.extend(signature.patterns.iter().map(|pattern| (pattern.text, number, unit(signature.part))));
    }
    texts.sort_unstable();
    let words_of =
        |text: &str| -> BTreeSet<String> { signature::literals(text).into_iter().map(str::to_lowercase).collect() };
    let words_of: Vec<BTreeSet<String>> = texts.iter().map(|(text, ..)| words_of(text)).collect();
    let mut counts: BTreeMap<&str, u16> = BTreeMap::new();
    for word in words_of.iter().flatten() {
        *counts.entry(word).or_default() += 1;
    }
    let mut places: BTreeMap<&str, Vec<u16>> = BTreeMap::new();
    for (words, place) in words_of.iter().zip(0..) {
        let mut words: Vec<(u16, &str)> = words.iter().map(|word| (counts[&**word], &**word)).collect();
        words.sort_unstable();
        for (_, word) in words.into_iter().take(LOOKED_UP_BY) {
            places.entry(word).or_default().push(place);
        }
    }
    let words: Vec<(&str, u16, Vec<u16>)> =
        counts.iter().map(|(word, count)| (*word, *count, places.remove(word).unwrap_or_default())).collect();
    BuiltPatterns { texts: records::encode(&texts), words: records::encode(&words) }
}

impl<'a> Patterns<'a> {
    /// Reads what [`build`] made.
    pub const fn new(texts: &'a [u8], words: &'a [u8]) -> Self {
        Self { texts: Records::new(texts), words: Records::new(words) }
    }

    /// The pattern that holds most of a line.
    pub fn find(&self, line: &str) -> Option<Match> {
        let mut words: Vec<String> = signature::words(line).take(MOST_WORDS).map(str::to_lowercase).collect();
        let prefix = words.windows(2).position(|pair| pair[0] == "nccl" && LEVELS.contains(&&*pair[1]));
        if let Some(prefix) = prefix {
            words.drain(..prefix);
        }
        let least = if prefix.is_some() { LEAST_AFTER_PREFIX } else { LEAST_RARE_WORDS };
        let mut hits: BTreeMap<u16, usize> = BTreeMap::new();
        for word in words.iter().collect::<BTreeSet<_>>() {
            let places = self.words.find(word).map(|(.., places)| places).unwrap_or_default();
            for place in places {
                *hits.entry(place).or_default() += 1;
            }
        }
        let mut candidates: Vec<(usize, u16)> = hits.into_iter().map(|(place, count)| (count, place)).collect();
        candidates.sort_unstable_by_key(|&(count, place)| (std::cmp::Reverse(count), place));
        candidates.truncate(MOST_CANDIDATES);
        let matches = candidates.into_iter().filter_map(|(_, place)| self.align(usize::from(place), &words, least));
        // Of two that hold as much the one that leaves less of its pattern out.
        matches.max_by(|a, b| a.weight.total_cmp(&b.weight).then(a.share.total_cmp(&b.share)))
    }

    fn rarity(&self, word: &str) -> f32 {
        self.rarity_of(self.words.find(word).map_or(0, |(_, count, _)| count))
    }

    /// The rarity of a word that stands in this many patterns.
    fn rarity_of(&self, holding: u16) -> f32 {
        (1.0 + self.texts.len() as f32 / (1.0 + f32::from(holding))).ln()
    }

    /// The best way to find the words of a pattern in a line, in their order.
    fn align(&self, place: usize, line: &[String], least: f32) -> Option<Match> {
        let (text, signature, unit) = self.texts.get(place);
        let pieces = signature::pieces(text);
        let literals = self.literals(&pieces);
        let mut pairs: Vec<Pair> = Vec::new();
        for (number, literal) in literals.iter().enumerate() {
            for there in (0..line.len()).filter(|&there| literal.stands(&line[there])) {
                let mut pair = Pair { literal: number, there, value: literal.rarity, before: None };
                for (place, earlier) in pairs.iter().enumerate() {
                    let (steps, distance) = (number - earlier.literal, there.saturating_sub(earlier.there));
                    if steps == 0 || distance == 0 || distance > LONGEST_GAP + steps {
                        continue;
                    }
                    let between = &pieces[literals[earlier.literal].at..literal.at];
                    let is_apart = distance != steps && !between.iter().any(|piece| matches!(piece, Piece::Gap(_)));
                    let value = earlier.value + literal.rarity * if is_apart { 1.0 - APART } else { 1.0 };
                    if value > pair.value {
                        pair = Pair { value, before: Some(place), ..pair };
                    }
                }
                pairs.push(pair);
            }
        }
        let end = (0..pairs.len()).max_by(|&a, &b| pairs[a].value.total_cmp(&pairs[b].value))?;
        let mut chain: Vec<&Pair> = Vec::new();
        let mut next = Some(end);
        while let Some(pair) = next.map(|place| &pairs[place]) {
            chain.push(pair);
            next = pair.before;
        }
        chain.reverse();
        let weight = pairs[end].value;
        let share = weight / literals.iter().map(|literal| literal.rarity).sum::<f32>();
        let nearly_all = share >= LEAST_SHARE && literals.len() - chain.len() <= literals.len() / MISSING;
        let many = share >= LEAST_SHARE_OF_MANY && chain.len() >= MANY;
        if weight < least * self.rarity_of(1) || !(nearly_all || many) {
            return None;
        }
        let found: Vec<(usize, usize)> = chain.iter().map(|pair| (literals[pair.literal].at, pair.there)).collect();
        let mut values = named_values(&pieces, &found, line);
        values.extend(literals.into_iter().map(|literal| literal.word).filter(|word| is_number(word)));
        Some(Match { signature, unit, weight, share, values })
    }

    fn literals(&self, pieces: &[Piece<'_>]) -> Vec<Literal> {
        let literal = |(at, piece): (usize, &Piece<'_>)| {
            let (word, is_beginning) = match piece {
                Piece::Literal(word) => (word, false),
                Piece::Beginning(word) => (word, true),
                Piece::Gap(_) => return None,
            };
            let word = word.to_lowercase();
            let rarity = self.rarity(&word);
            Some(Literal { at, word, is_beginning, rarity })
        };
        pieces.iter().enumerate().filter_map(literal).collect()
    }
}

/// A literal word of a pattern.
struct Literal {
    /// Its place among the pieces.
    at: usize,
    word: String,
    is_beginning: bool,
    rarity: f32,
}

impl Literal {
    fn stands(&self, word: &str) -> bool {
        if self.is_beginning { word.starts_with(&self.word) } else { word == self.word }
    }
}

/// A literal word found in the line, at the end of the best chain of such.
struct Pair {
    literal: usize,
    /// The place in the line.
    there: usize,
    /// The rarity that the chain holds.
    value: f32,
    /// The place of the pair before.
    before: Option<usize>,
}

/// The words of the line in the named gaps. `found`: places in the pattern, places in the line.
fn named_values(pieces: &[Piece<'_>], found: &[(usize, usize)], line: &[String]) -> Vec<String> {
    let mut values = Vec::new();
    for (at, _) in pieces.iter().enumerate().filter(|(_, piece)| matches!(piece, Piece::Gap(name) if !name.is_empty()))
    {
        let Some(&(_, start)) = found.iter().rfind(|(place, _)| *place < at) else { continue };
        let end = found.iter().find(|(place, _)| *place > at).map_or(line.len(), |(_, end)| *end);
        values.extend(line[start + 1..end.max(start + 1)].iter().take(LONGEST_GAP).cloned());
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::model::{Level, Pattern, Role};

    fn signature<'a>(id: &'a str, texts: &[&'a str]) -> Signature<'a> {
        Signature {
            id,
            printed_by: "nccl",
            level: Level::Error,
            role: Role::Cause,
            patterns: texts.iter().map(|text| Pattern { text, since: None, until: None }).collect(),
            part: "a#b",
            means: "",
            advice: "",
            sources: Vec::new(),
        }
    }

    #[test]
    fn a_line_finds_its_pattern_with_anything_in_the_gaps() {
        let signatures = [
            signature("accept", &["socketFinalizeAccept: wrong type {} != {}"]),
            signature(
                "completion",
                &["NET/IB : Got completion from peer {} with error {status}, opcode {}, len {}, vendor err {}"],
            ),
            signature("modify", &["Call to ibv_modify_qp failed with error {}"]),
            signature(
                "modify-time-out",
                &["Call to ibv_modify_qp failed with error Connection timed out", "Timed out twice in a row today"],
            ),
        ];
        let built = build(&signatures, |_| 7);
        let patterns = Patterns::new(&built.texts, &built.words);
        let find = |line| patterns.find(line).map(|found| signatures[usize::from(found.signature)].id);
        assert_eq!(find("host:1:2 [0] NCCL WARN socketFinalizeAccept: wrong type 4 != 3"), Some("accept"));
        assert_eq!(
            find("Call to ibv_modify_qp failed with error Connection timed out errno 110"),
            Some("modify-time-out")
        );
        assert_eq!(find("call to ibv_modify_qp failed with error Invalid argument"), Some("modify"));
        assert_eq!(find("my qp failed with an error"), None);
        assert_eq!(find("socketPoll: wrong type of a socket in the type table"), None);
        assert_eq!(find(""), None);
        let line = "Got completion from peer 10.0.0.1<4321> with error 12, opcode 1, len 0, vendor err 129";
        assert_eq!(patterns.find(line).unwrap().values, ["12"]);
    }
}
