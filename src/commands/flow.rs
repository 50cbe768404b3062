//! `rdmanav flow`

use crate::answer::flows;
use crate::cli::{Diagram, Flow, Format};
use crate::commands::exit::Failure;
use crate::commands::output;
use crate::render::diagram;

/// Draws a flow, or lists all; one a line in a pipe.
pub fn run(arguments: &Flow) -> Result<u8, Failure> {
    let library = super::packs::library(&arguments.packs);
    let mut options = arguments.output;
    let Some(id) = &arguments.id else {
        let answer = flows::flows(&library);
        if options.format() == Format::Auto && output::format(options) == Format::Markdown {
            return output::write(&answer.lines());
        }
        return output::print(answer, &library, options);
    };
    let answer = flows::flow(&super::text(id), &library)?;
    match arguments.form {
        Some(Diagram::Mermaid) => output::write(&diagram::mermaid(answer.flow())),
        Some(Diagram::Dot) => output::write(&diagram::dot(answer.flow())),
        Some(Diagram::Svg) => output::write(&diagram::svg(answer.flow(), &library)),
        Some(Diagram::Json) => {
            options.set_format(Format::Json);
            output::print(answer, &library, options)
        }
        None | Some(Diagram::Text) => output::print(answer, &library, options),
    }
}
