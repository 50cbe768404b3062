//! NCCL settings: values for a profile, and the forms in which other programs take them.

pub mod export;
pub mod settings;
