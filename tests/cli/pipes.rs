//! No escape sequence reaches a pipe, whatever is run and whatever the environment holds; and what a terminal gets instead.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::{pty, termios};

use crate::contract::ANSWERING;
use crate::run::{Run, command, finish};

/// What others put into the environment, with escape sequences in it.
const HOSTILE: &[(&str, &str)] = &[
    ("TERM", "xterm-256color\u{1b}[31m"),
    ("COLORTERM", "truecolor"),
    ("COLORFGBG", "\u{1b}]0;x\u{7};15"),
    ("RDMANAV_THEME", "\u{1b}[2J"),
    ("TERM_PROGRAM", "iTerm.app"),
    ("TERM_PROGRAM_VERSION", "9.9\u{1b}[5m"),
    ("VTE_VERSION", "7006"),
    ("KITTY_WINDOW_ID", "1"),
    ("COLUMNS", "\u{1b}[31m"),
    ("LANG", "en_US.UTF-8"),
    ("NCCL_DEBUG", "\u{1b}[31mINFO"),
    ("NCCL_IB_HCA", "mlx5\u{1b}]8;;http://x\u{1b}\\x\u{202e}"),
    ("NCCL_\u{1b}[31m", "1"),
    ("NCCL_IB_TIMEOUT", "99\u{9b}31m"),
];

/// Calls of every command, right and wrong.
fn calls() -> Vec<Vec<String>> {
    let mut calls: Vec<Vec<&str>> = ANSWERING.iter().map(|call| call.to_vec()).collect();
    calls.extend([
        vec!["lint"],
        vec!["lint", "-"],
        vec!["lint", "--explain", "hca-prefix"],
        vec!["lint", "/nonexistent\u{1b}[31m"],
        vec!["diagnose", "-"],
        vec!["diagnose", "--summary", "-"],
        vec!["diagnose", "/nonexistent\u{1b}[31m"],
        vec!["env", "diff", "roce", "current"],
        vec!["env", "--changed", "2.20..2.27"],
        vec!["sources"],
        vec!["query", "sourdough bread"],
        vec!["query", "\u{1b}[31mdcqn\u{1b}[0m"],
        vec!["show", "dcqn\u{1b}]0;x\u{7}"],
        vec!["env", "NCCL_IB_\u{1b}[31mTC"],
        vec!["flow", "\u{1b}[2J"],
        vec!["--nonsense\u{1b}[31m"],
        vec!["nonsense\u{1b}[31m"],
    ]);
    let mut out = Vec::new();
    for call in &calls {
        out.push(call.iter().map(ToString::to_string).collect());
        for format in ["auto", "term", "markdown", "plain", "json"] {
            out.push(call.iter().copied().chain(["--format", format]).map(str::to_string).collect());
        }
    }
    // These print what other programs read, in a form of its own.
    for call in [
        "env roce --as export",
        "env roce --as conf",
        "env roce --as docker",
        "env roce --as compose",
        "env roce --as k8s",
        "env roce --as slurm",
        "env roce --as dotenv",
        "skill",
        "schema",
        "schema query",
        "--version",
        "--help",
        "-h",
        "",
    ] {
        out.push(call.split_whitespace().map(str::to_string).collect());
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        out.push(vec!["completions".to_string(), shell.to_string()]);
    }
    let help = finish(command().arg("--help")).stdout;
    for line in help.lines().filter(|line| line.starts_with("  ")) {
        if let Some(name) =
            line.split_whitespace().next().filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase()))
        {
            out.push(vec![name.to_string(), "--help".to_string()]);
            out.push(vec![name.to_string(), "--no-such-flag\u{1b}[31m".to_string()]);
        }
    }
    out
}

const LOG: &str = "node1:77:77 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<43215> with error 12, opcode 0, len 0, vendor err 129\u{1b}[31m\n\
                   export NCCL_IB_HCA=mlx5_0\u{1b}]0;x\u{7}\n";

#[test]
fn no_escape_reaches_a_pipe() {
    let log = std::env::temp_dir().join(format!("rdmanav-pipes-{}.log", std::process::id()));
    std::fs::write(&log, LOG).unwrap();
    for call in calls() {
        for environment in [&[] as &[(&str, &str)], HOSTILE] {
            let mut command = command();
            command.args(&call).envs(environment.iter().copied()).stdin(File::open(&log).unwrap());
            let Run { stdout, stderr, status } = finish(&mut command);
            for text in [stdout, stderr] {
                let control = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
                assert_eq!(control, None, "{call:?} ({status}): {text:.400}");
                assert!(!text.contains('\u{202e}'), "{call:?}");
            }
        }
    }
    std::fs::remove_file(log).unwrap();
}

/// Runs on a terminal of so many columns; returns what it got.
fn on_a_terminal(arguments: &[&str], columns: u16, environment: &[(&str, &str)]) -> String {
    let master = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).unwrap();
    pty::grantpt(&master).unwrap();
    pty::unlockpt(&master).unwrap();
    let name = pty::ptsname(&master, Vec::new()).unwrap();
    let slave: OwnedFd = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let size = termios::Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    termios::tcsetwinsize(&slave, size).unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        // The end of the slave is an error on the master.
        let _ = File::from(master).read_to_end(&mut text);
        String::from_utf8(text).unwrap()
    });
    let mut command: Command = command();
    command.args(arguments).envs(environment.iter().copied());
    let status = command.stdout(slave).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{arguments:?}");
    drop(command);
    reader.join().unwrap().replace("\r\n", "\n")
}

#[test]
fn a_terminal_gets_what_it_can_show() {
    let show = ["show", "pxn"];
    let xterm = on_a_terminal(&show, 60, &[("TERM", "xterm-256color")]);
    assert!(xterm.contains("\u{1b}[1m") || xterm.contains("\u{1b}[1;"), "{xterm:.300}");
    assert!(!xterm.contains("]8;;"), "{xterm:.300}");
    assert!(xterm.contains("https://"), "addresses can be read");
    let kitty = on_a_terminal(&show, 60, &[("TERM", "xterm-kitty")]);
    assert!(kitty.contains("\u{1b}]8;;https://"), "{kitty:.300}");
    assert_ne!(on_a_terminal(&show, 60, &[("TERM", "xterm"), ("RDMANAV_THEME", "dark")]), xterm);
    for (environment, ascii) in [
        (&[("TERM", "dumb")] as &[(&str, &str)], false),
        (&[("TERM", "dumb"), ("VTE_VERSION", "7006")], false),
        (&[("TERM", "xterm"), ("NO_COLOR", "1"), ("KITTY_WINDOW_ID", "1")], false),
        (&[("TERM", "dumb"), ("LC_ALL", "C")], true),
    ] {
        let text = on_a_terminal(&show, 60, environment);
        assert!(!text.contains('\u{1b}'), "{environment:?}: {text:.300}");
        assert_eq!(text.is_ascii(), ascii, "{environment:?}: {text:.300}");
        assert!(text.contains("https://"), "{environment:?}");
    }
}
