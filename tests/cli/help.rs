//! Help: complete, with examples that work; and what is said to who writes something else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::CommandFactory;
use rdmanav::cli::{Cli, help};

use crate::run::{answer, rdmanav};

/// All commands, built, those within commands included.
fn commands() -> Vec<clap::Command> {
    let mut root = Cli::command();
    root.build();
    let mut all = vec![root];
    let mut next = 0;
    while next < all.len() {
        let children: Vec<clap::Command> = all[next].get_subcommands().cloned().collect();
        all.extend(children);
        next += 1;
    }
    all
}

#[test]
fn the_groups_of_the_help_hold_every_command_with_its_own_words() {
    let root = Cli::command();
    for command in root.get_subcommands() {
        let about = command.get_about().expect("all have one").to_string();
        let aliases: Vec<&str> = command.get_visible_aliases().collect();
        let aliases = if aliases.is_empty() { String::new() } else { format!(" [alias: {}]", aliases.join(", ")) };
        let line = format!("\n  {:<12} {about}{aliases}\n", command.get_name());
        assert!(help::ROOT.contains(&line), "{line}");
    }
    let shown = help::ROOT.lines().skip_while(|line| *line != "Ask and read:").take_while(|line| *line != "Options:");
    assert_eq!(shown.filter(|line| line.starts_with("  ")).count(), root.get_subcommands().count());
}

#[test]
fn the_help_fits_a_window_of_80_columns() {
    for line in answer(&["--help"]).lines().skip(1) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn every_command_has_examples_that_name_it() {
    for command in commands() {
        let name = command.get_bin_name().unwrap_or("rdmanav").to_string();
        // Those of `skill` stand with it.
        if name.starts_with("rdmanav skill ") {
            continue;
        }
        let examples = help::examples(&command);
        assert!(examples.iter().any(|example| example.contains(&name)), "{name}: {examples:?}");
    }
}

#[test]
fn help_is_the_same_by_either_way() {
    assert_eq!(answer(&["help"]), answer(&["--help"]));
    assert_eq!(answer(&["help", "query"]), answer(&["query", "--help"]));
    assert_eq!(answer(&["help", "skill", "install"]), answer(&["skill", "install", "--help"]));
    assert!(answer(&["query", "--help"]).starts_with("Ask a question"));
}

/// A directory with the files that examples name.
struct Examples(PathBuf);

impl Examples {
    fn new() -> Self {
        let directory = std::env::temp_dir().join(format!("rdmanav-examples-{}", std::process::id()));
        let bin = directory.join("bin");
        fs::create_dir_all(&bin).expect("writable");
        for name in ["deploy", "home", "jobs"] {
            fs::create_dir_all(directory.join(name)).expect("writable");
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let log = fs::read(root.join("tests/diagnose/11-error12-at-start-default-gid.log")).expect("there");
        for name in ["nccl.log", "nccl.0.log", "nccl.1.log", "jobs/nccl.log"] {
            fs::write(directory.join(name), &log).expect("writable");
        }
        for name in ["job.sbatch", "train.sh", "deploy/train.sh"] {
            fs::write(directory.join(name), "#!/bin/bash\nexport NCCL_IB_HCA=mlx5_0\nsrun ./train\n")
                .expect("writable");
        }
        fs::write(directory.join("nccl.env"), "NCCL_IB_TC=106\n").expect("writable");
        std::os::unix::fs::symlink(root.join("content"), directory.join("content")).expect("writable");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rdmanav"), bin.join("rdmanav")).expect("writable");
        // Stand-ins for other programs: a job that writes a log, and clients that only start what they are given.
        for (name, text) in [
            (
                "srun",
                "#!/bin/sh\nfor word; do case $word in --*) shift;; *) break;; esac; done\nif [ \"$1\" = rdmanav ]; then exec \"$@\"; fi\ncat nccl.log\n",
            ),
            ("claude", "#!/bin/sh\n"),
            ("man", "#!/bin/sh\ncat > /dev/null\n"),
        ] {
            let path = bin.join(name);
            fs::write(&path, text).expect("writable");
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("writable");
        }
        Examples(directory)
    }
}

impl Drop for Examples {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_example_of_the_help_works() {
    let examples = Examples::new();
    let home = examples.0.join("home");
    fs::create_dir_all(home.join(".config/fish/completions")).expect("writable");
    let path = format!("{}:{}", examples.0.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut count = 0;
    for command in commands() {
        // That of zsh is run in zsh: scripts/check-completions.
        for example in help::examples(&command).into_iter().filter(|example| !example.contains("completions zsh")) {
            count += 1;
            // Paths outside stand for a place of the user's.
            let line = example.replace("/tmp/", "./").replace("/var/log/jobs", "jobs");
            let mut shell = Command::new("bash");
            shell.env_clear().env("PATH", &path).env("HOME", &home).env("NCCL_IB_TC", "106");
            shell.args(["-c", &line]).current_dir(&examples.0).stdin(std::process::Stdio::null());
            let output = shell.output().expect("bash starts");
            let stderr = String::from_utf8_lossy(&output.stderr);
            // Findings and unlike settings are answers of lint, diagnose and check.
            let is_judge =
                ["lint", "diagnose", "check"].iter().any(|name| example.contains(&format!("rdmanav {name}")));
            let expected: &[i32] = if is_judge { &[0, 1] } else { &[0] };
            assert!(expected.contains(&output.status.code().unwrap_or(-1)), "{example}: {:?} {stderr}", output.status);
            assert_eq!(stderr, "", "{example}");
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn what_is_no_command_leads_to_one() {
    for (arguments, hint) in [
        (&["qurey"] as &[&str], "hint: did you mean rdmanav query?\n"),
        (&["lnit", "job.sbatch"], "hint: did you mean rdmanav lint?\n"),
        (&["dcqcn"], "hint: rdmanav show dcqcn\n"),
        (&["dcqcn#parameters"], "hint: rdmanav show dcqcn#parameters\n"),
        (&["dcqcn#$(touch x)"], "hint: rdmanav show 'dcqcn#$(touch x)'\nhint: rdmanav query 'dcqcn#$(touch x)'\n"),
        (&["RoCE"], "hint: rdmanav env roce\n"),
        (&["nccl_ib_tc"], "hint: rdmanav env NCCL_IB_TC\n"),
        (&["pxn-send"], "hint: rdmanav flow pxn-send\n"),
        (&["why is nccl slow"], "hint: a question: rdmanav query \"why is nccl slow\"\n"),
        (&["why", "is", "nccl", "slow"], "hint: a question: rdmanav query \"why is nccl slow\"\n"),
        (
            &["Cargo.toml"],
            "hint: a log: rdmanav diagnose \"Cargo.toml\"\nhint: settings: rdmanav lint \"Cargo.toml\"\n",
        ),
        (&["what is $X"], "hint: a question: rdmanav query 'what is $X'\n"),
        (&["nonsense"], "hint: all commands: rdmanav help\n"),
        (&["help", "qurey"], "did you mean query?"),
        (&["query", "--formt", "json", "x"], "hint: a similar argument exists: '--format'\n"),
        (&["--formt", "json", "query", "x"], "hint: "),
        (&["skill", "instal"], "'install'"),
        (&["\u{1b}[31mred"], "hint: "),
    ] {
        let run = rdmanav(arguments);
        assert_eq!((run.status, &*run.stdout), (2, ""), "{arguments:?}");
        assert!(run.stderr.starts_with("rdmanav: "), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(hint), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}'), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn names_that_are_near_are_offered() {
    for (arguments, name) in [
        (&["show", "dcqn"] as &[&str], "dcqcn"),
        (&["env", "roc"], "roce"),
        (&["env", "NCCL_IB_TIMOUT"], "NCCL_IB_TIMEOUT"),
        (&["flow", "pxn"], "pxn-send"),
        (&["sources", "gid-slection"], "gid-selection"),
        (&["schema", "qery"], "query"),
        (&["lint", "--explain", "hca-prefx"], "hca-prefix"),
        (&["lint", "--profile", "rocee"], "roce"),
    ] {
        let run = rdmanav(arguments);
        assert_eq!(run.status, 1, "{arguments:?}: {}", run.stderr);
        let first = run.stderr.lines().nth(1).unwrap_or_default();
        assert_eq!(first, format!("hint: did you mean {name}?"), "{arguments:?}");
    }
}

#[test]
fn options_of_the_output_may_stand_before_the_command() {
    assert_eq!(answer(&["--format", "json", "query", "DCQCN"]), answer(&["query", "DCQCN", "--format", "json"]));
    assert_eq!(answer(&["--width=60", "--format=plain", "list"]), answer(&["list", "--format=plain", "--width=60"]));
    assert_eq!(rdmanav(&["--format", "json"]).status, 2);
    assert_eq!(rdmanav(&["--format", "xml", "list"]).status, 2);
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    for arguments in [&["--help"] as &[&str], &["query", "-h"], &["help"], &["man"], &["completions", "bash"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("there");
        let output = crate::run::command().args(arguments).stdout(full).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let directory = std::env::temp_dir().join(format!("rdmanav-man-{}", std::process::id()));
    assert_eq!(answer(&["man", "--dir", directory.to_str().expect("text")]), "");
    for command in commands() {
        let name = command.get_bin_name().unwrap_or("rdmanav").replace(' ', "-");
        let page = fs::read_to_string(directory.join(format!("{name}.1"))).expect("written");
        for section in ["NAME", "SYNOPSIS", "EXIT STATUS", "SEE ALSO"] {
            assert!(
                page.contains(&format!(".SH \"{section}\"")) || page.contains(&format!(".SH {section}")),
                "{name}: {section}"
            );
        }
    }
    fs::remove_dir_all(directory).expect("there");
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "RDMANAV_PAGER"] {
        assert!(answer(&["man"]).contains(name), "{name}");
    }
    assert!(answer(&["man", "lint"]).contains("hca\\-prefix"));
    assert_eq!(rdmanav(&["man", "nonsense"]).status, 2);
}

#[test]
fn no_escape_reaches_a_pipe() {
    for arguments in [
        &["help"] as &[&str],
        &["query", "--help"],
        &["man"],
        &["schema"],
        &["skill"],
        &["completions", "bash"],
        &["completions", "zsh", "--", "rdmanav", "show", ""],
        &["completions", "fish", "--", "rdmanav", "env", "NCCL"],
        &["env", "roce", "--as", "k8s"],
        &["lint", "--explain"],
        &["query", "DCQCN", "--pager"],
    ] {
        let mut command = crate::run::command();
        command.args(arguments).env("RDMANAV_PAGER", "cat").env("PAGER", "cat").env("TERM", "xterm");
        let run = crate::run::finish(&mut command);
        assert!(run.status == 0 && !run.stdout.contains('\u{1b}') && run.stderr.is_empty(), "{arguments:?}: {run:?}");
    }
}

#[test]
fn completions_of_anything_end_quietly() {
    for words in [
        &["rdmanav"] as &[&str],
        &["rdmanav", "show", "\"dcq"],
        &["rdmanav", "show", "'"],
        &["rdmanav", "show", "#"],
        &["rdmanav", "show", "zz#zz"],
        &["rdmanav", "env", "--as"],
        &["rdmanav", "env", "--as", "="],
        &["rdmanav", "=", ":", "@"],
        &["rdmanav", "query", "--format=\u{1f600}"],
        &["rdmanav", "nonsense", "--", "--x", ""],
        &[""],
    ] {
        for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
            let arguments: Vec<&str> = ["completions", shell, "--"].into_iter().chain(words.iter().copied()).collect();
            let run = rdmanav(&arguments);
            assert_eq!((run.status, &*run.stderr), (0, ""), "{arguments:?}");
        }
    }
    // bash gives the line, what of it is replaced, and how: it breaks words at `=` and replaces only what stands behind.
    let bash = |line: &str, replaced: &str| answer(&["completions", "bash", "--", line, replaced, "9"]);
    assert!(bash("rdmanav show \"gid-sel", "gid-sel").starts_with("gid-selection\n"));
    assert_eq!(bash("rdmanav query x --format=js", "js"), "json\n");
    assert!(bash("rdmanav env roce --set NCCL_IB_TIMEO", "NCCL_IB_TIMEO").contains("NCCL_IB_TIMEOUT="));
    assert!(
        answer(&["completions", "zsh", "--", "rdmanav", "show", "dcqc"]).contains("dcqcn:DCQCN congestion control\n")
    );
    assert!(answer(&["completions", "fish", "--", "rdmanav", "env", "roc"]).contains("roce\tRoCE v2 cluster\n"));
}

/// In shells that insert what they get as it is, a name must not run; no shell may take one for another, or for a flag.
#[test]
fn names_of_files_are_completed_as_text() {
    let place = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("names");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("writable");
    let names = [
        "qa$(touch x).log",
        "qb;touch x",
        "qc d",
        "qe\nf",
        "qg\u{1b}[31m",
        "qh\u{202e}",
        "qi'j",
        "qk\tl",
        "--pack=x",
        "-",
    ];
    for name in names {
        fs::write(place.join(name), "").expect("writable");
    }
    let complete = |shell: &str, words: &[&str]| {
        let mut command = crate::run::command();
        let run = crate::run::finish(command.current_dir(&place).args(["completions", shell, "--"]).args(words));
        assert_eq!((run.status, &*run.stderr), (0, ""), "{words:?}");
        run.stdout
    };
    for command in ["diagnose", "lint", "env diff roce"] {
        let line = format!("rdmanav {command} ");
        let bash = |typed: &str, replaced: &str| complete("bash", &[&format!("{line}{typed}"), replaced, "9"]);
        for (typed, replaced, inserted) in [
            ("qa", "qa", "qa\\$\\(touch\\ x\\).log\n"),
            ("\"qa", "qa", "qa\\$(touch x).log\n"),
            ("'qa", "qa", "qa$(touch x).log\n"),
            ("qb", "qb", "qb\\;touch\\ x\n"),
            ("qc\\ ", "qc\\ ", "qc\\ d\n"),
            ("'qi", "qi", "qi'\\''j\n"),
            ("qe", "qe", ""),
            ("qg", "qg", ""),
            ("qh", "qh", ""),
            ("qk", "qk", ""),
        ] {
            assert_eq!(bash(typed, replaced), inserted, "{line}{typed}");
        }
        assert!(!bash("--pa", "--pa").contains("=x"), "{line}");
        let words: Vec<&str> = line.split(' ').collect();
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            let all = if shell == "bash" { bash("", "") } else { complete(shell, &words) };
            let flags: Vec<&str> = all
                .lines()
                .filter(|line| line.starts_with('-') && !line.starts_with("-:") && !line.starts_with("-\t"))
                .collect();
            assert!(flags.is_empty() || flags == ["-"], "{shell}: {flags:?}");
            assert!(all.contains("./--pack=x\n") || all.contains("./--pack=x\t"), "{shell}: {all}");
            assert!(
                all.lines().all(|line| !line.contains(['\u{1b}', '\u{202e}'])) && !all.contains("\nf\n"),
                "{shell}: {all}"
            );
        }
        assert!(
            complete("powershell", &[&words[..words.len() - 1], &["qa"]].concat())
                .starts_with("'qa$(touch x).log'\tqa$(touch x).log\t")
        );
    }
}
