//! Any bytes as the files of a pack: reader, checker, overlay, index; what loads is asked for all that it brought. Files are separated by a
//! zero byte; the first byte of each chooses its name. What a pack brings stays in memory, as in the program: run it in processes that are
//! replaced (`-fork=1 -ignore_ooms=1`).
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rdmanav::answer::query::{self, View};
use rdmanav::answer::section::{self, Shown};
use rdmanav::answer::{Answer, check, flows, packs, profiles};
use rdmanav::env::export::{self, Form};
use rdmanav::env::settings;
use rdmanav::knowledge::Library;
use rdmanav::packs::Overlay;
use rdmanav::render::{self, diagram};

const FILES: [&str; 12] = [
    "pack.yaml",
    "sections/aa.md",
    "sections/gid-selection.md",
    "flows/aa.yaml",
    "env/profiles/aa.yaml",
    "env/others.yaml",
    "env/variables.yaml",
    "signatures.yaml",
    "aliases.yaml",
    "questions.yaml",
    "sources.yaml",
    "topic-words.yaml",
];

const FORMS: [Form; 7] =
    [Form::Export, Form::Slurm, Form::Conf, Form::Docker, Form::Dotenv, Form::Compose, Form::K8s];

/// The directory of this process, in memory where the system has such a place.
static PACK: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    let pack = place.join(format!("rdmanav-fuzz-pack-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&pack);
    for folder in ["sections", "flows", "env/profiles"] {
        std::fs::create_dir_all(pack.join(folder)).expect("a place to write");
    }
    pack
});

fn is_clean(text: &str) {
    let unclean = text.chars().find(|c| c.is_control() && !['\n', '\t'].contains(c));
    assert!(unclean.is_none(), "{unclean:?} in {text:?}");
}

fn show(answer: &impl Answer, library: &Library<'_>) {
    let document = answer.document(library);
    is_clean(&document);
    is_clean(&render::markdown(&document, library));
}

fuzz_target!(|bytes: &[u8]| {
    let mut texts = [None; FILES.len()];
    texts[0] = Some(&b"name: fuzz\ntitle: Fuzz\n"[..]);
    for piece in bytes.split(|byte| *byte == 0) {
        let Some((first, text)) = piece.split_first() else { continue };
        texts[usize::from(*first) % FILES.len()] = Some(text);
    }
    for (name, text) in FILES.iter().zip(texts) {
        let path = PACK.join(name);
        match text {
            Some(text) => std::fs::write(path, text).expect("a place to write"),
            None => drop(std::fs::remove_file(path)),
        }
    }
    let checked = check::directory(&PACK, "2026-01-01", &rdmanav::library()).expect("it can be read");
    show(&checked, &rdmanav::library());
    let mut overlay = Overlay::new(rdmanav::searcher());
    if overlay.add(&PACK, "pack").is_err() {
        return;
    }
    let searcher = overlay.searcher();
    let library = &searcher.library;
    show(&packs::packs(library), library);
    let mut questions = vec!["gid index".to_string()];
    for section in library.sections.iter().filter(|it| it.id == "aa" || it.id == "gid-selection") {
        questions.push(section.title.to_string());
        questions.extend(section.triggers.iter().take(3).map(|trigger| (*trigger).to_string()));
        let Ok(Shown::Section(answer)) = section::show(section.id, library) else { panic!("{} is not found", section.id) };
        show(&answer, library);
    }
    for name in library.others.iter().map(|it| it.name).chain(library.variables.iter().map(|it| it.name)) {
        if library.origin(&format!("variable {name}")).is_some() {
            match section::show(name, library) {
                Ok(Shown::Section(answer)) => show(&answer, library),
                Ok(Shown::Variable(answer)) => show(&answer, library),
                Ok(Shown::Other(answer)) => show(&answer, library),
                Err(_) => {}
            }
        }
    }
    for flow in library.flows.iter().filter(|it| library.origin(&format!("flow {}", it.id)).is_some()) {
        show(&flows::flow(flow.id, library).expect("it is there"), library);
        for text in [diagram::mermaid(&flow), diagram::dot(&flow), diagram::svg(&flow, library)] {
            is_clean(&text);
        }
    }
    for profile in library.profiles.iter().filter(|it| library.origin(&format!("profile {}", it.id)).is_some()) {
        let (profile, _) = settings::at_release(&profile, None, library);
        let assignments = settings::assignments(&profile, &[]).expect("nothing is given");
        show(&profiles::profile(profile.clone(), None, &assignments), library);
        for form in FORMS {
            if let Ok(text) = export::lines(&profile, None, &assignments, form, true) {
                is_clean(&text);
            }
        }
    }
    for question in questions {
        show(&query::query(&question, None, 5, View { list: false, why: true }, &searcher), library);
    }
});
