//! A file that grows, and the command that reads it.

/// A shape of input.
pub struct Row {
    pub name: &'static str,
    /// Of the command; `FILE` stands for the path of the file.
    pub arguments: &'static [&'static str],
    /// The name of the file, which tells its kind.
    pub file: &'static str,
    /// The content at a size.
    pub content: fn(usize) -> String,
    /// The smallest size: of it, twice and four times as much is measured.
    pub n: usize,
}
