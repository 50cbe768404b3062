//! C text without what the compiler does not see.

/// The same text twice, byte for byte at the same places.
pub struct Stripped {
    /// Without comments, continued lines joined.
    pub text: String,
    /// In addition, the content of literals is blank and everything is ASCII: for finding structure.
    pub code: String,
}

/// Takes out comments and the blocks that are not compiled.
pub fn strip(raw: &str) -> Stripped {
    let joined = raw.replace("\\\r\n", "").replace("\\\n", "");
    let mut out = Out { text: Vec::with_capacity(joined.len()), code: Vec::with_capacity(joined.len()) };
    let bytes = joined.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        at = match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => out.comment(bytes, at, find(bytes, at, b"\n")),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = find(bytes, at + 2, b"*/");
                out.comment(bytes, at, (end + 2).min(bytes.len()))
            }
            b'"' if at > 0 && bytes[at - 1] == b'R' => out.literal(bytes, at, raw_string_end(bytes, at)),
            b'"' => out.literal(bytes, at, literal_end(bytes, at)),
            // Behind a digit it separates the digits of a number.
            b'\'' if at == 0 || !bytes[at - 1].is_ascii_hexdigit() => out.literal(bytes, at, literal_end(bytes, at)),
            byte => out.plain(byte, at),
        };
    }
    compiled(&out.text(), &out.code())
}

struct Out {
    text: Vec<u8>,
    code: Vec<u8>,
}

impl Out {
    fn plain(&mut self, byte: u8, at: usize) -> usize {
        self.text.push(byte);
        self.code.push(if byte.is_ascii() { byte } else { b'?' });
        at + 1
    }

    /// A comment separates words, and keeps its lines.
    fn comment(&mut self, bytes: &[u8], start: usize, end: usize) -> usize {
        let lines = bytes[start..end].split(|byte| *byte == b'\n').count() - 1;
        for out in [&mut self.text, &mut self.code] {
            out.push(b' ');
            out.resize(out.len() + lines, b'\n');
        }
        end
    }

    fn literal(&mut self, bytes: &[u8], start: usize, end: usize) -> usize {
        self.text.extend_from_slice(&bytes[start..end]);
        for (offset, byte) in bytes[start..end].iter().enumerate() {
            let edge = offset == 0 || start + offset + 1 == end;
            self.code.push(if (edge && byte.is_ascii()) || *byte == b'\n' { *byte } else { b' ' });
        }
        end
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }

    fn code(&self) -> String {
        String::from_utf8_lossy(&self.code).into_owned()
    }
}

/// Where `wanted` starts, from `from` on, or the end.
fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> usize {
    let rest = &bytes[from.min(bytes.len())..];
    rest.windows(wanted.len()).position(|window| window == wanted).map_or(bytes.len(), |place| from + place)
}

/// Behind the closing quote of a literal. A quote that is not closed on its line (in `#error` text) is taken alone.
fn literal_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == bytes[start] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    start + 1
}

/// Behind `R"mark(...)mark"`.
fn raw_string_end(bytes: &[u8], start: usize) -> usize {
    let open = find(bytes, start, b"(");
    let mark = &bytes[(start + 1).min(open)..open];
    let closing = [b")", mark, b"\""].concat();
    (find(bytes, open, &closing) + closing.len()).min(bytes.len())
}

/// Conditions that do not hold: off, or for IBM Power (2.4.7 has a default of its own for that).
const NEVER: [(&str, &str); 3] = [("if", "0"), ("ifdef", "__PPC__"), ("if", "defined(__PPC__)")];

/// Without the lines behind a condition that does not hold, as far as its `#else`, `#elif` or `#endif`.
fn compiled(text: &str, code: &str) -> Stripped {
    let mut out = Stripped { text: String::with_capacity(text.len()), code: String::with_capacity(code.len()) };
    let (mut depth, mut skipped_from) = (0, None);
    for (text_line, code_line) in text.split_inclusive('\n').zip(code.split_inclusive('\n')) {
        match directive(code_line) {
            Some(opening @ ("if" | "ifdef" | "ifndef", _)) => {
                depth += 1;
                if skipped_from.is_none() && NEVER.contains(&opening) {
                    skipped_from = Some(depth);
                }
            }
            Some(("endif", _)) => {
                if skipped_from == Some(depth) {
                    skipped_from = None;
                }
                depth -= 1;
            }
            Some(("else" | "elif", _)) if skipped_from == Some(depth) => skipped_from = None,
            _ => {}
        }
        let skipped = skipped_from.is_some();
        out.text.push_str(if skipped { "\n" } else { text_line });
        out.code.push_str(if skipped { "\n" } else { code_line });
    }
    out
}

/// Name and rest of a preprocessor line.
pub fn directive(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().strip_prefix('#')?.trim_start();
    let end = line.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(line.len());
    Some((&line[..end], line[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn comments_go_and_literals_stay() {
        let stripped = strip("a(\"/* no */ // comment\"); // yes\nb /* one\ntwo */ c");
        assert_eq!(stripped.text, "a(\"/* no */ // comment\");  \nb  \n c");
        assert_eq!(stripped.text.len(), stripped.code.len());
    }

    #[test]
    fn the_code_has_blank_literals() {
        let stripped = strip("f(\"é(\", '(', R\"x({\")x\") \u{e9}");
        assert_eq!(stripped.code, "f(\"   \", ' ', R\"      \") ??");
        assert!(stripped.text.contains("é("));
    }

    #[test]
    fn continued_lines_are_joined() {
        assert_eq!(strip("#define A \\\n 1\nx").text, "#define A  1\nx");
        assert_eq!(strip("\"a\\\nb\"").text, "\"ab\"");
    }

    #[test]
    fn escapes_do_not_end_a_literal() {
        assert_eq!(strip(r#""a\"(b" ("#).code, r#""     " ("#);
        assert_eq!(strip(r#"'"' + "("#).code, r#"' ' + "("#);
    }

    #[test]
    fn digits_may_be_separated() {
        assert_eq!(strip("x = 1'000; y(\"a\")").code, "x = 1'000; y(\" \")");
    }

    #[test]
    fn if_0_goes_and_its_else_stays() {
        let text = "#if 0\nno\n#if X\nno\n#else\nno\n#endif\n#else\nyes\n#endif\n#if 1\nkept\n#endif\n";
        assert_eq!(strip(text).text, "\n\n\n\n\n\n\n#else\nyes\n#endif\n#if 1\nkept\n#endif\n");
    }

    #[test]
    fn what_is_for_power_goes() {
        let text = "#ifdef __PPC__\n#define A 4\n#else\n#define A 0\n#endif\n";
        assert_eq!(strip(text).text, "\n\n#else\n#define A 0\n#endif\n");
    }
}
