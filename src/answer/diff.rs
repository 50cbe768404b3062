//! `env diff A B`: two profiles, or one under two releases.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, cell, code};
use crate::env::settings;
use crate::knowledge::model::Action;
use crate::knowledge::release::Release;
use crate::knowledge::{Library, Profile};

/// Where two sets of settings differ.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiffAnswer<'a> {
    schema: &'static str,
    left: String,
    right: String,
    /// Variables that the two have in common with the same value.
    same: usize,
    differences: Vec<Difference<'a>>,
}

/// A variable in which they differ; `null` where one does not have it.
#[derive(Debug, Serialize, JsonSchema)]
struct Difference<'a> {
    name: &'a str,
    left: Option<String>,
    right: Option<String>,
}

/// A profile, under a release where one is named.
pub struct Side<'a> {
    pub profile: Profile<'a>,
    pub release: Option<Release>,
}

impl<'a> Side<'a> {
    fn name(&self) -> String {
        let id = self.profile.id;
        self.release.map_or(id.to_string(), |release| format!("{id} under {release}"))
    }

    /// What each variable comes to, in words, as the release takes it.
    fn settings(&self, library: &Library<'a>) -> BTreeMap<&'a str, String> {
        let mut settings = BTreeMap::new();
        for setting in settings::at_release(&self.profile, self.release, library).0.variables {
            let value = match setting.action {
                Action::Older => setting.before.unwrap_or("").to_string(),
                Action::Default => format!("{} (default)", code(setting.value)),
                Action::Set => code(setting.value),
                Action::Site => format!("{} (site-specific)", code(setting.value)),
                Action::Avoid => format!("{} (do not set)", code(setting.value)),
                Action::Done => format!("{} (done by the platform)", code(setting.value)),
            };
            settings.insert(setting.name, value);
        }
        settings
    }
}

/// Compares.
pub fn diff<'a>(left: &Side<'a>, right: &Side<'a>, library: &Library<'a>) -> DiffAnswer<'a> {
    let (ours, mut theirs) = (left.settings(library), right.settings(library));
    let mut differences = Vec::new();
    let mut same = 0;
    for (name, value) in ours {
        let other = theirs.remove(name);
        if other.as_ref() == Some(&value) {
            same += 1;
        } else {
            differences.push(Difference { name, left: Some(value), right: other });
        }
    }
    differences.extend(theirs.into_iter().map(|(name, value)| Difference { name, left: None, right: Some(value) }));
    differences.sort_by_key(|difference| difference.name);
    DiffAnswer { schema: "rdmanav.env-diff/1", left: left.name(), right: right.name(), same, differences }
}

impl Answer for DiffAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = String::new();
        if !self.differences.is_empty() {
            out.push_str(&format!("| Variable | {} | {} |\n|---|---|---|\n", self.left, self.right));
            for difference in &self.differences {
                let side = |value: &Option<String>| value.as_deref().map_or("-".to_string(), cell);
                let (left, right) = (side(&difference.left), side(&difference.right));
                out.push_str(&format!("| `{}` | {left} | {right} |\n", difference.name));
            }
            out.push('\n');
        }
        out.push_str(&format!("{} differ, {} are the same.\n", self.differences.len(), self.same));
        out
    }
}
