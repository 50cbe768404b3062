//! Sections -> the bytes of a library. Used by the build, and for what packs change.

use crate::knowledge::directory::SectionFile;
use crate::knowledge::model::{Section, StoredPart};
use crate::knowledge::{Library, records};
use crate::render;

/// Sections, their parts and texts, as [`Library`] holds them.
pub struct Encoded {
    pub sections: Vec<u8>,
    pub parts: Vec<u8>,
    pub texts: String,
}

/// Encodes sorted sections. Of a part without markdown it is made; `library` holds what the bodies refer to: flows and sources.
pub fn sections(files: &[SectionFile<'_>], library: &Library<'_>) -> Encoded {
    let mut sections = Vec::new();
    let mut parts = Vec::new();
    let mut texts = String::new();
    for file in files {
        let (first_part, part_count) = (parts.len() as u16, file.parts.len() as u16);
        sections.push(Section { first_part, part_count, ..file.section.clone() });
        for part in &file.parts {
            let mut place = |text: &str| {
                let start = texts.len() as u32;
                texts.push_str(text);
                (start, texts.len() as u32)
            };
            let body = place(part.body);
            let markdown = if part.markdown.is_empty() {
                place(&render::markdown::markdown(part.body, library))
            } else {
                place(part.markdown)
            };
            parts.push(StoredPart { id: part.id, heading: &part.heading, issue: part.issue, body, markdown });
        }
    }
    Encoded { sections: records::encode(&sections), parts: records::encode(&parts), texts }
}
