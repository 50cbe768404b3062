//! Exit statuses, and what is said on stderr.

use std::io::{self, Write};

use crate::answer::NotFound;
use crate::render;

/// Answered.
pub const ANSWERED: u8 = 0;
/// Nothing found: no hit, unknown id, profile or variable; findings, for `check`.
pub const NOTHING_FOUND: u8 = 1;
/// Wrong usage, unreadable input, or output that cannot be written.
pub const USAGE: u8 = 2;

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
    NotFound(NotFound),
    /// Says what is wrong and what to do.
    Usage(String),
    /// No command: the help text.
    Help(String),
    Output(io::Error),
}

impl From<NotFound> for Failure {
    fn from(not_found: NotFound) -> Self {
        Failure::NotFound(not_found)
    }
}

/// Tells the user, and returns the exit status.
pub fn report(failure: &Failure) -> u8 {
    match failure {
        Failure::NotFound(NotFound { message, hints }) => {
            error(message);
            for text in hints {
                hint(text);
            }
            NOTHING_FOUND
        }
        Failure::Usage(message) => {
            error(message);
            USAGE
        }
        Failure::Help(help) => {
            say(help);
            USAGE
        }
        // Whoever closed the pipe has what they wanted.
        Failure::Output(problem) if problem.kind() == io::ErrorKind::BrokenPipe => ANSWERED,
        Failure::Output(problem) => {
            error(&format!("the output cannot be written: {problem}"));
            USAGE
        }
    }
}

/// An error on stderr.
pub fn error(message: &str) {
    say(&format!("rdmanav: {}\n", one_line(message)));
}

/// A hint on stderr.
pub fn hint(message: &str) {
    say(&format!("hint: {}\n", one_line(message)));
}

/// Messages quote what the user typed: cleaned, on one line, and not without end.
fn one_line(message: &str) -> String {
    const LONGEST: usize = 2000;
    let text = render::clean_line(message);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// A closed stderr is no reason to fail.
fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
