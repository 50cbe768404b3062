//! The one set-up of the markdown parser, for the splitter into parts, the checker and the terminal.

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Parses rdmanav's dialect. Old-style footnotes: the newer kind drops a reference whose definition is not in the
/// same text. No smart punctuation: it would turn `--flag` into a dash. No strikethrough: one tilde starts it, and `~50 us` is how figures
/// are written.
pub fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(
        text,
        Options::ENABLE_TABLES
            | Options::ENABLE_OLD_FOOTNOTES
            | Options::ENABLE_HEADING_ATTRIBUTES
            | Options::ENABLE_DEFINITION_LIST,
    )
}

/// The line of a byte offset, counted from 1.
pub fn line_at(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// The alert at the start of a block quote's text: `[!MYTH]` or `[!NOTE]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alert {
    Myth,
    Note,
}

impl Alert {
    /// The marker as it is written.
    pub fn marker(self) -> &'static str {
        match self {
            Alert::Myth => "[!MYTH]",
            Alert::Note => "[!NOTE]",
        }
    }

    /// The word shown instead of the marker.
    pub fn label(self) -> &'static str {
        match self {
            Alert::Myth => "Myth",
            Alert::Note => "Note",
        }
    }

    /// The alert that a line of text starts with, and the rest of the line.
    pub fn strip(text: &str) -> Option<(Alert, &str)> {
        [Alert::Myth, Alert::Note]
            .into_iter()
            .find_map(|alert| text.strip_prefix(alert.marker()).map(|rest| (alert, rest.trim_start())))
    }
}

/// Why the renderer would not show an event, or `None` when it does. What is refused here fails the build.
pub fn unsupported(event: &Event<'_>) -> Option<&'static str> {
    use pulldown_cmark::{CodeBlockKind, HeadingLevel, LinkType};
    Some(match event {
        Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock) => {
            "HTML is not shown; write text, or put it in backticks"
        }
        Event::TaskListMarker(_) => "a task list is not shown; use a plain list",
        Event::InlineMath(_) | Event::DisplayMath(_) => "math is not shown; use a code span",
        Event::Start(Tag::Image { .. }) => "an image is not shown; use a flow or a table",
        Event::Start(Tag::FootnoteDefinition(_)) => "a footnote definition is not shown; add a source to sources.yaml",
        Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
            "a level-1 heading is not shown; the title stands in the front matter"
        }
        Event::Start(Tag::Heading { level: HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6, .. }) => {
            "headings go down to level 3; split the part"
        }
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => "use a fenced code block with a language",
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if language.is_empty() => {
            "name the language of the code block (text, bash, console, ...)"
        }
        Event::Start(Tag::Link { link_type: LinkType::Inline | LinkType::Autolink, .. }) => return None,
        Event::Start(Tag::Link { .. }) => "use an inline link, [text](target)",
        _ => return None,
    })
}
