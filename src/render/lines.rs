//! Lines of styled spans, and the breaking of text into them.

use std::rc::Rc;

use unicode_width::UnicodeWidthStr;

/// What a span of text is; the theme knows what that looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    #[default]
    Plain,
    Strong,
    Emphasis,
    StrongEmphasis,
    Code,
    /// A level-1 heading.
    Title,
    /// A level-2 heading.
    Heading,
    /// A heading below that.
    Subheading,
    /// What a definition defines.
    Term,
    Link,
    /// Citations, rules and other marks that step back.
    Faint,
    /// The word that starts a block about a wrong claim.
    Myth,
    /// The word that starts a note.
    Note,
}

/// A run of text of one style. In text that is still to be broken into lines, a line feed is a hard break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub style: Style,
    /// The address that the text leads to where the terminal knows hyperlinks.
    pub link: Option<Rc<str>>,
}

impl Span {
    /// A span that leads nowhere.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Span { text: text.into(), style, link: None }
    }

    fn is_like(&self, other: &Span) -> bool {
        self.style == other.style && self.link == other.link
    }
}

/// A line of the screen.
pub type Line = Vec<Span>;

/// The columns that spans take.
pub fn width(spans: &[Span]) -> usize {
    spans.iter().map(|span| columns(&span.text)).sum()
}

/// The columns that text takes.
pub fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// A line of one span.
pub fn line(text: impl Into<String>, style: Style) -> Line {
    vec![Span::new(text, style)]
}

/// Adds a span to others, to the last one where both are alike: the fewer spans, the fewer escapes.
pub fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if last.is_like(&span) => last.text.push_str(&span.text),
        _ => spans.push(span),
    }
}

/// A stretch of text inside one span, without a place to break.
struct Piece<'a> {
    text: &'a str,
    span: &'a Span,
    before: Before,
}

/// What stands before a piece.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// The same word, in another style.
    Nothing,
    Space,
    HardBreak,
    /// A place to break without a space, between ideographs.
    Joint,
}

/// `NCCL_IB_HCA` followed by a comma in another style is one word of two pieces.
fn pieces(spans: &[Span]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut before = Before::Space;
    for span in spans {
        let mut rest = &*span.text;
        loop {
            let end = rest.bytes().position(|byte| matches!(byte, b' ' | b'\n')).unwrap_or(rest.len());
            let (text, after) = rest.split_at(end);
            if !text.is_empty() {
                split_at_joints(text, span, before, &mut pieces);
                before = Before::Nothing;
            }
            match after.bytes().next() {
                None => break,
                Some(b'\n') => before = Before::HardBreak,
                Some(_) if before == Before::HardBreak => {}
                Some(_) => before = Before::Space,
            }
            rest = &after[1..];
        }
    }
    pieces
}

fn split_at_joints<'a>(text: &'a str, span: &'a Span, before: Before, pieces: &mut Vec<Piece<'a>>) {
    if text.is_ascii() || span.style == Style::Code {
        pieces.push(Piece { text, span, before });
        return;
    }
    let mut previous = None;
    let mut before = before;
    if before == Before::Nothing {
        previous = pieces.last().and_then(|piece| piece.text.chars().next_back());
    }
    let mut start = 0;
    for (index, c) in text.char_indices() {
        if previous.is_some_and(|previous| is_joint(previous, c)) {
            if index > start {
                pieces.push(Piece { text: &text[start..index], span, before });
                start = index;
            }
            before = Before::Joint;
        }
        previous = Some(c);
    }
    pieces.push(Piece { text: &text[start..], span, before });
}

/// Chinese and Japanese have no spaces: a line may end beside an ideograph, but not before what closes or after what opens.
fn is_joint(left: char, right: char) -> bool {
    let is_ideograph = |c| matches!(c, '\u{2e80}'..='\u{2fff}' | '\u{3040}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}');
    let closes = |c: char| {
        "、。〉》」』】〕〗〙〛〞〟ーぁぃぅぇぉっゃゅょァィゥェォッャュョ！），．：；？］｝".contains(c)
            || c.is_ascii_punctuation()
    };
    let opens = |c: char| "〈《「『【〔〖〘〚〝（［｛([{\"'".contains(c);
    (is_ideograph(left) || is_ideograph(right) || closes(left) && !left.is_ascii()) && !closes(right) && !opens(left)
}

/// Breaks spans into lines of at most `width` columns, at spaces and beside ideographs only: a word that is longer has a line of its own
/// and runs over.
pub fn wrap(spans: &[Span], width: usize) -> Vec<Line> {
    let space = Span::new(" ", Style::Plain);
    let mut lines: Vec<Line> = Vec::new();
    let mut used = 0;
    for word in pieces(spans).chunk_by(|_, next| next.before == Before::Nothing) {
        let before = word[0].before;
        let gap = usize::from(before == Before::Space);
        let needed: usize = word.iter().map(|piece| columns(piece.text)).sum();
        match lines.last_mut() {
            Some(line) if before != Before::HardBreak && used + gap + needed <= width => {
                if gap > 0 {
                    // The space between two words of one style belongs to them, so that a code span of several words is one run.
                    match line.last_mut() {
                        Some(last) if last.is_like(word[0].span) => last.text.push(' '),
                        _ => push(line, space.clone()),
                    }
                }
                used += gap + needed;
            }
            _ => {
                lines.push(Line::new());
                used = needed;
            }
        }
        if let Some(line) = lines.last_mut() {
            for piece in word {
                match line.last_mut() {
                    Some(last) if last.is_like(piece.span) => last.text.push_str(piece.text),
                    _ => line.push(Span {
                        text: piece.text.to_string(),
                        style: piece.span.style,
                        link: piece.span.link.clone(),
                    }),
                }
            }
        }
    }
    lines
}

/// The columns of the longest word, which is the least width that [`wrap`] can keep to.
pub fn longest_word(spans: &[Span]) -> usize {
    pieces(spans)
        .chunk_by(|_, next| next.before == Before::Nothing)
        .map(|word| word.iter().map(|piece| columns(piece.text)).sum())
        .max()
        .unwrap_or(0)
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
    fn ideographs_need_no_space_to_break_at() {
        let text = [Span::new("队列对、完成队列（CQ）和 ", Style::Plain), Span::new("内存注册内存", Style::Code)];
        assert_eq!(texts(&wrap(&text, 10)), ["队列对、完", "成队列", "（CQ）和", "内存注册内存"]);
    }

    #[test]
    fn a_line_feed_is_a_hard_break() {
        let text = [Span::new("a b", Style::Plain), Span::new("\n", Style::Plain), Span::new(" c", Style::Code)];
        assert_eq!(texts(&wrap(&text, 10)), ["a b", "c"]);
    }

    #[test]
    fn words_of_one_style_are_one_run() {
        let spans =
            [Span::new("run ", Style::Plain), Span::new("ibv_devinfo -v", Style::Code), Span::new(".", Style::Plain)];
        assert_eq!(wrap(&spans, 80), [spans.to_vec()]);
    }

    #[test]
    fn nothing_makes_no_line() {
        assert!(wrap(&[Span::new("  ", Style::Plain)], 10).is_empty());
    }
}
