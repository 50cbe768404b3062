//! The search over the embedded knowledge, without a process.

mod typing_errors;
