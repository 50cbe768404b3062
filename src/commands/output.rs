//! Decides how an answer is printed, and prints it.

use std::env;
use std::io::{self, IsTerminal, Write};

use crate::answer::Answer;
use crate::cli::{Color, Format, Output};
use crate::commands::exit::{ANSWERED, Failure};
use crate::commands::screen::Screen;
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
        Format::Term => terminal(&answer, library, output, screen(output)),
        Format::Plain => terminal(&answer, library, output, Screen { styled: false, ..screen(output) }),
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

/// The columns that an answer may use.
pub fn width(output: Output) -> usize {
    output.width.map_or_else(default_width, usize::from)
}

fn terminal<A: Answer>(answer: &A, library: &Library<'_>, output: Output, screen: Screen) -> String {
    let options = render::Options { width: width(output), styled: screen.styled, ascii: screen.ascii };
    render::terminal(&answer.document(library), library, options, screen.paint)
}

/// What stdout can show.
fn screen(output: Output) -> Screen {
    Screen::new(output.color(), io::stdout().is_terminal(), &|name| {
        env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    })
}

fn default_width() -> usize {
    match terminal_size::terminal_size_of(io::stdout()) {
        Some((terminal_size::Width(columns), _)) if columns >= 20 => usize::from(columns).min(WIDEST_DEFAULT),
        _ => UNKNOWN_WIDTH,
    }
}
