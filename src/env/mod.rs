//! NCCL settings: values for a profile, what each release reads, and the forms in which other programs take them.

pub mod export;
pub mod history;
pub mod settings;
