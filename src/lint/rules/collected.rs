//! What was found, each once, and no more of it than somebody reads.

use std::collections::btree_map::{BTreeMap, Entry};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::lint::finding::{Finding, LeftOut, Severity};
use crate::lint::{Kind, Source};

/// Of a rule so many findings of a severity are kept for a file.
const MOST_OF_A_RULE: usize = 1_000;

/// So many findings are kept altogether.
const MOST: usize = 20_000;

/// Findings, and how many others there are.
#[derive(Debug, Default)]
pub struct Findings {
    /// In the order of files and lines.
    pub kept: Vec<Finding>,
    /// In the order of files and rules.
    pub left_out: Vec<LeftOut>,
}

/// Takes findings as the rules make them.
pub(super) struct Collected<'c> {
    sources: &'c [Source],
    kept: Vec<Finding>,
    /// What was said, with its place among what is kept.
    said: BTreeMap<u64, Option<usize>>,
    /// How many there are of a rule in a file.
    counts: BTreeMap<Key, usize>,
}

impl<'c> Collected<'c> {
    pub(super) fn new(sources: &'c [Source]) -> Self {
        Collected { sources, kept: Vec::new(), said: BTreeMap::new(), counts: BTreeMap::new() }
    }

    /// Takes a finding, unless a comment allows it or it was said before.
    pub(super) fn add(&mut self, finding: Finding) {
        let source = &self.sources[finding.file];
        if source.allows(finding.rule, finding.at.line) {
            return;
        }
        // Dumps are appended to each other, ranks print the same: once is enough.
        let repeats = matches!(source.kind, Kind::Dump | Kind::Log | Kind::EnvFile | Kind::Dotenv);
        let at = Some(finding.at).filter(|_| !repeats);
        let mut hasher = DefaultHasher::new();
        (finding.file, finding.rule, at, &finding.message).hash(&mut hasher);
        let place = match self.said.entry(hasher.finish()) {
            Entry::Vacant(place) => place,
            Entry::Occupied(known) => {
                // It is said of the first place.
                if let Some(known) = known.get().and_then(|known| self.kept.get_mut(known))
                    && finding.at < known.at
                {
                    *self.counts.entry(key(known)).or_default() -= 1;
                    *self.counts.entry(key(&finding)).or_default() += 1;
                    *known = finding;
                }
                return;
            }
        };
        let count = self.counts.entry(key(&finding)).or_default();
        *count += 1;
        if *count > MOST_OF_A_RULE || self.kept.len() >= MOST {
            place.insert(None);
            return;
        }
        place.insert(Some(self.kept.len()));
        self.kept.push(finding);
    }

    pub(super) fn finish(mut self) -> Findings {
        for finding in &self.kept {
            *self.counts.entry(key(finding)).or_default() -= 1;
        }
        let left_out = self.counts.into_iter().filter(|(_, count)| *count > 0);
        let left_out = left_out.map(|((file, rule, severity), count)| LeftOut { file, rule, severity, count });
        self.kept.sort_by_key(|finding| (finding.file, finding.at, std::cmp::Reverse(finding.severity), finding.rule));
        Findings { kept: self.kept, left_out: left_out.collect() }
    }
}

/// File, rule and severity.
type Key = (usize, &'static str, Severity);

fn key(finding: &Finding) -> Key {
    (finding.file, finding.rule, finding.severity)
}
