//! Lines that show something.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// More hosts, ranks or events than this are counted, not kept.
pub const MOST_KEPT: usize = 4096;

/// More ranks than any job has: a log that names more does not fill the memory.
pub const MOST_RANKS: usize = 1 << 20;

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The place of the file among the inputs.
    pub file: usize,
    /// Counted from 1.
    pub line: usize,
}

/// A line that shows something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Evidence {
    pub place: Place,
    /// The line, cleaned, shortened.
    pub text: String,
    /// Its place in the order of reading.
    pub order: usize,
    /// The time of day that it was printed, as a number that grows: `20250602101431`. None where the line has none.
    #[serde(default)]
    pub time: Option<u64>,
}

impl Evidence {
    /// It was printed before the other, as far as one can tell: by the times of day, else in one file by the order of lines. None for
    /// two files without times.
    pub fn is_before(&self, other: &Evidence) -> Option<bool> {
        match (self.time, other.time) {
            (Some(own), Some(others)) if own != others => Some(own < others),
            _ if self.place.file == other.place.file => Some(self.order < other.order),
            _ => None,
        }
    }
}

/// How often something was seen, and where first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seen {
    pub count: usize,
    pub first: Evidence,
    pub hosts: BTreeSet<String>,
    pub ranks: BTreeSet<u32>,
}

impl Seen {
    /// Seen for the first time; not yet counted.
    pub fn first(evidence: Evidence) -> Self {
        Seen { count: 0, first: evidence, hosts: BTreeSet::new(), ranks: BTreeSet::new() }
    }

    /// Counts one more.
    pub fn add(&mut self, host: Option<String>, rank: Option<u32>) {
        self.count += 1;
        if self.hosts.len() < MOST_KEPT {
            self.hosts.extend(host);
        }
        if self.ranks.len() < MOST_KEPT {
            self.ranks.extend(rank);
        }
    }

    /// Counts what another log saw of the same. All of its hosts are kept: a merged job has as many as were given.
    pub fn merge(&mut self, other: Seen) {
        self.count = self.count.saturating_add(other.count);
        self.hosts.extend(other.hosts);
        self.ranks.extend(other.ranks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_decide_before_the_order_of_files() {
        let line = |file, order, time| Evidence { place: Place { file, line: 1 }, text: String::new(), order, time };
        assert_eq!(line(0, 1, None).is_before(&line(0, 2, None)), Some(true));
        assert_eq!(line(0, 1, None).is_before(&line(1, 2, None)), None);
        assert_eq!(line(0, 1, Some(9)).is_before(&line(1, 2, Some(8))), Some(false));
        assert_eq!(line(0, 1, Some(8)).is_before(&line(1, 2, Some(8))), None);
    }
}
