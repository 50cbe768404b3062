//! Lines of styled spans, and the breaking of text into them.

use unicode_width::UnicodeWidthStr;

/// What a span of text is; the painter knows what that looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    #[default]
    Plain,
    Strong,
    Emphasis,
    Code,
    Title,
    Heading,
    Link,
    /// Citations, rules and other marks that step back.
    Faint,
    /// The word that starts a block about a wrong claim.
    Myth,
    /// The word that starts a note.
    Note,
}

/// A run of text of one style, without line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub style: Style,
}

impl Span {
    /// A span.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Span { text: text.into(), style }
    }
}

/// A line of the screen.
pub type Line = Vec<Span>;

/// The columns that spans take.
pub fn width(spans: &[Span]) -> usize {
    spans.iter().map(|span| span.text.width()).sum()
}

/// A line of one span.
pub fn line(text: impl Into<String>, style: Style) -> Line {
    vec![Span::new(text, style)]
}

/// What is never broken: the spans between two spaces. `NCCL_IB_HCA` followed by a comma in another style is one word.
pub fn words(spans: &[Span]) -> Vec<Line> {
    let mut words: Vec<Line> = Vec::new();
    let mut open = false;
    for span in spans {
        for (index, piece) in span.text.split(' ').enumerate() {
            if index > 0 {
                open = false;
            }
            if piece.is_empty() {
                continue;
            }
            let piece = Span::new(piece, span.style);
            match words.last_mut() {
                Some(word) if open => word.push(piece),
                _ => words.push(vec![piece]),
            }
            open = true;
        }
    }
    words
}

/// Breaks spans into lines of at most `width` columns, at spaces only: a word that is longer has a line of its own and runs over.
pub fn wrap(spans: &[Span], width: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut used = 0;
    for word in words(spans) {
        let needed = self::width(&word);
        match lines.last_mut() {
            Some(line) if used + 1 + needed <= width => {
                let style = space_style(line, &word);
                line.push(Span::new(" ", style));
                line.extend(word);
                used += 1 + needed;
            }
            _ => {
                lines.push(word);
                used = needed;
            }
        }
    }
    lines
}

/// The space between two words of one style belongs to them, so that a code span of several words is one run.
fn space_style(line: &Line, word: &Line) -> Style {
    match (line.last(), word.first()) {
        (Some(before), Some(after)) if before.style == after.style => after.style,
        _ => Style::Plain,
    }
}

/// Puts `first` before the first line and `rest`, of the same width, before the others.
pub fn prefix(lines: Vec<Line>, first: &Span, rest: &Span) -> Vec<Line> {
    lines
        .into_iter()
        .enumerate()
        .map(|(index, line)| {
            let prefix = if index == 0 { first } else { rest };
            if line.is_empty() && prefix.text.trim().is_empty() {
                return line;
            }
            std::iter::once(prefix.clone()).chain(line).collect()
        })
        .collect()
}

/// Lines as text without any escape sequence.
pub fn plain(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        for span in line {
            out.push_str(&span.text);
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(|span| &*span.text).collect()).collect()
    }

    #[test]
    fn text_breaks_at_spaces_only() {
        let spans = [
            Span::new("set ", Style::Plain),
            Span::new("NCCL_IB_GID_INDEX", Style::Code),
            Span::new(", then run", Style::Plain),
        ];
        assert_eq!(texts(&wrap(&spans, 10)), ["set", "NCCL_IB_GID_INDEX,", "then run"]);
        assert_eq!(texts(&wrap(&spans, 80)), ["set NCCL_IB_GID_INDEX, then run"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(texts(&wrap(&[Span::new("日本 語", Style::Plain)], 5)), ["日本", "語"]);
    }

    #[test]
    fn nothing_makes_no_line() {
        assert!(wrap(&[Span::new("  ", Style::Plain)], 10).is_empty());
    }
}
