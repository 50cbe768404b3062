//! A word of a question -> the terms of the index that it may stand for.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use super::index::Index;
use super::tuning::Tuning;
use super::words::{self, Word};
use crate::knowledge::check::phrase;
use crate::knowledge::model::Alias;
use crate::knowledge::records::Records;

/// How a term was found for a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The word itself, or a piece of it.
    Exact,
    /// Joined with its neighbour: `gpu direct` -> `gpudirect`.
    Joined,
    /// By an entry of `aliases.yaml`.
    Alias,
    /// By edit distance.
    Typo(usize),
    /// The word is the beginning of the term.
    Prefix,
}

/// A term that a word may stand for.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// Its number in the index.
    pub term: usize,
    /// How much it counts, 0 to 1.
    pub factor: f32,
    pub found: Found,
}

/// A word of the question with what it may stand for: of several alternatives the best one counts.
#[derive(Clone, Debug)]
pub struct Slot {
    pub word: Word,
    pub alternatives: Vec<Alternative>,
    /// Units whose name the word abbreviates.
    pub abbreviates: Vec<u16>,
}

impl Slot {
    /// The index knows the word itself, or `aliases.yaml` does: it is not taken for another.
    pub fn is_known(&self) -> bool {
        self.alternatives.first().is_some_and(|found| !matches!(found.found, Found::Typo(_) | Found::Prefix))
    }
}

impl Slot {
    /// How doubtful it is, 0 to 1, that the word was meant to be what it was taken for: a quarter of its letters changed is as
    /// good as another word.
    pub fn doubt(&self) -> f32 {
        match self.alternatives.first().map(|found| &found.found) {
            Some(Found::Typo(edits)) => (4.0 * *edits as f32 / self.word.whole.chars().count() as f32).min(1.0),
            Some(Found::Prefix) => 1.0,
            _ => 0.0,
        }
    }
}

/// How much a piece of an identifier counts.
const PIECE: f32 = 0.8;

/// The longest name in `aliases.yaml`, in words.
const LONGEST_ALIAS: usize = 4;

/// Lengths of questions that are taken for a name with typing errors, in letters.
const NEAREST_PHRASE: std::ops::RangeInclusive<usize> = 3..=60;

/// Below this many letters nearly every edit makes another word.
const FEW_LETTERS: usize = 5;
const FEW_LETTERS_KNOWN: usize = 8;

/// At most this many corrections of one word are tried.
const MOST_CORRECTIONS: usize = 3;

/// Looks up the words of a question; topic-free ones are left out.
pub fn slots<'a>(words: &[Word], index: &Index<'a>, aliases: Records<'a, Alias<'a>>, tuning: &Tuning) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let joined = [
            place.checked_sub(1).map(|before| (&words[before], word)),
            words.get(place + 1).map(|after| (word, after)),
        ]
        .into_iter()
        .flatten()
        .filter(|(first, second)| tuning.joins && first.pieces.is_empty() && second.pieces.is_empty())
        .filter_map(|(first, second)| {
            // `fails over` is `failover`: the first word without its ending, too.
            let joined = |first: &str| index.terms.position(&format!("{first}{}", second.written.to_lowercase()));
            joined(&first.written.to_lowercase()).or_else(|| joined(&first.whole))
        })
        .map(|term| Alternative { term, factor: 1.0, found: Found::Joined });
        let is_repeated = || words[..place].iter().any(|before| before.whole == word.whole);
        let is_topic_free =
            || tuning.topic_free && word.pieces.is_empty() && words::is_topic_free(&word.written.to_lowercase());
        if is_topic_free() || is_repeated() {
            continue;
        }
        let mut alternatives: Vec<Alternative> = joined.collect();
        alternatives.extend(lookup(word, index, aliases, tuning));
        if tuning.aliases {
            alternatives.extend(around(place, words, index, aliases, tuning));
        }
        if alternatives.is_empty() && !word.pieces.is_empty() {
            slots.extend(pieces(word, index));
            continue;
        }
        let mut slot = Slot { word: word.clone(), alternatives, abbreviates: Vec::new() };
        // In a longer question an unknown word is a typing error far more often.
        if tuning.abbreviations && words.len() == 1 && !slot.is_known() {
            slot.abbreviates = abbreviated(&word.whole, index);
            if !slot.abbreviates.is_empty() {
                slot.alternatives.clear();
            }
        }
        slots.push(slot);
    }
    slots
}

/// An identifier that nothing is like: its pieces are words of their own, each saying a little less. Unknown pieces are worth no
/// correction; when all are unknown, so is the identifier.
fn pieces(word: &Word, index: &Index<'_>) -> Vec<Slot> {
    let known = word.pieces.iter().filter_map(|piece| Some((piece, index.terms.position(piece)?)));
    let slot = |(piece, term): (&String, usize)| Slot {
        word: Word { whole: piece.clone(), written: piece.clone(), pieces: Vec::new() },
        alternatives: vec![Alternative { term, factor: PIECE, found: Found::Exact }],
        abbreviates: Vec::new(),
    };
    let slots: Vec<Slot> = known.map(slot).collect();
    if slots.is_empty() {
        return vec![Slot { word: word.clone(), alternatives: Vec::new(), abbreviates: Vec::new() }];
    }
    slots
}

/// What a name of several words around a word may stand for: `queue pair` -> `QP`. Each of its words gets its share.
fn around<'a>(
    place: usize,
    words: &[Word],
    index: &Index<'a>,
    aliases: Records<'a, Alias<'a>>,
    tuning: &Tuning,
) -> Vec<Alternative> {
    let mut found = Vec::new();
    for length in 2..=LONGEST_ALIAS {
        for start in (place + 1).saturating_sub(length)..=place {
            let Some(run) = words.get(start..start + length) else { continue };
            let name = run.iter().map(|word| phrase(&word.written)).collect::<Vec<_>>().join(" ");
            let Some(alias) = aliases.find(&name) else { continue };
            found.extend(meanings(&alias, 0.8 / length as f32, index, tuning));
        }
    }
    found
}

/// The terms of what an alias stands for.
fn meanings(alias: &Alias<'_>, factor: f32, index: &Index<'_>, tuning: &Tuning) -> Vec<Alternative> {
    let words = alias.means.iter().flat_map(|text| words::words(text, tuning.wording));
    let terms = words.flat_map(|word| [word.whole].into_iter().chain(word.pieces));
    terms
        .filter_map(|term| index.terms.position(&term))
        .map(|term| Alternative { term, factor, found: Found::Alias })
        .collect()
}

/// The question with its typing errors corrected; `None` when there were none.
pub fn corrected(slots: &[Slot], index: &Index<'_>) -> Option<String> {
    let typo = |slot: &Slot| {
        slot.alternatives.first().filter(|found| matches!(found.found, Found::Typo(_))).map(|found| found.term)
    };
    slots.iter().find_map(typo)?;
    let words: Vec<&str> =
        slots.iter().map(|slot| typo(slot).map_or(&*slot.word.written, |term| index.written(term))).collect();
    Some(words.join(" "))
}

fn lookup<'a>(word: &Word, index: &Index<'a>, aliases: Records<'a, Alias<'a>>, tuning: &Tuning) -> Vec<Alternative> {
    let mut found = Vec::new();
    let exact = index.terms.position(&word.whole);
    found.extend(exact.map(|term| Alternative { term, factor: 1.0, found: Found::Exact }));
    if tuning.aliases
        && let Some(alias) = aliases.find(&phrase(&word.written))
    {
        found.extend(meanings(&alias, 0.8, index, tuning));
    }
    if found.is_empty() && tuning.typos {
        found = corrections(&word.whole, index);
    }
    if exact.is_none() && !found.is_empty() {
        // A piece says less than the whole, and the more so the more there are.
        let share = PIECE / (word.pieces.len().max(1) as f32).sqrt();
        found.extend(word.pieces.iter().filter_map(|piece| index.terms.position(piece)).map(|term| Alternative {
            term,
            factor: share,
            found: Found::Exact,
        }));
    }
    found
}

/// The terms nearest to a word that the index does not know: by edit distance with transposition, then by prefix.
fn corrections(word: &str, index: &Index<'_>) -> Vec<Alternative> {
    let letters = word.chars().count();
    let most = match letters {
        0..=2 => return Vec::new(),
        3..=7 => 1,
        _ => 2,
    };
    if word.bytes().all(|b| b.is_ascii_digit()) {
        return Vec::new();
    }
    let bag = Bag::new(word);
    let mut near: Vec<(usize, usize)> = Vec::new();
    for number in index.similar(word, most as u32) {
        let term = index.terms.key(number);
        let difference = bag.distance(&Bag::new(term));
        if difference > 2 * most as u32 {
            continue;
        }
        let distance = strsim::osa_distance(word, term);
        // Of three letters, only swapped ones are taken for a slip.
        if distance <= most && (letters > 3 || difference == 0) {
            near.push((distance, number));
        }
    }
    // Of equally near terms, the one that stands in more places.
    near.sort_by_key(|&(distance, number)| (distance, usize::MAX - index.postings(number).len(), number));
    let best = near.first().map_or(0, |&(distance, _)| distance);
    let near = near.into_iter().filter(|&(distance, _)| distance == best).take(MOST_CORRECTIONS);
    let typos: Vec<Alternative> = near
        .map(|(distance, term)| Alternative {
            term,
            factor: if distance == 1 { 0.8 } else { 0.6 },
            found: Found::Typo(distance),
        })
        .collect();
    if !typos.is_empty() {
        return typos;
    }
    if letters < 4 {
        return Vec::new();
    }
    let mut begun: Vec<(usize, usize)> =
        index.beginning(word).map(|number| (index.terms.key(number).len(), number)).collect();
    begun.sort_unstable();
    begun
        .into_iter()
        .take(MOST_CORRECTIONS)
        .map(|(_, term)| Alternative { term, factor: 0.6, found: Found::Prefix })
        .collect()
}

/// The name or trigger that a short question was probably meant to be: one edit away, from twelve letters on two. Of fewer than five letters
/// only slips that leave no other word are taken: two swapped, one doubled, one of five dropped (`git` is not `gid`); and so
/// of fewer than eight when the index knows all the words.
pub fn nearest_phrase<'a>(question: &str, is_known: bool, index: &Index<'a>) -> Option<(&'a str, u16)> {
    let typed = phrase(question);
    let letters = typed.chars().count();
    if !NEAREST_PHRASE.contains(&letters) {
        return None;
    }
    let most = if letters < 12 || is_known { 1 } else { 2 };
    let few = if is_known { FEW_LETTERS_KNOWN } else { FEW_LETTERS };
    let bag = Bag::new(&typed);
    let near = index.phrases.iter().filter_map(|(name, unit)| {
        if name.len().abs_diff(typed.len()) > most || bag.distance(&Bag::new(name)) > 2 * most as u32 {
            return None;
        }
        let distance = strsim::osa_distance(&typed, name);
        let swapped = bag.distance(&Bag::new(name)) == 0;
        let doubled = typed.len() > name.len() && typed.as_bytes().windows(2).any(|pair| pair[0] == pair[1]);
        if letters < few && (is_known || !(swapped || doubled || name.len() > letters.max(few - 1))) {
            return None;
        }
        // Of equally near names, one with the same letters, then one with the same beginning.
        let begins = name.bytes().zip(typed.bytes()).take_while(|(a, b)| a == b).count();
        let rank = (distance, bag.distance(&Bag::new(name)), std::cmp::Reverse(begins));
        (distance <= most).then_some((rank, name, unit))
    });
    near.min_by_key(|&(rank, name, _)| (rank, name)).map(|(_, name, unit)| (name, unit))
}

/// How often each letter stands in a word: a cheap lower bound of the edit distance.
struct Bag([i8; 32]);

impl Bag {
    fn new(word: &str) -> Self {
        let mut counts = [0i8; 32];
        for byte in word.bytes().take(100) {
            counts[usize::from(byte & 31)] += 1;
        }
        Bag(counts)
    }

    fn distance(&self, other: &Bag) -> u32 {
        self.0.iter().zip(&other.0).map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
    }
}

/// The phrases that an unknown word may abbreviate: `qpsm` -> `qp state machine`. Each matched letter starts a word
/// or follows a matched letter, and every word of the phrase is touched: anything looser finds `GPUDirect RDMA` for `git`.
fn abbreviated(word: &str, index: &Index<'_>) -> Vec<u16> {
    if !(3..=8).contains(&word.len()) || !word.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Vec::new();
    }
    let matcher = SkimMatcherV2::default();
    let mut found: Vec<(i64, u16)> = index
        .phrases
        .iter()
        .filter(|(phrase, _)| phrase.contains(' ') && phrase.as_bytes().first() == word.as_bytes().first())
        .filter_map(|(phrase, unit)| {
            let (score, places) = matcher.fuzzy_indices(phrase, word)?;
            let characters: Vec<char> = phrase.chars().collect();
            let starts = |at: usize| at == 0 || characters[at - 1] == ' ';
            let ordered =
                places.iter().enumerate().all(|(order, &at)| starts(at) || (order > 0 && places[order - 1] + 1 == at));
            let words = characters.iter().enumerate().filter(|&(at, c)| *c != ' ' && starts(at)).map(|(at, _)| at);
            (ordered && words.into_iter().all(|at| places.contains(&at))).then_some((score, unit))
        })
        .collect();
    found.sort_by_key(|&(score, unit)| (-score, unit));
    found.truncate(MOST_CORRECTIONS);
    found.into_iter().map(|(_, unit)| unit).collect()
}
