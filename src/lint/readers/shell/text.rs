//! Text that a script writes to a file or gives to another program, and lines for a batch system.

use std::ops::Range;

use super::super::names;
use super::commands::base_name;
use super::lexer::HereDocument;
use super::options::{self, Options};
use super::word::{Role, Word};
use super::{Command, Context, Shell};
use crate::lint::kind;
use crate::lint::place::{Builder, Mapped};
use crate::lint::source::{Kind, Setting, Value};

impl Shell<'_, '_> {
    /// `#SBATCH --export=...`, `#PBS -v ...`
    pub(super) fn directive(&mut self, range: Range<usize>) {
        let text = &self.source.text[range.clone()];
        let starts_line = range.start == 0 || self.source.text.as_bytes()[range.start - 1] == b'\n';
        let Some(mark) = ["#SBATCH ", "#PBS "].iter().find(|mark| text.starts_with(**mark)).filter(|_| starts_line)
        else {
            return;
        };
        let words = options::split(&self.source.part(range.start + mark.len(), range.end));
        let context = Context { scope: self.scopes[0], conditional: false, repeated: true };
        self.options(&words, Options::batch(), context);
    }

    /// `echo "export A=1" >> file`, also through `tee`.
    pub(super) fn writes(&mut self, command: &Command, words: &[Word], next: Option<&Command>, context: Context) {
        let program = base_name(&words[0].text.text);
        let Some(target) = self.target(command, words).or_else(|| self.piped_to(next?, context)) else { return };
        let escapes = program == "printf" || words.iter().any(|word| word.text.text.starts_with("-e"));
        let mut builder = Builder::default();
        let mut is_known = true;
        for word in
            words[1..].iter().skip_while(|word| matches!(&*word.text.text, "-e" | "-n" | "-E" | "-en" | "-ne" | "--"))
        {
            if !builder.text.is_empty() {
                builder.push(" ", word.at);
            }
            is_known &= !word.unresolved;
            copy_unescaped(&word.text, &mut builder, &|next| if escapes && next == 'n' { Some("\n") } else { None });
        }
        self.text_for(&target, &builder.finish(), is_known, context);
    }

    /// The here-documents of a command.
    pub(super) fn documents(
        &mut self,
        command: &Command,
        words: &[Word],
        next: Option<&Command>,
        documents: &[HereDocument],
        context: Context,
    ) {
        if command.documents.is_empty() {
            return;
        }
        let written = self.target(command, words);
        let is_literal = written.is_some();
        let Some(target) = written.or_else(|| reads(words)).or_else(|| self.piped_to(next?, context)) else { return };
        for document in command.documents.iter().filter_map(|at| documents.get(*at)) {
            // What is written as it is, the inner shell expands.
            let is_known = document.literal || !is_literal;
            let body = self.body(document);
            self.text_for(&target, &body, is_known, context);
        }
    }

    /// Where the output of the command before goes.
    fn piped_to(&self, command: &Command, context: Context) -> Option<String> {
        let words: Vec<Word> =
            command.words.iter().map(|word| self.read_word(word.clone(), Role::Word, context)).collect();
        self.target(command, &words).or_else(|| reads(&words))
    }

    /// The body of a here-document as the program gets it.
    fn body(&self, document: &HereDocument) -> Mapped<'static> {
        let source = self.source;
        let plain = source.part(document.body.start, document.body.end);
        let mut builder = Builder::default();
        let mut start = 0;
        for line in plain.text.split_inclusive('\n') {
            let tabs = if document.strips_tabs { line.len() - line.trim_start_matches('\t').len() } else { 0 };
            let part = plain.part(start + tabs, start + line.len());
            if document.literal {
                builder.copy(&part, 0, part.text.len());
            } else {
                let unescaped = |next| match next {
                    '$' => Some("$"),
                    '`' => Some("`"),
                    '\\' => Some("\\"),
                    _ => None,
                };
                copy_unescaped(&part, &mut builder, &unescaped);
            }
            start += line.len();
        }
        builder.finish()
    }

    /// The name of the file to which a command writes: a redirection, or the argument of `tee`.
    fn target(&self, command: &Command, words: &[Word]) -> Option<String> {
        let written =
            command.redirects.iter().find(|(redirect, _)| matches!(*redirect, ">" | ">>" | ">|" | "&>" | "&>>"));
        if let Some((_, range)) = written {
            return Some(self.source.text[range.clone()].trim_matches(['"', '\'', '\r']).to_string());
        }
        let tee = words.iter().position(|word| base_name(&word.text.text) == "tee")?;
        let name = words[tee + 1..].iter().find(|word| !word.text.text.starts_with('-'))?;
        Some(name.text.text.trim_end_matches('\r').to_string())
    }

    /// Reads text as its target reads it. What the target is for is seen by its name, or by lines that are nothing but settings.
    fn text_for(&mut self, target: &str, text: &Mapped<'static>, is_known: bool, context: Context) {
        let only_settings =
            text.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).all(|line| {
                let line = line.strip_prefix("export ").unwrap_or(line);
                let length = names::identifier(line);
                let value = line[length..].strip_prefix('=');
                // Not a sentence that begins like a setting.
                length > 0 && value.is_some_and(|value| value.starts_with(['"', '\'']) || !value.contains(' '))
            });
        let kind = kind::by_name(target).or(only_settings.then_some(Kind::Shell));
        let Some(kind) = kind.filter(|kind| *kind != Kind::Log && target != "/dev/null") else { return };
        let scope = self.found.scope(None);
        let first = self.found.settings.len();
        self.found.inside(|found| super::super::read_mapped(text, kind, scope, found));
        for setting in &mut self.found.settings[first..] {
            setting.conditional |= context.conditional;
            if !is_known {
                unresolve(setting);
            }
        }
    }
}

/// A file that stands for the program that reads text: its name tells the kind.
fn reads(words: &[Word]) -> Option<String> {
    let name = words.iter().find_map(|word| match base_name(&word.text.text) {
        "bash" | "sh" | "zsh" | "ssh" | "sbatch" | "qsub" | "srun" | "docker" | "chroot" | "su" => Some("x.sh"),
        "python" | "python3" => Some("x.py"),
        "kubectl" | "oc" => Some("x.yaml"),
        _ => None,
    });
    name.map(str::to_string)
}

/// The shell around the text fills in what has a dollar sign.
fn unresolve(setting: &mut Setting) {
    if let Value::Literal { text, written, .. } = &setting.value
        && text.contains(['$', '`'])
    {
        setting.value = Value::Unresolved(written.clone());
    }
}

/// Copies text; a backslash and the character behind it become what `unescaped` says, or stay.
fn copy_unescaped(text: &Mapped<'_>, builder: &mut Builder, unescaped: &dyn Fn(char) -> Option<&'static str>) {
    let whole = &text.text;
    let mut start = 0;
    let mut characters = whole.char_indices();
    while let Some((at, c)) = characters.next() {
        if c != '\\' {
            continue;
        }
        let Some((_, next)) = characters.next() else { break };
        if let Some(replaced) = unescaped(next) {
            builder.copy(text, start, at);
            start = at + 1 + next.len_utf8();
            builder.push(replaced, text.position(at));
        }
    }
    if start < whole.len() {
        builder.copy(text, start, whole.len());
    }
}
