//! A value in a question (`status 12`, `0x81`, `DSCP 26`) -> the row of a table that explains it.

use std::collections::BTreeMap;

use crate::knowledge::directory::SectionFile;
use crate::knowledge::records;
use crate::knowledge::tables::{self, Table};

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Row {
    /// The place of the part among all parts.
    pub part: u16,
    /// The place of the table in the part.
    pub table: u8,
    /// The place of the line among the rows of the table.
    pub line: u8,
    /// The place of the cell in the row.
    pub column: u8,
}

/// Only the first columns of a table say what a row is about.
const KEY_COLUMNS: usize = 3;

/// A range of more values than this is not spelled out.
const LONGEST_RANGE: u32 = 64;

/// Encodes value -> rows.
pub fn build(sections: &[SectionFile<'_>]) -> Vec<u8> {
    let mut rows: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for (part, number) in sections.iter().flat_map(|file| &file.parts).zip(0..) {
        for (table, place) in tables::tables(part.body).iter().zip(0..=u8::MAX) {
            add(table, Row { part: number, table: place, line: 0, column: 0 }, &mut rows);
        }
    }
    let rows: Vec<(&str, Vec<Row>)> = rows.iter().map(|(value, rows)| (&**value, rows.clone())).collect();
    records::encode(&rows)
}

fn add(table: &Table<'_>, place: Row, rows: &mut BTreeMap<String, Vec<Row>>) {
    let prefixes: Vec<String> = tables::cells(table.header).iter().map(|cell| prefix(cell)).collect();
    for (row, line) in table.rows.iter().zip(0..=u8::MAX) {
        for (column, cell) in tables::cells(row).iter().enumerate().take(KEY_COLUMNS) {
            for value in cell_values(cell) {
                let place = Row { line, column: column as u8, ..place };
                let prefix = prefixes.get(column).map_or("", |prefix| prefix);
                rows.entry(format!("{prefix}{value}")).or_default().push(place);
                if !prefix.is_empty() && is_value(&value) {
                    rows.entry(value).or_default().push(place);
                }
            }
        }
    }
}

/// What a header says all names of its column begin with: `IBV_WC_` of "`IBV_WC_` name".
fn prefix(header: &str) -> String {
    let span = header.split('`').nth(1).filter(|span| span.ends_with('_'));
    span.unwrap_or_default().to_lowercase()
}

/// The values of a cell that holds nothing else; a remark in brackets may follow each.
fn cell_values(cell: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut depth = 0;
    for c in cell.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '`' | '*' => {}
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let mut values = Vec::new();
    for piece in plain.split([',', '/']).map(str::trim).filter(|piece| !piece.is_empty()) {
        let value = piece.to_lowercase();
        let range = value.split_once('-').and_then(|(from, to)| Some((from.parse::<u32>().ok()?, to.parse().ok()?)));
        match range {
            Some((from, to)) if from < to && to - from <= LONGEST_RANGE => {
                values.extend((from..=to).map(|number| number.to_string()));
            }
            _ if is_value(&value) || is_upper_name(piece) => values.push(value),
            _ => return Vec::new(),
        }
    }
    values
}

/// A number, decimal or hexadecimal, or an identifier with an underscore; in lower case.
pub fn is_value(word: &str) -> bool {
    is_number(word)
        || (word.len() >= 4
            && word.contains('_')
            && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !word.ends_with('_'))
}

/// A number of up to six digits; longer ones are addresses, sizes and times.
pub fn is_number(word: &str) -> bool {
    let decimal = !word.is_empty() && word.len() <= 6 && word.bytes().all(|b| b.is_ascii_digit());
    decimal || is_hexadecimal(word)
}

/// `0x` and digits.
pub fn is_hexadecimal(word: &str) -> bool {
    word.strip_prefix("0x").is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// `SUCCESS`: taken only below a header that gives its prefix.
fn is_upper_name(word: &str) -> bool {
    word.len() >= 3 && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
}

/// The values of a question, lower case, each with the two words before it, nearest first.
pub fn values(question: &str) -> Vec<(String, Vec<String>)> {
    let words: Vec<String> = question
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let before = |at: usize| words[at.saturating_sub(2)..at].iter().rev().cloned().collect();
    let found = words.iter().enumerate().filter(|(_, word)| is_value(word));
    found.map(|(at, word)| (word.clone(), before(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_values_are_told_from_prose() {
        assert_eq!(cell_values("0x51, `0x81` [^a]"), ["0x51", "0x81"]);
        assert_eq!(cell_values("14 (NCCL default before 2.14)"), ["14"]);
        assert_eq!(cell_values("24-26"), ["24", "25", "26"]);
        assert_eq!(cell_values("LOC_PROT_ERR"), ["loc_prot_err"]);
        assert_eq!(cell_values("1.07 s"), Vec::<String>::new());
        assert_eq!(cell_values("out of memory, 12"), Vec::<String>::new());
        assert_eq!(prefix("`IBV_WC_` name"), "ibv_wc_");
        assert_eq!(prefix("Counter"), "");
    }

    #[test]
    fn values_of_a_question_come_with_the_words_before() {
        let found = values("vendor err 129, wc=0x81");
        assert_eq!(found[0], ("129".into(), vec!["err".into(), "vendor".into()]));
        assert_eq!(found[1].0, "0x81");
        assert!(values("NCCL 2.22").iter().all(|(value, _)| value != "2.22"));
    }
}
