//! Calls and functions in C text.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::strip::{Stripped, directive, strip};

/// A C or C++ file, ready to be asked for calls.
pub struct CText {
    pub text: String,
    pub code: String,
    /// Where each name stands that an opening parenthesis follows, in order.
    called: HashMap<String, Vec<usize>>,
}

/// A call, or what looks like one: declarations and definitions do too.
pub struct Call<'a> {
    /// Where its name starts.
    pub position: usize,
    pub arguments: Vec<&'a str>,
}

/// A function one of whose parameters is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// Index of the parameter.
    pub parameter: usize,
    /// Index of a parameter that is called `default...`.
    pub default: Option<usize>,
}

/// How far the head of a function is looked for in front of its brace.
const HEAD: usize = 600;

impl CText {
    pub fn new(raw: &str) -> CText {
        let Stripped { text, code } = strip(raw);
        let called = called_names(&code);
        CText { text, code, called }
    }

    /// The calls of a name whose parentheses are balanced. The definition of a macro of that name is none.
    pub fn calls<'a>(&'a self, name: &str) -> impl Iterator<Item = Call<'a>> {
        let positions = self.called.get(name).map(Vec::as_slice).unwrap_or_default();
        let length = name.len();
        positions.iter().filter(|position| !self.defines(**position)).filter_map(move |position| {
            let open = position + length + self.code[position + length..].find('(')?;
            Some(Call { position: *position, arguments: self.arguments(open)? })
        })
    }

    /// What lies between the parentheses, split at the commas of the outermost level.
    fn arguments(&self, open: usize) -> Option<Vec<&str>> {
        let (mut depth, mut start, mut arguments) = (0, open + 1, Vec::new());
        for (offset, byte) in self.code.as_bytes()[open..].iter().enumerate() {
            let at = open + offset;
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                b',' if depth == 1 => {
                    arguments.push(self.text[start..at].trim());
                    start = at + 1;
                }
                _ => {}
            }
            if depth == 0 {
                arguments.push(self.text[start..at].trim());
                return Some(arguments);
            }
        }
        None
    }

    /// Whether a `#define` of the name stands there.
    fn defines(&self, position: usize) -> bool {
        let line = self.code[..position].rfind('\n').map_or(0, |newline| newline + 1);
        directive(&self.code[line..position]) == Some(("define", ""))
    }

    /// The function around a position, if `parameter` is one of its parameters.
    pub fn enclosing_function(&self, position: usize, parameter: &str) -> Option<Function> {
        let mut depth = 0;
        for at in (0..position).rev() {
            match self.code.as_bytes()[at] {
                b'}' => depth += 1,
                b'{' if depth > 0 => depth -= 1,
                b'{' => {
                    if let Some((name, parameters)) = function_head(&self.code[at.saturating_sub(HEAD)..at]) {
                        return function(name, parameters, parameter);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

fn called_names(code: &str) -> HashMap<String, Vec<usize>> {
    let mut called: HashMap<String, Vec<usize>> = HashMap::new();
    for (open, _) in code.match_indices('(') {
        let name = last_word(&code[..open]);
        if !name.is_empty() {
            let position = code[..open].trim_end().len() - name.len();
            if let Some(positions) = called.get_mut(name) {
                positions.push(position);
            } else {
                called.insert(name.to_string(), vec![position]);
            }
        }
    }
    called
}

/// Name and parameters of a function, where its head ends the text.
fn function_head(text: &str) -> Option<(&str, &str)> {
    static HEAD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(\w+)\s*\(([^(){};]*)\)\s*(?:const\s*|noexcept\s*)*$").unwrap());
    let (_, [name, parameters]) = HEAD.captures(text)?.extract();
    let control = ["if", "for", "while", "switch", "catch"].contains(&name);
    (!control).then_some((name, parameters))
}

fn function(name: &str, parameters: &str, wanted: &str) -> Option<Function> {
    let parameters: Vec<&str> = parameters.split(',').collect();
    let is_wanted = |parameter: &&str| last_word(parameter.split('=').next().unwrap_or_default()) == wanted;
    let is_default = |parameter: &&str| last_word(parameter).to_ascii_lowercase().starts_with("default");
    Some(Function {
        name: name.to_string(),
        parameter: parameters.iter().position(is_wanted)?,
        default: parameters.iter().position(is_default),
    })
}

/// The word that ends a text; empty when something else does.
pub fn last_word(text: &str) -> &str {
    let text = text.trim_end();
    &text[text.len() - text.bytes().rev().take_while(|byte| is_word(*byte)).count()..]
}

/// Whether a text is one word.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_word)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The content of one or more adjacent string literals, escapes as written; none for anything else.
pub fn literal(expression: &str) -> Option<String> {
    static LITERAL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"^\s*(?:u8|L)?"((?:\\.|[^"\\\n])*)"\s*"#).unwrap());
    let (mut rest, mut content) = (expression, None);
    while !rest.is_empty() {
        let found = LITERAL.captures(rest)?;
        content.get_or_insert_with(String::new).push_str(&found[1]);
        rest = &rest[found[0].len()..];
    }
    content
}

#[cfg(test)]
mod tests {
    use super::{CText, Function, literal};

    fn arguments<'a>(text: &'a CText, name: &str) -> Vec<Vec<&'a str>> {
        text.calls(name).map(|call| call.arguments).collect()
    }

    #[test]
    fn arguments_are_split_at_the_outermost_commas() {
        let text = CText::new("f (a, g(b, c), {d, e}, \"x,)\", h[i, j]); f(); xf(no); f(open");
        assert_eq!(arguments(&text, "f"), [vec!["a", "g(b, c)", "{d, e}", "\"x,)\"", "h[i, j]"], vec![""]]);
    }

    #[test]
    fn a_macro_definition_is_no_call_but_its_body_may_hold_one() {
        let text = CText::new("#define F(a, b) \\\n  G(a)\n# define G(x) x\n  F(1, 2)");
        assert_eq!(arguments(&text, "F"), [vec!["1", "2"]]);
        assert_eq!(arguments(&text, "G"), [vec!["a"]]);
    }

    #[test]
    fn text_in_a_literal_is_no_call() {
        assert!(arguments(&CText::new("log(\"call getenv(X)\")"), "getenv").is_empty());
    }

    #[test]
    fn the_enclosing_function_is_behind_blocks_and_conditions() {
        let text = CText::new(
            "int load(int n, const char* name, long defaultValue) noexcept {\n  { int x; }\n  if (n) { getenv(name); }\n}",
        );
        let position = text.calls("getenv").next().unwrap().position;
        let expected = Function { name: "load".into(), parameter: 1, default: Some(2) };
        assert_eq!(text.enclosing_function(position, "name"), Some(expected));
        assert_eq!(text.enclosing_function(position, "other"), None);
    }

    #[test]
    fn adjacent_literals_are_one() {
        assert_eq!(literal(r#" "NCCL_" "A" "#).as_deref(), Some("NCCL_A"));
        assert_eq!(literal(r#""""#).as_deref(), Some(""));
        assert_eq!(literal(r#""NCCL_" env"#), None);
        assert_eq!(literal(""), None);
    }
}
