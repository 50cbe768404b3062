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

#[test]
fn a_value_is_answered_with_its_row() {
    for (question, address, row, other) in [
        ("status 12", "completion-errors#status", "| 12 | RETRY_EXC_ERR |", "| 13 |"),
        ("what does vendor err 129 mean", "completion-errors#vendor-err", "| 0x81 | 129 |", "| 0x88 |"),
        ("0x81", "completion-errors#vendor-err", "| 0x81 | 129 |", "| 0x88 |"),
        ("DSCP 26", "lossless-ethernet#tc-dscp-priority", "| 106 | 26 |", "| 192 |"),
        ("TC 106", "lossless-ethernet#tc-dscp-priority", "| 106 | 26 |", "| 105 |"),
        ("port 4791", "rocev2-packet#numbers", "| 4791 |", "| 0x8915 |"),
        ("IBV_WC_RETRY_EXC_ERR", "completion-errors#status", "| 12 | RETRY_EXC_ERR |", "| 13 |"),
        ("xid 79", "kernel-log#xid-table", "| 79 |", "| 92 |"),
        ("NCCL_IB_TIMEOUT 22", "completion-errors#timers", "| 22 | 17.2 s |", "| 21 |"),
    ] {
        let value: serde_json::Value =
            serde_json::from_str(&answer(&["query", "--format", "json", "--", question])).unwrap();
        let hit = &value["hits"][0];
        let found = format!("{}#{}", hit["id"].as_str().unwrap(), hit["part"].as_str().unwrap_or_default());
        assert_eq!(found, address, "{question}");
        let text = hit["text"].as_str().unwrap();
        assert!(text.starts_with("| ") && text.contains("\n|---"), "{question}: the row has its header: {text}");
        assert!(text.contains(row) && !text.contains(other), "{question}: {text}");
        assert!(hit["why"][0].as_str().unwrap().ends_with("explains the value"), "{question}: {}", hit["why"]);
    }
    // No table has it, and the words around it are another field's.
    assert_eq!(rdmanav(&["query", "http status 404"]).status, 1);
}

#[test]
fn a_pasted_line_finds_its_signature() {
    for (line, address) in [
        ("node1:11:22 [0] NCCL WARN NET/IB : No device found.", "nccl-transports#no-device"),
        ("n7: [3] socketStartConnect: Connect to 10.1.2.3<4567> failed : Connection refused", "nccl-bootstrap#refused"),
        (
            "NET/IB: Got completion from peer 10.0.0.2<43215> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) \
             vendor_err=129 localGid fe80::1 hca mlx5_0",
            "completion-errors#status",
        ),
        ("[  811.2] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, GPU has fallen off the bus.", "kernel-log#xid-79"),
        ("Failed status 12: wr_id 0 syndrom 0x81", "completion-errors#status"),
    ] {
        let run = rdmanav(&["query", "--list", "-n", "1", "--why", "--", line]);
        assert!(run.stdout.contains(&format!("show {address}`")), "{line}: {run:?}");
        assert!(run.stdout.contains("log line: signature "), "{line}: {run:?}");
    }
}

#[test]
fn other_fields_get_no_answer() {
    for question in ["queue pair in rabbitmq", "doorbell camera", "sourdough bread", "git", "kafka topic partition"] {
        let run = rdmanav(&["query", question]);
        assert_eq!((run.status, &*run.stdout), (1, ""), "{question}");
        assert!(run.stderr.contains("nothing here answers that\nhint: "), "{question}: {run:?}");
    }
}

#[test]
fn a_part_names_the_others_of_its_section() {
    let text = answer(&["query", "status 12"]);
    assert!(text.contains("The whole table: `rdmanav show completion-errors#status`\n"), "{text}");
    let others =
        text.lines().find(|line| line.starts_with("More in `completion-errors`: ")).expect("a line of the others");
    assert!(others.contains("`#vendor-err`") && !others.contains("`#status`,"), "{others}");
}

#[test]
fn an_answer_in_a_pipe_stays_short() {
    // No part needs the cut: its text, the heading above it and the pointers below fit.
    let library = rdmanav::library();
    for section in library.sections.iter() {
        for part in library.parts(&section) {
            let length = part.markdown.chars().count();
            assert!(length < 8_000, "{}#{}: {length} characters", section.id, part.id);
        }
    }
    let long = answer(&["query", "nccl ib timeout", "-n", "1000", "--why"]);
    assert!(long.chars().count() < 10_000, "{}", long.chars().count());
    assert!(long.contains("\n(cut here) The part: `rdmanav show "), "{long}");
    let usual = answer(&["query", "nccl ib timeout"]);
    assert!(!usual.contains("(cut here)"));
}

/// An identifier of any length is one word: the time does not grow by the square of its pieces. Found by its end, if at all.
#[test]
fn a_word_of_very_many_pieces_is_answered() {
    let word = format!("Dockerfile{}", "2.22.3".repeat(20_000));
    let run = rdmanav(&["query", &word]);
    assert!(run.status < 2, "{}", run.status);
}
