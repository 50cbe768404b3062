//! The contract that all commands share: exit statuses, streams, formats, bad input.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use crate::run::{answer, command, finish, rdmanav};

/// A call of each command that answers.
pub const ANSWERING: &[&[&str]] = &[
    &["query", "DCQCN"],
    &["query", "--list", "--why", "gpu direct"],
    &["show", "dcqcn"],
    &["show", "dcqcn#parameters"],
    &["show", "nccl-env#NCCL_IB_TC"],
    &["list"],
    &["list", "--issues"],
    &["list", "--triggers"],
    &["list", "--tokens"],
    &["context", "nccl falls back to sockets", "--max-tokens", "1500"],
    &["context", "--sections", "dcqcn#roles,pxn#"],
    &["env"],
    &["env", "roce"],
    &["env", "NCCL_IB_TIMEOUT"],
    &["env", "NCCL_IB_*"],
    &["flow"],
    &["flow", "gpudirect-rdma-write"],
    &["sources", "dcqcn"],
    &["check"],
];

#[test]
fn no_command_prints_help_and_fails() {
    let run = rdmanav(&[]);
    assert_eq!((run.status, &*run.stdout), (2, ""));
    assert!(run.stderr.contains("Usage: rdmanav"), "{}", run.stderr);
}

#[test]
fn the_version_names_the_release_that_is_covered() {
    let version = answer(&["--version"]);
    assert!(version.starts_with(concat!("rdmanav ", env!("CARGO_PKG_VERSION"), "\n")), "{version}");
    assert!(version.contains("NCCL up to 2.30.7, reviewed 20"), "{version}");
    assert_eq!(version, answer(&["-V"]));
}

#[test]
fn answers_are_on_stdout_only() {
    for arguments in ANSWERING {
        let run = rdmanav(arguments);
        assert_eq!((run.status, &*run.stderr), (0, ""), "{arguments:?}");
        assert!(run.stdout.ends_with('\n') && run.stdout.len() > 20, "{arguments:?}: {}", run.stdout);
    }
}

#[test]
fn styles_can_be_forced_and_forbidden() {
    let styled = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = command();
        command.args(["show", "pxn"]).args(arguments).envs(variables.iter().copied());
        finish(&mut command).stdout.contains('\u{1b}')
    };
    assert!(styled(&["--color", "always"], &[]));
    assert!(styled(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(styled(&["--format", "term"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!styled(&["--format", "plain", "--color", "always"], &[]));
    assert!(!styled(&["--format", "term", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!styled(&[], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn json_carries_its_schema() {
    for arguments in ANSWERING {
        let mut command = command();
        command.args(*arguments).args(["--format", "json"]);
        let run = finish(&mut command);
        let value: serde_json::Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
        let schema = value["schema"].as_str().unwrap_or_default();
        assert!(schema.starts_with("rdmanav.") && schema.ends_with("/1"), "{arguments:?}: {schema}");
    }
}

#[test]
fn what_is_not_there_is_one_line_with_a_hint_and_status_1() {
    for (arguments, message, hint) in [
        (&["show", "dcqn"] as &[&str], "no section \"dcqn\"", "did you mean dcqcn?"),
        (&["show", "zzzzzz"], "no section \"zzzzzz\"", "rdmanav list"),
        (&["show", "dcqcn#paramters"], "no part \"paramters\"", "did you mean parameters?"),
        (&["env", "NCCL_IB_GID_INDX"], "no NCCL variable \"NCCL_IB_GID_INDX\"", "did you mean NCCL_IB_GID_INDEX?"),
        (&["env", "NCCL_ZZ_*"], "no NCCL variable matches", "a pattern is"),
        (&["env", "rocee"], "\"rocee\"", "hint:"),
        (&["flow", "gpudirect"], "no flow \"gpudirect\"", "did you mean gpudirect-rdma-write?"),
        (&["sources", "pnx"], "no section \"pnx\"", "did you mean pxn?"),
        (&["query", "sourdough", "bread"], "nothing here answers that", "hint:"),
    ] {
        let run = rdmanav(arguments);
        assert_eq!((run.status, &*run.stdout), (1, ""), "{arguments:?}");
        assert!(run.stderr.starts_with("rdmanav: ") && run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(hint), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.lines().skip(1).all(|line| line.starts_with("hint: ")), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn an_off_topic_question_has_an_empty_list_in_json() {
    let run = rdmanav(&["query", "--format", "json", "sourdough bread"]);
    assert_eq!(run.status, 1);
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["hits"], serde_json::json!([]));
    assert_eq!(value["query"], "sourdough bread");
}

#[test]
fn wrong_usage_is_status_2_and_says_what_to_do() {
    for (arguments, message) in [
        (&["query"] as &[&str], "WORDS"),
        (&["query", ""], "the question is empty"),
        (&["query", "  ", "\t"], "the question is empty"),
        (&["query", "x", "--width", "0"], "20..=1000"),
        (&["query", "x", "--width", "1000000"], "--width"),
        (&["query", "x", "-n", "0"], "1..=1000"),
        (&["query", "x", "--format", "xml"], "possible values"),
        (&["completions", "tcsh"], "possible values"),
        (&["nonsense"], "no command \"nonsense\""),
        (&["env", ""], "the name is empty"),
        (&["env", "--all"], "need a profile"),
        (&["env", "--as", "export"], "need a profile"),
        (&["env", "NCCL_IB_TC", "--as", "export"], "need a profile"),
        (&["env", "roce", "--set", "NCCL_IB_TC"], "NAME=VALUE"),
        (&["env", "roce", "--set", "NCCL_ALGO=Ring"], "not in profile roce"),
        (&["env", "roce", "--set", "NCCL_IB_TC=1", "--set", "NCCL_IB_TC=2"], "given twice"),
        (&["env", "roce", "--set", "NCCL_IB_TC=1\n2"], "control character"),
        (&["check", "/nonexistent"], "cannot be read"),
    ] {
        let run = rdmanav(arguments);
        assert_eq!((run.status, &*run.stdout), (2, ""), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn bytes_that_are_no_utf8_are_no_reason_to_fail() {
    for subcommand in ["query", "show", "env", "flow", "sources"] {
        let mut command = command();
        command.arg(subcommand).arg(OsStr::from_bytes(b"dcqcn\xff\xfe\x1b[31m"));
        let run = finish(&mut command);
        assert!([0, 1].contains(&run.status), "{subcommand}: {run:?}");
        assert!(!run.stderr.contains('\u{1b}'), "{subcommand}: {run:?}");
    }
}

#[test]
fn text_from_outside_is_cleaned() {
    let nasty = "\u{1b}]0;owned\u{7}\u{1b}[2Jxyzzy\u{9b}31m\u{202e}";
    for arguments in [["show", nasty], ["query", nasty], ["env", nasty], ["flow", nasty], ["sources", nasty]] {
        for format in ["auto", "json"] {
            let run = rdmanav(&[arguments[0], arguments[1], "--format", format]);
            for text in [run.stdout, run.stderr] {
                assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{arguments:?}: {text:?}");
            }
        }
    }
}

#[test]
fn options_are_cleaned_too() {
    for arguments in [
        &["env", "roce", "--set", "\u{1b}]0;x\u{7}"] as &[&str],
        &["env", "roce", "--set", "\u{1b}[31mX=1"],
        &["env", "roce", "--set", "NCCL_IB_HCA=a\u{202e}b"],
        &["env", "--changed", "2.27.1-\u{1b}[31m..2.20"],
        &["env", "diff", "roce", "\u{1b}[2J"],
    ] {
        let run = rdmanav(arguments);
        assert!([1, 2].contains(&run.status), "{arguments:?}");
        assert!(!run.stderr.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{arguments:?}: {:?}", run.stderr);
    }
}

#[test]
fn long_names_are_refused_at_once() {
    let long = "NCCL_".repeat(20_000);
    for subcommand in ["show", "env", "flow", "sources"] {
        let run = rdmanav(&[subcommand, &long]);
        assert_eq!(run.status, 1, "{subcommand}");
        assert!(run.stderr.len() < 5_000, "{subcommand}: {}", run.stderr.len());
    }
}

#[test]
fn a_checked_directory_cannot_drive_the_terminal() {
    let directory = std::env::temp_dir().join(format!("rdmanav-nasty-{}", std::process::id()));
    std::fs::create_dir_all(directory.join("sections")).unwrap();
    let section = "---\nid: \"\\e]0;x\\a\\nforged.md:1: fine\"\ntitle: T\nkind: subsystem\nsummary: S\ntriggers: [\"\\e[31m\"]\n\
                   see_also: []\nreviewed: 2026-11-29\n---\n\nIt takes 5 us. [^nccl-env-guide]\n";
    std::fs::write(directory.join("sections/evil.md"), section).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(directory.join("sections/fifo.md")).status();
    for format in ["auto", "term", "json"] {
        let run = rdmanav(&["check", directory.to_str().unwrap(), "--format", format]);
        assert_eq!(run.status, 1, "{run:?}");
        assert!(!run.stdout.contains(['\u{1b}', '\u{7}']), "{format}: {:?}", run.stdout);
        assert!(!run.stdout.lines().any(|line| line == "forged.md:1: fine"), "{}", run.stdout);
        assert!(
            !fifo.as_ref().is_ok_and(std::process::ExitStatus::success) || run.stdout.contains("not a regular file")
        );
    }
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn a_long_question_is_answered_or_refused() {
    let long = "dcqcn alpha ".repeat(10_000);
    let run = rdmanav(&["query", &long]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let run = rdmanav(&["query", &"x".repeat(100_000)]);
    assert_eq!(run.status, 1);
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = command();
    command.args(["show", "dcqcn"]).stdout(writer);
    let output = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

#[test]
fn a_full_disk_is_an_error() {
    let mut command = command();
    command.args(["show", "dcqcn"]).stdout(File::options().write(true).open("/dev/full").unwrap());
    let output = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written"), "{output:?}");
}

#[test]
fn every_shell_has_a_completion_script() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(answer(&["completions", shell]).contains("rdmanav"), "{shell}");
    }
}

#[test]
fn a_list_in_a_pipe_is_one_a_line() {
    let list = answer(&["list"]);
    assert!(list.lines().any(|line| line == "dcqcn\tDCQCN congestion control"), "{list}");
    let issues = answer(&["list", "--issues"]);
    assert!(issues.lines().any(|line| line.starts_with("nccl-transports#tcp-fallback\t")), "{issues}");
}
