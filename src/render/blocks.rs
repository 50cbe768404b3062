//! Markdown events -> blocks: what the text is, before anything is known of the width.

use std::borrow::Cow;
use std::rc::Rc;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};

use super::ascii::ascii;
use super::citations::{Citations, Mark};
use super::lines::{self, Span, Style};
use super::table::Table;
use super::{clean, flow};
use crate::knowledge::library::VARIABLE_SECTION;
use crate::knowledge::markdown::{self, Alert};
use crate::knowledge::{Flow, Library};

/// A block of a document.
pub enum Block<'a> {
    Heading(HeadingLevel, Vec<Span>),
    Paragraph(Vec<Span>),
    List(List<'a>),
    /// Of a footnote definition, which only documents of others have.
    Named(String, Vec<Block<'a>>),
    Quote(Option<Alert>, Vec<Block<'a>>),
    /// Terms, and what stands under each.
    Definitions(Vec<(Vec<Span>, Vec<Block<'a>>)>),
    Code(String),
    Flow(Flow<'a>),
    Table(Table),
    Rule,
    Sources(Vec<Cited>),
}

/// A list; the first number where it is numbered.
pub struct List<'a> {
    pub first: Option<u64>,
    pub items: Vec<Vec<Block<'a>>>,
    /// Blank lines stand between its blocks.
    pub loose: bool,
}

/// A source that was cited.
pub struct Cited {
    pub number: usize,
    pub title: String,
    pub address: Span,
}

/// How a document is read.
#[derive(Clone, Copy)]
pub struct Reading {
    pub ascii: bool,
    /// Links lead to their target by themselves: addresses in brackets are left out.
    pub hyperlinks: bool,
}

/// The blocks of a document, with the list of its sources at the end.
pub fn read<'a>(document: &str, library: &Library<'a>, reading: Reading) -> Vec<Block<'a>> {
    let mut reader = Reader {
        library,
        reading,
        citations: Citations::default(),
        open: Vec::new(),
        blocks: Vec::new(),
        spans: Vec::new(),
        heading: None,
        strong: 0,
        emphasis: 0,
        link: None,
        table: None,
        code: None,
    };
    for event in markdown::parser(document) {
        reader.event(event);
    }
    reader.flush();
    reader.sources();
    reader.blocks
}

/// A block that holds others.
enum Open<'a> {
    Quote,
    List(List<'a>),
    Item,
    Definitions(Vec<(Vec<Span>, Vec<Block<'a>>)>),
    Definition,
    Named(String),
}

/// Blocks nest this deep at most.
const DEEPEST: usize = 64;

struct Reader<'a, 'l> {
    library: &'l Library<'a>,
    reading: Reading,
    citations: Citations<'a>,
    /// What is open, each with the blocks that stood before it in what is around it.
    open: Vec<(Open<'a>, Vec<Block<'a>>)>,
    /// The blocks of the innermost open block.
    blocks: Vec<Block<'a>>,
    /// The inline text of the open block.
    spans: Vec<Span>,
    heading: Option<HeadingLevel>,
    strong: usize,
    emphasis: usize,
    /// An open link or image: its target, the address where it leads out, and the place of its text among the spans.
    link: Option<(String, Option<Rc<str>>, usize)>,
    table: Option<Table>,
    /// Language and text of an open code block.
    code: Option<(String, String)>,
}

impl<'a> Reader<'a, '_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(text) => {
                let text = self.shown(&text).replace('\n', " ");
                self.push(&text, if self.heading.is_some() { self.style() } else { Style::Code });
            }
            Event::SoftBreak => self.push(" ", self.style()),
            Event::HardBreak => self.push("\n", Style::Plain),
            Event::FootnoteReference(id) => self.citation(&id),
            Event::Rule => {
                self.flush();
                self.blocks.push(Block::Rule);
            }
            // The checker refuses these in content; in other documents they are shown as they are written.
            Event::Html(text) | Event::InlineHtml(text) => {
                let text = self.shown(&text).into_owned();
                self.push(&text, Style::Plain);
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
            Event::TaskListMarker(done) => self.push(if done { "[x] " } else { "[ ] " }, Style::Plain),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => {
                self.flush();
                if let [.., (Open::List(list), _), (Open::Item, _)] = &mut self.open[..] {
                    list.loose = true;
                }
            }
            Tag::Heading { level, .. } => {
                self.flush();
                self.heading = Some(level);
            }
            Tag::BlockQuote(_) => self.enter(Open::Quote),
            Tag::List(first) => self.enter(Open::List(List { first, items: Vec::new(), loose: false })),
            Tag::Item => self.enter(Open::Item),
            Tag::DefinitionList => self.enter(Open::Definitions(Vec::new())),
            Tag::DefinitionListDefinition => self.enter(Open::Definition),
            Tag::FootnoteDefinition(name) => {
                let name = self.shown(&name).into_owned();
                self.enter(Open::Named(name));
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::Table(alignments) => {
                self.flush();
                self.table = Some(Table { alignments, ..Table::default() });
            }
            Tag::TableRow => self.table_mut().rows.push(Vec::new()),
            Tag::Emphasis => self.emphasis += 1,
            Tag::Strong => self.strong += 1,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let target = self.shown(&dest_url).replace('\n', " ");
                self.link = Some((target, self.hyperlink(&dest_url), self.spans.len()));
            }
            _ => self.flush(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                self.heading = None;
                let spans = std::mem::take(&mut self.spans);
                self.blocks.push(Block::Heading(level, spans));
            }
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListDefinition
            | TagEnd::FootnoteDefinition => self.leave(),
            TagEnd::DefinitionListTitle => {
                let term = std::mem::take(&mut self.spans);
                if let Some((Open::Definitions(definitions), _)) = self.open.last_mut() {
                    definitions.push((term, Vec::new()));
                }
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                let table = self.table_mut();
                match table.rows.last_mut() {
                    Some(row) => row.push(cell),
                    None => table.header.push(cell),
                }
            }
            TagEnd::Table => self.blocks.extend(self.table.take().map(Block::Table)),
            TagEnd::Emphasis => self.emphasis = self.emphasis.saturating_sub(1),
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableHead | TagEnd::TableRow => {}
            _ => self.flush(),
        }
    }

    fn enter(&mut self, open: Open<'a>) {
        self.flush();
        self.open.push((open, std::mem::take(&mut self.blocks)));
    }

    fn leave(&mut self) {
        self.flush();
        let Some((open, around)) = self.open.pop() else { return };
        let mut inside = std::mem::replace(&mut self.blocks, around);
        if self.open.len() > DEEPEST && matches!(open, Open::Quote | Open::List(_)) {
            // What nests deeper has no room on any screen, and layout goes down by calls: it stands on the level above.
            if let Open::List(list) = open {
                inside.extend(list.items.into_iter().flatten());
            }
            self.blocks.append(&mut inside);
            return;
        }
        match open {
            Open::Quote => {
                let alert = match inside.first_mut() {
                    Some(Block::Paragraph(spans)) => mark_alert(spans),
                    _ => None,
                };
                self.blocks.push(Block::Quote(alert, inside));
            }
            Open::List(list) => self.blocks.push(Block::List(list)),
            Open::Item => match self.open.last_mut() {
                Some((Open::List(list), _)) => list.items.push(inside),
                _ => self.blocks.append(&mut inside),
            },
            Open::Definitions(definitions) => self.blocks.push(Block::Definitions(definitions)),
            Open::Definition => match self.open.last_mut() {
                Some((Open::Definitions(definitions), _)) => match definitions.last_mut() {
                    Some((_, blocks)) => blocks.append(&mut inside),
                    None => definitions.push((Vec::new(), inside)),
                },
                _ => self.blocks.append(&mut inside),
            },
            Open::Named(name) => self.blocks.push(Block::Named(name, inside)),
        }
    }

    /// Ends the open inline text.
    fn flush(&mut self) {
        if !self.spans.is_empty() {
            let spans = std::mem::take(&mut self.spans);
            self.blocks.push(Block::Paragraph(spans));
        }
    }

    fn table_mut(&mut self) -> &mut Table {
        self.table.get_or_insert_default()
    }

    /// The style of text here.
    fn style(&self) -> Style {
        match (self.heading, self.strong > 0, self.emphasis > 0) {
            (Some(HeadingLevel::H1), ..) => Style::Title,
            (Some(HeadingLevel::H2), ..) => Style::Heading,
            (Some(_), ..) => Style::Subheading,
            _ if self.link.is_some() => Style::Link,
            (None, true, true) => Style::StrongEmphasis,
            (None, true, false) => Style::Strong,
            (None, false, true) => Style::Emphasis,
            (None, false, false) => Style::Plain,
        }
    }

    /// Text as it can be shown. References such as `&#27;` are resolved by the parser: only here is it known what they stand for.
    fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match clean(text) {
            Cow::Borrowed(text) if self.reading.ascii => ascii(text),
            Cow::Owned(text) if self.reading.ascii => Cow::Owned(ascii(&text).into_owned()),
            text => text,
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        let link = self.link.as_ref().and_then(|(_, address, _)| address.clone());
        lines::push(&mut self.spans, Span { text: text.to_string(), style, link });
    }

    /// Text of the document. Addresses in it are links of their own.
    fn text(&mut self, text: &str) {
        let text = self.shown(text).replace('\n', " ");
        let style = self.style();
        let mut rest = &*text;
        while self.reading.hyperlinks
            && self.link.is_none()
            && let Some(start) = rest.find("https://")
        {
            let end = rest[start..].find([' ', ')', ']', '>', '"', '\'']).map_or(rest.len(), |end| start + end);
            let end = start + rest[start..end].trim_end_matches(['.', ',', ';', ':']).len();
            let link = self.hyperlink(&rest[start..end]);
            self.push(&rest[..start], style);
            lines::push(&mut self.spans, Span { text: rest[start..end].to_string(), style, link });
            rest = &rest[end..];
        }
        if !rest.is_empty() {
            self.push(rest, style);
        }
    }

    fn citation(&mut self, id: &str) {
        let mark = self.citations.mark(id, self.library);
        let address = match &mark {
            Some(Mark::Number(number)) if self.reading.hyperlinks => self.citations.url(*number),
            _ => None,
        };
        let link = address.and_then(|address| self.hyperlink(&address));
        let text = match mark {
            Some(Mark::Number(number)) => format!("[{number}]"),
            // Right behind a number, a space tells them apart.
            Some(Mark::Label(label)) if self.spans.last().is_some_and(|span| span.text.ends_with(']')) => {
                format!(" ({label})")
            }
            Some(Mark::Label(label)) => format!("({label})"),
            None => format!("[{}]", self.shown(id)),
        };
        lines::push(&mut self.spans, Span { text, style: Style::Faint, link });
    }

    /// Names the target behind the text, unless the text names it already or leads to it.
    fn end_link(&mut self) {
        let Some((target, address, start)) = self.link.take() else { return };
        let text: String = self.spans.get(start..).unwrap_or_default().iter().map(|span| &*span.text).collect();
        // A variable is found by its name.
        let is_variable =
            target.split_once('#').is_some_and(|(section, name)| section == VARIABLE_SECTION && name == text);
        if address.is_some() || text == target || is_variable {
            return;
        }
        match target.strip_prefix(&*text) {
            // The text is the section, the target one of its parts.
            Some(part) if part.starts_with('#') => {
                lines::push(&mut self.spans, Span::new(part, Style::Link));
            }
            _ => lines::push(&mut self.spans, Span::new(format!(" ({target})"), Style::Faint)),
        }
    }

    /// Where a link leads to, if it is out of rdmanav and hyperlinks are known. Of printable ASCII only, as OSC 8 asks.
    fn hyperlink(&self, url: &str) -> Option<Rc<str>> {
        let leads_out = ["https://", "http://", "mailto:"].iter().any(|scheme| url.starts_with(scheme));
        if !self.reading.hyperlinks || !leads_out {
            return None;
        }
        let mut address = String::with_capacity(url.len());
        for byte in clean(url).bytes() {
            match byte {
                b'!'..=b'~' => address.push(char::from(byte)),
                byte => address.push_str(&format!("%{byte:02X}")),
            }
        }
        Some(address.into())
    }

    fn code_block(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        if language == "flow"
            && let Some(flow) = self.library.flows.find(code.trim())
        {
            let citations = flow::citations(&flow);
            self.blocks.push(Block::Flow(flow));
            for event in markdown::parser(&citations) {
                self.event(event);
            }
            return;
        }
        let code: Vec<String> = code.lines().map(|line| self.shown(&expand_tabs(line)).into_owned()).collect();
        self.blocks.push(Block::Code(code.join("\n")));
    }

    fn sources(&mut self) {
        let list: Vec<(usize, String, String)> =
            self.citations.list().map(|(number, title, url)| (number, title.to_string(), url)).collect();
        if list.is_empty() {
            return;
        }
        let cited = list.into_iter().map(|(number, title, url)| Cited {
            number,
            title: self.shown(&title).into_owned(),
            address: Span { link: self.hyperlink(&url), ..Span::new(self.shown(&url), Style::Faint) },
        });
        let cited = cited.collect();
        self.blocks.push(Block::Sources(cited));
    }
}

/// Tabs in code, which a terminal would expand from a column that is not the code's own.
fn expand_tabs(line: &str) -> Cow<'_, str> {
    if !line.contains('\t') {
        return Cow::Borrowed(line);
    }
    let mut out = String::new();
    for (index, piece) in line.split('\t').enumerate() {
        if index > 0 {
            out.extend(std::iter::repeat_n(' ', 8 - lines::columns(&out) % 8));
        }
        out.push_str(piece);
    }
    Cow::Owned(out)
}

/// Turns `[!MYTH]` at the start of a quote into a word.
fn mark_alert(spans: &mut Vec<Span>) -> Option<Alert> {
    let first = spans.first_mut().filter(|span| span.style == Style::Plain)?;
    let (alert, rest) = Alert::strip(&first.text)?;
    let style = if alert == Alert::Myth { Style::Myth } else { Style::Note };
    first.text = format!(" {rest}");
    spans.insert(0, Span::new(format!("{}:", alert.label()), style));
    Some(alert)
}
