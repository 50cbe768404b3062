//! Runs the built program in an environment of its own.

use std::process::{Command, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The program, with neither the user's settings nor the locale.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rdmanav"));
    command.env_clear().stdin(Stdio::null());
    command
}

/// Runs with these arguments; output goes to a pipe.
pub fn rdmanav(arguments: &[&str]) -> Run {
    finish(command().args(arguments))
}

/// Runs a prepared command.
pub fn finish(command: &mut Command) -> Run {
    let output = command.output().expect("the program starts");
    Run {
        status: output.status.code().expect("it ends by itself, not by a signal"),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

/// Runs, expects an answer, and returns it.
pub fn answer(arguments: &[&str]) -> String {
    let run = rdmanav(arguments);
    assert_eq!(run.status, 0, "{arguments:?}: {run:?}");
    run.stdout
}

/// The ids of the hits of a question, best first.
pub fn hits(question: &str) -> Vec<String> {
    let run = rdmanav(&["query", "--format", "json", "--", question]);
    let answer: serde_json::Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{question}: {error}: {run:?}"));
    let hits = answer["hits"].as_array().expect("hits is a list");
    hits.iter().map(|hit| hit["id"].as_str().expect("an id").to_string()).collect()
}
