//! The knowledge that `build.rs` put into the binary.

use crate::knowledge::Library;
use crate::knowledge::records::Records;
use crate::search::log_lines::Patterns;
use crate::search::{Index, Searcher, Tuning};

macro_rules! built {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".bin"))
    };
}

/// The embedded library.
pub const fn library() -> Library<'static> {
    Library {
        sections: Records::new(built!("sections")),
        stored_parts: Records::new(built!("parts")),
        texts: include_str!(concat!(env!("OUT_DIR"), "/texts.txt")),
        flows: Records::new(built!("flows")),
        profiles: Records::new(built!("profiles")),
        variables: Records::new(built!("variables")),
        others: Records::new(built!("others")),
        sources: Records::new(built!("sources")),
        signatures: Records::new(built!("signatures")),
    }
}

/// The search over the embedded library.
pub const fn searcher() -> Searcher<'static> {
    Searcher {
        library: library(),
        index: Index::new(
            built!("terms"),
            built!("phrases"),
            built!("units"),
            Patterns::new(built!("pattern-texts"), built!("pattern-words")),
            built!("values"),
            built!("off-topic"),
            built!("shapes"),
        ),
        aliases: Records::new(built!("aliases")),
        topic_words: Records::new(built!("topic-words")),
        tuning: Tuning::SHIPPED,
    }
}
