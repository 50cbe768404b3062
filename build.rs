//! `content/` -> checked -> records and search index that the binary embeds. Uses the code that the program itself uses.

#[allow(dead_code, reason = "the build only reads")]
#[path = "src/files.rs"]
mod files;

#[allow(dead_code, unused_imports, reason = "the build needs only the reading half")]
#[path = "src/knowledge/mod.rs"]
mod knowledge;

#[allow(dead_code, unused_imports, reason = "the build needs only the building half")]
#[path = "src/search"]
mod search {
    pub mod index;
    pub mod log_lines;
    pub mod shape;
    pub mod tuning;
    pub mod values;
    pub mod words;
}

#[allow(dead_code, reason = "the build needs only the half that makes markdown")]
#[path = "src/render"]
mod render {
    pub mod citations;
    pub mod flow;
    pub mod lines;
    pub mod markdown;
    pub mod options;

    pub use options::Options;
}

#[allow(dead_code, reason = "the build lays nothing over")]
#[path = "src/packs"]
mod packs {
    pub mod encode;
}

use std::path::{Path, PathBuf};

use knowledge::directory::Directory;
use knowledge::records::Records;
use knowledge::{Library, check, records};

fn main() {
    for path in
        ["build.rs", "content", "src/files.rs", "src/knowledge", "src/search", "src/render", "src/packs/encode.rs"]
    {
        println!("cargo::rerun-if-changed={path}");
    }
    let directory = Directory::read(Path::new("content")).expect("content/ can be read");
    let (content, mut findings) = directory.content();
    findings.extend(check::check(&content, None, None).findings);
    if !findings.is_empty() {
        for finding in &findings {
            println!("cargo::error=content/{finding}");
        }
        return;
    }
    let mut topic_words: Vec<String> =
        content.topic_words.iter().map(|word| search::words::stem(&word.to_lowercase())).collect();
    topic_words.sort_unstable();
    topic_words.dedup();
    write("topic-words.bin", &records::encode(&topic_words));
    let content = content.sorted();
    let index = search::index::build(&content, &search::tuning::IndexTuning::SHIPPED, None);
    write("terms.bin", &index.terms);
    write("phrases.bin", &index.phrases);
    write("units.bin", &index.units);
    write("pattern-texts.bin", &index.patterns.texts);
    write("pattern-words.bin", &index.patterns.words);
    write("values.bin", &index.values);
    write("off-topic.bin", &index.off_topic);
    write("shapes.bin", &index.shapes);
    write("lengths.bin", &index.lengths);
    let flows = records::encode(&content.flows);
    let sources = records::encode(&content.sources);
    let library = Library { flows: Records::new(&flows), sources: Records::new(&sources), ..Library::EMPTY };
    let built = packs::encode::sections(&content.sections, &library);
    write("sections.bin", &built.sections);
    write("parts.bin", &built.parts);
    write("texts.txt", built.texts.as_bytes());
    write("flows.bin", &flows);
    write("sources.bin", &sources);
    write("profiles.bin", &records::encode(&content.profiles));
    write("variables.bin", &records::encode(&content.variables));
    write("others.bin", &records::encode(&content.others));
    write("aliases.bin", &records::encode(&content.aliases));
    write("signatures.bin", &records::encode(&content.signatures));
}

fn write(name: &str, bytes: &[u8]) {
    let directory = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(directory.join(name), bytes).expect("OUT_DIR is writable");
}
