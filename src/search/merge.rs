//! The index of a library that packs were laid over: of what did not change it is taken over, of the rest it is made anew.

use std::collections::{BTreeMap, BTreeSet};

use crate::knowledge::directory::Sorted;
use crate::knowledge::{Library, records};
use crate::search::index::{self, Built, Index, POSTING_BYTES, Unit};
use crate::search::log_lines;
use crate::search::tuning::IndexTuning;
use crate::search::values::Row;

/// The index over `library`. `base` is that of the library `before`; `fresh` holds the sections that changed or that its ways to ask are
/// about, whole, and the variables and other names that were added.
pub fn merge(base: &Index<'_>, before: &Library<'_>, library: &Library<'_>, fresh: &Sorted<'_>) -> Built {
    let built = index::build(fresh, &IndexTuning::SHIPPED, Some(base.lengths));
    let new = built.index();
    let changed: BTreeSet<&str> = fresh.sections.iter().map(|file| file.section.id).collect();
    let (all, old_names, new_names) = (Names::of(library), Names::of(before), Names::of_fresh(fresh));
    let mut units = all.units();
    let mut old_map = old_names.map(base, &all, |id| !changed.contains(id));
    let mut new_map = new_names.map(&new, &all, |_| true);
    // A way to ask for a part of a changed section holds as long as the part is there.
    for (index, map, names) in [(base, &mut old_map, &old_names), (&new, &mut new_map, &new_names)] {
        for number in index.first_asked()..index.units() {
            let Unit::Asked(part) = index.unit(number) else { continue };
            let part = names.address(index.unit(usize::from(part))).and_then(|(id, part)| all.part(id, part));
            map.push(part.map(|part| {
                units.push(Unit::Asked(part));
                units.len() as u16 - 1
            }));
        }
    }
    let terms = terms(&[(base, &old_map), (&new, &new_map)]);
    let signatures: Vec<_> = library.signatures.iter().collect();
    let unit_of = |address: &str| {
        let (id, part) = address.split_once('#').unwrap_or((address, ""));
        // What a part explained that a replacement took away, the section explains.
        all.part(id, part).or_else(|| all.part(id, "")).unwrap_or(0)
    };
    Built {
        shapes: index::shapes(&terms),
        terms,
        phrases: phrases((base, &old_map), (&new, &new_map), before),
        units: index::units(units.into_iter()),
        patterns: log_lines::build(&signatures, unit_of),
        values: values((base, &old_names), (&new, &new_names), &all, &changed),
        off_topic: records::encode(&base.off_topic.iter().collect::<Vec<_>>()),
        lengths: base.lengths.iter().flat_map(|length| length.to_le_bytes()).collect(),
    }
}

/// What the units of an index are called, in their order: each section, then its parts; then variables, then other names.
struct Names<'a> {
    /// Id, and the ids of the parts.
    sections: Vec<(&'a str, Vec<&'a str>)>,
    variables: Vec<&'a str>,
    others: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(library: &Library<'a>) -> Self {
        let sections = library.sections.iter();
        Names {
            sections: sections
                .map(|section| (section.id, library.parts(&section).map(|part| part.id).collect()))
                .collect(),
            variables: library.variables.keys().collect(),
            others: library.others.keys().collect(),
        }
    }

    fn of_fresh(fresh: &Sorted<'a>) -> Self {
        let sections = fresh.sections.iter();
        Names {
            sections: sections.map(|file| (file.section.id, file.parts.iter().map(|part| part.id).collect())).collect(),
            variables: fresh.variables.iter().map(|variable| variable.name).collect(),
            others: fresh.others.iter().map(|other| other.name).collect(),
        }
    }

    fn units(&self) -> Vec<Unit> {
        let sections = self.sections.iter().zip(0..).flat_map(|((_, parts), section)| {
            let parts = (0..parts.len() as u16).map(move |place| Unit::Part(section, place));
            std::iter::once(Unit::Section(section)).chain(parts)
        });
        let variables = (0..self.variables.len() as u16).map(Unit::Variable);
        sections.chain(variables).chain((0..self.others.len() as u16).map(Unit::Other)).collect()
    }

    /// The units of the sections, where variables begin, and where other names begin.
    fn starts(&self) -> (BTreeMap<&'a str, u16>, u16, u16) {
        let mut next = 0;
        let mut sections = BTreeMap::new();
        for (id, parts) in &self.sections {
            sections.insert(*id, next);
            next += 1 + parts.len() as u16;
        }
        (sections, next, next + self.variables.len() as u16)
    }

    /// The unit of a part; the empty id is the opening.
    fn part(&self, id: &str, part: &str) -> Option<u16> {
        let place = self.sections.binary_search_by_key(&id, |(id, _)| id).ok()?;
        let above: usize = self.sections[..place].iter().map(|(_, parts)| 1 + parts.len()).sum();
        let part = self.sections[place].1.iter().position(|candidate| *candidate == part)?;
        Some((above + 1 + part) as u16)
    }

    /// Section and part of a unit that is a part.
    fn address(&self, unit: Unit) -> Option<(&'a str, &'a str)> {
        let Unit::Part(section, place) = unit else { return None };
        let (id, parts) = &self.sections[usize::from(section)];
        Some((id, parts[usize::from(place)]))
    }

    /// For each unit of an index that is no way to ask its number among `all`; none where a section is not taken over.
    fn map(&self, index: &Index<'_>, all: &Names<'_>, keep: impl Fn(&str) -> bool) -> Vec<Option<u16>> {
        let (sections, variables, others) = all.starts();
        let place = |names: &[&str], name: &str| names.binary_search(&name).ok().map(|place| place as u16);
        let number = |unit: Unit| match unit {
            Unit::Section(section) | Unit::Part(section, _) => {
                let id = self.sections[usize::from(section)].0;
                let start = sections.get(id).copied().filter(|_| keep(id))?;
                Some(if let Unit::Part(_, place) = unit { start + 1 + place } else { start })
            }
            Unit::Variable(number) => Some(variables + place(&all.variables, self.variables[usize::from(number)])?),
            Unit::Other(number) => Some(others + place(&all.others, self.others[usize::from(number)])?),
            Unit::Asked(_) => None,
        };
        (0..index.first_asked()).map(|unit| number(index.unit(unit))).collect()
    }
}

/// An index, and the number of each of its units in the whole.
type Mapped<'i, 'a> = (&'i Index<'a>, &'i Vec<Option<u16>>);

fn terms(indexes: &[Mapped<'_, '_>]) -> Vec<u8> {
    let mut terms: BTreeMap<&str, (Vec<[u8; POSTING_BYTES]>, &str)> = BTreeMap::new();
    for (index, map) in indexes {
        for (term, postings, written) in index.terms.iter() {
            let (all, _) =
                terms.entry(term).or_insert_with(|| (Vec::with_capacity(postings.len() / POSTING_BYTES), written));
            all.extend(postings.chunks_exact(POSTING_BYTES).filter_map(|posting| {
                let [a, b] = map[usize::from(u16::from_le_bytes([posting[0], posting[1]]))]?.to_le_bytes();
                Some([a, b, posting[2], posting[3], posting[4]])
            }));
        }
    }
    let mut encoded: Vec<(&str, Vec<u8>, &str)> = Vec::with_capacity(terms.len());
    for (term, (mut postings, written)) in terms {
        if !postings.is_empty() {
            postings.sort_unstable_by_key(|posting| u16::from_le_bytes([posting[0], posting[1]]));
            encoded.push((term, postings.concat(), written));
        }
    }
    records::encode(&encoded)
}

/// What a pack calls its own goes before our triggers, but not before our ids and the names of variables.
fn phrases(old: Mapped<'_, '_>, new: Mapped<'_, '_>, before: &Library<'_>) -> Vec<u8> {
    let mut phrases: BTreeMap<&str, u16> = BTreeMap::new();
    for (phrase, unit) in new.0.phrases.iter() {
        phrases.extend(new.1[usize::from(unit)].map(|unit| (phrase, unit)));
    }
    for (phrase, unit) in old.0.phrases.iter() {
        let Some(place) = old.1[usize::from(unit)] else { continue };
        let is_name = match old.0.unit(usize::from(unit)) {
            Unit::Section(section) => {
                crate::knowledge::check::phrase(before.sections.key(usize::from(section))) == phrase
            }
            _ => true,
        };
        if is_name {
            phrases.insert(phrase, place);
        } else {
            phrases.entry(phrase).or_insert(place);
        }
    }
    records::encode(&phrases.into_iter().collect::<Vec<_>>())
}

fn values(
    old: (&Index<'_>, &Names<'_>),
    new: (&Index<'_>, &Names<'_>),
    all: &Names<'_>,
    changed: &BTreeSet<&str>,
) -> Vec<u8> {
    let mut firsts: BTreeMap<&str, u16> = BTreeMap::new();
    let mut next = 0;
    for (id, parts) in &all.sections {
        firsts.insert(id, next);
        next += parts.len() as u16;
    }
    let mut values: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for ((index, names), is_new) in [(old, false), (new, true)] {
        // The place of each part among all.
        let places: Vec<Option<u16>> = names
            .sections
            .iter()
            .flat_map(|(id, parts)| {
                let first = firsts.get(id).copied().filter(|_| is_new || !changed.contains(id));
                (0..parts.len() as u16).map(move |place| Some(first? + place))
            })
            .collect();
        for (value, rows) in index.values.iter() {
            let moved = rows.into_iter().filter_map(|row| Some(Row { part: places[usize::from(row.part)]?, ..row }));
            values.entry(value).or_default().extend(moved);
        }
    }
    values.retain(|_, rows| !rows.is_empty());
    for rows in values.values_mut() {
        rows.sort_unstable();
    }
    records::encode(&values.into_iter().collect::<Vec<_>>())
}
