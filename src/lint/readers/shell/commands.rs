//! What one command of a script sets.

use std::ops::Range;

use super::super::names;
use super::lexer::HereDocument;
use super::options::{self, Options};
use super::word::{self, Role, Rules, Word};
use super::{Command, Context, LONGEST_KNOWN, MOST_FILLED_IN, Shell};
use crate::lint::place::Mapped;
use crate::lint::source::{Broken, Form, Position, Setting, Value};

impl Shell<'_, '_> {
    /// Reads a command; `next` takes its output.
    pub(super) fn run(&mut self, command: &Command, next: Option<&Command>, documents: &[HereDocument]) {
        let mut context = command.context;
        let assignments = command.words.iter().take_while(|word| self.assigns(word).is_some()).count();
        let (first, rest) = command.words.split_at(assignments);
        if rest.is_empty() {
            for word in first {
                self.assign(word, Role::Value, Form::Assign, context);
            }
            return;
        }
        let words: Vec<Word> = rest.iter().map(|word| self.read_word(word.clone(), Role::Word, context)).collect();
        if first.is_empty() && self.broken_assignment(&words, Form::Assign, context) {
            return;
        }
        if !first.is_empty() {
            context.scope = self.found.scope(Some(context.scope));
            for word in first {
                self.assign(word, Role::Value, Form::Prefix, context);
            }
            self.mend_blank(first, &words);
        }
        match base_name(&words[0].text.text) {
            "export" => self.declare(rest, true, context),
            "declare" | "typeset" | "readonly" | "local" => {
                let exports = words.iter().any(|word| is_flag(word, 'x'));
                self.declare(rest, exports, context);
            }
            "unset" => {
                for word in &words[1..] {
                    self.forget(&word.text.text.clone());
                    self.set_word(word, Value::Unset, Form::Export, context);
                }
            }
            "set" => self.set_options(&words, context),
            "setenv" => self.name_and_value(&words[1..], Form::Export, context),
            "read" | "mapfile" | "for" | "select" | "getopts" => {
                for word in &words[1..] {
                    self.known.insert(word.text.text.to_string(), None);
                }
            }
            "eval" => {
                for word in &words[1..] {
                    self.read_text(&word.text, context.scope, context.conditional);
                }
            }
            "echo" | "printf" => self.writes(command, &words, next, context),
            _ => {
                self.launch(&words, context);
                self.documents(command, &words, next, documents, context);
            }
        }
    }

    /// Reads the word of a range, with what is known of variables here.
    pub(super) fn read_word(&self, range: Range<usize>, role: Role, context: Context) -> Word {
        let filled_in = &self.found.filled_in;
        let known = |name: &str| {
            let text =
                self.known.get(name).filter(|_| !context.repeated && filled_in.get() < MOST_FILLED_IN)?.as_ref()?;
            filled_in.set(filled_in.get() + text.len());
            Some(text.clone())
        };
        word::read(self.source, range.start, range.end, Rules { known: &known, role, escape: '\\' })
    }

    /// `NAME=value` that stands as it is.
    fn assign(&mut self, word: &Range<usize>, role: Role, form: Form, context: Context) {
        let Some((length, value)) = self.assigns(word) else { return };
        let text = &self.source.text[word.clone()];
        let (name, appends) = (text[..length].to_string(), value > length + 1);
        let is_array = text[value..].starts_with('(');
        let value = self.read_word(word.start + value..word.end, role, context);
        let at = self.source.position(word.start);
        if is_array {
            self.array(&name, &value, context);
            return;
        }
        if form != Form::Prefix {
            let is_sure =
                !context.conditional && !appends && !value.unresolved && value.text.text.len() < LONGEST_KNOWN;
            self.known.insert(name.clone(), is_sure.then(|| value.text.text.to_string()));
        }
        self.hidden(&value, context);
        let mut setting = Setting {
            value: if appends { Value::Unresolved(value.written.clone()) } else { value.value() },
            value_at: value.at,
            form: if form == Form::Assign && self.exports_all { Form::Export } else { form },
            scope: context.scope,
            conditional: context.conditional,
            host: None,
            broken: None,
            name,
            at,
        };
        if let Some(length) = ["SINGULARITYENV_", "APPTAINERENV_"]
            .iter()
            .find_map(|prefix| setting.name.starts_with(prefix).then_some(prefix.len()))
        {
            setting.name.drain(..length);
            setting.at.column += length;
            setting.form = Form::DockerRunE;
            setting.scope = *self.containers.get_or_insert_with(|| self.found.scope(Some(context.scope)));
        }
        self.set(setting);
    }

    /// `export` and its kin.
    fn declare(&mut self, ranges: &[Range<usize>], exports: bool, context: Context) {
        let words: Vec<Word> = ranges.iter().map(|word| self.read_word(word.clone(), Role::Word, context)).collect();
        if self.broken_assignment(&words[1..], Form::Export, context) {
            return;
        }
        let form = if exports { Form::Export } else { Form::Assign };
        for (at, range) in ranges.iter().enumerate().skip(1) {
            if self.assigns(range).is_some() {
                if exports {
                    let text = &self.source.text[range.clone()];
                    self.exported.insert(text[..names::identifier(text)].to_string());
                }
                let first = self.found.settings.len();
                self.assign(range, Role::Declared, form, context);
                let next = words.get(at + 1).map(|word| &*word.text.text);
                // `export NAME= value` exports an empty text.
                if let (Some(setting), Some(next)) = (self.found.settings.get_mut(first), next)
                    && setting.value.text() == Some("")
                    && setting.value.written().is_empty()
                    && !next.contains('=')
                {
                    setting.broken = Some(Broken::BlankAroundEquals);
                }
                continue;
            }
            let name = words[at].text.text.to_string();
            if !exports || names::identifier(&name) != name.len() || name.is_empty() {
                // `export "NAME=value"`
                if let Some(sign) = name.find('=').filter(|_| exports) {
                    self.set_assignment(&words[at], sign, Form::Export, context);
                }
                continue;
            }
            self.exported.insert(name.clone());
            if !self.known.contains_key(&name) {
                self.set_word(&words[at], Value::Inherited, Form::Export, context);
            }
        }
    }

    /// `NAME = value` and `NAME =value`, which set nothing.
    fn broken_assignment(&mut self, words: &[Word], form: Form, context: Context) -> bool {
        let [name, sign, ..] = words else { return false };
        let Some(rest) = sign.text.text.strip_prefix('=') else { return false };
        let is_name = |name: &str| names::is_variable(name) && name.contains('_');
        // `==` compares.
        if !is_name(&name.text.text) || rest.starts_with('=') {
            return false;
        }
        let value = if rest.is_empty() { words.get(2) } else { Some(sign) };
        let value = match value {
            Some(word) if rest.is_empty() => (word.value(), word.at),
            Some(word) => {
                let word = word.rest(1);
                (word.value(), word.at)
            }
            None => (names::literal(""), sign.at),
        };
        self.set(Setting {
            broken: Some(Broken::BlankAroundEquals),
            ..setting(&name.text.text, name.at, value.0, value.1, form, context)
        });
        true
    }

    /// `NAME= 1`: the assignment is empty, and `1` is the command.
    fn mend_blank(&mut self, assignments: &[Range<usize>], words: &[Word]) {
        let is_value = words.len() == 1 && words[0].text.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
        let is_empty = assignments.last().is_some_and(|word| self.source.text[word.clone()].ends_with('='));
        if let Some(setting) = self.found.settings.last_mut().filter(|_| is_value && is_empty) {
            (setting.value, setting.value_at) = (words[0].value(), words[0].at);
            setting.broken = Some(Broken::BlankAroundEquals);
        }
    }

    /// `set -a`; `set -gx NAME value` of fish.
    fn set_options(&mut self, words: &[Word], context: Context) {
        for (at, word) in words.iter().enumerate().skip(1) {
            let all = is_flag(word, 'a') || (&*word.text.text == "allexport" && &*words[at - 1].text.text == "-o");
            self.exports_all |= all;
            if word.text.text.starts_with('+') && (word.text.text.contains('a')) {
                self.exports_all = false;
            }
            if is_flag(word, 'x') && words.get(at + 1).is_some_and(|name| names::is_variable(&name.text.text)) {
                self.name_and_value(&words[at + 1..], Form::Export, context);
            }
        }
    }

    fn name_and_value(&mut self, words: &[Word], form: Form, context: Context) {
        if let [name, value, ..] = words {
            self.set(setting(&name.text.text, name.at, value.value(), value.at, form, context));
        }
    }

    /// A word that is the name of a setting.
    pub(super) fn set_word(&mut self, word: &Word, value: Value, form: Form, context: Context) {
        let at = word.text.position(0);
        self.set(setting(&word.text.text, at, value, at, form, context));
    }

    /// A word `NAME=value` whose `=` stands at an offset.
    pub(super) fn set_assignment(&mut self, word: &Word, sign: usize, form: Form, context: Context) {
        let value = word.rest(sign + 1);
        self.set(setting(&word.text.text[..sign], word.text.position(0), value.value(), value.at, form, context));
    }

    fn forget(&mut self, name: &str) {
        self.known.insert(name.to_string(), None);
        self.exported.remove(name);
    }

    /// `NAME=( ... )`: options that a command gets later.
    fn array(&mut self, name: &str, value: &Word, context: Context) {
        self.known.insert(name.to_string(), None);
        let text = &value.text;
        let end = text.text.len() - usize::from(text.text.len() > 1 && text.text.ends_with(')'));
        let inside = text.part(1, end);
        self.kept_options(&inside, context);
    }

    /// Options for a command that gets them later: in a scope of their own.
    fn kept_options(&mut self, text: &Mapped<'_>, context: Context) {
        let words = options::split(text);
        let first = self.found.settings.len();
        self.options(&words, Options::any(), context);
        if self.found.settings.len() > first {
            let scope = self.found.scope(Some(context.scope));
            for setting in &mut self.found.settings[first..] {
                setting.scope = if setting.scope == context.scope { scope } else { setting.scope };
            }
        }
    }

    /// Options and commands that are kept in a variable.
    fn hidden(&mut self, value: &Word, context: Context) {
        let text = &value.text.text;
        if !text.contains('=') || !text.trim().contains([' ', '\t', '\n']) {
            return;
        }
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let all_assign = || text.split_whitespace().all(|word| names::identifier(word) > 0 && word.contains('='));
        if first.starts_with('-') {
            self.kept_options(&value.text, context);
        } else if options::is_launcher(base_name(first)) || text.contains("export ") || all_assign() {
            let start = self.found.settings.len();
            let scope = self.found.scope(Some(context.scope));
            self.read_text(&value.text, scope, context.conditional);
            for setting in &mut self.found.settings[start..] {
                if setting.form == Form::Assign {
                    setting.form = Form::Prefix;
                }
            }
        }
    }

    /// Text that a shell will read.
    pub(super) fn read_text(&mut self, text: &Mapped<'_>, scope: usize, conditional: bool) {
        let first = self.found.settings.len();
        self.found.inside(|found| super::read(text, scope, found));
        if conditional {
            for setting in &mut self.found.settings[first..] {
                setting.conditional = true;
            }
        }
    }
}

/// A setting without anything special.
pub(super) fn setting(
    name: &str,
    at: Position,
    value: Value,
    value_at: Position,
    form: Form,
    context: Context,
) -> Setting {
    Setting {
        name: name.to_string(),
        value,
        at,
        value_at,
        form,
        scope: context.scope,
        conditional: context.conditional,
        host: None,
        broken: None,
    }
}

/// The word is a group of short flags that has this one.
fn is_flag(word: &Word, flag: char) -> bool {
    let text = &word.text.text;
    text.starts_with('-') && !text.starts_with("--") && text.contains(flag)
}

/// The name of a program without its directories.
pub(super) fn base_name(path: &str) -> &str {
    let path = path.trim_end_matches('\r');
    path.rsplit('/').next().unwrap_or(path)
}
