//! Everything that rdmanav knows, ready to be looked up.

use serde::{Deserialize, Serialize};

use super::model::{Flow, Other, Part, Profile, Section, SectionHead, Signature, Source, StoredPart, Variable};
use super::records::Records;

/// The knowledge: all entries by kind. Cheap to copy; nothing is decoded until it is asked for.
#[derive(Clone, Copy)]
pub struct Library<'a> {
    pub sections: Records<'a, Section<'a>>,
    /// The parts of all sections, in the order of the sections; not sorted by key.
    pub stored_parts: Records<'a, StoredPart<'a>>,
    /// The texts of all parts.
    pub texts: &'a str,
    pub flows: Records<'a, Flow<'a>>,
    pub profiles: Records<'a, Profile<'a>>,
    pub variables: Records<'a, Variable<'a>>,
    /// Names that people set and that core NCCL does not read.
    pub others: Records<'a, Other<'a>>,
    pub sources: Records<'a, Source<'a>>,
    /// What logs say.
    pub signatures: Records<'a, Signature<'a>>,
    /// The packs that were laid over it, by name.
    pub packs: Records<'a, PackEntry<'a>>,
    /// What is from a pack, as [`Library::origin`] names it -> the name of the pack.
    pub origins: Records<'a, (&'a str, &'a str)>,
}

/// A pack that was laid over a library.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PackEntry<'a> {
    pub name: &'a str,
    pub title: &'a str,
    /// Where it was read from.
    pub directory: &'a str,
    /// What it has, in words.
    pub holds: &'a str,
}

/// The section under which variables are found and linked: `nccl-env#NCCL_IB_TC`.
pub const VARIABLE_SECTION: &str = "nccl-env";

/// The newest NCCL release whose source was read.
pub const NCCL_RELEASE: &str = "2.30.7";

impl<'a> Library<'a> {
    /// Nothing.
    pub const EMPTY: Library<'a> = Library {
        sections: Records::new(&[]),
        stored_parts: Records::new(&[]),
        texts: "",
        flows: Records::new(&[]),
        profiles: Records::new(&[]),
        variables: Records::new(&[]),
        others: Records::new(&[]),
        sources: Records::new(&[]),
        signatures: Records::new(&[]),
        packs: Records::new(&[]),
        origins: Records::new(&[]),
    };

    /// The name of the pack that something is from; none for what is embedded. Names are `dcqcn` and `dcqcn#part` for sections and
    /// parts, `flow ID`, `profile ID`, `variable NAME`, `source ID`, `signature ID`.
    pub fn origin(&self, name: &str) -> Option<&'a str> {
        self.origins.find(name).map(|(_, pack)| pack)
    }

    /// The pack that a part is from, or its whole section; the empty part is the opening.
    pub fn origin_of_part(&self, section: &str, part: &str) -> Option<&'a str> {
        let own = if part.is_empty() { None } else { self.origin(&[section, "#", part].concat()) };
        own.or_else(|| self.origin(section))
    }

    /// The head of the section at `index`.
    pub fn section_head(&self, index: usize) -> SectionHead<'a> {
        self.sections.head(index)
    }

    /// The part at `place` among all parts.
    pub fn part(&self, place: usize) -> Part<'a> {
        let stored = self.stored_parts.get(place);
        let text = |(start, end): (u32, u32)| &self.texts[start as usize..end as usize];
        Part {
            id: stored.id,
            heading: stored.heading.into(),
            issue: stored.issue,
            body: text(stored.body),
            markdown: text(stored.markdown),
        }
    }

    /// The parts of a section, its opening first.
    pub fn parts(&self, section: &Section<'a>) -> impl Iterator<Item = Part<'a>> {
        let first = usize::from(section.first_part);
        (first..first + usize::from(section.part_count)).map(|place| self.part(place))
    }

    /// True when there is such a part; the empty id is the opening.
    pub fn has_part(&self, section: &str, part: &str) -> bool {
        self.sections.find(section).is_some_and(|section| self.parts(&section).any(|candidate| candidate.id == part))
    }

    /// The latest review date of any section that is not from a pack, `YYYY-MM-DD`.
    pub fn reviewed(&self) -> &'a str {
        let ours = self.sections.iter().filter(|section| self.origin(section.id).is_none());
        ours.map(|section| section.reviewed).max().unwrap_or("never")
    }
}
