//! Results that are too long for hosts are shortened here, and say so.

use serde_json::Value;

/// The most characters of a text, or of a value as JSON: below the 20,000 to 30,000 at which hosts cut without a word.
pub const MOST: usize = 19_000;

/// The field that says what was left out, and how to get it.
pub const TRUNCATED: &str = "truncated";

/// Strings inside of a value that are longer are cut, when the value is too long.
const LONGEST_STRING: usize = 2_000;

/// Lists and maps inside of an entry that are longer are cut, when the value is too long.
const LONGEST_LIST: usize = 32;

/// Shortens a value: long strings, then long lists in entries, then the longest list at the top.
pub fn value(mut value: Value, more: &str) -> Value {
    if fits(&value) {
        return value;
    }
    value[TRUNCATED] = more.into();
    shorten(&mut value, 0);
    while !fits(&value) {
        let Some(fields) = value.as_object_mut() else { break };
        let lists = fields.values_mut().filter_map(Value::as_array_mut);
        let Some(longest) = lists.max_by_key(|list| list.len()).filter(|list| !list.is_empty()) else { break };
        longest.truncate(longest.len() * 7 / 8);
    }
    value
}

/// True when hosts pass it on whole.
pub fn fits(value: &Value) -> bool {
    value.to_string().chars().count() < MOST
}

fn shorten(value: &mut Value, depth: usize) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(LONGEST_STRING) {
                text.truncate(end);
                text.push_str(" (cut here)");
            }
        }
        Value::Array(items) => {
            if depth > 1 {
                items.truncate(LONGEST_LIST);
            }
            for item in items {
                shorten(item, depth + 1);
            }
        }
        Value::Object(fields) => {
            if fields.len() > LONGEST_LIST {
                let keep: Vec<String> = fields.keys().take(LONGEST_LIST).cloned().collect();
                fields.retain(|key, _| keep.contains(key));
            }
            for field in fields.values_mut() {
                shorten(field, depth + 1);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_fits_stays_as_it_is() {
        let short = json!({ "a": [1, 2], "text": "x" });
        assert_eq!(value(short.clone(), "more"), short);
    }

    #[test]
    fn what_is_too_long_says_so() {
        let entry = json!({ "text": "y".repeat(5000), "hosts": vec!["h"; 500] });
        let short = value(json!({ "entries": vec![entry; 100], "name": "n" }), "call again");
        assert!(fits(&short) && short["truncated"] == "call again" && short["name"] == "n");
        assert!(!short["entries"].as_array().unwrap().is_empty());
    }
}
