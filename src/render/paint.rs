//! Lines -> text, with or without styles.

use std::fmt::Write;

use super::lines::{Line, Style, plain};
use super::theme::Theme;
use super::{Options, layout};
use crate::knowledge::Library;

/// How styled lines are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paint {
    pub theme: Theme,
    /// The terminal knows hyperlinks (OSC 8).
    pub hyperlinks: bool,
}

/// A document as a terminal shows it. Without styles there is nothing to paint, and no hyperlink.
pub fn terminal(document: &str, library: &Library<'_>, options: Options, paint: Paint) -> String {
    let hyperlinks = paint.hyperlinks && options.styled;
    let lines = layout::layout(document, library, options, hyperlinks);
    if options.styled { styled(&lines, Paint { hyperlinks, ..paint }) } else { plain(&lines) }
}

/// Each line closes what it opens, so that a pager, grep or a multiplexer can cut the text at any line.
fn styled(lines: &[Line], paint: Paint) -> String {
    let mut out = String::new();
    for line in lines {
        let end = line.iter().rposition(|span| !is_blank(&span.text, span.style)).map_or(0, |last| last + 1);
        for (index, span) in line[..end].iter().enumerate() {
            let text = if index + 1 == end { span.text.trim_end_matches(' ') } else { &*span.text };
            let link = span.link.as_deref().filter(|_| paint.hyperlinks);
            if let Some(address) = link {
                out.extend(["\u{1b}]8;;", address, "\u{1b}\\"]);
            }
            let look = paint.theme.look(span.style);
            write!(out, "{}{text}{}", look.render(), look.render_reset()).expect("a String takes all");
            if link.is_some() {
                out.push_str("\u{1b}]8;;\u{1b}\\");
            }
        }
        out.push('\n');
    }
    out
}

/// Blanks at the end of a line are not written, unless they are underlined.
fn is_blank(text: &str, style: Style) -> bool {
    text.bytes().all(|byte| byte == b' ') && style != Style::Link
}

#[cfg(test)]
mod tests {
    use super::super::lines::Span;
    use super::*;

    #[test]
    fn a_line_closes_what_it_opens() {
        let link = Span { link: Some("https://example.org/".into()), ..Span::new("here", Style::Link) };
        let lines = [vec![Span::new("see ", Style::Plain), link, Span::new("   ", Style::Faint)], Line::new()];
        let paint = |hyperlinks| Paint { theme: Theme::NoColors, hyperlinks };
        assert_eq!(
            styled(&lines, paint(true)),
            "see \u{1b}]8;;https://example.org/\u{1b}\\\u{1b}[4mhere\u{1b}[0m\u{1b}]8;;\u{1b}\\\n\n"
        );
        assert_eq!(styled(&lines, paint(false)), "see \u{1b}[4mhere\u{1b}[0m\n\n");
    }
}
