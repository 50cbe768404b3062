//! One file a command: arguments -> library calls -> an answer -> output. The only room that knows the terminal, the environment and
//! the process.

mod candidates;
mod check;
pub mod completions;
mod context;
mod diagnose;
mod env;
pub mod exit;
mod flow;
mod help;
mod inputs;
mod lint;
mod list;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
pub mod output;
mod packs;
mod pager;
mod query;
mod schema;
mod screen;
mod show;
mod skill;
mod sources;
mod usage;

use std::process::ExitCode;

use clap::CommandFactory;

use crate::cli::{Cli, Command};
use crate::knowledge::library::NCCL_RELEASE;
use exit::Failure;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match usage::parse() {
        Ok(cli) => cli,
        Err(status) => return ExitCode::from(status),
    };
    match run(cli) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => ExitCode::from(exit::report(&failure)),
    }
}

fn run(cli: Cli) -> Result<u8, Failure> {
    let Some(command) = cli.command else {
        if cli.version {
            return output::write(&version());
        }
        let help = Cli::command().render_help();
        return Err(Failure::Help(help.to_string()));
    };
    match command {
        Command::Query(arguments) => query::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Context(arguments) => context::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Env(arguments) => env::run(&arguments),
        Command::Diagnose(arguments) => diagnose::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Flow(arguments) => flow::run(&arguments),
        Command::Sources(arguments) => sources::run(&arguments),
        Command::Skill(arguments) => skill::run(&arguments),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Help(arguments) => help::run(&arguments),
    }
}

fn version() -> String {
    let library = crate::library();
    format!(
        "rdmanav {}\nknowledge: NCCL up to {NCCL_RELEASE}, reviewed {}, {} sections, {} variables\n",
        env!("CARGO_PKG_VERSION"),
        library.reviewed(),
        library.sections.len(),
        library.variables.len()
    )
}

/// An argument as text, cleaned; what is no UTF-8 is replaced.
fn text(argument: &std::ffi::OsStr) -> String {
    crate::render::clean_line(&argument.to_string_lossy())
}
