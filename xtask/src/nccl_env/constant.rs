//! Values of the constant expressions that stand as defaults.

use std::sync::LazyLock;

use regex::Regex;

use super::ctext::literal;

/// The default that an expression of the sources stands for, as the content writes it: a number where it is one, `unset` for
/// a null pointer, a text in quotes, else the expression itself. `constant` gives the expression behind a name.
pub fn default<'a>(expression: &str, constant: &dyn Fn(&str) -> Option<&'a str>) -> String {
    if let Some(text) = literal(expression) {
        return format!("\"{text}\"");
    }
    if ["nullptr", "NULL"].contains(&expression) {
        return "unset".to_string();
    }
    value(expression, constant, 0).map_or_else(|| expression.to_string(), |value| value.to_string())
}

/// Constants of other projects, or of C itself.
const FOREIGN: [(&str, &str); 9] = [
    ("INT64_MAX", "9223372036854775807"),
    ("INT_MIN", "-2147483648"),
    ("INT_MAX", "2147483647"),
    ("UINT32_MAX", "4294967295"),
    ("LLONG_MAX", "9223372036854775807"),
    ("cudaLaunchMemSyncDomainDefault", "0"),
    ("cudaLaunchMemSyncDomainRemote", "1"),
    ("true", "1"),
    ("false", "0"),
];

/// Constants that are defined by each other in a circle end here.
const DEEPEST: usize = 6;

fn value<'a>(expression: &str, constant: &dyn Fn(&str) -> Option<&'a str>, depth: usize) -> Option<i128> {
    if depth > DEEPEST {
        return None;
    }
    let tokens = tokens(expression)?;
    let mut parser = Parser { tokens: &tokens, at: 0, constant, depth };
    let value = parser.binary(0)?;
    (parser.at == tokens.len()).then_some(value)
}

/// Words, numbers and operators; none where anything else stands, such as a decimal point or a question mark.
fn tokens(expression: &str) -> Option<Vec<&str>> {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*(\w+|<<|>>|[-+*/&|~()])\s*").unwrap());
    let (mut rest, mut tokens) = (expression, Vec::new());
    while !rest.is_empty() {
        let found = TOKEN.captures(rest)?;
        tokens.push(found.get(1)?.as_str());
        rest = &rest[found[0].len()..];
    }
    Some(tokens)
}

/// Operators by how strongly they bind, weakest first, as in C.
const OPERATORS: [&[&str]; 5] = [&["|"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/"]];

struct Parser<'t, 'c> {
    tokens: &'t [&'t str],
    at: usize,
    constant: &'t dyn Fn(&str) -> Option<&'c str>,
    depth: usize,
}

impl<'t> Parser<'t, '_> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'t str> {
        self.at += 1;
        self.tokens.get(self.at - 1).copied()
    }

    fn binary(&mut self, level: usize) -> Option<i128> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.peek().filter(|token| operators.contains(token)) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i128> {
        match self.next()? {
            "-" => self.unary()?.checked_neg(),
            "+" => self.unary(),
            "~" => Some(!self.unary()?),
            "(" if self.at_cast() => {
                self.at += 2;
                self.unary()
            }
            "(" => {
                let value = self.binary(0)?;
                (self.next()? == ")").then_some(value)
            }
            word => self.word(word),
        }
    }

    /// Whether a type and a closing parenthesis follow.
    fn at_cast(&self) -> bool {
        let [word, ")", ..] = self.tokens[self.at..] else { return false };
        ["int", "long", "unsigned", "size_t"].contains(&word) || (word.contains("int") && word.ends_with("_t"))
    }

    fn word(&self, word: &str) -> Option<i128> {
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return number(word);
        }
        let foreign = FOREIGN.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        let expression = foreign.or_else(|| (self.constant)(word))?;
        value(expression, self.constant, self.depth + 1)
    }
}

fn apply(operator: &str, left: i128, right: i128) -> Option<i128> {
    let shift = || u32::try_from(right).ok().filter(|shift| *shift < 64);
    match operator {
        "|" => Some(left | right),
        "&" => Some(left & right),
        "<<" => left.checked_mul(1 << shift()?),
        ">>" => Some(left >> shift()?),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        _ => left.checked_div(right),
    }
}

fn number(word: &str) -> Option<i128> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    fn default(expression: &str) -> String {
        super::default(expression, &|name| match name {
            "SIZE" => Some("(1 << SHIFT)"),
            "SHIFT" => Some("22"),
            "CIRCLE" => Some("CIRCLE"),
            _ => None,
        })
    }

    #[test]
    fn constant_expressions_have_a_value() {
        assert_eq!(default("-2"), "-2");
        assert_eq!(default("SIZE"), "4194304");
        assert_eq!(default("1024L*1024"), "1048576");
        assert_eq!(default("(uint64_t)1 << 2 | 1"), "5");
        assert_eq!(default("0x10 - 020 + ~0"), "-1");
        assert_eq!(default("INT_MIN"), "-2147483648");
        assert_eq!(default("true"), "1");
    }

    #[test]
    fn other_defaults_stay_as_they_are_written() {
        for expression in ["UNKNOWN", "CIRCLE", "f(1)", "a ? 1 : 2", "1.5", "1 +", "(1", "1 / 0"] {
            assert_eq!(default(expression), expression);
        }
    }

    #[test]
    fn texts_and_null() {
        assert_eq!(default("\"a\" \"b\""), "\"ab\"");
        assert_eq!(default("nullptr"), "unset");
        assert_eq!(default("NULL"), "unset");
    }
}
