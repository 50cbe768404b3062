//! What failed, as lines of NCCL, of frameworks and of launchers tell it.

use super::{Completion, Died, Evidence, Job, TimedOut};
use crate::diagnose::evidence::{MOST_KEPT, Seen};
use crate::diagnose::line::{Level, Line};
use crate::diagnose::text::{after, completion_status, death, digits, is_interrupted, is_plugin_failure};

/// So many different warnings that no signature knows are kept.
const MOST_UNKNOWN: usize = 64;

impl Job {
    /// A line that NCCL did not print.
    pub(super) fn other_program(&mut self, line: &Line<'_>, evidence: impl Fn() -> Evidence) {
        let text = line.whole;
        if self.reading.completed && !text.trim().is_empty() {
            self.progress += 1;
        }
        self.results(text, &evidence);
        if self.interrupted.is_none() && is_interrupted(text) {
            self.interrupted = Some(evidence());
        }
        if let Some((death, whom)) = death(text)
            && self.died.len() < MOST_KEPT
        {
            let whom = line.rank.map_or(whom, |rank| format!("rank {rank}"));
            self.died.push(Died { death, whom, evidence: evidence() });
        }
        if text.contains("Missing communicator data from") || text.contains("Rank ") {
            self.unanswered(text, evidence());
        } else if !text.trim().is_empty() {
            self.reading.in_unanswered = false;
        }
        if text.contains("NCCL_") && (text.contains("export ") || text.contains("-x ")) {
            for word in text.split_whitespace().filter(|word| word.starts_with("NCCL_")) {
                let Some((name, value)) = word.split_once('=') else { continue };
                if self.launched_with.len() < MOST_KEPT {
                    self.launched_with.insert(name.to_string(), (value.trim_matches('"').to_string(), evidence()));
                }
            }
        }
    }

    /// `Rank 8 -- GPU 0 managed by process 60004 on node 198.51.100.13`, below a line that says that data is missing.
    fn unanswered(&mut self, text: &str, evidence: Evidence) {
        if text.contains("Missing communicator data from") {
            self.reading.in_unanswered = true;
        } else if let Some(rank) = after(text, "Rank ").and_then(digits).filter(|_| self.reading.in_unanswered)
            && text.contains("managed by process")
            && self.unanswered.len() < MOST_KEPT
        {
            let whom = after(text, "managed by ").unwrap_or_default().trim().to_string();
            self.unanswered.push((rank, whom, evidence));
        }
    }

    /// A row of nccl-tests: two blocks that end with the number of wrong elements.
    fn results(&mut self, text: &str, evidence: &impl Fn() -> Evidence) {
        if text.contains("#wrong") {
            self.reading.in_results = true;
        } else if text.contains("# Out of bounds values") || text.contains("# Avg bus bandwidth") {
            self.reading.in_results = false;
        } else if self.reading.in_results {
            let words: Vec<&str> = text.split_whitespace().collect();
            let [.., wrong_apart, _, _, _, wrong_in_place] = words[..] else { return };
            let is_wrong = |word: &str| word.parse::<u64>().is_ok_and(|number| number > 0);
            if words.len() >= 13 && (is_wrong(wrong_apart) || is_wrong(wrong_in_place)) {
                self.wrong_results.get_or_insert_with(|| (0, evidence())).0 += 1;
            }
        }
    }

    /// An error, or what explains one, in a line of NCCL.
    pub(super) fn error(&mut self, line: &Line<'_>, evidence: &Evidence) {
        let text = line.text;
        let host = || line.host.unwrap_or("").to_string();
        if text.contains("Got completion") {
            let status = completion_status(text);
            let vendor = after(text, "vendor err ").or_else(|| after(text, "vendor_err=")).and_then(digits);
            if let Some(status) = status.filter(|_| self.completions.len() < MOST_KEPT) {
                let nic = after(text, " hca ").and_then(|rest| rest.split_whitespace().next()).map(str::to_string);
                self.completions.push(Completion { status, vendor, host: host(), nic, evidence: evidence.clone() });
            }
        } else if text.contains("port error") && text.contains("event") {
            if self.port_errors.len() < MOST_KEPT {
                self.port_errors.push((host(), evidence.clone()));
            }
        } else if let Some(rest) = after(text, "onnect to ").filter(|_| line.level == Some(Level::Warn)) {
            let address = rest.split(['<', ' ']).next().unwrap_or_default();
            if self.connects.len() < MOST_KEPT && !address.is_empty() {
                self.connects.push((host(), address.to_string(), evidence.clone()));
            }
        } else if text.contains("ibv_modify_qp failed") && line.level == Some(Level::Warn) {
            if self.modify_qp.len() < MOST_KEPT {
                self.modify_qp.push((host(), evidence.clone()));
            }
        } else if self.plugin_failed.is_none() && is_plugin_failure(text, line.level) {
            self.plugin_failed = Some(evidence.clone());
        } else if text.contains("GPU Direct RDMA Disabled for GPU")
            && text.contains("distance")
            && self.far.len() < MOST_KEPT
        {
            self.far.entry(host()).or_insert_with(|| evidence.clone());
        }
    }

    /// A watchdog of the framework gave up.
    pub(super) fn watchdog(&mut self, line: &Line<'_>, evidence: &Evidence) {
        let Some(work) = after(line.whole, "WorkNCCL(").filter(|_| line.whole.contains("Watchdog")) else { return };
        let field = |name: &str| after(work, name).and_then(|rest| rest.split([',', ')']).next());
        let (Some(sequence), Some(operation), Some(rank)) = (field("SeqNum="), field("OpType="), line.rank) else {
            return;
        };
        if self.timed_out.len() < MOST_KEPT {
            let (sequence, operation) = (sequence.to_string(), operation.to_string());
            self.time_out(TimedOut { rank, sequence, operation, evidence: evidence.clone() });
        }
    }

    /// A warning that no signature knows. Lines that differ in numbers only are one.
    pub(super) fn unknown(&mut self, line: &Line<'_>, evidence: Evidence) {
        let key: String = line.text.chars().take(120).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        if key.trim().is_empty() || (self.unknown.len() >= MOST_UNKNOWN && !self.unknown.contains_key(&key)) {
            return;
        }
        let rank = self.rank(line);
        let seen = self.unknown.entry(key).or_insert_with(|| Seen::first(evidence));
        seen.add(line.host.map(str::to_string), rank);
    }
}
