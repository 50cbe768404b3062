//! Names of environment variables.

use crate::lint::source::{NotText, Quote, Value};

/// The name is that of an environment variable: upper case, or one of NCCL's in any case.
pub(super) fn is_variable(name: &str) -> bool {
    let mut bytes = name.bytes();
    let legal = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_upper = !name.bytes().any(|byte| byte.is_ascii_lowercase()) && name.bytes().any(|byte| byte != b'_');
    legal && (is_upper || is_nccl(name))
}

/// It begins like a name of NCCL's, in any case.
pub(super) fn is_nccl(name: &str) -> bool {
    name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("nccl_"))
}

/// The length of the identifier that the text begins with.
pub(super) fn identifier(text: &str) -> usize {
    let is_part =
        |(at, byte): &(usize, u8)| byte.is_ascii_alphabetic() || *byte == b'_' || (*at > 0 && byte.is_ascii_digit());
    text.bytes().enumerate().take_while(is_part).count()
}

/// The text is filled in by a program that makes the file: `{{ x }}`, `{% x %}`, `<% x %>`, `<<x>>`.
pub(super) fn is_template(text: &str) -> bool {
    let marks = [("{{", "}}"), ("{%", "%}"), ("<%", "%>"), ("<<", ">>")];
    text.contains(PLACEHOLDER)
        || marks.iter().any(|(open, close)| text.find(open).is_some_and(|at| text[at..].contains(close)))
}

/// Stands for each character of a template while YAML around it is read: of private use, so that no file has it.
pub(super) const PLACEHOLDER: char = '\u{e000}';

/// A shell, compose or `envsubst` fills in a variable: `$NAME`, `${NAME}`, `$(NAME)`.
pub(super) fn has_variable(text: &str) -> bool {
    text.match_indices('$').any(|(at, _)| starts_variable(&text[at + 1..]))
}

/// What stands behind a dollar sign names something.
pub(super) fn starts_variable(text: &str) -> bool {
    text.starts_with(['{', '(']) || identifier(text) > 0
}

/// A value that stands as it is.
pub(super) fn literal(text: &str) -> Value {
    if is_template(text) {
        return Value::Unresolved(text.to_string());
    }
    Value::Literal { text: text.to_string(), written: text.to_string(), quote: Quote::None }
}

/// What a plain scalar is if it is no text, as YAML 1.1 has it.
pub(super) fn not_text(text: &str) -> Option<NotText> {
    let word = text.to_ascii_lowercase();
    let is_one_case = text == word || text == text.to_ascii_uppercase() || text.get(1..) == word.get(1..);
    if matches!(&*word, "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n") && is_one_case {
        return Some(NotText::Boolean);
    }
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Some(NotText::Null);
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = digits.replace('_', "");
    let based = |prefix: &str, radix: u32| {
        plain.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix)))
    };
    let is_float = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && plain.contains(|c: char| c.is_ascii_digit())
        && plain.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'))
        && plain.parse::<f64>().is_ok();
    let is_special = matches!(&*digits.to_ascii_lowercase(), ".inf" | ".nan");
    let is_number = is_float || is_special || based("0x", 16) || based("0o", 8) || based("0b", 2);
    is_number.then_some(NotText::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_upper_case_or_of_nccl() {
        for name in ["NCCL_DEBUG", "CUDA_VISIBLE_DEVICES", "nccl_debug", "Nccl_Debug", "X", "_X1"] {
            assert!(is_variable(name), "{name}");
        }
        for name in ["", "_", "1X", "path", "Path", "A-B", "A.B", "ä"] {
            assert!(!is_variable(name), "{name}");
        }
    }

    #[test]
    fn what_yaml_takes_for_no_text() {
        for (text, kind) in [
            ("1", Some(NotText::Number)),
            ("-1", Some(NotText::Number)),
            ("0x10", Some(NotText::Number)),
            ("4_194_304", Some(NotText::Number)),
            ("1e3", Some(NotText::Number)),
            (".inf", Some(NotText::Number)),
            ("yes", Some(NotText::Boolean)),
            ("Off", Some(NotText::Boolean)),
            ("TRUE", Some(NotText::Boolean)),
            ("tRue", None),
            ("", Some(NotText::Null)),
            ("~", Some(NotText::Null)),
            ("1,2", None),
            ("mlx5_0", None),
            ("INFO", None),
            ("-", None),
            (".", None),
            ("inf", None),
            ("0x", None),
            ("ä", None),
        ] {
            assert_eq!(not_text(text), kind, "{text}");
        }
    }
}
