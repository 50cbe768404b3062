//! What is no YAML, line by line.

use super::super::{Found, names, shell};
use crate::lint::place::Mapped;
use crate::lint::source::{Form, Quote, Setting, Value};

/// Reads pairs of `name:` and `value:`, `NAME: value`, `- NAME=value`, and `export NAME=value`. One scope: what belongs together is not known.
pub(super) fn read(text: &Mapped<'_>, scope: usize, found: &mut Found) {
    let mut start = 0;
    // The name that waits for its value.
    let mut waiting: Option<(usize, usize)> = None;
    for line in text.text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let trimmed = body.trim_start();
        let at = start + body.len() - trimmed.len();
        start += line.len();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let item = trimmed.strip_prefix("- ").map_or(trimmed, str::trim_start);
        let at = at + trimmed.len() - item.len();
        if let Some(rest) = item.strip_prefix("name:") {
            let name_at = at + item.len() - rest.trim_start().len();
            let (name_at, name) = unquoted(text, name_at, at + item.len());
            waiting = names::is_variable(&name).then_some((name_at, name.len()));
            continue;
        }
        if let Some(rest) = item.strip_prefix("value:") {
            if let Some(name) = waiting.take() {
                push(
                    text,
                    name,
                    (at + item.len() - rest.trim_start().len(), at + item.len()),
                    Form::ListItem,
                    scope,
                    found,
                );
            }
            continue;
        }
        waiting = None;
        let quote = usize::from(item.starts_with(['"', '\'']));
        let name = names::identifier(&item[quote..]);
        let behind = item[quote + name..].trim_start_matches(['"', '\'']);
        if !names::is_variable(&item[quote..quote + name]) {
            if item.contains("export ") || item.contains(" -x ") || item.starts_with("-x ") {
                let line = text.part(at, at + item.len());
                found.inside(|found| shell::read(&line, scope, found));
            }
            continue;
        }
        let is_list = item.len() < trimmed.len();
        let value_at = at + item.len() - behind.len();
        if behind.starts_with(": ") {
            let value_at = value_at + behind.len() - behind[1..].trim_start().len();
            push(text, (at + quote, name), (value_at, at + item.len()), Form::Map, scope, found);
        } else if is_list && behind.starts_with('=') {
            let end = at + item.trim_end_matches(['"', '\'']).len();
            push(text, (at + quote, name), (value_at + 1, end.max(value_at + 1)), Form::ListString, scope, found);
        }
    }
}

/// The text of a range without its quotes and its comment, and where it begins.
fn unquoted(text: &Mapped<'_>, start: usize, end: usize) -> (usize, String) {
    let whole = &text.text[start.min(end)..end];
    for mark in ['"', '\''] {
        if let Some(inside) = whole.strip_prefix(mark)
            && let Some(length) = inside.find(mark)
        {
            return (start + 1, inside[..length].to_string());
        }
    }
    let comment = whole.find(" #").unwrap_or(whole.len());
    (start, whole[..comment].trim_end().to_string())
}

fn push(text: &Mapped<'_>, name: (usize, usize), value: (usize, usize), form: Form, scope: usize, found: &mut Found) {
    let (inside, literal) = unquoted(text, value.0, value.1);
    let quote = match (inside > value.0).then(|| text.text.as_bytes()[value.0]) {
        Some(b'"') => Quote::Double,
        Some(_) => Quote::Single,
        None => Quote::None,
    };
    let marks = 2 * usize::from(quote != Quote::None);
    let written = text.text[value.0..value.0 + literal.len() + marks].to_string();
    let is_open = names::is_template(&literal)
        || names::has_variable(&literal)
        || written.starts_with(['*', '&', '|', '>', '[', '{']);
    found.push(Setting {
        name: text.text[name.0..name.0 + name.1].to_string(),
        at: text.position(name.0),
        value_at: text.position(value.0),
        value: if is_open { Value::Unresolved(written) } else { Value::Literal { text: literal, written, quote } },
        form,
        scope,
        conditional: false,
        host: None,
        broken: None,
    });
}
