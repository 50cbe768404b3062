//! What stands in for a variable that is read as text and not set, where the code around the read says it plainly.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::ctext::{CText, last_word};
use super::extract::one_line;

/// How far behind a read its fallback is looked for.
const DISTANCE: usize = 400;

/// The expression that stands in for the variable whose read starts at `position`. The forms:
/// - `v = getenv("A"); x = v ? parse(v) : expression;`
/// - `v = getenv("A"); if (v) { x = parse(v); } else { x = expression; }`
/// - `static int x = expression; ... x = atoi(getenv("A"));`
pub fn find(text: &CText, position: usize) -> Option<String> {
    let before = text.code[..position].trim_end_matches("std::").trim_end();
    if let Some(assigned) = before.strip_suffix('=') {
        let variable = Some(last_word(assigned)).filter(|variable| !variable.is_empty())?;
        return conditional(text, position, variable).or_else(|| alternative(text, position, variable));
    }
    let parser = before.strip_suffix('(')?.trim_end();
    let assigned = parser[..parser.len() - last_word(parser).len()].trim_end().strip_suffix('=')?;
    initial(text, last_word(assigned))
}

/// `x = v ? parse(v) : expression;`
fn conditional(text: &CText, position: usize, variable: &str) -> Option<String> {
    let pattern = format!(r"^[^;]*;\s*[^;{{}}]*?\b{variable}\s*(?:!= *(?:NULL|nullptr)\s*)?\?[^:;]+:\s*([^;]+);");
    let found = behind(text, position, &pattern)?;
    let expression = group(text, position, &found, 1)?;
    let whole = expression.matches('(').count() == expression.matches(')').count() && !expression.contains(',');
    whole.then_some(expression)
}

/// `if (v) { x = parse(v); } else { x = expression; }`
fn alternative(text: &CText, position: usize, variable: &str) -> Option<String> {
    let pattern = format!(
        r"^[^;]*;\s*if\s*\(\s*{variable}\s*(?:!= *(?:NULL|nullptr)\s*)?\)\s*\{{?\s*(\w+)\s*=[^;]*;\s*\}}?\s*else\s*\{{?\s*(\w+)\s*=\s*([^;]+);"
    );
    let found = behind(text, position, &pattern)?;
    (found[1] == found[2]).then(|| group(text, position, &found, 3))?
}

/// `static int x = expression;`
fn initial(text: &CText, variable: &str) -> Option<String> {
    static INITIAL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\bstatic\s+(?:u?int\w*|size_t|long|unsigned)\s+(\w+)\s*=\s*([^;{}]+);").unwrap());
    let found = INITIAL.captures_iter(&text.code).find(|found| found[1] == *variable)?;
    group(text, 0, &found, 2)
}

/// Finds a pattern behind a read.
fn behind<'a>(text: &'a CText, position: usize, pattern: &str) -> Option<Captures<'a>> {
    let end = (position + DISTANCE).min(text.code.len());
    Regex::new(pattern).ok()?.captures(&text.code[position..end])
}

/// The text of a group: structure is found in the code, where literals are blank.
fn group(text: &CText, position: usize, found: &Captures<'_>, number: usize) -> Option<String> {
    let range = found.get(number)?.range();
    Some(one_line(&text.text[position + range.start..position + range.end]))
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::nccl_env::ctext::CText;

    fn fallback(text: &str) -> Option<String> {
        let text = CText::new(text);
        let position = text.calls("getenv").next().unwrap().position;
        find(&text, position)
    }

    #[test]
    fn conditional() {
        assert_eq!(fallback("s = std::getenv(\"A\");\nsize = s ? atoi(s) : N;").as_deref(), Some("N"));
        assert_eq!(fallback("s = getenv(\"A\"); t = s != NULL ? s : \"a;b\";").as_deref(), Some("\"a;b\""));
        assert_eq!(fallback("s = getenv(\"A\"); f(s ? s : 0, 1);"), None);
        assert_eq!(fallback("x == getenv(\"A\"); t = other ? 1 : 2;"), None);
        assert_eq!(fallback("s = getenv(\"A\"); t = other ? 1 : 2;"), None);
    }

    #[test]
    fn alternative() {
        assert_eq!(fallback("s = getenv(\"A\"); if (s) { x = f(s, 0); } else { x = -1; }").as_deref(), Some("-1"));
        assert_eq!(fallback("s = getenv(\"A\"); if (s != NULL) x = f(s); else x = 5;").as_deref(), Some("5"));
        assert_eq!(fallback("s = getenv(\"A\"); if (s) { x = f(s); } else { y = 1; }"), None);
        assert_eq!(fallback("s = getenv(\"A\"); if (s) x = atoi(s);"), None);
    }

    #[test]
    fn initial() {
        let text = "static int size = 16;\nvoid f() { if (on) { size = atoi(getenv(\"A\")); } }";
        assert_eq!(fallback(text).as_deref(), Some("16"));
        assert_eq!(fallback("int f() { return atoi(getenv(\"A\")); }"), None);
    }
}
