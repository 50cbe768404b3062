//! How instructions and memory grow with the input, reader by reader. Needs valgrind and GNU time.
//!
//! Each row is run at n, 2n and 4n. What twice the input adds to the instructions is compared with what the first doubling added, so that what a start costs does not hide the growth: 2 is
//! linear, 4 quadratic.

mod agents;
mod diagnose;
mod lint;
mod packs;
mod row;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use row::Row;

/// The second doubling may add so many times what the first one added.
const MOST: f64 = 2.3;

/// Below this a doubling says nothing of the reader: it is lost in what the start costs.
const LEAST_ADDED: u64 = 200_000;

/// What takes longer, in seconds, has no figure: it is measured far from where it should be.
const LONGEST: &str = "120";

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

    /// A row of the table.
    fn line(&self, name: &str) -> String {
        let millions = self.instructions.map(|count| format!("{:.1}", count as f64 / 1e6)).join(", ");
        let memory = self.memory.map(|peak| peak.to_string()).join(", ");
        let fault = self.fault().map_or(String::new(), |fault| format!(" FAULT: {fault}"));
        format!("| {name} | {millions} | {:.2}{fault} | {memory} |", self.growth())
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
    let (next, faults) = (AtomicUsize::new(0), AtomicUsize::new(0));
    println!("| reader and shape | million instructions at n, 2n, 4n | growth | MB at n, 2n, 4n |\n|---|---|---|---|");
    // Instructions do not depend on what else runs: one row a processor.
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let line = match measure(&program, &scratch, row) {
                        Ok(measured) => measured.line(row.name),
                        Err(fault) => format!("| {} | FAULT: {fault} | | |", row.name),
                    };
                    println!("{line}");
                    faults.fetch_add(usize::from(line.contains("FAULT")), Ordering::Relaxed);
                }
            });
        }
    });
    std::fs::remove_dir_all(scratch).expect("the directory made above");
    let faults = faults.into_inner();
    println!("{} passed, {faults} failed", rows.len() - faults);
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn measure(program: &Path, scratch: &Path, row: &Row) -> Result<Measured, String> {
    const VALGRIND: &[&str] = &["timeout", LONGEST, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
    const TIME: &[&str] = &["timeout", LONGEST, "/usr/bin/time", "-f", "peak KB: %M"];
    let mut measured = Measured { instructions: [0; 3], memory: [0; 3] };
    let directory = scratch.join(row.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    let file = directory.join(row.file);
    std::fs::create_dir_all(file.parent().expect("it lies in the directory")).expect("a writable directory");
    if row.arguments.contains(&"DIRECTORY") {
        std::fs::write(directory.join("pack.yaml"), "name: big\ntitle: A pack that grows\n")
            .expect("a writable directory");
    }
    for (place, times) in [1, 2, 4].into_iter().enumerate() {
        std::fs::write(&file, (row.content)(row.n * times)).expect("a writable directory");
        let log = ask(TIME, program, row, &directory, &file)?;
        measured.memory[place] = last_number(&log, "peak KB: ")? / 1024;
        let log = ask(VALGRIND, program, row, &directory, &file)?;
        measured.instructions[place] = last_number(&log, "Collected : ")?;
    }
    Ok(measured)
}

/// Runs the row's command below another program; what that one printed.
fn ask(below: &[&str], program: &Path, row: &Row, directory: &Path, file: &Path) -> Result<String, String> {
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
    let output = command.output().map_err(|error| format!("{}: {error}", below[0]))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // What is refused is not read.
    if let Some(line) = said.lines().find(|line| line.contains("is left out")) {
        return Err(line.to_string());
    }
    if String::from_utf8_lossy(&output.stdout).contains(r#""isError":true"#) {
        return Err("the call is refused".to_string());
    }
    match output.status.code() {
        // A finding is status 1; what could not be read at all would be fast.
        Some(0 | 1) => Ok(said),
        Some(124) => Err(format!("stopped after {LONGEST} seconds")),
        status => Err(format!(
            "status {status:?}: {}",
            said.lines().find(|line| line.starts_with("rdmanav")).unwrap_or(&said)
        )),
    }
}

fn last_number(log: &str, key: &str) -> Result<u64, String> {
    let number = log.rsplit(key).next().and_then(|rest| rest.split_whitespace().next()?.replace(',', "").parse().ok());
    number.ok_or_else(|| format!("no \"{key}\" in: {log}"))
}
