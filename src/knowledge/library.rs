//! Everything that rdmanav knows, ready to be looked up.

use super::model::{Flow, Part, Profile, Section, Source, Variable};
use super::records::Records;

/// The knowledge: all entries by kind. Cheap to copy; nothing is decoded until it is asked for.
#[derive(Clone, Copy)]
pub struct Library<'a> {
    pub sections: Records<'a, Section<'a>>,
    pub flows: Records<'a, Flow<'a>>,
    pub profiles: Records<'a, Profile<'a>>,
    pub variables: Records<'a, Variable<'a>>,
    pub sources: Records<'a, Source<'a>>,
}

/// The section under which variables are found and linked: `nccl-env#NCCL_IB_TC`.
pub const VARIABLE_SECTION: &str = "nccl-env";

/// The newest NCCL release whose source was read.
pub const NCCL_RELEASE: &str = "2.30.7";

impl<'a> Library<'a> {
    /// The part of a section; the empty id is its opening.
    pub fn part(&self, section: &str, part: &str) -> Option<(Section<'a>, Part<'a>)> {
        let section = self.sections.find(section)?;
        let part = section.parts.iter().find(|candidate| candidate.id == part)?.clone();
        Some((section, part))
    }

    /// The latest review date of any section, `YYYY-MM-DD`.
    pub fn reviewed(&self) -> &'a str {
        self.sections
            .iter()
            .map(|section| section.reviewed)
            .max()
            .unwrap_or("never")
    }
}
