//! What follows from a log. A finding is a cause; what it explains is listed below it.
//!
//! Each rule that needs more than one line is a function of its own, with the evidence that it needs. All other findings come from the
//! signatures: a line that names a fault is one; a symptom is one only where nothing explains it.

mod completions;
mod network;
mod settings;
mod start;

use std::collections::BTreeSet;

use super::finding::{Finding, Severity};
use super::job::{Evidence, Job, Seen};
use crate::knowledge::Library;
use crate::knowledge::model::{Level, Role, Signature};

/// What a rule says: a finding, and the signatures that it explains.
pub(super) struct Conclusion {
    pub finding: Finding,
    pub explains: &'static [&'static str],
}

/// Lines that only count together with others: rules look at them.
const CONTEXT: &[&str] = &[
    "ib-no-device",
    "libibverbs-not-found",
    "dlvsym-rdma-core-old",
    "ib-disable-set",
    "using-network-socket",
    "channel-net-socket",
    "net-plugin-init-failed",
    "net-plugin-init-failed-ib",
    "net-plugin-unsupported",
    "plugin-dlerror",
    "ring-without-gdr",
    "search-no-path",
    "collnet-cannot-init",
    "tuner-profiler-unsupported",
    "cuda-symbols-missing",
    "ras-peer-dead",
    "link-could-be",
    "conf-unused-env",
];

/// What a framework or a peer says when something else went wrong: never a cause, and worth a word only alone.
pub(super) const SYMPTOMS: &[&str] = &[
    "socket-peer-closed",
    "proxy-recv-failed",
    "proxy-service-error",
    "service-thread-closed",
    "socket-call-failed",
    "async-job-failed",
    "comm-abort-state",
    "comm-fatal-error",
    "err-internal",
    "err-remote",
    "err-system",
    "err-usage",
    "pt-cuda-error",
    "pt-internal-error",
    "pt-invalid-argument",
    "pt-invalid-usage",
    "pt-remote-error",
    "pt-system-error",
    "pt-taken-down",
    "pt-watchdog-exception",
    "pt-watchdog-stuck",
    "pt-watchdog-timeout",
    "pt-desync",
    "pt-fr-not-joined",
    "pt-store-get",
    "result-invalid-argument",
    "result-unhandled-cuda",
    "result-unhandled-system",
    "ncclt-failure",
];

/// The job and the signatures, as the rules look at them.
pub(super) struct Case<'j, 'a> {
    pub job: &'j Job,
    library: &'j Library<'a>,
}

impl<'a> Case<'_, 'a> {
    /// Where a signature was seen.
    pub fn seen(&self, id: &str) -> Option<&Seen> {
        self.job.seen.get(id)
    }

    /// The first of these signatures that was seen.
    pub fn first_of(&self, ids: &[&str]) -> Option<&Seen> {
        ids.iter().filter_map(|id| self.seen(id)).min_by_key(|seen| seen.first.order)
    }

    /// All that was seen. A merged log may come from a release that knows other signatures.
    fn all_seen(&self) -> impl Iterator<Item = (Signature<'a>, &Seen)> {
        self.job.seen.iter().filter_map(|(id, seen)| Some((self.library.signatures.find(id)?, seen)))
    }
}

/// A finding with what every rule fills in.
pub(super) fn finding(rule: &str, severity: Severity, evidence: Option<&Evidence>, sections: &[&str]) -> Finding {
    Finding {
        rule: rule.to_string(),
        severity,
        place: evidence.map(|evidence| evidence.place),
        evidence: evidence.map_or(String::new(), |evidence| evidence.text.clone()),
        count: 1,
        message: String::new(),
        advice: String::new(),
        sections: sections.iter().map(|section| (*section).to_string()).collect(),
        hosts: Vec::new(),
        ranks: Vec::new(),
        consequences: Vec::new(),
    }
}

/// All conclusions, the worst first.
pub fn findings(job: &Job, library: &Library<'_>) -> Vec<Finding> {
    let case = Case { job, library };
    let mut conclusions: Vec<Conclusion> = Vec::new();
    conclusions.extend(start::versions_differ(&case));
    conclusions.extend(start::bootstrap_on_bridge(&case));
    conclusions.extend(start::interface_missing(&case));
    conclusions.extend(network::link_local_gid(&case));
    conclusions.extend(network::rails_unconnected(&case));
    conclusions.extend(network::link_layers_mixed(&case));
    conclusions.extend(settings::nothing_left(&case));
    conclusions.extend(completions::completions(&case));
    let mut explained: BTreeSet<&str> =
        conclusions.iter().flat_map(|conclusion| conclusion.explains).copied().collect();
    let mut findings: Vec<Finding> = conclusions.into_iter().map(|conclusion| conclusion.finding).collect();
    findings.extend(of_signatures(&case, &mut explained, Role::Cause));
    let has_cause = |findings: &[Finding]| findings.iter().any(|finding| finding.severity == Severity::Error);
    if !has_cause(&findings)
        && let Some(conclusion) = start::process_died(&case).or_else(|| start::ranks_unanswered(&case))
    {
        explained.extend(conclusion.explains);
        findings.push(conclusion.finding);
    }
    let has_cause = has_cause(&findings);
    for conclusion in [network::tcp_fallback(&case, has_cause), network::gpudirect_far(&case)].into_iter().flatten() {
        explained.extend(conclusion.explains);
        findings.push(conclusion.finding);
    }
    findings.extend(network::odd_ones(&case));
    findings.extend(settings::left_over(&case));
    let has_error = findings.iter().any(|finding| finding.severity == Severity::Error);
    if !has_error && let Some(conclusion) = start::out_of_step(&case).or_else(|| start::init_never_completes(&case)) {
        explained.extend(conclusion.explains);
        findings.push(conclusion.finding);
    }
    symptoms(&case, &explained, &mut findings);
    fold_after_hardware(&mut findings);
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.severity), finding.place));
    findings
}

/// A GPU or NVLink that failed takes its process and connections along: what came later in the log is a consequence.
fn fold_after_hardware(findings: &mut Vec<Finding>) {
    let is_hardware =
        |rule: &str| ["xid-", "sxid-", "nvrm-off-bus", "mlx5-fatal"].iter().any(|name| rule.starts_with(name));
    let follows = |rule: &str| {
        is_hardware(rule) || ["completion-", "cuda-", "process-"].iter().any(|name| rule.starts_with(name))
    };
    let first = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error && is_hardware(&finding.rule))
        .min_by_key(|finding| finding.place)
        .map(|finding| (finding.rule.clone(), finding.place));
    let Some((rule, place)) = first else { return };
    let (later, mut rest): (Vec<Finding>, Vec<Finding>) = std::mem::take(findings)
        .into_iter()
        .partition(|finding| finding.rule != rule && follows(&finding.rule) && finding.place > place);
    if let Some(cause) = rest.iter_mut().find(|finding| finding.rule == rule) {
        for finding in later {
            cause.consequences.push((finding.rule, finding.count));
            cause.consequences.extend(finding.consequences);
        }
    }
    *findings = rest;
}

/// A finding a signature of this role that nothing explains.
fn of_signatures(case: &Case<'_, '_>, explained: &mut BTreeSet<&str>, role: Role) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (signature, seen) in case.all_seen() {
        let is_fault = signature.level >= Level::Warning && signature.role == role;
        if is_fault && !explained.contains(signature.id) && !CONTEXT.contains(&signature.id) {
            findings.push(of_signature(&signature, seen));
        }
    }
    findings
}

fn of_signature(signature: &Signature<'_>, seen: &Seen) -> Finding {
    let severity = if signature.level == Level::Error { Severity::Error } else { Severity::Warning };
    let section = signature.part.split('#').next().unwrap_or(signature.part);
    let mut finding = finding(signature.id, severity, Some(&seen.first), &[section]);
    finding.message = signature.means.to_string();
    finding.advice = signature.advice.to_string();
    finding.count = seen.count;
    finding.hosts = seen.hosts.iter().cloned().collect();
    finding.ranks = seen.ranks.iter().copied().collect();
    finding
}

/// Symptoms go below the first cause; where there is none, the first of them is the finding.
fn symptoms(case: &Case<'_, '_>, explained: &BTreeSet<&str>, findings: &mut Vec<Finding>) {
    let mut seen: Vec<(Signature<'_>, &Seen)> = case
        .all_seen()
        .filter(|(signature, _)| signature.role == Role::Symptom && signature.level >= Level::Warning)
        .filter(|(signature, _)| !CONTEXT.contains(&signature.id) && !explained.contains(signature.id))
        .collect();
    // What names a thing goes before what a framework says of it.
    seen.sort_by_key(|(signature, seen)| {
        (SYMPTOMS.contains(&signature.id), std::cmp::Reverse(signature.level), seen.first.order)
    });
    let has_cause = findings.iter().any(|finding| finding.severity > Severity::Note);
    let mut rest = seen.into_iter();
    if !has_cause && let Some((signature, seen)) = rest.next() {
        findings.push(of_signature(&signature, seen));
    }
    let first = findings.iter_mut().filter(|finding| finding.severity > Severity::Note);
    if let Some(first) = first.max_by_key(|finding| (finding.severity, std::cmp::Reverse(finding.place))) {
        first.consequences.extend(rest.map(|(signature, seen)| (signature.id.to_string(), seen.count)));
    }
}
