//! One reader a kind.

mod dockerfile;
mod log;
mod names;
mod plain;
mod python;
mod shell;
mod yaml;

use std::cell::Cell;

use crate::lint::place::Mapped;
use crate::lint::source::{Allowed, Container, Fallback, Kind, Setting, Source, Text, Value};

/// More settings than this in one file are not kept: memory must not follow a file made of nothing else.
pub(super) const MOST_SETTINGS: usize = 100_000;

/// A longer value is kept in part, and not judged: no environment has one, and each rule that looks at a setting would read all of it.
const LONGEST_VALUE: usize = 4096;

/// Text inside of text inside of text: here-documents, quoted commands, scripts in YAML. Deeper ones are not looked into.
const DEEPEST: usize = 8;

/// Reads text as a kind.
pub(super) fn read(kind: Kind, text: Text) -> Source {
    let mut found = Found::default();
    let scope = found.scope(None);
    let file = Mapped::file(&text);
    match kind {
        Kind::Dump => plain::dump(&text, scope, &mut found),
        Kind::Log => log::read(&text, &mut found),
        kind => read_mapped(&file, kind, scope, &mut found),
    }
    if found.is_full() {
        let message = format!("only the first {MOST_SETTINGS} settings were read");
        found.fallback = Some(Fallback { message, line: found.settings.last().map(|setting| setting.at.line) });
    }
    let allowed = allowed(&text);
    let mut source = Source::new(kind, text);
    // Texts inside of the file are read when the command around them is: their settings come after it.
    found.settings.sort_by_key(|setting| setting.at);
    found.containers.sort_by_key(|container| container.at);
    (source.settings, source.containers, source.outer) = (found.settings, found.containers, found.outer);
    (source.fallback, source.allowed) = (found.fallback, allowed);
    source
}

/// Reads text, a file or a part of one, whose settings go to a scope.
fn read_mapped(text: &Mapped<'_>, kind: Kind, scope: usize, found: &mut Found) {
    match kind {
        Kind::Shell => shell::read(text, scope, found),
        Kind::Dockerfile => dockerfile::read(text, scope, found),
        Kind::Compose | Kind::Kubernetes | Kind::Yaml => yaml::read(text, kind, scope, found),
        Kind::Conf => plain::conf(text, scope, found),
        Kind::EnvFile => plain::env_file(text, scope, found),
        Kind::Dotenv => plain::dotenv(text, scope, found),
        Kind::Python => python::read(text, scope, found),
        // Nothing writes these.
        Kind::Dump | Kind::Log => {}
    }
}

/// What a reader has found so far.
#[derive(Debug, Default)]
struct Found {
    settings: Vec<Setting>,
    containers: Vec<Container>,
    outer: Vec<Option<usize>>,
    fallback: Option<Fallback>,
    /// How many texts the one that is being read stands in.
    depth: usize,
    /// How many bytes of variables were filled in.
    filled_in: Cell<usize>,
}

impl Found {
    /// A new scope inside of another.
    fn scope(&mut self, outer: Option<usize>) -> usize {
        self.outer.push(outer);
        self.outer.len() - 1
    }

    fn push(&mut self, mut setting: Setting) {
        if self.is_full() {
            return;
        }
        let written = setting.value.written();
        if written.len() > LONGEST_VALUE || setting.value.text().is_some_and(|text| text.len() > LONGEST_VALUE) {
            let kept = &written[..written.floor_char_boundary(LONGEST_VALUE)];
            setting.value = Value::Unresolved(kept.to_string());
        }
        self.settings.push(setting);
    }

    fn is_full(&self) -> bool {
        self.settings.len() >= MOST_SETTINGS
    }

    /// Reads text that stands in the text that is being read, unless it stands too deep.
    fn inside(&mut self, read: impl FnOnce(&mut Self)) {
        if self.depth < DEEPEST {
            self.depth += 1;
            read(self);
            self.depth -= 1;
        }
    }
}

/// The comments that allow a rule.
fn allowed(text: &Text) -> Vec<Allowed> {
    const MARK: &str = "rdmanav: allow ";
    let mut allowed = Vec::new();
    // Of comments that stand alone, until the line that they are about.
    let mut waiting: Vec<String> = Vec::new();
    for (number, line) in text.lines() {
        let comment = line.find('#').filter(|_| line.contains(MARK)).and_then(|_| {
            let mark = line.find(MARK)?;
            let hash = line[..mark].rfind('#')?;
            line[hash + 1..mark].trim().is_empty().then_some((hash, mark + MARK.len()))
        });
        let Some((hash, rules)) = comment else {
            if !waiting.is_empty() && !line.trim_start().starts_with('#') {
                allowed.extend(waiting.drain(..).map(|rule| Allowed { line: number, rule }));
            }
            continue;
        };
        let rules = line[rules..].split(',').filter_map(|rule| rule.split_whitespace().next());
        if line[..hash].trim().is_empty() {
            waiting.extend(rules.map(str::to_string));
        } else {
            allowed.extend(rules.map(|rule| Allowed { line: number, rule: rule.to_string() }));
        }
    }
    allowed.sort();
    allowed.dedup();
    allowed
}

#[cfg(test)]
mod tests;
