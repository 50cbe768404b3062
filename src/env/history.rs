//! What NCCL reads at a release, and what changed between releases.

use crate::knowledge::release::Release;
use crate::knowledge::{Library, Variable};

/// How a variable stands at a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing<'a> {
    /// It is read; with its default.
    Read { default: &'a str },
    /// No release up to this one reads it.
    NotYet,
    /// The last release that read it is older.
    NoLonger,
}

/// How a variable stands at a release.
pub fn standing<'a>(variable: &Variable<'a>, release: Release) -> Standing<'a> {
    // 2.3.5 is the oldest that can be read; its first entries stand for what came before.
    let release = release.max(Release::parse("2.3.5").expect("a release"));
    let is_after = |since: &str| Release::parse(since).is_some_and(|since| since > release);
    if is_after(variable.first) {
        return Standing::NotYet;
    }
    if variable.last.and_then(Release::parse).is_some_and(|last| last < release && !release.covers(last)) {
        return Standing::NoLonger;
    }
    let current = variable.defaults.iter().rev().find(|default| !is_after(default.since));
    Standing::Read { default: current.or(variable.defaults.first()).map_or("", |default| default.value) }
}

/// A change between two releases.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub struct Change<'a> {
    pub name: &'a str,
    pub release: &'a str,
    #[serde(flatten)]
    pub what: What<'a>,
}

/// What changed.
#[derive(Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum What<'a> {
    Added {
        default: &'a str,
    },
    /// The release is the last that reads it.
    Removed,
    Default {
        from: &'a str,
        to: &'a str,
    },
}

/// What changed after `from`, up to `to`, in the order of the releases.
pub fn changes<'a>(from: Release, to: Release, library: &Library<'a>) -> Vec<Change<'a>> {
    let mut changes: Vec<(Release, Change<'a>)> = Vec::new();
    for variable in library.variables.iter() {
        let mut add = |text: &'a str, what| {
            if let Some(release) = Release::parse(text).filter(|release| *release > from && *release <= to) {
                changes.push((release, Change { name: variable.name, release: text, what }));
            }
        };
        add(variable.first, What::Added { default: variable.defaults.first().map_or("", |default| default.value) });
        for pair in variable.defaults.windows(2) {
            add(pair[1].since, What::Default { from: pair[0].value, to: pair[1].value });
        }
        // The last release that reads it is known, not the first that does not.
        let last = variable.last.and_then(|text| Some((text, Release::parse(text)?)));
        if let Some((text, last)) = last.filter(|(_, last)| *last >= from && *last < to && !to.covers(*last)) {
            changes.push((last, Change { name: variable.name, release: text, what: What::Removed }));
        }
    }
    // Stable: a default that changed comes before the removal in the same release.
    changes.sort_by_key(|(release, change)| (*release, change.name));
    changes.into_iter().map(|(_, change)| change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str, release: &str) -> Standing<'static> {
        let variable = crate::library().variables.find(name).unwrap();
        standing(&variable, Release::parse(release).unwrap())
    }

    #[test]
    fn a_variable_stands_as_the_source_of_its_release_says() {
        assert_eq!(at("NCCL_IB_TIMEOUT", "2.22"), Standing::Read { default: "18" });
        assert_eq!(at("NCCL_IB_TIMEOUT", "2.23"), Standing::Read { default: "20" });
        assert_eq!(at("NCCL_IB_TIMEOUT", "2.3.5"), Standing::Read { default: "14" });
        assert_eq!(at("NCCL_PXN_DISABLE", "2.11.4"), Standing::NotYet);
        assert_eq!(at("NCCL_IB_GDR_LEVEL", "2.3.7"), Standing::Read { default: "-2" });
        assert_eq!(at("NCCL_IB_GDR_LEVEL", "2.3"), Standing::Read { default: "-2" });
        assert_eq!(at("NCCL_IB_GDR_LEVEL", "2.4.2"), Standing::NoLonger);
    }

    #[test]
    fn changes_between_releases_are_those_of_the_histories() {
        let release = |text| Release::parse(text).unwrap();
        let changes = changes(release("2.22.3"), release("2.23.4"), &crate::library());
        let timeout = changes.iter().find(|change| change.name == "NCCL_IB_TIMEOUT").unwrap();
        assert_eq!(timeout.what, What::Default { from: "18", to: "20" });
        assert!(
            changes.iter().all(|change| change.release.starts_with("2.22.3") || change.release.starts_with("2.23"))
        );
    }
}
