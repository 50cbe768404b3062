//! `list --packs`: the packs that are in use.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, code, next};
use crate::knowledge::Library;

/// The packs in use, by name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PacksAnswer<'a> {
    schema: &'static str,
    packs: Vec<Entry<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Entry<'a> {
    name: &'a str,
    title: &'a str,
    directory: &'a str,
    /// What it has, in words.
    holds: &'a str,
}

/// The packs that were laid over the library.
pub fn packs<'a>(library: &Library<'a>) -> PacksAnswer<'a> {
    let packs = library.packs.iter();
    PacksAnswer {
        schema: "rdmanav.packs/1",
        packs: packs
            .map(|pack| Entry { name: pack.name, title: pack.title, directory: pack.directory, holds: pack.holds })
            .collect(),
    }
}

impl PacksAnswer<'_> {
    /// One a line, name and directory: for a pipe.
    pub fn lines(&self) -> String {
        self.packs.iter().map(|pack| [pack.name, "\t", pack.directory, "\n"].concat()).collect()
    }
}

impl Answer for PacksAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = String::new();
        for Entry { name, title, directory, holds } in &self.packs {
            out.push_str(&format!("- `{name}`: **{title}**, {}: {holds}\n", code(directory)));
        }
        if self.packs.is_empty() {
            out.push_str("No packs are in use.\n");
        }
        out.push_str(&next(&["`rdmanav check DIR` checks one", "how to write one: docs/packs.md"]));
        out
    }
}
