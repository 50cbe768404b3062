//! `rdmanav completions`

use std::path::PathBuf;

use clap_complete::Shell;

pub use self::quoting::Line;
use super::candidates::{self, Candidate};
use super::exit::{ANSWERED, Failure};
use super::output;
use crate::cli::{Completions, Packs};
use crate::knowledge::Library;

mod quoting;

/// Prints a script, or, asked by such a script, what may stand at the end of a command line.
pub fn run(arguments: &Completions) -> Result<u8, Failure> {
    let shell = arguments.shell;
    if arguments.words.is_empty() {
        return output::write(script(shell)?);
    }
    let given: Vec<String> = arguments.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let Some(line) = Line::read(shell, &given) else { return Ok(ANSWERED) };
    let library = super::packs::library_quietly(&packs(&line.words));
    match output::write(&answer(&line, shell, &library)) {
        // A shell that does not wait has moved on.
        Err(_) => Ok(ANSWERED),
        written => written,
    }
}

/// The candidates for the end of a line, one a line, as the script of the shell reads them.
pub fn answer(line: &Line, shell: Shell, library: &Library<'static>) -> String {
    let found = candidates::at_end_of(line.words.clone(), library);
    found.iter().filter_map(|candidate| written(candidate, line, shell)).collect()
}

/// The packs that the line names.
fn packs(words: &[String]) -> Packs {
    let inline = words.iter().filter_map(|word| word.strip_prefix("--pack="));
    let after = words.windows(2).filter(|pair| pair[0] == "--pack").map(|pair| &*pair[1]);
    Packs { packs: inline.chain(after).filter(|path| !path.is_empty()).map(PathBuf::from).collect() }
}

fn script(shell: Shell) -> Result<&'static str, Failure> {
    Ok(match shell {
        Shell::Bash => include_str!("completions/rdmanav.bash"),
        Shell::Zsh => include_str!("completions/rdmanav.zsh"),
        Shell::Fish => include_str!("completions/rdmanav.fish"),
        Shell::PowerShell => include_str!("completions/rdmanav.ps1"),
        Shell::Elvish => include_str!("completions/rdmanav.elv"),
        other => return Err(Failure::Usage(format!("there is no script for {other}"))),
    })
}

/// A candidate as the script of the shell reads it.
fn written(candidate: &Candidate, line: &Line, shell: Shell) -> Option<String> {
    let inserted = line.insertion(shell, &candidate.value)?;
    let about = &candidate.about;
    Some(match shell {
        Shell::Bash => format!("{inserted}\n"),
        Shell::Zsh => {
            let escape = |text: &str| text.replace('\\', "\\\\").replace(':', "\\:");
            if about.is_empty() {
                format!("{}\n", escape(&inserted))
            } else {
                format!("{}:{}\n", escape(&inserted), escape(about))
            }
        }
        // What PowerShell lists is not what it inserts.
        Shell::PowerShell => format!("{inserted}\t{}\t{about}\n", candidate.value),
        _ if about.is_empty() => format!("{inserted}\n"),
        _ => format!("{inserted}\t{about}\n"),
    })
}
