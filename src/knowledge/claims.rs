//! What a markdown body claims, cites, links to and shows; and what in it cannot be shown.
//!
//! The rules stand in `docs/content-guide.md`, "Claims and sources".

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};

use super::markdown;

/// The longest line of code or of a drawn flow, in characters.
pub const LONGEST_CODE_LINE: usize = 100;

/// Footnotes that are labels, not sources: arithmetic shown beside it; a single reported measurement.
pub const LABELS: [&str; 2] = ["derived", "one-setup"];

/// What was found in a body. Lines are counted from 1 within the body.
#[derive(Debug, Default)]
pub struct Survey {
    pub claims: usize,
    pub cited: usize,
    /// Footnotes, labels included.
    pub citations: Vec<(usize, String)>,
    pub links: Vec<(usize, String)>,
    pub flows: Vec<(usize, String)>,
    /// Level-2 headings: id (where there is one) and text.
    pub headings: Vec<(usize, Option<String>, String)>,
    /// Claims without a source.
    pub uncited: Vec<(usize, String)>,
    /// What cannot be shown as it is meant.
    pub problems: Vec<(usize, String)>,
}

/// A block that is being read.
struct Open {
    start: usize,
    cited: bool,
    /// Its text, without code.
    text: String,
}

/// Reads a body.
pub fn survey(body: &str) -> Survey {
    let ends = body.match_indices('\n').map(|(end, _)| end).collect();
    let mut reader =
        Reader { body, ends, out: Survey::default(), open: Vec::new(), lead_cited: false, list_cited: false };
    for (event, range) in markdown::parser(body).into_offset_iter() {
        reader.event(&event, range);
    }
    for (index, line) in body.lines().enumerate() {
        if line.contains('\t') {
            reader.out.problems.push((index + 1, "a tab; use spaces".to_string()));
        }
    }
    reader.out
}

struct Reader<'a> {
    body: &'a str,
    /// Where its lines end: to count them for each event would take time by the square of the body.
    ends: Vec<usize>,
    out: Survey,
    open: Vec<Open>,
    /// The block directly above is a paragraph with a citation.
    lead_cited: bool,
    /// The outermost list that is being read is covered by its lead-in.
    list_cited: bool,
}

impl Reader<'_> {
    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        if let Some(problem) = markdown::unsupported(event) {
            self.problem(range.start, problem);
        }
        match event {
            Event::Start(Tag::List(_) | Tag::DefinitionList) if self.open.is_empty() => {
                self.list_cited = self.lead_cited;
            }
            Event::Start(
                Tag::Paragraph
                | Tag::Item
                | Tag::DefinitionListDefinition
                | Tag::TableHead
                | Tag::TableRow
                | Tag::BlockQuote(_),
            ) => {
                self.open.push(Open { start: range.start, cited: false, text: String::new() });
            }
            Event::Start(Tag::Table(_)) => {
                self.count_cells(range);
                self.list_cited = false;
            }
            Event::Start(Tag::Heading { level, id, .. }) => {
                self.open.push(Open { start: range.start, cited: false, text: String::new() });
                let line = self.line(range.start);
                if *level == HeadingLevel::H2 {
                    let id = id.as_ref().map(ToString::to_string);
                    self.out.headings.push((line, id, String::new()));
                } else if id.is_some() {
                    self.out.problems.push((line, "only level-2 headings carry an id".to_string()));
                }
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => self.code_block(language, range),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let line = self.line(range.start);
                self.out.links.push((line, dest_url.to_string()));
            }
            Event::FootnoteReference(id) => {
                let line = self.line(range.start);
                self.out.citations.push((line, id.to_string()));
                self.judged().for_each(|block| block.cited = true);
            }
            Event::Text(text) => self.judged().for_each(|block| block.text.push_str(text)),
            // A code span is no figure, but it ends the word before it.
            Event::Code(_) => self.judged().for_each(|block| block.text.push('`')),
            Event::SoftBreak | Event::HardBreak => self.judged().for_each(|block| block.text.push(' ')),
            Event::End(end) => self.close(*end),
            _ => {}
        }
    }

    /// The open blocks whose text and citations count: the outermost one, and the innermost, which may be a row or a heading. To keep
    /// the text of all would take memory by the depth of nesting.
    fn judged(&mut self) -> impl Iterator<Item = &mut Open> {
        let (outermost, others) = self.open.split_first_mut().unzip();
        outermost.into_iter().chain(others.and_then(<[Open]>::last_mut))
    }

    fn close(&mut self, end: TagEnd) {
        match end {
            TagEnd::Paragraph => {
                let block = self.open.pop().expect("opened");
                if self.open.is_empty() {
                    if block.text.split_whitespace().any(is_figure) {
                        self.claim(&block, block.cited, "a paragraph with a figure");
                    }
                    self.lead_cited = block.cited;
                }
            }
            TagEnd::Item => {
                let block = self.open.pop().expect("opened");
                if self.open.is_empty() {
                    self.claim(&block, block.cited || self.list_cited, "a list item");
                }
            }
            TagEnd::DefinitionListDefinition => {
                let block = self.open.pop().expect("opened");
                if self.open.is_empty() {
                    self.claim(&block, block.cited || self.list_cited, "a definition");
                }
            }
            TagEnd::TableHead => self.list_cited = self.open.pop().expect("opened").cited,
            TagEnd::TableRow => {
                let block = self.open.pop().expect("opened");
                self.claim(&block, block.cited || self.list_cited, "a table row");
            }
            TagEnd::BlockQuote(_) => {
                let block = self.open.pop().expect("opened");
                if self.open.is_empty() {
                    self.claim(&block, block.cited, "a block quote");
                }
                self.lead_cited = false;
            }
            TagEnd::Heading(level) => {
                let block = self.open.pop().expect("opened");
                if block.cited {
                    self.problem(block.start, "a heading carries no citation");
                }
                if let Some(heading) = self.out.headings.last_mut().filter(|_| level == HeadingLevel::H2) {
                    heading.2 = block.text;
                }
                self.lead_cited = false;
            }
            TagEnd::List(_) | TagEnd::Table | TagEnd::CodeBlock => self.lead_cited = false,
            _ => {}
        }
    }

    fn claim(&mut self, block: &Open, cited: bool, what: &str) {
        self.out.claims += 1;
        if cited {
            self.out.cited += 1;
            return;
        }
        let start: String = block.text.trim().chars().take(50).collect();
        let message = format!("{what} cites no source: \"{start}\"; add [^source-id]");
        self.out.uncited.push((self.line(block.start), message));
    }

    fn code_block(&mut self, language: &str, range: Range<usize>) {
        let line = self.line(range.start);
        let block = &self.body[range];
        for (index, code) in block.lines().enumerate() {
            if code.chars().count() > LONGEST_CODE_LINE {
                let message = format!("a code line of more than {LONGEST_CODE_LINE} characters; break it");
                self.out.problems.push((line + index, message));
            }
            if code.contains("[^") {
                self.out
                    .problems
                    .push((line + index, "a footnote in code is not shown; cite above the block".to_string()));
            }
        }
        if language == "flow" {
            let id = block.lines().nth(1).unwrap_or("").trim();
            self.out.flows.push((line, id.to_string()));
        }
    }

    /// The parser drops surplus cells and fills missing ones, silently: they are counted in the source.
    fn count_cells(&mut self, range: Range<usize>) {
        let first = self.line(range.start);
        let mut lines = self.body[range].lines().map(str::trim).filter(|line| !line.is_empty()).enumerate();
        let header = lines.next().map_or(0, |(_, line)| cells(line));
        for (index, line) in lines {
            let row = cells(line);
            if row != header {
                let message = format!("{row} cells in a table of {header} columns; write \\| for a bar inside a cell");
                self.out.problems.push((first + index, message));
            }
        }
    }

    fn line(&self, offset: usize) -> usize {
        self.ends.partition_point(|end| *end < offset) + 1
    }

    fn problem(&mut self, offset: usize, message: &str) {
        let line = self.line(offset);
        self.out.problems.push((line, message.to_string()));
    }
}

fn cells(line: &str) -> usize {
    let line = line.replace("\\|", "");
    let line = line.strip_prefix('|').unwrap_or(&line);
    let line = line.strip_suffix('|').unwrap_or(line);
    line.matches('|').count() + 1
}

/// A figure: a word that starts with a digit, after opening marks and comparison signs.
fn is_figure(word: &str) -> bool {
    word.trim_start_matches(['(', '[', '"', '~', '<', '>', '=', '≤', '≥', '±', '+', '-'])
        .starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uncited(body: &str) -> Vec<(usize, String)> {
        survey(body).uncited
    }

    #[test]
    fn a_paragraph_is_a_claim_when_it_has_a_figure() {
        assert_eq!(survey("Plain words about RoCE v2 and mlx5_0.").claims, 0);
        assert_eq!(uncited("It takes 5 us.").len(), 1);
        assert_eq!(uncited("It takes (5 us).").len(), 1);
        assert_eq!(uncited("It takes `5` units."), []);
        assert_eq!(uncited("It takes 5 us. [^a]"), []);
    }

    #[test]
    fn list_items_are_claims_unless_their_lead_in_cites() {
        assert_eq!(uncited("- one\n- two [^a]\n").len(), 1);
        assert_eq!(uncited("As the manual says: [^a]\n\n- one\n- two\n"), []);
        assert_eq!(uncited("Cited. [^a]\n\nNot cited.\n\n- one\n").len(), 1);
        assert_eq!(uncited("Cited. [^a]\n\n## H {#h}\n\n- one\n").len(), 1);
        // What is nested belongs to the item around it.
        assert_eq!(uncited("- one [^a]\n  - inner\n"), []);
    }

    #[test]
    fn table_rows_are_claims_unless_the_header_cites() {
        assert_eq!(uncited("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 [^a] |\n").len(), 1);
        assert_eq!(uncited("| a [^a] | b |\n|---|---|\n| 1 | 2 |\n"), []);
    }

    #[test]
    fn definitions_are_claims() {
        assert_eq!(uncited("QP\n: queue pair\n: queues\n").len(), 2);
        assert_eq!(uncited("QP\n: queue pair [^a]\n"), []);
        assert_eq!(uncited("Terms. [^a]\n\nQP\n: queue pair\n"), []);
    }

    #[test]
    fn quotes_are_claims() {
        assert_eq!(uncited("> [!MYTH] \"x\"\n> y\n").len(), 1);
        assert_eq!(uncited("> [!MYTH] \"x\"\n> y [^a]\n"), []);
    }

    #[test]
    fn cells_are_counted_in_the_source() {
        let Survey { problems, .. } = survey("| a [^a] | b |\n|---|---|\n| 1 | 2 | 3 |\n| `x\\|y` | 2 |\n");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].0, 3);
    }

    #[test]
    fn what_cannot_be_shown_is_a_problem() {
        for body in ["<b>x</b>", "# H", "#### H", "![x](y)", "[^a]: text", "```\nx\n```", "[x][y]\n\n[y]: z", "\tx"] {
            assert!(!survey(body).problems.is_empty(), "{body}");
        }
    }

    #[test]
    fn flows_links_and_headings_are_listed() {
        let survey = survey("See [x](dcqcn#alpha).\n\n```flow\ngdr\n```\n\n## A `b` c {#abc .issue}\n");
        assert_eq!(survey.links, [(1, "dcqcn#alpha".to_string())]);
        assert_eq!(survey.flows, [(3, "gdr".to_string())]);
        assert_eq!(survey.headings.len(), 1);
        assert_eq!(survey.headings[0].1.as_deref(), Some("abc"));
    }

    #[test]
    fn blocks_inside_of_each_other_keep_no_copies_of_their_text() {
        let depth = 2_000;
        let nested = format!("{} x 5 GB\n{}", ">".repeat(depth), "word\n".repeat(depth * 20));
        let mut reader = Reader {
            body: &nested,
            ends: Vec::new(),
            out: Survey::default(),
            open: Vec::new(),
            lead_cited: false,
            list_cited: false,
        };
        let mut most = 0;
        for (event, range) in markdown::parser(&nested).into_offset_iter() {
            reader.event(&event, range);
            most = most.max(reader.open.iter().map(|block| block.text.len()).sum());
        }
        assert!((nested.len() / 2..3 * nested.len()).contains(&most), "{most} bytes for {}", nested.len());
    }
}
