//! Conclusions from completions with errors.

use std::collections::BTreeSet;

use super::{Case, Conclusion, finding};
use crate::diagnose::finding::{Finding, Severity};
use crate::diagnose::job::{Completion, Evidence};
use crate::diagnose::text::names;
use crate::render::foreign;

/// Status of a work request on a queue pair that was in the error state already.
const FLUSHED: u32 = 5;
/// Status without an answer of the peer.
const RETRY_EXCEEDED: u32 = 12;

/// So many lines of the program between the start and an error show that the job was running.
const RUNNING: usize = 3;

const EXPLAINS: &[&str] = &[
    "ib-completion-error",
    "ib-cqe-error",
    "async-port-error",
    "async-port-active",
    "async-non-fatal",
    "hint-acs",
    "hint-cross-rail",
    "hint-gid-index",
    "hint-ib-timeout",
    "perf-completion-error",
];

/// The first completion that is no mere flush decides; a port that went down before it is the cause. Where the logs do not tell the
/// order, a port that went down at all is.
pub fn completions(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let job = case.job;
    let first = earliest(job.completions.iter().filter(|completion| completion.status != FLUSHED))
        .or_else(|| earliest(job.completions.iter()))?;
    let events = job.port_errors.iter().filter(|(_, event)| event.is_before(&first.evidence) != Some(false));
    let event = events.min_by_key(|(_, event)| (event.time, event.order));
    let finding = match event.filter(|_| [FLUSHED, RETRY_EXCEEDED].contains(&first.status)) {
        Some((_, event)) => after_port_error(case, event, first),
        None => of_status(case, first),
    };
    Some(Conclusion::new(finding, EXPLAINS))
}

/// The one that was printed first, as far as one can tell.
fn earliest<'c>(completions: impl Iterator<Item = &'c Completion>) -> Option<&'c Completion> {
    completions.reduce(
        |first, other| {
            if other.evidence.is_before(&first.evidence) == Some(true) { other } else { first }
        },
    )
}

/// Evidence: `port error` before a completion with status 12 or 5.
fn after_port_error(case: &Case<'_, '_>, event: &Evidence, first: &Completion) -> Finding {
    let job = case.job;
    let hosts: BTreeSet<&str> = job.port_errors.iter().map(|(host, _)| host.as_str()).collect();
    let hosts: Vec<&str> = hosts.into_iter().collect();
    let mut finding = finding(
        "port-down-then-completion-error",
        Severity::Error,
        Some(event),
        &["nic-resiliency#flap-kills-job", "completion-errors#retry-exceeded-running", "counters#symptoms-ib"],
    );
    let order = if event.is_before(&first.evidence).is_some() {
        " before the first completion error"
    } else {
        "; the logs have no times that would show what came first, but a port does not go down because of a completion"
    };
    finding.message = format!(
        "A link went down on {} (port error, {} times){order}: status {} on {} is the consequence, not a fault of its own.",
        names(&hosts),
        job.port_errors.len(),
        first.status,
        said(&first.host)
    );
    finding.advice = format!(
        "Look at {} first: `dmesg | grep mlx5`, `ibstat` or `mlxlink -d mlx5_0`, the counters link_downed and symbol_error; reseat or swap cable or \
         transceiver, look at that switch port. Port errors on several hosts of one leaf at the same second: the switch. A larger \
         NCCL_IB_TIMEOUT rides over short flaps only.",
        names(&hosts)
    );
    finding.count = job.port_errors.len();
    finding.hosts = hosts.iter().map(|host| (*host).to_string()).collect();
    finding
}

fn of_status(case: &Case<'_, '_>, first: &Completion) -> Finding {
    let job = case.job;
    let same: Vec<&Completion> = job.completions.iter().filter(|other| other.status == first.status).collect();
    let hosts: BTreeSet<&str> = same.iter().map(|completion| completion.host.as_str()).collect();
    // A log that begins in the middle does not show the start.
    let at_start = job.progress < RUNNING && !(job.started.is_empty() && job.completed.is_empty());
    let (rule, part, means, advice) = match first.status {
        4 => (
            "completion-local-protection",
            "gpudirect-rdma#acs-errors",
            "status 4, local protection error: the NIC could not use the local buffer with its key. With GPU buffers that is mostly the PCIe path \
             between GPU and NIC (ACS or IOMMU between them), or a peermem module that does not fit",
            "Run once with `NCCL_NET_GDR_LEVEL=LOC`. It works then: switch off ACS on the PCIe bridges and the IOMMU (or set `iommu=pt`), check nvidia-peermem or \
             DMA-BUF. It fails as well: the life time of the buffer in the program. HINT lines below a status 4 that speak of time-outs do not \
             belong to it.",
        ),
        5 => (
            "completion-flush",
            "completion-errors#flush",
            "status 5, flushed: the queue pair was in the error state already. It is a follow-on, the cause is an earlier error here or the end \
             of the peer",
            "Collect the logs of all ranks and sort them by time: the first completion that is not 5, an async event, or the first process that \
             died decides.",
        ),
        11 => (
            "completion-remote-operation",
            "completion-errors#remote-errors",
            "status 11, remote operation error: the peer's NIC took the request and could not finish it in its own memory; the fault is on the remote side",
            "Look at the peer: `dmesg`, GPU errors (Xid), its own completions. With GPU buffers test `NCCL_NET_GDR_LEVEL=LOC`: if it then works, the PCIe path between NIC \
             and GPU on the peer is at fault (ACS or IOMMU, peermem). Switch ACS off or set `iommu=pt`.",
        ),
        9 | 10 => (
            "completion-remote",
            "completion-errors#remote-errors",
            "the peer refused the operation (9 invalid request, 10 access)",
            "Read the log of the peer at this time: its process may have failed, or its buffer was deregistered or has other rights. Compare NCCL version \
             and settings of both hosts.",
        ),
        12 if at_start => (
            "completion-retry-exceeded-start",
            "completion-errors#retry-exceeded-start",
            "status 12, retries exhausted without an answer from the peer at the first transfers: packets do not arrive in one direction at least, or the peer is gone",
            "Is the peer process alive? Then test the same pair with `ib_write_bw`, the same device, GID index and traffic class (`-x`, `--tclass`). On RoCE: GID \
             index and RoCE version the same on both (`show_gids`; before 2.21.5 NCCL took index 0 unless it was told), only NICs of this fabric in NCCL_IB_HCA, routing between the \
             addresses, MTU, UDP 4791 open. On InfiniBand: P_Key, routes (`ibping`). If only pairs of unlike rails fail: `NCCL_CROSS_NIC=0`.",
        ),
        12 => (
            "completion-retry-exceeded",
            "completion-errors#retry-exceeded-running",
            "status 12, retries exhausted without an answer from the peer, in a running job: a link that went down, a peer that died, or packets lost \
             under load; the line alone cannot tell",
            "First the peer: did its process end before this (its log, `dmesg`, out of memory)? Then the link on both ends: `dmesg | grep mlx5`, link_downed, \
             symbol errors. Then loss under load: on RoCE pause, ECN and `out_of_sequence`, `packet_seq_err` counters, on InfiniBand `port_xmit_discards`. A larger \
             NCCL_IB_TIMEOUT helps only against short interruptions.",
        ),
        13 => (
            "completion-rnr",
            "completion-errors#rnr-hang",
            "status 13, the receiver never posted a receive in time",
            "Look at the process of the peer: stopped, swapped or very slow. Counter `out_of_buffer` there confirms it.",
        ),
        _ => (
            "completion-error",
            "completion-errors#status",
            "a work request failed; look the status up",
            "`rdmanav query \"status N\"` explains the number; look at `dmesg` and at the log of the peer at the same time.",
        ),
    };
    let mut finding = finding(
        rule,
        Severity::Error,
        Some(&first.evidence),
        &[part, "completion-errors#status", "completion-errors#vendor-err"],
    );
    finding.parts.dedup();
    let vendor = first.vendor.map_or(String::new(), |vendor| format!(", vendor error {vendor} (0x{vendor:x})"));
    let hosts: Vec<&str> = hosts.into_iter().collect();
    finding.message = format!(
        "Completion error on {}{vendor}: {means}.{}",
        names(&hosts),
        one_nic(&same) + &after_gid_change(case, first)
    );
    finding.advice = advice.to_string();
    finding.count = same.len();
    finding.hosts = hosts.iter().map(|host| (*host).to_string()).collect();
    finding
}

/// A sentence where the GID table of a port changed before a connection got no answer.
fn after_gid_change(case: &Case<'_, '_>, first: &Completion) -> String {
    let changed = case.seen("gid-table-changed").filter(|_| first.status == RETRY_EXCEEDED);
    let changed = changed.filter(|changed| changed.first.is_before(&first.evidence) != Some(false));
    changed.map_or(String::new(), |changed| {
        let hosts: Vec<&String> = changed.hosts.iter().collect();
        format!(
            " The GID table of a port on {} changed before (line {}): an address of its interface came or went. Connections keep the GID index of \
             their start, so find out what reconfigured the interface, and compare `show_gids` with the GIDs of the job.",
            names(&hosts),
            changed.first.place.line
        )
    })
}

/// A sentence where several failed on one and the same NIC.
fn one_nic(completions: &[&Completion]) -> String {
    let nics: BTreeSet<Option<&str>> = completions.iter().map(|completion| completion.nic.as_deref()).collect();
    match nics.first() {
        Some(Some(nic)) if nics.len() == 1 && completions.len() > 1 => {
            format!(
                " All of them are on {}: look at its port, cable and switch port on both ends, and test this pair alone with `ib_write_bw`.",
                foreign(nic)
            )
        }
        _ => String::new(),
    }
}

fn said(host: &str) -> String {
    if host.is_empty() { "another host".to_string() } else { foreign(host) }
}
