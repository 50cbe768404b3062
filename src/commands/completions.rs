//! `rdmanav completions`

use std::path::PathBuf;

use clap_complete::Shell;

use super::candidates::{self, Candidate};
use super::exit::{ANSWERED, Failure};
use super::output;
use crate::cli::{Completions, Packs};

/// Prints a script, or, asked by such a script, what may stand at the end of a command line.
pub fn run(arguments: &Completions) -> Result<u8, Failure> {
    let Some(last) = arguments.words.len().checked_sub(1) else {
        return output::write(script(arguments.shell)?);
    };
    let mut words: Vec<String> =
        arguments.words.iter().map(|word| word.to_string_lossy().trim_start_matches(['"', '\'']).to_string()).collect();
    let typed = words[last].clone();
    if arguments.shell == Shell::Bash {
        words = joined(words);
    }
    // bash replaces what stands behind the last of these only.
    let kept = words
        .last()
        .map_or(0, |word| word.len().saturating_sub(if BREAKS.contains(&&*typed) { 0 } else { typed.len() }));
    let found = candidates::at_end_of(words.clone(), &super::packs::library_quietly(&packs(&words)));
    let lines = found.iter().filter_map(|candidate| line(candidate, arguments.shell, kept));
    match output::write(&lines.collect::<String>()) {
        // A shell that does not wait has moved on.
        Err(_) => Ok(ANSWERED),
        written => written,
    }
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

/// What ends a word for bash, though not for us.
const BREAKS: [&str; 3] = ["=", ":", "@"];

/// Joins what bash took apart: `--format`, `=`, `js` is `--format=js`.
fn joined(words: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for word in words {
        let is_break = BREAKS.contains(&&*word);
        match out.last_mut() {
            Some(last) if open || is_break && !last.is_empty() => last.push_str(&word),
            _ => out.push(word),
        }
        open = is_break;
    }
    out
}

/// A candidate as the script of the shell reads it.
fn line(candidate: &Candidate, shell: Shell, kept: usize) -> Option<String> {
    let Candidate { value, about } = candidate;
    Some(match shell {
        Shell::Bash => format!("{}\n", value.get(kept..)?),
        Shell::Zsh => {
            let escape = |text: &str| text.replace('\\', "\\\\").replace(':', "\\:");
            if about.is_empty() {
                format!("{}\n", escape(value))
            } else {
                format!("{}:{}\n", escape(value), escape(about))
            }
        }
        _ if about.is_empty() => format!("{value}\n"),
        _ => format!("{value}\t{about}\n"),
    })
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn words_that_bash_took_apart_are_joined() {
        let join = |line: &str| joined(line.split(' ').map(str::to_string).collect()).join(" ");
        assert_eq!(join("r query --format = js"), "r query --format=js");
        assert_eq!(join("r query --format ="), "r query --format=");
        assert_eq!(join("r env diff roce @ 2.1"), "r env diff roce@2.1");
        assert_eq!(join("r show dcqcn"), "r show dcqcn");
    }
}
