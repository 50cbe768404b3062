//! A document as plain markdown: for pipes, prompts and files.

use super::citations::{Citations, Mark};
use super::flow;
use crate::knowledge::Library;
use crate::knowledge::markdown::Alert;

/// Resolves what only rdmanav understands: footnotes become numbers with their sources at the end, flow blocks become text,
/// alerts become words. Everything else is passed on as it is written.
///
/// Works on lines, without the parser: the checker allows `[^` outside of code only as a footnote, and flow blocks only at the
/// start of a line.
pub fn markdown(document: &str, library: &Library<'_>) -> String {
    let mut writer = written(document, library);
    writer.sources(Citations::titles_and_addresses);
    writer.out
}

/// As [`markdown`], for a reader that pays by the word: of each source only the place, as `sources.yaml` has it.
pub fn compact(document: &str, library: &Library<'_>) -> String {
    let mut writer = written(document, library);
    writer.sources(Citations::places);
    writer.out
}

/// As [`compact`], the lines of sources apart: the text, and what stands behind the number of each source.
pub fn compact_apart(document: &str, library: &Library<'_>) -> (String, Vec<String>) {
    let writer = written(document, library);
    let places = writer.citations.places().into_iter().map(|(_, place)| place).collect();
    (writer.out, places)
}

/// All but the list of sources.
fn written<'a, 'l>(document: &str, library: &'l Library<'a>) -> Writer<'a, 'l> {
    let mut writer =
        Writer { library, citations: Citations::default(), out: String::with_capacity(document.len() * 2) };
    let mut lines = document.lines();
    let mut fence = 0;
    while let Some(line) = lines.next() {
        let text = line.trim_start_matches(' ');
        let ticks = if text.starts_with("```") { text.bytes().take_while(|&b| b == b'`').count() } else { 0 };
        // A code span at the start of a line opens no block.
        let ticks = if fence == 0 && text[ticks..].contains('`') { 0 } else { ticks };
        if fence == 0 && line == "```flow" {
            let id = lines.next().unwrap_or("").trim();
            lines.next();
            writer.flow(id);
            continue;
        }
        if fence == 0 && ticks == 0 {
            writer.text(line);
        } else {
            // A fence is closed by one at least as long that has nothing behind it.
            let closes = fence > 0 && ticks >= fence && text.len() == ticks;
            fence = match fence {
                0 => ticks,
                _ if closes => 0,
                open => open,
            };
            writer.out.push_str(line);
        }
        writer.out.push('\n');
    }
    writer
}

struct Writer<'a, 'l> {
    library: &'l Library<'a>,
    citations: Citations<'a>,
    out: String,
}

impl<'a> Writer<'a, '_> {
    /// A line that is no code.
    fn text(&mut self, line: &str) {
        let mut rest = line;
        if let Some((alert, after)) = line.strip_prefix("> ").and_then(Alert::strip) {
            self.push(&["> **", alert.label(), ":** "]);
            rest = after;
        }
        if !rest.contains("[^") {
            return self.out.push_str(rest);
        }
        while let Some(start) = rest.find(['[', '`']) {
            let (before, footnote) = rest.split_at(start);
            self.out.push_str(before);
            if footnote.starts_with('`') {
                let (code, after) = footnote.split_at(code_span(footnote));
                self.out.push_str(code);
                rest = after;
                continue;
            }
            let id = footnote.strip_prefix("[^").and_then(|text| text.split_once(']'));
            let mark = id.and_then(|(id, after)| Some((self.citations.mark(id, self.library)?, after)));
            rest = match mark {
                Some((Mark::Number(number), after)) => {
                    self.push(&["[^", &number.to_string(), "]"]);
                    after
                }
                Some((Mark::Label(label), after)) => {
                    // Right behind a bracket it would be the target of a link.
                    let space = if self.out.ends_with(']') { " " } else { "" };
                    self.push(&[space, "(", label, ")"]);
                    after
                }
                None => {
                    self.out.push('[');
                    &footnote[1..]
                }
            };
        }
        self.out.push_str(rest);
    }

    fn flow(&mut self, id: &str) {
        let Some(flow) = self.library.flows.find(id) else {
            return self.push(&["(no flow ", id, ")\n"]);
        };
        self.push(&["```text\n", &flow::brief(&flow), "```\n\n"]);
        self.text(&flow::citations(&flow));
        self.out.push('\n');
    }

    /// A line a source: its number, and the words for it.
    fn sources(&mut self, list: fn(&Citations<'a>) -> Vec<(usize, String)>) {
        let citations = std::mem::take(&mut self.citations);
        let list = list(&citations);
        if !list.is_empty() {
            self.out.push('\n');
        }
        for (number, source) in list {
            self.push(&["[^", &number.to_string(), "]: ", &source, "\n"]);
        }
    }

    fn push(&mut self, pieces: &[&str]) {
        for piece in pieces {
            self.out.push_str(piece);
        }
    }
}

/// How long the code span is that begins here; the backticks alone where none closes it.
fn code_span(text: &str) -> usize {
    let ticks = |at: usize| text[at..].bytes().take_while(|&b| b == b'`').count();
    let opening = ticks(0);
    let mut at = opening;
    while let Some(next) = text[at..].find('`') {
        at += next;
        let closing = ticks(at);
        at += closing;
        if closing == opening {
            return at;
        }
    }
    opening
}

#[cfg(test)]
mod tests {
    use super::markdown;

    fn shown(document: &str) -> String {
        let library = crate::library();
        markdown(document, &library)
    }

    #[test]
    fn footnotes_are_numbered_and_listed() {
        let shown = shown("A. [^nccl-env-guide] B. [^nccl-env-guide] [^derived]\n\n> [!MYTH] \"x\"\n> y [z](dcqcn)\n");
        let (text, sources) = shown.split_once("\n[^1]: ").unwrap();
        assert_eq!(text, "A. [^1] B. [^1] (derived)\n\n> **Myth:** \"x\"\n> y [z](dcqcn)\n");
        assert!(sources.contains("https://github.com/NVIDIA/nccl/blob/"), "{sources}");
    }

    #[test]
    fn a_label_behind_a_number_is_no_link() {
        assert!(shown("A. [^nccl-env-guide][^derived]\n").starts_with("A. [^1] (derived)\n"));
    }

    #[test]
    fn code_is_passed_on() {
        let code = "```text\n[^nccl-env-guide]\n> [!MYTH]\n```\n\n````md\n```flow\nx\n```\n````\n";
        assert_eq!(shown(code), code);
        let spans = "``` a``b ``` `[^nccl-env-guide]` `` ` [^derived] `` [x] ` [^no-such]\n\n> [!x] `a\n";
        assert_eq!(shown(spans), spans);
        assert!(shown("`a` b`` [^nccl-env-guide] `\n").starts_with("`a` b`` [^1] `\n"));
    }

    #[test]
    fn flows_become_text() {
        let shown = shown("```flow\ngpudirect-rdma-write\n```\n");
        assert!(shown.starts_with("```text\n1. [host] sender proxy thread: "), "{shown}");
        assert!(shown.contains("```\n\nSteps: 1 [^1]"), "{shown}");
    }
}
