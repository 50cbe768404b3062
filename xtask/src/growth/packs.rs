//! Packs, and the layout of what they hold.

use super::row::Row;

/// A part that an answer prints whole.
const TERMINAL: &[&str] =
    &["show", "big", "--pack", "DIRECTORY", "--format", "term", "--color", "always", "--width", "80"];
const LOAD: &[&str] = &["query", "checkpoint", "--pack", "DIRECTORY"];

/// Packs that grow.
pub fn rows() -> Vec<Row> {
    let section = |name, content, n| Row { name, arguments: TERMINAL, file: "sections/big.md", content, n };
    let load = |name, file, content, n| Row { name, arguments: LOAD, file, content, n };
    let flow = |name, arguments, n| Row { name, arguments, file: "flows/big.yaml", content: steps, n };
    vec![
        section("terminal: rows of a table", |n| page(&table(n, 2)), 1_000),
        section("terminal: rows of a table that is too wide", |n| page(&wide_table(n)), 1_000),
        section("terminal: columns of a table", |n| page(&table(2, n)), 40),
        section("terminal: items of a list", |n| page(&"- one **two** `three`\n".repeat(n)), 2_000),
        section("terminal: a paragraph", |n| page(&"one **two** `three` [four](dcqcn) ".repeat(n)), 2_000),
        section("terminal: a long word", |n| page(&"x".repeat(n)), 40_000),
        section("terminal: citations", |n| page(&"one [^nccl-env-guide] ".repeat(n)), 2_000),
        section("terminal: code", |n| page(&format!("```text\n{}```", "one two\n".repeat(n))), 2_000),
        section("terminal: stars and brackets", |n| page(&"*_[`(<!".repeat(n)), 2_000),
        load(
            "pack: parts of a section",
            "sections/big.md",
            |n| {
                page(
                    &(0..n).map(|i| format!("## Part {i} {{#part-{i}}}\n\nword{i} checkpoint\n\n")).collect::<String>(),
                )
            },
            40,
        ),
        load("pack: quotes in quotes", "sections/big.md", |n| page(&format!("{}x\n", ">".repeat(64)).repeat(n)), 500),
        load("pack: triggers", "sections/big.md", section_with_triggers, 2_000),
        load(
            "pack: signatures",
            "signatures.yaml",
            |n| {
                each(n, |i| {
                    format!(
                        "- id: s-{i}\n  printed_by: prolog\n  level: error\n  role: cause\n  patterns:\n    - text: \"prolog w{i}: link check failed on {{device}}\"\n  part: dcqcn\n  means: The prolog found a NIC down.\n  advice: Submit again.\n"
                    )
                })
            },
            200,
        ),
        load(
            "pack: aliases",
            "aliases.yaml",
            |n| each(n, |i| format!("- word: zz{i}\n  means: [congestion]\n")),
            2_000,
        ),
        load(
            "pack: questions",
            "questions.yaml",
            |n| format!("- part: dcqcn\n  asks:\n{}", each(n, |i| format!("    - why is word{i} slow\n"))),
            400,
        ),
        load(
            "pack: names",
            "env/others.yaml",
            |n| each(n, |i| format!("- name: EXAMPLE_NAME_{i}\n  owner: us\n  purpose: Ours.\n")),
            400,
        ),
        flow(
            "flow: steps, on a terminal",
            &["flow", "big", "--pack", "DIRECTORY", "--format", "term", "--width", "100"],
            50,
        ),
        flow("flow: steps, as svg", &["flow", "big", "--pack", "DIRECTORY", "--as", "svg"], 50),
        flow("flow: steps, as mermaid", &["flow", "big", "--pack", "DIRECTORY", "--as", "mermaid"], 50),
        flow("flow: steps, as dot", &["flow", "big", "--pack", "DIRECTORY", "--as", "dot"], 50),
    ]
}

fn each(n: usize, entry: impl Fn(usize) -> String) -> String {
    (0..n).map(entry).collect()
}

fn page(body: &str) -> String {
    format!(
        "---\nid: big\ntitle: A big page\nkind: platform\nsummary: It grows.\ntriggers: [big page]\n---\n\n{body}\n"
    )
}

fn section_with_triggers(n: usize) -> String {
    let triggers: Vec<String> = (0..n).map(|i| format!("trigger{i} word")).collect();
    page("Text.").replace("[big page]", &format!("[{}]", triggers.join(", ")))
}

fn table(rows: usize, columns: usize) -> String {
    let row = |i: usize| format!("|{}\n", format!(" cell {i} |").repeat(columns));
    format!("{}|{}\n{}", row(0), "---|".repeat(columns), each(rows, row))
}

fn wide_table(rows: usize) -> String {
    let text = "a text that does not fit into its column, and is broken at a blank, ".repeat(3);
    format!("| a | b | c |\n|---|---|---|\n{}", each(rows, |i| format!("| {i} | {text} | {text} |\n")))
}

fn steps(n: usize) -> String {
    let step = "  - lane: host\n    at: node\n    does: the container starts\n    via: TCP\n    cost: 20 s\n  - lane: nic\n    at: GPU NICs\n    does: NCCL connects\n";
    format!("id: big\ntitle: It grows\nsummary: It grows.\nsections: [dcqcn]\nsteps:\n{}", step.repeat(n))
}
