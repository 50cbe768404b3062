//! Columns: how many characters stand in front of a byte, at the same cost wherever in a line that may be as long as a file.

/// How many characters stand in front of each place of a text.
#[derive(Clone, Debug, Default)]
pub(super) enum Characters {
    /// Each byte is one.
    #[default]
    Bytes,
    /// In front of each block of bytes.
    Blocks(Vec<u32>),
}

/// So many bytes are counted for a place, at most.
const BLOCK: usize = 256;

impl Characters {
    pub(super) fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Characters::Bytes;
        }
        let mut before = 0;
        let mut blocks = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            before += count(block) as u32;
            blocks.push(before);
        }
        Characters::Blocks(blocks)
    }

    /// The number of characters in front of an offset; of the text that this was made of. Inside of a character it is that in front of it.
    pub(super) fn before(&self, text: &str, offset: usize) -> usize {
        let offset = text.floor_char_boundary(offset);
        match self {
            Characters::Bytes => offset,
            Characters::Blocks(blocks) => {
                let block = offset / BLOCK;
                blocks[block] as usize + count(&text.as_bytes()[block * BLOCK..offset])
            }
        }
    }

    /// The offset of the character with so many in front of it; the end of the text where there is none.
    pub(super) fn offset(&self, text: &str, characters: usize) -> usize {
        match self {
            Characters::Bytes => characters.min(text.len()),
            Characters::Blocks(blocks) => {
                let block = blocks.partition_point(|before| *before as usize <= characters) - 1;
                let start = (block * BLOCK).min(text.len());
                let left = characters - blocks[block] as usize;
                let mut starts = text.as_bytes()[start..].iter().enumerate().filter(|(_, byte)| is_start(**byte));
                starts.nth(left).map_or(text.len(), |(at, _)| start + at)
            }
        }
    }
}

fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| is_start(**byte)).count()
}

/// A character begins with this byte.
fn is_start(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_counting_from_the_beginning() {
        for text in ["", "abc", "aä\u{1f600}b", &"aä\u{1f600}".repeat(300), &"ä".repeat(BLOCK), &"x".repeat(3 * BLOCK)]
        {
            let characters = Characters::of(text);
            for (number, (at, c)) in text.char_indices().enumerate() {
                assert_eq!(characters.offset(text, number), at);
                for inside in 0..c.len_utf8() {
                    assert_eq!(characters.before(text, at + inside), number, "{at}");
                }
            }
            let all = text.chars().count();
            assert_eq!(characters.before(text, text.len()), all);
            assert_eq!((characters.offset(text, all), characters.offset(text, all + 9)), (text.len(), text.len()));
        }
    }
}
