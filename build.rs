//! `content/` -> checked -> records and search index that the binary embeds. Uses the code that the program itself uses.

#[allow(dead_code, unused_imports, reason = "the build needs only the reading half")]
#[path = "src/knowledge/mod.rs"]
mod knowledge;

#[allow(dead_code, reason = "the build needs only the building half")]
#[path = "src/search"]
mod search {
    pub mod index;
    pub mod words;
}

use std::path::{Path, PathBuf};

use knowledge::directory::Directory;
use knowledge::{check, records};

fn main() {
    for path in [
        "build.rs",
        "content",
        "src/knowledge",
        "src/search/index.rs",
        "src/search/words.rs",
    ] {
        println!("cargo::rerun-if-changed={path}");
    }
    let directory = Directory::read(Path::new("content")).expect("content/ can be read");
    let (content, mut findings) = directory.content();
    findings.extend(check::check(&content, None).findings);
    if !findings.is_empty() {
        for finding in &findings {
            println!("cargo::error=content/{finding}");
        }
        return;
    }
    let mut sections: Vec<_> = content.sections.into_iter().map(|file| file.section).collect();
    let mut flows: Vec<_> = content.flows.into_iter().map(|located| located.entry).collect();
    let mut profiles: Vec<_> = content.profiles.into_iter().map(|located| located.entry).collect();
    let mut variables: Vec<_> = content.variables.into_iter().map(|located| located.entry).collect();
    let mut sources: Vec<_> = content.sources.into_iter().map(|located| located.entry).collect();
    let mut aliases: Vec<_> = content.aliases.into_iter().map(|located| located.entry).collect();
    sections.sort_by_key(|section| section.id);
    flows.sort_by_key(|flow| flow.id);
    profiles.sort_by_key(|profile| profile.id);
    variables.sort_by_key(|variable| variable.name);
    sources.sort_by_key(|source| source.id);
    aliases.sort_by_key(|alias| alias.word);
    let index = search::index::build(&sections, &flows, &variables);
    write("sections", &records::encode(&sections));
    write("flows", &records::encode(&flows));
    write("profiles", &records::encode(&profiles));
    write("variables", &records::encode(&variables));
    write("sources", &records::encode(&sources));
    write("aliases", &records::encode(&aliases));
    write("terms", &index.terms);
    write("phrases", &index.phrases);
    write("units", &index.units);
}

fn write(name: &str, bytes: &[u8]) {
    let directory = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(directory.join(name).with_extension("bin"), bytes).expect("OUT_DIR is writable");
}
