//! A document as plain markdown: for pipes, prompts and files.

use super::citations::{Citations, Mark};
use super::{Options, flow, paint};
use crate::knowledge::Library;
use crate::knowledge::markdown::Alert;

/// The width of flows in markdown.
const WIDTH: usize = 80;

/// Resolves what only rdmanav understands: footnotes become numbers with their sources at the end, flow blocks are drawn,
/// alerts become words. Everything else is passed on as it is written.
///
/// Works on lines, without the parser: the checker allows `[^` outside of code only as a footnote, and fences only at the start
/// of a line.
pub fn markdown(document: &str, library: &Library<'_>) -> String {
    let mut citations = Citations::default();
    let mut out = String::with_capacity(document.len() + document.len() / 4);
    let mut lines = document.lines();
    let mut fence = None;
    while let Some(line) = lines.next() {
        if fence.is_none() && line == "```flow" {
            let id = lines.next().unwrap_or("").trim();
            lines.next();
            draw(id, library, &mut citations, &mut out);
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let ticks = line[indent..].bytes().take_while(|&b| b == b'`').count();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks >= open && line[indent + ticks..].is_empty() => fence = None,
            Some(_) => {}
            None => {
                text(line, library, &mut citations, &mut out);
                out.push('\n');
                continue;
            }
        }
        out.push_str(line);
        out.push('\n');
    }
    let mut list = citations.list().peekable();
    if list.peek().is_some() {
        out.push('\n');
    }
    for (number, title, url) in list {
        out.push_str(&format!("[^{number}]: {title}, {url}\n"));
    }
    out
}

fn text<'a>(line: &str, library: &Library<'a>, citations: &mut Citations<'a>, out: &mut String) {
    let mut rest = line;
    if let Some((alert, after)) = line.strip_prefix("> ").and_then(Alert::strip) {
        out.push_str(&format!("> **{}:** ", alert.label()));
        rest = after;
    }
    while let Some(start) = rest.find("[^") {
        let Some(end) = rest[start..].find(']').map(|end| start + end) else {
            break;
        };
        out.push_str(&rest[..start]);
        match citations.mark(&rest[start + 2..end], library) {
            Some(Mark::Number(number)) => out.push_str(&format!("[^{number}]")),
            Some(Mark::Label(label)) => out.push_str(&format!("({label})")),
            None => out.push_str(&rest[start..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
}

fn draw<'a>(id: &str, library: &Library<'a>, citations: &mut Citations<'a>, out: &mut String) {
    let Some(flow) = library.flows.find(id) else {
        out.push_str(&format!("(no flow {id})\n"));
        return;
    };
    let options = Options {
        width: WIDTH,
        styled: false,
        ascii: false,
    };
    out.push_str("```text\n");
    out.push_str(&paint::plain(&flow::down(&flow, options)));
    out.push_str("```\n\n");
    text(&flow::citations(&flow), library, citations, out);
    out.push('\n');
}
