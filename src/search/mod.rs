//! A question -> ranked parts, with the reason for each.

pub mod index;
pub mod log_lines;
pub mod lookup;
pub mod merge;
pub mod rank;
pub mod shape;
pub mod suggest;
pub mod tuning;
pub mod values;
pub mod words;

pub use index::Index;
pub use rank::{Hit, Outcome, Searcher};
pub use tuning::Tuning;
