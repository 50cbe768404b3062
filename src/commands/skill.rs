//! `rdmanav skill`

use crate::agent::skill;
use crate::commands::exit::Failure;
use crate::commands::output;

/// Prints SKILL.md.
pub fn run() -> Result<u8, Failure> {
    output::write(&skill::skill(&crate::library()))
}
