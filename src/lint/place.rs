//! Text with the place in the file that each of its characters comes from.

use std::borrow::Cow;
use std::cell::Cell;

use super::source::{Position, Text};

/// Text of a file, or text that was taken out of it: unquoted, without the indent of its block, with continued lines joined.
#[derive(Debug)]
pub(super) struct Mapped<'a> {
    pub(super) text: Cow<'a, str>,
    places: Places<'a>,
    /// Where the last question was about: most go forward, and counting goes on from there.
    last: Cell<(usize, usize, usize)>,
}

#[derive(Debug)]
enum Places<'a> {
    /// All of a file.
    File(&'a Text),
    /// From the offset on, characters follow each other in one line of the file from this place on.
    Pieces(Vec<(usize, Position)>),
}

impl<'a> Mapped<'a> {
    /// A whole file.
    pub(super) fn file(text: &'a Text) -> Self {
        Mapped { text: Cow::Borrowed(&text.whole), places: Places::File(text), last: Cell::default() }
    }

    /// Text made of pieces: each an offset in the text and its place, in the order of the offsets.
    pub(super) fn pieces(text: impl Into<Cow<'a, str>>, pieces: Vec<(usize, Position)>) -> Self {
        Mapped { text: text.into(), places: Places::Pieces(pieces), last: Cell::default() }
    }

    /// The place of the character at an offset.
    pub(super) fn position(&self, offset: usize) -> Position {
        let (base, place) = match &self.places {
            Places::File(text) => text.line_at(offset),
            Places::Pieces(pieces) => {
                let next = pieces.partition_point(|(at, _)| *at <= offset);
                *next
                    .checked_sub(1)
                    .and_then(|index| pieces.get(index))
                    .unwrap_or(&(0, Position { line: 1, column: 1 }))
            }
        };
        let end = self.text.floor_char_boundary(offset);
        let (last_base, last, last_column) = self.last.get();
        let count = |from: usize, to: usize| self.text.get(from..to).map_or(0, |between| between.chars().count());
        let column = if last_base != base || last_column == 0 || end - base < end.abs_diff(last) {
            place.column + count(base, end)
        } else if last <= end {
            last_column + count(last, end)
        } else {
            last_column - count(end, last)
        };
        self.last.set((base, end, column));
        Position { line: place.line, column }
    }

    /// Where the piece that an offset stands in ends.
    fn next_piece(&self, offset: usize) -> usize {
        match &self.places {
            Places::File(_) => usize::MAX,
            Places::Pieces(pieces) => {
                let next = pieces.partition_point(|(at, _)| *at <= offset);
                pieces.get(next).map_or(usize::MAX, |(at, _)| *at)
            }
        }
    }

    /// A part of the text, with its places.
    pub(super) fn part(&self, start: usize, end: usize) -> Mapped<'static> {
        let mut builder = Builder::default();
        builder.copy(self, start, end);
        builder.finish()
    }
}

/// Puts text together from pieces.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) text: String,
    pieces: Vec<(usize, Position)>,
}

impl Builder {
    /// Appends a part of a text, character by character the same.
    pub(super) fn copy(&mut self, from: &Mapped<'_>, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let line = from.text[at..end].find('\n').map_or(end - at, |length| length + 1);
            let length = line.min(from.next_piece(at) - at);
            self.pieces.push((self.text.len(), from.position(at)));
            self.text.push_str(&from.text[at..at + length]);
            at += length;
        }
        if start == end && self.pieces.is_empty() {
            self.pieces.push((0, from.position(start)));
        }
    }

    /// Appends other text that stands for what is at this place.
    pub(super) fn push(&mut self, text: &str, place: Position) {
        self.pieces.push((self.text.len(), place));
        self.text.push_str(text);
    }

    pub(super) fn finish(self) -> Mapped<'static> {
        Mapped::pieces(self.text, self.pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_character_has_its_place() {
        let text = Text::new("ab\nä=x\n".to_string(), '\n');
        let file = Mapped::file(&text);
        let place = |line, column| Position { line, column };
        assert_eq!(file.position(0), place(1, 1));
        assert_eq!(file.position(5), place(2, 2));
        assert_eq!(file.position(4), place(2, 1), "inside of a character: the character");
        assert_eq!(file.position(1), place(1, 2));
        let part = file.part(1, 6);
        assert_eq!(&*part.text, "b\nä=");
        assert_eq!((part.position(0), part.position(2), part.position(4)), (place(1, 2), place(2, 1), place(2, 2)));
        // Lines that were joined: a part of a part still knows both.
        let mut joined = Builder::default();
        joined.copy(&file, 0, 2);
        joined.copy(&file, 3, 6);
        let part = joined.finish().part(1, 5);
        assert_eq!(&*part.text, "bä=");
        assert_eq!((part.position(0), part.position(3)), (place(1, 2), place(2, 2)));
    }
}
