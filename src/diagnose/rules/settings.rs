//! Conclusions about settings that a log shows.

use super::{Case, Conclusion, finding};
use crate::diagnose::finding::{Finding, Severity};
use crate::diagnose::job::Transport;
use crate::render::foreign;

/// A forced algorithm or protocol leaves nothing for a collective. Evidence: the message, and the settings.
pub fn nothing_left(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let seen = case.seen("no-algorithm")?;
    let forced: Vec<String> = ["NCCL_ALGO", "NCCL_PROTO"]
        .iter()
        .filter_map(|name| {
            case.job.variable(name).into_iter().next().map(|(_, value, _)| format!("{name}={}", foreign(value)))
        })
        .collect();
    if forced.is_empty() {
        return None;
    }
    let function = seen.first.text.split("for function ").nth(1).and_then(|rest| rest.split([' ', '.']).next());
    let parts = ["nccl-algorithms#none-available", "nccl-env#NCCL_ALGO"];
    let mut finding = finding("forced-algorithm", Severity::Error, Some(&seen.first), &parts);
    finding.message = format!(
        "{} leaves nothing that can do {}, so the call is refused.",
        forced.join(" and "),
        function.map_or("this collective".to_string(), foreign)
    );
    finding.advice =
        "Unset it and let the tuner choose; or force it for one collective only, which 2.24 and later accept \
                      (`NCCL_ALGO=\"allreduce:nvls;reducescatter:ring\"`), or allow ring as well."
            .to_string();
    finding.count = seen.count;
    finding.hosts = seen.hosts.iter().cloned().collect();
    Some(Conclusion::new(finding, &["no-algorithm", "algo-forced"]))
}

/// nccl-tests found wrong elements. Evidence: a row of its table in which `#wrong` is not zero.
pub fn wrong_results(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let (rows, first) = case.job.wrong_results.as_ref()?;
    let parts = ["perftest#read-table", "gpudirect-rdma#acs", "kernel-log#xid-table"];
    let mut finding = finding("wrong-results", Severity::Error, Some(first), &parts);
    finding.message = format!(
        "The results are wrong: nccl-tests counts incorrect elements in {rows} row{} (#wrong must be 0). Data is corrupted on the way; the bandwidth beside it \
         means nothing.",
        if *rows == 1 { "" } else { "s" }
    );
    finding.advice = "Do not train on it. Halve the path: one node alone, then `NCCL_NET_GDR_LEVEL=LOC`, `NCCL_P2P_DISABLE=1`, `NCCL_NET=Socket`, one NIC at a time: what makes it \
                      right names the part. Between GPUs or GPU and NIC: ACS or IOMMU between them, `dmesg` for Xid and PCIe errors. A forced NCCL_PROTO with LL128, \
                      or chunk sizes of one's own: remove them. Then the newest NCCL, driver and NIC firmware."
        .to_string();
    finding.count = *rows;
    Some(Conclusion::new(finding, &[]))
}

/// Paths that were switched off by hand, most often left over from a search for an error. Evidence: the setting in the log.
pub fn left_over(case: &Case<'_, '_>) -> Vec<Finding> {
    const SWITCHES: [(&str, &str, [&str; 2]); 2] = [
        (
            "NCCL_P2P_DISABLE",
            "direct access between GPUs (NVLink or PCIe peer-to-peer)",
            ["nccl-env#NCCL_P2P_DISABLE", "nvlink-nvswitch"],
        ),
        (
            "NCCL_SHM_DISABLE",
            "shared memory between the ranks of a node",
            ["nccl-env#NCCL_SHM_DISABLE", "nccl-transports#shm"],
        ),
    ];
    let mut findings = Vec::new();
    for (name, off, parts) in SWITCHES {
        let set = case.job.variable(name).into_iter().find(|(_, value, _)| *value != "0");
        let Some((host, value, evidence)) = set else { continue };
        let by_memory = case.job.hosts.values().any(|facts| facts.transports.contains_key(&Transport::Shm));
        let mut finding = finding("left-switched-off", Severity::Note, Some(evidence), &parts);
        finding.message = format!(
            "{name}={} switches off {off}{}.",
            foreign(value),
            if by_memory && name == "NCCL_P2P_DISABLE" {
                "; traffic inside the node goes through shared host memory instead"
            } else {
                ""
            }
        );
        finding.advice =
            "If it was only for a test, unset it (launcher, image, /etc/nccl.conf). If it was set against a hang, \
                          that cause is still there."
                .to_string();
        finding.hosts = vec![host.to_string()];
        findings.push(finding);
    }
    findings
}
