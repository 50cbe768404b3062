//! What each reader finds, one line a setting.

mod any_bytes;
mod dockerfile;
mod growth;
mod plain;
mod python;
mod round_trip;
mod shell;
mod shell_text;
mod yaml;

use crate::lint::{self, Form, Kind, Setting, Source, Value};

/// Reads text as a kind.
fn source(kind: Kind, text: &str) -> Source {
    lint::read("file", text.as_bytes(), Some(kind)).expect("it is text")
}

/// The settings: `line:column Form NAME=value`, `NAME~written` for what is not resolved, `NAME` handed on, `-NAME` taken away; with `?` when it may
/// not happen, and what is broken.
fn shown(source: &Source) -> Vec<String> {
    source.settings.iter().map(show).collect()
}

fn show(setting: &Setting) -> String {
    let name = &setting.name;
    let what = match &setting.value {
        Value::Literal { text, .. } => format!("{name}={text}"),
        Value::Unresolved(written) => format!("{name}~{written}"),
        Value::Inherited => name.clone(),
        Value::Unset => format!("-{name}"),
    };
    let broken = setting.broken.map_or(String::new(), |broken| format!(" {broken:?}"));
    let conditional = if setting.conditional { "?" } else { "" };
    format!("{}:{} {:?} {what}{conditional}{broken}", setting.at.line, setting.at.column, setting.form)
}

/// Asserts what is found in each text.
fn assert_found(kind: Kind, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(shown(&source(kind, text)), *expected, "{text}");
    }
}

/// The names and values of all settings of a form, in their order.
fn pairs(source: &Source, form: Form) -> Vec<(String, String)> {
    let settings = source.settings.iter().filter(|setting| setting.form == form);
    settings.map(|setting| (setting.name.clone(), setting.value.text().unwrap_or("?").to_string())).collect()
}
