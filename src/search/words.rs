//! Text -> terms: the same for what is indexed and for what is asked.

use super::tuning::Wording;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Lower case, without connecting characters: `NCCL_IB_HCA` -> `ncclibhca`. Stemmed when it has no pieces.
    pub whole: String,
    /// As written.
    pub written: String,
    /// The stemmed pieces of an identifier or a compound: `nccl`, `ib`, `hca`. Empty for a simple word.
    pub pieces: Vec<String>,
}

/// Splits a text into words. A word is a run of letters and digits that may be joined inside by `_`, `-`, `.` and `/`;
/// it has pieces where it is joined, or where its case changes between pieces of three letters or more (`GPUDirect`, not `RoCE`).
pub fn words(text: &str, wording: Wording) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        rest = &rest[start..];
        let end = word_end(rest);
        words.push(word(&rest[..end], wording));
        rest = &rest[end..];
    }
    words
}

fn word_end(text: &str) -> usize {
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let joins =
            matches!(c, '_' | '-' | '.' | '/') && characters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !c.is_alphanumeric() && !joins {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

fn word(written: &str, wording: Wording) -> Word {
    let stem = |word: &str| if wording.stem { stem(word) } else { word.to_string() };
    let parts: Vec<&str> =
        written.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).flat_map(split_case).collect();
    let lower: Vec<String> = parts.iter().map(|part| part.to_lowercase()).collect();
    if let [single] = &*lower {
        return Word { whole: stem(single), written: written.to_string(), pieces: Vec::new() };
    }
    let pieces = if wording.split { lower.iter().map(|part| stem(part)).collect() } else { Vec::new() };
    Word { whole: lower.concat(), written: written.to_string(), pieces }
}

/// Splits at changes of case, unless a piece would have fewer than three letters.
fn split_case(word: &str) -> Vec<&str> {
    let characters: Vec<(usize, char)> = word.char_indices().collect();
    let mut cuts = vec![0];
    for window in characters.windows(3) {
        let [(_, first), (middle, second), (last, third)] = [window[0], window[1], window[2]];
        if first.is_lowercase() && second.is_uppercase() {
            cuts.push(middle);
        } else if second.is_lowercase() && third.is_uppercase() {
            cuts.push(last);
        } else if first.is_uppercase() && second.is_uppercase() && third.is_lowercase() {
            cuts.push(middle);
        }
    }
    cuts.push(word.len());
    cuts.dedup();
    let pieces: Vec<&str> = cuts.windows(2).map(|cut| &word[cut[0]..cut[1]]).collect();
    if pieces.iter().all(|piece| piece.len() >= 3) { pieces } else { vec![word] }
}

/// A small letter stands before a capital one.
pub fn changes_case(word: &str) -> bool {
    word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Folds the endings that change nothing about the subject: plural, -ing, -ed, final e.
pub fn stem(word: &str) -> String {
    if let Some(number) =
        word.strip_suffix('s').filter(|base| base.len() >= 3 && base.ends_with(|c: char| c.is_ascii_digit()))
    {
        return number.to_string();
    }
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_string();
    }
    let mut word = word;
    if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() >= 3) {
        return format!("{base}y");
    }
    if word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        word = &word[..word.len() - 1];
    }
    for ending in ["ing", "ed"] {
        let Some(base) = word.strip_suffix(ending).filter(|base| base.contains(['a', 'e', 'i', 'o', 'u', 'y'])) else {
            continue;
        };
        let bytes = base.as_bytes();
        let doubled = bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
        if doubled && !base.ends_with(['l', 's', 'e', 'o']) {
            word = &base[..base.len() - 1];
        } else if base.len() > 3 {
            // Of three letters what is left is often another word: `hasing` is no `has`.
            word = base;
        }
        break;
    }
    word.strip_suffix('e').filter(|base| base.len() >= 3).unwrap_or(word).to_string()
}

/// Words of a question that carry no topic: they never decide.
const TOPIC_FREE: &[&str] = &[
    "a",
    "about",
    "actually",
    "after",
    "again",
    "all",
    "already",
    "also",
    "although",
    "always",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "around",
    "as",
    "ask",
    "at",
    "back",
    "be",
    "because",
    "been",
    "before",
    "being",
    "best",
    "better",
    "between",
    "both",
    "but",
    "by",
    "can",
    "cannot",
    "cant",
    "come",
    "comes",
    "could",
    "did",
    "do",
    "does",
    "doesnt",
    "doing",
    "done",
    "dont",
    "down",
    "during",
    "each",
    "else",
    "even",
    "ever",
    "every",
    "everything",
    "explain",
    "few",
    "find",
    "for",
    "from",
    "get",
    "give",
    "go",
    "gone",
    "good",
    "got",
    "had",
    "has",
    "have",
    "having",
    "hello",
    "help",
    "her",
    "here",
    "hi",
    "how",
    "i",
    "if",
    "im",
    "in",
    "instead",
    "into",
    "is",
    "isnt",
    "it",
    "its",
    "ive",
    "just",
    "know",
    "let",
    "like",
    "lot",
    "lots",
    "made",
    "make",
    "makes",
    "many",
    "may",
    "mean",
    "might",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "never",
    "no",
    "not",
    "nothing",
    "now",
    "of",
    "off",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "per",
    "please",
    "really",
    "right",
    "run",
    "same",
    "say",
    "see",
    "set",
    "should",
    "show",
    "so",
    "some",
    "somebody",
    "someone",
    "something",
    "still",
    "such",
    "take",
    "tell",
    "than",
    "thanks",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "this",
    "thos",
    "those",
    "though",
    "to",
    "too",
    "try",
    "two",
    "up",
    "us",
    "use",
    "very",
    "via",
    "want",
    "was",
    "way",
    "we",
    "well",
    "went",
    "were",
    "what",
    "whats",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whos",
    "whose",
    "why",
    "will",
    "with",
    "without",
    "wont",
    "work",
    "would",
    "yes",
    "yet",
    "you",
    "your",
];

/// True for a word that says nothing about the topic.
pub fn is_topic_free(word: &str) -> bool {
    TOPIC_FREE.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<(String, Vec<String>)> {
        words(text, Wording::SHIPPED).into_iter().map(|word| (word.whole, word.pieces)).collect()
    }

    #[test]
    fn identifiers_are_kept_whole_and_split() {
        assert_eq!(split("NCCL_IB_HCA"), [("ncclibhca".into(), vec!["nccl".into(), "ib".into(), "hca".into()])]);
        assert_eq!(split("GPUDirect"), [("gpudirect".into(), vec!["gpu".into(), "direct".into()])]);
        assert_eq!(split("RoCE v2,"), [(stem("roce"), vec![]), ("v2".into(), vec![])]);
        assert_eq!(split("NVLink"), [("nvlink".into(), vec![])]);
        assert_eq!(split("rail-aligned."), [("railaligned".into(), vec!["rail".into(), "align".into()])]);
        assert_eq!(split("- _x_ -"), [("x".into(), vec![])]);
    }

    #[test]
    fn endings_are_folded() {
        for (word, folded) in [
            ("queues", "queue"),
            ("counters", "counter"),
            ("stress", "stress"),
            ("routing", "rout"),
            ("route", "rout"),
            ("dropped", "drop"),
            ("hashing", "hashed"),
            ("drops", "drop"),
            ("retries", "retry"),
            ("falling", "fall"),
            ("ring", "ring"),
            ("4090s", "4090"),
        ] {
            assert_eq!(stem(word), stem(folded), "{word}");
        }
        assert_eq!(stem("dcqcn"), "dcqcn");
    }

    #[test]
    fn the_list_of_topic_free_words_is_sorted() {
        assert!(TOPIC_FREE.is_sorted(), "{:?}", TOPIC_FREE.windows(2).find(|pair| pair[0] > pair[1]));
    }
}
