//! Options with which programs hand on settings: `mpirun -x`, `srun --export`, `docker run -e`.

use super::super::{Found, names};
use super::commands::{base_name, setting};
use super::lexer::{Lexer, Token};
use super::word::{self, Role, Rules, Word};
use super::{Context, MOST_WORDS, Shell};
use crate::lint::place::Mapped;
use crate::lint::source::{Broken, Container, Form, Quote, Value};

/// Which options count.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a family of options")]
pub(super) struct Options {
    /// `-x NAME=value` of Open MPI, and what MPICH has for it.
    mpi: bool,
    /// `-e NAME=value` of Docker.
    docker: bool,
    /// `--export` of Slurm, `-v` of PBS.
    batch: bool,
    /// `--env A=b,C=d` is a list.
    lists: bool,
}

impl Options {
    /// Options that are kept for a program that is not known.
    pub(super) fn any() -> Self {
        Options { mpi: true, docker: true, batch: true, lists: false }
    }

    /// Those of a batch system.
    pub(super) fn batch() -> Self {
        Options { batch: true, ..Options::none() }
    }

    fn none() -> Self {
        Options { mpi: false, docker: false, batch: false, lists: false }
    }

    /// The options that a program takes.
    fn of(program: &str) -> Option<Self> {
        let none = Options::none();
        let is_variable = program.contains('$');
        let lower = program.to_ascii_lowercase();
        Some(match &*lower {
            "mpirun" | "mpiexec" | "orterun" | "prun" | "prterun" | "mpirun_rsh" | "mpiexec.hydra" | "horovodrun" => {
                Options { mpi: true, ..none }
            }
            "srun" | "sbatch" | "salloc" | "qsub" => Options { batch: true, ..none },
            "docker" | "podman" | "nerdctl" | "nvidia-docker" => Options { docker: true, ..none },
            "apptainer" | "singularity" => Options { lists: true, ..none },
            _ if is_variable && (lower.contains("mpirun") || lower.contains("mpiexec")) => {
                Options { mpi: true, ..none }
            }
            _ if is_variable && lower.contains("srun") => Options { batch: true, ..none },
            _ if is_variable && lower.contains("docker") => Options { docker: true, ..none },
            _ => return None,
        })
    }
}

/// A program that hands settings on, or that runs another with settings of its own.
pub(super) fn is_launcher(program: &str) -> bool {
    Options::of(program).is_some() || matches!(program, "env" | "bash" | "sh" | "ssh" | "pdsh" | "torchrun")
}

/// The words of a text, of all its lines.
pub(super) fn split(text: &Mapped<'_>) -> Vec<Word> {
    let mut lexer = Lexer::new(&text.text);
    let mut words = Vec::new();
    while let Some(token) = lexer.next().filter(|_| words.len() < MOST_WORDS) {
        if let Token::Word(range) = token {
            let rules = Rules { known: &word::unknown, role: Role::Word, escape: '\\' };
            words.push(word::read(text, range.start, range.end, rules));
        }
    }
    words
}

/// Reads the words of a command that no shell splits: a list in YAML or JSON.
pub(in super::super) fn exec(words: &[Word], scope: usize, conditional: bool, found: &mut Found) {
    let nothing = Mapped::empty();
    let mut shell = Shell::new(&nothing, scope, found);
    shell.launch(words, Context { scope, conditional, repeated: true });
}

impl Shell<'_, '_> {
    /// Looks for programs that hand on settings, each inside of the one before.
    pub(super) fn launch(&mut self, words: &[Word], context: Context) {
        let mut context = context;
        // Without a program: the options of one that is named elsewhere.
        if words.first().is_some_and(|word| word.text.text.starts_with('-')) {
            self.options(words, Options::any(), context);
        }
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let (program, rest) = (base_name(&word.text.text), &words[at..]);
            if let Some(options) = Options::of(program) {
                let is_container = options.docker || options.lists;
                if is_container && !rest.iter().take(6).any(|word| is_container_verb(&word.text.text)) {
                    continue;
                }
                let end = rest.iter().position(|word| Options::of(base_name(&word.text.text)).is_some());
                let rest = &rest[..end.unwrap_or(rest.len())];
                // A container of Docker inherits nothing.
                let outer = if options.docker { None } else { Some(context.scope) };
                context.scope = self.found.scope(outer);
                self.options(rest, options, context);
                if options.docker && !rest.iter().take(6).any(|word| &*word.text.text == "exec") {
                    self.container(word, rest, context);
                }
                continue;
            }
            match program {
                "env" => at += self.env_command(rest, &mut context),
                _ if is_interpreter(program) => self.quoted_command(program, rest, context),
                "ssh" | "pdsh" | "clush" | "pssh" | "parallel-ssh" => {
                    self.remote(rest);
                    return;
                }
                _ => {}
            }
        }
        if Options::of(base_name(words.first().map_or("", |word| &word.text.text))).is_none() {
            self.options(words, Options::none(), context);
        }
    }

    /// The settings among the options of a program.
    pub(super) fn options(&mut self, words: &[Word], options: Options, context: Context) {
        let mut at = 0;
        while at < words.len() {
            let word = &words[at];
            let text: &str = &word.text.text;
            let next = words.get(at + 1);
            at += 1;
            let (name, value) = match text.split_once('=') {
                Some((name, _)) if name.starts_with("--") => (name, Some(word.rest(name.len() + 1))),
                _ => (text, None),
            };
            let form = if options.mpi && !options.docker { Form::MpirunX } else { Form::DockerRunE };
            match name {
                "-x" | "--x" if options.mpi && value.is_none() => {
                    at += usize::from(self.handed_on(next, Form::MpirunX, true, context));
                }
                // Any program, as long as a whole setting follows.
                "-x" if !options.docker && next.is_some_and(|next| next.text.text.contains('=')) => {
                    at += usize::from(self.handed_on(next, Form::MpirunX, false, context));
                }
                "-genv" | "-env" | "--genv" if options.mpi => {
                    at += self.hydra(&words[at..], context);
                }
                "-genvlist" | "-envlist" if options.mpi => {
                    self.list(next, Form::MpirunX, context);
                    at += 1;
                }
                "mca_base_env_list" if options.mpi => {
                    self.semicolons(next, context);
                    at += 1;
                }
                "-e" if options.docker => at += usize::from(self.handed_on(next, Form::DockerRunE, true, context)),
                "--env" if options.lists => {
                    self.list(value.as_ref().or(next), Form::DockerRunE, context);
                    at += usize::from(value.is_none());
                }
                "--env" => {
                    let is_taken = self.handed_on(value.as_ref().or(next), form, options.docker, context);
                    at += usize::from(value.is_none() && is_taken);
                }
                "--export" if options.batch => {
                    self.list(value.as_ref().or(next), Form::SrunExport, context);
                    at += usize::from(value.is_none());
                }
                "-v" if options.batch && !options.docker => {
                    self.list(next, Form::SrunExport, context);
                    at += 1;
                }
                _ => self.other(word, options, context),
            }
        }
    }

    /// A word that is no option that is known by itself.
    fn other(&mut self, word: &Word, options: Options, context: Context) {
        let text = &word.text.text;
        // `-eNAME=value`
        if let Some(rest) = text.strip_prefix("-e").filter(|rest| options.docker && rest.contains('=')) {
            let word = word.rest(text.len() - rest.len());
            self.handed_on(Some(&word), Form::DockerRunE, false, context);
        } else if options.mpi
            && names::is_variable(&text[..names::identifier(text)])
            && text[names::identifier(text)..].starts_with('=')
        {
            // `mpirun_rsh host NAME=value program`
            self.handed_on(Some(word), Form::MpirunX, false, context);
        } else if text.starts_with('-')
            && text.contains(' ')
            && ["-x ", "-e ", "--env", "--export"].iter().any(|option| text.contains(option))
        {
            // Options in one word: `--mpi-args="-x A=1 -x B=2"`.
            let from = if text.starts_with("--") { text.find('=').map_or(0, |sign| sign + 1) } else { 0 };
            let inside = word.text.part(from, text.len());
            if self.found.depth < super::super::DEEPEST {
                self.found.depth += 1;
                self.options(&split(&inside), options, context);
                self.found.depth -= 1;
            }
        }
    }

    /// `NAME=value`, or where that is allowed `NAME`. `false` where it is neither.
    fn handed_on(&mut self, word: Option<&Word>, form: Form, allows_name: bool, context: Context) -> bool {
        let Some(word) = word else { return false };
        let text = &word.text.text;
        let length = names::identifier(text);
        let is_end = text[length..].trim_end_matches('\r').is_empty();
        if length == 0 {
            return false;
        }
        if text[length..].starts_with('=') {
            self.set_assignment(word, length, form, context);
            return true;
        }
        if is_end && allows_name {
            let at = word.text.position(0);
            self.set(setting(&text[..length], at, Value::Inherited, at, form, context));
        }
        is_end && allows_name
    }

    /// `-genv NAME value`, `-genv NAME=value`: how many words that takes.
    fn hydra(&mut self, words: &[Word], context: Context) -> usize {
        let Some(name) = words.first() else { return 0 };
        if name.text.text.contains('=') {
            return usize::from(self.handed_on(Some(name), Form::MpirunX, false, context));
        }
        if let Some(value) = words.get(1) {
            self.set(setting(&name.text.text, name.at, value.value(), value.at, Form::MpirunX, context));
        }
        2
    }

    /// `A=1;B=2` of Open MPI's parameter.
    fn semicolons(&mut self, word: Option<&Word>, context: Context) {
        let Some(word) = word else { return };
        let mut start = 0;
        for entry in word.text.text.split(';') {
            let part = Word::plain(word.text.part(start, start + entry.len()), Quote::None, word.unresolved);
            self.handed_on(Some(&part), Form::MpirunX, true, context);
            start += entry.len() + 1;
        }
    }

    /// `ALL,A=1,B`: split at commas. Slurm keeps together what is quoted.
    fn list(&mut self, word: Option<&Word>, form: Form, context: Context) {
        let Some(word) = word else { return };
        let text = &word.text.text;
        let mut start = 0;
        let mut last = None;
        for entry in entries(text) {
            let end = start + entry.len();
            let quoted = entry.len() > 1 && entry.starts_with(['\'', '"']) && entry.ends_with(&entry[..1]);
            let (from, to) = if quoted { (start + 1, end - 1) } else { (start, end) };
            let part = word.text.part(from, to);
            let unresolved = word.unresolved && part.text.contains(['$', '`', '{']);
            let part = Word::plain(part, Quote::None, unresolved);
            let before = self.found.settings.len();
            let is_name = names::is_variable(&part.text.text);
            if !matches!(entry, "ALL" | "NONE" | "NIL") && self.handed_on(Some(&part), form, is_name, context) {
                last = Some(before).filter(|_| part.text.text.contains('='));
            } else if let Some(setting) =
                last.take().and_then(|last: usize| self.found.settings.get_mut(last)).filter(|_| !entry.is_empty())
            {
                // What follows is no name: it was meant to belong to the value.
                setting.broken = Some(Broken::CutAtComma);
            }
            start = end + 1;
        }
    }

    /// `env -u NAME A=1 command`: how many words there are in front of the command, whose scope becomes that of the context.
    fn env_command(&mut self, words: &[Word], context: &mut Context) -> usize {
        let mut inner = None;
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let text: &str = &word.text.text;
            let length = names::identifier(text);
            let taken = match text {
                "-u" | "--unset" => words.get(at),
                _ => None,
            };
            let unset = taken.map(|word| word.rest(0)).or_else(|| {
                let rest = text.strip_prefix("--unset=").or_else(|| text.strip_prefix("-u"))?;
                (!rest.is_empty()).then(|| word.rest(text.len() - rest.len()))
            });
            let is_setting = length > 0 && text[length..].starts_with('=');
            if !is_setting && unset.is_none() && !text.starts_with('-') {
                return at - 1;
            }
            if is_setting || unset.is_some() {
                context.scope = *inner.get_or_insert_with(|| self.found.scope(Some(context.scope)));
            }
            if let Some(name) = unset {
                at += usize::from(taken.is_some());
                self.set_word(&name, Value::Unset, Form::EnvCommand, *context);
            } else if is_setting {
                self.set_assignment(word, length, Form::EnvCommand, *context);
            }
        }
        at
    }

    /// `bash -c "text"`
    fn quoted_command(&mut self, program: &str, words: &[Word], context: Context) {
        let is_flag = |word: &Word| {
            word.text.text.starts_with('-') && !word.text.text.starts_with("--") && word.text.text.ends_with('c')
        };
        // What is meant for the next shell is that one's: each text is read once.
        let own = words.iter().take(4).take_while(|word| !is_interpreter(base_name(&word.text.text)));
        let Some(at) = own.map(is_flag).position(|is_flag| is_flag) else { return };
        let Some(text) = words.get(at + 1) else { return };
        let scope = self.found.scope(Some(context.scope));
        if program.starts_with("python") {
            self.found.inside(|found| super::super::python::read(&text.text, scope, found));
        } else {
            self.read_text(&text.text, scope, context.conditional);
        }
    }

    /// What another host runs; it inherits nothing.
    fn remote(&mut self, words: &[Word]) {
        for word in words {
            let text = &word.text.text;
            if text.contains('=') && text.trim().contains([' ', '\t', '\n']) {
                let scope = self.found.scope(None);
                self.read_text(&word.text, scope, false);
            }
        }
    }

    /// What `docker run` says of its container.
    fn container(&mut self, program: &Word, words: &[Word], context: Context) {
        let mut container = Container { at: program.at, scope: context.scope, ..Container::default() };
        for (at, word) in words.iter().enumerate() {
            let text: &str = &word.text.text;
            let next = words.get(at + 1).map_or("", |word| &*word.text.text);
            let (option, value) = match text.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, value),
                _ => (text, next),
            };
            match option {
                "--name" => container.name = value.to_string(),
                "--privileged" if value != "false" || !text.contains('=') => {
                    (container.ipc_lock, container.infiniband) = (true, true);
                }
                "--cap-add" if matches!(value, "IPC_LOCK" | "CAP_IPC_LOCK" | "ALL" | "all") => {
                    container.ipc_lock = true;
                }
                "--ulimit" if value.starts_with("memlock=-1") || value.starts_with("memlock=unlimited") => {
                    container.ipc_lock = true;
                }
                "--shm-size" => container.shm = true,
                "--ipc" => container.shm |= value == "host",
                "--net" | "--network" => container.host_network |= value == "host",
                "--device" if value.starts_with("/dev/infiniband") => {
                    container.infiniband = true;
                    container.asks_rdma = Some(format!("--device {value}"));
                }
                "-v" | "--volume" | "--mount" => {
                    container.infiniband |= value.contains("/dev/infiniband");
                    container.shm |= value.contains("/dev/shm");
                }
                "--gpus" => container.gpus = value.parse().ok(),
                _ => {}
            }
        }
        if self.found.containers.len() < super::super::MOST_SETTINGS {
            self.found.containers.push(container);
        }
    }
}

fn is_interpreter(program: &str) -> bool {
    matches!(program, "bash" | "sh" | "zsh" | "dash" | "ksh" | "python" | "python3")
}

fn is_container_verb(word: &str) -> bool {
    matches!(word, "run" | "create" | "exec" | "shell")
}

/// The entries of a list: a comma in quotes does not end one.
fn entries(text: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, ',') => {
                entries.push(&text[start..at]);
                start = at + 1;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    entries.push(&text[start..]);
    entries
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn a_list_is_split_at_commas_outside_of_quotes() {
        assert_eq!(entries("ALL,A=1,'B=x,y',C"), ["ALL", "A=1", "'B=x,y'", "C"]);
        assert_eq!(entries(""), [""]);
        assert_eq!(entries("'a,b"), ["'a,b"]);
    }
}
