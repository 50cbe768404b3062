//! What follows from a log. A finding is a cause; what it explains is listed below it.
//!
//! Each rule that needs more than one line is a function of its own, with the evidence that it needs. All other findings come from the
//! signatures: a line that names a fault is one; a symptom is one only where nothing explains it.

mod completions;
mod network;
mod settings;
mod start;
mod unknown;

use std::collections::BTreeSet;

use super::finding::{Finding, Severity};
use super::job::{Evidence, Job, Seen};
use crate::knowledge::Library;
use crate::knowledge::model::{Level, Role, Signature};

/// What a rule says: a finding, and the signatures that it explains.
pub(super) struct Conclusion<'a> {
    pub finding: Finding,
    pub explains: Vec<&'a str>,
    /// It explains whatever frameworks and other ranks say of it.
    pub explains_echoes: bool,
}

impl<'a> Conclusion<'a> {
    /// A finding that explains these signatures.
    pub fn new(finding: Finding, explains: &[&'a str]) -> Self {
        Conclusion { finding, explains: explains.to_vec(), explains_echoes: false }
    }

    /// A finding that explains what frameworks and other ranks say.
    pub fn of_echoes(finding: Finding) -> Self {
        Conclusion { finding, explains: Vec::new(), explains_echoes: true }
    }
}

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

    /// All ranks that began their start completed it, none died, and no framework complains.
    pub fn is_running(&self) -> bool {
        let job = self.job;
        !job.completed.is_empty()
            && job.started.is_subset(&job.completed)
            && job.died.is_empty()
            && !self.all_seen().any(|(signature, _)| signature.role == Role::Echo)
    }

    /// All that was seen. A merged log may come from a release that knows other signatures.
    fn all_seen(&self) -> impl Iterator<Item = (Signature<'a>, &Seen)> {
        self.job.seen.iter().filter_map(|(id, seen)| Some((self.library.signatures.find(id)?, seen)))
    }
}

/// A finding with what every rule fills in. `parts` are what to read, best first: that its text stands on.
pub(super) fn finding(rule: &str, severity: Severity, evidence: Option<&Evidence>, parts: &[&str]) -> Finding {
    Finding {
        rule: rule.to_string(),
        severity,
        place: evidence.map(|evidence| evidence.place),
        evidence: evidence.map_or(String::new(), |evidence| evidence.text.clone()),
        count: 1,
        message: String::new(),
        advice: String::new(),
        parts: parts.iter().map(|part| (*part).to_string()).collect(),
        sources: Vec::new(),
        hosts: Vec::new(),
        ranks: Vec::new(),
        consequences: Vec::new(),
    }
}

/// What was concluded so far.
struct Conclusions<'a> {
    findings: Vec<Finding>,
    explained: BTreeSet<&'a str>,
    echoes_explained: bool,
}

impl<'a> Conclusions<'a> {
    fn extend(&mut self, conclusions: impl IntoIterator<Item = Conclusion<'a>>) {
        for conclusion in conclusions {
            self.findings.push(conclusion.finding);
            self.explained.extend(conclusion.explains);
            self.echoes_explained |= conclusion.explains_echoes;
        }
    }

    fn has_error(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Something that was concluded is what the signature stands for.
    fn explains(&self, signature: &Signature<'_>) -> bool {
        self.explained.contains(signature.id) || (self.echoes_explained && signature.role == Role::Echo)
    }
}

/// All conclusions, the worst first.
pub fn findings(job: &Job, library: &Library<'_>) -> Vec<Finding> {
    let case = &Case { job, library };
    let mut known = Conclusions { findings: Vec::new(), explained: BTreeSet::new(), echoes_explained: false };
    let of_several_lines = [
        start::versions_differ(case),
        start::bootstrap_on_bridge(case),
        start::interface_missing(case),
        start::link_local_address(case),
        network::link_local_gid(case),
        network::rails_unconnected(case),
        network::link_layers_mixed(case),
        settings::nothing_left(case),
        settings::wrong_results(case),
        completions::completions(case),
    ];
    known.extend(of_several_lines.into_iter().flatten());
    // A plugin that did not start is the reason of a fallback, not a finding beside it.
    let plugin = network::failed_plugin(case);
    known.explained.extend(plugin.iter().map(|(signature, _)| signature.id));
    known.explained.extend(network::of_unlike_networks(case));
    causes(case, &mut known);
    if !known.has_error() {
        known.extend(start::process_died(case).or_else(|| start::ranks_unanswered(case)));
    }
    known.extend(network::tcp_fallback(case, &plugin, known.has_error()));
    known.extend(network::networks_differ(case));
    known.extend(network::gpudirect_far(case));
    known.findings.extend(network::gpudirect_unused(case, &known.findings));
    known.findings.extend(network::odd_ones(case));
    known.findings.extend(settings::left_over(case));
    known.findings.extend(start::separate_jobs(case));
    if !known.has_error() {
        // Any warning tells more of a start that ends early.
        let is_warning =
            |signature: &Signature<'_>| signature.role == Role::Symptom && signature.level >= Level::Warning;
        let warned = !job.unknown.is_empty() || case.all_seen().any(|(signature, _)| is_warning(&signature));
        let stuck = || start::init_never_completes(case).filter(|_| !warned);
        known.extend(start::out_of_step(case).or_else(stuck));
    }
    symptoms(case, &mut known);
    let mut findings = known.findings;
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

/// A finding for each line that names a fault, where nothing explains it.
fn causes(case: &Case<'_, '_>, known: &mut Conclusions<'_>) {
    for (signature, seen) in case.all_seen() {
        if signature.level >= Level::Warning && signature.role == Role::Cause && !known.explains(&signature) {
            known.findings.push(of_signature(case, &signature, seen));
        }
    }
}

fn of_signature(case: &Case<'_, '_>, signature: &Signature<'_>, seen: &Seen) -> Finding {
    let severity = if signature.level == Level::Error { Severity::Error } else { Severity::Warning };
    let mut parts = vec![signature.part];
    parts.extend(linked(case.library, signature.part));
    let mut finding = finding(signature.id, severity, Some(&seen.first), &parts);
    finding.sources = signature.sources.iter().map(|source| (*source).to_string()).collect();
    finding.message = signature.means.to_string();
    finding.advice = signature.advice.to_string();
    finding.count = seen.count;
    finding.hosts = seen.hosts.iter().cloned().collect();
    finding.ranks = seen.ranks.iter().copied().collect();
    finding
}

/// What the text of a part refers to in other sections: at most two, each of another section.
fn linked<'a>(library: &Library<'a>, part: &str) -> Vec<&'a str> {
    let (section, id) = part.split_once('#').unwrap_or((part, ""));
    let Some(own) = library.sections.find(section) else { return Vec::new() };
    let Some(part) = library.parts(&own).find(|candidate| candidate.id == id) else { return Vec::new() };
    let mut linked: Vec<&str> = Vec::new();
    for target in part.body.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        let of = |target: &'a str| target.split('#').next().unwrap_or(target);
        let is_new = of(target) != section && linked.iter().all(|known| of(known) != of(target));
        if is_new && library.sections.find(of(target)).is_some() && linked.len() < 2 {
            linked.push(target);
        }
    }
    linked
}

/// Symptoms go below the first cause; where there is none, the first of them is the finding, or a warning that nobody knows.
fn symptoms(case: &Case<'_, '_>, known: &mut Conclusions<'_>) {
    let mut seen: Vec<(Signature<'_>, &Seen)> = case
        .all_seen()
        .filter(|(signature, _)| matches!(signature.role, Role::Symptom | Role::Echo))
        .filter(|(signature, _)| signature.level >= Level::Warning && !known.explains(signature))
        .collect();
    // What names a thing goes before what a framework says of it.
    seen.sort_by_key(|(signature, seen)| {
        (signature.role == Role::Echo, std::cmp::Reverse(signature.level), seen.first.order)
    });
    let has_cause = known.findings.iter().any(|finding| finding.severity > Severity::Note);
    let named = seen.iter().find(|(signature, _)| signature.role == Role::Symptom).map(|(_, seen)| seen.first.order);
    let unknown = unknown::first_warning(case);
    let is_first = unknown.as_ref().is_some_and(|(order, _)| named.is_none_or(|named| *order < named));
    let mut rest = seen.into_iter();
    if !has_cause
        && !is_first
        && let Some((signature, seen)) = rest.next()
    {
        let mut finding = of_signature(case, &signature, seen);
        // Something went otherwise than meant, and the job runs in spite of it.
        if signature.level < Level::Error && case.is_running() {
            finding.severity = Severity::Note;
        }
        known.findings.push(finding);
    }
    if let Some((_, mut finding)) = unknown {
        if has_cause || !is_first {
            finding.severity = Severity::Note;
        }
        known.findings.push(finding);
    }
    let first = known.findings.iter_mut().filter(|finding| finding.severity > Severity::Note);
    if let Some(first) = first.max_by_key(|finding| (finding.severity, std::cmp::Reverse(finding.place))) {
        first.consequences.extend(rest.map(|(signature, seen)| (signature.id.to_string(), seen.count)));
    }
}

#[cfg(test)]
mod tests {
    use crate::knowledge::library::VARIABLE_SECTION;

    #[test]
    fn what_the_rules_refer_to_exists() {
        let library = crate::library();
        let code = [
            include_str!("rules/completions.rs"),
            include_str!("rules/network.rs"),
            include_str!("rules/settings.rs"),
            include_str!("rules/start.rs"),
            include_str!("rules/unknown.rs"),
        ];
        let mut parts = 0;
        let words = code.iter().flat_map(|text| text.split('"')).filter(|word| !word.contains(char::is_whitespace));
        for (section, part) in words.filter_map(|word| word.split_once('#')) {
            let is_variable = section == VARIABLE_SECTION && library.variables.find(part).is_some();
            assert!(is_variable || library.has_part(section, part), "{section}#{part}");
            parts += 1;
        }
        assert!(parts > 20, "{parts} parts were found in the code");
    }
}
