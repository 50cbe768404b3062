//! `rdmanav sources`

use crate::answer::sources;
use crate::cli::Sources;
use crate::commands::exit::Failure;
use crate::commands::output;

/// Lists the sources of a section, or all.
pub fn run(arguments: &Sources) -> Result<u8, Failure> {
    let library = super::packs::library(&arguments.packs);
    let id = arguments.id.as_deref().map(super::text);
    output::print(sources::sources(id.as_deref(), &library)?, &library, arguments.output)
}
