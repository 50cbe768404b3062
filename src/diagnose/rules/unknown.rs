//! Warnings of NCCL that no signature knows.

use super::{Case, finding};
use crate::diagnose::finding::{Finding, Severity};

/// What a line shows of the part of NCCL that prints it, the part's name, and where to read on.
const SUBSYSTEMS: [(&str, &str, &str); 14] = [
    ("NET/OFI", "the EFA plugin (aws-ofi-nccl)", "cloud-efa-gcp-azure#efa"),
    ("NET/FasTrak", "Google's plugin", "cloud-efa-gcp-azure#gcp-tcpxo"),
    ("NET/IB", "the InfiniBand and RoCE network", "nccl-transports#ib-init"),
    ("net_ib", "the InfiniBand and RoCE network", "nccl-transports#ib-init"),
    ("ibvwrap", "a call to the verbs library", "nccl-debug-log#sig-verbs"),
    ("NET/Socket", "the Socket network", "nccl-transports#socket"),
    ("socket.cc", "a TCP socket", "nccl-debug-log#sig-socket"),
    ("bootstrap", "the bootstrap", "nccl-bootstrap#steps"),
    ("nvls", "NVLink SHARP", "nvls"),
    ("mnnvl", "multi-node NVLink", "mnnvl"),
    ("graph/", "the search for rings and trees in the topology", "nccl-debug-log#topology-lines"),
    ("shm", "shared host memory", "nccl-transports#shm"),
    ("plugin", "a plugin", "nccl-transports#plugins"),
    ("tuner", "a tuner", "nccl-algorithms#tuner"),
];

/// The first of them, with its place in the order of reading. Evidence: a line of level WARN. What it means is not claimed; where all ranks
/// completed their start and nothing else failed it is a note.
pub fn first_warning(case: &Case<'_, '_>) -> Option<(usize, Finding)> {
    let seen = case.job.unknown.values().min_by_key(|seen| seen.first.order)?;
    let line = &seen.first.text;
    let subsystem = SUBSYSTEMS.iter().find(|(sign, ..)| line.contains(sign));
    let (name, part) = subsystem.map_or(("NCCL", "nccl-debug-log#collect"), |(_, name, part)| (*name, *part));
    let severity = if case.is_running() { Severity::Note } else { Severity::Warning };
    let mut finding = finding("unknown-warning", severity, Some(&seen.first), &[part, "nccl-debug-log#collect"]);
    let others = case.job.unknown.len() - 1;
    let others = if others > 0 { format!(" {others} other warnings are unknown as well.") } else { String::new() };
    finding.message = if case.is_running() {
        format!(
            "A warning of {name} that is not among the known ones. All ranks completed their start in spite of it.{others}"
        )
    } else {
        format!(
            "A warning of {name} that is not among the known ones. Errors of the framework or closed connections after it may be its \
             consequences.{others}"
        )
    };
    finding.advice = "Read its own words and the lines `file.cc:N -> code` below it: 1 is a CUDA error, 2 a system call, 3 internal, 4 an argument, 5 wrong usage, \
                      6 the other side. Compare with the same rank of another host, and with a run under NCCL_DEBUG=INFO. Search the words with \
                      `rdmanav query`."
        .to_string();
    finding.count = seen.count;
    finding.hosts = seen.hosts.iter().cloned().collect();
    finding.ranks = seen.ranks.iter().copied().collect();
    Some((seen.first.order, finding))
}
