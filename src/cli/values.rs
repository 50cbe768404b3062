//! The values that flags take.

use clap::ValueEnum;

use crate::knowledge;
use crate::knowledge::severity::Severity;

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Auto,
    Term,
    Markdown,
    Plain,
    Json,
}

/// The form of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Diagram {
    /// As other answers: drawn on a terminal, markdown in a pipe
    Text,
    /// A flowchart for GitHub, wikis and other readers of Mermaid
    Mermaid,
    /// A graph for Graphviz
    Dot,
    /// A picture for documents, light or dark with its reader
    Svg,
    /// The answer as JSON: rdmanav schema flow
    Json,
}

/// When to use styles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// Agents that look for skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Agent {
    Claude,
    Codex,
    Agents,
}

/// For one project, or for a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    Project,
    User,
}

/// Whose front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FlavorName {
    Standard,
    Openhands,
}

/// The least finding that counts as a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Error,
    Warning,
    Note,
}

impl FailOn {
    /// The least severity that fails; a warning where nothing was asked for.
    pub fn severity(asked: Option<FailOn>) -> Severity {
        match asked {
            Some(FailOn::Error) => Severity::Error,
            None | Some(FailOn::Warning) => Severity::Warning,
            Some(FailOn::Note) => Severity::Note,
        }
    }
}

/// The kinds of sections, as the command line names them.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum KindName {
    Subsystem,
    Reference,
    Platform,
    Procedure,
}

impl From<KindName> for knowledge::Kind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::Subsystem => knowledge::Kind::Subsystem,
            KindName::Reference => knowledge::Kind::Reference,
            KindName::Platform => knowledge::Kind::Platform,
            KindName::Procedure => knowledge::Kind::Procedure,
        }
    }
}
