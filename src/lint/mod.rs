//! Settings in files of many kinds -> what they say, with the place of each.
//!
//! The kind of a file is found from its name and its content (`kind`); a reader of that kind collects the settings (`readers`).

pub mod accepts;
pub mod finding;
pub mod kind;
mod place;
mod readers;
pub mod rules;
pub mod source;

pub use source::{
    Allowed, Broken, Container, Fallback, Form, Kind, NotText, Position, Quote, Setting, Source, Unreadable, Value,
};

/// The largest file that is read, in bytes.
pub const LARGEST: usize = 64 * 1024 * 1024;

/// The name alone tells what kind of file it is.
pub fn is_named(name: &str) -> bool {
    kind::by_name(name).is_some()
}

/// Reads a file. Without a kind it is found from name and content. What is no UTF-8 is replaced.
///
/// # Errors
/// Binary content, and more than [`LARGEST`] bytes.
pub fn read(name: &str, bytes: &[u8], kind: Option<Kind>) -> Result<Source, Unreadable> {
    if bytes.len() > LARGEST {
        return Err(Unreadable::TooLarge(bytes.len()));
    }
    let separated_by_nul = bytes.contains(&0);
    if separated_by_nul && !kind.map_or_else(|| kind::is_environ(bytes), |kind| kind == Kind::Dump) {
        return Err(Unreadable::Binary);
    }
    let whole = String::from_utf8_lossy(bytes).into_owned();
    let text = source::Text::new(whole, if separated_by_nul { '\0' } else { '\n' });
    let kind = kind.unwrap_or_else(|| if separated_by_nul { Kind::Dump } else { kind::find(name, &text.whole) });
    Ok(readers::read(kind, text))
}
