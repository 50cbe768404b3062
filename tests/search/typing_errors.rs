//! One typing error in a name: the right answer is still first.

use rdmanav::search::Searcher;
use rdmanav::search::index::Unit;

/// The share that must hold for names of at least [`LONG`] letters.
const LEAST_RIGHT: f64 = 0.97;
const LONG: usize = 8;

/// As `LEAST_RIGHT`, for shorter triggers: a letter less makes another word of many (`ECN`, `ECM`).
const LEAST_RIGHT_SHORT: f64 = 0.6;

/// A sequence of random numbers that is the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}

/// Drops, doubles, swaps or replaces one letter.
fn with_error(name: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    loop {
        let at = random.below(letters.len());
        if !letters[at].is_alphanumeric() {
            continue;
        }
        match random.below(4) {
            0 => drop(letters.remove(at)),
            1 => letters.insert(at, letters[at]),
            2 if at + 1 < letters.len() && letters[at + 1] != letters[at] && letters[at + 1].is_alphanumeric() => {
                letters.swap(at, at + 1);
            }
            3 => {
                let letter = (b'a' + random.below(26) as u8) as char;
                if letters[at].eq_ignore_ascii_case(&letter) {
                    continue;
                }
                letters[at] = if letters[at].is_uppercase() { letter.to_ascii_uppercase() } else { letter };
            }
            _ => continue,
        }
        return letters.into_iter().collect();
    }
}

/// Asks with one error each, and returns the names that did not lead to their unit, as typed.
fn wrong<'a>(names: &[(&'a str, String)], searcher: &Searcher<'_>, seed: u64) -> Vec<(&'a str, String)> {
    let mut random = Random(seed);
    let mut wrong = Vec::new();
    for (name, expected) in names {
        let typed = with_error(name, &mut random);
        let hits = searcher.search(&typed, None, 1).hits;
        let found = hits.first().map(|hit| address(hit.unit, searcher));
        if found.as_ref() != Some(expected) {
            wrong.push((*name, typed));
        }
    }
    wrong
}

/// The section, and the variable where it is one.
fn address(unit: Unit, searcher: &Searcher<'_>) -> String {
    match unit {
        Unit::Variable(number) => searcher.library.variables.key(usize::from(number)).to_string(),
        Unit::Other(number) => searcher.library.others.key(usize::from(number)).to_string(),
        _ => searcher.section_id(unit).to_string(),
    }
}

#[test]
fn one_typing_error_does_not_lead_astray() {
    let searcher = rdmanav::searcher();
    let sections = searcher.library.sections.iter();
    let triggers: Vec<(&str, String)> = sections
        .flat_map(|section| section.triggers.clone().into_iter().map(move |trigger| (trigger, section.id.to_string())))
        .collect();
    let variables = searcher.library.variables.keys().map(|name| (name, name.to_string()));
    let (mut long, short): (Vec<_>, Vec<_>) = triggers.into_iter().partition(|(name, _)| name.chars().count() >= LONG);
    long.extend(variables.filter(|(name, _)| name.chars().count() >= LONG));
    for (names, least) in [(long, LEAST_RIGHT), (short, LEAST_RIGHT_SHORT)] {
        let wrong = wrong(&names, &searcher, 0x2545_f491_4f6c_dd1d);
        let right = 1.0 - wrong.len() as f64 / names.len() as f64;
        println!("{} names, {right:.4} right; wrong: {wrong:?}", names.len());
        assert!(right >= least, "{right:.4} of {} names; wrong: {wrong:?}", names.len());
    }
}
