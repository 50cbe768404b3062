//! Reads a directory of the form of `content/`.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Deserialize;

use super::check::phrase;
use super::hidden::{can_hide, first_hidden};
use super::model::{AliasEntry, Asked, Flow, Other, Part, Profile, Section, Signature, Source, Variable};
use super::section_file::{self, Change};
use super::severity::Severity;
use super::yaml::{self, Tree, YamlError};
use crate::files;

/// Something wrong with the content.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Finding {
    pub severity: Severity,
    /// Relative to the directory.
    pub file: String,
    /// Counted from 1; 0 where the whole file is meant.
    pub line: usize,
    pub message: String,
}

impl Finding {
    /// A warning.
    pub fn warning(file: &str, line: usize, message: impl Into<String>) -> Self {
        Finding { severity: Severity::Warning, ..Finding::error(file, line, message) }
    }

    /// An error.
    pub fn error(file: &str, line: usize, message: impl Into<String>) -> Self {
        Finding { severity: Severity::Error, file: file.to_string(), line, message: message.into() }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let severity = if self.severity == Severity::Warning { "warning: " } else { "" };
        match self.line {
            0 => write!(f, "{}: {severity}{}", self.file, self.message),
            line => write!(f, "{}:{line}: {severity}{}", self.file, self.message),
        }
    }
}

/// The files of a directory, parsed as far as YAML goes. Entries borrow from here.
pub struct Directory {
    files: Vec<File>,
    findings: Vec<Finding>,
}

struct File {
    path: String,
    text: String,
    tree: Tree,
}

/// An entry and where it is written.
pub struct Located<'a, T> {
    pub entry: T,
    pub file: &'a str,
    /// Line of its key, counted from 1; 0 where unknown.
    pub line: usize,
}

/// A section and its whole body.
pub struct SectionFile<'a> {
    pub section: Section<'a>,
    pub change: Change,
    pub parts: Vec<Part<'a>>,
    pub file: &'a str,
    pub body: &'a str,
    pub lines_above_body: usize,
}

/// `pack.yaml`: makes a directory a pack, knowledge of users that is laid over ours.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest<'a> {
    /// Lower-case letters, digits and hyphens; shown beside all that is from the pack.
    pub name: &'a str,
    pub title: &'a str,
}

/// All entries of a directory, in the order of the files.
#[derive(Default)]
pub struct Content<'a> {
    /// What the directory says of itself, where it is a pack.
    pub pack: Option<Manifest<'a>>,
    pub sections: Vec<SectionFile<'a>>,
    pub flows: Vec<Located<'a, Flow<'a>>>,
    pub profiles: Vec<Located<'a, Profile<'a>>>,
    pub variables: Vec<Located<'a, Variable<'a>>>,
    pub others: Vec<Located<'a, Other<'a>>>,
    pub sources: Vec<Located<'a, Source<'a>>>,
    pub aliases: Vec<Located<'a, AliasEntry<'a>>>,
    pub asked: Vec<Located<'a, Asked<'a>>>,
    pub signatures: Vec<Located<'a, Signature<'a>>>,
    /// Words that by themselves show that a question is about this field.
    pub topic_words: Vec<&'a str>,
    /// Questions about something else.
    pub off_topic: Vec<&'a str>,
}

/// The entries of a directory, each kind sorted by its key: what records and index are made of.
pub struct Sorted<'a> {
    pub sections: Vec<SectionFile<'a>>,
    pub flows: Vec<Flow<'a>>,
    pub profiles: Vec<Profile<'a>>,
    pub variables: Vec<Variable<'a>>,
    pub others: Vec<Other<'a>>,
    pub sources: Vec<Source<'a>>,
    pub signatures: Vec<Signature<'a>>,
    pub asked: Vec<Asked<'a>>,
    /// As an [`Alias`](super::model::Alias) is stored: word, what it means.
    pub aliases: Vec<(String, Vec<&'a str>)>,
    pub off_topic: Vec<&'a str>,
}

impl<'a> Content<'a> {
    /// Sorts the entries and forgets where they are written.
    pub fn sorted(self) -> Sorted<'a> {
        let mut sections = self.sections;
        sections.sort_by_key(|file| file.section.id);
        Sorted {
            sections,
            flows: sorted(self.flows, |flow| flow.id),
            profiles: sorted(self.profiles, |profile| profile.id),
            variables: sorted(self.variables, |variable| variable.name),
            others: sorted(self.others, |other| other.name),
            sources: sorted(self.sources, |source| source.id),
            signatures: sorted(self.signatures, |signature| signature.id),
            asked: sorted(self.asked, |asked| asked.part),
            aliases: aliases(&self.aliases),
            off_topic: self.off_topic,
        }
    }
}

fn sorted<'a, T>(located: Vec<Located<'a, T>>, key: impl Fn(&T) -> &'a str) -> Vec<T> {
    let mut entries: Vec<T> = located.into_iter().map(|located| located.entry).collect();
    entries.sort_by_key(|entry| key(entry));
    entries
}

/// Both directions of what is the same, one direction of the rest.
pub fn aliases<'a>(entries: &[Located<'a, AliasEntry<'a>>]) -> Vec<(String, Vec<&'a str>)> {
    let mut means: BTreeMap<String, Vec<&'a str>> = BTreeMap::new();
    for Located { entry, .. } in entries {
        means.entry(phrase(entry.word)).or_default().extend(entry.means.iter().chain(&entry.same));
        for other in &entry.same {
            means.entry(phrase(other)).or_default().push(entry.word);
        }
    }
    means.into_iter().collect()
}

/// The file that makes a directory a pack.
pub const MANIFEST: &str = "pack.yaml";
const SECTIONS: &str = "sections/";
const FLOWS: &str = "flows/";
const PROFILES: &str = "env/profiles/";
const VARIABLES: &str = "env/variables.yaml";
const OTHERS: &str = "env/others.yaml";
const SOURCES: &str = "sources.yaml";
const ALIASES: &str = "aliases.yaml";
const QUESTIONS: &str = "questions.yaml";
const SIGNATURES: &str = "signatures.yaml";
const TOPIC_WORDS: &str = "topic-words.yaml";
const OFF_TOPIC: &str = "off-topic.yaml";

/// Bytes of a file.
const LARGEST_FILE: u64 = 4_000_000;

/// Without the marks that editors on other systems leave.
fn plain(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n")
}

/// The folders that are read; the first is the directory itself.
const FOLDERS: [&str; 5] = ["", "sections", "flows", "env", "env/profiles"];

impl Directory {
    /// Reads all files. What is not understood becomes a finding; only a directory that cannot be read is an error.
    pub fn read(root: &Path) -> io::Result<Directory> {
        let mut directory = Directory { files: Vec::new(), findings: Vec::new() };
        for folder in FOLDERS {
            let path = root.join(folder);
            if folder.is_empty() || path.is_dir() {
                directory.read_folder(root, folder)?;
            }
        }
        Ok(directory)
    }

    fn read_folder(&mut self, root: &Path, folder: &str) -> io::Result<()> {
        let is_pack = root.join(MANIFEST).is_file();
        let guide = if is_pack { "docs/packs.md" } else { "docs/content-guide.md" };
        let mut names = Vec::new();
        for entry in std::fs::read_dir(root.join(folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !entry.path().is_dir() {
                names.push(name);
                continue;
            }
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if !FOLDERS.contains(&&*path) && !is_of_the_house(&path) {
                self.findings.push(Finding::warning(&path, 0, format!("not a folder that rdmanav reads; see {guide}")));
            }
        }
        names.sort();
        for name in names {
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let known = match Path::new(&path).extension().and_then(|extension| extension.to_str()) {
                Some("md") => path.starts_with(SECTIONS),
                Some("yaml") => {
                    path.starts_with(FLOWS)
                        || path.starts_with(PROFILES)
                        || [
                            MANIFEST,
                            VARIABLES,
                            OTHERS,
                            SOURCES,
                            ALIASES,
                            QUESTIONS,
                            SIGNATURES,
                            TOPIC_WORDS,
                            OFF_TOPIC,
                        ]
                        .contains(&&*path)
                }
                _ => false,
            };
            if !known {
                if !is_of_the_house(&path) {
                    let message = format!("not a file that rdmanav reads; see {guide}");
                    self.findings.push(Finding::warning(&path, 0, message));
                }
                continue;
            }
            match files::read(&root.join(&path), LARGEST_FILE) {
                Ok(bytes) => self.take(path, bytes),
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    self.finding(&path, 0, "is larger than 4 MB; split it");
                }
                Err(error) => self.finding(&path, 0, &format!("cannot be read: {error}")),
            }
        }
        Ok(())
    }

    fn take(&mut self, path: String, bytes: Vec<u8>) {
        match String::from_utf8(bytes) {
            Ok(text) => self.parse(path, plain(&text)),
            Err(_) => self.finding(&path, 0, "is not UTF-8"),
        }
    }

    fn parse(&mut self, path: String, text: String) {
        if let Some((at, c)) = first_hidden(&text) {
            let line = super::markdown::line_at(&text, at);
            return self.finding(&path, line, &format!("{}; remove it", named(c)));
        }
        let (yaml, first_line) = if path.starts_with(SECTIONS) {
            match section_file::split(&text) {
                Some(split) if section_file::nests_deeply(split.body) => {
                    return self.finding(&path, 0, "has quotes or lists that nest too deeply");
                }
                Some(split) => (split.front_matter, 1),
                None => return self.finding(&path, 1, "must start with front matter between two lines ---"),
            }
        } else {
            (&*text, 0)
        };
        match yaml::parse(yaml) {
            Ok(tree) => {
                // An escape in quotes can spell any character.
                let hidden = yaml::texts(&tree).find_map(|text| {
                    let (_, c) = first_hidden(text)?;
                    let start: String = text.chars().filter(|c| !can_hide(*c)).take(40).collect();
                    Some(format!("{} in \"{start}\"; remove it", named(c)))
                });
                match hidden {
                    Some(message) => self.finding(&path, 0, &message),
                    None => self.files.push(File { path, text, tree }),
                }
            }
            Err(error) => {
                let line = error.line.map_or(0, |line| line + first_line);
                self.finding(&path, line, &error.message);
            }
        }
    }

    fn finding(&mut self, file: &str, line: usize, message: &str) {
        self.findings.push(Finding::error(file, line, message));
    }

    /// The entries, and what could not be read.
    pub fn content(&self) -> (Content<'_>, Vec<Finding>) {
        let mut content = Content::default();
        let mut findings = self.findings.clone();
        for file in &self.files {
            let result = match &*file.path {
                MANIFEST => yaml::entry(&file.tree).map(|pack| content.pack = Some(pack)).map_err(|error| (0, error)),
                SOURCES => list(file, "id", &mut content.sources),
                VARIABLES => list(file, "name", &mut content.variables),
                OTHERS => list(file, "name", &mut content.others),
                ALIASES => list(file, "word", &mut content.aliases),
                QUESTIONS => list(file, "part", &mut content.asked),
                SIGNATURES => list(file, "id", &mut content.signatures),
                TOPIC_WORDS => {
                    yaml::entry(&file.tree).map(|words| content.topic_words = words).map_err(|error| (0, error))
                }
                OFF_TOPIC => {
                    yaml::entry(&file.tree).map(|questions| content.off_topic = questions).map_err(|error| (0, error))
                }
                path if path.starts_with(FLOWS) => single(file, &mut content.flows),
                path if path.starts_with(PROFILES) => single(file, &mut content.profiles),
                _ => section(file, &mut content.sections),
            };
            if let Err((line, error)) = result {
                findings.push(Finding::error(&file.path, error.line.unwrap_or(line), error.message));
            }
        }
        (content, findings)
    }
}

type Outcome = Result<(), (usize, YamlError)>;

fn section<'a>(file: &'a File, sections: &mut Vec<SectionFile<'a>>) -> Outcome {
    let split = section_file::split(&file.text).expect("checked when the file was read");
    let (section, change) = section_file::section(&file.tree).map_err(|error| (0, error))?;
    sections.push(SectionFile {
        section,
        change,
        parts: section_file::parts(split.body),
        file: &file.path,
        body: split.body,
        lines_above_body: split.lines_above_body,
    });
    Ok(())
}

fn single<'a, T: Deserialize<'a>>(file: &'a File, entries: &mut Vec<Located<'a, T>>) -> Outcome {
    let entry = yaml::entry(&file.tree).map_err(|error| (0, error))?;
    entries.push(Located { entry, file: &file.path, line: 0 });
    Ok(())
}

fn list<'a, T: Deserialize<'a>>(file: &'a File, key: &str, entries: &mut Vec<Located<'a, T>>) -> Outcome {
    // The tree has no positions: entries are found again by the lines that start them, in their order.
    let starts: Vec<usize> =
        file.text.lines().enumerate().filter(|(_, line)| line.starts_with("- ")).map(|(index, _)| index + 1).collect();
    for (index, item) in yaml::items(&file.tree).map_err(|error| (0, error))?.iter().enumerate() {
        let line = starts.get(index).copied().unwrap_or(0);
        let entry = yaml::entry(item).map_err(|error| {
            let name = yaml::text(item, key).unwrap_or("an entry");
            (line, YamlError { line: None, message: format!("{name}: {}", error.message) })
        })?;
        entries.push(Located { entry, file: &file.path, line });
    }
    Ok(())
}

/// Files that people keep beside content.
fn is_of_the_house(path: &str) -> bool {
    path.starts_with('.') || ["README", "LICENSE", "CHANGELOG", "CODEOWNERS"].iter().any(|name| path.starts_with(name))
}

fn named(c: char) -> String {
    format!("a character that cannot be seen (U+{:04X})", c as u32)
}
