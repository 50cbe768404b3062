//! The search over the embedded knowledge, without a process.

mod signatures;
mod typing_errors;
