//! What rdmanav knows: the model, the parser and checker of `content/`, and the records that the binary embeds.
//!
//! Depends on nothing above it. `build.rs` includes this room by path and turns `content/` into records; at run time the
//! same code reads directories of users: packs at each start where there are any, and what `rdmanav check` is given.

pub mod check;
pub mod claims;
pub mod directory;
pub mod hidden;
pub mod library;
pub mod markdown;
pub mod model;
pub mod pack;
pub mod records;
pub mod release;
pub mod section_file;
pub mod severity;
pub mod signature;
pub mod source;
pub mod tables;
pub mod yaml;

pub use library::Library;
pub use model::{Flow, Kind, Other, Part, Profile, Section, Setting, Signature, Source, Variable};
