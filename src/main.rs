//! Parses the command line, runs the command, maps the outcome to an exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    rdmanav::commands::main()
}
