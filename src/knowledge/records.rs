//! Records: entries of one kind, encoded one after the other, read in place.
//!
//! Nothing is decoded until an entry is asked for, and text stays where it is: a static array of bytes costs nothing
//! when the program is loaded, unlike tables of string slices, each of which needs a relocation (`docs/performance.md`).
//!
//! Layout, integers little-endian: number of entries `n` as `u32`; `n + 1` offsets as `u32` from the start of the data;
//! the data, each entry in postcard's encoding.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

/// Entries of the type `T`, sorted by their first field, which is a string.
pub struct Records<'a, T> {
    bytes: &'a [u8],
    entries: PhantomData<fn() -> T>,
}

impl<T> Clone for Records<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Records<'_, T> {}

impl<'a, T: Deserialize<'a>> Records<'a, T> {
    /// Reads records that [`encode`] wrote.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, entries: PhantomData }
    }

    /// The number of entries.
    pub fn len(self) -> usize {
        if self.bytes.is_empty() { 0 } else { word(self.bytes, 0) }
    }

    /// True when there is no entry.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The entry at `index`, which must be below [`len`](Self::len).
    pub fn get(self, index: usize) -> T {
        postcard::from_bytes(self.data(index)).expect("records are written by the encoder of the same build")
    }

    /// The first fields of the entry at `index`, which must be those of `H`.
    pub fn head<H: Deserialize<'a>>(self, index: usize) -> H {
        postcard::take_from_bytes(self.data(index)).expect("a head is the beginning of its entry").0
    }

    /// The key of the entry at `index`: its first field.
    pub fn key(self, index: usize) -> &'a str {
        postcard::take_from_bytes(self.data(index)).expect("each entry starts with its key").0
    }

    /// The key as bytes: comparing needs no check for UTF-8.
    fn key_bytes(self, index: usize) -> &'a [u8] {
        postcard::take_from_bytes(self.data(index)).expect("text is encoded as its bytes").0
    }

    /// The place of the entry with this key.
    pub fn position(self, key: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.key_bytes(middle).cmp(key.as_bytes()) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The entry with this key.
    pub fn find(self, key: &str) -> Option<T> {
        self.position(key).map(|index| self.get(index))
    }

    /// All entries in the order of their keys.
    pub fn iter(self) -> impl Iterator<Item = T> {
        (0..self.len()).map(move |index| self.get(index))
    }

    /// All keys in their order.
    pub fn keys(self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(move |index| self.key(index))
    }

    fn data(self, index: usize) -> &'a [u8] {
        let start = 4 * (self.len() + 2);
        &self.bytes[start + word(self.bytes, 1 + index)..start + word(self.bytes, 2 + index)]
    }
}

fn word(bytes: &[u8], index: usize) -> usize {
    u32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes")) as usize
}

/// Encodes entries, which must be sorted by their first field.
pub fn encode<T: Serialize>(entries: &[T]) -> Vec<u8> {
    let encoded: Vec<Vec<u8>> =
        entries.iter().map(|entry| postcard::to_allocvec(entry).expect("plain data can be encoded")).collect();
    let mut bytes = (entries.len() as u32).to_le_bytes().to_vec();
    let mut offset = 0u32;
    bytes.extend(offset.to_le_bytes());
    for entry in &encoded {
        offset += entry.len() as u32;
        bytes.extend(offset.to_le_bytes());
    }
    bytes.extend(encoded.concat());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_key_and_borrow_their_text() {
        let entries = [("a", "one"), ("b", "two"), ("d", "four")];
        let bytes = encode(&entries);
        let records = Records::<(&str, &str)>::new(&bytes);
        assert_eq!(records.len(), 3);
        assert_eq!(records.find("b"), Some(("b", "two")));
        assert_eq!(records.find("c"), None);
        assert_eq!(records.iter().collect::<Vec<_>>(), entries);
        assert_eq!(records.keys().collect::<String>(), "abd");
    }

    #[test]
    fn no_bytes_are_no_entries() {
        let records = Records::<(&str, &str)>::new(&[]);
        assert!(records.is_empty());
        assert_eq!(records.find("a"), None);
    }
}
