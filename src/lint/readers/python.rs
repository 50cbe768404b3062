//! Python: what goes to `os.environ`, and dictionaries of settings for a process that is to be started.

mod tokens;

use std::collections::HashMap;

use super::{Found, names};
use crate::lint::place::Mapped;
use crate::lint::source::{Broken, Fallback, Form, NotText, Quote, Setting, Value};
use tokens::{Kind, MOST_TOKENS, Token, tokens};

/// Reads a program. `os.environ` is the scope that is given; each other dictionary has one of its own.
pub(super) fn read(text: &Mapped<'_>, scope: usize, found: &mut Found) {
    let tokens = tokens(&text.text);
    let mut reader = Reader {
        text,
        tokens: &tokens,
        found,
        scope,
        named: HashMap::new(),
        brackets: Vec::new(),
        deeper: 0,
        blocks: Vec::new(),
        starts_line: true,
    };
    for at in 0..tokens.len() {
        if reader.found.is_full() {
            return;
        }
        reader.token(at);
    }
    if let Some(last) = tokens.last().filter(|_| tokens.len() >= MOST_TOKENS) {
        let line = Some(text.position(last.start).line);
        found.fallback = Some(Fallback { message: "too long for a program: its beginning was read".to_string(), line });
    }
}

/// More open brackets than this are counted only.
const MOST_BRACKETS: usize = 500;

struct Reader<'t, 'f> {
    text: &'t Mapped<'t>,
    tokens: &'t [Token],
    found: &'f mut Found,
    scope: usize,
    /// The scopes of dictionaries, by name.
    named: HashMap<String, usize>,
    brackets: Vec<Bracket>,
    /// Open brackets that are not kept.
    deeper: usize,
    /// The indents of open blocks, and whether they, or one around them, may not run.
    blocks: Vec<(usize, bool)>,
    starts_line: bool,
}

/// An open bracket.
struct Bracket {
    open: u8,
    /// What is called, or what the dictionary is for.
    name: String,
    /// Once it has a setting.
    scope: Option<usize>,
}

impl<'t> Reader<'t, '_> {
    fn token(&mut self, at: usize) {
        let token = &self.tokens[at];
        match token.kind {
            Kind::Newline => {
                self.starts_line = true;
                return;
            }
            Kind::Operator => self.bracket(at),
            Kind::Name => {
                if self.starts_line {
                    self.block(at);
                }
                self.name(at);
            }
            Kind::Text { .. } => self.key(at),
            Kind::Number => {}
        }
        self.starts_line = false;
    }

    fn word(&self, at: usize) -> &'t str {
        let text = self.text;
        self.tokens.get(at).map_or("", |token| &text.text[token.start..token.end])
    }

    fn word_before(&self, at: usize, distance: usize) -> &'t str {
        at.checked_sub(distance).map_or("", |at| self.word(at))
    }

    /// A statement begins: closes the blocks that it is not in, and opens its own.
    fn block(&mut self, at: usize) {
        let indent = self.tokens[at].indent;
        self.blocks.retain(|(open, _)| *open < indent);
        let may_not_run = match self.word(at) {
            "if" => self.word(at + 1) != "__name__",
            "elif" | "else" | "for" | "while" | "except" | "def" | "async" | "match" | "case" => true,
            _ => return,
        };
        let around = self.blocks.last().is_some_and(|(_, may_not_run)| *may_not_run);
        self.blocks.push((indent, may_not_run || around));
    }

    fn bracket(&mut self, at: usize) {
        let open = self.text.text.as_bytes()[self.tokens[at].start];
        match open {
            b'(' | b'[' | b'{' if self.brackets.len() >= MOST_BRACKETS => self.deeper += 1,
            b')' | b']' | b'}' if self.deeper > 0 => self.deeper -= 1,
            b'(' | b'[' | b'{' => {
                // `dict(`, `env = {`, `"env": {`, `env_vars={`
                let before = if open == b'(' { 1 } else { 2 };
                let mut name = self.word_before(at, before).trim_matches(['"', '\'']).to_string();
                if open == b'{' && self.word_before(at, 1) == "(" {
                    name = self.brackets.last().map_or(String::new(), |call| call.name.clone());
                }
                if name == "update" && self.word_before(at, before + 1) == "." {
                    name = self.word_before(at, before + 2).to_string();
                }
                // `dict(...)` is for whatever it is assigned to.
                if name == "dict" && self.word_before(at, 2) == "=" {
                    name = format!("dict {}", self.word_before(at, 3));
                }
                let scope = self
                    .brackets
                    .last()
                    .filter(|outer| open == b'{' && outer.name == name)
                    .and_then(|outer| outer.scope);
                self.brackets.push(Bracket { open, name, scope });
            }
            b')' | b']' | b'}' => {
                self.brackets.pop();
            }
            _ => {}
        }
    }

    fn name(&mut self, at: usize) {
        let word = self.word(at);
        // `os.environ["X"] = value`, `env["X"] = value`
        if self.word(at + 1) == "[" && self.word(at + 3) == "]" && self.word(at + 4) == "=" {
            let scope = self.scope_of(word);
            self.set(at + 2, at + 5, scope);
        } else if word == "del" {
            let end = (at + 1..at + 12).find(|at| self.word(*at) == "[").unwrap_or(at);
            let scope = self.scope_of(self.word_before(end, 1));
            self.take_away(end + 1, scope);
        } else if self.word(at + 1) == "(" {
            let owner = self.word_before(at, 2);
            match word {
                "setdefault" if self.word(at + 3) == "," => {
                    let scope = self.scope_of(owner);
                    let before = self.found.settings.len();
                    self.set(at + 2, at + 4, scope);
                    // It does nothing where the variable is there already.
                    if let Some(setting) = self.found.settings.get_mut(before) {
                        setting.conditional = true;
                    }
                }
                "putenv" if self.word(at + 3) == "," => self.set(at + 2, at + 4, self.scope),
                "setenv" if owner == "monkeypatch" && self.word(at + 3) == "," => self.set(at + 2, at + 4, self.scope),
                "pop" => {
                    let scope = self.scope_of(owner);
                    self.take_away(at + 2, scope);
                }
                "unsetenv" => self.take_away(at + 2, self.scope),
                _ => {}
            }
        } else if self.word(at + 1) == "=" {
            self.keyword(at);
        }
    }

    /// `dict(NAME="value")`, `os.environ.update(NAME="value")`
    fn keyword(&mut self, at: usize) {
        let Some(bracket) = self.brackets.last().filter(|bracket| bracket.open == b'(') else { return };
        let is_settings = bracket.name.starts_with("dict")
            || bracket.name == "environ"
            || bracket.name.to_ascii_lowercase().contains("env");
        if is_settings || names::is_nccl(self.word(at)) {
            let scope = self.scope_of_bracket();
            self.set(at, at + 2, scope);
        }
    }

    /// `{"NAME": "value"}`
    fn key(&mut self, at: usize) {
        let is_first = matches!(self.word_before(at, 1), "{" | ",")
            || self.tokens.get(at.wrapping_sub(1)).is_none_or(|token| token.kind == Kind::Newline);
        if self.brackets.last().is_some_and(|bracket| bracket.open == b'{') && self.word(at + 1) == ":" && is_first {
            let Some(name) = self.text_of(at).filter(|name| names::is_variable(name)) else { return };
            // A name without an underscore may be the key of anything.
            if name.contains('_') {
                let scope = self.scope_of_bracket();
                self.set(at, at + 2, scope);
            }
        }
    }

    /// `os.environ` is the process; what has another name is for another.
    fn scope_of(&mut self, name: &str) -> usize {
        if name == "environ" {
            return self.scope;
        }
        if let Some(scope) = self.named.get(name) {
            return *scope;
        }
        let scope = self.found.scope(Some(self.scope));
        self.named.insert(name.to_string(), scope);
        scope
    }

    fn scope_of_bracket(&mut self) -> usize {
        let Some(bracket) = self.brackets.last() else { return self.scope };
        if let Some(scope) = bracket.scope {
            return scope;
        }
        let name = bracket.name.clone();
        let scope = if name == "environ" { self.scope } else { self.found.scope(Some(self.scope)) };
        if let Some(bracket) = self.brackets.last_mut() {
            bracket.scope = Some(scope);
        }
        if !name.is_empty() && name != "environ" {
            self.named.insert(name.trim_start_matches("dict ").to_string(), scope);
        }
        scope
    }

    /// The text of a string that is none of Python's expressions.
    fn text_of(&self, at: usize) -> Option<String> {
        match &self.tokens.get(at)?.kind {
            Kind::Text { text: Some(text), .. } => Some(text.clone()),
            _ => None,
        }
    }

    /// The name at a token, and where it begins: of a string behind its quote.
    fn variable(&self, at: usize) -> Option<(String, usize)> {
        let token = self.tokens.get(at)?;
        match token.kind {
            Kind::Text { .. } => {
                let quote = self.word(at).find(['"', '\''])?;
                Some((self.text_of(at)?, token.start + quote + 1))
            }
            Kind::Name => Some((self.word(at).to_string(), token.start)),
            _ => None,
        }
        .filter(|(name, _)| names::is_variable(name))
    }

    fn set(&mut self, name: usize, value: usize, scope: usize) {
        let Some((name, start)) = self.variable(name) else { return };
        let (value, value_start, broken) = self.value(value);
        self.push(name, start, value, value_start, scope, broken);
    }

    fn take_away(&mut self, name: usize, scope: usize) {
        if let Some((name, start)) = self.variable(name) {
            self.push(name, start, Value::Unset, start, scope, None);
        }
    }

    fn push(
        &mut self,
        name: String,
        start: usize,
        value: Value,
        value_start: usize,
        scope: usize,
        broken: Option<Broken>,
    ) {
        self.found.push(Setting {
            name,
            at: self.text.position(start),
            value_at: self.text.position(value_start),
            value,
            form: Form::Python,
            scope,
            conditional: self.blocks.last().is_some_and(|(_, may_not_run)| *may_not_run),
            host: None,
            broken,
        });
    }

    /// The expression that begins at a token: its value, and where it begins.
    fn value(&self, first: usize) -> (Value, usize, Option<Broken>) {
        let mut end = first;
        let mut depth = 0_usize;
        // Nothing that is looked at is longer.
        while end < self.tokens.len() && end < first + 200 {
            let word = self.word(end);
            let is_newline = self.tokens[end].kind == Kind::Newline;
            match word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" | "," | ";" if depth == 0 => break,
                ")" | "]" | "}" => depth -= 1,
                _ if is_newline && depth == 0 => break,
                _ => {}
            }
            end += 1;
        }
        let mut tokens: Vec<&Token> =
            self.tokens[first.min(end)..end].iter().filter(|token| token.kind != Kind::Newline).collect();
        let (Some(start), Some(last)) = (tokens.first().map(|token| token.start), tokens.last().map(|token| token.end))
        else {
            // Behind the sign that nothing follows.
            let at = first.checked_sub(1).and_then(|sign| self.tokens.get(sign)).map_or(0, |sign| sign.end);
            return (Value::Unresolved(String::new()), at, None);
        };
        let unresolved = (Value::Unresolved(self.text.text[start..last].to_string()), start, None);
        let word = |token: &Token| &self.text.text[token.start..token.end];
        // `("a" "b")` and `str(1)`
        let is_str =
            tokens.len() == 4 && word(tokens[0]) == "str" && word(tokens[1]) == "(" && tokens[2].kind == Kind::Number;
        if is_str {
            let text = word(tokens[2]).to_string();
            let written = self.text.text[start..last].to_string();
            return (Value::Literal { text, written, quote: Quote::None }, start, None);
        }
        while tokens.len() > 2 && word(tokens[0]) == "(" && tokens.last().is_some_and(|last| word(last) == ")") {
            tokens = tokens[1..tokens.len() - 1].to_vec();
        }
        let (start, last) = (tokens[0].start, tokens[tokens.len() - 1].end);
        let written = self.text.text[start..last].to_string();
        if let [only] = tokens[..] {
            let kind = match (only.kind == Kind::Number, word(only)) {
                (true, _) => Some(NotText::Number),
                (_, "True" | "False") => Some(NotText::Boolean),
                (_, "None") => Some(NotText::Null),
                _ => None,
            };
            if let Some(kind) = kind {
                let text = written.clone();
                return (Value::Literal { text, written, quote: Quote::None }, start, Some(Broken::NotText(kind)));
            }
        }
        let mut text = String::new();
        for token in &tokens {
            match &token.kind {
                Kind::Text { text: Some(piece), .. } => text.push_str(piece),
                _ => return unresolved,
            }
        }
        let quote = match tokens[..] {
            [Token { kind: Kind::Text { quote, .. }, .. }] => *quote,
            _ => Quote::None,
        };
        (Value::Literal { text, written, quote }, start, None)
    }
}
