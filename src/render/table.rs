//! Tables that fit: columns side by side, or records where there is no room.

use pulldown_cmark::Alignment;

use super::Options;
use super::lines::{self, Line, Span, Style, longest_word, width, wrap};

/// A cell: one paragraph.
pub type Cell = Vec<Span>;

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Of each column, from the line of dashes.
    pub alignments: Vec<Alignment>,
    pub header: Vec<Cell>,
    pub rows: Vec<Vec<Cell>>,
}

/// Columns between two columns.
const GAP: usize = 2;

/// A row that takes more lines than this reads better as a record.
const TALLEST_ROW: usize = 8;

impl Table {
    /// The table in at most `options.width` columns. Cells break at spaces only; where a column would be narrower than its longest
    /// word, or a row taller than a reader can follow, each row becomes a record.
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
        let available = available.checked_sub(GAP * count.saturating_sub(1))?;
        if natural.iter().sum::<usize>() <= available {
            return Some(natural);
        }
        let least: Vec<usize> =
            (0..count).map(|column| cells(column).map(|cell| longest_word(cell)).max().unwrap_or(0)).collect();
        available.checked_sub(least.iter().sum())?;
        // Two ways to share the room; which one leads to fewer lines depends on the texts.
        let widths = [narrow_first(&natural, &least, available), by_need(&natural, &least, available)];
        let [first, second] = widths.each_ref().map(|widths| self.height(widths));
        let [narrow_first, by_need] = widths;
        let cost = |(sum, tallest)| (tallest > TALLEST_ROW, sum);
        let (widths, (_, tallest)) =
            if cost(first) <= cost(second) { (narrow_first, first) } else { (by_need, second) };
        (tallest <= TALLEST_ROW).then_some(widths)
    }

    /// The lines of all rows, with the blank ones between, and of the tallest row.
    fn height(&self, widths: &[usize]) -> (usize, usize) {
        let row = |row: &Vec<Cell>| row.iter().zip(widths).map(|(cell, width)| wrap(cell, *width).len()).max();
        let heights = self.rows.iter().map(|cells| row(cells).unwrap_or(0));
        let blank = if self.is_spaced(widths) { self.rows.len() } else { 0 };
        heights.fold((blank, 0), |(sum, tallest), height| (sum + height, tallest.max(height)))
    }

    /// Where the first cell goes on in a second line, only a blank line shows where the next row starts.
    fn is_spaced(&self, widths: &[usize]) -> bool {
        self.rows.iter().any(|row| row.first().zip(widths.first()).is_some_and(|(cell, most)| width(cell) > *most))
    }

    fn side_by_side(&self, widths: &[usize], options: Options) -> Vec<Line> {
        let header: Vec<Cell> = self.header.iter().map(strong).collect();
        let mut lines = self.row(&header, widths);
        let rule = if options.ascii { "-" } else { "─" };
        let total: usize = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        lines.push(lines::line(rule.repeat(total), Style::Faint));
        let is_spaced = self.is_spaced(widths);
        for (index, cells) in self.rows.iter().enumerate() {
            if is_spaced && index > 0 {
                lines.push(Line::new());
            }
            lines.extend(self.row(cells, widths));
        }
        lines
    }

    fn row(&self, cells: &[Cell], widths: &[usize]) -> Vec<Line> {
        let wrapped: Vec<Vec<Line>> = cells.iter().zip(widths).map(|(cell, width)| wrap(cell, *width)).collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
        (0..height)
            .map(|index| {
                let mut line = Line::new();
                let mut missing = 0;
                for (column, (cell, &most)) in wrapped.iter().zip(widths).enumerate() {
                    let content = cell.get(index).cloned().unwrap_or_default();
                    let room = most - lines::width(&content).min(most);
                    let left = match self.alignments.get(column) {
                        Some(Alignment::Right) if !content.is_empty() => room,
                        Some(Alignment::Center) if !content.is_empty() => room / 2,
                        _ => 0,
                    };
                    missing += left;
                    if !content.is_empty() {
                        if missing > 0 {
                            line.push(Span::new(" ".repeat(missing), Style::Plain));
                            missing = 0;
                        }
                        line.extend(content);
                    }
                    missing += room - left + GAP;
                }
                line
            })
            .collect()
    }

    /// Of each row, the first cell with the others below it; short ones share a line.
    fn records(&self, options: Options) -> Vec<Line> {
        let mut lines = Vec::new();
        for (index, cells) in self.rows.iter().enumerate() {
            if index > 0 {
                lines.push(Line::new());
            }
            let mut fields = self.header.iter().zip(cells).enumerate().filter(|(_, (_, cell))| !cell.is_empty());
            if let Some((0, (name, cell))) = fields.clone().next() {
                fields.next();
                lines.extend(hang(&field(name, cell), options.width, 0));
            }
            let mut open: Cell = Vec::new();
            for (_, (name, cell)) in fields {
                let field = field(name, cell);
                if !open.is_empty() && width(&open) + 3 + width(&field) + 2 <= options.width {
                    open.push(Span::new("   ", Style::Plain));
                    open.extend(field);
                    continue;
                }
                lines.extend(fits_or_hangs(std::mem::replace(&mut open, field), options.width));
            }
            lines.extend(fits_or_hangs(open, options.width));
        }
        // What the header cites holds for the whole table: it is said once, below.
        let marks: Line = self
            .header
            .iter()
            .flatten()
            .filter(|span| span.style == Style::Faint)
            .flat_map(|mark| [mark.clone(), Span::new(" ", Style::Plain)])
            .collect();
        if !marks.is_empty() {
            lines.push(Line::new());
            let all = std::iter::once(Span::new("All of the table: ", Style::Faint)).chain(marks);
            lines.extend(wrap(&all.collect::<Vec<_>>(), options.width));
        }
        lines
    }
}

/// Short columns keep their width, the others share what is left.
fn narrow_first(natural: &[usize], least: &[usize], available: usize) -> Vec<usize> {
    let at_most = |most: usize| natural.iter().zip(least).map(move |(natural, least)| (*natural).min(most).max(*least));
    let most = (1..=available).rev().find(|most| at_most(*most).sum::<usize>() <= available).unwrap_or(0);
    let mut widths: Vec<usize> = at_most(most).collect();
    let mut rest = available - widths.iter().sum::<usize>().min(available);
    for (width, natural) in widths.iter_mut().zip(natural) {
        let more = rest.min(natural.saturating_sub(*width));
        *width += more;
        rest -= more;
    }
    widths
}

/// What is left goes, a column at a time, to the one that lacks most: long texts end up about equally tall.
fn by_need(natural: &[usize], least: &[usize], available: usize) -> Vec<usize> {
    let mut widths = least.to_vec();
    for _ in least.iter().sum()..available {
        let lack = |column: &usize| natural[*column] * 100 / widths[*column].max(1);
        if let Some(column) = (0..widths.len()).max_by_key(lack) {
            widths[column] += 1;
        }
    }
    widths
}

/// `name: value`.
fn field(name: &Cell, cell: &Cell) -> Cell {
    let mut spans = strong(name);
    spans.retain(|span| span.style != Style::Faint);
    while spans.last().is_some_and(|span| span.text.trim().is_empty()) {
        spans.pop();
    }
    if let Some(last) = spans.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        spans.push(Span::new(": ", Style::Strong));
    }
    spans.extend(cell.iter().cloned());
    spans
}

/// Fields below the first one: as they are where they fit on a line.
fn fits_or_hangs(fields: Cell, most: usize) -> Vec<Line> {
    if fields.is_empty() || width(&fields) + 2 > most {
        return hang(&fields, most, 2);
    }
    vec![std::iter::once(Span::new("  ", Style::Plain)).chain(fields).collect()]
}

/// Broken lines, after the first one indented by two columns more.
fn hang(spans: &[Span], most: usize, indent: usize) -> Vec<Line> {
    let wrapped = wrap(spans, most.saturating_sub(indent + 2));
    let first = Span::new(" ".repeat(indent), Style::Plain);
    lines::prefix(wrapped, &first, &Span::new(" ".repeat(indent + 2), Style::Plain))
}

fn strong(cell: &Cell) -> Cell {
    cell.iter()
        .map(|span| Span { style: if span.style == Style::Plain { Style::Strong } else { span.style }, ..span.clone() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Table {
        let cells = |row: &&[&str]| row.iter().map(|text| vec![Span::new(*text, Style::Plain)]).collect::<Vec<Cell>>();
        Table { alignments: Vec::new(), header: cells(&rows[0]), rows: rows[1..].iter().map(cells).collect() }
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
            "Variable:\n  NCCL_IB_GID_INDEX\n  Purpose: picks\n    the entry\n\nVariable:\n  NCCL_IB_TC\n  Purpose: class\n"
        );
    }

    #[test]
    fn short_columns_keep_their_width() {
        let table = table(&[
            &["Role", "Who", "Does"],
            &["NP, notification point", "receiving NIC", "turns marks into CNPs, limited per flow"],
        ]);
        assert_eq!(
            shown(&table, 60),
            "Role                    Who            Does\n------------------------------------------------------------\n\
             NP, notification point  receiving NIC  turns marks into\n                                       CNPs, limited per\n\
             \x20                                      flow\n"
        );
    }

    #[test]
    fn short_fields_of_a_record_share_a_line() {
        let table = table(&[&["Variable", "Value", "Set it?", "Since"], &["NCCL_P2P_DISABLE", "1", "no", "any"]]);
        assert_eq!(shown(&table, 32), "Variable: NCCL_P2P_DISABLE\n  Value: 1   Set it?: no\n  Since: any\n");
    }

    #[test]
    fn columns_are_aligned_as_the_source_says() {
        let mut table = table(&[&["Rate", "Name", "n"], &["50", "日本", "1"], &["400 Gb/s", "x", "1000"]]);
        table.alignments = vec![Alignment::Right, Alignment::Center, Alignment::Left];
        assert_eq!(
            shown(&table, 40),
            "    Rate  Name  n\n--------------------\n      50  日本  1\n400 Gb/s   x    1000\n"
        );
    }

    #[test]
    fn a_row_with_missing_cells_is_shown() {
        assert_eq!(shown(&table(&[&["a", "b"], &["1"]]), 20), "a  b\n----\n1\n");
    }
}
