//! What a question costs, in instructions, over libraries of several sizes. Needs valgrind.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use rdmanav::knowledge::directory::{SectionFile, Sorted};
use rdmanav::knowledge::records::{self, Records};
use rdmanav::knowledge::section_file::Change;
use rdmanav::knowledge::{Library, Section};
use rdmanav::packs::encode;
use rdmanav::search::index::Bytes;
use rdmanav::search::tuning::IndexTuning;
use rdmanav::search::{Index, Searcher, index};

use crate::corpus;

const SIZES: [usize; 4] = [41, 40, 400, 1000];

const QUESTIONS: [(&str, &str); 5] = [
    ("a trigger", "DCQCN"),
    ("a word with a typing error", "congestoin notification rate"),
    ("a sentence", "allreduce is twice as slow when the nodes sit under two different switches"),
    ("a log line", "NET/IB : Got completion from peer 10.0.0.2<43215> with error 12, opcode 0, len 0, vendor err 129"),
    ("a value", "vendor err 129"),
];

/// A question is asked this often, so that what the first time costs more does not show.
const TIMES: u64 = 10;

/// The files of an index and its library.
const FILES: [&str; 12] = [
    "terms",
    "phrases",
    "units",
    "pattern-texts",
    "pattern-words",
    "values",
    "off-topic",
    "shapes",
    "lengths",
    "sections",
    "parts",
    "texts",
];

/// Measures. The first row is the embedded library, the others are generated.
pub fn run() -> ExitCode {
    let directory = std::env::temp_dir().join(format!("rdmanav-cost-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    println!("| sections | {} |", QUESTIONS.map(|(name, _)| name).join(" | "));
    println!("|---|{}", "---|".repeat(QUESTIONS.len()));
    for (row, size) in SIZES.into_iter().enumerate() {
        write(&directory, size, row > 0);
        let costs = QUESTIONS.map(|(_, question)| {
            let once = instructions(&directory, question, 0);
            format!("{:.2}", (instructions(&directory, question, TIMES) - once) as f64 / TIMES as f64 / 1e6)
        });
        println!("| {}{size} | {} |", if row == 0 { "embedded, " } else { "" }, costs.join(" | "));
    }
    std::fs::remove_dir_all(directory).expect("the directory made above");
    ExitCode::SUCCESS
}

/// Asks a question over the files in a directory; the half of the measurement that runs in valgrind.
pub fn ask(directory: &str, question: &str, times: u64) -> ExitCode {
    let read = |name: &str| std::fs::read(Path::new(directory).join(name)).expect("written by the other half");
    let files = FILES.map(read);
    let [
        terms,
        phrases,
        units,
        pattern_texts,
        pattern_words,
        values,
        off_topic,
        shapes,
        lengths,
        sections,
        parts,
        texts,
    ] = &files;
    let embedded = rdmanav::searcher();
    let library = Library {
        sections: Records::new(sections),
        stored_parts: Records::new(parts),
        texts: std::str::from_utf8(texts).expect("text"),
        ..embedded.library
    };
    let index =
        Index::new(&Bytes { terms, phrases, units, pattern_texts, pattern_words, values, off_topic, shapes, lengths });
    let searcher = Searcher { library, index, ..embedded };
    for _ in 0..times {
        std::hint::black_box(searcher.search(std::hint::black_box(question), None, 6));
    }
    ExitCode::SUCCESS
}

fn instructions(directory: &Path, question: &str, times: u64) -> u64 {
    let program = std::env::current_exe().expect("a path of its own");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["cost", &directory.to_string_lossy(), question, &times.to_string()])
        .output()
        .expect("valgrind is installed");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let count =
        log.lines().find_map(|line| line.split("Collected : ").nth(1)).and_then(|count| count.trim().parse().ok());
    count.unwrap_or_else(|| panic!("no count in: {log}"))
}

/// Writes the index and what the search reads of the library.
fn write(directory: &Path, size: usize, generated: bool) {
    let source = corpus::read();
    let (content, _) = source.content();
    let mut content = content.sorted();
    let generated = if generated { Generated::new(&content, size) } else { Generated { texts: Vec::new() } };
    if !generated.texts.is_empty() {
        content.sections = generated.sections(&content);
        content.asked = Vec::new();
        content.signatures = Vec::new();
    }
    let built = index::build(&content, &IndexTuning::SHIPPED, None);
    let (flows, sources) = (records::encode(&content.flows), records::encode(&content.sources));
    let library = Library { flows: Records::new(&flows), sources: Records::new(&sources), ..Library::EMPTY };
    let sections = encode::sections(&content.sections, &library);
    let files: [&[u8]; 12] = [
        &built.terms,
        &built.phrases,
        &built.units,
        &built.patterns.texts,
        &built.patterns.words,
        &built.values,
        &built.off_topic,
        &built.shapes,
        &built.lengths,
        &sections.sections,
        &sections.parts,
        sections.texts.as_bytes(),
    ];
    for (name, bytes) in FILES.iter().zip(files) {
        std::fs::write(PathBuf::from(directory).join(name), bytes).expect("a writable directory");
    }
}

/// Sections like the real ones, a third of whose words are words of their own.
struct Generated {
    /// Id, then one text a part.
    texts: Vec<(String, Vec<String>)>,
}

impl Generated {
    fn new(content: &Sorted<'_>, size: usize) -> Self {
        let texts = (0..size).map(|number| {
            let file = &content.sections[number % content.sections.len()];
            let bodies = file.parts.iter().map(|part| varied(part.body, number)).collect();
            (format!("generated-{number:04}"), bodies)
        });
        Generated { texts: texts.collect() }
    }

    fn sections<'g>(&'g self, content: &Sorted<'g>) -> Vec<SectionFile<'g>> {
        let of = |(number, (id, bodies)): (usize, &'g (String, Vec<String>))| {
            let file = &content.sections[number % content.sections.len()];
            let mut parts = file.parts.clone();
            for (part, body) in parts.iter_mut().zip(bodies) {
                part.body = body;
            }
            let section = Section { id, ..file.section.clone() };
            SectionFile { section, change: Change::Add, parts, file: id, body: "", lines_above_body: 0 }
        };
        self.texts.iter().enumerate().map(of).collect()
    }
}

/// The text with every third word made another.
fn varied(text: &str, number: usize) -> String {
    let word = |(place, word): (usize, &str)| match (place + number) % 3 {
        0 if word.chars().all(char::is_alphanumeric) => format!("{word}{}", letters(number)),
        _ => word.to_string(),
    };
    let line = |line: &str| line.split(' ').enumerate().map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn letters(number: usize) -> String {
    [number / 26 % 26, number % 26].iter().map(|&letter| (b'a' + letter as u8) as char).collect()
}
