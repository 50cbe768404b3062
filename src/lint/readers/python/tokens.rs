//! A Python program -> names, strings and signs.

use crate::lint::source::Quote;

/// A piece of a program; comments are none.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The blanks in front of the line.
    pub(super) indent: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// A string; without a text where only the run knows it, or where it is bytes.
    Text {
        text: Option<String>,
        quote: Quote,
    },
    /// A sign; of several that belong together, as one.
    Operator,
    /// The end of a line that no bracket continues, and of lines in brackets as well.
    Newline,
}

/// More tokens than this are not kept.
pub(super) const MOST_TOKENS: usize = 2_000_000;

/// Takes a program apart. Time is linear: a string that nothing closes is none, and looked for once.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut indent, mut depth) = (0, 0, 0_usize);
    let mut starts_line = true;
    let mut unclosed: Vec<(&str, usize)> = Vec::new();
    while let Some(&byte) = bytes.get(at).filter(|_| tokens.len() < MOST_TOKENS) {
        let start = at;
        let kind = match byte {
            b'\n' => {
                at += 1;
                starts_line = depth == 0;
                if depth > 0 {
                    continue;
                }
                Kind::Newline
            }
            b' ' | b'\t' | b'\r' | b'\x0c' => {
                at += 1;
                continue;
            }
            b'\\' => {
                at += 1;
                at += bytes[at..].iter().take_while(|byte| **byte == b'\r').count();
                at += usize::from(bytes.get(at) == Some(&b'\n'));
                continue;
            }
            b'#' => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            b'"' | b'\'' => string(text, &mut at, "", &mut unclosed),
            b'0'..=b'9' => {
                at += text[at..]
                    .bytes()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_'))
                    .count();
                Kind::Number
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                at += text[at..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
                let prefix = &text[start..at];
                let is_prefix = prefix.len() < 3 && prefix.bytes().all(|byte| b"rRbBfFuUtT".contains(&byte));
                if is_prefix && matches!(bytes.get(at), Some(b'"' | b'\'')) {
                    string(text, &mut at, prefix, &mut unclosed)
                } else {
                    Kind::Name
                }
            }
            byte if byte.is_ascii() => {
                at += 1;
                match byte {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    // `==`, `+=`, `|=`, `:=`
                    b'=' | b'+' | b'|' | b':' | b'!' | b'<' | b'>' | b'-' | b'*' if bytes.get(at) == Some(&b'=') => {
                        at += 1;
                    }
                    _ => {}
                }
                Kind::Operator
            }
            _ => {
                at += text[at..].chars().take_while(|c| !c.is_ascii()).map(char::len_utf8).sum::<usize>().max(1);
                Kind::Name
            }
        };
        if std::mem::take(&mut starts_line) && kind != Kind::Newline {
            let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
            indent = start - line;
        }
        if kind == Kind::Newline {
            starts_line = true;
            if tokens.last().is_some_and(|token: &Token| token.kind == Kind::Newline) {
                continue;
            }
        }
        tokens.push(Token { kind, start, end: at, indent });
    }
    tokens
}

/// Reads a string whose quote stands at `at`.
fn string(text: &str, at: &mut usize, prefix: &str, unclosed: &mut Vec<(&'static str, usize)>) -> Kind {
    let rest = &text[*at..];
    let marks = [("\"\"\"", Quote::Block), ("'''", Quote::Block), ("\"", Quote::Double), ("'", Quote::Single)];
    // What nothing closed before is not looked for again up to there.
    let is_open = |mark: &str| unclosed.iter().any(|(open, end)| *open == mark && *at < *end);
    let mark = marks.iter().find(|(mark, _)| rest.starts_with(mark) && !is_open(mark));
    let Some((mark, quote)) = mark else {
        *at += 1;
        return Kind::Operator;
    };
    let inside = &rest[mark.len()..];
    let is_raw = prefix.contains(['r', 'R']);
    let length = match end_of_string(inside, mark, *quote == Quote::Block) {
        Ok(length) => length,
        Err(looked_at) => {
            unclosed.retain(|(open, _)| open != mark);
            unclosed.push((mark, *at + mark.len() + looked_at));
            *at += mark.len();
            return Kind::Operator;
        }
    };
    *at += mark.len() * 2 + length;
    let inside = &inside[..length];
    let is_known =
        !prefix.contains(['b', 'B']) && (!prefix.contains(['f', 'F', 't', 'T']) || !inside.contains(['{', '}']));
    let text = is_known.then(|| if is_raw { Some(inside.to_string()) } else { unescaped(inside) }).flatten();
    Kind::Text { text, quote: *quote }
}

/// The length of the text up to the mark that closes it, or what was looked at in vain. Only a triple quote goes over several lines.
fn end_of_string(text: &str, mark: &str, is_block: bool) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' if !is_block => return Err(at),
            _ if bytes[at..].starts_with(mark.as_bytes()) => return Ok(at),
            _ => at += 1,
        }
    }
    Err(bytes.len())
}

/// The text without its escapes; `None` for those that nobody writes in a setting.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match characters.next()? {
            '\n' => {}
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            c @ ('\\' | '\'' | '"') => out.push(c),
            'x' | 'u' | 'U' | 'N' | '0'..='7' | 'a' | 'b' | 'f' | 'v' => return None,
            c => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    Some(out)
}
