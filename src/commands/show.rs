//! `rdmanav show`

use crate::answer::section::{self, Shown};
use crate::cli::Show;
use crate::commands::exit::Failure;
use crate::commands::output;

/// Prints a section or a part.
pub fn run(arguments: &Show) -> Result<u8, Failure> {
    let library = super::packs::library(&arguments.packs);
    match section::show(&super::text(&arguments.id), &library)? {
        Shown::Section(answer) => output::print(answer, &library, arguments.output),
        Shown::Variable(answer) => output::print(answer, &library, arguments.output),
        Shown::Other(answer) => output::print(answer, &library, arguments.output),
    }
}
