//! How instructions and memory grow with the input, reader by reader. Needs valgrind and GNU time.
//!
//! Each row is run at n, 2n and 4n. What twice the input adds to the instructions is compared with what the first doubling added, so that what a start costs does not hide the growth: 2 is
//! linear, 4 quadratic.

mod agents;
mod diagnose;
mod lint;
mod packs;
mod row;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use row::Row;

/// The second doubling may add so many times what the first one added.
const MOST: f64 = 2.3;

/// Below this a doubling says nothing of the reader: it is lost in what the start costs.
const LEAST_ADDED: u64 = 200_000;

/// Measured at n, 2n and 4n.
struct Measured {
    instructions: [u64; 3],
    /// Peak memory in MB.
    memory: [u64; 3],
}

impl Measured {
    /// What the second doubling added, as a multiple of what the first one added.
    fn growth(&self) -> f64 {
        let [one, two, four] = self.instructions;
        four.saturating_sub(two) as f64 / two.saturating_sub(one).max(1) as f64
    }

    /// Why it does not hold.
    fn fault(&self) -> Option<String> {
        let [one, two, _] = self.instructions;
        if two.saturating_sub(one) < LEAST_ADDED {
            return Some("too small to be measured".to_string());
        }
        (self.growth() > MOST).then(|| format!("above {MOST}"))
    }
}

/// Measures the rows whose names hold one of `words`, or all.
pub fn run(program: &str, words: &[String]) -> ExitCode {
    let program = std::fs::canonicalize(program).expect("the program is there");
    let rows: Vec<Row> =
        [diagnose::rows(), lint::rows(), packs::rows(), agents::rows()].into_iter().flatten().collect();
    let rows: Vec<&Row> = rows
        .iter()
        .filter(|row| words.is_empty() || words.iter().any(|word| row.name.contains(word.as_str())))
        .collect();
    let scratch = std::env::temp_dir().join(format!("rdmanav-growth-{}", std::process::id()));
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // Instructions do not depend on what else runs: one row a processor.
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let measured = measure(&program, &scratch, row);
                    results.lock().expect("no worker panics while it holds this").push((row.name, measured));
                }
            });
        }
    });
    std::fs::remove_dir_all(scratch).expect("the directory made above");
    let mut results = results.into_inner().expect("all workers have ended");
    results.sort_by_key(|(name, _)| *name);
    println!("| reader and shape | million instructions at n, 2n, 4n | growth | MB at n, 2n, 4n |\n|---|---|---|---|");
    let mut faults = 0;
    for (name, measured) in &results {
        let millions = measured.instructions.map(|count| format!("{:.1}", count as f64 / 1e6)).join(", ");
        let memory = measured.memory.map(|peak| peak.to_string()).join(", ");
        let fault = measured.fault().map_or(String::new(), |fault| format!(" FAULT: {fault}"));
        faults += usize::from(!fault.is_empty());
        println!("| {name} | {millions} | {:.2}{fault} | {memory} |", measured.growth());
    }
    println!("{} passed, {faults} failed", results.len() - faults);
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn measure(program: &Path, scratch: &Path, row: &Row) -> Measured {
    let mut measured = Measured { instructions: [0; 3], memory: [0; 3] };
    for (place, times) in [1, 2, 4].into_iter().enumerate() {
        let directory = scratch.join(row.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        let file = directory.join(row.file);
        std::fs::create_dir_all(file.parent().expect("it lies in the directory")).expect("a writable directory");
        std::fs::write(&file, (row.content)(row.n * times)).expect("a writable directory");
        if row.arguments.contains(&"DIRECTORY") {
            std::fs::write(directory.join("pack.yaml"), "name: big\ntitle: A pack that grows\n")
                .expect("a writable directory");
        }
        // Counted from the second run on: the first one may keep what it learnt.
        ask(&["/usr/bin/env"], program, row, &directory, &file);
        let log =
            ask(&["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], program, row, &directory, &file);
        measured.instructions[place] = last_number(&log, "Collected : ");
        let log = ask(&["/usr/bin/time", "-f", "peak KB: %M"], program, row, &directory, &file);
        measured.memory[place] = last_number(&log, "peak KB: ") / 1024;
    }
    measured
}

/// Runs the row's command below another program; what that one printed.
fn ask(below: &[&str], program: &Path, row: &Row, directory: &Path, file: &PathBuf) -> String {
    let mut command = Command::new(below[0]);
    command.args(&below[1..]).arg(program);
    command.env("RDMANAV_PACKS", "").env("HOME", directory).stdin(Stdio::null());
    let mut arguments = row.arguments.iter();
    while let Some(argument) = arguments.next() {
        match *argument {
            "FILE" => command.arg(file),
            "DIRECTORY" => command.arg(directory),
            "<" => {
                arguments.next();
                command.stdin(std::fs::File::open(file).expect("written above"))
            }
            argument => command.arg(argument),
        };
    }
    let output = command.output().unwrap_or_else(|error| panic!("{}: {error}", below[0]));
    let status = output.status.code();
    // A finding is status 1; what could not be read at all would be fast.
    assert!(
        matches!(status, Some(0 | 1)),
        "{}: status {status:?}: {}",
        row.name,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn last_number(log: &str, key: &str) -> u64 {
    let number = log.rsplit(key).next().and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.unwrap_or_else(|| panic!("no \"{key}\" in: {log}"))
}
