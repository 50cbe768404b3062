//! `rdmanav check`

use crate::answer::check;
use crate::cli::{Check, Format};
use crate::commands::exit::{Failure, NOTHING_FOUND};
use crate::commands::output;

/// Checks a directory, or counts the claims of the embedded content.
pub fn run(arguments: &Check) -> Result<u8, Failure> {
    let library = crate::library();
    let answer = match &arguments.directory {
        None => check::embedded(&library),
        Some(path) => check::directory(path, &library)
            .map_err(|error| Failure::Usage(format!("{} cannot be read: {error}", super::text(path.as_os_str()))))?,
    };
    let found = !answer.findings.is_empty();
    if output::format(arguments.output) != Format::Json {
        // As compilers print them, so that editors and people find the place.
        let lines: Vec<String> = answer.findings.iter().map(|finding| format!("{finding}\n")).collect();
        output::write(&lines.concat())?;
    }
    let status = output::print(answer, &library, arguments.output)?;
    Ok(if found { NOTHING_FOUND } else { status })
}
