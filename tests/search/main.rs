//! The search over the embedded knowledge, without a process.

mod packs;
mod retrieval;
mod signatures;
mod typing_errors;
