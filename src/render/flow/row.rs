//! A row of a drawing: pieces at columns, and lanes between them.

use crate::render::lines::{self, Line, Span, Style};

/// Pieces from left to right; they do not overlap.
#[derive(Default)]
pub struct Row {
    pieces: Vec<(usize, Span)>,
}

impl Row {
    /// Puts text behind all other, at a column.
    pub fn put(&mut self, column: usize, text: impl Into<String>, style: Style) {
        debug_assert!(column >= self.width(), "pieces overlap");
        self.pieces.push((column, Span::new(text, style)));
    }

    /// Puts text right behind the last.
    pub fn add(&mut self, text: impl Into<String>, style: Style) {
        self.pieces.push((self.width(), Span::new(text, style)));
    }

    /// Puts a line behind all other, at a column.
    pub fn put_line(&mut self, column: usize, line: Line) {
        let mut column = column;
        for span in line {
            let width = lines::width(std::slice::from_ref(&span));
            self.pieces.push((column, span));
            column += width;
        }
    }

    /// Puts text before all other.
    pub fn insert(&mut self, column: usize, text: String, style: Style) {
        self.pieces.insert(0, (column, Span::new(text, style)));
    }

    /// The column behind the last piece.
    pub fn width(&self) -> usize {
        self.pieces.last().map_or(0, |(column, span)| column + lines::width(std::slice::from_ref(span)))
    }

    /// The line, with a stroke in each lane where nothing else is.
    pub fn into_line(self, lanes: &[usize], stroke: char) -> Line {
        let mut out = Line::new();
        let mut column = 0;
        for (start, span) in self.pieces {
            // A stroke right before text would be read as a part of it.
            gap(&mut out, column, start, lanes.iter().filter(|axis| *axis + 2 < start), stroke);
            column = start + lines::width(std::slice::from_ref(&span));
            out.push(span);
        }
        let end = lanes.iter().map(|axis| axis + 1).max().unwrap_or(0);
        gap(&mut out, column, end, lanes.iter().filter(|axis| **axis > column), stroke);
        out
    }
}

fn gap<'l>(out: &mut Line, from: usize, to: usize, lanes: impl Iterator<Item = &'l usize>, stroke: char) {
    if from < to {
        let lanes: Vec<&usize> = lanes.collect();
        let text = (from..to).map(|column| if lanes.contains(&&column) { stroke } else { ' ' });
        out.push(Span::new(text.collect::<String>(), Style::Faint));
    }
}
