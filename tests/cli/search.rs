//! Questions and the sections that answer them.

use crate::run::{answer, hits, rdmanav};

/// The words of the field that must lead to their section first.
const TRIGGERS: &[(&str, &[&str])] = &[
    ("RDMA", &["verbs-api"]),
    ("InfiniBand", &["infiniband-fabric"]),
    ("RoCE", &["rocev2-packet"]),
    ("IB NIC", &["verbs-api", "nccl-transports", "network-config-host"]),
    ("QP CQ SRQ", &["verbs-api"]),
    ("doorbell", &["doorbell-cqe"]),
    ("memory registration", &["memory-registration"]),
    ("GPUDirect RDMA", &["gpudirect-rdma"]),
    ("DMA-BUF", &["gpudirect-rdma"]),
    ("fat-tree topology", &["fat-tree-topology"]),
    ("rail-aligned", &["rail-topology"]),
    ("DCQCN", &["dcqcn"]),
    ("PFC ECN", &["lossless-ethernet"]),
    ("lossless Ethernet", &["lossless-ethernet"]),
    ("NCCL IB plugin", &["nccl-transports"]),
    ("NCCL transport", &["nccl-transports"]),
    ("cluster networking", &["fat-tree-topology", "rail-topology", "network-config-host"]),
    ("NVLink NVSwitch", &["nvlink-nvswitch"]),
    ("SHARP", &["sharp"]),
    ("MNNVL", &["mnnvl"]),
    ("PXN", &["pxn"]),
];

#[test]
fn the_triggers_lead_where_they_should() {
    for (trigger, sections) in TRIGGERS {
        for trigger in [trigger.to_string(), trigger.to_lowercase(), trigger.to_uppercase()] {
            let hits = hits(&trigger);
            assert!(sections.contains(&&*hits[0]), "{trigger}: {hits:?}");
        }
    }
}

#[test]
fn every_trigger_and_title_leads_to_its_own_section() {
    let list: serde_json::Value = serde_json::from_str(&answer(&["list", "--format", "json"])).unwrap();
    for entry in list["entries"].as_array().unwrap() {
        let id = entry["id"].as_str().unwrap();
        let names = entry["triggers"].as_array().unwrap().iter().chain([&entry["title"], &entry["id"]]);
        for name in names.map(|name| name.as_str().unwrap()) {
            assert_eq!(hits(name)[0], id, "{name}");
        }
    }
}

#[test]
fn real_questions_are_answered() {
    for (question, section) in [
        ("rdma wirte", "verbs-api"),
        ("rmda wirte", "verbs-api"),
        ("dqcn", "dcqcn"),
        ("gpu direct", "gpudirect-rdma"),
        ("why is nccl using tcp instead of ib", "nccl-transports"),
        ("NCCL_IB_GID_INDX", "nccl-env"),
        ("qpsm", "qp-state-machine"),
        ("vendor err 129", "completion-errors"),
    ] {
        let hits = hits(question);
        assert_eq!(hits.first().map(|id| &**id), Some(section), "{question}: {hits:?}");
    }
}

#[test]
fn a_correction_is_told() {
    let run = rdmanav(&["query", "dqcn"]);
    assert_eq!(run.status, 0);
    assert!(run.stdout.starts_with("# DCQCN congestion control\n"), "{}", run.stdout);
    assert_eq!(run.stderr, "hint: did you mean \"dcqcn\"? \"dqcn\" is not known\n");
}

#[test]
fn a_variable_is_a_part_of_nccl_env() {
    let value: serde_json::Value =
        serde_json::from_str(&answer(&["query", "NCCL_IB_TIMEOUT", "--format", "json"])).unwrap();
    let hit = &value["hits"][0];
    assert_eq!((hit["id"].as_str(), hit["part"].as_str()), (Some("nccl-env"), Some("NCCL_IB_TIMEOUT")));
    assert!(hit["text"].as_str().unwrap().contains("`20`"), "{hit}");
}

#[test]
fn kinds_limit_the_answer() {
    let value: serde_json::Value =
        serde_json::from_str(&answer(&["query", "gpu direct rdma", "--kind", "platform", "--format", "json"])).unwrap();
    for hit in value["hits"].as_array().unwrap() {
        assert_eq!(hit["kind"], "platform", "{hit}");
    }
}

#[test]
fn answers_are_the_same_every_time() {
    let question = ["query", "slow allreduce over roce with pfc storms", "--why"];
    assert_eq!(answer(&question), answer(&question));
}
