//! Blocks -> lines of at most the width, each with what the blocks around it draw on its left.

use pulldown_cmark::HeadingLevel;

use super::ascii::ascii_in_place;
use super::blocks::{self, Block, Cited, List, Reading};
use super::lines::{self, Line, Span, Style, columns, prefix, wrap};
use super::{Options, flow};
use crate::knowledge::Library;
use crate::knowledge::markdown::Alert;

/// Below this width, code and definitions are indented by two columns only.
const NARROW: usize = 60;

/// Lays out a document, with the list of its sources at the end.
pub fn layout(document: &str, library: &Library<'_>, options: Options, hyperlinks: bool) -> Vec<Line> {
    let blocks = blocks::read(document, library, Reading { ascii: options.ascii, hyperlinks });
    Layout { options }.blocks(&blocks, Place { width: options.width.max(1), depth: 0 }, true)
}

#[derive(Clone, Copy)]
struct Layout {
    options: Options,
}

/// Where a block stands.
#[derive(Clone, Copy)]
struct Place {
    /// Columns left inside the blocks around it.
    width: usize,
    /// Lists around it.
    depth: usize,
}

impl Place {
    fn inside(self, taken: usize) -> Self {
        Place { width: self.width.saturating_sub(taken).max(1), ..self }
    }
}

impl Layout {
    fn blocks(self, blocks: &[Block<'_>], place: Place, spaced: bool) -> Vec<Line> {
        let mut out: Vec<Line> = Vec::new();
        for block in blocks {
            let lines = self.block(block, place);
            if spaced && !out.is_empty() && !lines.is_empty() {
                out.push(Line::new());
            }
            out.extend(lines);
        }
        out
    }

    fn block(self, block: &Block<'_>, place: Place) -> Vec<Line> {
        match block {
            Block::Heading(level, spans) => self.heading(*level, spans, place.width),
            Block::Paragraph(spans) => wrap(spans, place.width),
            Block::List(list) => self.list(list, place),
            Block::Named(name, blocks) => {
                let marker = format!("[{name}] ");
                let lines = self.blocks(blocks, place.inside(columns(&marker)), true);
                hang(lines, &marker, Style::Faint)
            }
            Block::Quote(alert, blocks) => {
                let style = match alert {
                    Some(Alert::Myth) => Style::Myth,
                    Some(Alert::Note) => Style::Note,
                    None => Style::Faint,
                };
                let bar = Span::new(if self.options.ascii { "| " } else { "│ " }, style);
                prefix(self.blocks(blocks, place.inside(2), true), &bar, &bar)
            }
            Block::Definitions(definitions) => self.definitions(definitions, place),
            Block::Code(code) => {
                let indent = " ".repeat(indent(place));
                code.lines()
                    .map(|line| {
                        if line.is_empty() { Line::new() } else { lines::line([&*indent, line].concat(), Style::Code) }
                    })
                    .collect()
            }
            Block::Flow(flow) => self.flow(flow, place.width),
            Block::Table(table) => table.lines(Options { width: place.width, ..self.options }),
            Block::Rule => vec![lines::line(self.stroke("─", "-").repeat(place.width), Style::Faint)],
            Block::Sources(sources) => self.sources(sources, place),
        }
    }

    fn stroke(self, drawn: &'static str, ascii: &'static str) -> &'static str {
        if self.options.ascii { ascii } else { drawn }
    }

    /// Without styles, a line below tells the levels apart.
    fn heading(self, level: HeadingLevel, spans: &[Span], width: usize) -> Vec<Line> {
        let mut out = wrap(spans, width);
        if self.options.styled || out.is_empty() {
            return out;
        }
        let (stroke, style) = match level {
            HeadingLevel::H1 => (self.stroke("═", "="), Style::Title),
            HeadingLevel::H2 => (self.stroke("─", "-"), Style::Heading),
            _ => (self.stroke("┄", "."), Style::Subheading),
        };
        let widest = out.iter().map(|line| lines::width(line)).max().unwrap_or(0);
        out.push(lines::line(stroke.repeat(widest.min(width)), style));
        out
    }

    fn list(self, list: &List<'_>, place: Place) -> Vec<Line> {
        let highest = list.first.map(|first| first.saturating_add(list.items.len().saturating_sub(1) as u64));
        let digits = highest.map_or(0, |number| number.to_string().len());
        let mut out = Vec::new();
        for (index, item) in (0..).zip(&list.items) {
            let marker = match list.first {
                Some(first) => format!("{:>digits$}. ", first.saturating_add(index)),
                None if place.depth % 2 == 1 => self.stroke("◦ ", "* ").to_string(),
                None => self.stroke("• ", "- ").to_string(),
            };
            let inside = Place { depth: place.depth + 1, ..place.inside(columns(&marker)) };
            let mut lines = self.blocks(item, inside, list.loose);
            if lines.is_empty() {
                lines.push(Line::new());
            }
            if list.loose && index > 0 {
                out.push(Line::new());
            }
            out.extend(hang(lines, &marker, Style::Faint));
        }
        out
    }

    fn definitions(self, definitions: &[(Vec<Span>, Vec<Block<'_>>)], place: Place) -> Vec<Line> {
        let mut out = Vec::new();
        for (term, blocks) in definitions {
            if !out.is_empty() {
                out.push(Line::new());
            }
            let term: Vec<Span> = term
                .iter()
                .cloned()
                .map(|span| if span.style == Style::Plain { Span { style: Style::Term, ..span } } else { span })
                .collect();
            out.extend(wrap(&term, place.width));
            let indent = indent(place);
            let indented = Span::new(" ".repeat(indent), Style::Plain);
            out.extend(prefix(self.blocks(blocks, place.inside(indent), true), &indented, &indented));
        }
        out
    }

    fn flow(self, flow: &crate::knowledge::Flow<'_>, width: usize) -> Vec<Line> {
        let mut drawn = flow::lines(flow, Options { width, ..self.options });
        if self.options.ascii {
            for span in drawn.iter_mut().flatten().filter(|span| !span.text.is_ascii()) {
                span.text = ascii_in_place(&span.text).into_owned();
            }
        }
        drawn
    }

    fn sources(self, sources: &[Cited], place: Place) -> Vec<Line> {
        let mut out = self.heading(HeadingLevel::H2, &[Span::new("Sources", Style::Heading)], place.width);
        let digits = sources.last().map_or(0, |last| last.number.to_string().len());
        for source in sources {
            let marker = format!("{:>width$} ", format!("[{}]", source.number), width = digits + 2);
            let spans = [Span::new(format!("{} ", source.title), Style::Plain), source.address.clone()];
            out.extend(hang(wrap(&spans, place.inside(marker.len()).width), &marker, Style::Faint));
        }
        out
    }
}

fn indent(place: Place) -> usize {
    if place.width < NARROW { 2 } else { 4 }
}

/// Puts a marker before the first line and the others below the first one's text.
fn hang(lines: Vec<Line>, marker: &str, style: Style) -> Vec<Line> {
    let rest = Span::new(" ".repeat(columns(marker)), Style::Plain);
    prefix(lines, &Span::new(marker, style), &rest)
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::Event;

    use super::super::{Paint, terminal};
    use super::*;

    fn shown(document: &str, width: usize, ascii: bool) -> String {
        let library = crate::library();
        terminal(document, &library, Options { width, styled: false, ascii }, Paint::default())
    }

    fn linked(document: &str) -> String {
        let library = crate::library();
        let options = Options { width: 200, styled: true, ascii: false };
        let paint = Paint { theme: crate::render::Theme::NoColors, hyperlinks: true };
        terminal(document, &library, options, paint).replace("\u{1b}\\", "|").replace('\u{1b}', "^")
    }

    #[test]
    fn levels_of_headings_differ_without_styles() {
        assert_eq!(
            shown("# One\n\n## Two words\n\n### Three\n\ntext\n", 40, true),
            "One\n===\n\nTwo words\n---------\n\nThree\n.....\n\ntext\n"
        );
    }

    #[test]
    fn numbers_of_a_list_end_in_one_column_and_items_hang() {
        let list = "8. one two\n9. three\n   1. four five six\n   2. seven\n10. eight\n";
        assert_eq!(
            shown(list, 15, false),
            " 8. one two\n 9. three\n    1. four\n       five six\n    2. seven\n10. eight\n"
        );
    }

    #[test]
    fn loose_lists_have_blank_lines_and_tight_ones_none() {
        assert_eq!(shown("- a\n- b\n  - c\n- d\n", 40, false), "• a\n• b\n  ◦ c\n• d\n");
        assert_eq!(shown("- a\n\n- b\n\n  c\n", 40, false), "• a\n\n• b\n\n  c\n");
    }

    #[test]
    fn quotes_nest_and_alerts_say_what_they_are() {
        assert_eq!(shown("> a\n>\n> > b\n> > c\n", 40, false), "│ a\n│\n│ │ b c\n");
        assert_eq!(shown("> [!MYTH] \"x\"\n> No. `y`\n", 40, true), "| Myth: \"x\" No. y\n");
    }

    #[test]
    fn definitions_are_indented() {
        assert_eq!(
            shown("QP\n: queue pair\n\nCQ\n: completion queue\n: another\n", 80, false),
            "QP\n    queue pair\n\nCQ\n    completion queue\n\n    another\n"
        );
    }

    #[test]
    fn hard_breaks_break() {
        assert_eq!(shown("a\\\nb\nc  \nd\n", 40, false), "a\nb c\nd\n");
    }

    #[test]
    fn code_is_neither_broken_nor_cut_and_its_tabs_are_expanded() {
        assert_eq!(
            shown("```text\na b c d e f g h i\n\tx\n\n  y\n```\n", 20, false),
            "  a b c d e f g h i\n          x\n\n    y\n"
        );
    }

    #[test]
    fn addresses_are_named_unless_the_text_names_them() {
        assert_eq!(shown("[pxn](pxn) [pxn](pxn#when) [it](pxn#when)\n", 80, false), "pxn pxn#when it (pxn#when)\n");
        assert_eq!(
            shown("[NCCL_IB_TC](nccl-env#NCCL_IB_TC) [x](https://a.b/)\n", 80, false),
            "NCCL_IB_TC x (https://a.b/)\n"
        );
        assert_eq!(shown("![a drawing](https://a.b/c.png)\n", 80, false), "a drawing (https://a.b/c.png)\n");
    }

    #[test]
    fn hyperlinks_carry_the_address() {
        assert_eq!(linked("[x](https://a.b/ü y)\n"), "[x](^]8;;https://a.b/%C3%BC|https://a.b/ü^]8;;| y)\n");
        assert_eq!(linked("[x](<https://a.b/ü y>)\n"), "^]8;;https://a.b/%C3%BC%20y|^[4mx^[0m^]8;;|\n");
        assert_eq!(linked("See https://a.b/c.\n"), "See ^]8;;https://a.b/c|https://a.b/c^]8;;|.\n");
        // Within rdmanav, and to what is no page, the target is named.
        assert_eq!(linked("[it](pxn)\n"), "^[4mit^[0m ^[2m(pxn)^[0m\n");
        assert!(!linked("[it](javascript:x)\n").contains("]8;;"));
    }

    #[test]
    fn a_reference_to_a_control_character_does_not_reach_the_terminal() {
        let nasty =
            "a&#27;[31mb&#x9b;c&#x202e;d `&#27;` [l&#27;](https://x/&#27;]8;;&#7;) \n\n```\n&#27;\u{1b}[2Jz\n```\n";
        for text in [shown(nasty, 80, false), shown(nasty, 80, true)] {
            assert!(text.chars().all(|c| c == '\n' || !c.is_control()) && !text.contains('\u{202e}'), "{text:?}");
        }
        let library = crate::library();
        let options = Options { width: 80, styled: true, ascii: false };
        let paint = Paint { hyperlinks: true, ..Paint::default() };
        let text = terminal(nasty, &library, options, paint);
        assert!(!text.contains('\u{7}') && !text.contains("\u{1b}[31m") && !text.contains("\u{1b}[2J"), "{text:?}");
    }

    #[test]
    fn ascii_means_ascii() {
        let text = shown(
            "# Größe\n\n- 5 µs → „x“ 日本\n\n> q\n\n---\n\n```text\n└─ x\n```\n\n| ä |\n|---|\n| ö |\n\n```flow\npxn-send\n```\n",
            80,
            true,
        );
        assert!(text.is_ascii(), "{text}");
        assert!(text.contains("Grosse\n======\n\n- 5 us -> \"x\" ??\n"), "{text}");
    }

    /// Arbitrary markdown, from pieces that are likely to meet: nothing panics, and no word is lost.
    #[test]
    fn arbitrary_markdown_is_shown() {
        const PIECES: [&str; 44] = [
            "word ",
            "日本語",
            "e\u{301} ",
            "👩‍💻 ",
            "\n",
            "\n\n",
            "\n",
            " ",
            "    ",
            "\t",
            "# ",
            "## ",
            "- ",
            "* ",
            "1. ",
            "999999999. ",
            "> ",
            ">",
            "[!MYTH] ",
            "| a | b |\n|:--|--:|\n",
            "| x ",
            "|",
            "\n|",
            "```\n",
            "```flow\npxn-send\n```\n",
            "`code` ",
            "``",
            "**",
            "*",
            "_",
            "[text](dcqcn#parameters) ",
            "[",
            "](",
            ")",
            "<https://a.b/> ",
            "![i](x)",
            "[^nccl-env-guide]",
            "[^none]",
            "[^x]: note\n",
            "\n: ",
            "\\\n",
            "<b>",
            "&#27;",
            "---\n",
        ];
        let mut seed = 7_u64;
        let mut next = |most: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % most
        };
        for round in 0..1500 {
            let count = 1 + next(40);
            let document: String = (0..count).map(|_| PIECES[next(PIECES.len())]).collect();
            let width = if round % 50 == 0 { next(20) } else { 20 + next(101) };
            let ascii = round % 2 == 0;
            let text = shown(&document, width, ascii);
            let said = crate::knowledge::markdown::parser(&document).map(|event| match event {
                Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                    text.matches("word").count()
                }
                _ => 0,
            });
            assert!(text.matches("word").count() >= said.sum(), "{document:?}\n{text}");
            assert!(!text.contains('\u{1b}') && (!ascii || text.is_ascii()), "{document:?}\n{text}");
        }
    }
}
