//! What is embedded, and the checker.

use std::collections::BTreeSet;
use std::path::Path;

use crate::run::{answer, rdmanav};

/// Section ids are a public contract (docs/architecture.md).
const IDS: &[&str] = &[
    "adaptive-routing",
    "amd-rccl",
    "bandwidth-reference",
    "cloud-efa-gcp-azure",
    "completion-errors",
    "containers-k8s",
    "counters",
    "dcqcn",
    "doorbell-cqe",
    "fat-tree-topology",
    "gid-selection",
    "gpudirect-rdma",
    "infiniband-fabric",
    "kernel-log",
    "lossless-ethernet",
    "memlock",
    "memory-registration",
    "mnnvl",
    "multi-qp",
    "nccl-algorithms",
    "nccl-bootstrap",
    "nccl-debug-log",
    "nccl-env",
    "nccl-ras",
    "nccl-transports",
    "nccl-versions",
    "network-config-host",
    "nic-resiliency",
    "nvlink-nvswitch",
    "nvls",
    "nvshmem-ibgda",
    "perftest",
    "pfc-deadlock",
    "pxn",
    "qp-state-machine",
    "rail-topology",
    "rocev2-packet",
    "rtx4090",
    "sharp",
    "soft-roce",
    "verbs-api",
];

#[test]
fn every_section_of_the_contract_is_there() {
    let list = answer(&["list"]);
    let ids: BTreeSet<&str> = list.lines().filter_map(|line| line.split('\t').next()).collect();
    for id in IDS {
        assert!(ids.contains(id), "{id}");
    }
}

#[test]
fn every_claim_is_cited() {
    let report: serde_json::Value = serde_json::from_str(&answer(&["check", "--format", "json"])).unwrap();
    let sections = report["sections"].as_array().unwrap();
    assert!(sections.len() >= IDS.len());
    for section in sections {
        assert_eq!(section["claims"], section["cited"], "{section}");
        assert!(section["claims"].as_u64() > Some(10), "{section}");
    }
}

#[test]
fn our_own_content_has_no_finding() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/content");
    let text = answer(&["check", directory, "--fail-on", "error"]);
    assert!(text.contains(" cited, "), "{text}");
}

#[test]
fn the_checker_names_file_and_line() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/broken-content");
    assert!(Path::new(directory).is_dir());
    let run = rdmanav(&["check", directory, "--format", "json"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let findings: Vec<String> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            format!(
                "{}:{}: {}\n",
                finding["file"].as_str().unwrap(),
                finding["line"],
                finding["message"].as_str().unwrap()
            )
        })
        .collect();
    insta::assert_snapshot!(findings.concat());
}

#[test]
fn an_old_review_is_a_warning() {
    let directory = std::env::temp_dir().join(format!("rdmanav-old-review-{}", std::process::id()));
    std::fs::create_dir_all(directory.join("sections")).unwrap();
    let section = "---\nid: old\ntitle: Old\nkind: subsystem\nsummary: Old.\ntriggers: [old]\nsee_also: []\n\
                   reviewed: 2001-01-01\n---\n\nIt takes 5 us. [^nccl-env-guide]\n";
    std::fs::write(directory.join("sections/old.md"), section).unwrap();
    let path = directory.to_str().unwrap();
    let strict = rdmanav(&["check", path]);
    assert_eq!(strict.status, 1, "{strict:?}");
    assert!(strict.stdout.starts_with("sections/old.md: warning: last reviewed 2001-01-01"), "{}", strict.stdout);
    assert_eq!(rdmanav(&["check", path, "--fail-on", "error"]).status, 0);
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn a_myth_of_the_field_is_corrected_where_it_is_asked_for() {
    for (claim, correction) in [
        ("alpha is the ratio of ECN-marked packets", "moving average"),
        ("PAT is the parallel allreduce tree", "not an AllReduce"),
        ("DMA-BUF needs linux 6", "5.12"),
        ("NCCL_DMABUF_ENABLE=1 is needed", "default"),
        ("the receiver sends one CNP per 1 ms per flow", "50 us"),
    ] {
        let text = answer(&["query", claim]);
        assert!(text.contains(correction), "{claim}: {text}");
    }
}

#[test]
fn sources_have_addresses() {
    let text = answer(&["sources", "dcqcn"]);
    assert!(text.lines().count() > 5, "{text}");
    assert!(text.lines().all(|line| line.starts_with("- `") && line.contains("https://")), "{text}");
}

#[test]
fn the_skill_lists_every_section() {
    let skill = answer(&["skill"]);
    assert!(skill.starts_with("---\nname: rdma-network-nav\ndescription: \""), "{skill}");
    for id in IDS {
        assert!(skill.contains(&format!("| `{id}` |")), "{id}");
    }
}
