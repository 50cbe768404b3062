//! The maintainers' program.
//!
//! usage: cargo xtask eval FILE.tsv...       how well the search answers, and what each of its methods is worth
//!        cargo xtask eval --features FILE.tsv...   a line a question, for fitting

mod corpus;
mod eval;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "eval" && !rest.is_empty() => eval::run(rest),
        _ => {
            eprintln!("usage: cargo xtask eval [--features|--search] QUESTIONS.tsv...");
            ExitCode::from(2)
        }
    }
}
