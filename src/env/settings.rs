//! The values of a profile.

use super::history::{self, Standing};
use crate::knowledge::hidden::first_hidden;
use crate::knowledge::model::{Action, Setting};
use crate::knowledge::release::Release;
use crate::knowledge::{Library, Profile};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The profile.
    Profile,
    /// The user, with `--set`.
    Given,
}

/// A variable with the value it is to have.
#[derive(Debug)]
pub struct Assignment<'a> {
    pub setting: &'a Setting<'a>,
    pub value: &'a str,
    pub source: Source,
}

impl Assignment<'_> {
    /// It is to be set: by the profile, or because the user gave a value. What equals the default, depends on the site or
    /// should not be set is not.
    pub fn is_set(&self) -> bool {
        self.source == Source::Given || self.setting.action == Action::Set
    }
}

/// The profile as a release takes it: a default is that of the release. Also the names that the release does not read, which are left out.
pub fn at_release<'a>(
    profile: &Profile<'a>,
    release: Option<Release>,
    library: &Library<'a>,
) -> (Profile<'a>, Vec<&'a str>) {
    let mut left_out = Vec::new();
    let mut profile = profile.clone();
    let Some(release) = release else { return (profile, left_out) };
    profile.variables.retain_mut(|setting| {
        let Some(variable) = library.variables.find(setting.name) else { return true };
        match history::standing(&variable, release) {
            Standing::Read { default } => {
                let is_newer = setting.since.and_then(Release::parse).is_some_and(|since| since > release);
                if is_newer && setting.before.is_some() {
                    setting.action = Action::Older;
                } else if setting.action == Action::Default {
                    setting.value = default;
                }
                true
            }
            Standing::NotYet | Standing::NoLonger => {
                left_out.push(setting.name);
                false
            }
        }
    });
    (profile, left_out)
}

/// The variables of a profile in their order, with values given as `NAME=VALUE` filled in.
///
/// # Errors
/// A message for a given value that has no `=`, names no variable of the profile, is given twice, or has a hidden character.
pub fn assignments<'a>(profile: &'a Profile<'a>, given: &'a [String]) -> Result<Vec<Assignment<'a>>, String> {
    let mut assignments: Vec<Assignment<'a>> = profile
        .variables
        .iter()
        .map(|setting| Assignment { setting, value: setting.value, source: Source::Profile })
        .collect();
    for text in given {
        let Some((name, value)) = text.split_once('=') else {
            return Err(format!("--set {text}: write NAME=VALUE"));
        };
        if value.contains(['\n', '\t']) || first_hidden(value).is_some() {
            return Err(format!("--set {name}: the value has a control character, or another that cannot be seen"));
        }
        let Some(assignment) = assignments.iter_mut().find(|assignment| assignment.setting.name == name) else {
            let names: Vec<&str> = profile.variables.iter().map(|setting| setting.name).collect();
            return Err(format!("--set {name}: not in profile {}, which has {}", profile.id, names.join(", ")));
        };
        if assignment.source == Source::Given {
            return Err(format!("--set {name}: given twice"));
        }
        (assignment.value, assignment.source) = (value, Source::Given);
    }
    Ok(assignments)
}
