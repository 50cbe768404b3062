//! Files of lines `NAME=value`: `nccl.conf`, env-files, and what `env` prints.

use super::{Found, LONGEST_VALUE, names};
use crate::lint::place::Mapped;
use crate::lint::source::{Broken, Form, Quote, Setting, Text, Value};

/// `nccl.conf` as NCCL reads it (NVIDIA/nccl:src/misc/param.cc@v2.30.7-1, setEnvFile): a `#` in the first column begins a comment, the name
/// is all before the first `=`, the value all behind it, with blanks, quotes and a carriage return. What has no `=` is skipped.
pub(super) fn conf(text: &Mapped<'_>, scope: usize, found: &mut Found) {
    for (start, line) in lines(text) {
        if line.starts_with('#') {
            continue;
        }
        if let Some((name, value)) = line.split_once('=') {
            push(text, (start, name), (start + name.len() + 1, names::literal(value)), Form::ConfLine, scope, found);
        }
    }
}

/// An env-file as `docker run --env-file` reads it (docker/cli: pkg/kvfile): blanks in front of a line and the carriage return of its end do
/// not count, quotes and blanks at the end belong to the value, a name alone is taken from the environment.
pub(super) fn env_file(text: &Mapped<'_>, scope: usize, found: &mut Found) {
    for (start, line) in lines(text) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let trimmed = line.trim_start();
        let start = start + line.len() - trimmed.len();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        match trimmed.split_once('=') {
            Some((name, value)) => {
                let value_at = start + name.len() + 1;
                push(text, (start, name), (value_at, names::literal(value)), Form::EnvLine, scope, found);
            }
            None if names::is_variable(trimmed) => {
                push(text, (start, trimmed), (start, Value::Inherited), Form::EnvLine, scope, found);
            }
            None => {}
        }
    }
}

/// A `.env` file as compose and the dotenv libraries read it: `export ` may stand in front, quotes are taken off and may hold several lines, blanks around
/// a value do not count, ` #` begins a comment.
pub(super) fn dotenv(text: &Mapped<'_>, scope: usize, found: &mut Found) {
    let mut quoted_to = 0;
    for (start, line) in lines(text) {
        if start < quoted_to {
            continue;
        }
        let trimmed = line.trim_start();
        let trimmed = trimmed.strip_prefix("export ").map_or(trimmed, str::trim_start);
        if trimmed.starts_with('#') {
            continue;
        }
        let start = start + line.len() - trimmed.len();
        let Some((name, rest)) = trimmed.split_once('=') else {
            if names::is_variable(trimmed.trim_end()) {
                push(text, (start, trimmed.trim_end()), (start, Value::Inherited), Form::EnvLine, scope, found);
            }
            continue;
        };
        let value_at = start + trimmed.len() - rest.trim_start_matches([' ', '\t']).len();
        let (value, end) = dotenv_value(text, value_at, start + trimmed.len());
        quoted_to = end;
        push(text, (start, name.trim_end()), (value_at, value), Form::EnvLine, scope, found);
    }
}

/// The value that begins at an offset, in a line that ends at another; and where it ends.
fn dotenv_value(text: &Mapped<'_>, start: usize, line_end: usize) -> (Value, usize) {
    let rest = &text.text[start..];
    for (mark, quote) in [('"', Quote::Double), ('\'', Quote::Single)] {
        let Some(inside) = rest.strip_prefix(mark) else { continue };
        // A quote that nothing closes within some lines is a character like others.
        let window = &inside[..inside.floor_char_boundary(LONGEST_QUOTED)];
        let end = if quote == Quote::Single { window.find(mark) } else { closing_double(window) };
        let Some(end) = end else { break };
        let written = &rest[..end + 2];
        if quote == Quote::Single {
            let (text, written) = (inside[..end].to_string(), written.to_string());
            return (Value::Literal { text, written, quote }, start + end + 2);
        }
        let value = match unescaped(&inside[..end]) {
            Some(text) => Value::Literal { text, written: written.to_string(), quote },
            None => Value::Unresolved(written.to_string()),
        };
        return (value, start + end + 2);
    }
    let line = &text.text[start..line_end.max(start)];
    let comment = line.find(" #").or_else(|| line.find("\t#")).or_else(|| line.starts_with('#').then_some(0));
    let written = line[..comment.unwrap_or(line.len())].trim_end();
    if names::has_variable(written) {
        return (Value::Unresolved(written.to_string()), line_end);
    }
    (names::literal(written), line_end)
}

/// The text of a value in double quotes; `None` where a variable stands in it.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        if c == '$' && names::starts_variable(&text[at + 1..]) {
            return None;
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        match characters.next().map(|(_, next)| next) {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(next @ ('\\' | '"' | '$' | '\'')) => out.push(next),
            next => {
                out.push('\\');
                out.extend(next);
            }
        }
    }
    Some(out)
}

/// A quoted value of an env-file is not longer than this.
const LONGEST_QUOTED: usize = 64 * 1024;

fn closing_double(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_end = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        is_end.then_some(at)
    })
}

/// What `env` and `printenv` print, and `/proc/PID/environ`. A line without a name goes on with the value before it.
pub(super) fn dump(text: &Text, scope: usize, found: &mut Found) {
    let is_environ = text.whole.contains('\0');
    let mapped = Mapped::file(text);
    let mut continued: Option<usize> = None;
    let mut start = 0;
    for (_, line) in text.lines() {
        let (at, next) = (start, start + line.len() + 1);
        start = next;
        let name = line.split('=').next().unwrap_or_default();
        let is_name = name.len() < line.len()
            && !name.is_empty()
            && if is_environ {
                true
            } else {
                names::identifier(name.trim_end_matches("%%").trim_end_matches("()")) > 0 && !name.contains(' ')
            };
        if is_name {
            let value = Value::Literal {
                text: line[name.len() + 1..].to_string(),
                written: line[name.len() + 1..].to_string(),
                quote: Quote::None,
            };
            let before = found.settings.len();
            push(&mapped, (at, name), (at + name.len() + 1, value), Form::DumpLine, scope, found);
            continued = (found.settings.len() > before).then_some(before);
        } else if let Some(setting) = continued.and_then(|index| found.settings.get_mut(index))
            && let Value::Literal { text, written, .. } = &mut setting.value
        {
            for value in [text, written].into_iter().filter(|value| value.len() <= LONGEST_VALUE) {
                value.push('\n');
                value.push_str(line);
            }
        }
    }
}

/// The lines with the offset of each, without their line feeds.
fn lines<'t>(text: &'t Mapped<'_>) -> impl Iterator<Item = (usize, &'t str)> {
    let mut start = 0;
    text.text.split('\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        (at, line)
    })
}

/// A setting, unless its name cannot have been meant as one.
fn push(text: &Mapped<'_>, name: (usize, &str), value: (usize, Value), form: Form, scope: usize, found: &mut Found) {
    let bare = name.1.trim();
    let is_meant = names::is_variable(bare)
        || names::is_nccl(bare)
        || (form != Form::DumpLine
            && bare.bytes().any(|byte| byte.is_ascii_uppercase())
            && !bare.bytes().any(|byte| byte.is_ascii_lowercase()));
    if !is_meant || found.is_full() {
        return;
    }
    // NCCL takes the blank into the name; Docker refuses it.
    let is_broken = name.1 != bare && form != Form::DumpLine && name.1.trim_start() == name.1;
    found.push(Setting {
        name: name.1.to_string(),
        at: text.position(name.0),
        value_at: text.position(value.0),
        value: value.1,
        form,
        scope,
        conditional: false,
        host: None,
        broken: is_broken.then_some(Broken::BlankAroundEquals),
    });
}
