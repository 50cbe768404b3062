//! `env VARIABLE`: one variable in full, or those that match a pattern.

use serde::Serialize;

use super::{Answer, NotFound, cell, code, footnotes};
use crate::knowledge::library::NCCL_RELEASE;
use crate::knowledge::{Library, Variable};
use crate::search::suggest;

/// A variable.
#[derive(Debug, Serialize)]
pub struct VariableAnswer<'a> {
    schema: &'static str,
    /// The newest release whose source was read.
    nccl: &'static str,
    #[serde(flatten)]
    variable: Variable<'a>,
}

/// Variables whose names match a pattern.
#[derive(Debug, Serialize)]
pub struct VariablesAnswer<'a> {
    schema: &'static str,
    pattern: String,
    pub variables: Vec<Summary<'a>>,
}

/// A variable on one line.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    name: &'a str,
    purpose: &'a str,
    default: &'a str,
}

/// The variable of this name, in any case, with or without `NCCL_`.
pub fn variable<'a>(name: &str, library: &Library<'a>) -> Result<VariableAnswer<'a>, NotFound> {
    let upper = name.to_uppercase().replace('-', "_");
    let found = [name, &upper, &format!("NCCL_{upper}")].into_iter().find_map(|name| library.variables.find(name));
    if let Some(variable) = found {
        return Ok(VariableAnswer::new(variable));
    }
    let near = suggest::nearest(name, library.variables.keys());
    let message = format!("no profile and no NCCL variable \"{name}\"");
    Err(NotFound::new(
        message,
        &near,
        "NCCL ignores names that it does not know; all that it reads: rdmanav env 'NCCL_*'",
    ))
}

/// The variables whose names match a pattern of `*` and `?`, in any case.
pub fn matching<'a>(pattern: &str, library: &Library<'a>) -> Result<VariablesAnswer<'a>, NotFound> {
    let upper = pattern.to_uppercase();
    let variables: Vec<Summary<'a>> = library
        .variables
        .iter()
        .filter(|variable| glob_matches(upper.as_bytes(), variable.name.as_bytes()))
        .map(|variable| Summary {
            name: variable.name,
            purpose: variable.purpose,
            default: variable.defaults.last().map_or("", |default| default.value),
        })
        .collect();
    if variables.is_empty() {
        let hint = "a pattern is * for any letters and ? for one, as in 'NCCL_IB_*'";
        return Err(NotFound::new(format!("no NCCL variable matches \"{pattern}\""), &[], hint));
    }
    Ok(VariablesAnswer { schema: "rdmanav.variables/1", pattern: pattern.to_string(), variables })
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

impl<'a> VariableAnswer<'a> {
    /// The answer for a variable.
    pub fn new(variable: Variable<'a>) -> Self {
        VariableAnswer { schema: "rdmanav.variable/1", nccl: NCCL_RELEASE, variable }
    }

    /// The document without its title.
    pub fn body(&self) -> String {
        let variable = &self.variable;
        let mut out = format!("{}. {}\n\n", variable.purpose.trim_end_matches('.'), footnotes(&variable.sources));
        if !variable.values.is_empty() {
            out.push_str("| Value | Meaning |\n|---|---|\n");
            for value in &variable.values {
                out.push_str(&format!("| {} | {} |\n", cell(&code(value.value)), cell(value.meaning)));
            }
            out.push('\n');
        }
        out.push_str(&format!("**Default:** {}\n\n", self.default_history()));
        let reads = match variable.last {
            Some(last) => format!("read by NCCL {} to {last}, by no later release", oldest(variable.first)),
            None => format!("read by NCCL {} to {} (the newest that was read)", oldest(variable.first), self.nccl),
        };
        let guide = match (variable.documented, variable.category) {
            (true, Some(category)) => format!("in NVIDIA's guide, category {category}"),
            (true, None) => "in NVIDIA's guide".to_string(),
            (false, _) => "not in NVIDIA's guide".to_string(),
        };
        out.push_str(&format!("**Releases:** {reads}, in `{}`; {guide}.\n", variable.file));
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
        if !variable.sections.is_empty() {
            let shows: Vec<String> = variable.sections.iter().map(|id| format!("`rdmanav show {id}`")).collect();
            out.push_str(&format!("\n**More:** {}\n", shows.join(", ")));
        }
        out
    }

    fn default_history(&self) -> String {
        let defaults = &self.variable.defaults;
        let meaning = self.variable.default_meaning.map_or(String::new(), |meaning| format!(" ({meaning})"));
        let Some(current) = defaults.last() else {
            return "unknown".to_string();
        };
        let mut out = format!("{}{meaning}", code(current.value));
        if defaults.len() > 1 {
            out.push_str(&format!(" since {}", current.since));
            for pair in defaults.windows(2).rev() {
                out.push_str(&format!("; {} from {} until then", code(pair[0].value), oldest(pair[0].since)));
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
    fn document(&self, _library: &Library<'_>) -> String {
        format!("# {}\n\n{}", self.variable.name, self.body())
    }
}

impl Answer for VariablesAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = "| Variable | Default | Purpose |\n|---|---|---|\n".to_string();
        for variable in &self.variables {
            out.push_str(&format!(
                "| `{}` | {} | {} |\n",
                variable.name,
                cell(&code(variable.default)),
                cell(variable.purpose)
            ));
        }
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
