//! `rdmanav flow`

use crate::answer::flows;
use crate::cli::Flow;
use crate::commands::exit::Failure;
use crate::commands::output;

/// Draws a flow, or lists all.
pub fn run(arguments: &Flow) -> Result<u8, Failure> {
    let library = super::packs::library(&arguments.packs);
    match &arguments.id {
        None => output::print(flows::flows(&library), &library, arguments.output),
        Some(id) => output::print(flows::flow(&super::text(id), &library)?, &library, arguments.output),
    }
}
