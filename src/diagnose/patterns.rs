//! The signatures, ready to be found in lines.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::text::INTERRUPTIONS;
use crate::knowledge::Library;
use crate::knowledge::signature;

/// An automaton over the longest literal text of each pattern; what it finds is then checked as a whole.
pub struct Patterns<'a> {
    automaton: AhoCorasick,
    /// Its texts.
    anchors: Vec<&'a str>,
    entries: Vec<Pattern<'a>>,
    /// Anchor -> places of the patterns that have it.
    by_anchor: Vec<Vec<usize>>,
}

struct Pattern<'a> {
    /// The number of its signature.
    signature: usize,
    /// The literal texts between the gaps.
    texts: Vec<&'a str>,
    /// The names of the gaps, one after each text but the last.
    gaps: Vec<&'a str>,
    /// Letters of all texts: the more, the more special.
    length: usize,
}

/// What else makes a line worth a look: NCCL's own lines, launchers, the ends of processes, RAS.
const MARKS: [&str; 21] = [
    "NCCL",
    "nccl",
    "export ",
    " -x ",
    "Missing communicator data from",
    "Segmentation fault",
    "Caught signal 11",
    "exitcode: -",
    "exitcode  : -",
    "core dumped",
    "SIGSEGV",
    "Out of memory: Killed process",
    "oom-kill:",
    "CUDA out of memory",
    "CUDA error: out of memory",
    "Watchdog",
    "\x1b[",
    "^C",
    "# nThread ",
    "#wrong",
    "# Avg bus bandwidth",
];

/// A signature found in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The number of the signature.
    pub signature: usize,
    /// What stands in the named gaps.
    pub values: Vec<String>,
}

impl<'a> Patterns<'a> {
    /// Builds the automaton.
    pub fn new(library: &Library<'a>) -> Self {
        let mut patterns = Vec::new();
        for (signature, entry) in library.signatures.iter().enumerate() {
            patterns.extend(entry.patterns.iter().map(|pattern| Pattern::new(signature, pattern.text)));
        }
        let mut anchors: Vec<&'a str> = Vec::new();
        let mut by_anchor: Vec<Vec<usize>> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for (place, pattern) in patterns.iter().enumerate() {
            let anchor = pattern.texts.iter().max_by_key(|text| text.len()).copied().unwrap_or_default();
            let number = *places.entry(anchor).or_insert_with(|| {
                anchors.push(anchor);
                by_anchor.push(Vec::new());
                anchors.len() - 1
            });
            by_anchor[number].push(place);
        }
        // The marks come last: what is found of them is no anchor.
        anchors.extend(MARKS);
        anchors.extend(INTERRUPTIONS);
        let automaton = automaton(&anchors, AhoCorasickKind::ContiguousNFA);
        Patterns { automaton, anchors, entries: patterns, by_anchor }
    }

    /// Rebuilds the automaton in the form that takes longer to build and less to run.
    pub fn prepare_for_much(&mut self) {
        self.automaton = automaton(&self.anchors, AhoCorasickKind::DFA);
    }

    /// True when a line holds a signature's text or something else that says anything of the job.
    pub fn is_relevant(&self, line: &[u8]) -> bool {
        self.automaton.is_match(line)
    }

    /// The most special pattern that a line holds. Where an anchor stands a second time the same patterns would be tried with the same result: each is tried once.
    pub fn find(&self, text: &str) -> Option<Hit> {
        let mut best: Option<(usize, Hit)> = None;
        let mut tried = Tried::default();
        for found in self.automaton.find_overlapping_iter(text) {
            let anchor = found.pattern().as_usize();
            let Some(places) = self.by_anchor.get(anchor).filter(|_| tried.is_new(anchor)) else { continue };
            for pattern in places.iter().map(|&place| &self.entries[place]) {
                if best.as_ref().is_some_and(|(length, _)| *length >= pattern.length) {
                    continue;
                }
                if let Some(values) = pattern.values(text) {
                    best = Some((pattern.length, Hit { signature: pattern.signature, values }));
                }
            }
        }
        best.map(|(_, hit)| hit)
    }
}

/// So many different anchors of a line are tried. Lines of real logs hold a handful; without a bound, the time for a line would grow as its length times the patterns in it.
const MOST_TRIED: usize = 64;

/// The anchors of a line whose patterns were tried.
#[derive(Default)]
struct Tried(Vec<usize>);

impl Tried {
    fn is_new(&mut self, anchor: usize) -> bool {
        let is_new = self.0.len() < MOST_TRIED && !self.0.contains(&anchor);
        if is_new {
            self.0.push(anchor);
        }
        is_new
    }
}

fn automaton(texts: &[&str], kind: AhoCorasickKind) -> AhoCorasick {
    let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).kind(Some(kind)).build(texts);
    automaton.expect("a thousand short texts fit")
}

impl<'a> Pattern<'a> {
    fn new(number: usize, text: &'a str) -> Self {
        let (texts, gaps) = signature::split(text);
        let length = texts.iter().map(|text| text.len()).sum();
        Pattern { signature: number, texts, gaps, length }
    }

    /// What stands in the named gaps, when the texts stand in the line in their order.
    fn values(&self, line: &str) -> Option<Vec<String>> {
        let mut values = Vec::new();
        let mut at = 0;
        for (number, text) in self.texts.iter().enumerate() {
            let found = line[at..].find(text)?;
            if let Some(gap) = number.checked_sub(1).map(|before| self.gaps[before])
                && !gap.is_empty()
            {
                let end = if text.is_empty() { line.len() } else { at + found };
                values.push(line[at..end].to_string());
            }
            at += found + text.len();
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_special_signature_is_found() {
        let library = crate::library();
        let patterns = Patterns::new(&library);
        let find = |line: &str| patterns.find(line).map(|hit| library.signatures.key(hit.signature));
        assert_eq!(find("NET/IB : No device found."), Some("ib-no-device"));
        assert_eq!(find("Using network Socket"), Some("using-network-socket"));
        assert_eq!(find("Using network IB"), Some("using-network"));
        assert_eq!(find("step 1190 loss 2.40"), None);
        let line = "NET/IB : Got completion from peer 192.0.2.81<37948> with error 12, opcode 2, len 1, vendor err 129";
        assert_eq!(patterns.find(line).unwrap().values, ["12"]);
    }
}
