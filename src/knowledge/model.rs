//! The entries of the knowledge, as they are written in `content/` and as they are stored in the binary.
//!
//! All text is borrowed: from the YAML tree while `content/` is read, from the embedded bytes at run time. Each struct's first
//! field is the key that its records are sorted by.

use std::borrow::Cow;

pub use super::source::{Source, SourceKind};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a section is about; the `kind` of its front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A protocol, feature or component.
    Subsystem,
    /// Tables to look things up in.
    Reference,
    /// Hardware, a cloud, a vendor's library.
    Platform,
    /// How to set up, check or measure.
    Procedure,
}

impl Kind {
    /// The word of the front matter.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Subsystem => "subsystem",
            Kind::Reference => "reference",
            Kind::Platform => "platform",
            Kind::Procedure => "procedure",
        }
    }
}

/// A section: one file of `content/sections/`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Section<'a> {
    /// Public contract: scripts and links use it.
    pub id: &'a str,
    pub title: &'a str,
    pub kind: Kind,
    /// One or two sentences that stand on their own.
    pub summary: &'a str,
    /// Its place among the parts of the library of its first part, the opening.
    pub first_part: u16,
    /// The number of its parts.
    pub part_count: u16,
    /// Words that lead to this section first.
    pub triggers: Vec<&'a str>,
    pub see_also: Vec<&'a str>,
    /// Date of the last review, `YYYY-MM-DD`.
    pub reviewed: &'a str,
    pub applies_to: Option<&'a str>,
}

/// The first fields of a [`Section`], which can be decoded alone.
#[derive(Clone, Debug, Deserialize)]
pub struct SectionHead<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub kind: Kind,
    pub summary: &'a str,
    pub first_part: u16,
    pub part_count: u16,
}

/// A part of a section that can be found, shown and cited alone: the opening (id and heading empty), or a level-2 heading and what
/// stands under it.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// Empty for the opening.
    pub id: &'a str,
    /// Plain text, without attributes; empty for the opening.
    pub heading: Cow<'a, str>,
    /// The heading carries the class `.issue`: the part explains something that goes wrong.
    pub issue: bool,
    /// Markdown in rdmanav's dialect, without the heading line.
    pub body: &'a str,
    /// The body as plain markdown with its sources, as a pipe gets it. Made when the library is built.
    pub markdown: &'a str,
}

/// A part as it is stored. Bodies are kept apart, as text that needs no decoding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredPart<'a> {
    pub id: &'a str,
    pub heading: &'a str,
    pub issue: bool,
    /// Bytes of [`Library::texts`](super::Library::texts).
    pub body: (u32, u32),
    /// As `body`.
    pub markdown: (u32, u32),
}

/// A data flow: one file of `content/flows/`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub summary: &'a str,
    /// Sections that the flow belongs to.
    pub sections: Vec<&'a str>,
    #[serde(borrow)]
    pub steps: Vec<Step<'a>>,
    /// The last step leads back to this step, counted from 1.
    #[serde(default)]
    pub loop_to: Option<u16>,
}

/// One step of a data flow.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step<'a> {
    pub lane: Lane,
    /// Where it runs, in words.
    pub at: &'a str,
    pub does: &'a str,
    /// What is crossed to reach the next step.
    #[serde(default)]
    pub via: Option<&'a str>,
    /// What the step or the crossing costs (time, bandwidth, copies).
    #[serde(default)]
    pub cost: Option<&'a str>,
    #[serde(default)]
    pub sources: Vec<&'a str>,
}

/// The kind of place where a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lane {
    Gpu,
    Nic,
    Switch,
    Host,
    Kernel,
    Network,
}

impl Lane {
    /// All lanes, from where the data lies outwards.
    pub const OUTWARDS: [Lane; 6] = [Lane::Gpu, Lane::Host, Lane::Kernel, Lane::Nic, Lane::Switch, Lane::Network];

    /// The word that people read.
    pub fn name(self) -> &'static str {
        match self {
            Lane::Gpu => "GPU",
            Lane::Nic => "NIC",
            Lane::Switch => "switch",
            Lane::Host => "host",
            Lane::Kernel => "kernel",
            Lane::Network => "network",
        }
    }
}

/// A named set of NCCL settings: one file of `content/env/profiles/`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub summary: &'a str,
    #[serde(default)]
    pub triggers: Vec<&'a str>,
    #[serde(default)]
    pub sections: Vec<&'a str>,
    #[serde(borrow)]
    pub variables: Vec<Setting<'a>>,
}

/// One variable of a profile.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting<'a> {
    pub name: &'a str,
    /// The value to use; an example where the right one depends on the site.
    pub value: &'a str,
    pub action: Action,
    pub status: Status,
    /// The NCCL release from which `action` holds.
    #[serde(default)]
    pub since: Option<&'a str>,
    /// What to do on releases before `since`.
    #[serde(default)]
    pub before: Option<&'a str>,
    pub why: &'a str,
    #[serde(default)]
    pub sources: Vec<&'a str>,
}

/// What to do with a variable of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Must be set on this platform.
    Set,
    /// Equals what NCCL does anyway: setting it changes nothing.
    Default,
    /// The right value depends on the site; the value is an example.
    Site,
    /// People set it and should not.
    Avoid,
    /// The platform's plugin or image sets it already.
    Done,
    /// The advice is for newer releases than the one that was asked for: `before` says what to do. Never written in a profile.
    #[serde(skip_deserializing)]
    Older,
}

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A file or document of the platform's owner.
    Vendor,
    /// The platform's network plugin sets it in code.
    Plugin,
    /// The owner's benchmark script only.
    Test,
    /// Public job scripts of others.
    Seen,
}

/// An environment variable that NCCL reads, or once read: one entry of `content/env/variables.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variable<'a> {
    pub name: &'a str,
    pub purpose: &'a str,
    /// How the text of the value is read: `int`, `int-param`, `enum`, `list`, `string`, ...
    pub kind: &'a str,
    /// `core` or `third-party` (code that NCCL carries along).
    pub scope: &'a str,
    /// In NVIDIA's guide.
    pub documented: bool,
    /// Only documents of a release whose source was not read name it.
    #[serde(default)]
    pub guide_only: bool,
    /// The guide's category: `system configuration` or `debugging`.
    #[serde(default)]
    pub category: Option<&'a str>,
    /// The first release whose source reads it. 2.3.5-5 is the oldest that can be read: it means "that one or earlier".
    pub first: &'a str,
    /// The last release whose source reads it; none while it is still read.
    #[serde(default)]
    pub last: Option<&'a str>,
    /// The file that reads it, at the newest release that does.
    pub file: &'a str,
    /// Oldest first.
    #[serde(borrow)]
    pub defaults: Vec<Default<'a>>,
    /// What a default such as -2 stands for.
    #[serde(default)]
    pub default_meaning: Option<&'a str>,
    #[serde(default, borrow)]
    pub values: Vec<Value<'a>>,
    /// Pitfalls, changes, disagreements between guide and source.
    #[serde(default, borrow)]
    pub notes: Vec<Note<'a>>,
    /// What it matters to: `ib`, `roce`, `socket`, `nvlink`, `pcie`, `shm`, `plugin`, `all`.
    #[serde(default)]
    pub links: Vec<&'a str>,
    #[serde(default)]
    pub related: Vec<&'a str>,
    #[serde(default)]
    pub sections: Vec<&'a str>,
    pub sources: Vec<&'a str>,
}

/// A default, from a release on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Default<'a> {
    pub since: &'a str,
    pub value: &'a str,
}

/// An accepted value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Value<'a> {
    pub value: &'a str,
    pub meaning: &'a str,
}

/// A remark on a variable.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Note<'a> {
    pub text: &'a str,
    pub sources: Vec<&'a str>,
}

/// A name that people set and that core NCCL does not read: one entry of `content/env/others.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Other<'a> {
    pub name: &'a str,
    /// Who reads it; `nobody` when nothing does.
    pub owner: &'a str,
    /// What it does for its owner, or what people expect of it.
    pub purpose: &'a str,
    /// Names that do what was probably meant.
    #[serde(default)]
    pub instead: Vec<&'a str>,
    #[serde(default)]
    pub sources: Vec<&'a str>,
}

/// Words that people type for a word that the sections use, as the search looks them up.
#[derive(Clone, Debug, Deserialize)]
pub struct Alias<'a> {
    /// What people type, folded as a phrase; several words where it is a name of several words.
    pub word: &'a str,
    /// What the sections say.
    pub means: Vec<&'a str>,
}

/// One entry of `content/aliases.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AliasEntry<'a> {
    /// What people type.
    pub word: &'a str,
    /// What the sections say: holds in this direction only.
    #[serde(default)]
    pub means: Vec<&'a str>,
    /// Other names of the same thing: holds in both directions.
    #[serde(default)]
    pub same: Vec<&'a str>,
}

/// How people ask for a part in their own words: one entry of `content/questions.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked<'a> {
    /// `id#part`, or `id` for the subject as a whole.
    pub part: &'a str,
    pub asks: Vec<&'a str>,
}

/// Something that a log can say: one entry of `content/signatures.yaml`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature<'a> {
    pub id: &'a str,
    /// The program or library that prints it: `nccl`, `kernel`, `perftest`, ...
    pub printed_by: &'a str,
    pub level: Level,
    pub role: Role,
    #[serde(borrow)]
    pub patterns: Vec<Pattern<'a>>,
    /// `id#part`, or `id` for the opening: what explains it.
    pub part: &'a str,
    /// What it says, and what it does not say.
    pub means: &'a str,
    /// What to do, most likely cause first.
    pub advice: &'a str,
    #[serde(default)]
    pub sources: Vec<&'a str>,
}

/// One wording of a [`Signature`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern<'a> {
    /// The literal text after the prefix of the log; `{}` stands for what varies, `{name}` for a value that the part explains in a table.
    pub text: &'a str,
    /// The first release that prints it, where that is known.
    #[serde(default)]
    pub since: Option<&'a str>,
    /// The last release that prints it; none while it is still printed.
    #[serde(default)]
    pub until: Option<&'a str>,
}

/// How bad it is that a log says this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Looks like a fault and is none.
    Benign,
    /// A normal line that people look up.
    Info,
    /// Worth knowing, no fault.
    Note,
    /// Works, but slower or otherwise than meant.
    Warning,
    /// Something failed.
    Error,
}

/// What a line can prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The line itself names a fault.
    Cause,
    /// Usually the consequence of something else.
    Symptom,
    /// What a framework, or the other end, says when something else went wrong: names no thing of its own.
    Echo,
    /// Counts only together with other lines: the rules of `diagnose` look at it.
    Context,
}
