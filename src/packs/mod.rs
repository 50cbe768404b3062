//! Packs: directories of users' knowledge, laid over the embedded one (`docs/packs.md`). A pack adds sections, flows, profiles and more,
//! and replaces sections or appends to them; what is wrong with one is told, and it is left out.

pub mod encode;
mod overlay;

pub use overlay::{Overlay, Refused};
