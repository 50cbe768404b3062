//! Settings in files of many kinds -> what they say, with the place of each.
//!
//! The kind of a file is found from its name and its content (`kind`); a reader of that kind collects the settings (`readers`).

pub mod accepts;
mod columns;
pub mod finding;
pub mod kind;
mod place;
mod readers;
pub mod rules;
pub mod source;

pub use source::{
    Allowed, Broken, Container, Fallback, Form, Kind, NotText, Position, Quote, Setting, Source, Unreadable, Value,
};

/// The largest log or dump that is read, in bytes.
pub const LARGEST: usize = 64 * MEGABYTE;

/// The largest file of another kind: nobody writes so much by hand.
pub const LARGEST_WRITTEN: usize = 16 * MEGABYTE;

const MEGABYTE: usize = 1024 * 1024;

/// The name alone tells what kind of file it is.
pub fn is_named(name: &str) -> bool {
    kind::by_name(name).is_some()
}

/// Reads a file. Without a kind it is found from name and content. What is no UTF-8 is replaced.
///
/// # Errors
/// Binary content, and more bytes than are read of the kind.
pub fn read(name: &str, bytes: &[u8], kind: Option<Kind>) -> Result<Source, Unreadable> {
    let too_large = |limit| Err(Unreadable::TooLarge { bytes: bytes.len(), limit });
    if bytes.len() > LARGEST {
        return too_large(LARGEST);
    }
    let separated_by_nul = bytes.contains(&0);
    if separated_by_nul && !kind.map_or_else(|| kind::is_environ(bytes), |kind| kind == Kind::Dump) {
        return Err(Unreadable::Binary);
    }
    let whole = String::from_utf8_lossy(bytes);
    let found = if separated_by_nul { Kind::Dump } else { kind::find(name, &whole) };
    let kind = kind.unwrap_or(found);
    if bytes.len() > LARGEST_WRITTEN && !matches!(kind, Kind::Log | Kind::Dump) {
        return too_large(LARGEST_WRITTEN);
    }
    // NCCL takes a byte order mark into the first name; to others it is none of the text.
    let whole = if kind == Kind::Conf { &whole } else { whole.strip_prefix('\u{feff}').unwrap_or(&whole) };
    let text = source::Text::new(whole.to_string(), if separated_by_nul { '\0' } else { '\n' });
    Ok(readers::read(kind, text))
}
