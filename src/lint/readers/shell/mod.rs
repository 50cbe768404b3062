//! Shell scripts: what each command sets, and whether it is sure to run.

mod commands;
mod lexer;
mod options;
mod text;
mod word;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Found, names};
use crate::lint::place::Mapped;
use crate::lint::source::{Form, Setting};
use lexer::{HereDocument, Lexer, Token};
pub(super) use options::exec;
pub(super) use word::{Role, Rules, Word, read as read_word, unknown};

/// More open blocks than this are not counted.
const MOST_BLOCKS: usize = 500;

/// Of a longer command the first words are read.
const MOST_WORDS: usize = 20_000;

/// Of a longer line the commands so far are run before it ends.
const MOST_COMMANDS: usize = 500;

/// A longer text is not kept as what a variable holds.
const LONGEST_KNOWN: usize = 4096;

/// So many bytes are filled in where a file uses its variables: a short file may use a long one again and again.
const MOST_FILLED_IN: usize = 4 * 1024 * 1024;

/// Reads a script whose settings go to a scope.
pub(super) fn read(source: &Mapped<'_>, scope: usize, found: &mut Found) {
    let first = found.settings.len();
    let mut shell = Shell::new(source, scope, found);
    shell.walk();
    let (own, exported) = (shell.own, shell.exported);
    for setting in &mut found.settings[first..] {
        if setting.form == Form::Assign && own.contains(&setting.scope) && exported.contains(&setting.name) {
            setting.form = Form::Export;
        }
    }
    // A variable of the script itself; in another form the name would be a mistake.
    let is_own =
        |setting: &Setting| setting.form == Form::Assign && setting.name.bytes().any(|byte| byte.is_ascii_lowercase());
    let own_settings = found.settings.split_off(first);
    found.settings.extend(own_settings.into_iter().filter(|setting| !is_own(setting)));
}

/// What is open around a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    If,
    Loop,
    /// Patterns stand in front of the commands.
    Case {
        pattern: bool,
    },
    Function,
    Brace,
    /// A subshell, which has a scope of its own.
    Paren,
}

/// A command as it stands, before its words are read.
#[derive(Clone, Default)]
struct Command {
    words: Vec<Range<usize>>,
    redirects: Vec<(&'static str, Range<usize>)>,
    documents: Vec<usize>,
    context: Context,
    /// Its output goes to the next command of the line.
    piped: bool,
}

/// Where a command runs.
#[derive(Clone, Copy, Default)]
struct Context {
    scope: usize,
    conditional: bool,
    /// In a loop or a function: what a variable held before says nothing.
    repeated: bool,
}

struct Shell<'s, 'f> {
    source: &'s Mapped<'s>,
    found: &'f mut Found,
    scopes: Vec<usize>,
    /// All scopes of this script itself.
    own: HashSet<usize>,
    blocks: Vec<Block>,
    /// What a variable holds, where one sure assignment says so.
    known: HashMap<String, Option<String>>,
    exported: HashSet<String>,
    /// After `set -a`.
    exports_all: bool,
    /// The scope of what `APPTAINERENV_NAME` sets.
    containers: Option<usize>,
}

/// What the walk is in the middle of.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "they have nothing to do with each other")]
struct State {
    command: Command,
    line: Vec<Command>,
    redirect: Option<&'static str>,
    /// Behind `&&` or `||`.
    joined: bool,
    /// Between `case` and `in`.
    case_head: bool,
    /// `name(` was read.
    function_head: bool,
    /// The next block is the body of a function.
    function: bool,
}

impl<'s, 'f> Shell<'s, 'f> {
    fn new(source: &'s Mapped<'s>, scope: usize, found: &'f mut Found) -> Self {
        Shell {
            source,
            found,
            scopes: vec![scope],
            own: HashSet::from([scope]),
            blocks: Vec::new(),
            known: HashMap::new(),
            exported: HashSet::new(),
            exports_all: false,
            containers: None,
        }
    }

    fn walk(&mut self) {
        let source = self.source;
        let mut lexer = Lexer::new(&source.text);
        let mut state = State::default();
        while let Some(token) = lexer.next() {
            if self.found.is_full() {
                return;
            }
            match token {
                Token::Comment(range) => self.directive(range),
                Token::Redirect(redirect) => state.redirect = Some(redirect),
                Token::Word(range) => self.word(range, &mut state, &mut lexer),
                Token::Newline => {
                    let goes_on = state.joined && state.command.words.is_empty();
                    self.end_command(&mut state);
                    state.joined = goes_on;
                    self.run_line(&mut state, &lexer.documents);
                }
                Token::Operator(operator) => {
                    self.operator(operator, &mut state);
                    if state.line.len() >= MOST_COMMANDS && lexer.announced() == lexer.documents.len() {
                        self.run_line(&mut state, &lexer.documents);
                    }
                }
            }
        }
        // The file may end in the line of a here-document.
        self.end_command(&mut state);
        self.run_line(&mut state, &lexer.documents);
    }

    fn word(&mut self, range: Range<usize>, state: &mut State, lexer: &mut Lexer<'_>) {
        let text = &self.source.text[range.clone()];
        if let Some(redirect) = state.redirect.take() {
            if matches!(redirect, "<<" | "<<-") {
                state.command.documents.push(lexer.announced());
                lexer.expect_document(text, redirect == "<<-");
            } else {
                state.command.redirects.push((redirect, range));
            }
            return;
        }
        let keyword = text.trim_end_matches('\r');
        if state.case_head {
            if keyword == "in" {
                state.case_head = false;
                self.open(Block::Case { pattern: true });
            }
            return;
        }
        if self.blocks.last() == Some(&(Block::Case { pattern: true })) {
            if keyword == "esac" {
                self.blocks.pop();
            }
            return;
        }
        if !state.command.words.is_empty() || !self.keyword(keyword, state) {
            state.function_head = false;
            if state.command.words.len() < MOST_WORDS {
                state.command.words.push(range);
            }
        }
    }

    /// A word in the place of a command; `false` where it is no keyword.
    fn keyword(&mut self, word: &str, state: &mut State) -> bool {
        match word {
            "if" => self.open(Block::If),
            "while" | "until" => self.open(Block::Loop),
            // The words up to `do` follow: kept as a command.
            "for" | "select" => {
                self.open(Block::Loop);
                return false;
            }
            "case" => state.case_head = true,
            "fi" => self.close(Block::If),
            "done" => self.close(Block::Loop),
            "esac" => self.close(Block::Case { pattern: false }),
            "{" => {
                let block = if std::mem::take(&mut state.function) { Block::Function } else { Block::Brace };
                self.open(block);
            }
            "}" => self.close(Block::Brace),
            "then" | "do" | "else" | "elif" | "!" | "time" => {}
            "function" => state.function = true,
            _ if state.function => {}
            _ => return false,
        }
        true
    }

    fn operator(&mut self, operator: &'static str, state: &mut State) {
        let in_pattern = self.blocks.last() == Some(&(Block::Case { pattern: true }));
        match operator {
            ")" if in_pattern => {
                self.blocks.pop();
                self.blocks.push(Block::Case { pattern: false });
            }
            _ if in_pattern => {}
            "(" if state.command.words.len() == 1 => state.function_head = true,
            "(" => {
                if state.command.words.is_empty() && !state.function {
                    self.open(Block::Paren);
                }
            }
            ")" if state.function_head => {
                (state.function_head, state.function) = (false, true);
                state.command = Command::default();
            }
            ")" if state.function => {}
            ")" => {
                self.end_command(state);
                self.close(Block::Paren);
            }
            _ => {
                let only_sets = self.only_sets(&state.command);
                let was_joined = state.joined;
                self.end_command(state);
                if let Some(last) = state.line.last_mut() {
                    last.piped = operator.starts_with('|') && operator != "||";
                }
                state.joined = match operator {
                    // An assignment does not fail.
                    "&&" => was_joined || !only_sets,
                    "||" => true,
                    "|" | "|&" => was_joined,
                    _ => false,
                };
                if operator.starts_with(";;") || operator == ";&" {
                    self.next_pattern();
                }
            }
        }
    }

    /// The command sets variables and does nothing else.
    fn only_sets(&self, command: &Command) -> bool {
        let Some(first) = command.words.first() else { return true };
        let text = &self.source.text[first.clone()];
        matches!(text, "export" | "unset" | "declare" | "set")
            || command.words.iter().all(|word| self.assigns(word).is_some())
    }

    fn open(&mut self, block: Block) {
        if self.blocks.len() >= MOST_BLOCKS {
            return;
        }
        if block == Block::Paren {
            let scope = self.found.scope(self.scopes.last().copied());
            self.own.insert(scope);
            self.scopes.push(scope);
        }
        self.blocks.push(block);
    }

    /// Closes the innermost block of this kind, and those in it. A script that closes what is not open is read on.
    fn close(&mut self, kind: Block) {
        let is_kind = |block: &Block| match kind {
            Block::Case { .. } => matches!(block, Block::Case { .. }),
            Block::Brace => matches!(block, Block::Brace | Block::Function),
            kind => *block == kind,
        };
        let Some(at) = self.blocks.iter().rposition(is_kind) else { return };
        let subshells = self.blocks[at..].iter().filter(|block| **block == Block::Paren).count();
        self.scopes.truncate(self.scopes.len().saturating_sub(subshells).max(1));
        self.blocks.truncate(at);
    }

    fn next_pattern(&mut self) {
        if let Some(at) = self.blocks.iter().rposition(|block| matches!(block, Block::Case { .. })) {
            self.blocks.truncate(at);
            self.blocks.push(Block::Case { pattern: true });
        }
    }

    fn end_command(&mut self, state: &mut State) {
        state.redirect = None;
        state.function_head = false;
        if state.command.words.is_empty() {
            state.command = Command::default();
            return;
        }
        let mut command = std::mem::take(&mut state.command);
        let is_conditional =
            |block: &Block| matches!(block, Block::If | Block::Loop | Block::Case { .. } | Block::Function);
        command.context = Context {
            scope: self.scopes.last().copied().unwrap_or_default(),
            conditional: state.joined || self.blocks.iter().any(is_conditional),
            repeated: self.blocks.iter().any(|block| matches!(block, Block::Loop | Block::Function)),
        };
        state.line.push(command);
    }

    fn run_line(&mut self, state: &mut State, documents: &[HereDocument]) {
        let line = std::mem::take(&mut state.line);
        for (at, command) in line.iter().enumerate() {
            let next = line.get(at + 1).filter(|_| command.piped);
            self.run(command, next, documents);
        }
    }

    /// `NAME=`, `NAME+=` at the beginning of a word: the length of the name and the offset of the value.
    fn assigns(&self, word: &Range<usize>) -> Option<(usize, usize)> {
        let text = &self.source.text[word.clone()];
        let name = names::identifier(text);
        let rest = &text[name..];
        let sign = if rest.starts_with("+=") { 2 } else { usize::from(rest.starts_with('=')) };
        (name > 0 && sign > 0).then_some((name, name + sign))
    }

    /// Keeps a setting, unless its name is not that of a variable.
    fn set(&mut self, setting: Setting) {
        if names::is_variable(&setting.name) {
            self.found.push(setting);
        }
    }
}
