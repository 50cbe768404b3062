//! How long rdmanav takes from start to exit, against an empty Rust program of the same profile, in one run.
//!
//! `cargo bench --bench startup` measures the plain release build; with `RDMANAV_PORTABLE=FILE` also that portable build
//! (`scripts/build-portable`), against the same empty program and against one that is static, too. Instruction counts need valgrind. One command is also measured
//! on a pseudo-terminal, where it lays out its text.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::{pty, termios};

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
    let empty = empty_program(&directory, "plain", &[]);
    compare("plain", &plain, &empty);
    compare_on_a_terminal(&plain, &empty);
    if let Some(portable) = std::env::var_os("RDMANAV_PORTABLE") {
        // What a user would have instead: a program as Cargo links it. And what linking it statically alone would give.
        compare("portable", Path::new(&portable), &empty);
        let flags = ["-C", "target-feature=+crt-static"];
        compare("portable, static floor,", Path::new(&portable), &empty_program(&directory, "portable", &flags));
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

/// As [`compare`], with stdout on a terminal of 80 columns.
fn compare_on_a_terminal(rdmanav: &Path, empty: &Path) {
    let command = COMMANDS[0];
    let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        times[0].push(start_on_a_terminal(empty, &[]).0);
        let (time, written) = start_on_a_terminal(rdmanav, command);
        times[1].push(time);
        bytes = written;
    }
    let (floor, time) = (median(&mut times[0]), median(&mut times[1]));
    println!("on a terminal, median of {ROUNDS} starts");
    println!("  {:14} {:7.0} us", "empty program", floor * 1e6);
    println!("  {:14} {:7.0} us, {:.2} times; {bytes} bytes", command.join(" "), time * 1e6, time / floor);
}

/// The time to the end of the program, and what it wrote.
fn start_on_a_terminal(program: &Path, arguments: &[&str]) -> (Duration, usize) {
    let master = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    pty::grantpt(&master).expect("its slave is ours");
    pty::unlockpt(&master).expect("its slave can be opened");
    let name = pty::ptsname(&master, Vec::new()).expect("a name");
    let slave: OwnedFd = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("the slave");
    let size = termios::Winsize { ws_row: 50, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    termios::tcsetwinsize(&slave, size).expect("a size");
    // A terminal reads while the program writes.
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        // The end of the slave is an error on the master.
        let _ = File::from(master).read_to_end(&mut text);
        text.len()
    });
    let mut command = Command::new(program);
    command.args(arguments).env_clear().env("TERM", "xterm-256color");
    command.stdin(Stdio::null()).stdout(slave).stderr(Stdio::null());
    let begin = Instant::now();
    let status = command.status().expect("the program starts");
    let time = begin.elapsed();
    assert!(status.success());
    // It holds the slave open.
    drop(command);
    (time, reader.join().expect("the reader ends"))
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
