//! One reader a kind.

use super::source::{Kind, Source, Text};

/// Reads text as a kind.
pub(super) fn read(kind: Kind, text: Text) -> Source {
    Source::new(kind, text)
}
