//! The rows of tables that explain the value of a question or of a log line.

use super::{Scores, Searcher};
use crate::knowledge::tables;
use crate::search::index::Unit;
use crate::search::log_lines;
use crate::search::lookup::Slot;
use crate::search::values::{self, Row};
use crate::search::words;

/// A question with more words beside a number asks for more than a value; beside an identifier, one word is too much.
const MOST_BESIDE_VALUE: usize = 2;

/// The share of the words beside a value that must stand around its row.
const AROUND_ROW: f32 = 0.6;

impl Searcher<'_> {
    /// The rows that explain the value which a log line holds, in the part that explains the line.
    pub(super) fn rows_of_line(&self, line: &log_lines::Match) -> Vec<Row> {
        let Some(part) = self.part_place(usize::from(line.unit)) else { return Vec::new() };
        let rows_of = |value: &String| {
            let (_, rows) = self.index.values.find(value)?;
            Some(same_column(rows.into_iter().filter(|row| usize::from(row.part) == part).collect()))
        };
        line.values.iter().filter_map(rows_of).find(|rows| !rows.is_empty()).unwrap_or_default()
    }

    /// The rows that explain a value of a short question: the words beside the value stand around them. An identifier, and a value that
    /// is part of a name, are looked for in the best section only, which the words have found already.
    pub(super) fn rows(
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
            let others = slots.iter().filter(|slot| slot.word.written.to_lowercase() != value);
            // One more than there may be is enough to know.
            let others: Vec<&Slot> = others.take(MOST_BESIDE_VALUE + 1).collect();
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
                // Among equals the one that people ask for, and whose section has more to say.
                let score = scores.units[self.section_unit(unit)].words + scores.units[unit].asked_covered;
                let fit = fit + 0.001 * score;
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
    pub(super) fn unit_of_row(&self, row: Row) -> usize {
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

    pub(super) fn part_heading(&self, row: Row) -> String {
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
