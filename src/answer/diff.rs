//! `env diff A B`: profiles, under releases, and what files or the environment say.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, cell, code, next};
use crate::env::settings;
use crate::knowledge::model::Action;
use crate::knowledge::release::Release;
use crate::knowledge::{Library, Profile};
use crate::lint::{Source, Value};
use crate::render::{clean_line, foreign};

/// Where two sets of settings differ.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiffAnswer {
    schema: &'static str,
    left: String,
    right: String,
    /// The two in the words of a heading.
    #[serde(skip)]
    headings: [String; 2],
    /// Variables that the two have in common with the same value.
    same: usize,
    differences: Vec<Difference>,
}

/// A variable in which they differ; `null` where one does not have it.
#[derive(Debug, Serialize, JsonSchema)]
struct Difference {
    name: String,
    left: Option<String>,
    right: Option<String>,
}

/// What is compared.
pub enum Side<'a> {
    /// A profile, under a release where one is named.
    Profile { profile: Profile<'a>, release: Option<Release> },
    /// A file, or the environment; with its name.
    Settings { name: String, source: Source },
}

/// What a side says of a variable.
struct Said {
    /// Value and remark, in words.
    words: String,
    /// The value, where there is one.
    value: Option<String>,
    /// Settings without it are not what the side says.
    required: bool,
}

impl<'a> Side<'a> {
    fn name(&self) -> String {
        match self {
            Side::Profile { profile, release: None } => profile.id.to_string(),
            Side::Profile { profile, release: Some(release) } => format!("{} under {release}", profile.id),
            Side::Settings { name, .. } => name.clone(),
        }
    }

    /// The name in the words of a heading: that of a file is its user's.
    fn heading(&self) -> String {
        if self.is_profile() { self.name() } else { foreign(&self.name()) }
    }

    fn is_profile(&self) -> bool {
        matches!(self, Side::Profile { .. })
    }

    /// What it says of each variable.
    fn said(&self, library: &Library<'a>) -> BTreeMap<String, Said> {
        match self {
            Side::Profile { profile, release } => said_by_profile(profile, *release, library),
            Side::Settings { source, .. } => said_by_settings(source),
        }
    }
}

/// What each variable comes to, in words, as the release takes it.
fn said_by_profile(profile: &Profile<'_>, release: Option<Release>, library: &Library<'_>) -> BTreeMap<String, Said> {
    let mut said = BTreeMap::new();
    for setting in settings::at_release(profile, release, library).0.variables {
        let value = Some(setting.value.to_string());
        let (remark, value) = match setting.action {
            Action::Older => {
                let words = setting.before.unwrap_or("").to_string();
                said.insert(setting.name.to_string(), Said { words, value: None, required: false });
                continue;
            }
            // Another value than the one to be avoided is not what the profile says.
            Action::Avoid => (" (do not set)", None),
            Action::Default => (" (default)", value),
            Action::Set => ("", value),
            Action::Site => (" (site-specific)", value),
            Action::Done => (" (done by the platform)", value),
        };
        let words = code(setting.value) + remark;
        said.insert(setting.name.to_string(), Said { words, value, required: setting.action == Action::Set });
    }
    said
}

fn said_by_settings(source: &Source) -> BTreeMap<String, Said> {
    let mut said = BTreeMap::new();
    for (name, values) in source.values() {
        let words: Vec<String> =
            values.iter().filter(|value| ***value != Value::Unset).map(|value| written(value)).collect();
        if !words.is_empty() {
            let value = values.first().filter(|_| values.len() == 1).and_then(|value| value.text());
            let value = value.map(str::to_string);
            said.insert(clean_line(name), Said { words: words.join(" or "), value, required: true });
        }
    }
    said
}

/// A value as the program sees it; what only the run knows as it is written.
fn written(value: &Value) -> String {
    match value.text() {
        Some(text) => code(text),
        None => format!("{} (not resolved)", code(value.written())),
    }
}

/// Compares. Of settings, variables count that NCCL or a library below it reads, and those that the other side names. Against settings,
/// what a profile leaves at its default need not be set.
pub fn diff<'a>(left: &Side<'a>, right: &Side<'a>, library: &Library<'a>) -> DiffAnswer {
    let (ours, mut theirs) = (left.said(library), right.said(library));
    let of_profiles = left.is_profile() && right.is_profile();
    let is_named = |name: &str, other: bool| of_profiles || other || is_of_nccl(name, library);
    let mut differences = Vec::new();
    let mut same = 0;
    for (name, our) in ours {
        let their = theirs.remove(&name);
        let counts = is_named(&name, their.is_some() || left.is_profile());
        let is_same = match &their {
            Some(their) if of_profiles => their.words == our.words,
            Some(their) => their.value.is_some() && their.value == our.value,
            None => false,
        };
        if is_same {
            same += usize::from(counts);
        } else if counts && (their.is_some() || of_profiles || our.required) {
            differences.push(Difference { name, left: Some(our.words), right: their.map(|their| their.words) });
        }
    }
    for (name, their) in theirs {
        if is_named(&name, right.is_profile()) && (of_profiles || their.required) {
            differences.push(Difference { name, left: None, right: Some(their.words) });
        }
    }
    differences.sort_by(|one, other| one.name.cmp(&other.name));
    DiffAnswer {
        schema: "rdmanav.env-diff/1",
        left: left.name(),
        right: right.name(),
        headings: [left.heading(), right.heading()],
        same,
        differences,
    }
}

/// NCCL, its plugins or a library that carries its traffic read it.
fn is_of_nccl(name: &str, library: &Library<'_>) -> bool {
    let families = ["NCCL_", "UCX_", "FI_", "SHARP_", "TORCH_NCCL_", "RCCL_", "NVSHMEM_", "GLOO_", "OFI_NCCL_"];
    families.iter().any(|family| name.starts_with(family))
        // NCCL reads HOME, too, which is nobody's setting.
        || (name != "HOME" && library.variables.find(name).is_some())
        || library.others.find(name).is_some()
}

impl Answer for DiffAnswer {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = String::new();
        if !self.differences.is_empty() {
            let [left, right] = &self.headings;
            out.push_str(&format!("| Variable | {} | {} |\n|---|---|---|\n", cell(left), cell(right)));
            for difference in &self.differences {
                let side = |value: &Option<String>| value.as_deref().map_or("-".to_string(), cell);
                let (left, right) = (side(&difference.left), side(&difference.right));
                out.push_str(&format!("| {} | {left} | {right} |\n", cell(&code(&difference.name))));
            }
            out.push('\n');
        }
        out.push_str(&format!("{} differ, {} are the same.\n", self.differences.len(), self.same));
        if !self.differences.is_empty() {
            out.push_str(&next(&["`rdmanav env VARIABLE` says all about one"]));
        }
        out
    }
}
