//! Shows an answer with a pager, when one was asked for.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use super::exit;

/// The pager that was asked for, if any: never off a terminal, never by default.
fn wanted(asked: bool) -> Option<String> {
    let named = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
    if !io::stdout().is_terminal() {
        return None;
    }
    match named("RDMANAV_PAGER") {
        Some(pager) => Some(pager),
        None if asked => Some(named("PAGER").unwrap_or_else(|| "less -R".to_string())),
        None => None,
    }
}

/// Shows `text` and waits until the pager ends; that it ends before it has read all is no error. False when there is no pager, or when it
/// cannot be started: then nothing was shown.
pub fn show(text: &str, asked: bool) -> bool {
    let Some(pager) = wanted(asked) else { return false };
    let mut command = command(&pager);
    // As git does: styles are passed on, and what fits the window needs no key to end it.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let mut child = match command.stdin(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(problem) => {
            exit::hint(&format!("the pager \"{pager}\" cannot be started: {problem}; RDMANAV_PAGER names another"));
            return false;
        }
    };
    // The keys for an interrupt are the pager's, which stays on the terminal after them.
    let _ = ctrlc::set_handler(|| {});
    if let Some(mut input) = child.stdin.take() {
        // Who quits has read enough.
        let _ = input.write_all(text.as_bytes());
    }
    match child.wait() {
        // The shell's status for a command that it does not find.
        Ok(status) if status.code() == Some(127) => {
            exit::hint(&format!("the pager \"{pager}\" cannot be started; RDMANAV_PAGER names another"));
            false
        }
        _ => true,
    }
}

/// The command of a pager: by words, or by the shell when it says more than words.
fn command(pager: &str) -> Command {
    if cfg!(unix) && pager.contains(['\'', '"', '\\', '$', '|', '&', ';', '<', '>', '(', '`', '~', '*', '=']) {
        let mut command = Command::new("sh");
        command.args(["-c", pager]);
        return command;
    }
    let mut words = pager.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    command
}
