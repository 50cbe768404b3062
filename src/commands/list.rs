//! `rdmanav list`

use crate::answer::list::{self, View};
use crate::answer::packs;
use crate::cli::{Format, List};
use crate::commands::exit::Failure;
use crate::commands::output;

/// From this width on a list on a terminal has summaries, too.
const WIDE: usize = 100;

/// Lists sections or issues; one a line in a pipe.
pub fn run(arguments: &List) -> Result<u8, Failure> {
    let library = super::packs::library(&arguments.packs);
    let is_piped = arguments.output.format() == Format::Auto && output::format(arguments.output) == Format::Markdown;
    if arguments.in_use {
        let answer = packs::packs(&library);
        return if is_piped {
            output::write(&answer.lines())
        } else {
            output::print(answer, &library, arguments.output)
        };
    }
    let view = match (arguments.issues, arguments.triggers, arguments.tokens) {
        (true, ..) => View::Issues,
        (_, true, _) => View::Triggers,
        (.., true) => View::Tokens,
        _ => View::Sections,
    };
    let mut answer = list::list(arguments.kind.map(Into::into), view, &library);
    if is_piped {
        return output::write(&answer.lines());
    }
    answer.summaries = output::format(arguments.output) == Format::Term && output::width(arguments.output) >= WIDE;
    output::print(answer, &library, arguments.output)
}
