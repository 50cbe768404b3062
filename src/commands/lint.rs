//! `rdmanav lint`

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use aho_corasick::AhoCorasick;

use super::env::{named_profile, release};
use super::inputs::{bounded, environment};
use crate::answer::lint::{self as answer, FileRead};
use crate::cli::{FailOn, Lint};
use crate::commands::exit::{self, Failure, NOTHING_FOUND};
use crate::commands::output;
use crate::files;
use crate::lint::rules::{self, Options};
use crate::lint::{self, Kind, Source};

/// What stands for the standard input.
const STDIN: &str = "-";

/// The name under which the current environment is reported.
const ENVIRONMENT: &str = "environment";

/// Files of a directory without any of these need not be read.
const SIGNS: [&str; 3] = ["NCCL_", "CUDA_LAUNCH_BLOCKING", "TORCH_DISTRIBUTED_DEBUG"];

/// Reads files, or the current environment, and prints what is wrong with their settings.
pub fn run(arguments: &Lint) -> Result<u8, Failure> {
    let library = super::packs::library(&arguments.packs);
    if let Some(rule) = &arguments.explain {
        return output::print(answer::explain(&super::text(rule))?, &library, arguments.output);
    }
    let profile = arguments.profile.as_ref().map(|id| named_profile(&super::text(id), &library)).transpose()?;
    let release = arguments.nccl.as_deref().map(release).transpose()?;
    let signs = AhoCorasick::new(SIGNS).expect("three short texts");
    let mut inputs = Inputs { kind: arguments.kind, signs, sources: Vec::new(), names: Vec::new(), files: Vec::new() };
    if arguments.files.is_empty() {
        inputs.add(ENVIRONMENT.to_string(), &environment(), Some(Kind::Dump));
    }
    for name in &arguments.files {
        inputs.named(name)?;
    }
    let options = Options { release, profile };
    let findings = rules::findings(&inputs.sources, &options, &library);
    let answer = answer::lint(findings, &inputs.sources, &inputs.names, inputs.files, arguments.notes);
    let failed = answer.worst() >= Some(FailOn::severity(arguments.fail_on));
    let status = output::print(answer, &library, arguments.output)?;
    Ok(if failed { NOTHING_FOUND } else { status })
}

/// What was read.
struct Inputs {
    kind: Option<Kind>,
    /// Finds [`SIGNS`].
    signs: AhoCorasick,
    sources: Vec<Source>,
    names: Vec<String>,
    files: Vec<FileRead>,
}

impl Inputs {
    fn add(&mut self, name: String, bytes: &[u8], kind: Option<Kind>) {
        match lint::read(&name, bytes, kind) {
            Ok(source) => {
                self.files.push(FileRead::of(&name, &source));
                self.sources.push(source);
                self.names.push(name);
            }
            Err(why) => self.files.push(FileRead::not(&name, why)),
        }
    }

    /// A file that was named: what cannot be read is an error.
    fn named(&mut self, name: &OsStr) -> Result<(), Failure> {
        let unreadable =
            |error: &dyn std::fmt::Display| Failure::Usage(format!("{} cannot be read: {error}", super::text(name)));
        let path = Path::new(name);
        if name != STDIN && path.is_dir() {
            let entries = entries(path).map_err(|error| unreadable(&error))?;
            self.tree(entries);
            return Ok(());
        }
        let bytes = if name == STDIN { bounded(io::stdin().lock()) } else { fs::File::open(path).and_then(bounded) };
        let bytes = bytes.map_err(|error| unreadable(&error))?;
        let shown = if name == STDIN { "stdin".to_string() } else { super::text(name) };
        let before = self.sources.len();
        self.add(shown, &bytes, self.kind);
        match self.files.last().and_then(|file| file.unreadable.as_ref()).filter(|_| self.sources.len() == before) {
            Some(why) => Err(unreadable(why)),
            None => Ok(()),
        }
    }

    /// All files of a directory that have settings, in the order of their names. `.git`, links and files of no known kind are passed by; what
    /// cannot be read is told, and keeps nothing else from being read.
    fn tree(&mut self, entries: Vec<DirEntry>) {
        for entry in entries {
            let path = entry.path();
            let name = super::text(path.as_os_str());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => match self::entries(&path) {
                    Ok(entries) => self.tree(entries),
                    Err(error) => self.unreadable(name, &error),
                },
                Ok(kind) if kind.is_file() && lint::is_named(&name) => match files::open(&path).and_then(bounded) {
                    Ok(bytes) if self.signs.is_match(&bytes) => self.add(name, &bytes, self.kind),
                    Ok(_) => {}
                    Err(error) => self.unreadable(name, &error),
                },
                Ok(_) => {}
                Err(error) => self.unreadable(name, &error),
            }
        }
    }

    fn unreadable(&mut self, name: String, error: &io::Error) {
        // A name may be as long as a path: the reason comes first.
        exit::error(&format!("cannot be read ({error}): {name}"));
        self.files.push(FileRead { name, kind: None, settings: 0, unreadable: Some(error.to_string()) });
    }
}

/// What a directory holds, by name.
fn entries(directory: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}
