//! The environment lines of an NCCL log.

use std::collections::{HashMap, HashSet};

use super::Found;
use crate::diagnose::line;
use crate::diagnose::text::setting;
use crate::lint::source::{Form, Position, Quote, Setting, Text, Value};

/// Of a line the beginning is looked at.
const LONGEST_LINE: usize = 64 * 1024;

/// Between a name and its value.
const WORDS: &str = " set by environment to ";

/// Reads `NAME set by environment to VALUE`. What several processes of a host say alike is kept once; each host is a scope.
pub(super) fn read(text: &Text, found: &mut Found) {
    let mut scopes: HashMap<String, usize> = HashMap::from([(String::new(), 0)]);
    let mut seen: HashSet<(usize, String, String)> = HashSet::new();
    for (number, whole) in text.lines() {
        let whole = &whole[..whole.floor_char_boundary(LONGEST_LINE)];
        // `set to` is also said of what nobody set.
        if !whole.contains(WORDS) {
            continue;
        }
        let whole = whole.trim_end_matches('\r');
        let line = line::parse(whole);
        let Some((name, value)) = setting(line.text).filter(|(name, _)| line.text[name.len()..].starts_with(WORDS))
        else {
            continue;
        };
        let host = line.host.unwrap_or_default();
        let known = scopes.get(host).copied();
        let scope = known.unwrap_or_else(|| found.scope(None));
        if known.is_none() {
            scopes.insert(host.to_string(), scope);
        }
        if !seen.insert((scope, name.to_string(), value.to_string())) {
            continue;
        }
        // What a line says is its end.
        let start = whole.len() - line.text.len();
        let behind = name.len() + WORDS.len();
        let value_start = start + line.text[behind..].find(value).map_or(line.text.len(), |at| behind + at);
        let place = |offset: usize| Position { line: number, column: whole[..offset].chars().count() + 1 };
        let (at, value_at) = (place(start), place(value_start));
        let value = Value::Literal { text: value.to_string(), written: value.to_string(), quote: Quote::None };
        found.push(Setting {
            name: name.to_string(),
            value,
            at,
            value_at,
            form: Form::LogLine,
            scope,
            conditional: false,
            host: line.host.map(str::to_string),
            broken: None,
        });
    }
}
