//! How many tokens a text costs a model, estimated.
//!
//! Real tokenizers need vocabularies of megabytes. They all cut a text at the same kind of places, though, so the pieces of a text tell
//! the count well: each kind of piece has a cost, fitted once on the content so that nearly no text costs more than estimated under
//! `o200k_base` and `cl100k_base`. `tests/agent/tokens.rs` holds the bound.

/// The name of the method, for answers that carry such a number.
pub const METHOD: &str = "estimate; o200k_base and cl100k_base count at most 2 % more";

/// The kinds of pieces.
const KINDS: usize = 17;

/// What the pieces of each kind cost, in the order of [`count`]: the least sum over all parts, variables, flows and logs of the tests under
/// which none of them costs more than estimated (a linear program). Kinds that hardly stand there have a cost by hand.
const COSTS: [f32; KINDS] =
    [1.03, 0.06, 0.1, 0.58, 0.06, 0.12, 1.03, 0.13, 1.46, 0.79, 1.79, 1.13, 0.1, 1.81, 0.14, 0.9, 1.0];

/// The estimated number of tokens of a text. Adds up: that of two lines is that of the first and the second, rounding aside.
pub fn estimate(text: &str) -> usize {
    exact(text).ceil() as usize
}

/// The estimate before it is rounded.
pub fn exact(text: &str) -> f32 {
    pieces(text).iter().zip(COSTS).map(|(count, cost)| count * cost).sum()
}

/// What a character is to a tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Space,
    Newline,
    Punctuation,
    /// Lines and arrows of drawn flows.
    Drawn,
    Hangul,
    Other,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        ' ' | '\t' => Class::Space,
        '\n' | '\r' => Class::Newline,
        '!'..='~' => Class::Punctuation,
        '\u{2500}'..='\u{25ff}' => Class::Drawn,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => Class::Hangul,
        _ => Class::Other,
    }
}

/// Counts the pieces of a text by kind.
fn pieces(text: &str) -> [f32; KINDS] {
    let mut counts = [0.0; KINDS];
    let mut characters = text.chars().peekable();
    let mut before = Class::Newline;
    while let Some(first) = characters.next() {
        let mut kind = class(first);
        let (mut length, mut changes, mut last) = (1, 0, first);
        // One capital letter belongs to the small ones behind it.
        if kind == Class::Upper && characters.peek().is_some_and(|&next| class(next) == Class::Lower) {
            kind = Class::Lower;
        }
        while let Some(next) = characters.next_if(|&next| class(next) == kind) {
            changes += i32::from(next != last);
            length += 1;
            last = next;
        }
        count(&mut counts, kind, before, length, changes);
        before = kind;
    }
    counts
}

/// Adds one piece: `length` characters, of which `changes` differ from the one before them.
fn count(counts: &mut [f32; KINDS], kind: Class, before: Class, length: i32, changes: i32) {
    let length = length as f32;
    let starts = matches!(before, Class::Space | Class::Newline);
    match kind {
        Class::Lower if starts => {
            counts[0] += 1.0;
            counts[1] += (length - 5.0).clamp(0.0, 4.0);
            counts[2] += (length - 9.0).max(0.0);
        }
        Class::Lower => {
            counts[3] += 1.0;
            counts[4] += (length - 3.0).clamp(0.0, 4.0);
            counts[5] += (length - 7.0).max(0.0);
        }
        Class::Upper => {
            counts[6] += 1.0;
            counts[7] += (length - 2.0).max(0.0);
        }
        Class::Digit => counts[8] += (length / 3.0).ceil(),
        // One space belongs to the word behind it.
        Class::Space => counts[9] += f32::from(length > 1.0),
        Class::Newline => counts[10] += 1.0,
        Class::Punctuation => {
            counts[11] += 1.0;
            counts[12] += changes as f32;
        }
        Class::Drawn => {
            counts[13] += 1.0;
            counts[14] += length - 1.0;
        }
        Class::Hangul => counts[15] += length,
        Class::Other => counts[16] += length,
    }
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn nothing_costs_nothing_and_more_text_costs_no_less() {
        assert_eq!(estimate(""), 0);
        let text = "NCCL_IB_TIMEOUT=22 \u{1b}[31m한국어 \u{2500}\u{2500} |---| 0x1f\r\n\t{}";
        let mut last = 0;
        for (end, _) in text.char_indices() {
            let cost = estimate(&text[..end]);
            assert!(cost >= last, "{:?}", &text[..end]);
            last = cost;
        }
    }

    #[test]
    fn the_estimate_adds_up_over_lines() {
        let (first, second) = ("## NCCL_IB_TC (traffic class)\n", "It is 0 by default. [^1]\n");
        let sum = estimate(first) + estimate(second);
        assert!((sum - 1..=sum).contains(&estimate(&[first, second].concat())));
    }
}
