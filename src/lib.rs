//! rdmanav: an offline, cited knowledge navigator for RDMA, InfiniBand, RoCE v2, AI-cluster topology and NCCL.
//!
//! The library never touches the terminal, the environment or the process: options go in, values come out. `docs/architecture.md` has
//! the map of the rooms.

pub mod agent;
pub mod answer;
pub mod cli;
pub mod commands;
pub mod diagnose;
mod embedded;
pub mod env;
pub mod files;
pub mod knowledge;
pub mod lint;
pub mod packs;
pub mod render;
pub mod search;

pub use embedded::{library, searcher};
