//! How text is laid out.

/// How a terminal is written to.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Columns.
    pub width: usize,
    /// With styles, that is with escape sequences.
    pub styled: bool,
    /// Lines and arrows in ASCII only.
    pub ascii: bool,
}
