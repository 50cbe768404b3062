//! A word of a shell -> what the program gets, and whether that is known.

use super::super::names;
use super::lexer::{closing, continuation};
use crate::lint::place::{Builder, Mapped};
use crate::lint::source::{Position, Quote, Value};

/// A word without its quotes.
#[derive(Debug)]
pub(in super::super) struct Word {
    /// What it comes to. What is not known stands there as written.
    pub(in super::super) text: Mapped<'static>,
    /// As written.
    pub(in super::super) written: String,
    pub(in super::super) at: Position,
    pub(in super::super) quote: Quote,
    /// Only the run knows what it comes to.
    pub(in super::super) unresolved: bool,
}

/// Whose rules hold for the word.
#[derive(Clone, Copy)]
pub(in super::super) struct Rules<'r> {
    /// What a variable is known to hold here.
    pub(in super::super) known: &'r dyn Fn(&str) -> Option<String>,
    pub(in super::super) role: Role,
    pub(in super::super) escape: char,
}

/// What a word is for, which decides what is expanded in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Role {
    /// Any word: braces are expanded.
    Word,
    /// The value of an assignment: a tilde is.
    Value,
    /// The value of an assignment that `export` gets: both are.
    Declared,
}

/// Nothing is known of any variable.
pub(in super::super) fn unknown(_name: &str) -> Option<String> {
    None
}

impl Word {
    /// The value for a setting.
    pub(in super::super) fn value(&self) -> Value {
        if self.unresolved || names::is_template(&self.text.text) {
            return Value::Unresolved(self.written.clone());
        }
        Value::Literal { text: self.text.text.to_string(), written: self.written.clone(), quote: self.quote }
    }

    /// A word of a list that needs no shell: the text is the word.
    pub(in super::super) fn plain(text: Mapped<'static>, quote: Quote, unresolved: bool) -> Word {
        let (written, at) = (text.text.to_string(), text.position(0));
        Word { text, written, at, quote, unresolved }
    }

    /// What follows an offset of the text, as a word of its own.
    pub(in super::super) fn rest(&self, offset: usize) -> Word {
        let whole = &self.text.text;
        let text = self.text.part(offset, whole.len());
        let tail = &whole[offset..];
        let written = if self.written.ends_with(tail) { tail } else { self.written_rest(tail) }.to_string();
        // Pieces inside of a word may be unknown while others are not.
        let unresolved = self.unresolved && tail.contains(['$', '`', '{', '~', '<']);
        let quote = whole_quote(&written);
        // A quote may stand in front of the text.
        let before = whole[..offset].chars().next_back().map(|c| self.text.position(offset - c.len_utf8()));
        let at = before.map_or(self.at, |before| Position { column: before.column + 1, ..before });
        Word { text, written, at, quote, unresolved }
    }

    /// The part of the word as written that stands for the tail of its text: up to the quote that closes the word.
    fn written_rest<'w>(&'w self, tail: &str) -> &'w str {
        let written =
            self.written.strip_suffix(['"', '\'']).filter(|_| self.quote != Quote::None).unwrap_or(&self.written);
        if written.ends_with(tail) {
            return &written[written.len() - tail.len()..];
        }
        written.split_once('=').map_or(written, |(_, value)| value)
    }
}

/// Reads the word that stands at this range of a text.
pub(in super::super) fn read(source: &Mapped<'_>, start: usize, end: usize, rules: Rules<'_>) -> Word {
    let written = &source.text[start..end];
    let mut reader = Reader {
        source,
        at: start,
        end,
        rules,
        out: Builder::default(),
        unresolved: false,
        unclosed: Vec::new(),
        no_template: 0,
    };
    // At the beginning, and in a list of paths.
    let has_tilde = written.trim_start_matches("\\\n").starts_with('~') || written.contains(":~");
    if rules.role != Role::Word && has_tilde {
        reader.unresolved = true;
    }
    while reader.at < end {
        reader.step();
    }
    let unresolved = reader.unresolved;
    let mut out = reader.out;
    if out.text.is_empty() {
        out.push("", source.position(start));
    }
    Word {
        text: out.finish(),
        written: written.to_string(),
        at: source.position(start),
        quote: whole_quote(written),
        unresolved,
    }
}

/// How a word is quoted as a whole.
fn whole_quote(written: &str) -> Quote {
    for (mark, quote) in [('"', Quote::Double), ('\'', Quote::Single)] {
        if written.starts_with(mark) && closing(written, mark as u8) == Some(written.len()) {
            return quote;
        }
    }
    Quote::None
}

struct Reader<'s, 'r> {
    source: &'s Mapped<'s>,
    at: usize,
    end: usize,
    rules: Rules<'r>,
    out: Builder,
    unresolved: bool,
    /// Openers that nothing in the word closes.
    unclosed: Vec<u8>,
    /// Up to here nothing closes a template.
    no_template: usize,
}

impl<'s> Reader<'s, '_> {
    /// The length from an offset after here up to what closes what begins there. What is not closed is looked for once.
    fn closing(&mut self, offset: usize, kind: u8) -> Option<usize> {
        if self.unclosed.contains(&kind) {
            return None;
        }
        let length = closing(&self.source.text[self.at + offset..self.end], kind);
        if length.is_none() {
            self.unclosed.push(kind);
        }
        length
    }

    /// The length of the template that begins here, to an offset; of its first character where nothing closes it in this line.
    fn template(&mut self, end: usize) -> usize {
        let rest = &self.source.text[self.at..end];
        if self.at < self.no_template {
            return 1;
        }
        closing(rest, b'}').unwrap_or_else(|| {
            self.no_template = self.at + rest.find('\n').unwrap_or(rest.len());
            1
        })
    }

    fn rest(&self) -> &'s str {
        let source = self.source;
        &source.text[self.at..self.end]
    }

    fn take(&mut self, length: usize) {
        let end = self.source.text.floor_char_boundary((self.at + length).min(self.end)).max(self.at + 1).min(self.end);
        self.out.copy(self.source, self.at, end);
        self.at = end;
    }

    /// Takes text that only the run knows.
    fn take_unknown(&mut self, length: usize) {
        self.unresolved = true;
        self.take(length);
    }

    /// One piece outside of quotes.
    fn step(&mut self) {
        let rest = self.rest();
        let length = match rest.as_bytes()[0] {
            b'\'' => match self.closing(0, b'\'') {
                Some(length) => {
                    self.out.copy(self.source, self.at + 1, self.at + length - 1);
                    self.at += length;
                    return;
                }
                None => 1,
            },
            b'"' => match self.closing(0, b'"') {
                Some(length) => return self.double(length),
                None => 1,
            },
            b'$' if rest.starts_with("$'") => return self.ansi(),
            // A text for translation.
            b'$' if rest.starts_with("$\"") => {
                self.at += 1;
                return;
            }
            b'$' | b'`' => return self.expansion(),
            byte if byte == self.rules.escape as u8 => return self.escape(),
            b'<' | b'(' => return self.take_unknown(rest.len()),
            b'{' if rest.starts_with("{{") => {
                let length = self.template(self.end);
                return self.take_unknown(length);
            }
            b'{' if self.rules.role != Role::Value && expands(rest) => return self.take_unknown(rest.len()),
            _ => plain_length(rest, self.rules.escape),
        };
        self.take(length);
    }

    /// A backslash outside of quotes.
    fn escape(&mut self) {
        if let Some(length) = continuation(self.rest().as_bytes()) {
            self.at += length;
            return;
        }
        self.at += 1;
        if self.at < self.end {
            let length = self.rest().chars().next().map_or(0, char::len_utf8);
            self.take(length);
        }
    }

    /// Text in double quotes; the length has both of them.
    fn double(&mut self, length: usize) {
        let close = self.at + length - 1;
        self.at += 1;
        while self.at < close {
            let rest = &self.source.text[self.at..close];
            match rest.as_bytes()[0] {
                b'$' | b'`' => {
                    let end = std::mem::replace(&mut self.end, close);
                    self.expansion();
                    self.end = end;
                }
                byte if byte == self.rules.escape as u8 => {
                    if let Some(length) = continuation(rest.as_bytes()) {
                        self.at += length;
                    } else if matches!(rest.as_bytes().get(1), Some(b'$' | b'`' | b'"' | b'\\')) {
                        self.at += 1;
                        self.take(1);
                    } else {
                        self.take(1);
                    }
                }
                b'{' if rest.starts_with("{{") => {
                    let length = self.template(close);
                    self.take_unknown(length);
                }
                _ => {
                    let escape = self.rules.escape;
                    let length = rest.find(['$', '`', '{', escape]).unwrap_or(rest.len());
                    self.take(length.max(1));
                }
            }
        }
        self.at = close + 1;
    }

    /// A variable, a command or a calculation.
    fn expansion(&mut self) {
        let rest = self.rest();
        if rest.starts_with('`') {
            let length = self.closing(0, b'`').unwrap_or(1);
            return self.take_unknown(length);
        }
        let Some(second) = rest.as_bytes().get(1) else { return self.take(1) };
        let (name, length) = match second {
            b'{' => {
                let length = self.closing(1, b'{').map_or(2, |length| length + 1);
                (rest.get(2..length.saturating_sub(1)).unwrap_or_default(), length)
            }
            b'(' => ("", self.closing(1, b'(').map_or(2, |length| length + 1)),
            b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-' | b'0'..=b'9' => ("", 2),
            _ => {
                let length = names::identifier(&rest[1..]);
                if length == 0 {
                    return self.take(1);
                }
                (&rest[1..=length], length + 1)
            }
        };
        let is_name = !name.is_empty() && names::identifier(name) == name.len();
        match is_name.then(|| (self.rules.known)(name)).flatten() {
            Some(text) => {
                self.out.push(&text, self.source.position(self.at));
                self.at += length;
            }
            None => self.take_unknown(length),
        }
    }

    /// `$'...'`
    fn ansi(&mut self) {
        self.at += 2;
        while self.at < self.end {
            let rest = self.rest();
            match rest.as_bytes()[0] {
                b'\'' => {
                    self.at += 1;
                    return;
                }
                b'\\' => {
                    let plain = match rest.as_bytes().get(1) {
                        Some(b'n') => "\n",
                        Some(b't') => "\t",
                        Some(b'r') => "\r",
                        Some(b'\\') => "\\",
                        Some(b'\'') => "'",
                        Some(b'"') => "\"",
                        // Numbers of characters: nobody writes a setting with them.
                        _ => {
                            self.take_unknown(1);
                            continue;
                        }
                    };
                    self.out.push(plain, self.source.position(self.at));
                    self.at += 2;
                }
                _ => {
                    let length = rest.find(['\'', '\\']).unwrap_or(rest.len());
                    self.take(length);
                }
            }
        }
    }
}

/// The length of text without any special character; at least one.
fn plain_length(text: &str, escape: char) -> usize {
    let is_special = |c: char| matches!(c, '\'' | '"' | '$' | '`' | '<' | '{' | '(') || c == escape;
    let first = text.chars().next().map_or(0, char::len_utf8);
    text[first..].find(is_special).map_or(text.len(), |length| length + first)
}

/// Longer braces are not looked into.
const LONGEST_BRACES: usize = 512;

/// `{a,b}` and `{1..3}` make several words.
fn expands(text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(LONGEST_BRACES)];
    text.find('}').is_some_and(|end| text[..end].contains(',') || text[..end].contains(".."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::source::Text;

    fn value(written: &str) -> Result<String, String> {
        let text = Text::new(written.to_string(), '\n');
        let known = |name: &str| (name == "KNOWN").then(|| "k".to_string());
        let rules = Rules { known: &known, role: Role::Value, escape: '\\' };
        match read(&Mapped::file(&text), 0, written.len(), rules).value() {
            Value::Literal { text, .. } => Ok(text),
            _ => Err(written.to_string()),
        }
    }

    #[test]
    fn quotes_are_taken_off_as_a_shell_does() {
        for (written, expected) in [
            ("1", "1"),
            ("\"a b\"", "a b"),
            ("'a $b'", "a $b"),
            ("a\"b\"'c'", "abc"),
            ("=mlx5_0", "=mlx5_0"),
            ("a\\ b", "a b"),
            ("\"a\\$b\\\"c\\d\"", "a$b\"c\\d"),
            ("$'a\\tb'", "a\tb"),
            ("'a'\\''b'", "a'b"),
            ("\"\"", ""),
            ("", ""),
            ("a\\\nb", "ab"),
            ("x${KNOWN}y", "xky"),
            ("\"$KNOWN\"", "k"),
            ("1\r", "1\r"),
            ("{a,b}", "{a,b}"),
            ("a$", "a$"),
            ("'ä'", "ä"),
        ] {
            assert_eq!(value(written), Ok(expected.to_string()), "{written}");
        }
    }

    #[test]
    fn what_only_the_run_knows_is_not_resolved() {
        for written in [
            "$A",
            "${A:-3}",
            "\"x$A\"",
            "$(cmd)",
            "`cmd`",
            "$((1+2))",
            "{{ x }}",
            "\"{{ x }}\"",
            "<hca>",
            "~/x",
            "$1",
            "$@",
            "(a b)",
        ] {
            assert!(value(written).is_err(), "{written}");
        }
    }
}
