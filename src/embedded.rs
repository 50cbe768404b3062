//! The knowledge that `build.rs` put into the binary.

use crate::knowledge::Library;
use crate::knowledge::records::Records;
use crate::search::index::Bytes;
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
        ..Library::EMPTY
    }
}

/// The search over the embedded library.
pub const fn searcher() -> Searcher<'static> {
    Searcher {
        library: library(),
        index: Index::new(&Bytes {
            terms: built!("terms"),
            phrases: built!("phrases"),
            units: built!("units"),
            pattern_texts: built!("pattern-texts"),
            pattern_words: built!("pattern-words"),
            values: built!("values"),
            off_topic: built!("off-topic"),
            shapes: built!("shapes"),
            lengths: built!("lengths"),
        }),
        aliases: Records::new(built!("aliases")),
        topic_words: Records::new(built!("topic-words")),
        tuning: Tuning::SHIPPED,
    }
}
