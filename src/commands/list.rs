//! `rdmanav list`

use crate::answer::list::{self, Layout, View};
use crate::answer::packs;
use crate::cli::{Format, List};
use crate::commands::exit::Failure;
use crate::commands::output;

/// Below this width a table of sections is mostly line breaks.
const NARROW: usize = 60;

/// From this width on summaries fit, too.
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
    if output::format(arguments.output) != Format::Markdown {
        answer.layout = match output::width(arguments.output) {
            ..NARROW => Layout::Lines,
            NARROW..WIDE => Layout::Table,
            _ => Layout::Summaries,
        };
    }
    output::print(answer, &library, arguments.output)
}
