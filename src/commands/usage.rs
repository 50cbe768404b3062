//! Reads the command line, and says what is wrong with it in the voice of all other errors.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use super::exit::{self, Failure};
use crate::cli::{Cli, Packs};
use crate::search::suggest;

/// Options of the output and whether a value follows: they may also stand before the command.
const ANYWHERE: [(&str, bool); 5] =
    [("--pack", true), ("--format", true), ("--color", true), ("--width", true), ("--pager", false)];

/// The command line of this process, or the exit status when there is none to run.
pub fn parse() -> Result<Cli, u8> {
    let error = match Cli::try_parse() {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    let words: Vec<OsString> = std::env::args_os().collect();
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(moved) = options_behind_command(&words)
    {
        return Cli::try_parse_from(&moved).map_err(|error| report(&error, &moved));
    }
    Err(report(&error, &words))
}

/// `rdmanav --format json query x` as `rdmanav query --format json x`. Options of clap that are valid before and behind each command
/// would cost every start more than the parsing itself.
fn options_behind_command(words: &[OsString]) -> Option<Vec<OsString>> {
    let mut next = 1;
    while let Some(word) = words.get(next).and_then(|word| word.to_str()).filter(|word| word.starts_with("--")) {
        let (name, inline) = word.split_once('=').map_or((word, false), |(name, _)| (name, true));
        let (_, takes_value) = ANYWHERE.iter().find(|(known, _)| *known == name)?;
        next += if *takes_value && !inline { 2 } else { 1 };
    }
    if next == 1 {
        return None;
    }
    let command = words.get(next)?;
    let head = [&words[0], command];
    Some(head.into_iter().chain(&words[1..next]).chain(&words[next + 1..]).cloned().collect())
}

/// Prints help, or the error and what may have been meant.
fn report(error: &clap::Error, words: &[OsString]) -> u8 {
    if !error.use_stderr() {
        return match error.print().and_then(|()| io::stdout().flush()) {
            Ok(()) => exit::ANSWERED,
            Err(problem) => exit::report(&Failure::Output(problem)),
        };
    }
    // clap's own words, without its layout: "error: ...", then blank lines, tips, the usage and a line about --help.
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut message = lines.next().unwrap_or_default().trim_start_matches("error: ").to_string();
    let mut hints: Vec<String> = Vec::new();
    for line in lines {
        if let Some(tip) = line.strip_prefix("tip: ") {
            hints.push(tip.to_string());
        } else if let Some(usage) = line.strip_prefix("Usage: ") {
            hints.push(format!("usage: {usage}"));
        } else if !line.starts_with("For more information") {
            message.push_str(if message.ends_with(':') { " " } else { "; " });
            message.push_str(line);
        }
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && words.len() > 1
        && Cli::command().find_subcommand(&words[1]).is_none()
    {
        message = format!("no command \"{}\"", super::text(&words[1]));
        hints = instead_of(&words[1..].iter().map(|word| super::text(word)).collect::<Vec<_>>());
    }
    exit::error(&message);
    for hint in hints {
        exit::hint(&hint);
    }
    exit::USAGE
}

/// What somebody meant who wrote these words where a command belongs.
fn instead_of(words: &[String]) -> Vec<String> {
    let root = Cli::command();
    let commands = || root.get_subcommands().flat_map(clap::Command::get_name_and_visible_aliases);
    let name = words[0].to_lowercase();
    if Path::new(&words[0]).is_file() {
        let file = quoted(&words[0]);
        return vec![format!("a log: rdmanav diagnose {file}"), format!("settings: rdmanav lint {file}")];
    }
    if let [name] = words {
        let library = super::packs::library_quietly(&Packs::default());
        let id = name.to_lowercase();
        let section = id.split('#').next().unwrap_or_default();
        if library.sections.find(section).is_some() {
            let is_plain = id.chars().all(|c| c.is_ascii_alphanumeric() || "-_#".contains(c));
            let id = if is_plain { id } else { quoted(&id) };
            return vec![format!("rdmanav show {id}"), format!("rdmanav query {id}")];
        }
        let upper = name.to_uppercase();
        if library.profiles.find(&id).is_some() {
            return vec![format!("rdmanav env {id}")];
        }
        if library.variables.find(&upper).is_some() || library.others.find(&upper).is_some() {
            return vec![format!("rdmanav env {upper}")];
        }
        if library.flows.find(&id).is_some() {
            return vec![format!("rdmanav flow {id}")];
        }
    }
    let near = suggest::nearest(&name, commands().filter(|known| known.len() > 1));
    let mut hints: Vec<String> = near.first().map(|name| format!("did you mean rdmanav {name}?")).into_iter().collect();
    let question = words.join(" ");
    if question.contains(' ') && !words.iter().any(|word| word.starts_with('-')) && near.is_empty() {
        hints.push(format!("a question: rdmanav query {}", quoted(&question)));
    } else if near.is_empty() {
        hints.push(format!("a question: rdmanav query {}", quoted(&words[0])));
    }
    hints.push("all commands: rdmanav help".to_string());
    hints
}

/// A question as a shell takes it.
fn quoted(text: &str) -> String {
    if text.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", text.replace('\'', "'\\''"))
    } else {
        format!("\"{text}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_output_may_stand_before_the_command() {
        let moved = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            options_behind_command(&words).map(|words| words.join(" ".as_ref()).into_string().expect("text"))
        };
        assert_eq!(moved("r --format json query x").as_deref(), Some("r query --format json x"));
        assert_eq!(moved("r --width=60 --pager show x").as_deref(), Some("r show --width=60 --pager x"));
        for other in ["r query x", "r --nonsense query", "r --format json", "r --format", "r"] {
            assert_eq!(moved(other), None, "{other}");
        }
    }
}
