//! Citations: numbers in the text, the sources at the end.

use crate::knowledge::claims::LABELS;
use crate::knowledge::{Library, Source};

/// Numbers the sources of a document in the order in which they are cited.
#[derive(Default)]
pub struct Citations<'a> {
    sources: Vec<Source<'a>>,
}

/// What stands in the text for a footnote.
pub enum Mark {
    /// The number of a source.
    Number(usize),
    /// A label such as "derived".
    Label(&'static str),
}

impl<'a> Citations<'a> {
    /// The mark for a footnote; `None` for an id that is no source.
    pub fn mark(&mut self, id: &str, library: &Library<'a>) -> Option<Mark> {
        if let Some(label) = LABELS.iter().position(|label| *label == id) {
            return Some(Mark::Label(["derived", "one setup"][label]));
        }
        if let Some(known) = self.sources.iter().position(|source| source.id == id) {
            return Some(Mark::Number(known + 1));
        }
        self.sources.push(library.sources.find(id)?);
        Some(Mark::Number(self.sources.len()))
    }

    /// The address of the source of this number.
    pub fn url(&self, number: usize) -> Option<String> {
        self.sources.get(number.checked_sub(1)?).map(Source::url)
    }

    /// Number, title, address.
    pub fn list(&self) -> impl Iterator<Item = (usize, &str, String)> {
        self.sources.iter().zip(1..).map(|(source, number)| (number, source.title, source.url()))
    }

    /// As [`Citations::list`], in one text a source.
    pub fn titles_and_addresses(&self) -> Vec<(usize, String)> {
        self.list().map(|(number, title, url)| (number, [title, ", ", &url].concat())).collect()
    }

    /// Number and place.
    pub fn places(&self) -> Vec<(usize, String)> {
        self.sources.iter().zip(1..).map(|(source, number)| (number, source.place.to_string())).collect()
    }
}
