//! The differences between the sources of NCCL and `content/env/variables.yaml`.

use std::collections::BTreeMap;
use std::fmt;

use rdmanav::knowledge::model::Variable;

use super::guide::Guide;
use super::history::Record;

/// The fields that the sources and the guide determine, in the order of an entry.
pub const FIELDS: [&str; 8] = ["kind", "scope", "documented", "category", "first", "last", "file", "defaults"];

/// The value of a mechanical field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The entry does not have the field.
    Absent,
    Flag(bool),
    Word(String),
    /// A release: quoted, so that none looks like a number.
    Release(String),
    /// (release, default).
    Defaults(Vec<(String, String)>),
}

/// A difference.
#[derive(Debug, PartialEq, Eq)]
pub enum Difference {
    /// The sources read a variable that has no entry.
    New(Record),
    /// A field of an entry says otherwise.
    Changed { name: String, field: &'static str, from: Value, to: Value },
    /// An entry of a variable that no release reads.
    Unread(String),
    /// An entry says that only the guide has it, and the sources read it.
    NoLongerGuideOnly { name: String, first: String },
    /// The guide describes a variable that has no entry and that no release reads.
    GuideOnly(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Absent => f.write_str("(none)"),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Word(text) | Value::Release(text) => f.write_str(text),
            Value::Defaults(defaults) => {
                let defaults: Vec<String> = defaults.iter().map(|(since, value)| format!("{since} {value}")).collect();
                f.write_str(&defaults.join(", "))
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::New(record) => write!(f, "new: {}, from {} on, {}", record.name, record.first, record.file),
            Difference::Changed { name, field, from, to } => write!(f, "changed: {name}: {field}: {from} -> {to}"),
            Difference::Unread(name) => write!(f, "gone: {name}: no release reads it"),
            Difference::NoLongerGuideOnly { name, first } => {
                write!(f, "by hand: {name}: guide_only, but {first} reads it")
            }
            Difference::GuideOnly(name) => {
                write!(f, "by hand: {name}: described in the guide, read by no release, and without an entry")
            }
        }
    }
}

/// Compares entries with what was found.
pub fn compare(entries: &[Variable<'_>], records: &BTreeMap<&str, Record>, guide: &Guide) -> Vec<Difference> {
    let mut differences = Vec::new();
    for entry in entries {
        match records.get(entry.name) {
            Some(record) if entry.guide_only => differences
                .push(Difference::NoLongerGuideOnly { name: entry.name.to_string(), first: record.first.clone() }),
            Some(record) => differences.extend(changes(entry, record)),
            None if entry.guide_only => {}
            None => differences.push(Difference::Unread(entry.name.to_string())),
        }
    }
    let has_entry = |name: &str| entries.iter().any(|entry| entry.name == name);
    let new = records.values().filter(|record| !has_entry(&record.name));
    differences.extend(new.cloned().map(Difference::New));
    let guide_only = guide.described().filter(|name| !has_entry(name) && !records.contains_key(name));
    differences.extend(guide_only.map(|name| Difference::GuideOnly(name.to_string())));
    differences
}

fn changes(entry: &Variable<'_>, record: &Record) -> impl Iterator<Item = Difference> {
    FIELDS.into_iter().filter_map(|field| {
        let (from, to) = (written(entry, field), found(record, field, Some(entry.kind)));
        (from != to).then(|| Difference::Changed { name: record.name.clone(), field, from, to })
    })
}

/// The value of a field of an entry.
fn written(entry: &Variable<'_>, field: &str) -> Value {
    match field {
        "kind" => Value::Word(entry.kind.to_string()),
        "scope" => Value::Word(entry.scope.to_string()),
        "documented" => Value::Flag(entry.documented),
        "category" => optional(entry.category, Value::Word),
        "first" => Value::Release(entry.first.to_string()),
        "last" => optional(entry.last, Value::Release),
        "file" => Value::Word(entry.file.to_string()),
        _ => {
            let defaults = entry.defaults.iter();
            Value::Defaults(defaults.map(|default| (default.since.to_string(), default.value.to_string())).collect())
        }
    }
}

/// The value that a field should have. `kind_now` is that of the entry, where there is one: what a variable that is read as
/// text takes (a path, a list) is judged by hand.
pub fn found(record: &Record, field: &str, kind_now: Option<&str>) -> Value {
    match field {
        "kind" => {
            let by_hand = kind_now.filter(|kind| !kind.ends_with("-param")).unwrap_or("string");
            Value::Word(record.kind.clone().unwrap_or_else(|| by_hand.to_string()))
        }
        "scope" => Value::Word(record.scope.clone()),
        "documented" => Value::Flag(record.documented),
        "category" => optional(record.category.as_deref(), Value::Word),
        "first" => Value::Release(record.first.clone()),
        "last" => optional(record.last.as_deref(), Value::Release),
        "file" => Value::Word(record.file.clone()),
        _ => Value::Defaults(record.defaults.clone()),
    }
}

fn optional(text: Option<&str>, value: fn(String) -> Value) -> Value {
    text.map_or(Value::Absent, |text| value(text.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rdmanav::knowledge::yaml;

    use super::{Guide, Record, compare};

    fn record(name: &str, kind: Option<&str>) -> Record {
        Record {
            name: name.into(),
            kind: kind.map(str::to_string),
            scope: "core".into(),
            documented: false,
            category: None,
            first: "2.4.2".into(),
            last: None,
            file: "src/a.cc".into(),
            defaults: vec![("2.4.2".into(), "unset".into())],
        }
    }

    /// Compares one entry, whose record would be `record("NCCL_A", None)` but for what `change` replaces.
    fn lines(change: (&str, &str), records: &[Record], page: &str) -> Vec<String> {
        let text = "name: NCCL_A\npurpose: a\nkind: path\nscope: core\ndocumented: false\nfirst: 2.4.2\nfile: src/a.cc\n\
                    defaults:\n- since: 2.4.2\n  value: unset\nsources: []\n";
        let tree = yaml::parse(&text.replace(change.0, change.1)).unwrap();
        let records: BTreeMap<&str, Record> =
            records.iter().map(|record| (record.name.as_str(), record.clone())).collect();
        let differences = compare(&[yaml::entry(&tree).unwrap()], &records, &Guide::parse(page));
        differences.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_kind_of_what_is_read_as_text_is_judged_by_hand() {
        let none: [&str; 0] = [];
        assert_eq!(lines(("", ""), &[record("NCCL_A", None)], ""), none);
        let declared = lines(("", ""), &[record("NCCL_A", Some("int-param"))], "");
        assert_eq!(declared, ["changed: NCCL_A: kind: path -> int-param"]);
        let no_longer = lines(("kind: path", "kind: int-param"), &[record("NCCL_A", None)], "");
        assert_eq!(no_longer, ["changed: NCCL_A: kind: int-param -> string"]);
    }

    #[test]
    fn each_field_is_a_line() {
        let mut found = record("NCCL_A", None);
        found.last = Some("2.9.6".into());
        found.defaults.push(("2.5.6".into(), "1".into()));
        let expected = [
            "changed: NCCL_A: last: (none) -> 2.9.6",
            "changed: NCCL_A: defaults: 2.4.2 unset -> 2.4.2 unset, 2.5.6 1",
        ];
        assert_eq!(lines(("", ""), &[found], ""), expected);
    }

    #[test]
    fn new_and_gone() {
        let expected = ["gone: NCCL_A: no release reads it", "new: NCCL_B, from 2.4.2 on, src/a.cc"];
        assert_eq!(lines(("", ""), &[record("NCCL_B", None)], ""), expected);
    }

    #[test]
    fn guide_only() {
        let mark = ("kind: path", "guide_only: true\nkind: int");
        assert_eq!(
            lines(mark, &[], "NCCL_B\n------\n"),
            ["by hand: NCCL_B: described in the guide, read by no release, and without an entry"]
        );
        let read = lines(mark, &[record("NCCL_A", Some("int-param"))], "");
        assert_eq!(read, ["by hand: NCCL_A: guide_only, but 2.4.2 reads it"]);
    }
}
