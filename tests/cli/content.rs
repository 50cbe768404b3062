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

/// The part that answers a question: the first hit alone, as one line without the marks of quotations.
fn first_hit(question: &str) -> String {
    let text = answer(&["query", "--format", "markdown", question]);
    let first = text.split("\n## Also worth a look").next().unwrap_or_default();
    let words = first.lines().flat_map(|line| line.trim_start_matches("> ").split_whitespace());
    words.collect::<Vec<_>>().join(" ")
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
    let mut wrong = Vec::new();
    for (claim, correction) in [
        // Verbs objects, the data path and GPUDirect.
        ("RDMA bypasses the kernel completely", "kernel commands"),
        ("kernel bypass: everything goes through a doorbell MMIO write", "no MMIO at all"),
        ("RDMA is always zero copy DMA", "IBV_SEND_INLINE"),
        ("a queue pair has four states", "seven states"),
        ("a CQE is 64 bytes", "128 bytes can be chosen"),
        ("RDMA code lives in rdma-core libibverbs", "providers/DRIVER/"),
        ("the QP life cycle has five steps RESET INIT RTR RTS ERROR", "failure and teardown state"),
        ("in INIT the QP can already receive", "packets are dropped"),
        ("both sides must be in RTS before data can be sent", "Only the sender needs RTS"),
        ("NCCL exchanges QP connection info through TCPStore", "NCCL has no TCPStore"),
        ("QP types are RC, UC, UD, DCT", "the sending half is the DCI"),
        ("one RC QP per rank pair, NCCL_IB_QPS_PER_CONNECTION 1-128", "one pair of ranks has many connections"),
        ("ringing the doorbell is never a syscall", "s390x"),
        ("ibv_poll_cq takes about 0.5 us", "No primary source gives that figure"),
        ("SRQ needs M buffers instead of N^2", "N x D"),
        ("DMA-BUF needs linux 6", "5.12"),
        ("NCCL_DMABUF_ENABLE=1 is needed", "default"),
        ("dma-buf support starts with NCCL 2.20", "since 2.13.4"),
        ("DMA-BUF replaces nvidia-peermem", "still there as the legacy path"),
        ("pcie_acs_override disables ACS", "does the opposite job"),
        ("turn ACS off with a GRUB parameter", "pci=disable_acs_redir="),
        ("GPUDirect RDMA has zero CPU copies, zero syscalls, about 1 us", "a CPU thread posts and polls"),
        ("set memlock unlimited in limits.conf and log in again", "PAM sessions only"),
        ("lsmod grep nvidia-peermem is empty, GPUDirect is off", "type the underscore"),
        ("topo levels are PIX PXB NODE SYS", "lists that leave out PHB are incomplete"),
        ("show_gids is part of rdma-core", "part of mlnx-tools"),
        // RoCE, congestion control and topology.
        ("RoCE v2 packet is BTH + RETH over UDP 4791 over IP", "Only BTH is in every packet"),
        ("InfiniBand is natively lossless, RoCE needs PFC ECN and DCQCN", "Meta ran 400G without DCQCN"),
        ("DSCP 26 is the universal RoCE lossless mapping", "a lossy class"),
        ("the low two bits of NCCL_IB_TC set ECN", "104, 105 and 106 give the same DSCP"),
        ("switch sends pause when the queue reaches xoff", "ingress priority group, not on a queue"),
        ("the switch sends the CNP", "The receiving NIC builds the CNP"),
        ("alpha is the ratio of ECN-marked packets", "moving average"),
        ("FastRecovery 50 us, ActiveIncrease 5 ms, HyperIncrease 150 ms", "No phase has a fixed time"),
        ("DCQCN Active Increase", "the paper says additive"),
        ("the receiver sends one CNP per 1 ms per flow", "50 us"),
        ("DCQCN handles 99 % of congestion, PFC the last 1 %", "No source has these numbers"),
        ("DCQCN is what hyperscalers run", "Meta gave it up for 400G"),
        ("deadlock needs a ring topology, a fat tree cannot deadlock", "broke the up-down rule"),
        ("2-tier fat tree for up to 64 nodes, k/2 leaf x k/2 spine", "2,048 NIC ports, 256 nodes"),
        ("Meta 16K GPU cluster", "\"16K\" is the job, not the cluster"),
        ("8x400G = 3200 Gb/s gives 100 GB/s effective", "400 GB/s per direction"),
        ("Meta 24-rail 3-layer fat tree Tomahawk 4", "No Meta text names 24 rails"),
        ("bidirectional bandwidth NVLink 900 NDR 50 HDR 25 TCP 12.5", "That column mixes two things"),
        ("RoCE v2 latency 3-5 us, HDR 2 us, PCIe 8 us", "No published measurement was found"),
        ("ECN threshold must be lower than PFC xoff", "lower Kmin"),
        // NCCL.
        ("NCCL has three layers on top of RDMA", "RDMA is one of several data paths"),
        ("ncclNetIB device list, QP creation, RDMA write, then DMA-BUF registration", "registered before data moves"),
        ("RTX 4090's only option is sockets", "Between nodes verbs works with host staging"),
        ("4090 AllReduce is 2.76 GB/s", "No source was found for this figure"),
        ("socket path has 4 copies", "between two nodes only"),
        ("NCCL over TCP sockets has 50 us latency", "No primary source"),
        ("NCCL_PXN_DISABLE=0 enables PXN", "the setting is a no-op"),
        ("GPUDirect needs both nvidia-peermem and DMA-BUF", "One path is enough"),
        ("IB SHARP makes AllReduce O(1) latency", "does not grow with the node count"),
        ("SHARP is used automatically by NCCL", "Off by default"),
        ("NCCL_NVLS_ENABLE=2 enables NVLS", "2 is the default since 2.18.1"),
        ("PAT is the parallel allreduce tree", "not an AllReduce"),
        ("Broadcast can use Tree", "Broadcast and Reduce are Ring only"),
        (
            "AllReduce = NVLink reduce-scatter, IB all-reduce per rail, NVLink all-gather",
            "Ring and Tree do not work so",
        ),
        ("MNNVL falls back silently when IMEX is missing", "error at init since 2.25"),
        ("4090 DDP with 8 GPUs is 0.46x, single GPU is optimal", "The ratio depends on model size"),
        ("set NCCL_IB_DISABLE=0 to enable InfiniBand", "0 is the default"),
        ("NCCL bootstrap uses InfiniBand", "It is plain TCP"),
        // Platforms and run time.
        ("IPC_LOCK in the pod is enough for RDMA", "Only for containers that run as root"),
        ("DeepEP needs NVSHMEM with IBGDA", "needs NCCL 2.30.4"),
        ("IBGDA needs PeerMappingOverride", "CPU-assisted IBGDA"),
        ("NVSHMEM_HCA_LIST alone selects the NICs", "NVSHMEM_ENABLE_NIC_PE_MAPPING=1"),
        ("NCCL fails over between any two NICs", "one merged (fused) NIC"),
        ("RAS says MISMATCH so the job hangs", "Different counts are normal"),
        ("RAS lists the slow ranks", "the ranks that are ahead"),
        ("torch.cuda.nccl.version() tells the loaded NCCL", "/proc/PID/maps"),
        ("GPU operator: set driver.rdma.enabled=true", "legacy module nvidia-peermem only"),
        ("FI_EFA_USE_DEVICE_RDMA=1 is needed on AWS", "Not since libfabric 1.18"),
        ("RCCL has MSCCL++ switches", "remain as no-ops"),
        ("TORCH_NCCL_TRACE_BUFFER_SIZE enables the flight recorder", "TORCH_FR_BUFFER_SIZE"),
        ("a bond doubles NCCL bandwidth", "One QP stays on one port"),
        ("Soft-RoCE performance is like real RoCE", "functional test bed"),
    ] {
        let text = first_hit(claim);
        if !text.contains(correction) {
            let start: String = text.chars().take(100).collect();
            wrong.push(format!("{claim}: not \"{correction}\" but {start}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn sources_have_addresses() {
    let text = answer(&["sources", "dcqcn"]);
    let sources = || text.lines().take_while(|line| !line.is_empty());
    assert!(sources().count() > 5, "{text}");
    assert!(sources().all(|line| line.starts_with("- `") && line.contains("https://")), "{text}");
}

#[test]
fn the_skill_lists_every_section() {
    let skill = answer(&["skill"]);
    assert!(skill.starts_with("---\nname: rdma-network-nav\ndescription: \""), "{skill}");
    for id in IDS {
        assert!(skill.contains(&format!("](references/{id}.md) |")), "{id}");
    }
}
