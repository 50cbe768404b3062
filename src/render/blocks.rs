//! Markdown events -> lines of spans.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};

use super::Options;
use super::citations::{Citations, Mark};
use super::flow;
use super::lines::{self, Line, Span, Style, wrap};
use super::table::{Cell, Table};
use crate::knowledge::Library;
use crate::knowledge::markdown::{self, Alert};

/// Lays out a document, with the list of its sources at the end.
pub fn layout(document: &str, library: &Library<'_>, options: Options) -> Vec<Line> {
    let mut layout = Layout {
        library,
        options,
        citations: Citations::default(),
        out: Vec::new(),
        spans: Vec::new(),
        styles: Vec::new(),
        links: Vec::new(),
        frames: Vec::new(),
        table: None,
        code: None,
    };
    for event in markdown::parser(document) {
        layout.event(event);
    }
    layout.sources();
    layout.out
}

/// What is around the block that is being laid out, and takes columns from it.
enum Frame {
    Quote,
    List { next: Option<u64> },
    Item { marker: String, first: bool },
}

struct Layout<'a, 'l> {
    library: &'l Library<'a>,
    options: Options,
    citations: Citations<'a>,
    out: Vec<Line>,
    /// The inline text of the open block.
    spans: Vec<Span>,
    styles: Vec<Style>,
    /// Targets of open links, each with the place of its text among the spans.
    links: Vec<(String, usize)>,
    frames: Vec<Frame>,
    table: Option<Table>,
    /// Language and text of an open code block.
    code: Option<(String, String)>,
}

impl Layout<'_, '_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(text) => self.spans.push(Span::new(text.to_string(), Style::Code)),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            Event::FootnoteReference(id) => match self.citations.mark(&id, self.library) {
                Some(Mark::Number(number)) => self.citation(&format!("[{number}]")),
                Some(Mark::Label(label)) => self.citation(&format!("({label})")),
                None => self.citation(&format!("[{id}]")),
            },
            Event::Rule => {
                self.blank();
                let rule = if self.options.ascii { "-" } else { "─" };
                let line = lines::line(rule.repeat(self.available()), Style::Faint);
                self.push(vec![line]);
            }
            // The checker refuses these in content; in other documents they are shown as they are written.
            Event::Html(text) | Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text);
            }
            Event::TaskListMarker(done) => self.text(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.blank(),
            Tag::Heading { level, .. } => {
                self.blank();
                self.styles.push(if level == HeadingLevel::H1 { Style::Title } else { Style::Heading });
            }
            Tag::BlockQuote(_) => {
                self.blank();
                self.frames.push(Frame::Quote);
            }
            Tag::List(next) => {
                self.flush();
                if self.frames.is_empty() {
                    self.blank();
                }
                self.frames.push(Frame::List { next });
            }
            Tag::Item => {
                let marker = match self.frames.last_mut() {
                    Some(Frame::List { next: Some(number) }) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ if self.options.ascii => "- ".to_string(),
                    _ => "• ".to_string(),
                };
                self.frames.push(Frame::Item { marker, first: true });
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::Table(_) => {
                self.flush();
                self.table = Some(Table::default());
            }
            Tag::TableRow => self.table_mut().rows.push(Vec::new()),
            Tag::Emphasis => self.styles.push(Style::Emphasis),
            Tag::Strong => self.styles.push(Style::Strong),
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.to_string(), self.spans.len()));
                self.styles.push(Style::Link);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.flush();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                self.frames.pop();
            }
            TagEnd::List(_) => {
                self.frames.pop();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::TableCell => {
                let cell: Cell = std::mem::take(&mut self.spans);
                let table = self.table_mut();
                match table.rows.last_mut() {
                    Some(row) => row.push(cell),
                    None => table.header.push(cell),
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.blank();
                    let options = Options { width: self.available(), ..self.options };
                    self.push(table.lines(options));
                }
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                self.styles.pop();
            }
            TagEnd::Link => {
                self.styles.pop();
                if let Some((target, start)) = self.links.pop() {
                    let text: String = self.spans[start..].iter().map(|span| &*span.text).collect();
                    if text != target {
                        self.spans.push(Span::new(format!(" ({target})"), Style::Faint));
                    }
                }
            }
            _ => {}
        }
    }

    fn table_mut(&mut self) -> &mut Table {
        self.table.get_or_insert_default()
    }

    fn text(&mut self, text: &str) {
        let style = self.styles.last().copied().unwrap_or_default();
        self.spans.push(Span::new(text.replace('\n', " "), style));
    }

    fn citation(&mut self, mark: &str) {
        self.spans.push(Span::new(mark, Style::Faint));
    }

    /// Columns left inside the frames.
    fn available(&self) -> usize {
        let taken: usize =
            self.frames.iter().map(|frame| frame.prefix(self.options).map_or(0, |prefix| prefix.chars().count())).sum();
        self.options.width.saturating_sub(taken).max(1)
    }

    /// Ends the open inline text.
    fn flush(&mut self) {
        let mut spans = std::mem::take(&mut self.spans);
        if spans.is_empty() {
            return;
        }
        if matches!(self.frames.last(), Some(Frame::Quote)) {
            mark_alert(&mut spans);
        }
        let lines = wrap(&spans, self.available());
        self.push(lines);
    }

    fn code_block(&mut self) {
        let Some((language, code)) = self.code.take() else {
            return;
        };
        self.blank();
        if language == "flow"
            && let Some(flow) = self.library.flows.find(code.trim())
        {
            let options = Options { width: self.available(), ..self.options };
            self.push(flow::lines(&flow, options));
            for event in markdown::parser(&flow::citations(&flow)) {
                self.event(event.into_static());
            }
            return;
        }
        let lines = code.lines().map(|code| lines::line(format!("    {code}"), Style::Code)).collect();
        self.push(lines);
    }

    /// A blank line before the next block, except at the start, after another one, and at the start of an item.
    fn blank(&mut self) {
        self.flush();
        let fresh_item = matches!(self.frames.last(), Some(Frame::Item { first: true, .. }));
        if !self.out.is_empty() && self.out.last().is_some_and(|line| !is_blank(line)) && !fresh_item {
            self.push(vec![Line::new()]);
        }
    }

    /// Puts lines out with what the frames draw on their left.
    fn push(&mut self, mut lines: Vec<Line>) {
        let options = self.options;
        for frame in self.frames.iter_mut().rev() {
            let Some(prefix) = frame.prefix(options) else { continue };
            let indent = match frame {
                Frame::Item { .. } => " ".repeat(prefix.chars().count()),
                _ => prefix.clone(),
            };
            let first = if let Frame::Item { first, .. } = frame {
                if std::mem::take(first) { prefix } else { indent.clone() }
            } else {
                prefix
            };
            lines = lines::prefix(lines, &Span::new(first, Style::Faint), &Span::new(indent, Style::Faint));
        }
        self.out.extend(lines);
    }

    fn sources(&mut self) {
        self.flush();
        let sources: Vec<(usize, String, String)> =
            self.citations.list().map(|(number, title, url)| (number, title.to_string(), url)).collect();
        if sources.is_empty() {
            return;
        }
        self.blank();
        self.push(vec![lines::line("Sources", Style::Heading)]);
        for (number, title, url) in sources {
            let marker = format!("[{number}] ");
            let indent = Span::new(" ".repeat(marker.len()), Style::Plain);
            let spans = [Span::new(format!("{title} "), Style::Plain), Span::new(url, Style::Faint)];
            let wrapped = wrap(&spans, self.options.width.saturating_sub(marker.len()));
            let lines = lines::prefix(wrapped, &Span::new(marker, Style::Faint), &indent);
            self.push(lines);
        }
    }
}

impl Frame {
    /// What the frame draws before a line.
    fn prefix(&self, options: Options) -> Option<String> {
        match self {
            Frame::Quote => Some(if options.ascii { "| " } else { "│ " }.to_string()),
            Frame::Item { marker, .. } => Some(marker.clone()),
            Frame::List { .. } => None,
        }
    }
}

fn is_blank(line: &Line) -> bool {
    line.iter().all(|span| span.text.trim_matches(['│', '|', ' ']).is_empty())
}

/// Turns `[!MYTH]` at the start of a quote into a word.
fn mark_alert(spans: &mut Vec<Span>) {
    // The parser cuts the brackets into several texts.
    let start: String = spans.iter().take_while(|span| span.style == Style::Plain).map(|span| &*span.text).collect();
    if let Some((alert, rest)) = Alert::strip(&start) {
        let plain = spans.iter().take_while(|span| span.style == Style::Plain).count();
        let style = if alert == Alert::Myth { Style::Myth } else { Style::Note };
        spans.splice(
            ..plain,
            [Span::new(format!("{}:", alert.label()), style), Span::new(format!(" {rest}"), Style::Plain)],
        );
    }
}
