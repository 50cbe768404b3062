//! Lines -> text, with or without styles. termimad's skin says what the styles look like.

use termimad::crossterm::style::{self, Attribute, Color};
use termimad::{CompoundStyle, MadSkin};

use super::lines::{Line, Style, plain};
use super::{Options, blocks};
use crate::knowledge::Library;

/// A document as a terminal shows it.
pub fn terminal(document: &str, library: &Library<'_>, options: Options) -> String {
    let lines = blocks::layout(document, library, options);
    if options.styled { styled(&lines) } else { plain(&lines) }
}

fn styled(lines: &[Line]) -> String {
    // Whether to style was decided by the caller; crossterm would look at NO_COLOR again.
    style::force_color_output(true);
    let skin = MadSkin::default();
    let mut out = String::new();
    for line in lines {
        // Words of one style are one run: fewer escapes, and underlines without gaps.
        for run in line.chunk_by(|a, b| a.style == b.style) {
            let text: String = run.iter().map(|span| &*span.text).collect();
            match style_of(run[0].style, &skin) {
                Some(style) => out.push_str(&style.apply_to(&*text).to_string()),
                None => out.push_str(&text),
            }
        }
        out.push('\n');
    }
    out
}

/// Colours of the terminal's own palette only, so that dark and light backgrounds both read well.
fn style_of(style: Style, skin: &MadSkin) -> Option<CompoundStyle> {
    let coloured = |color, attribute: Option<Attribute>| {
        let mut style = CompoundStyle::with_fg(color);
        style.object_style.attributes.extend(attribute.map(Into::into).unwrap_or_default());
        Some(style)
    };
    match style {
        Style::Plain => None,
        Style::Strong => Some(skin.bold),
        Style::Emphasis => Some(skin.italic),
        Style::Code => coloured(Color::DarkCyan, None),
        Style::Title => coloured(Color::DarkGreen, Some(Attribute::Bold)),
        Style::Heading => Some(CompoundStyle::with_attr(Attribute::Bold)),
        Style::Link => Some(CompoundStyle::with_attr(Attribute::Underlined)),
        Style::Faint => Some(CompoundStyle::with_attr(Attribute::Dim)),
        Style::Myth => coloured(Color::DarkRed, Some(Attribute::Bold)),
        Style::Note => coloured(Color::DarkYellow, Some(Attribute::Bold)),
    }
}
