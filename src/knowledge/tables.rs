//! The tables of a part, as they are written.

/// A table of a markdown body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<'a> {
    pub header: &'a str,
    /// The line of dashes.
    pub rule: &'a str,
    pub rows: Vec<&'a str>,
}

/// The tables of a body in their order. Lines in code blocks are no tables.
pub fn tables(body: &str) -> Vec<Table<'_>> {
    let mut tables: Vec<Table<'_>> = Vec::new();
    let mut previous = "";
    let (mut in_code, mut in_table) = (false, false);
    for line in body.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let is_row = !in_code && line.starts_with('|');
        if is_row && in_table {
            tables.last_mut().expect("a table is open").rows.push(line);
        } else if is_row && previous.starts_with('|') && line.chars().all(|c| "|-: ".contains(c)) {
            tables.push(Table { header: previous, rule: line, rows: Vec::new() });
            in_table = true;
        }
        in_table &= is_row;
        previous = if is_row { line } else { "" };
    }
    tables
}

impl Table<'_> {
    /// The table with some of its rows only.
    pub fn with_rows(&self, rows: &[usize]) -> String {
        let rows = rows.iter().filter_map(|&row| self.rows.get(row)).copied();
        [self.header, self.rule].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
    }
}

/// The cells of a row or header, trimmed.
pub fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(line);
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('|').filter(|(at, _)| !line[..*at].ends_with('\\')) {
        cells.push(line[start..at].trim());
        start = at + 1;
    }
    cells.push(line[start..].trim());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_with_their_rows() {
        let body =
            "Text.\n\n| a | b |\n|---|:--|\n| 1 | x \\| y |\n| 2 | |\n\n```text\n| no | table |\n|---|---|\n```\n";
        let tables = tables(body);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].rows.len(), 2);
        assert_eq!(cells(tables[0].rows[0]), ["1", "x \\| y"]);
        assert_eq!(cells(tables[0].rows[1]), ["2", ""]);
        assert_eq!(tables[0].with_rows(&[1, 2]), "| a | b |\n|---|:--|\n| 2 | |");
    }
}
