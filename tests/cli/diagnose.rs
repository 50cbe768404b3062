//! `rdmanav diagnose` on logs rewritten from public reports, and on bad input.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::run::{Run, command, rdmanav};

fn logs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnose")
}

/// Runs with this on the standard input.
fn piped(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The program may end before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("writes or fails");
    Run {
        status: output.status.code().expect("it ends by itself, not by a signal"),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

fn findings(run: &Run) -> Vec<serde_json::Value> {
    let answer: serde_json::Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert_eq!(answer["schema"], "rdmanav.findings/1");
    answer["findings"].as_array().expect("a list").clone()
}

#[test]
fn logs_of_public_reports_lead_to_their_cause() {
    let table = std::fs::read_to_string(logs().join("expected.tsv")).expect("stands beside the logs");
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [name, rule, severity, line, status, _source] = cells[..] else { panic!("six cells: {row}") };
        let path = logs().join(format!("{name}.log"));
        let run = rdmanav(&["diagnose", "--format", "json", path.to_str().expect("UTF-8")]);
        assert_eq!(run.status.to_string(), status, "{name}: {run:?}");
        let findings = findings(&run);
        let Some(first) = findings.first() else {
            assert_eq!(rule, "-", "{name}: no finding");
            continue;
        };
        assert_eq!(
            (first["rule"].as_str(), first["severity"].as_str()),
            (Some(rule), Some(severity)),
            "{name}: {first}"
        );
        assert_eq!(first["line"].to_string(), line, "{name}: {first}");
        for field in ["message", "advice"] {
            assert!(first[field].as_str().is_some_and(|text| text.len() > 20), "{name}: {field}: {first}");
        }
        let section = first["sections"][0].as_str().expect("a section");
        assert_eq!(rdmanav(&["show", section]).status, 0, "{name}: {section}");
    }
}

#[test]
fn the_given_cases_beside_the_repository() {
    // Judged by cause, line and trap in ../shared/eval/cases.py; here: the healthy ones are clean, the others are not.
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/eval/cases");
    let Ok(entries) = std::fs::read_dir(cases) else { return };
    for case in entries.map(|entry| entry.expect("readable").path()) {
        let Ok(expect) = std::fs::read_to_string(case.join("expect.md")) else { continue };
        if !expect.contains("- kind: diagnose") {
            continue;
        }
        let log = case.join("input.log");
        let run = rdmanav(&["diagnose", "--format", "json", log.to_str().expect("UTF-8")]);
        assert_eq!(run.status, i32::from(!expect.contains("- finding: NO")), "{}: {run:?}", case.display());
    }
}

const REFUSED: &str = "node-a:1:2 [0] NCCL INFO Bootstrap: Using eth0:192.0.2.1<0>\n\
    node-b:3:4 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to 192.0.2.1<44821> failed : Connection refused\n";

#[test]
fn the_same_log_in_other_wrappings_gives_the_same_cause() {
    let plain = piped(&["diagnose", "--format", "json"], REFUSED.as_bytes());
    let rule = findings(&plain)[0]["rule"].clone();
    let prefixed = |prefix: &str| REFUSED.lines().map(|line| [prefix, line, "\n"].concat()).collect::<String>();
    for log in [
        REFUSED.replace('\n', "\r\n"),
        prefixed("0: "),
        prefixed("[1,0]<stdout>:"),
        prefixed("worker-0-1  | "),
        prefixed("2026-11-29T10:00:00.123456789Z stdout F "),
        REFUSED.replace("NCCL WARN", "\u{1b}[31mNCCL WARN\u{1b}[0m").replace("\u{1b}[0m", ""),
        format!(
            "step 1 loss 2.0\n\u{0}\u{0}\n{REFUSED}  0%|          | 0/10 [00:00<?, ?it/s]\r 10%|#         | 1/10\n"
        ),
    ] {
        let run = piped(&["diagnose", "--format", "json"], log.as_bytes());
        assert_eq!(findings(&run)[0]["rule"], rule, "{log:?}: {run:?}");
    }
}

#[test]
fn nothing_of_nccl_is_an_error_that_says_what_to_do() {
    for input in [&b""[..], b"\n\n", b"step 1 loss 2.0\nall good\n", &[0xff, 0xfe, 0x00, 0x0a, 0x80]] {
        let run = piped(&["diagnose"], input);
        assert_eq!((run.status, &*run.stdout), (2, ""), "{input:?}");
        assert!(run.stderr.contains("no NCCL lines found") && run.stderr.contains("NCCL_DEBUG=INFO"), "{}", run.stderr);
    }
    // A framework's words about NCCL are something.
    let run = piped(
        &["diagnose"],
        b"RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)\n",
    );
    assert_eq!(run.status, 1, "{run:?}");
}

#[test]
fn bad_files_are_told_apart() {
    let directory = rdmanav(&["diagnose", "/"]);
    assert_eq!(directory.status, 2);
    assert!(directory.stderr.contains("is a directory"), "{}", directory.stderr);
    let missing = rdmanav(&["diagnose", "/no/such/file.log"]);
    assert_eq!(missing.status, 2);
    assert!(missing.stderr.contains("/no/such/file.log cannot be read"), "{}", missing.stderr);
}

#[test]
fn long_lines_and_foreign_bytes_do_no_harm() {
    let mut log = vec![b'x'; 3_000_000];
    log.extend(b"\n\x1b]0;title\x07\xff\xfe\n");
    log.extend(REFUSED.as_bytes());
    log.extend(b"node-a:1:2 [0] NCCL WARN cut off in the mid");
    for format in ["json", "plain", "markdown"] {
        let run = piped(&["diagnose", "--format", format], &log);
        assert_eq!(run.status, 1, "{format}");
        assert!(
            !run.stdout.contains('\u{1b}') && run.stdout.contains("Connection refused"),
            "{format}: {}",
            run.stdout
        );
    }
    // What a line holds stays text: no escape and no markdown of the log gets through.
    let evil = REFUSED.replace("Connection refused", "Connection refused \u{1b}[2J\u{202e} ````\n# Injected");
    let run = piped(&["diagnose", "--format", "markdown"], evil.as_bytes());
    assert!(!run.stdout.contains('\u{1b}') && !run.stdout.contains('\u{202e}'), "{}", run.stdout);
    assert!(!run.stdout.contains("\n# Injected"), "{}", run.stdout);
}

#[test]
fn a_healthy_log_says_what_the_job_uses() {
    let path = logs().join("24-healthy-roce-two-nodes.log");
    let path = path.to_str().expect("UTF-8");
    let run = rdmanav(&["diagnose", path]);
    assert_eq!(run.status, 0);
    assert!(run.stdout.starts_with("No fault found: NCCL 2.21.5, 2 ranks, 2 nodes, network IB"), "{}", run.stdout);
    let summary = rdmanav(&["diagnose", "--summary", path]);
    assert_eq!(summary.status, 0);
    for row in ["| Nodes | 2 |", "| Ranks | 2 |", "| NCCL | 2.21.5 |", "| Network | IB |"] {
        assert!(summary.stdout.contains(row), "{row}: {}", summary.stdout);
    }
}

#[test]
fn several_files_are_one_job() {
    let directory = std::env::temp_dir().join(format!("rdmanav-diagnose-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let mut files = Vec::new();
    for (number, line) in REFUSED.lines().enumerate() {
        let path = directory.join(format!("nccl.node-{number}"));
        std::fs::write(&path, format!("{line}\n")).expect("writable");
        files.push(path.to_str().expect("UTF-8").to_string());
    }
    let mut arguments = vec!["diagnose", "--format", "json"];
    arguments.extend(files.iter().map(String::as_str));
    let run = rdmanav(&arguments);
    let findings = findings(&run);
    assert_eq!(findings[0]["file"], files[1].as_str(), "{run:?}");
    assert_eq!(findings[0]["line"], 1);
    std::fs::remove_dir_all(directory).expect("the directory made above");
}

#[test]
fn joined_digests_are_one_run_over_all_logs() {
    let names = [
        "02-efa-plugin-cannot-create-cq",
        "64-hca-names-differ-per-node",
        "66-xid-nvlink-in-the-middle",
        "74-healthy-roce-16-nodes-tqdm",
    ];
    let paths: Vec<String> =
        names.iter().map(|name| logs().join(format!("{name}.log")).to_str().expect("UTF-8").to_string()).collect();
    for format in ["json", "plain"] {
        let mut arguments = vec!["diagnose", "--notes", "--format", format];
        arguments.extend(paths.iter().map(String::as_str));
        let at_once = rdmanav(&arguments);
        // As launchers pass the lines on: each with a prefix.
        let mut lines = String::new();
        for (number, path) in paths.iter().enumerate() {
            let run = rdmanav(&["diagnose", "--jsonl", path]);
            assert_eq!(run.status, 0, "{run:?}");
            assert_eq!(run.stdout.lines().count(), 1);
            lines.push_str(&format!("{number}: {}", run.stdout));
        }
        let joined = piped(&["diagnose", "--merge", "--notes", "--format", format], lines.as_bytes());
        assert_eq!(joined.status, at_once.status, "{joined:?}");
        let unnamed = |text: &str| {
            let mut text = text.to_string();
            for (name, path) in names.iter().zip(&paths) {
                for host in ["node-a:", "node-b:", ""] {
                    text = text.replace(&format!("{host}{path}"), name);
                }
            }
            text
        };
        assert_eq!(unnamed(&joined.stdout), unnamed(&at_once.stdout), "{format}");
    }
    let bad = piped(&["diagnose", "--merge"], b"{\"schema\":\"other/1\"}\n");
    assert_eq!(bad.status, 2);
    assert!(bad.stderr.contains("stdin:1: no line of"), "{}", bad.stderr);
}
