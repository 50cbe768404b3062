//! Text with the place in the file that each of its characters comes from.

use std::borrow::Cow;

use super::columns::Characters;
use super::source::{Position, Text};

/// Text of a file, or text that was taken out of it: unquoted, without the indent of its block, with continued lines joined.
#[derive(Debug)]
pub(super) struct Mapped<'a> {
    pub(super) text: Cow<'a, str>,
    places: Places<'a>,
}

#[derive(Debug)]
enum Places<'a> {
    /// All of a file.
    File(&'a Text),
    /// In the order of their offsets.
    Pieces(Vec<Piece>, Characters),
}

/// A part of a text, up to the next one.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Its offset in the text.
    at: usize,
    /// The place of its first character. The others follow it in the same line.
    place: Position,
    /// The text stands for something else: all of it is at this place.
    replaced: bool,
}

impl<'a> Mapped<'a> {
    /// A whole file.
    pub(super) fn file(text: &'a Text) -> Self {
        Mapped { text: Cow::Borrowed(&text.whole), places: Places::File(text) }
    }

    /// No text.
    pub(super) fn empty() -> Self {
        Mapped { text: Cow::Borrowed(""), places: Places::Pieces(Vec::new(), Characters::Bytes) }
    }

    /// The place of the character at an offset.
    pub(super) fn position(&self, offset: usize) -> Position {
        let (characters, base, place) = match &self.places {
            Places::File(text) => return text.position(offset),
            Places::Pieces(_, characters) => match self.piece(offset) {
                Some(piece) if piece.replaced => return piece.place,
                Some(piece) => (characters, piece.at, piece.place),
                None => return Position { line: 1, column: 1 },
            },
        };
        let column = place.column + characters.before(&self.text, offset) - characters.before(&self.text, base);
        Position { line: place.line, column }
    }

    /// The piece that an offset stands in.
    fn piece(&self, offset: usize) -> Option<Piece> {
        let Places::Pieces(pieces, _) = &self.places else { return None };
        let next = pieces.partition_point(|piece| piece.at <= offset);
        next.checked_sub(1).and_then(|index| pieces.get(index)).copied()
    }

    /// Where the piece that an offset stands in ends.
    fn next_piece(&self, offset: usize) -> usize {
        let Places::Pieces(pieces, _) = &self.places else { return usize::MAX };
        let next = pieces.partition_point(|piece| piece.at <= offset);
        pieces.get(next).map_or(usize::MAX, |piece| piece.at)
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
    pieces: Vec<Piece>,
}

impl Builder {
    fn begin(&mut self, place: Position, replaced: bool) {
        self.pieces.push(Piece { at: self.text.len(), place, replaced });
    }

    /// Appends a part of a text, character by character the same.
    pub(super) fn copy(&mut self, from: &Mapped<'_>, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            // No farther than the piece goes: a text of many pieces would be looked through again for each.
            let piece = &from.text[at..end.min(from.next_piece(at))];
            let length = piece.find('\n').map_or(piece.len(), |length| length + 1);
            self.begin(from.position(at), from.piece(at).is_some_and(|piece| piece.replaced));
            self.text.push_str(&from.text[at..at + length]);
            at += length;
        }
        if start == end && self.pieces.is_empty() {
            self.begin(from.position(start), false);
        }
    }

    /// Appends other text that stands for what is at this place.
    pub(super) fn push(&mut self, text: &str, place: Position) {
        self.begin(place, true);
        self.text.push_str(text);
    }

    /// Appends as many other characters as there are at this place.
    pub(super) fn cover(&mut self, text: &str, place: Position) {
        self.begin(place, false);
        self.text.push_str(text);
    }

    pub(super) fn finish(self) -> Mapped<'static> {
        let characters = Characters::of(&self.text);
        Mapped { text: Cow::Owned(self.text), places: Places::Pieces(self.pieces, characters) }
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
        let mut replaced = Builder::default();
        replaced.push("long", place(1, 1));
        replaced.copy(&file, 1, 2);
        let replaced = replaced.finish().part(1, 5);
        assert_eq!((replaced.position(2), replaced.position(3)), (place(1, 1), place(1, 2)));
    }
}
