//! Text that is longer than its reader takes.

use super::clean_line;

/// The most characters of a name that a message quotes.
const LONGEST_NAME: usize = 100;

/// What a message quotes of a caller's words: clean, on one line, and no longer than a name that means something.
pub fn short(text: &str) -> String {
    // Cleaning takes away, or else this would do.
    let start = text.char_indices().nth(4 * LONGEST_NAME).map_or(text, |(end, _)| &text[..end]);
    let clean = clean_line(start);
    match clean.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}...", &clean[..end]),
        None if start.len() < text.len() => format!("{clean}..."),
        None => clean,
    }
}

/// The text up to the last whole paragraph or line that fits into `most` characters, then `more`, which says how to get the rest. What fits stays as
/// it is.
pub fn cut(text: String, most: usize, more: &str) -> String {
    if text.chars().nth(most).is_none() {
        return text;
    }
    let room = most.saturating_sub(more.chars().count() + 40);
    let end = text.char_indices().nth(room).map_or(text.len(), |(end, _)| end);
    let head = &text[..end];
    let end = head.rfind("\n\n").filter(|&at| at > end / 2).or_else(|| head.rfind('\n')).unwrap_or(end);
    let mut out = head[..end].to_string();
    if let Some(fence) = open_fence(&out) {
        out.push_str(&format!("\n{fence}"));
    }
    format!("{out}\n\n(cut here) {more}\n")
}

/// The fence of a code block that is not closed.
fn open_fence(text: &str) -> Option<String> {
    let mut open = 0;
    for line in text.lines() {
        let ticks = line.bytes().take_while(|&byte| byte == b'`').count();
        open = match open {
            0 if ticks >= 3 => ticks,
            length if length > 0 && ticks >= length && line.len() == ticks => 0,
            length => length,
        };
    }
    (open > 0).then(|| "`".repeat(open))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_quotes_is_clean_and_at_most_a_line() {
        assert_eq!(short("dcqcn"), "dcqcn");
        assert_eq!(short("a\u{1b}[31mb\nc"), "ab c");
        assert_eq!(short(&"\u{d55c}".repeat(100)), "\u{d55c}".repeat(100));
        for long in ["x".repeat(101), "\u{d55c}".repeat(1 << 20), "\u{1b}[1m".repeat(1000) + "x"] {
            let short = short(&long);
            assert!(short.ends_with("...") && short.chars().count() <= 103, "{short}");
        }
    }

    #[test]
    fn what_is_too_long_ends_with_a_whole_line_and_says_so() {
        assert_eq!(cut("a\nb\n".to_string(), 4, "more"), "a\nb\n");
        let long = format!("````text\n{}", "a line of text\n".repeat(3000));
        for most in [100, 1000, 10_000] {
            let short = cut(long.clone(), most, "call again");
            assert!(short.chars().count() <= most, "{}", short.chars().count());
            assert!(short.ends_with("of text\n````\n\n(cut here) call again\n"), "{short}");
        }
        let korean = cut("\u{d55c}".repeat(500), 100, "more");
        assert!(korean.chars().count() <= 100 && korean.ends_with("(cut here) more\n"));
    }
}
