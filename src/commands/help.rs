//! `rdmanav help`

use clap::{Command, CommandFactory};

use super::exit::Failure;
use super::output;
use crate::cli::{Cli, Help};
use crate::search::suggest;

/// Prints the help of the program, or of a command.
pub fn run(arguments: &Help) -> Result<u8, Failure> {
    let names: Vec<String> = arguments.command.iter().map(|name| super::text(name)).collect();
    let mut root = Cli::command();
    root.build();
    let mut command = find(&root, &names)?.clone();
    output::write(&command.render_help().to_string())
}

/// The command of these names; the root, already built, for none.
pub fn find<'a>(root: &'a Command, names: &[String]) -> Result<&'a Command, Failure> {
    let mut command = root;
    for name in names {
        command = command.find_subcommand(name).ok_or_else(|| {
            let near = suggest::nearest(name, command.get_subcommands().map(Command::get_name));
            let hint =
                near.first().map_or("all commands: rdmanav help".to_string(), |name| format!("did you mean {name}?"));
            Failure::Usage(format!("no command \"{name}\"; {hint}"))
        })?;
    }
    Ok(command)
}
