//! `env VARIABLE`: one variable in full, those that match a pattern, or what changed between releases.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, NotFound, cell, code, footnotes, from_pack, next, shows};
use crate::env::history::{self, Change, Standing, What};
use crate::knowledge::library::NCCL_RELEASE;
use crate::knowledge::release::Release;
use crate::knowledge::{Library, Other, Variable};
use crate::render;
use crate::search::suggest;

/// A variable, as it stands at a release where one was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VariableAnswer<'a> {
    schema: &'static str,
    /// The newest release whose source was read.
    nccl: &'static str,
    /// How it stands at the release that was asked for.
    at: Option<At<'a>>,
    #[serde(flatten)]
    variable: Variable<'a>,
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<String>,
}

/// How a variable stands at a release.
#[derive(Debug, Serialize, JsonSchema)]
pub struct At<'a> {
    release: String,
    read: bool,
    /// Of that release; `null` when it does not read the variable.
    default: Option<&'a str>,
    #[serde(skip)]
    standing: Standing<'a>,
}

impl<'a> At<'a> {
    fn new(variable: &Variable<'a>, release: Release) -> Self {
        let standing = history::standing(variable, release);
        let default = if let Standing::Read { default } = standing { Some(default) } else { None };
        At { release: release.to_string(), read: default.is_some(), default, standing }
    }
}

/// A name that core NCCL does not read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OtherAnswer<'a> {
    schema: &'static str,
    #[serde(flatten)]
    other: Other<'a>,
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<String>,
}

/// What a name is.
pub enum Named<'a> {
    Variable(VariableAnswer<'a>),
    Other(OtherAnswer<'a>),
}

/// Variables by name or pattern, one a row.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VariablesAnswer<'a> {
    schema: &'static str,
    pattern: String,
    release: Option<String>,
    pub variables: Vec<Summary<'a>>,
}

/// A variable on one line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary<'a> {
    name: &'a str,
    purpose: &'a str,
    /// At the release that was asked for, else the newest one; `null` when that release does not read it.
    default: Option<&'a str>,
    #[serde(skip)]
    shown: String,
}

/// What changed between two releases.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangesAnswer<'a> {
    schema: &'static str,
    from: String,
    to: String,
    changes: Vec<Change<'a>>,
}

/// The variable or other name, in any case, with or without `NCCL_`.
pub fn named<'a>(name: &str, release: Option<Release>, library: &Library<'a>) -> Result<Named<'a>, NotFound> {
    let upper = name.to_uppercase().replace('-', "_");
    let spellings = [name.to_string(), upper.clone(), format!("NCCL_{upper}")];
    if let Some(variable) = spellings.iter().find_map(|name| library.variables.find(name)) {
        return Ok(Named::Variable(VariableAnswer::at(variable, release)));
    }
    if let Some(other) = spellings.iter().find_map(|name| library.others.find(name)) {
        return Ok(Named::Other(OtherAnswer::new(other)));
    }
    let names = library.profiles.keys().chain(library.variables.keys()).chain(library.others.keys());
    let near = suggest::nearest(name, names);
    let message = format!("no profile and no NCCL variable \"{}\"", render::short(name));
    Err(NotFound::new(
        message,
        &near,
        "NCCL ignores names that it does not know; all that it reads: rdmanav env 'NCCL_*'",
    ))
}

/// The variables of these names and patterns (`*` and `?`), in any case. With a release, only those that it reads.
pub fn matching<'a>(
    patterns: &[String],
    release: Option<Release>,
    library: &Library<'a>,
) -> Result<VariablesAnswer<'a>, NotFound> {
    let mut rows: BTreeMap<&str, Summary<'a>> = BTreeMap::new();
    for pattern in patterns {
        if pattern.contains(['*', '?']) {
            let upper = pattern.to_uppercase().replace('-', "_");
            let mut matched = false;
            for variable in
                library.variables.iter().filter(|variable| glob_matches(upper.as_bytes(), variable.name.as_bytes()))
            {
                let standing = release.map(|release| history::standing(&variable, release));
                if standing.is_none_or(|standing| matches!(standing, Standing::Read { .. })) {
                    matched = true;
                    rows.insert(variable.name, summary(&variable, standing));
                }
            }
            for other in library.others.iter().filter(|other| glob_matches(upper.as_bytes(), other.name.as_bytes())) {
                matched = true;
                rows.insert(other.name, other_summary(&other));
            }
            if !matched {
                let at = release.map_or(String::new(), |release| format!(" in NCCL {release}"));
                let hint = "a pattern is * for any letters and ? for one, as in 'NCCL_IB_*'";
                let message = format!("no NCCL variable matches \"{}\"{at}", render::short(pattern));
                return Err(NotFound::new(message, &[], hint));
            }
            continue;
        }
        match named(pattern, release, library)? {
            Named::Variable(answer) => {
                let standing = answer.at.as_ref().map(|at| at.standing);
                rows.insert(answer.variable.name, summary(&answer.variable, standing));
            }
            Named::Other(OtherAnswer { other, .. }) => {
                rows.insert(other.name, other_summary(&other));
            }
        }
    }
    Ok(VariablesAnswer {
        schema: "rdmanav.variables/1",
        pattern: patterns.join(" "),
        release: release.map(|release| release.to_string()),
        variables: rows.into_values().collect(),
    })
}

fn other_summary<'a>(other: &Other<'a>) -> Summary<'a> {
    let shown = format!("(read by {})", other.owner);
    Summary { name: other.name, purpose: other.purpose, default: None, shown }
}

fn summary<'a>(variable: &Variable<'a>, standing: Option<Standing<'a>>) -> Summary<'a> {
    let default = match standing {
        Some(Standing::Read { default }) => Some(default),
        Some(_) => None,
        None => variable.defaults.last().map(|default| default.value),
    };
    let shown = match standing {
        Some(Standing::NotYet) => format!("(not read before {})", variable.first),
        Some(Standing::NoLonger) => format!("(not read after {})", variable.last.unwrap_or("")),
        _ => default_words(default.unwrap_or("")),
    };
    Summary { name: variable.name, purpose: variable.purpose, default, shown }
}

/// What was added, removed or got another default after `from`, up to `to`.
pub fn changes<'a>(from: Release, to: Release, library: &Library<'a>) -> ChangesAnswer<'a> {
    ChangesAnswer {
        schema: "rdmanav.variable-changes/1",
        from: from.to_string(),
        to: to.to_string(),
        changes: history::changes(from, to, library),
    }
}

/// `*` matches any bytes, `?` one. Steps back to the last `*` only, so the time is at most pattern times name.
fn glob_matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == b'?' || pattern[p] == name[n]) {
            p += 1;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            p = at + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

/// A default as it is shown: sentinels as what they mean, with the raw value beside.
fn default_words(value: &str) -> String {
    match value {
        "unset" => "unset".to_string(),
        "-2147483648" => "from the communicator configuration (`-2147483648`)".to_string(),
        "-1" | "-2" => format!("decided at run time (`{value}`)"),
        value => code(value),
    }
}

impl<'a> VariableAnswer<'a> {
    /// The answer for the newest release.
    pub fn new(variable: Variable<'a>) -> Self {
        Self::at(variable, None)
    }

    fn at(variable: Variable<'a>, release: Option<Release>) -> Self {
        let at = release.map(|release| At::new(&variable, release));
        VariableAnswer { schema: "rdmanav.variable/1", nccl: NCCL_RELEASE, at, variable, origin: None }
    }

    /// The bare default, of the release that was asked for or the newest; none when that release does not read the variable.
    pub fn default(&self) -> Option<&'a str> {
        match &self.at {
            Some(at) => at.default,
            None => self.variable.defaults.last().map(|default| default.value),
        }
    }

    /// The document without its title.
    pub fn body(&self) -> String {
        let variable = &self.variable;
        let mut out = String::new();
        if let Some(at) = &self.at {
            out.push_str(&self.at_release(at));
        }
        out.push_str(&format!("{}. {}\n\n", variable.purpose.trim_end_matches('.'), footnotes(&variable.sources)));
        if !variable.values.is_empty() {
            out.push_str("| Value | Meaning |\n|---|---|\n");
            for value in &variable.values {
                out.push_str(&format!("| {} | {} |\n", cell(&code(value.value)), cell(value.meaning)));
            }
            out.push('\n');
        }
        out.push_str(&format!("**Default:** {}\n\n**Releases:** {}\n", self.default_history(), self.releases()));
        if !variable.notes.is_empty() {
            out.push_str("\n**Notes**\n\n");
            for note in &variable.notes {
                out.push_str(&format!("- {} {}\n", note.text.replace('\n', " "), footnotes(&note.sources)));
            }
        }
        let related: Vec<String> = variable.related.iter().map(|name| format!("`{name}`")).collect();
        if !related.is_empty() {
            out.push_str(&format!("\n**Related:** {}\n", related.join(", ")));
        }
        out.push_str(&next(&shows(&variable.sections)));
        out
    }

    fn at_release(&self, at: &At<'_>) -> String {
        let variable = &self.variable;
        match at.standing {
            Standing::Read { default } => {
                format!("**In NCCL {}:** default {}.\n\n", at.release, self.default_words(default))
            }
            Standing::NotYet => {
                format!(
                    "**NCCL {} does not read it:** the first release that does is {}.\n\n",
                    at.release, variable.first
                )
            }
            Standing::NoLonger => {
                let last = variable.last.unwrap_or("");
                format!("**NCCL {} does not read it any more:** {last} was the last release that did.\n\n", at.release)
            }
        }
    }

    /// A default with its meaning: the entry's own for the newest default, else what such a value usually stands for.
    fn default_words(&self, default: &str) -> String {
        let newest = self.variable.defaults.last().map(|newest| newest.value);
        match self.variable.default_meaning {
            Some(meaning) if newest == Some(default) => format!("{} ({meaning})", code(default)),
            _ => default_words(default),
        }
    }

    fn releases(&self) -> String {
        let variable = &self.variable;
        let first = oldest(variable.first);
        let reads = match (variable.guide_only, variable.last) {
            (true, Some(last)) => format!("in the guide for {first} to {last}; no source that could be read has it"),
            (true, None) => format!("from {first} on, from documents only: the source of that release was not read"),
            (false, Some(last)) => {
                format!("read by NCCL {first} to {last}, by no later release, in `{}`", variable.file)
            }
            (false, None) => {
                format!("read by NCCL {first} to {} (the newest that was read), in `{}`", self.nccl, variable.file)
            }
        };
        let guide = match (variable.documented, variable.category) {
            (true, Some(category)) => format!("in NVIDIA's guide, category {category}"),
            (true, None) => "in NVIDIA's guide".to_string(),
            (false, _) => "not in NVIDIA's guide".to_string(),
        };
        format!("{reads}; {guide}.")
    }

    fn default_history(&self) -> String {
        let defaults = &self.variable.defaults;
        let Some(current) = defaults.last() else { return "unknown".to_string() };
        let mut out = self.default_words(current.value);
        if defaults.len() > 1 {
            out.push_str(&format!(" since {}", current.since));
            for pair in defaults.windows(2).rev() {
                out.push_str(&format!("; {} from {} until then", default_words(pair[0].value), oldest(pair[0].since)));
            }
        }
        out
    }
}

/// 2.3.5-5 is the oldest release in NVIDIA's repository.
fn oldest(release: &str) -> &str {
    if release == "2.3.5-5" { "2.3.5 or earlier" } else { release }
}

impl Answer for VariableAnswer<'_> {
    fn document(&self, library: &Library<'_>) -> String {
        let pack = from_pack(library.origin(&format!("variable {}", self.variable.name)));
        format!("# {}{pack}\n\n{}", self.variable.name, self.body())
    }

    fn resolve(&mut self, library: &Library<'_>) {
        self.origin = library.origin(&format!("variable {}", self.variable.name)).map(str::to_string);
    }
}

impl<'a> OtherAnswer<'a> {
    /// The answer for a name.
    pub fn new(other: Other<'a>) -> Self {
        OtherAnswer { schema: "rdmanav.other-variable/1", other, origin: None }
    }

    /// The document without its title.
    pub fn body(&self, library: &Library<'_>) -> String {
        let other = &self.other;
        let owner = match other.owner {
            "nobody" => "Nothing that was searched reads this name: NCCL ignores it.".to_string(),
            "unknown" => "Core NCCL does not read this name; whose it is was not found.".to_string(),
            owner => format!("Core NCCL does not read this name: it belongs to {owner}."),
        };
        let mut out = format!("{owner}\n\n{} {}\n", other.purpose, footnotes(&other.sources));
        if !other.instead.is_empty() {
            out.push_str("\n**What was probably meant**\n\n");
            for name in &other.instead {
                let purpose = library.variables.find(name).map(|variable| variable.purpose);
                let purpose = purpose.or_else(|| library.others.find(name).map(|other| other.purpose)).unwrap_or("");
                out.push_str(&format!("- `{name}`: {purpose}\n"));
            }
        }
        out
    }
}

impl Answer for OtherAnswer<'_> {
    fn document(&self, library: &Library<'_>) -> String {
        let pack = from_pack(library.origin(&format!("variable {}", self.other.name)));
        format!("# {}{pack}\n\n{}", self.other.name, self.body(library))
    }

    fn resolve(&mut self, library: &Library<'_>) {
        self.origin = library.origin(&format!("variable {}", self.other.name)).map(str::to_string);
    }
}

impl Answer for VariablesAnswer<'_> {
    fn document(&self, library: &Library<'_>) -> String {
        let default = self.release.as_ref().map_or("Default".to_string(), |release| format!("Default in {release}"));
        let mut out = format!("| Variable | {default} | Purpose |\n|---|---|---|\n");
        for variable in &self.variables {
            out.push_str(&format!(
                "| `{}` | {} | {}{} |\n",
                variable.name,
                cell(&variable.shown),
                cell(variable.purpose),
                from_pack(library.origin(&format!("variable {}", variable.name)))
            ));
        }
        out.push_str(&next(&["`rdmanav env VARIABLE` says all about one"]));
        out
    }
}

impl Answer for ChangesAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        if self.changes.is_empty() {
            return format!(
                "No variable was added, removed or given another default after {} up to {}.\n",
                self.from, self.to
            );
        }
        let mut out = "| Release | Variable | Change |\n|---|---|---|\n".to_string();
        for change in &self.changes {
            let what = match &change.what {
                What::Added { default } => format!("added, default {}", default_words(default)),
                What::Removed => "the last release that reads it".to_string(),
                What::Default { from, to } => {
                    format!("default {} instead of {}", default_words(to), default_words(from))
                }
            };
            out.push_str(&format!("| {} | `{}` | {} |\n", change.release, change.name, cell(&what)));
        }
        out.push_str(&next(&["`rdmanav env VARIABLE --nccl RELEASE` says all about one"]));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, matches) in [
            ("NCCL_IB_*", "NCCL_IB_TC", true),
            ("NCCL_IB_*", "NCCL_IBEXT", false),
            ("*TIMEOUT*", "NCCL_IB_TIMEOUT", true),
            ("NCCL_IB_T?", "NCCL_IB_TC", true),
            ("*", "", true),
            ("?", "", false),
            ("*A*B*C", "xAxBxCxC", true),
        ] {
            assert_eq!(glob_matches(pattern.as_bytes(), name.as_bytes()), matches, "{pattern} {name}");
        }
    }
}
