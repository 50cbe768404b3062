//! An answer -> text. Answers are documents in rdmanav's markdown dialect (`docs/content-guide.md`) with citations and flows
//! still by id; this room turns them into what a pipe gets ([`markdown()`]) or what a terminal shows ([`terminal`]).
//!
//! Layers of the terminal half: markdown events -> blocks ([`blocks`]) -> lines of styled spans ([`layout`], [`table`], [`flow`], all on
//! [`lines`]) -> text ([`paint`], with the colours of [`theme`]). Nothing here reads the environment or the terminal: options in, text out.

pub mod ascii;
pub mod blocks;
pub mod citations;
pub mod clean;
pub mod cut;
pub mod diagram;
pub mod flow;
pub mod layout;
pub mod lines;
pub mod markdown;
pub mod options;
pub mod paint;
pub mod table;
pub mod theme;
pub mod tokens;

pub use clean::{clean, clean_json, clean_line, code, fenced, foreign, foreign_word, untrusted};
pub use cut::{cut, short};
pub use markdown::{compact, compact_apart, markdown};
pub use options::Options;
pub use paint::{Paint, terminal};
pub use theme::Theme;
