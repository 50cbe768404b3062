//! Templates in YAML: `{{ .Values.x }}` of Helm, `{% if %}` of Jinja.

use super::super::names::PLACEHOLDER;
use crate::lint::place::{Builder, Mapped};
use crate::lint::source::{Position, Setting, Value};

/// YAML with its templates taken out.
pub(super) struct Template {
    /// A template in a line is as many placeholders; a line of nothing else is empty.
    pub(super) text: Mapped<'static>,
    /// The templates with their places.
    taken: Vec<(Position, String)>,
    /// The lines that `if` and its kin may leave out, first and last; in their order, none in another.
    optional: Vec<(usize, usize)>,
}

/// Takes templates out, if there are any.
pub(super) fn take_out(source: &Mapped<'_>) -> Option<Template> {
    if !source.text.contains("{{") && !source.text.contains("{%") {
        return None;
    }
    let mut builder = Builder::default();
    let mut template = Template { text: Mapped::empty(), taken: Vec::new(), optional: Vec::new() };
    // Where blocks begin, and whether they may be left out.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut start = 0;
    // Inside of a template that began in a line before.
    let mut goes_on: Option<&str> = None;
    for line in source.text.split_inclusive('\n') {
        let number = source.position(start).line;
        let body = line.trim_end_matches(['\n', '\r']);
        let spans = spans(body, &mut goes_on);
        let outside: String = outside(body, &spans);
        if spans.is_empty() {
            builder.copy(source, start, start + line.len());
        } else if outside.trim().is_empty() {
            builder.push("\n", source.position(start));
        } else {
            let mut at = 0;
            for (from, to) in &spans {
                builder.copy(source, start + at, start + from);
                let taken = &body[*from..*to];
                let place = source.position(start + from);
                builder.cover(&PLACEHOLDER.to_string().repeat(taken.chars().count()), place);
                template.taken.push((place, taken.to_string()));
                at = *to;
            }
            builder.copy(source, start + at, start + line.len());
        }
        for (from, to) in &spans {
            block(&body[*from..*to], number, &mut open, &mut template.optional);
        }
        start += line.len();
    }
    template.text = builder.finish();
    template.optional = joined(template.optional);
    Some(template)
}

/// The templates of a line, as ranges.
fn spans(line: &str, goes_on: &mut Option<&'static str>) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    loop {
        let (start, close) = if let Some(close) = goes_on.take() {
            (0, close)
        } else {
            let opens = |at: &usize| matches!(line.as_bytes().get(at + 1), Some(b'{' | b'%'));
            let Some(start) = line[at..].match_indices('{').map(|(found, _)| at + found).find(opens) else {
                return spans;
            };
            (start, if line[start..].starts_with("{{") { "}}" } else { "%}" })
        };
        match line[start..].find(close) {
            Some(length) => {
                at = start + length + close.len();
                spans.push((start, at));
            }
            // Only a template at the beginning of a line goes over several.
            None if line[..start].trim().is_empty() => {
                *goes_on = Some(close);
                spans.push((start, line.len()));
                return spans;
            }
            None => return spans,
        }
    }
}

fn outside(line: &str, spans: &[(usize, usize)]) -> String {
    let mut at = 0;
    let mut out = String::new();
    for (from, to) in spans {
        out.push_str(&line[at..*from]);
        at = *to;
    }
    out + &line[at..]
}

/// Follows the blocks that templates open and close.
fn block(template: &str, line: usize, open: &mut Vec<(usize, bool)>, optional: &mut Vec<(usize, usize)>) {
    let inside = template.trim_start_matches(['{', '%', '-', ' ']);
    match inside.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default() {
        "if" | "range" | "with" | "for" => open.push((line, true)),
        "define" | "block" => open.push((line, false)),
        "end" | "endif" | "endfor" | "endblock" => {
            if let Some((start, true)) = open.pop() {
                optional.push((start, line));
            }
        }
        _ => {}
    }
}

/// Ranges in their order, those that overlap as one.
fn joined(mut ranges: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    ranges.sort_unstable();
    ranges.dedup_by(|next, before| {
        let overlaps = next.0 <= before.1;
        before.1 = if overlaps { before.1.max(next.1) } else { before.1 };
        overlaps
    });
    ranges
}

impl Template {
    /// Gives settings their templates back, and marks those that may be left out.
    pub(super) fn restore(&self, settings: &mut [Setting]) {
        for setting in settings {
            let line = setting.at.line;
            let next = self.optional.partition_point(|(from, _)| *from <= line);
            setting.conditional |= next.checked_sub(1).is_some_and(|before| line <= self.optional[before].1);
            let Value::Unresolved(written) = &mut setting.value else { continue };
            if !written.contains(PLACEHOLDER) {
                continue;
            }
            let first = self.taken.partition_point(|(place, _)| *place < setting.value_at);
            let mut restored = String::new();
            let mut rest: &str = written;
            for (_, template) in &self.taken[first..] {
                let Some(at) = rest.find(PLACEHOLDER) else { break };
                restored.push_str(&rest[..at]);
                restored.push_str(template);
                let length = template.chars().count() * PLACEHOLDER.len_utf8();
                rest = rest.get(at + length..).unwrap_or_default();
            }
            restored.push_str(rest);
            *written = restored;
        }
    }
}
