//! Names: misspelt, never there, gone, renamed, not yet there.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use super::{Case, reaches};
use crate::env::history::{self, Standing};
use crate::knowledge::severity::Severity;
use crate::knowledge::{Library, Other, Variable};
use crate::lint::{Form, Kind, Setting, Value};
use crate::render::{foreign, foreign_word};
use crate::search::suggest::{self, Letters};

/// Words in names that scripts give to their own variables and that builds of NCCL use.
const OF_SCRIPTS: [&str; 28] = [
    "HOME",
    "ROOT",
    "DIR",
    "DIRECTORY",
    "PATH",
    "LIB",
    "LIBS",
    "LIBRARY",
    "INCLUDE",
    "VERSION",
    "VER",
    "TEST",
    "TESTS",
    "PREFIX",
    "SRC",
    "SOURCE",
    "REPO",
    "URL",
    "BRANCH",
    "TAG",
    "COMMIT",
    "BUILD",
    "PACKAGE",
    "INSTALL",
    "IMAGE",
    "BIN",
    "ARGS",
    "OPTS",
];

/// How names begin that plugins read.
const OF_PLUGINS: [&str; 4] = ["NCCL_GPUDIRECTTCPX_", "NCCL_FASTRAK_", "NCCL_SHIMNET_", "NCCL_OFI_"];

/// A release that stopped reading a name and is older than this: nobody uses the ones before any more.
const LONG_AGO: &str = "2.20";

impl Case<'_, '_> {
    pub(super) fn name(&mut self, setting: &Setting) {
        let name = setting.name.as_str();
        if setting.form == Form::DockerArg || matches!(setting.value, Value::Unset) {
            return;
        }
        // What NCCL reads of others (SLURM_, HOME) is theirs.
        if let Some(variable) = self.library.variables.find(name).filter(|_| name.starts_with("NCCL_")) {
            self.standing(setting, &variable);
        } else if let Some(other) = self.library.others.find(name) {
            self.other(setting, &other);
        } else if name.chars().any(|c| !c.is_ascii_alphanumeric() && c != '_') {
            self.illegal(setting);
        } else if OF_PLUGINS.iter().any(|start| name.starts_with(start)) {
            // A plugin's own, more than are listed.
        } else if name.starts_with("NCCL_") && self.source.kind != Kind::Log {
            self.unknown(setting);
        } else if let Some(meant) = self.prefix_typo(name) {
            let message = format!("{} is read by nothing; {meant} is meant.", foreign(name));
            self.at_name("unknown-name", setting, message, format!("Write {meant}."));
        }
    }

    /// The variable, or the name known for another reason, that a misspelt `NCCL_` stands before.
    fn prefix_typo(&self, name: &str) -> Option<String> {
        const MISSPELT: [&str; 7] = ["CCL_", "NCL_", "NCC_", "NCLL_", "NNCCL_", "NCCLL_", "NCCCL_"];
        let rest = MISSPELT.iter().find_map(|prefix| name.strip_prefix(prefix))?;
        let meant = format!("NCCL_{rest}");
        self.library.variables.find(&meant).is_some().then_some(meant)
    }

    fn standing(&mut self, setting: &Setting, variable: &Variable<'_>) {
        let name = variable.name;
        let purpose = variable.notes.first().map_or(variable.purpose, |note| note.text);
        let advice = |what: &str| format!("{what} {purpose}");
        match self.options.release.map(|release| (release, history::standing(variable, release))) {
            Some((release, Standing::NotYet)) => {
                let message = format!("NCCL {release} does not read {name} yet: it came with {}.", variable.first);
                self.at_name("needs-newer", setting, message, "Leave it out, or use a newer NCCL.".to_string());
            }
            Some((_, Standing::NoLonger)) => self.gone(setting, variable, Severity::Warning, advice("Delete it.")),
            Some((_, Standing::Read { .. })) => {}
            None => {
                if let Some(last) = variable.last {
                    let parse = crate::knowledge::release::Release::parse;
                    let severity = if parse(last) < parse(LONG_AGO) { Severity::Warning } else { Severity::Note };
                    self.gone(setting, variable, severity, advice("Delete it, unless the job uses an older NCCL."));
                }
            }
        }
        if setting.form == Form::Assign
            && reaches_if_exported(setting)
            && !is_of_script(name)
            && !self.facts.is_used(name)
            && name.starts_with("NCCL_")
        {
            let message =
                format!("{name} is assigned and not exported: programs that the script starts do not see it.");
            self.at_name(
                "not-exported",
                setting,
                message,
                format!("`export {name}=...`, or put it before the command."),
            );
        }
    }

    fn gone(&mut self, setting: &Setting, variable: &Variable<'_>, severity: Severity, advice: String) {
        let last = variable.last.unwrap_or_default();
        let message = format!("{} is no longer read: NCCL {last} was the last release that did.", variable.name);
        self.at_name("no-longer-read", setting, message, advice).severity = severity;
    }

    fn other(&mut self, setting: &Setting, other: &Other<'_>) {
        let name = other.name;
        let meant = if other.instead.is_empty() {
            String::new()
        } else {
            format!(" What does it: {}.", other.instead.join(", "))
        };
        match other.owner {
            "nobody" => {
                let message = format!(
                    "{name} is no variable of NCCL: no release reads it, so it has no effect. {}",
                    other.purpose
                );
                self.at_name("not-nccl", setting, message, format!("Delete it.{meant}"));
            }
            "unknown" => {
                let message = format!("{name}: no reader of it is known. {}", other.purpose);
                self.at_name("not-nccl", setting, message, "Ask who gave you this setting.".to_string()).severity =
                    Severity::Note;
            }
            "PyTorch" if name.starts_with("NCCL_") => {
                let new = other.instead.join(", ");
                let message = format!(
                    "{name} is PyTorch's variable, not NCCL's, under the name that it had before PyTorch 2.2: now {new}."
                );
                let advice = format!("Rename it to {new}; {}", lower_first(other.purpose));
                self.at_name("old-torch-name", setting, message, advice);
            }
            _ => {}
        }
    }

    fn illegal(&mut self, setting: &Setting) {
        let legal: String = setting.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let trimmed = legal.trim_matches('_');
        let known = self.library.variables.find(trimmed).is_some() || self.library.others.find(trimmed).is_some();
        if !known || setting.form == Form::Map {
            return;
        }
        let message = format!("{} is no name that NCCL reads: {trimmed} is meant.", foreign_word(&setting.name));
        self.at_name("illegal-name", setting, message, format!("Write {trimmed}: letters, digits and `_` only."));
    }

    fn unknown(&mut self, setting: &Setting) {
        let name = setting.name.as_str();
        let near = self.names.meant_by(name);
        let is_own = self.facts.is_used(name) || (is_of_script(name) && !reaches(setting));
        if is_own && near.is_none_or(|near| strsim::osa_distance(name, near) > 1) {
            return;
        }
        let said = foreign(name);
        let message = match near {
            Some(near) => {
                format!("{said} is unknown: NCCL does not read it and ignores it without a word. Did you mean {near}?")
            }
            None => format!(
                "{said} is unknown: no release of NCCL up to {}, and none of its known plugins, reads it.",
                crate::knowledge::library::NCCL_RELEASE
            ),
        };
        let advice = match near {
            Some(near) => format!("Write {near}, or delete the line."),
            None => "Delete it, unless a program of yours reads it: then a comment `# rdmanav: allow unknown-name` keeps it.".to_string(),
        };
        let is_certain = near.is_some() || (reaches(setting) && !is_of_script(name));
        let severity = if is_certain { Severity::Warning } else { Severity::Note };
        self.at_name("unknown-name", setting, message, advice).severity = severity;
    }
}

/// The names that NCCL, a plugin or a framework reads: what a misspelt one may mean.
pub struct NamesRead<'a> {
    library: Library<'a>,
    /// Decoded when the first unknown name is met.
    names: OnceCell<Vec<NameRead<'a>>>,
    /// What was answered before.
    meant: RefCell<HashMap<String, Option<&'a str>>>,
}

struct NameRead<'a> {
    name: &'a str,
    /// In order.
    words: Vec<&'a str>,
    letters: Letters,
}

/// So many different names get a suggestion; nobody reads more.
const MOST_SUGGESTIONS: usize = 10_000;

impl<'a> NamesRead<'a> {
    pub fn new(library: &Library<'a>) -> Self {
        NamesRead { library: *library, names: OnceCell::new(), meant: RefCell::default() }
    }

    fn all(&self) -> &[NameRead<'a>] {
        self.names.get_or_init(|| {
            // What nobody reads any more is no answer to what was meant.
            let read = self.library.variables.iter().filter(|variable| variable.last.is_none());
            let of_others = self.library.others.iter().filter(|other| !["nobody", "unknown"].contains(&other.owner));
            let names = read.map(|variable| variable.name).chain(of_others.map(|other| other.name));
            let of_nccl = names.filter(|name| name.starts_with("NCCL_"));
            of_nccl.map(|name| NameRead { name, words: sorted_words(name), letters: Letters::of(name) }).collect()
        })
    }

    /// What a name means; an answer once for each.
    fn meant_by(&self, name: &str) -> Option<&'a str> {
        let known = self.meant.borrow().get(name).copied();
        if let Some(meant) = known {
            return meant;
        }
        let mut answered = self.meant.borrow_mut();
        if answered.len() >= MOST_SUGGESTIONS || name.len() > LONGEST_NAME {
            return None;
        }
        let meant = self.look_up(name);
        answered.insert(name.to_string(), meant);
        meant
    }

    /// The same words in another order, else the nearest by letters. A name that only contains another is no typing error of it.
    fn look_up(&self, name: &str) -> Option<&'a str> {
        let words = sorted_words(name);
        if let Some(turned) = self.all().iter().find(|known| known.words == words) {
            return Some(turned.name);
        }
        let most = if name.len() < 14 { 2 } else { 3 };
        let letters = Letters::of(name);
        // The distance is the costly test.
        let near = self.all().iter().filter(|known| {
            known.name.len().abs_diff(name.len()) <= most && known.letters.least_edits(&letters) <= most
        });
        let near = suggest::nearest(name, near.map(|known| known.name));
        near.into_iter().find(|near| strsim::osa_distance(name, near) <= most)
    }
}

/// No variable has a longer name.
const LONGEST_NAME: usize = 256;

fn sorted_words(name: &str) -> Vec<&str> {
    let mut words: Vec<&str> = name.split('_').collect();
    words.sort_unstable();
    words
}

/// A name such as a script gives to its own variables.
fn is_of_script(name: &str) -> bool {
    name.split('_').skip(1).any(|word| OF_SCRIPTS.contains(&word))
}

/// An assignment that would get to programs with `export` before it.
fn reaches_if_exported(setting: &Setting) -> bool {
    setting.broken.is_none() && !matches!(setting.value, Value::Inherited | Value::Unset)
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
