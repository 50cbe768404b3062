//! A cheap filter before edit distances.

/// Which letters stand in a word, and its length: words that differ much in these are not similar.
#[derive(Clone, Copy)]
pub struct Shape {
    letters: u32,
    length: u8,
}

/// The bytes of an encoded shape.
pub const SHAPE_BYTES: usize = 5;

impl Shape {
    /// The shape of a word.
    pub fn of(word: &str) -> Self {
        let letters = word.bytes().fold(0, |letters, byte| letters | 1 << (byte & 31));
        Shape { letters, length: word.len().min(255) as u8 }
    }

    /// As it is stored.
    pub fn to_bytes(self) -> [u8; SHAPE_BYTES] {
        let [a, b, c, d] = self.letters.to_le_bytes();
        [a, b, c, d, self.length]
    }

    /// Whether a stored shape may be so many edits away. An edit changes the length by one, and adds a letter and takes one away at most.
    pub fn is_similar(self, bytes: &[u8], edits: u32) -> bool {
        let letters = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        u32::from(self.length.abs_diff(bytes[4])) <= edits && (letters ^ self.letters).count_ones() <= 2 * edits
    }
}
