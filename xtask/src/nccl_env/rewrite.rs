//! Writes the mechanical fields of entries into the text of `variables.yaml`, and leaves everything else as it is.

use rdmanav::knowledge::yaml;

use super::compare::{Difference, FIELDS, Value, found};
use super::history::Record;

/// The keys of an entry up to the last mechanical one, in the order in which entries have them.
const ORDER: [&str; 11] =
    ["name", "purpose", "kind", "scope", "documented", "guide_only", "category", "first", "last", "file", "defaults"];

const START: &str = "- name: ";

/// An entry as text.
struct Entry {
    name: String,
    text: String,
}

/// The text with the changed fields and the new entries. What is for a person to decide is left.
pub fn rewrite(text: &str, differences: &[Difference]) -> String {
    let (head, mut entries) = split(text);
    for difference in differences {
        match difference {
            Difference::New(record) => insert(&mut entries, record),
            Difference::Changed { name, field, to, .. } => {
                if let Some(entry) = entries.iter_mut().find(|entry| entry.name == *name) {
                    entry.text = with_field(&entry.text, field, to);
                }
            }
            _ => {}
        }
    }
    let entries: String = entries.into_iter().map(|entry| entry.text).collect();
    format!("{head}{entries}")
}

/// What stands above the first entry, and the entries.
fn split(text: &str) -> (String, Vec<Entry>) {
    let (mut head, mut entries) = (String::new(), Vec::<Entry>::new());
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix(START) {
            let name = name.trim().trim_matches(['"', '\'']).to_string();
            entries.push(Entry { name, text: String::new() });
        }
        entries.last_mut().map_or(&mut head, |entry| &mut entry.text).push_str(line);
    }
    (head, entries)
}

/// Puts a new entry where its name belongs in a list by name.
fn insert(entries: &mut Vec<Entry>, record: &Record) {
    let fields = FIELDS.iter().map(|field| field_text(field, &found(record, field, None)));
    let text = format!(
        "{START}{}\n  purpose: Read by NCCL; not described yet\n{}  sources:\n  - nccl-tags\n",
        record.name,
        fields.collect::<String>()
    );
    let place = entries.iter().position(|entry| entry.name > record.name).unwrap_or(entries.len());
    entries.insert(place, Entry { name: record.name.clone(), text });
}

/// An entry with a field set, added, or taken out.
fn with_field(entry: &str, field: &str, value: &Value) -> String {
    let rank = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
    let mut fields = fields(entry);
    let place = fields.iter().position(|(key, _)| rank(key) >= rank(field)).unwrap_or(fields.len());
    let new = field_text(field, value);
    if fields.get(place).is_some_and(|(key, _)| *key == field) {
        fields[place].1 = new;
    } else {
        fields.insert(place, (field.to_string(), new));
    }
    fields.into_iter().map(|(_, text)| text).collect()
}

/// The keys of an entry, each with its lines.
fn fields(entry: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in entry.split_inclusive('\n') {
        let key = line.strip_prefix("- ").or_else(|| line.strip_prefix("  ")).and_then(|line| line.split_once(':'));
        let key = key.map(|(key, _)| key).filter(|key| key.starts_with(|c: char| c.is_ascii_lowercase()));
        match (key, fields.last_mut()) {
            (None, Some((_, text))) => text.push_str(line),
            (key, _) => fields.push((key.unwrap_or_default().to_string(), line.to_string())),
        }
    }
    fields
}

/// The lines of a field; none for an absent one.
fn field_text(field: &str, value: &Value) -> String {
    match value {
        Value::Absent => String::new(),
        Value::Flag(flag) => format!("  {field}: {flag}\n"),
        Value::Word(text) => format!("  {field}: {}\n", scalar(text)),
        Value::Release(release) => format!("  {field}: \"{release}\"\n"),
        Value::Defaults(defaults) => {
            let items = defaults.iter().map(|(since, value)| {
                let value = scalar(value);
                format!("  - since: \"{since}\"\n    value: {value}\n")
            });
            format!("  {field}:\n{}", items.collect::<String>())
        }
    }
}

/// A text as YAML: plain where it reads back as that text, else quoted.
fn scalar(text: &str) -> String {
    let reads_back =
        yaml::parse(&format!("a: {text}\n")).is_ok_and(|tree| yaml::text(&tree, "a").is_some_and(|read| read == text));
    if reads_back {
        text.to_string()
    } else if text.contains(['"', '\\']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("\"{text}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::{rewrite, scalar};
    use crate::nccl_env::compare::{Difference, Value};
    use crate::nccl_env::history::Record;

    const TEXT: &str = "# head\n- name: NCCL_B\n  purpose: 'first: by hand'\n  kind: int-param\n  scope: core\n  documented: false\n  \
                        first: \"2.4.2\"\n  file: src/b.cc\n  defaults:\n  - since: \"2.4.2\"\n    value: \"0\"\n  values:\n  \
                        - value: \"1\"\n    meaning: last\n  # a remark\n  sources:\n  - nccl-b\n- name: NCCL_D\n  kind: int\n";

    fn changed(field: &'static str, to: Value) -> Difference {
        Difference::Changed { name: "NCCL_B".into(), field, from: Value::Absent, to }
    }

    #[test]
    fn nothing_changes_without_a_difference() {
        assert_eq!(rewrite(TEXT, &[]), TEXT);
        let by_hand = [Difference::Unread("NCCL_B".into()), Difference::GuideOnly("NCCL_X".into())];
        assert_eq!(rewrite(TEXT, &by_hand), TEXT);
    }

    #[test]
    fn fields_are_replaced_in_place() {
        let defaults = vec![("2.4.2".to_string(), "0".to_string()), ("2.9.6".to_string(), "PATH_PXB".to_string())];
        let differences =
            [changed("defaults", Value::Defaults(defaults)), changed("file", Value::Word("src/c.cc".into()))];
        let expected = TEXT
            .replace("value: \"0\"\n", "value: \"0\"\n  - since: \"2.9.6\"\n    value: PATH_PXB\n")
            .replace("src/b.cc", "src/c.cc");
        assert_eq!(rewrite(TEXT, &differences), expected);
    }

    #[test]
    fn fields_are_added_at_their_place_and_taken_out() {
        let differences =
            [changed("last", Value::Release("2.9.6".into())), changed("category", Value::Word("debugging".into()))];
        let expected = TEXT
            .replace("  file:", "  last: \"2.9.6\"\n  file:")
            .replace("  first:", "  category: debugging\n  first:");
        let added = rewrite(TEXT, &differences);
        assert_eq!(added, expected);
        let removed = [changed("last", Value::Absent), changed("category", Value::Absent)];
        assert_eq!(rewrite(&added, &removed), TEXT);
    }

    #[test]
    fn new_entries_stand_in_the_order_of_names() {
        let record = Record {
            name: "NCCL_C".into(),
            kind: None,
            scope: "core".into(),
            documented: false,
            category: None,
            first: "2.31.2".into(),
            last: None,
            file: "src/c.cc".into(),
            defaults: vec![("2.31.2".into(), "unset".into())],
        };
        let entry = "- name: NCCL_C\n  purpose: Read by NCCL; not described yet\n  kind: string\n  scope: core\n  \
                     documented: false\n  first: \"2.31.2\"\n  file: src/c.cc\n  defaults:\n  - since: \"2.31.2\"\n    \
                     value: unset\n  sources:\n  - nccl-tags\n";
        let expected = TEXT.replace("- name: NCCL_D", &format!("{entry}- name: NCCL_D"));
        assert_eq!(rewrite(TEXT, &[Difference::New(record)]), expected);
    }

    #[test]
    fn scalars_read_back() {
        let cases = [("unset", "unset"), ("-2", "\"-2\""), ("INIT|ENV", "INIT|ENV"), ("\"[%F] \"", "'\"[%F] \"'")];
        for (text, expected) in cases {
            assert_eq!(scalar(text), expected);
        }
    }
}
