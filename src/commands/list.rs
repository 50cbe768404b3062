//! `rdmanav list`

use crate::answer::list::{self, View};
use crate::cli::{Format, List};
use crate::commands::exit::Failure;
use crate::commands::output;

/// Lists sections or issues; one a line in a pipe.
pub fn run(arguments: &List) -> Result<u8, Failure> {
    let library = super::packs::library(&arguments.packs);
    let view = match (arguments.issues, arguments.triggers, arguments.tokens) {
        (true, ..) => View::Issues,
        (_, true, _) => View::Triggers,
        (.., true) => View::Tokens,
        _ => View::Sections,
    };
    let answer = list::list(arguments.kind.map(Into::into), view, &library);
    if arguments.output.format() == Format::Auto && output::format(arguments.output) == Format::Markdown {
        return output::write(&answer.lines());
    }
    output::print(answer, &library, arguments.output)
}
