//! Text for terminals that show ASCII only.

use std::borrow::Cow;

use super::lines::columns;

/// The text in ASCII: signs by what they mean, accented letters by their base, everything else as `?`.
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            c if c.is_ascii() => out.push(c),
            c => out.push_str(sign(c).unwrap_or(if columns(c.encode_utf8(&mut [0; 4])) == 0 { "" } else { "?" })),
        }
        out
    }))
}

/// As [`ascii()`], in the same number of columns: for text that is drawn into a frame already.
pub fn ascii_in_place(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            c if c.is_ascii() => out.push(c),
            c => match (sign(c), columns(c.encode_utf8(&mut [0; 4]))) {
                (Some(sign), width) if sign.len() == width => out.push_str(sign),
                (Some(sign), 1) if sign.len() > 1 => out.push_str(&sign[sign.len() - 1..]),
                (_, width) => out.extend(std::iter::repeat_n('?', width)),
            },
        }
        out
    }))
}

fn sign(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => " ",
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{feff}' | '\u{fe0f}' => "",
        '‐' | '‑' | '‒' | '–' | '−' | '─' | '━' | '┄' => "-",
        '—' => "--",
        '…' => "...",
        '‘' | '’' | '‚' | '′' => "'",
        '“' | '”' | '„' | '″' | '«' | '»' => "\"",
        '•' | '◦' | '▪' | '●' => "*",
        '·' | '⋅' => ".",
        '→' | '⇒' | '►' | '▶' => "->",
        '←' | '⇐' | '◄' | '◀' => "<-",
        '↔' | '⇔' => "<->",
        '↑' | '▲' => "^",
        '↓' | '▼' => "v",
        '×' => "x",
        '÷' => "/",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '≈' | '∼' => "~",
        '±' => "+/-",
        '√' => "sqrt",
        '∞' => "inf",
        '∑' | 'Σ' => "sum",
        'Δ' => "delta",
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'λ' => "lambda",
        'Ω' | '\u{2126}' => "ohm",
        '°' => "deg",
        '²' => "^2",
        '³' => "^3",
        '½' => "1/2",
        '¼' => "1/4",
        '§' => "section ",
        '€' => "EUR",
        '™' => "(TM)",
        '®' => "(R)",
        '©' => "(C)",
        '✓' | '✔' => "yes",
        '✗' | '✘' => "no",
        '│' | '┃' | '║' => "|",
        '═' => "=",
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => "+",
        'Ä' | 'À' | 'Á' | 'Â' | 'Ã' | 'Å' => "A",
        'ä' | 'à' | 'á' | 'â' | 'ã' | 'å' => "a",
        'Ç' => "C",
        'ç' => "c",
        'È' | 'É' | 'Ê' | 'Ë' => "E",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'Ì' | 'Í' | 'Î' | 'Ï' => "I",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'Ñ' => "N",
        'ñ' => "n",
        'Ò' | 'Ó' | 'Ô' | 'Õ' | 'Ö' | 'Ø' => "O",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => "o",
        'Ù' | 'Ú' | 'Û' | 'Ü' => "U",
        'µ' | 'μ' | 'ù' | 'ú' | 'û' | 'ü' => "u",
        'ß' => "ss",
        'Æ' => "AE",
        'æ' => "ae",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_become_what_they_mean() {
        assert_eq!(ascii("5 µs ± 1 … ≤ 10 × Größe"), "5 us +/- 1 ... <= 10 x Grosse");
        assert_eq!(ascii("日本 e\u{301} 🚀"), "?? e ?");
        assert!(matches!(ascii("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn in_a_frame_the_width_stays() {
        for text in ["│ 5 µs … → 日本 ½ │", "a—b", "e\u{301}x"] {
            assert_eq!(ascii_in_place(text).len(), columns(text), "{text}");
        }
    }
}
