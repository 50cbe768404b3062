//! The embedded knowledge with packs laid over it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::encode;
use crate::knowledge::check::{self, phrase};
use crate::knowledge::directory::{Content, Directory, Finding, Located, Manifest, SectionFile, Sorted};
use crate::knowledge::library::PackEntry;
use crate::knowledge::model::{Asked, Part, StoredPart};
use crate::knowledge::records::{self, Records};
use crate::knowledge::section_file::Change;
use crate::knowledge::severity::Severity;
use crate::knowledge::{Library, Section};
use crate::search::merge::merge;
use crate::search::{Searcher, words};

/// More units would not fit the numbers that the index counts them with: sections, parts, variables and ways to ask together.
const MOST_UNITS: usize = 60_000;

/// More patterns would not fit, either.
const MOST_PATTERNS: usize = 60_000;

/// A library with packs over it. What was read stays in memory until the program ends: answers borrow from it.
pub struct Overlay {
    base: Searcher<'static>,
    /// With all packs.
    pub library: Library<'static>,
    /// Sections that a pack changed or asks for.
    touched: BTreeSet<&'static str>,
    asked: Vec<Asked<'static>>,
    aliases: BTreeMap<String, Vec<&'static str>>,
    topic_words: BTreeSet<String>,
    origins: BTreeMap<String, &'static str>,
}

/// Why a pack was left out.
#[derive(Debug)]
pub enum Refused {
    /// The directory cannot be read.
    Unreadable(std::io::Error),
    /// There is no `pack.yaml`.
    NoPack,
    /// Errors first.
    Faulty(Vec<Finding>),
}

impl Overlay {
    /// Nothing over `base` yet.
    pub fn new(base: Searcher<'static>) -> Self {
        Overlay {
            base,
            library: base.library,
            touched: BTreeSet::new(),
            asked: Vec::new(),
            aliases: base.aliases.iter().map(|alias| (alias.word.to_string(), alias.means)).collect(),
            topic_words: base.topic_words.iter().map(str::to_string).collect(),
            origins: BTreeMap::new(),
        }
    }

    /// Lays a pack over all that is there. `shown` is how its directory is called in answers.
    pub fn add(&mut self, directory: &Path, shown: &str) -> Result<(), Refused> {
        let read: &'static Directory = Box::leak(Box::new(Directory::read(directory).map_err(Refused::Unreadable)?));
        let (content, mut findings) = read.content();
        let Some(manifest) = content.pack else {
            let faulty = findings.iter().any(|finding| finding.file == crate::knowledge::directory::MANIFEST);
            return Err(if faulty { Refused::Faulty(findings) } else { Refused::NoPack });
        };
        findings.extend(check::check(&content, None, Some(self.library)).findings);
        findings.extend(self.limits(&content));
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            return Err(Refused::Faulty(findings));
        }
        self.lay(manifest, content, shown);
        Ok(())
    }

    fn limits(&self, content: &Content<'_>) -> Option<Finding> {
        let asks =
            content.asked.iter().map(|asked| asked.entry.asks.len()).chain(self.asked.iter().map(|it| it.asks.len()));
        // A section, its parts, and the myths in it, which are ways to ask.
        let of_section = |file: &SectionFile<'_>| 1 + file.parts.len() + file.body.matches("[!MYTH]").count();
        let sections: usize = content.sections.iter().map(of_section).sum();
        let names = content.variables.len() + content.others.len();
        // What packs before this one brought is among the parts of the library.
        let units = self.base.index.units() + self.library.stored_parts.len() + sections + names + asks.sum::<usize>();
        let patterns: usize = self.library.signatures.iter().map(|signature| signature.patterns.len()).sum::<usize>()
            + content.signatures.iter().map(|signature| signature.entry.patterns.len()).sum::<usize>();
        (units > MOST_UNITS || patterns > MOST_PATTERNS)
            .then(|| Finding::error(".", 0, "is more than the index can hold"))
    }

    fn lay(&mut self, manifest: Manifest<'static>, content: Content<'static>, shown: &str) {
        let name = manifest.name;
        let before = self.library;
        self.origins(name, &content);
        self.topic_words.extend(own_words(&content, name, &self.base));
        let entry = PackEntry { name, title: manifest.title, directory: shown, holds: &holds(&content) };
        let mut packs: Vec<PackEntry<'_>> = before.packs.iter().collect();
        packs.push(entry);
        packs.sort_by_key(|pack| pack.name);
        self.library.packs = Records::new(leak(records::encode(&packs)));
        self.library.flows = added(before.flows, content.flows, |flow| flow.id);
        self.library.profiles = added(before.profiles, content.profiles, |profile| profile.id);
        self.library.variables = added(before.variables, content.variables, |variable| variable.name);
        self.library.others = added(before.others, content.others, |other| other.name);
        self.library.sources = added(before.sources, content.sources, |source| source.id);
        self.library.signatures = added(before.signatures, content.signatures, |signature| signature.id);
        self.touched.extend(content.sections.iter().map(|file| file.section.id));
        self.sections(content.sections, name);
        let aliases = crate::knowledge::directory::aliases(&content.aliases);
        for (word, means) in aliases {
            self.aliases.entry(word).or_default().extend(means);
        }
        self.topic_words.extend(content.topic_words.iter().map(|word| words::stem(&word.to_lowercase())));
        for Located { entry, .. } in content.asked {
            self.touched.insert(entry.part.split_once('#').map_or(entry.part, |(id, _)| id));
            self.asked.push(entry);
        }
        let origins: Vec<(&str, &str)> = self.origins.iter().map(|(what, pack)| (&**what, *pack)).collect();
        self.library.origins = Records::new(leak(records::encode(&origins)));
    }

    /// Remembers what is from this pack.
    fn origins(&mut self, name: &'static str, content: &Content<'_>) {
        let sections = content.sections.iter().filter(|file| file.change != Change::Append);
        let parts = content.sections.iter().flat_map(|file| {
            let parts = file.parts.iter().filter(|part| !part.id.is_empty());
            parts.map(|part| format!("{}#{}", file.section.id, part.id))
        });
        let names = (sections.map(|file| file.section.id.to_string()))
            .chain(parts)
            .chain(content.flows.iter().map(|flow| format!("flow {}", flow.entry.id)))
            .chain(content.profiles.iter().map(|profile| format!("profile {}", profile.entry.id)))
            .chain(content.variables.iter().map(|variable| format!("variable {}", variable.entry.name)))
            .chain(content.others.iter().map(|other| format!("variable {}", other.entry.name)))
            .chain(content.sources.iter().map(|source| format!("source {}", source.entry.id)))
            .chain(content.signatures.iter().map(|signature| format!("signature {}", signature.entry.id)));
        self.origins.extend(names.map(|what| (what, name)));
    }

    fn sections(&mut self, changes: Vec<SectionFile<'static>>, pack: &str) {
        if changes.is_empty() {
            return;
        }
        let mut files = files(&self.library);
        // A word that leads to a section of the pack leads nowhere else, unless it is a section's own name.
        let triggers: BTreeSet<String> =
            changes.iter().flat_map(|file| &file.section.triggers).map(|trigger| phrase(trigger)).collect();
        for file in &mut files {
            file.section.triggers.retain(|trigger| !triggers.contains(&phrase(trigger)));
        }
        for change in changes {
            let place = files.iter().position(|file| file.section.id == change.section.id);
            match place.map(|place| &mut files[place]) {
                None => files.push(change),
                Some(file) if change.change == Change::Append => append(file, change, pack),
                Some(file) => *file = change,
            }
        }
        files.sort_by_key(|file| file.section.id);
        let encode::Encoded { sections, parts, texts } = encode::sections(&files, &self.library);
        self.library.sections = Records::new(leak(sections));
        self.library.stored_parts = Records::<StoredPart<'static>>::new(leak(parts));
        self.library.texts = Box::leak(texts.into_boxed_str());
    }

    /// The search over the library.
    pub fn searcher(&self) -> Searcher<'static> {
        let is_touched = |address: &str| {
            let id = address.split_once('#').map_or(address, |(id, _)| id);
            self.touched.contains(id)
        };
        let (base, library) = (&self.base, &self.library);
        let sections = files(library).into_iter().filter(|file| is_touched(file.section.id)).collect();
        let signatures = library.signatures.iter();
        let fresh = Sorted {
            sections,
            flows: library.flows.iter().collect(),
            profiles: Vec::new(),
            variables: library
                .variables
                .iter()
                .filter(|it| base.library.variables.position(it.name).is_none())
                .collect(),
            others: library.others.iter().filter(|it| base.library.others.position(it.name).is_none()).collect(),
            sources: Vec::new(),
            signatures: signatures
                .filter(|signature| is_touched(signature.part) && self.has_part(signature.part))
                .collect(),
            asked: self.asked.iter().filter(|asked| self.has_part(asked.part)).cloned().collect(),
            aliases: Vec::new(),
            off_topic: Vec::new(),
        };
        let built = Box::leak(Box::new(merge(&base.index, &base.library, library, &fresh)));
        let aliases: Vec<(&str, &Vec<&str>)> = self.aliases.iter().map(|(word, means)| (&**word, means)).collect();
        let topic_words: Vec<&String> = self.topic_words.iter().collect();
        Searcher {
            library: *library,
            index: built.index(),
            aliases: Records::new(leak(records::encode(&aliases))),
            topic_words: Records::new(leak(records::encode(&topic_words))),
            tuning: base.tuning,
        }
    }

    fn has_part(&self, address: &str) -> bool {
        let (id, part) = address.split_once('#').unwrap_or((address, ""));
        self.library.has_part(id, part)
    }
}

/// Words that nobody but this pack uses: by themselves they show that a question is about what it knows.
fn own_words(content: &Content<'_>, name: &str, base: &Searcher<'_>) -> Vec<String> {
    let sections = content.sections.iter().map(|file| &file.section);
    let texts = sections.flat_map(|section| section.triggers.iter().copied().chain([section.title]));
    let wording = base.tuning.wording;
    let texts = texts.chain([name]).collect::<Vec<_>>().join("\n");
    let is_new = |word: &String| base.index.terms.position(word).is_none();
    let new = words::words(&texts, wording).into_iter().map(|word| word.whole).filter(is_new);
    // What somebody wrote down as a word of theirs is one, whoever else uses it.
    let aliases = content.aliases.iter().map(|alias| words::words(alias.entry.word, wording));
    let single = aliases.filter(|words| words.len() == 1).flatten().map(|word| word.whole);
    new.chain(single).collect()
}

/// The sections of a library, as if they had been read from files.
fn files(library: &Library<'static>) -> Vec<SectionFile<'static>> {
    let file = |section: Section<'static>| SectionFile {
        parts: library.parts(&section).collect(),
        section,
        change: Change::Add,
        file: "",
        body: "",
        lines_above_body: 0,
    };
    library.sections.iter().map(file).collect()
}

fn append(file: &mut SectionFile<'static>, change: SectionFile<'static>, pack: &str) {
    file.section.triggers.extend(change.section.triggers);
    let known = file.section.see_also.clone();
    file.section.see_also.extend(change.section.see_also.into_iter().filter(|id| !known.contains(id)));
    let mut parts = change.parts.into_iter();
    if let (Some(opening), Some(Part { body, .. })) = (file.parts.first_mut(), parts.next())
        && !body.is_empty()
    {
        opening.body = Box::leak(format!("{}\n\n*From the pack {pack}:*\n\n{body}", opening.body).into_boxed_str());
        opening.markdown = "";
    }
    file.parts.extend(parts);
}

/// The records with entries added.
fn added<T>(
    base: Records<'static, T>,
    entries: Vec<Located<'static, T>>,
    key: fn(&T) -> &'static str,
) -> Records<'static, T>
where
    T: Deserialize<'static> + Serialize,
{
    if entries.is_empty() {
        return base;
    }
    let mut all: Vec<T> = base.iter().chain(entries.into_iter().map(|located| located.entry)).collect();
    all.sort_by_key(key);
    Records::new(leak(records::encode(&all)))
}

/// What a pack has, in words.
fn holds(content: &Content<'_>) -> String {
    let counts = [
        (content.sections.len(), "section"),
        (content.flows.len(), "flow"),
        (content.profiles.len(), "profile"),
        (content.variables.len() + content.others.len(), "variable"),
        (content.signatures.len(), "signature"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let words = counts.map(|(count, what)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" }));
    words.collect::<Vec<_>>().join(", ")
}

fn leak(bytes: Vec<u8>) -> &'static [u8] {
    Box::leak(bytes.into_boxed_slice())
}
