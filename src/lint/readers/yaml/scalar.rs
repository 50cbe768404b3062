//! A scalar -> its text with places, and the value of a setting.

use super::super::names;
use super::tree::{Content, Tree};
use crate::lint::place::{Builder, Mapped};
use crate::lint::source::{Broken, Quote, Value};

/// The text of a scalar with the place of each character, as far as its form lets see it.
pub(super) fn mapped(source: &Mapped<'_>, tree: &Tree, node: usize) -> Mapped<'static> {
    let node = &tree.nodes[node];
    let Content::Scalar { text, quote, .. } = &node.content else { return Mapped::empty() };
    let is_quoted = matches!(quote, Quote::Single | Quote::Double) && node.end > node.start + 1;
    let (start, end) = if is_quoted { (node.start + 1, node.end - 1) } else { (node.start, node.end) };
    let mut align = Align { source, at: start, end, run: start, builder: Builder::default() };
    for (at, c) in text.char_indices() {
        if !align.take(c, *quote) {
            align.flush();
            align.builder.push(&text[at..], source.position(align.at));
            return align.builder.finish();
        }
    }
    align.flush();
    if align.builder.text.is_empty() {
        align.builder.push("", source.position(start));
    }
    align.builder.finish()
}

/// Follows a scalar as written, character by character of its text.
struct Align<'s> {
    source: &'s Mapped<'s>,
    at: usize,
    end: usize,
    /// From here on the two are alike.
    run: usize,
    builder: Builder,
}

impl Align<'_> {
    fn flush(&mut self) {
        if self.run < self.at {
            self.builder.copy(self.source, self.run, self.at);
        }
        self.run = self.at;
    }

    fn skip(&mut self, length: usize) {
        self.flush();
        self.at += length;
        self.run = self.at;
    }

    /// A character that stands for others.
    fn replaced(&mut self, c: char, length: usize) {
        self.flush();
        let place = self.source.position(self.at.min(self.source.text.len()));
        self.builder.push(c.encode_utf8(&mut [0; 4]), place);
        self.at += length;
        self.run = self.at;
    }

    /// Takes the next character of the text; `false` where the two have nothing to do with each other.
    fn take(&mut self, c: char, quote: Quote) -> bool {
        loop {
            let rest = &self.source.text[self.at..self.end];
            let Some(written) = rest.chars().next() else {
                let is_blank = c.is_whitespace();
                if is_blank {
                    self.replaced(c, 0);
                }
                return is_blank;
            };
            let second = rest[written.len_utf8()..].chars().next();
            match (written, quote) {
                ('\\', Quote::Double) => {
                    let meant = match second {
                        Some('n') => '\n',
                        Some('t') => '\t',
                        Some('\n') => {
                            // A line that goes on: with its indent it is nothing.
                            let blanks = rest[2..].len() - rest[2..].trim_start().len();
                            self.skip(2 + blanks);
                            continue;
                        }
                        Some(other) => other,
                        None => return false,
                    };
                    if meant != c {
                        return false;
                    }
                    self.replaced(c, 1 + second.map_or(0, char::len_utf8));
                    return true;
                }
                ('\'', Quote::Single) if second == Some('\'') => {
                    self.replaced(c, 2);
                    return c == '\'';
                }
                _ => {}
            }
            if written == c {
                self.at += written.len_utf8();
                return true;
            }
            if !written.is_whitespace() {
                // Folded line ends that the text has more of.
                if c.is_whitespace() {
                    self.replaced(c, 0);
                    return true;
                }
                return false;
            }
            if c.is_whitespace() {
                let blanks = rest.len() - rest.trim_start().len();
                self.replaced(c, blanks);
                return true;
            }
            self.skip(written.len_utf8());
        }
    }
}

/// The value that a node gives to a variable, and what is wrong with it; `doubles` where `$$` stands for a dollar sign.
pub(super) fn value(source: &Mapped<'_>, tree: &Tree, node: usize, doubles: bool) -> (Value, Option<Broken>) {
    let place = &tree.nodes[node];
    let written = source.text[place.start..place.end].trim_end().to_string();
    let Content::Scalar { text, quote, tagged } = &place.content else {
        return (Value::Unresolved(String::new()), Some(Broken::NotText(crate::lint::source::NotText::Collection)));
    };
    let broken = if *quote == Quote::None && !tagged { names::not_text(text).map(Broken::NotText) } else { None };
    let (text, is_open) = if doubles {
        (text.replace("$$", "$"), names::has_variable(&text.replace("$$", "")))
    } else {
        (text.clone(), names::has_variable(text))
    };
    if is_open || names::is_template(&text) {
        return (Value::Unresolved(written), None);
    }
    (Value::Literal { text, written, quote: *quote }, broken)
}
