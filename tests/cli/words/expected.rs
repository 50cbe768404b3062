//! What must be seen of a document, read from the events of the parser.

use std::fmt::Write;

use pulldown_cmark::{Event, Tag, TagEnd};
use rdmanav::knowledge::{Flow, Library, markdown};

/// A block, as words.
#[derive(Debug)]
pub enum Block {
    Text(Vec<String>),
    /// Lines that must stand as they are.
    Code(Vec<String>),
    /// The words of a drawing, in any order, with others between.
    Flow(Vec<String>),
    /// Cells of the header (without and with what they cite), and of the rows: none where a cell is empty.
    Table {
        names: Vec<Vec<String>>,
        header: Vec<Vec<String>>,
        rows: Vec<Vec<Option<Vec<String>>>>,
    },
}

/// What is compared: words with a letter or a digit. Strokes of boxes and bullets are none.
pub fn words(text: &str) -> Vec<String> {
    let text: String = text.chars().map(|c| if ('\u{2500}'..='\u{257f}').contains(&c) { ' ' } else { c }).collect();
    let text = text.replace("][", "] [").replace("](", "] (");
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).map(str::to_string).collect()
}

struct Reader<'l> {
    library: &'l Library<'static>,
    out: Vec<Block>,
    text: String,
    cited: Vec<String>,
    links: Vec<(String, usize)>,
    numbers: Vec<Option<u64>>,
    code: Option<(bool, String)>,
    /// The cells of the row that is read, and the header without its citations.
    row: Vec<Option<Vec<String>>>,
    names: Vec<Vec<String>>,
    rows: Vec<Vec<Option<Vec<String>>>>,
    header: Vec<Vec<String>>,
    /// Text of a cell without citations.
    bare: String,
    in_quote: usize,
}

pub fn expected(document: &str, library: &Library<'static>) -> Vec<Block> {
    let mut reader = Reader {
        library,
        out: Vec::new(),
        text: String::new(),
        cited: Vec::new(),
        links: Vec::new(),
        numbers: Vec::new(),
        code: None,
        row: Vec::new(),
        names: Vec::new(),
        rows: Vec::new(),
        header: Vec::new(),
        bare: String::new(),
        in_quote: 0,
    };
    for event in markdown::parser(document) {
        reader.event(event);
    }
    reader.flush();
    if !reader.cited.is_empty() {
        let mut text = "Sources ".to_string();
        for (index, id) in reader.cited.iter().enumerate() {
            let source = library.sources.find(id).expect("a source");
            write!(text, "[{}] {} {} ", index + 1, source.title, source.url()).unwrap();
        }
        reader.out.push(Block::Text(words(&text)));
    }
    reader.out
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(&text),
            },
            Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => self.push(&text),
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            Event::FootnoteReference(id) => {
                let mark = self.mark(&id);
                self.text.push_str(&mark);
            }
            Event::Start(Tag::Link { dest_url, .. }) => self.links.push((dest_url.to_string(), self.text.len())),
            Event::End(TagEnd::Link) => {
                let (target, start) = self.links.pop().expect("a link");
                let text = self.text[start..].to_string();
                if target.starts_with(&format!("{text}#")) {
                    self.push(&target[text.len()..]);
                } else if target != text && target != format!("nccl-env#{text}") {
                    self.push(&format!(" ({target})"));
                }
            }
            Event::Start(Tag::List(first)) => {
                self.flush();
                self.numbers.push(first);
            }
            Event::End(TagEnd::List(_)) => {
                self.numbers.pop();
            }
            Event::Start(Tag::Item) => {
                self.flush();
                if let Some(Some(number)) = self.numbers.last_mut() {
                    let text = format!("{number}. ");
                    *number += 1;
                    self.push(&text);
                }
            }
            Event::Start(Tag::BlockQuote(_)) => {
                self.flush();
                self.in_quote += 1;
            }
            Event::End(TagEnd::BlockQuote(_)) => {
                self.flush();
                self.in_quote -= 1;
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                self.flush();
                let is_flow = matches!(&kind, pulldown_cmark::CodeBlockKind::Fenced(name) if &**name == "flow");
                self.code = Some((is_flow, String::new()));
            }
            Event::End(TagEnd::CodeBlock) => self.end_code(),
            Event::Start(Tag::TableCell) => {
                self.text.clear();
                self.bare.clear();
            }
            Event::End(TagEnd::TableCell) => {
                self.row.push((!self.text.trim().is_empty()).then(|| words(&self.text)));
                self.names.push(words(&self.bare));
                self.text.clear();
            }
            Event::End(TagEnd::TableHead) => {
                self.header = self.row.drain(..).map(Option::unwrap_or_default).collect();
            }
            Event::End(TagEnd::TableRow) => self.rows.push(std::mem::take(&mut self.row)),
            Event::End(TagEnd::Table) => {
                let header = std::mem::take(&mut self.header);
                self.names.truncate(header.len());
                let names = std::mem::take(&mut self.names);
                self.out.push(Block::Table { names, header, rows: std::mem::take(&mut self.rows) });
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong) | Event::Start(Tag::Emphasis | Tag::Strong) => {}
            Event::Start(_) | Event::End(_) => {
                if self.rows.is_empty() && self.header.is_empty() && self.row.is_empty() {
                    self.flush();
                }
            }
            Event::Rule => self.flush(),
            other => panic!("no answer has {other:?}"),
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.bare.push_str(text);
    }

    fn mark(&mut self, id: &str) -> String {
        match id {
            "derived" => return "(derived)".to_string(),
            "one-setup" => return "(one setup)".to_string(),
            _ => {}
        }
        let known = self.cited.iter().position(|known| known == id).unwrap_or_else(|| {
            self.cited.push(id.to_string());
            self.cited.len() - 1
        });
        format!("[{}]", known + 1)
    }

    fn flush(&mut self) {
        let mut text = std::mem::take(&mut self.text);
        if self.in_quote > 0 {
            for (marker, word) in [("[!MYTH]", "Myth:"), ("[!NOTE]", "Note:")] {
                if let Some(rest) = text.strip_prefix(marker) {
                    text = format!("{word} {rest}");
                }
            }
        }
        let words = words(&text);
        if !words.is_empty() {
            self.out.push(Block::Text(words));
        }
    }

    fn end_code(&mut self) {
        let (is_flow, code) = self.code.take().expect("a code block");
        if !is_flow {
            let lines = code.lines().map(|line| line.trim_end().to_string()).filter(|line| !line.is_empty());
            self.out.push(Block::Code(lines.collect()));
            return;
        }
        let flow: Flow<'_> = self.library.flows.find(code.trim()).expect("a flow");
        let mut drawn = String::new();
        let mut marks = "Steps: ".to_string();
        for (index, step) in flow.steps.iter().enumerate() {
            let number = index + 1;
            let texts = [Some(step.at), Some(step.does), step.via, step.cost];
            for text in texts.into_iter().flatten() {
                write!(drawn, "{text} ").unwrap();
            }
            let cited: String = step.sources.iter().map(|id| self.mark(id)).collect();
            write!(marks, "{}{number} {cited}", if index > 0 { ", " } else { "" }).unwrap();
        }
        self.out.push(Block::Flow(words(&drawn)));
        self.out.push(Block::Text(words(&marks)));
    }
}
