//! A shell script -> words, operators and here-documents.

use std::ops::Range;

use super::super::names;

/// A piece of a script; ranges are byte offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Range<usize>),
    Operator(&'static str),
    /// The number of a file in front of a redirection is part of it.
    Redirect(&'static str),
    Newline,
    Comment(Range<usize>),
}

/// A here-document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HereDocument {
    pub(super) body: Range<usize>,
    /// The delimiter is quoted: nothing in the body is expanded.
    pub(super) literal: bool,
    /// `<<-`: tabs at the beginning of a line do not count.
    pub(super) strips_tabs: bool,
}

/// Takes a script apart. Time is linear: what is not closed is looked for once only.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Delimiters of here-documents that begin after this line: the text, whether it is quoted, whether tabs are taken off.
    awaited: Vec<(String, bool, bool)>,
    /// Those that were read, in their order.
    pub(super) documents: Vec<HereDocument>,
    /// Openers that nothing closes: `'`, `"`, a backtick, `(`, `{`, `}` for a template.
    unclosed: Vec<u8>,
}

const REDIRECTS: [&str; 12] = ["<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">"];
const OPERATORS: [&str; 11] = [";;&", "&&", "||", ";;", ";&", "|&", "|", "&", ";", "(", ")"];

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { text, at: 0, awaited: Vec::new(), documents: Vec::new(), unclosed: Vec::new() }
    }

    /// The number of here-documents that were announced so far.
    pub(super) fn announced(&self) -> usize {
        self.documents.len() + self.awaited.len()
    }

    /// A here-document begins after this line.
    pub(super) fn expect_document(&mut self, delimiter: &str, strips_tabs: bool) {
        let literal = delimiter.contains(['\'', '"', '\\']);
        let plain = delimiter.replace(['\'', '"', '\\'], "");
        self.awaited.push((plain, literal, strips_tabs));
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let first = *rest.as_bytes().first()?;
        match first {
            b'\n' => {
                self.at += 1;
                self.read_documents();
                return Some(Token::Newline);
            }
            b'#' => {
                let start = self.at;
                self.at += rest.find('\n').unwrap_or(rest.len());
                return Some(Token::Comment(start..self.at));
            }
            _ => {}
        }
        // `<(command)` is a word; its text is not looked into.
        let is_substitution = rest.starts_with("<(") || rest.starts_with(">(");
        if !is_substitution {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let find =
                |list: &[&'static str], text: &str| list.iter().find(|operator| text.starts_with(**operator)).copied();
            if let Some(redirect) =
                find(&REDIRECTS, &rest[digits..]).filter(|found| digits == 0 || !found.starts_with('&'))
            {
                self.at += digits + redirect.len();
                return Some(Token::Redirect(redirect));
            }
            if let Some(operator) = find(&OPERATORS, rest) {
                self.at += operator.len();
                return Some(Token::Operator(operator));
            }
        }
        let start = self.at;
        self.skip_word();
        Some(Token::Word(start..self.at))
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\x0b' | b'\x0c') => self.at += 1,
                Some(b'\r') if bytes.get(self.at + 1) == Some(&b'\n') => self.at += 1,
                Some(b'\\') => match continuation(&bytes[self.at..]) {
                    Some(length) => self.at += length,
                    None => return,
                },
                _ => return,
            }
        }
    }

    /// Skips to the end of a word; always forward.
    fn skip_word(&mut self) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut is_first = true;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'(' if self.at > start => {
                    let before = self.text[start..self.at].trim_end_matches('=');
                    let name = before.trim_end_matches('+');
                    // An array. Other parentheses end the word.
                    let is_array = std::mem::take(&mut is_first)
                        && before.len() + 1 == self.at - start
                        && names::identifier(name) == name.len();
                    if is_array || matches!(bytes[self.at - 1], b'@' | b'?' | b'*' | b'+' | b'!') {
                        self.skip_closed(b'(');
                    } else {
                        break;
                    }
                }
                b'<' | b'>' if bytes.get(self.at + 1) == Some(&b'(') => {
                    self.at += 1;
                    self.skip_closed(b'(');
                }
                // `NAME=<fill in>`
                b'<' if bytes[..self.at].last() == Some(&b'=') && self.placeholder() > 0 => {
                    self.at += self.placeholder();
                }
                b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b')' | b'\x0b' | b'\x0c' | b'<' | b'>' => break,
                _ => self.skip_one(),
            }
        }
        if self.at == start {
            self.at += self.text[start..].chars().next().map_or(0, char::len_utf8);
        }
    }

    /// The length of `<words>` in this line.
    fn placeholder(&self) -> usize {
        let rest = &self.text[self.at + 1..];
        let end =
            rest.bytes().take(80).take_while(|byte| !matches!(byte, b'>' | b'<' | b'\n' | b'&' | b'|' | b'$')).count();
        let is_word = rest.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_word && rest.as_bytes().get(end) == Some(&b'>') { end + 2 } else { 0 }
    }

    /// Skips a character, or all that a quote or an expansion holds.
    fn skip_one(&mut self) {
        let bytes = self.text.as_bytes();
        match bytes[self.at] {
            b'\\' => {
                self.at += 1;
                let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
                self.at += length;
            }
            b'\'' => self.skip_closed(b'\''),
            b'"' => self.skip_closed(b'"'),
            b'`' => self.skip_closed(b'`'),
            b'$' => match bytes.get(self.at + 1) {
                Some(b'(' | b'{') => {
                    self.at += 1;
                    self.skip_closed(bytes[self.at]);
                }
                Some(b'\'') => {
                    self.at += 1;
                    self.skip_ansi();
                }
                _ => self.at += 1,
            },
            b'{' if bytes.get(self.at + 1) == Some(&b'{') => self.skip_closed(b'}'),
            byte if byte.is_ascii() => self.at += 1,
            _ => self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8),
        }
    }

    /// Skips what begins here up to what closes it. Where nothing does, the opener is a character like others, here and from now on.
    fn skip_closed(&mut self, kind: u8) {
        let end = if self.unclosed.contains(&kind) { None } else { closing(&self.text[self.at..], kind) };
        if let Some(length) = end {
            self.at += length;
            return;
        }
        if !self.unclosed.contains(&kind) {
            self.unclosed.push(kind);
        }
        self.at += 1;
    }

    fn skip_ansi(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let mut at = 1;
        while at < rest.len() {
            match rest[at] {
                b'\\' => at += 2,
                b'\'' => break,
                _ => at += 1,
            }
        }
        self.at = self.text.floor_char_boundary((self.at + at + 1).min(self.text.len()));
    }

    /// Reads the here-documents that were announced in the line that ended. Without its delimiter one goes up to the end.
    fn read_documents(&mut self) {
        for (delimiter, literal, strips_tabs) in std::mem::take(&mut self.awaited) {
            let start = self.at;
            let mut end = self.text.len();
            while self.at < self.text.len() {
                let rest = &self.text[self.at..];
                let length = rest.find('\n').map_or(rest.len(), |length| length + 1);
                let line = rest[..length].trim_end_matches(['\n', '\r']);
                let line = if strips_tabs { line.trim_start_matches('\t') } else { line };
                if line == delimiter {
                    end = self.at;
                    self.at += length;
                    break;
                }
                self.at += length;
            }
            self.documents.push(HereDocument { body: start..end, literal, strips_tabs });
        }
    }
}

/// The length of a backslash that continues the line.
pub(super) fn continuation(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\\', b'\n', ..] => Some(2),
        // A shell does not take it so, but whoever wrote it meant it.
        [b'\\', b'\r', b'\n', ..] => Some(3),
        _ => None,
    }
}

/// The length of what the text begins with, up to and with what closes it. Quotes inside are skipped.
pub(super) fn closing(text: &str, kind: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    if kind == b'}' {
        // A template stays in its line.
        let line = text.lines().next().unwrap_or_default();
        return line.find("}}").map(|at| at + 2);
    }
    // What is open, the innermost last.
    let mut open = vec![kind];
    let mut at = 1;
    while let (Some(&innermost), Some(&byte)) = (open.last(), bytes.get(at)) {
        at += 1;
        match (innermost, byte) {
            (b'\'', b'\'') | (b'"', b'"') | (b'`', b'`') | (b'(', b')') | (b'{', b'}') => {
                open.pop();
            }
            (b'\'', _) => {}
            (_, b'\\') => at += 1,
            (b'"' | b'`' | b'(' | b'{', b'$') if matches!(bytes.get(at), Some(b'(' | b'{')) => {
                open.push(bytes[at]);
                at += 1;
            }
            (b'"', b'`') | (b'(' | b'{', b'"' | b'`') | (b'(', b'\'' | b'(') => open.push(byte),
            // A comment in an array or a command substitution may hold a quote.
            (b'(', b'#') if matches!(bytes[at - 2], b' ' | b'\n' | b'\t') => {
                at += bytes[at..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - at);
            }
            _ => {}
        }
    }
    open.is_empty().then_some(at.min(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        while let Some(token) = lexer.next() {
            out.push(match token {
                Token::Word(range) => text[range].to_string(),
                Token::Comment(range) => format!("#{}", range.len()),
                Token::Operator(operator) => format!("op {operator}"),
                Token::Redirect(redirect) => format!("re {redirect}"),
                Token::Newline => "nl".to_string(),
            });
        }
        out
    }

    #[test]
    fn words_end_where_the_shell_ends_them() {
        for (text, expected) in [
            ("export A=1 B='x y' # c", &["export", "A=1", "B='x y'", "#3"] as &[&str]),
            ("a \\\n b", &["a", "b"]),
            ("a \\\r\n b\r\n", &["a", "b\r", "nl"]),
            ("a&&b||c;d|e&", &["a", "op &&", "b", "op ||", "c", "op ;", "d", "op |", "e", "op &"]),
            ("A=\"x $(echo \"y)\" ) z\" b", &["A=\"x $(echo \"y)\" ) z\"", "b"]),
            ("A=${B:-\"x y\"} c", &["A=${B:-\"x y\"}", "c"]),
            ("A=(x 'y )' # it's\n z) b", &["A=(x 'y )' # it's\n z)", "b"]),
            ("f() { a; }", &["f", "op (", "op )", "{", "a", "op ;", "}"]),
            ("x 2>&1 >>f", &["x", "re >&", "1", "re >>", "f"]),
            ("A={{ b | c }} d", &["A={{ b | c }}", "d"]),
            ("A=<your hca> d", &["A=<your hca>", "d"]),
            ("don't stop", &["don't", "stop"]),
            ("A=$(unclosed b", &["A=$(unclosed", "b"]),
            ("a#b", &["a#b"]),
            ("A=$'x\\'y' b", &["A=$'x\\'y'", "b"]),
            ("cat <(a b)", &["cat", "<(a b)"]),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn any_bytes_end() {
        for text in [
            "\\", "'", "\"", "$(", "${", "$'", "$'\\", "`", "A=(", "(", "<<", "{{", "ä\\ä", "\\ä", "$", "A=<", "#",
            "\r",
        ] {
            tokens(text);
            tokens(&format!("{text}ä\n{text}"));
        }
        // Each of these would be looked for to the end again and again.
        for opener in ["$(", "\"$(", "`", "'\"", "{{", "A=(", "${", "\\"] {
            tokens(&opener.repeat(200_000));
        }
    }
}
