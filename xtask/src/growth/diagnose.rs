//! Logs.

use super::row::Row;

const READ: &[&str] = &["diagnose", "--format", "json", "FILE"];
const TEXT: &[&str] = &["diagnose", "FILE"];
const MERGE: &[&str] = &["diagnose", "--merge", "FILE"];

/// Logs of many shapes.
pub fn rows() -> Vec<Row> {
    let log = |name, content, n| Row { name, arguments: READ, file: "job.log", content, n };
    vec![
        log("diagnose: lines of other programs", |n| job(&"step 1190 loss 2.40\n".repeat(n)), 100_000),
        log("diagnose: hosts", |n| lines(n, |i| format!("node-{i}:1:2 [0] NCCL INFO Using network IB")), 2_000),
        log(
            "diagnose: networks",
            |n| lines(n, |i| format!("node-{}:1:2 [0] NCCL INFO Using network x{i}", i % 1000)),
            2_000,
        ),
        log(
            "diagnose: ranks",
            |n| {
                lines(n, |i| {
                    format!(
                        "node-a:1:2 [0] NCCL INFO ncclCommInitRank comm 0x5 rank {i} nranks {n} cudaDev 0 - Init START"
                    )
                })
            },
            4_000,
        ),
        log(
            "diagnose: unknown warnings",
            |n| lines(n, |i| format!("node-a:1:2 [0] NCCL WARN {} is odd", word(i))),
            4_000,
        ),
        log(
            "diagnose: completions with errors",
            |n| {
                lines(n, |i| {
                    format!(
                        "node-{i}:1:2 [0] NCCL WARN NET/IB : Got completion from peer 192.0.2.1<4> with error 12, opcode 2, len 1, vendor err 129"
                    )
                })
            },
            800,
        ),
        log(
            "diagnose: connections that fail",
            |n| {
                lines(n, |i| {
                    format!(
                        "node-{i}:1:2 [0] NCCL WARN socketStartConnect: Connect to 192.0.2.{}<4> failed : Connection refused",
                        i % 250
                    )
                })
            },
            800,
        ),
        log(
            "diagnose: queue pairs that fail",
            |n| {
                lines(n, |i| {
                    format!("node-{i}:1:2 [0] NCCL WARN Call to ibv_modify_qp failed with error Connection timed out")
                })
            },
            800,
        ),
        log(
            "diagnose: ports that go down",
            |n| lines(n, |i| format!("node-{i}:1:2 [0] NCCL WARN NET/IB : Got async event : port error")),
            800,
        ),
        log(
            "diagnose: watchdogs",
            |n| {
                lines(n, |i| {
                    format!(
                        "[rank{i}]:[E ProcessGroupNCCL.cpp:616] [Rank {i}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, Timeout(ms)=600000)"
                    )
                })
            },
            800,
        ),
        log(
            "diagnose: processes that died",
            |n| {
                job(&lines(n, |i| {
                    format!("[node-{i}:90214:0:90214] Caught signal 11 (Segmentation fault: address not mapped)")
                }))
            },
            800,
        ),
        log(
            "diagnose: ranks without an answer",
            |n| {
                job(&format!(
                    "Missing communicator data from {n} ranks\n{}",
                    lines(n, |i| format!("  Rank {i} -- GPU 0 managed by process 6 on node 192.0.2.1"))
                ))
            },
            800,
        ),
        log(
            "diagnose: variables",
            |n| {
                lines(n, |i| {
                    format!("node-a:1:2 [0] NCCL INFO NCCL_{} set by environment to 1.", word(i).to_uppercase())
                })
            },
            800,
        ),
        log(
            "diagnose: distances",
            |n| {
                lines(n, |i| {
                    format!("node-{i}:1:2 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 0 / HCA 0 (distance 7 > 4)")
                })
            },
            800,
        ),
        log(
            "diagnose: roots",
            |n| {
                lines(n, |i| {
                    format!(
                        "node-{i}:1:2 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 8 cudaDev 0 busId 1b000 commId 0x{i:x} - Init COMPLETE"
                    )
                })
            },
            800,
        ),
        log(
            "diagnose: a long line of a pattern's words",
            |n| format!("n:1:2 [0] NCCL WARN {}\n", "Call to ibv_modify_qp failed with error ".repeat(n)).repeat(20),
            200,
        ),
        log(
            "diagnose: a long line of one word",
            |n| format!("n:1:2 [0] NCCL WARN {}\n", "NCCL WARN ".repeat(n)).repeat(20),
            800,
        ),
        log(
            "diagnose: a long line of many patterns' words",
            |n| format!("n:1:2 [0] NCCL WARN {}\n", many_patterns(n)).repeat(20),
            200,
        ),
        log(
            "diagnose: a long line of settings",
            |n| format!("+ mpirun {}\n", lines(n, |i| format!("-x NCCL_A{i}=1")).replace('\n', " ")),
            800,
        ),
        log(
            "diagnose: a long line of devices",
            |n| {
                format!(
                    "n:1:2 [0] NCCL INFO NET/IB : Using {}\n",
                    lines(n, |i| format!("[{i}]mlx5_{i}:1/IB")).replace('\n', " ")
                )
                .repeat(20)
            },
            300,
        ),
        log(
            "diagnose: a long line of escapes",
            |n| format!("n:1:2 [0] NCCL WARN {}\n", "\u{1b}[31mx\u{1b}]8;;".repeat(n)).repeat(20),
            800,
        ),
        log("diagnose: a line without an end", |n| "NCCL WARN x ".repeat(n), 400_000),
        Row {
            name: "diagnose: hosts, text",
            arguments: TEXT,
            file: "job.log",
            content: |n| {
                lines(n, |i| {
                    format!(
                        "node-{i}:1:2 [0] NCCL WARN NET/IB : Got completion from peer 192.0.2.1<4> with error 12, opcode 2, len 1, vendor err 129"
                    )
                })
            },
            n: 800,
        },
        Row {
            name: "merge: hosts",
            arguments: MERGE,
            file: "jobs.jsonl",
            content: |n| lines(n, |i| digest(&format!("node-{i}"), i)),
            n: 500,
        },
        Row {
            name: "merge: one job with many hosts",
            arguments: MERGE,
            file: "jobs.jsonl",
            content: many_hosts,
            n: 1_000,
        },
    ]
}

/// A log in which something of NCCL stands, too: what has nothing of it is refused.
fn job(text: &str) -> String {
    format!("node-a:1:2 [0] NCCL INFO Using network IB\n{text}")
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

/// A word of letters only: lines that differ in digits are one warning.
fn word(mut number: usize) -> String {
    let mut word = String::from("w");
    while number > 0 {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    word
}

/// The first words of all patterns, one behind the other.
fn many_patterns(n: usize) -> String {
    let library = rdmanav::library();
    let all: Vec<&str> =
        library.signatures.iter().flat_map(|signature| signature.patterns).map(|pattern| pattern.text).collect();
    (0..n).map(|i| all[i * 7 % all.len()].split('{').next().unwrap_or_default().to_string() + " ").collect()
}

/// A line of `diagnose --jsonl` for a host.
fn digest(host: &str, rank: usize) -> String {
    digest_of(&[(host.to_string(), rank)])
}

fn many_hosts(n: usize) -> String {
    let hosts: Vec<(String, usize)> = (0..n).map(|i| (format!("node-{i}"), i)).collect();
    digest_of(&hosts) + "\n"
}

fn digest_of(hosts: &[(String, usize)]) -> String {
    thread_local! {
        static DIAGNOSIS: std::cell::RefCell<rdmanav::diagnose::Diagnosis<'static>> =
            std::cell::RefCell::new(rdmanav::diagnose::Diagnosis::new(rdmanav::library()));
    }
    DIAGNOSIS.with_borrow_mut(|diagnosis| {
        let mut number = 0;
        for (host, rank) in hosts {
            for text in [
                format!("{host}:1:2 [0] NCCL INFO Bootstrap : Using eth0:192.0.2.1<0>"),
                format!("{host}:1:2 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_0."),
                format!("{host}:1:2 [0] NCCL INFO NET/IB : No device found."),
                format!("{host}:1:2 [0] NCCL WARN socketStartConnect: Connect to 198.51.100.{}<4> failed : Connection refused", rank % 250),
                format!("{host}:1:2 [0] NCCL INFO Using network Socket"),
                format!("{host}:1:2 [0] NCCL INFO ncclCommInitRank comm 0x5 rank {rank} nranks 64 cudaDev 0 busId 1b000 commId 0x9 - Init START"),
                format!("{host}:1:2 [0] NCCL INFO Channel 00/0 : {rank}[0] -> 8[0] [send] via NET/Socket/0"),
                format!("{host}:1:2 [0] NCCL WARN NET/IB : Got completion from peer 192.0.2.1<4> with error 12, opcode 2, len 1, vendor err 129"),
            ] {
                number += 1;
                diagnosis.line(0, number, text.as_bytes());
            }
        }
        let job = serde_json::to_string(&diagnosis.take_job()).expect("a job is plain data");
        format!(r#"{{"schema":"rdmanav.job/1","host":"{}","file":"job.log","job":{job}}}"#, hosts[0].0)
    })
}
