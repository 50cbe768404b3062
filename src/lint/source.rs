//! What a file says, as rules look at it.

use std::collections::{BTreeMap, HashSet};
use std::{fmt, mem};

use clap::ValueEnum;
use serde::Serialize;

use super::columns::Characters;

/// What a file says: its settings, and what else a rule looks at.
#[derive(Debug, Serialize)]
pub struct Source {
    pub kind: Kind,
    /// In the order of the file.
    pub settings: Vec<Setting>,
    pub containers: Vec<Container>,
    /// In the order of the lines, each once.
    pub allowed: Vec<Allowed>,
    pub fallback: Option<Fallback>,
    /// The scope around each scope: a process started in it inherits what is exported there. `None` for the outermost, and for a
    /// container, which inherits nothing from the shell that starts it.
    pub outer: Vec<Option<usize>>,
    #[serde(skip)]
    text: Text,
}

impl Source {
    /// A source without settings, over this text.
    pub(super) fn new(kind: Kind, text: Text) -> Self {
        let (settings, containers, allowed) = (Vec::new(), Vec::new(), Vec::new());
        Source { kind, settings, containers, allowed, fallback: None, outer: Vec::new(), text }
    }

    /// The text of a line, counted from 1, without its line feed; empty where there is no such line. Not cleaned.
    pub fn line_text(&self, line: usize) -> &str {
        self.text.line(line)
    }

    /// The number of characters of a line.
    pub fn line_length(&self, line: usize) -> usize {
        self.text.columns(line)
    }

    /// So many characters of a line, from the one with so many in front of it. Not cleaned.
    pub fn line_part(&self, line: usize, first: usize, count: usize) -> &str {
        self.text.part(line, first, count)
    }

    /// The number of lines. In a dump separated by NUL an entry is a line.
    pub fn lines(&self) -> usize {
        self.text.starts.len()
    }

    /// The scope and those around it, the innermost first. Of scopes inside of each other without end the next ones.
    pub fn scopes(&self, scope: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(scope), |scope| self.outer.get(*scope).copied().flatten()).take(MOST_SCOPES)
    }

    /// What each name has at the end, or is unset to: in `nccl.conf` what it got first, elsewhere what it got last. Values of several scopes
    /// that differ are all there, in the order of the file.
    pub fn values(&self) -> BTreeMap<&str, Vec<&Value>> {
        let mut last: BTreeMap<(&str, usize), &Value> = BTreeMap::new();
        for setting in &self.settings {
            let key = (&*setting.name, setting.scope);
            if self.kind != Kind::Conf || !last.contains_key(&key) {
                last.insert(key, &setting.value);
            }
        }
        let mut values: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        let mut known = HashSet::new();
        for ((name, _), value) in last {
            let all = values.entry(name).or_default();
            let what = (name, mem::discriminant(value), value.text().unwrap_or_else(|| value.written()));
            if *value != Value::Inherited && known.insert(what) {
                all.push(value);
            }
        }
        values
    }

    /// A comment allows this rule at this line.
    pub fn allows(&self, rule: &str, line: usize) -> bool {
        self.allowed.binary_search_by(|allowed| (allowed.line, &*allowed.rule).cmp(&(line, rule))).is_ok()
    }
}

/// More scopes around one are not looked at: no Dockerfile has so many stages that go on with each other.
const MOST_SCOPES: usize = 32;

/// The text of a file, with the place where each line begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) whole: String,
    /// Files end long before four gigabytes.
    starts: Vec<u32>,
    /// What ends a line.
    end: char,
    characters: Characters,
}

impl Text {
    /// Text whose lines end with `end`: a line feed, or NUL.
    pub(super) fn new(whole: String, end: char) -> Self {
        let mut starts = vec![0];
        starts.extend(whole.match_indices(end).map(|(at, _)| at as u32 + 1));
        if starts.last() == Some(&(whole.len() as u32)) {
            starts.pop();
        }
        let characters = Characters::of(&whole);
        Text { whole, starts, end, characters }
    }

    /// A line, counted from 1, without what ends it.
    pub(super) fn line(&self, line: usize) -> &str {
        let (start, end) = self.range(line);
        &self.whole[start..end]
    }

    /// Where a line begins and ends; nothing where there is no such line.
    fn range(&self, line: usize) -> (usize, usize) {
        let Some(start) = line.checked_sub(1).and_then(|line| self.starts.get(line)) else { return (0, 0) };
        let start = *start as usize;
        let end = self.starts.get(line).map_or(self.whole.len(), |end| *end as usize);
        let whole = &self.whole[start..end];
        (start, start + whole.strip_suffix(self.end).unwrap_or(whole).len())
    }

    /// The place of the character at an offset.
    pub(super) fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start as usize <= offset).max(1);
        let start = self.starts.get(line - 1).map_or(0, |start| *start as usize);
        let before = |offset| self.characters.before(&self.whole, offset);
        Position { line, column: before(offset) - before(start) + 1 }
    }

    /// The number of characters of a line.
    fn columns(&self, line: usize) -> usize {
        let (start, end) = self.range(line);
        self.characters.before(&self.whole, end) - self.characters.before(&self.whole, start)
    }

    /// So many characters of a line, from the one with so many in front of it.
    fn part(&self, line: usize, first: usize, count: usize) -> &str {
        let (start, end) = self.range(line);
        let first = self.characters.before(&self.whole, start) + first;
        let offset = |characters| self.characters.offset(&self.whole, characters).min(end);
        &self.whole[offset(first)..offset(first + count)]
    }

    /// The lines with their numbers.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..=self.starts.len()).map(|line| (line, self.line(line)))
    }
}

/// The kind of a file: who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A shell script, a job of Slurm or PBS
    Shell,
    /// A Dockerfile
    Dockerfile,
    /// A compose file
    Compose,
    /// Kubernetes objects
    Kubernetes,
    /// Any other YAML: values of a chart, a configuration of a launcher
    Yaml,
    /// nccl.conf
    Conf,
    /// A file for docker run --env-file: quotes belong to the value
    #[value(name = "envfile")]
    EnvFile,
    /// A .env file: quotes are taken off
    Dotenv,
    /// What env, printenv or /proc/PID/environ print
    Dump,
    /// A Python program
    Python,
    /// The output of a job with the environment lines of NCCL
    Log,
}

/// A place: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// A variable gets a value, loses it, or is handed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// As written; in env-files also what is no legal name.
    pub name: String,
    pub value: Value,
    /// Of the name.
    pub at: Position,
    /// Of the first character of the value as written, quotes included; of the name where there is no value.
    pub value_at: Position,
    pub form: Form,
    /// Which environment it goes to: one number a shell script, env-file or container, each command that brings its own settings,
    /// each stage of a Dockerfile.
    pub scope: usize,
    /// It may not happen: inside `if`, `case`, a loop or a function, behind `&&` or `||`.
    pub conditional: bool,
    /// The host that printed it, in a log.
    pub host: Option<String>,
    /// It does not do what its writer meant, by the rules of its form.
    pub broken: Option<Broken>,
}

/// What a variable gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Value {
    /// Text.
    Literal {
        /// What the program will see, by the rules of the form.
        text: String,
        /// As it stands in the file, quotes included.
        written: String,
        quote: Quote,
    },
    /// What only the run knows, as written: `${VAR}`, `$(command)`, a template, an f-string, `valueFrom`.
    Unresolved(String),
    /// Handed on from around: `export NAME`, `-x NAME`, `- NAME` in compose.
    Inherited,
    /// Taken away: `unset NAME`, `env -u NAME`, `os.environ.pop`.
    Unset,
}

impl Value {
    /// The text that the program will see, where it is known.
    pub fn text(&self) -> Option<&str> {
        if let Value::Literal { text, .. } = self { Some(text) } else { None }
    }

    /// As it stands in the file; empty for what has no value.
    pub fn written(&self) -> &str {
        match self {
            Value::Literal { written, .. } | Value::Unresolved(written) => written,
            Value::Inherited | Value::Unset => "",
        }
    }
}

/// How a literal is quoted as a whole; `None` also where only a piece of it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Quote {
    None,
    Single,
    Double,
    /// A block scalar of YAML, a triple-quoted string of Python.
    Block,
}

/// What is wrong with the form of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Broken {
    /// `NAME = value` in a shell: not an assignment. The value is what stands behind the `=`.
    BlankAroundEquals,
    /// `--export=A=x,y`: the command splits its list at commas, so that the value ends there.
    CutAtComma,
    /// A YAML scalar or a Python value that is no text. Whether that matters depends on the form: Kubernetes refuses it, compose
    /// takes numbers, `os.environ` raises `TypeError`.
    NotText(NotText),
}

/// What a value is that is no text. YAML words are taken as YAML 1.1 takes them (`yes`, `on`), as Kubernetes does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum NotText {
    Boolean,
    Number,
    Null,
    /// A list or a map.
    Collection,
}

/// In which form a setting is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Form {
    /// `export NAME=value`, `declare -x`, or an assignment to a name that is exported elsewhere.
    Export,
    /// `NAME=value` in a shell that nothing exports: programs do not see it, unless the name was in the environment before.
    Assign,
    /// `NAME=value command`.
    Prefix,
    /// `env NAME=value command`.
    EnvCommand,
    /// `mpirun -x NAME=value`, `-genv NAME value`.
    MpirunX,
    /// `srun --export=ALL,NAME=value`, `#SBATCH --export`.
    SrunExport,
    /// `docker run -e NAME=value`, `apptainer --env`, `kubectl run --env`.
    DockerRunE,
    /// `ENV` in a Dockerfile.
    DockerEnv,
    /// `ARG` in a Dockerfile: seen while the image is built only.
    DockerArg,
    /// `- name: NAME`, `value: value`.
    ListItem,
    /// `- NAME=value`.
    ListString,
    /// `NAME: value`.
    Map,
    /// A line of `nccl.conf`.
    ConfLine,
    /// A line of an env-file.
    EnvLine,
    /// A line of `env`.
    DumpLine,
    Python,
    LogLine,
}

/// A container, as far as RDMA looks at it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that a container has or has not")]
pub struct Container {
    /// Of its name, or of its first line.
    pub at: Position,
    pub name: String,
    /// That of its settings.
    pub scope: usize,
    /// Why it wants RDMA: a resource (`rdma/...`, `vpc.amazonaws.com/efa`, a virtual function), or a device.
    pub asks_rdma: Option<String>,
    /// Memory can be locked: the capability `IPC_LOCK`, `privileged`, or no limit of `memlock`.
    pub ipc_lock: bool,
    /// `/dev/shm` was given a size or comes from elsewhere.
    pub shm: bool,
    /// The verbs devices are there: `/dev/infiniband`, `privileged`, or a resource of a device plugin.
    pub infiniband: bool,
    pub gpus: Option<u32>,
    pub host_network: bool,
}

/// `# rdmanav: allow RULE`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Allowed {
    /// The line it silences: its own, or the next one when the comment stands alone.
    pub line: usize,
    pub rule: String,
}

/// The file was not read as its kind, or not all of it: says why, and what was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fallback {
    pub message: String,
    pub line: Option<usize>,
}

/// Why a file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// No text: it has NUL bytes and is no dump.
    Binary,
    /// More bytes than are read of its kind.
    TooLarge { bytes: usize, limit: usize },
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MEGABYTE: usize = 1024 * 1024;
        match self {
            Unreadable::Binary => write!(f, "it is no text"),
            Unreadable::TooLarge { bytes, limit } => {
                write!(f, "it has {} MB; of its kind up to {} MB are read", bytes.div_ceil(MEGABYTE), limit / MEGABYTE)
            }
        }
    }
}

impl std::error::Error for Unreadable {}
