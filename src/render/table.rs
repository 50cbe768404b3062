//! Tables that fit: columns side by side, or records where there is no room.

use super::Options;
use super::lines::{self, Line, Span, Style, width, words, wrap};

/// A cell: one paragraph.
pub type Cell = Vec<Span>;

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub header: Vec<Cell>,
    pub rows: Vec<Vec<Cell>>,
}

/// Columns between two columns.
const GAP: usize = 2;

/// A row that takes more lines than this reads better as a record.
const TALLEST_ROW: usize = 8;

impl Table {
    /// The table in at most `options.width` columns. Cells break at spaces only; where a column would be narrower than its longest
    /// word, or a row taller than a reader can follow, each row becomes a record of `name: value`.
    pub fn lines(&self, options: Options) -> Vec<Line> {
        match self.columns(options.width) {
            Some(columns) => self.side_by_side(&columns, options),
            None => self.records(options),
        }
    }

    /// The widths of the columns, or `None` when they do not fit.
    fn columns(&self, available: usize) -> Option<Vec<usize>> {
        let count = self.header.len();
        let cells =
            |column: usize| std::iter::once(&self.header).chain(&self.rows).filter_map(move |row| row.get(column));
        let natural: Vec<usize> =
            (0..count).map(|column| cells(column).map(|cell| width(cell)).max().unwrap_or(0)).collect();
        let least: Vec<usize> = (0..count)
            .map(|column| cells(column).flat_map(|cell| words(cell)).map(|word| width(&word)).max().unwrap_or(0))
            .collect();
        let available = available.checked_sub(GAP * count.saturating_sub(1))?;
        if natural.iter().sum::<usize>() <= available {
            return Some(natural);
        }
        let mut rest = available.checked_sub(least.iter().sum())?;
        let mut widths = least;
        // What is left goes, a column at a time, to the one that lacks most: long texts end up about equally tall.
        while rest > 0 {
            let (column, _) = (0..count)
                .map(|column| (column, natural[column] * 100 / widths[column].max(1)))
                .max_by_key(|&(_, lack)| lack)?;
            widths[column] += 1;
            rest -= 1;
        }
        let tallest = self
            .rows
            .iter()
            .flat_map(|row| row.iter().zip(&widths))
            .map(|(cell, width)| wrap(cell, *width).len())
            .max();
        (tallest.unwrap_or(0) <= TALLEST_ROW).then_some(widths)
    }

    fn side_by_side(&self, widths: &[usize], options: Options) -> Vec<Line> {
        let header: Vec<Cell> = self.header.iter().map(strong).collect();
        let mut lines = row(&header, widths);
        let rule = if options.ascii { "-" } else { "─" };
        let total: usize = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        lines.push(lines::line(rule.repeat(total), Style::Faint));
        for cells in &self.rows {
            lines.extend(row(cells, widths));
        }
        lines
    }

    fn records(&self, options: Options) -> Vec<Line> {
        let mut lines = Vec::new();
        for (index, cells) in self.rows.iter().enumerate() {
            if index > 0 {
                lines.push(Line::new());
            }
            for (name, cell) in self.header.iter().zip(cells) {
                if cell.is_empty() {
                    continue;
                }
                // What the header cites holds for the whole table: it is said once, below.
                let mut spans = strong(name);
                spans.retain(|span| span.style != Style::Faint);
                while spans.last().is_some_and(|span| span.text.trim().is_empty()) {
                    spans.pop();
                }
                if let Some(last) = spans.last_mut() {
                    last.text.truncate(last.text.trim_end().len());
                }
                if !spans.is_empty() {
                    spans.push(Span::new(": ", Style::Strong));
                }
                spans.extend(cell.iter().cloned());
                let indent = Span::new("  ", Style::Plain);
                let wrapped = wrap(&spans, options.width.saturating_sub(2));
                lines.extend(lines::prefix(wrapped, &Span::new("", Style::Plain), &indent));
            }
        }
        let marks: Line = self.header.iter().flatten().filter(|span| span.style == Style::Faint).cloned().collect();
        if !marks.is_empty() {
            lines.push(Line::new());
            lines.push(std::iter::once(Span::new("All of the table: ", Style::Faint)).chain(marks).collect());
        }
        lines
    }
}

fn strong(cell: &Cell) -> Cell {
    cell.iter()
        .map(|span| Span::new(span.text.clone(), if span.style == Style::Plain { Style::Strong } else { span.style }))
        .collect()
}

fn row(cells: &[Cell], widths: &[usize]) -> Vec<Line> {
    let wrapped: Vec<Vec<Line>> = cells.iter().zip(widths).map(|(cell, width)| wrap(cell, *width)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
    (0..height)
        .map(|index| {
            let mut line = Line::new();
            let mut missing = 0;
            for (cell, width) in wrapped.iter().zip(widths) {
                let content = cell.get(index).cloned().unwrap_or_default();
                let used = lines::width(&content);
                if !content.is_empty() {
                    if missing > 0 {
                        line.push(Span::new(" ".repeat(missing), Style::Plain));
                        missing = 0;
                    }
                    line.extend(content);
                }
                missing += width - used.min(*width) + GAP;
            }
            line
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Table {
        let cells = |row: &&[&str]| row.iter().map(|text| vec![Span::new(*text, Style::Plain)]).collect::<Vec<Cell>>();
        Table { header: cells(&rows[0]), rows: rows[1..].iter().map(cells).collect() }
    }

    fn shown(table: &Table, width: usize) -> String {
        lines::plain(&table.lines(Options { width, styled: false, ascii: true }))
    }

    #[test]
    fn columns_take_what_they_need() {
        let table = table(&[&["Variable", "Value"], &["NCCL_IB_TC", "106"]]);
        assert_eq!(shown(&table, 40), "Variable    Value\n-----------------\nNCCL_IB_TC  106\n");
    }

    #[test]
    fn cells_break_at_spaces_when_the_table_is_too_wide() {
        let table = table(&[&["Variable", "Purpose"], &["NCCL_IB_GID_INDEX", "picks the entry of the GID table"]]);
        assert_eq!(
            shown(&table, 36),
            "Variable           Purpose\n------------------------------------\nNCCL_IB_GID_INDEX  picks the entry\n                   of the GID table\n"
        );
    }

    #[test]
    fn a_table_that_cannot_fit_becomes_records() {
        let table =
            table(&[&["Variable", "Purpose"], &["NCCL_IB_GID_INDEX", "picks the entry"], &["NCCL_IB_TC", "class"]]);
        assert_eq!(
            shown(&table, 20),
            "Variable:\n  NCCL_IB_GID_INDEX\nPurpose: picks the\n  entry\n\nVariable:\n  NCCL_IB_TC\nPurpose: class\n"
        );
    }

    #[test]
    fn a_row_with_missing_cells_is_shown() {
        assert_eq!(shown(&table(&[&["a", "b"], &["1"]]), 20), "a  b\n----\n1\n");
    }
}
