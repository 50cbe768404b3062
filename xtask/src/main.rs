//! The maintainers' program.
//!
//! ```text
//! cargo xtask eval FILE.tsv...               how well the search answers, and what each of its methods is worth
//! cargo xtask eval --features FILE.tsv...    a line a question, for fitting
//! cargo xtask eval --asked FILE.tsv...       the questions of content/questions.yaml that do not find their section
//! cargo xtask cost                           instructions a question, over libraries of several sizes
//! cargo xtask growth PROGRAM [WORD]...      how instructions and memory grow with the input, reader by reader
//! cargo xtask screens PROGRAM [--check]      the pictures of the README, from real output
//! cargo xtask nccl-env GIT_DIR [--write]     what env/variables.yaml says otherwise than the sources of NCCL
//! ```

mod corpus;
mod cost;
mod eval;
mod growth;
mod nccl_env;
mod screens;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "eval" && !rest.is_empty() => eval::run(rest),
        Some((command, [])) if command == "cost" => cost::run(),
        Some((command, [directory, question, times])) if command == "cost" => {
            cost::ask(directory, question, times.parse().unwrap_or(1))
        }
        Some((command, [program, words @ ..])) if command == "growth" => growth::run(program, words),
        Some((command, [program])) if command == "screens" => screens::run(program, false),
        Some((command, [program, option])) if command == "screens" && option == "--check" => {
            screens::run(program, true)
        }
        Some((command, [git_dir])) if command == "nccl-env" => nccl_env::run(git_dir, false),
        Some((command, [git_dir, option])) if command == "nccl-env" && option == "--write" => {
            nccl_env::run(git_dir, true)
        }
        _ => {
            eprintln!(
                "usage: cargo xtask eval [--features|--asked|--search] QUESTIONS.tsv...\n       \
                 cargo xtask cost\n       \
                 cargo xtask growth PROGRAM [WORD]...\n       \
                 cargo xtask screens PROGRAM [--check]\n       \
                 cargo xtask nccl-env GIT_DIR [--write]"
            );
            ExitCode::from(2)
        }
    }
}
