//! `rdmanav completions`

use clap::CommandFactory;

use crate::cli::{Cli, Completions};
use crate::commands::exit::Failure;
use crate::commands::output;

/// Prints a completion script.
pub fn run(arguments: &Completions) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "rdmanav", &mut script);
    output::write(&String::from_utf8_lossy(&script))
}
