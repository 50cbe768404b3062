//! No input may stop a reader, and places are places in the file.

use clap::ValueEnum;

use crate::lint::{self, Kind};

/// Pieces from which every reader can make something.
const PIECES: [&str; 51] = [
    "ARG ",
    "\u{feff}",
    "\t",
    "export ",
    "A=",
    "NCCL_X=1",
    "'",
    "\"",
    "\\",
    "\n",
    "\r\n",
    " ",
    "$(",
    "${",
    "`",
    "<<EOF",
    "\nEOF\n",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "{{",
    "}}",
    "- name: A",
    "value: ",
    ": ",
    "env:",
    "- ",
    "|",
    "&a ",
    "*a",
    "<<: ",
    "#",
    "ä",
    "\u{1f600}",
    "ENV ",
    "RUN ",
    "FROM ",
    "os.environ[",
    "] = ",
    "\"\"\"",
    "mpirun -x ",
    "docker run -e ",
    "bash -c ",
    "--export=",
    ",",
    "if ",
    "fi",
    "{% if %}",
];

#[test]
fn no_text_stops_a_reader_and_places_are_in_the_file() {
    for text in ["A=(\u{fffd}", "A=(", "A=()", "ARG A\u{feff}B"] {
        for kind in Kind::value_variants() {
            assert!(lint::read("x", text.as_bytes(), Some(*kind)).is_ok());
        }
    }
    let mut state: u64 = 1;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    for _ in 0..3000 {
        let text: String = (0..next(24)).map(|_| PIECES[next(PIECES.len())]).collect();
        for kind in Kind::value_variants() {
            let source = lint::read("x", text.as_bytes(), Some(*kind)).unwrap();
            for setting in &source.settings {
                for place in [setting.at, setting.value_at] {
                    let length = source.line_text(place.line).chars().count();
                    assert!((1..=length + 1).contains(&place.column), "{kind:?} {setting:?} in {text:?}");
                }
                let line: String = source.line_text(setting.at.line).chars().skip(setting.at.column - 1).collect();
                let is_there = line.starts_with(&setting.name) || !text.contains(&setting.name);
                assert!(is_there, "{kind:?} {setting:?} in {text:?}");
                assert!(setting.scope < source.outer.len(), "{setting:?}");
            }
        }
    }
}

#[test]
fn text_that_never_closes_takes_linear_time() {
    for piece in [
        "$(",
        "\"$(",
        "`",
        "'\"",
        "{{",
        "A=(",
        "[",
        "- ",
        "{a: ",
        "bash -c \"",
        "docker run ",
        "env -u ",
        "eval \"",
        "({[",
        "\"\"\"",
        "RUN <<A\n",
    ] {
        let text = piece.repeat(30_000);
        for kind in Kind::value_variants() {
            assert!(lint::read("x", text.as_bytes(), Some(*kind)).is_ok(), "{piece}");
        }
    }
}
