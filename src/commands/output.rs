//! Decides how an answer is printed, and prints it.

use std::env;
use std::io::{self, IsTerminal, Write};

use crate::answer::Answer;
use crate::cli::{Color, Format, Output};
use crate::commands::exit::{ANSWERED, Failure};
use crate::knowledge::Library;
use crate::render;

/// Lines longer than this are tiring to read; a wider window is used only when asked for.
const WIDEST_DEFAULT: usize = 110;

/// Columns when the window is unknown.
const UNKNOWN_WIDTH: usize = 80;

/// Prints an answer in the form that was asked for. Returns the exit status.
pub fn print<A: Answer>(mut answer: A, library: &Library<'_>, output: Output) -> Result<u8, Failure> {
    let text = match format(output) {
        Format::Json => {
            answer.resolve(library);
            let mut json = serde_json::to_string(&answer).expect("answers are plain data");
            json.push('\n');
            json
        }
        Format::Markdown | Format::Auto => answer.markdown(library),
        Format::Term => render::terminal(&answer.document(library), library, options(output, is_styled(output))),
        Format::Plain => render::terminal(&answer.document(library), library, options(output, false)),
    };
    if super::pager::show(&text, output.pager) {
        return Ok(ANSWERED);
    }
    write(&text)
}

/// Writes text to stdout.
pub fn write(text: &str) -> Result<u8, Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(Failure::Output)?;
    Ok(ANSWERED)
}

/// The format, with `auto` resolved.
pub fn format(output: Output) -> Format {
    match output.format() {
        Format::Auto if output.color() == Color::Always || io::stdout().is_terminal() => Format::Term,
        Format::Auto => Format::Markdown,
        format => format,
    }
}

fn options(output: Output, styled: bool) -> render::Options {
    render::Options { width: width(output), styled, ascii: is_ascii() }
}

/// The columns that an answer may use.
pub fn width(output: Output) -> usize {
    output.width.map_or_else(default_width, usize::from)
}

fn default_width() -> usize {
    match terminal_size::terminal_size_of(io::stdout()) {
        Some((terminal_size::Width(columns), _)) if columns >= 20 => usize::from(columns).min(WIDEST_DEFAULT),
        _ => UNKNOWN_WIDTH,
    }
}

fn is_styled(output: Output) -> bool {
    match output.color() {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if is_set("CLICOLOR_FORCE") => true,
        Color::Auto => {
            io::stdout().is_terminal() && !no_color() && env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// Any value but the empty one (<https://no-color.org>).
fn no_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Set, not empty and not `0` (<https://bixense.com/clicolors>).
fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}

/// The locale says that it is not UTF-8. When it says nothing, as in bare containers, terminals show UTF-8 all the same.
fn is_ascii() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(env::var_os).find(|value| !value.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_string_lossy().to_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}
