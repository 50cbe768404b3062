//! A pack's index against one that was built as a whole.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rdmanav::knowledge::directory::Directory;
use rdmanav::packs::{Overlay, Refused};
use rdmanav::search::Searcher;

fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("overlay-{name}"));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(directory.join("sections")).unwrap();
    fs::write(directory.join("pack.yaml"), "name: site\ntitle: Site\n").unwrap();
    directory
}

fn laid(directory: &Path) -> Searcher<'static> {
    let mut overlay = Overlay::new(rdmanav::searcher());
    overlay.add(directory, "site").unwrap();
    overlay.searcher()
}

/// What the search finds for a question: addresses, best first.
fn found(searcher: &Searcher<'_>, question: &str) -> Vec<String> {
    let outcome = searcher.search(question, None, 3);
    outcome.hits.iter().map(|hit| format!("{} {:?}", searcher.section_id(hit.unit), place(hit.unit))).collect()
}

fn place(unit: rdmanav::search::index::Unit) -> Option<u16> {
    match unit {
        rdmanav::search::index::Unit::Part(_, place) => Some(place),
        _ => None,
    }
}

fn questions() -> Vec<String> {
    let own = fs::read_to_string("tests/eval/questions-own.tsv").unwrap();
    own.lines().skip(1).filter_map(|line| line.split('\t').nth(1).map(str::to_string)).collect()
}

/// The share of questions whose first hit is the same, and whose three hits are the same.
fn alike(one: &Searcher<'_>, other: &Searcher<'_>) -> (f64, f64) {
    let questions = questions();
    let (mut first, mut all) = (0, 0);
    for question in &questions {
        let (one, other) = (found(one, question), found(other, question));
        first += usize::from(one.first() == other.first());
        all += usize::from(one == other);
    }
    (first as f64 / questions.len() as f64, all as f64 / questions.len() as f64)
}

#[test]
fn a_pack_that_changes_nothing_leaves_the_index_as_it_is() {
    let directory = directory("nothing");
    let (ours, laid) = (rdmanav::searcher(), laid(&directory));
    assert_eq!(ours.index.units(), laid.index.units());
    for number in 0..ours.index.units() {
        assert_eq!(ours.index.unit(number), laid.index.unit(number));
    }
    assert!(ours.index.terms.iter().eq(laid.index.terms.iter()));
    assert!(ours.index.phrases.iter().eq(laid.index.phrases.iter()));
    assert!(ours.index.values.iter().eq(laid.index.values.iter()));
    assert!(ours.index.patterns.texts.iter().eq(laid.index.patterns.texts.iter()));
    assert!(ours.index.patterns.words.iter().eq(laid.index.patterns.words.iter()));
    assert!(ours.index.off_topic.iter().eq(laid.index.off_topic.iter()));
    assert_eq!(alike(&ours, &laid), (1.0, 1.0));
}

#[test]
fn sections_that_are_replaced_by_themselves_answer_as_before() {
    let directory = directory("itself");
    for id in ["completion-errors", "dcqcn", "nccl-transports", "zz"].iter().take(3) {
        let text = fs::read_to_string(format!("content/sections/{id}.md")).unwrap();
        let text = text.replacen("---\n", "---\nchange: replace\n", 1);
        fs::write(directory.join(format!("sections/{id}.md")), text).unwrap();
    }
    let (ours, laid) = (rdmanav::searcher(), laid(&directory));
    let (first, all) = alike(&ours, &laid);
    println!("alike: first {first}, all three {all}");
    assert!(first >= 0.99 && all >= 0.97, "{first} {all}");
}

#[test]
fn a_pack_takes_no_answer_away() {
    let (ours, laid) = (rdmanav::searcher(), laid(Path::new("examples/runbook")));
    let (first, all) = alike(&ours, &laid);
    println!("alike: first {first}, all three {all}");
    assert!(first >= 0.98, "{first}");
    for section in ours.library.sections.iter() {
        for name in section.triggers.iter().chain([&section.id, &section.title]) {
            let hit = laid.search(name, None, 1);
            let id = hit.hits.first().map(|hit| laid.section_id(hit.unit));
            assert_eq!(id, Some(section.id), "{name}");
        }
    }
}

#[test]
fn files_of_any_bytes_do_no_harm() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let source = Path::new("examples/runbook");
    let files: Vec<PathBuf> = [
        "pack.yaml",
        "signatures.yaml",
        "aliases.yaml",
        "questions.yaml",
        "env/others.yaml",
        "env/profiles/example-roce.yaml",
        "flows/example-job-start.yaml",
        "sections/gid-selection.md",
        "sections/example-storage.md",
        "sections/example-gpu-network.md",
    ]
    .map(PathBuf::from)
    .to_vec();
    let mut outcomes = BTreeSet::new();
    for round in 0..20 {
        let directory = directory("bytes");
        for folder in ["env/profiles", "flows"] {
            fs::create_dir_all(directory.join(folder)).unwrap();
        }
        for file in &files {
            fs::copy(source.join(file), directory.join(file)).unwrap();
        }
        let broken = &files[round % files.len()];
        let mut bytes = fs::read(source.join(broken)).unwrap();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes.truncate(at),
                1 => bytes[at] = random(256) as u8,
                2 => drop(bytes.drain(at..(at + random(20)).min(bytes.len()))),
                _ => {
                    let piece = bytes[at..(at + 40).min(bytes.len())].to_vec();
                    let place = random(bytes.len());
                    bytes.splice(place..place, piece);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        fs::write(directory.join(broken), bytes).unwrap();
        let mut overlay = Overlay::new(rdmanav::searcher());
        outcomes.insert(match overlay.add(&directory, "site") {
            Ok(()) => "taken",
            Err(Refused::NoPack) => "no pack",
            Err(Refused::Unreadable(_)) => "unreadable",
            Err(Refused::Faulty(findings)) => {
                assert!(!findings.is_empty());
                "faulty"
            }
        });
        let searcher = overlay.searcher();
        assert_eq!(found(&searcher, "DCQCN")[0], "dcqcn Some(0)");
    }
    assert!(outcomes.contains("taken") && outcomes.contains("faulty"), "{outcomes:?}");
}

#[test]
fn tables_of_any_length_are_taken() {
    let directory = directory("long");
    let rows = (0..700).map(|row| format!("| 0x{row:x} | value {row} |\n")).collect::<Vec<_>>().concat();
    let tables = (0..300)
        .map(|table| format!("| code | {table} |\n|---|---|\n| {table} | x |\n\ntext\n\n"))
        .collect::<Vec<_>>()
        .concat();
    let text = format!(
        "---\nid: long\ntitle: Long\nkind: reference\nsummary: Long.\ntriggers: [long table]\n---\n\nX.\n\n## Codes {{#codes}}\n\n| code | means |\n|---|---|\n{rows}\n\n## Tables {{#tables}}\n\n{tables}"
    );
    fs::write(directory.join("sections/long.md"), text).unwrap();
    let searcher = laid(&directory);
    assert_eq!(found(&searcher, "long table")[0], "long Some(0)");
}

#[test]
fn the_reader_of_packs_is_that_of_our_content() {
    let read = Directory::read(Path::new("examples/runbook")).unwrap();
    let (content, findings) = read.content();
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(content.pack.map(|pack| pack.name), Some("example-cluster"));
}
