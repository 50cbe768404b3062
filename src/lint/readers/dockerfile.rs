//! Dockerfiles: `ENV`, `ARG`, and what `RUN` writes or sets.

use std::collections::HashMap;

use super::shell::{self, Role, Rules};
use super::{Found, names};
use crate::lint::place::{Builder, Mapped};
use crate::lint::source::{Form, Setting, Value};

/// Reads a Dockerfile. Each stage is a scope; one that begins with another goes on with its settings.
pub(super) fn read(text: &Mapped<'_>, scope: usize, found: &mut Found) {
    let escape = escape(&text.text);
    let mut reader = Reader { found, scope, stages: HashMap::new(), is_first: true, escape };
    let mut lines = Lines { text, at: 0, escape };
    while let Some(instruction) = lines.next() {
        if reader.found.is_full() {
            return;
        }
        reader.instruction(&instruction, &mut lines);
    }
}

/// The escape character that the first lines may choose.
fn escape(text: &str) -> char {
    let directives = text.lines().take_while(|line| line.starts_with('#'));
    let chosen = directives
        .filter_map(|line| line[1..].split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("escape"));
    if chosen.is_some_and(|(_, value)| value.trim() == "`") { '`' } else { '\\' }
}

/// Instructions with their continued lines joined.
struct Lines<'t> {
    text: &'t Mapped<'t>,
    at: usize,
    escape: char,
}

impl Lines<'_> {
    fn next_line(&mut self) -> Option<(usize, usize)> {
        let rest = &self.text.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.find('\n').unwrap_or(rest.len());
        let line = (self.at, self.at + length);
        self.at = (line.1 + 1).min(self.text.text.len());
        Some(line)
    }

    /// The next instruction. Comments and empty lines between continued lines do not count.
    fn next(&mut self) -> Option<Mapped<'static>> {
        let mut builder = Builder::default();
        while let Some((start, end)) = self.next_line() {
            let line = &self.text.text[start..end];
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            if let Some(line) = line.trim_end().strip_suffix(self.escape) {
                builder.copy(self.text, start, start + line.len());
                continue;
            }
            // Docker does not take a carriage return into a value.
            builder.copy(self.text, start, start + line.strip_suffix('\r').unwrap_or(line).len());
            return Some(builder.finish());
        }
        (!builder.text.is_empty()).then(|| builder.finish())
    }

    /// The body of a here-document that begins at the next line.
    fn document(&mut self, delimiter: &str) -> Mapped<'static> {
        let start = self.at;
        let mut end = self.text.text.len();
        while let Some((line_start, line_end)) = self.next_line() {
            if self.text.text[line_start..line_end].trim_end_matches('\r').trim_start_matches('\t') == delimiter {
                end = line_start;
                break;
            }
        }
        self.text.part(start, end)
    }
}

struct Reader<'f> {
    found: &'f mut Found,
    scope: usize,
    /// The scopes of the named stages.
    stages: HashMap<String, usize>,
    is_first: bool,
    escape: char,
}

impl Reader<'_> {
    fn instruction(&mut self, instruction: &Mapped<'static>, lines: &mut Lines<'_>) {
        let text = &instruction.text;
        let start = text.len() - text.trim_start().len();
        let word = text[start..].split(char::is_whitespace).next().unwrap_or_default();
        let rest = start + word.len();
        match &*word.to_ascii_uppercase() {
            "FROM" => self.stage(&text[rest..]),
            "ENV" => self.pairs(instruction, rest, Form::DockerEnv),
            "ARG" => self.pairs(instruction, rest, Form::DockerArg),
            "RUN" | "COPY" | "ADD" => {
                let delimiters = delimiters(&text[rest..]);
                if delimiters.is_empty() {
                    if word.eq_ignore_ascii_case("RUN") {
                        self.run(&instruction.part(rest, text.len()));
                    }
                    return;
                }
                let target = text.split_whitespace().last().unwrap_or_default().to_string();
                for (delimiter, is_shell) in delimiters {
                    let body = lines.document(&delimiter);
                    if word.eq_ignore_ascii_case("RUN") {
                        self.run_document(&instruction.part(rest, text.len()), &body, is_shell);
                    } else if let Some(kind) = crate::lint::kind::by_name(&target) {
                        let scope = self.found.scope(None);
                        self.found.inside(|found| super::read_mapped(&body, kind, scope, found));
                    }
                }
            }
            "CMD" | "ENTRYPOINT" => self.run(&instruction.part(rest, text.len())),
            _ => {}
        }
    }

    fn stage(&mut self, text: &str) {
        let mut words = text.split_whitespace().filter(|word| !word.starts_with("--"));
        let base = words.next().unwrap_or_default().to_ascii_lowercase();
        let outer = self.stages.get(&base).copied();
        if !std::mem::take(&mut self.is_first) {
            self.scope = self.found.scope(outer);
        }
        if words.next().is_some_and(|word| word.eq_ignore_ascii_case("as"))
            && let Some(name) = words.next()
        {
            self.stages.insert(name.to_ascii_lowercase(), self.scope);
        }
    }

    /// `NAME=value NAME=value`, `NAME value`.
    fn pairs(&mut self, text: &Mapped<'_>, start: usize, form: Form) {
        let mut at = start;
        loop {
            let rest = &text.text[at..];
            at += rest.len() - rest.trim_start().len();
            if at >= text.text.len() {
                return;
            }
            let name = names::identifier(&text.text[at..]);
            let sign = &text.text[at + name..];
            let rules = Rules { known: &shell::unknown, role: Role::Value, escape: self.escape };
            if sign.starts_with('=') {
                let value_at = at + name + 1;
                let end = value_at + word_end(&text.text[value_at..], self.escape);
                let word = shell::read_word(text, value_at, end, rules);
                self.push(text, (at, name), word.value(), value_at, form);
                at = end;
            } else if form == Form::DockerArg {
                // `ARG NAME` takes what the build is given.
                self.push(text, (at, name), Value::Inherited, at, form);
                at += word_end(&text.text[at..], self.escape);
            } else {
                // The old form: all that follows the name is the value.
                let value_at = at + name + sign.len() - sign.trim_start().len();
                let end = text.text.trim_end().len().max(value_at);
                let word = shell::read_word(text, value_at, end, rules);
                self.push(text, (at, name), word.value(), value_at, form);
                return;
            }
        }
    }

    fn push(&mut self, text: &Mapped<'_>, name: (usize, usize), value: Value, value_at: usize, form: Form) {
        let (at, length) = name;
        if !names::is_variable(&text.text[at..at + length]) {
            return;
        }
        self.found.push(Setting {
            name: text.text[at..at + length].to_string(),
            value,
            at: text.position(at),
            value_at: text.position(value_at),
            form,
            scope: self.scope,
            conditional: false,
            host: None,
            broken: None,
        });
    }

    /// A command: a shell's, or a list of words in JSON.
    fn run(&mut self, text: &Mapped<'_>) {
        let scope = self.found.scope(Some(self.scope));
        if text.text.trim_start().starts_with('[') {
            self.found.inside(|found| super::yaml::read_exec(text, scope, found));
        } else {
            let start = text.text.len() - text.text.trim_start().len();
            let text = text.part(start + flags(&text.text[start..]), text.text.len());
            self.found.inside(|found| shell::read(&text, scope, found));
        }
    }

    /// `RUN <<EOF`: the body is the script; `RUN cat <<EOF > file`: it is what the command reads.
    fn run_document(&mut self, command: &Mapped<'static>, body: &Mapped<'static>, is_script: bool) {
        if is_script {
            let scope = self.found.scope(Some(self.scope));
            self.found.inside(|found| shell::read(body, scope, found));
            return;
        }
        let mut builder = Builder::default();
        builder.copy(command, 0, command.text.len());
        builder.push("\n", command.position(0));
        builder.copy(body, 0, body.text.len());
        self.run(&builder.finish());
    }
}

/// The length of `--mount=...` and other flags in front of a command.
fn flags(text: &str) -> usize {
    let mut at = 0;
    while text[at..].starts_with("--") {
        let length = text[at..].find(char::is_whitespace).unwrap_or(text.len() - at);
        at += length;
        at += text[at..].len() - text[at..].trim_start().len();
    }
    at
}

/// Of an instruction so many here-documents are read: each reads the instruction.
const MOST_DOCUMENTS: usize = 16;

/// The delimiters of the here-documents of an instruction, and whether nothing but the document stands there.
fn delimiters(text: &str) -> Vec<(String, bool)> {
    const QUOTES: [char; 2] = ['"', '\''];
    let first = text.len() - text.trim_start().len();
    let mut found = Vec::new();
    for (at, _) in text.match_indices("<<") {
        let rest = text[at + 2..].trim_start_matches('-');
        let is_here_string = rest.starts_with('<') || text[..at].ends_with('<');
        let word = rest.trim_start_matches(QUOTES);
        let (delimiter, behind) = word.split_at(names::identifier(word));
        let behind = behind.trim_start_matches(QUOTES);
        let is_word = behind.is_empty() || behind.starts_with(|c: char| c.is_whitespace() || ";|>)".contains(c));
        if !is_here_string && !delimiter.is_empty() && is_word && found.len() < MOST_DOCUMENTS {
            found.push((delimiter.to_string(), at <= first || text[first..].starts_with("--")));
        }
    }
    found
}

/// The length of a word of `ENV`: to a blank outside of quotes.
fn word_end(text: &str, escape: char) -> usize {
    let mut quote = None;
    let mut skip = false;
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut skip) {
            continue;
        }
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c.is_whitespace() => return at,
            _ => {}
        }
        skip = c == escape && quote != Some('\'');
    }
    text.len()
}
