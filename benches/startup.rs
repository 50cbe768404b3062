//! How long rdmanav takes from start to exit, against an empty Rust program of the same profile, in one run.
//!
//! `cargo bench --bench startup` measures the plain release build; with `RDMANAV_PORTABLE=FILE` also that portable build
//! (`scripts/build-portable`), against an empty program linked the same way. Instruction counts need valgrind.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const COMMANDS: [&[&str]; 4] = [&["query", "DCQCN"], &["show", "dcqcn"], &["env", "roce"], &["list"]];

/// Rounds of one start of each program, in turn, so that all see the same machine.
const ROUNDS: usize = 500;

fn main() {
    // `cargo test --benches` runs this too, without measuring.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let directory = std::env::temp_dir().join(format!("rdmanav-startup-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let plain = PathBuf::from(env!("CARGO_BIN_EXE_rdmanav"));
    compare("plain", &plain, &empty_program(&directory, "plain", &[]));
    if let Some(portable) = std::env::var_os("RDMANAV_PORTABLE") {
        let flags = ["-C", "target-feature=+crt-static"];
        compare("portable", Path::new(&portable), &empty_program(&directory, "portable", &flags));
    }
    std::fs::remove_dir_all(directory).expect("the directory made above");
}

/// Compiles `fn main() {}` with the release profile of `Cargo.toml`.
fn empty_program(directory: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let source = directory.join("empty.rs");
    std::fs::write(&source, "fn main() {}\n").expect("the temporary directory is writable");
    let program = directory.join(format!("empty-{name}"));
    let profile =
        ["-C", "opt-level=3", "-C", "lto=fat", "-C", "codegen-units=1", "-C", "panic=abort", "-C", "strip=symbols"];
    let status = Command::new("rustc").args(profile).args(flags).arg(&source).arg("-o").arg(&program).status();
    assert!(status.expect("rustc runs").success());
    program
}

fn compare(build: &str, rdmanav: &Path, empty: &Path) {
    let size = std::fs::metadata(rdmanav).expect("a built binary").len();
    println!("{build} build, {:.2} MB, median of {ROUNDS} starts", size as f64 / 1e6);
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); COMMANDS.len() + 1];
    for _ in 0..ROUNDS {
        times[0].push(start(empty, &[]));
        for (command, times) in COMMANDS.iter().zip(&mut times[1..]) {
            times.push(start(rdmanav, command));
        }
    }
    let floor = median(&mut times[0]);
    let floor_instructions = instructions(empty, &[]);
    println!("  {:14} {:7.0} us            {}", "empty program", floor * 1e6, count(floor_instructions));
    for (command, times) in COMMANDS.iter().zip(&mut times[1..]) {
        let time = median(times);
        let instructions = instructions(rdmanav, command);
        let ratio = instructions
            .zip(floor_instructions)
            .map_or(String::new(), |(a, b)| format!(", {:.2} times", a as f64 / b as f64));
        println!(
            "  {:14} {:7.0} us, {:.2} times; {}{ratio}",
            command.join(" "),
            time * 1e6,
            time / floor,
            count(instructions)
        );
    }
}

fn start(program: &Path, arguments: &[&str]) -> Duration {
    let mut command = Command::new(program);
    // An environment of its own: neither the user's settings nor the locale decide what is measured.
    command.args(arguments).env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let begin = Instant::now();
    let output = command.output().expect("the program starts");
    let time = begin.elapsed();
    assert!(output.status.success());
    time
}

/// In seconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

/// Instructions that callgrind counts, where it is installed.
fn instructions(program: &Path, arguments: &[&str]) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH")?)
        .stdout(Stdio::piped())
        .output()
        .ok()?;
    let log = String::from_utf8_lossy(&output.stderr);
    log.lines().find_map(|line| line.split("Collected : ").nth(1))?.trim().parse().ok()
}

fn count(instructions: Option<u64>) -> String {
    instructions.map_or("no valgrind".to_string(), |count| format!("{count} instructions"))
}
