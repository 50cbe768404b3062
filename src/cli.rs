//! Every command and flag. Completions and the command-line reference come from here.
#![allow(clippy::doc_markdown, reason = "these comments are the help texts, which are no markdown")]

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::env::export::Form;
use crate::lint;

pub mod help;
mod values;

pub use values::{Agent, Color, Diagram, FailOn, FlavorName, Format, KindName, Scope};

/// Answers questions about RDMA, InfiniBand, RoCE v2, AI-cluster topology and NCCL: offline, with sources.
#[derive(Debug, Parser)]
#[command(
    name = "rdmanav",
    disable_version_flag = true,
    disable_help_subcommand = true,
    override_usage = "rdmanav COMMAND [ARGUMENTS]",
    help_template = help::ROOT
)]
pub struct Cli {
    /// Print the version, and what the knowledge covers
    #[arg(short = 'V', long)]
    pub version: bool,

    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
// Only the arguments of the command that is run are built.
#[command(defer = true)]
pub enum Command {
    /// Ask a question: the part that answers it, then others
    #[command(
        visible_alias = "q",
        after_help = "Examples:\n  rdmanav query DCQCN\n  rdmanav query \"vendor err 129\"\n  rdmanav query --list \"gpu direct\""
    )]
    Query(Query),
    /// Print a section or one of its parts
    #[command(
        after_help = "Examples:\n  rdmanav show dcqcn\n  rdmanav show nccl-transports#tcp-fallback\n  rdmanav show nccl-env#NCCL_IB_TC"
    )]
    Show(Show),
    /// Pack the parts that answer a question into a budget of tokens
    #[command(
        after_help = "Examples:\n  rdmanav context \"nccl falls back to sockets\" --max-tokens 1500\n  rdmanav context --sections dcqcn,nccl-transports#tcp-fallback --max-tokens 6000\n\nTokens are estimated: the real count of o200k_base or cl100k_base is at most 2 % more."
    )]
    Context(Context),
    /// List the sections, or the common issues
    #[command(
        after_help = "Examples:\n  rdmanav list\n  rdmanav list --issues\n  rdmanav list --tokens\n  rdmanav list --kind platform --format json"
    )]
    List(List),
    /// NCCL settings for a kind of cluster, or one variable in full
    #[command(
        after_help = "Examples:\n  rdmanav env\n  rdmanav env roce\n  eval \"$(rdmanav env roce --as export --set NCCL_IB_TC=106)\"\n  rdmanav env NCCL_IB_TIMEOUT --nccl 2.22\n  rdmanav env 'NCCL_IB_*'\n  rdmanav env --changed 2.20..2.27\n  rdmanav env diff roce spectrumx\n  rdmanav env diff roce@2.18 roce@2.30\n  rdmanav env diff roce job.sbatch\n  rdmanav env diff nccl.env current"
    )]
    Env(Env),
    /// What is wrong with NCCL settings in files or this environment
    #[command(
        after_help = "Examples:\n  rdmanav lint\n  rdmanav lint job.sbatch deploy/\n  env | rdmanav lint -\n  rdmanav lint --profile roce --nccl 2.21 train.sh\n  rdmanav lint --explain hca-prefix\n\nA comment `# rdmanav: allow RULE` on a line, or above it, keeps the line as it is.\nExit status: 0 no finding at or above --fail-on, 1 findings, 2 unreadable input or wrong usage"
    )]
    Lint(Lint),
    /// What is wrong in an NCCL log, why, and what to do
    #[command(
        after_help = "Examples:\n  rdmanav diagnose nccl.log\n  srun ./train 2>&1 | rdmanav diagnose\n  rdmanav diagnose --summary nccl.*.log\n  srun --ntasks-per-node=1 rdmanav diagnose --jsonl /tmp/nccl.log > all.jsonl; rdmanav diagnose --merge all.jsonl\n\nExit status: 0 no fault, 1 findings, 2 nothing of NCCL in the input, or unreadable"
    )]
    Diagnose(Diagnose),
    /// Draw a data flow, or list them
    #[command(
        after_help = "Examples:\n  rdmanav flow\n  rdmanav flow gpudirect-rdma-write\n  rdmanav flow gpudirect-rdma-write --as svg > write.svg\n  rdmanav flow dcqcn-feedback-loop --as mermaid"
    )]
    Flow(Flow),
    /// Print the sources of a section, or all, with addresses
    #[command(after_help = "Examples:\n  rdmanav sources dcqcn\n  rdmanav sources --format json")]
    Sources(Sources),
    /// An Agent Skill made from the index: print, export or install it
    #[command(
        after_help = "Examples:\n  rdmanav skill\n  rdmanav skill export out/skills\n  rdmanav skill install --agent claude --scope user\n  rdmanav skill uninstall --agent claude --scope user"
    )]
    Skill(Skill),
    /// Serve the answers as an MCP server on the standard streams
    #[cfg(feature = "mcp")]
    #[command(
        after_help = "Examples:\n  claude mcp add rdmanav -- rdmanav mcp\n  rdmanav mcp --allow-read /var/log/jobs\n\nSet-up for other clients: docs/agents.md"
    )]
    Mcp(Mcp),
    /// Print the JSON Schema of an answer, or of all
    #[command(after_help = "Examples:\n  rdmanav schema query\n  rdmanav schema rdmanav.findings/1\n  rdmanav schema")]
    Schema(Schema),
    /// Check a directory of content, or count the embedded claims
    #[command(after_help = "Examples:\n  rdmanav check\n  rdmanav check content --fail-on error")]
    Check(Check),
    /// Print a completion script, which knows ids and variables, too
    #[command(
        after_help = "Examples:\n  source <(rdmanav completions bash)\n  source <(rdmanav completions zsh)\n  rdmanav completions fish > ~/.config/fish/completions/rdmanav.fish\n\nTo keep it, put the line into ~/.bashrc or ~/.zshrc."
    )]
    Completions(Completions),
    /// Print the manual page, or write the pages of all commands
    #[command(
        after_help = "Examples:\n  rdmanav man | man -l -\n  rdmanav man lint\n  rdmanav man --dir ~/.local/share/man/man1"
    )]
    Man(Man),
    /// Print this help, or that of a command
    #[command(after_help = "Examples:\n  rdmanav help\n  rdmanav help env\n  rdmanav help skill install")]
    Help(Help),
}

// How the answer is printed. A comment for rustdoc here, and on the arguments below, would take the place of what the command does in its help.
#[derive(Clone, Copy, Debug, Args)]
pub struct Output {
    // Defaults that clap fills in cost a tenth of the start-up: they are filled in by the methods below.
    /// auto: term on a terminal, markdown otherwise; plain is term without styles [default: auto]
    #[arg(long, value_enum, help_heading = "Output")]
    format: Option<Format>,
    /// auto: on a terminal, unless NO_COLOR is set; CLICOLOR_FORCE forces it, in a pipe with --format term only [default: auto]
    #[arg(long, value_enum, value_name = "WHEN", help_heading = "Output")]
    color: Option<Color>,
    /// Columns, 20 to 1000 [default: the window, at most 110; 80 when unknown]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(20..=1000), help_heading = "Output")]
    pub width: Option<u16>,
    /// On a terminal, show the answer with RDMANAV_PAGER, else PAGER, else less -R
    #[arg(long, help_heading = "Output")]
    pub pager: bool,
}

impl Output {
    /// The form that was asked for.
    pub fn format(self) -> Format {
        self.format.unwrap_or(Format::Auto)
    }

    /// Asks for a form.
    pub fn set_format(&mut self, format: Format) {
        self.format = Some(format);
    }

    /// When to use styles.
    pub fn color(self) -> Color {
        self.color.unwrap_or(Color::Auto)
    }
}

// Knowledge of the user's own.
#[derive(Clone, Debug, Default, Args)]
pub struct Packs {
    /// Lay this pack over the embedded knowledge; may be repeated (docs/packs.md)
    // Global for the commands below `skill`, the only ones that there are.
    #[arg(long = "pack", value_name = "DIR", help_heading = "Output", global = true)]
    pub packs: Vec<PathBuf>,
}

// `rdmanav query`
#[derive(Debug, Args)]
pub struct Query {
    /// The question; several words need no quotes
    #[arg(required = true, value_name = "WORDS")]
    pub words: Vec<OsString>,
    /// The number of answers: the first in full, the others by title [default: 6]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub number: Option<u16>,
    /// Only the pointers, without the text of the first answer
    #[arg(long)]
    pub list: bool,
    /// Say what matched
    #[arg(long)]
    pub why: bool,
    /// Only sections of this kind
    #[arg(long, value_enum)]
    pub kind: Option<KindName>,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav show`
#[derive(Debug, Args)]
pub struct Show {
    /// A section (dcqcn) or a part (dcqcn#parameters)
    #[arg(value_name = "ID[#PART]")]
    pub id: OsString,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav context`
#[derive(Debug, Args)]
pub struct Context {
    /// The question; several words need no quotes
    #[arg(required_unless_present = "sections", conflicts_with = "sections", value_name = "WORDS")]
    pub words: Vec<OsString>,
    /// The most that the pack may cost [default: 4000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub max_tokens: Option<u32>,
    /// Pack these instead: sections (dcqcn), parts (dcqcn#parameters) or openings (dcqcn#)
    #[arg(long, value_name = "ID[#PART],...", value_delimiter = ',')]
    pub sections: Vec<OsString>,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav list`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct List {
    /// Only sections of this kind
    #[arg(long, value_enum)]
    pub kind: Option<KindName>,
    /// The parts that explain something going wrong
    #[arg(long, conflicts_with = "triggers")]
    pub issues: bool,
    /// The words that lead to each section
    #[arg(long)]
    pub triggers: bool,
    /// What each section costs in a prompt, in tokens (estimated)
    #[arg(long, conflicts_with_all = ["issues", "triggers"])]
    pub tokens: bool,
    /// The packs in use, and where they are
    #[arg(long = "packs", conflicts_with_all = ["issues", "triggers", "tokens", "kind"])]
    pub in_use: bool,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav env`
#[derive(Debug, Args)]
pub struct Env {
    /// A profile (roce); variables or patterns (NCCL_IB_TC 'NCCL_IB_*'); diff and two of: a profile, a file with settings, - for
    /// the standard input, current for the environment
    #[arg(value_name = "PROFILE|VARIABLE")]
    pub names: Vec<OsString>,
    /// Answer for this NCCL release, such as 2.22 or 2.22.3
    #[arg(long, value_name = "RELEASE")]
    pub nccl: Option<String>,
    /// Print the bare default of a variable
    #[arg(long)]
    pub value: bool,
    /// List what was added, removed or got another default between two releases
    #[arg(long, value_name = "FROM..TO")]
    pub changed: Option<String>,
    /// Print the profile in this form
    #[arg(long = "as", value_enum, value_name = "FORM", default_value = "table")]
    pub form: Form,
    /// In a form for programs, set also what is the default anyway
    #[arg(long)]
    pub all: bool,
    /// Give a variable of the profile a value; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav diagnose`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Diagnose {
    /// Logs, plain or gzip; without one, or for -, the standard input
    #[arg(value_name = "LOG")]
    pub logs: Vec<OsString>,
    /// Print what was learnt of each log as one line of JSON, to be joined by --merge
    #[arg(long, conflicts_with_all = ["summary", "merge"])]
    pub jsonl: bool,
    /// The inputs are lines of --jsonl: join them into one job
    #[arg(long)]
    pub merge: bool,
    /// A table of the job instead of the findings
    #[arg(long)]
    pub summary: bool,
    /// Print notes, too
    #[arg(long)]
    pub notes: bool,
    /// The least finding that makes the exit status 1 [default: warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav flow`
#[derive(Debug, Args)]
pub struct Flow {
    /// The flow; without one, all are listed
    pub id: Option<OsString>,
    /// Print the flow in this form [default: text]
    #[arg(long = "as", value_enum, value_name = "FORM", requires = "id", conflicts_with = "format")]
    pub form: Option<Diagram>,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav sources`
#[derive(Debug, Args)]
pub struct Sources {
    /// The section; without one, all sources
    pub id: Option<OsString>,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav skill`
#[derive(Debug, Args)]
pub struct Skill {
    #[command(subcommand)]
    pub command: Option<SkillCommand>,
    /// Whose front matter: the specification's, or with the list of triggers that OpenHands reads [default: standard]
    #[arg(long, value_enum, global = true)]
    pub flavor: Option<FlavorName>,
    #[command(flatten)]
    pub packs: Packs,
}

/// What to do with the skill; without one, SKILL.md is printed.
#[derive(Debug, Subcommand)]
pub enum SkillCommand {
    /// Write DIR/rdma-network-nav with SKILL.md and a file of references for each section
    Export {
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Overwrite files there that rdmanav did not write
        #[arg(long)]
        force: bool,
    },
    /// Write the skill where an agent looks for it; nothing is done when it is there and up to date
    Install(Place),
    /// Remove the skill from there
    Uninstall(Place),
}

// Where an agent looks for skills.
#[derive(Debug, Args)]
pub struct Place {
    /// Whose folder: claude .claude/skills; codex and agents .agents/skills
    #[arg(long, value_enum, required_unless_present = "dir")]
    pub agent: Option<Agent>,
    /// Below the working directory, or below the home directory [default: project]
    #[arg(long, value_enum, conflicts_with = "dir")]
    pub scope: Option<Scope>,
    /// A folder of skills, in place of the agent's own
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Also overwrite or remove files of the skill that rdmanav did not write, or that were changed
    #[arg(long)]
    pub force: bool,
}

// `rdmanav mcp`
#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
pub struct Mcp {
    /// Let diagnose read files below this directory; may be repeated [default: it reads no file]
    #[arg(long, value_name = "DIR")]
    pub allow_read: Vec<PathBuf>,
    #[command(flatten)]
    pub packs: Packs,
}

// `rdmanav schema`
#[derive(Debug, Args)]
pub struct Schema {
    /// The name of the answer, such as query; without one, a schema of all
    pub answer: Option<OsString>,
}

// `rdmanav check`
#[derive(Debug, Args)]
pub struct Check {
    /// A directory of the form of content/ (docs/content-guide.md)
    pub directory: Option<PathBuf>,
    /// The least finding that makes the exit status 1 [default: warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav lint`
#[derive(Debug, Args)]
pub struct Lint {
    /// Files or directories: scripts, Dockerfiles, YAML, nccl.conf, env-files, Python, logs; - is the standard input; none: the current
    /// environment
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
    /// What the files are [default: found from name and content]
    #[arg(long, value_enum)]
    pub kind: Option<lint::Kind>,
    /// The platform that the settings are for; profiles: rdmanav env
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<OsString>,
    /// The NCCL release that the job uses, such as 2.22 or 2.22.3
    #[arg(long, value_name = "RELEASE")]
    pub nccl: Option<String>,
    /// Print notes, too
    #[arg(long)]
    pub notes: bool,
    /// The least severity that makes the exit status 1 [default: warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Explain a rule; without a name, list all
    #[arg(long, value_name = "RULE", num_args = 0..=1, default_missing_value = "", exclusive = false)]
    pub explain: Option<OsString>,
    #[command(flatten)]
    pub packs: Packs,
    #[command(flatten)]
    pub output: Output,
}

// `rdmanav completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell that reads the script
    pub shell: clap_complete::Shell,
    /// The words of a command line, the last one half typed: prints what may stand there
    #[arg(last = true, hide = true, value_name = "WORDS")]
    pub words: Vec<OsString>,
}

// `rdmanav man`
#[derive(Debug, Args)]
pub struct Man {
    /// The command; without one, the page of the program
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub command: Vec<OsString>,
    /// Write rdmanav.1 and a page a command into this directory
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

// `rdmanav help`
#[derive(Debug, Args)]
pub struct Help {
    /// The command; without one, all commands
    #[arg(value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
