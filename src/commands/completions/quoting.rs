//! Words of a command line as shells write them: read without their quotes, and written so that no shell takes a part of them for
//! anything but text.
//!
//! zsh, fish and elvish quote what they insert; bash and PowerShell insert what they are given.

use clap_complete::Shell;

/// The quotes that are open where the cursor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    Single,
    Double,
    /// `$'...'`
    Dollar,
}

/// A command line up to the cursor.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// The words without quotes, the last one half typed.
    pub words: Vec<String>,
    open: Open,
    /// The beginning of the last word that the shell leaves as it stands: it replaces only what is behind.
    kept: String,
    /// The last word begins with `~/` outside of quotes.
    is_home: bool,
}

/// What bash says of a completion that inserts all candidates, not one. The open quote goes then.
const INSERTS_ALL: &str = "42";

impl Line {
    /// What the script of a shell gives: for bash the line up to the cursor, what of it is replaced, and the type of the completion
    /// (`COMP_LINE`, `$2`, `COMP_TYPE`), for others the words. None where what stands there is not certain: what is inside of
    /// `$(...)`, or what a variable would add.
    pub fn read(shell: Shell, given: &[String]) -> Option<Self> {
        match (shell, given) {
            (Shell::Bash, [line, replaced, kind]) => bash(line, replaced, kind == INSERTS_ALL),
            (Shell::Bash, _) | (_, []) => None,
            (Shell::Fish, [before @ .., last]) => Self::of(before.to_vec(), fish(last)?, last),
            (Shell::PowerShell, [before @ .., last]) => {
                let before = before.iter().map(|word| powershell(word).unwrap_or_else(|| word.clone()));
                Self::of(before.collect(), powershell(last)?, last)
            }
            (_, words) => {
                // elvish gives the path of the home directory, so that a `~` is one that was quoted. The script of zsh tells them apart.
                let is_home = shell == Shell::Zsh;
                Some(Self { words: words.to_vec(), open: Open::Nothing, kept: String::new(), is_home })
                    .filter(Self::is_sure)
            }
        }
    }

    fn of(mut words: Vec<String>, last: String, raw: &str) -> Option<Self> {
        words.push(last);
        Some(Self { words, open: Open::Nothing, kept: String::new(), is_home: raw.starts_with("~/") })
            .filter(Self::is_sure)
    }

    /// A quoted `~` is a directory of that name, not the home directory, which is what would be listed.
    fn is_sure(&self) -> bool {
        self.is_home || !self.words.last().is_some_and(|word| word.starts_with("~/"))
    }

    /// What the shell inserts for a candidate of the last word.
    pub fn insertion(&self, shell: Shell, value: &str) -> Option<String> {
        match shell {
            Shell::Bash => self.for_bash(value),
            Shell::PowerShell => self.for_powershell(value),
            _ => Some(value.to_string()),
        }
    }

    fn for_bash(&self, value: &str) -> Option<String> {
        let kept = value.get(..self.kept.len()).filter(|start| start.eq_ignore_ascii_case(&self.kept))?;
        let rest = &value[kept.len()..];
        let quote = match self.open {
            Open::Nothing => {
                let (home, rest) =
                    rest.strip_prefix("~/").filter(|_| self.is_home).map_or(("", rest), |rest| ("~/", rest));
                let is_start = kept.is_empty() && home.is_empty();
                let characters = rest.char_indices();
                let escaped = characters.map(|(at, c)| {
                    let is_plain =
                        c.is_alphanumeric() || "_-./,+%:=@".contains(c) || (c == '#' && !(is_start && at == 0));
                    if is_plain { String::from(c) } else { format!("\\{c}") }
                });
                return Some(home.to_string() + &escaped.collect::<String>());
            }
            Open::Dollar => {
                let escaped = rest.chars().map(|c| match c {
                    // Not `\'`: readline would see the end of the quotes.
                    '\'' => "\\x27".to_string(),
                    '!' => "\\x21".to_string(),
                    '\\' => "\\\\".to_string(),
                    c => c.to_string(),
                });
                return Some(escaped.collect());
            }
            Open::Single => '\'',
            Open::Double => '"',
        };
        let mut out = String::new();
        for c in rest.chars() {
            match (quote, c) {
                ('\'', '\'') => out.push_str("'\\''"),
                // History is expanded inside of these quotes, too, and a backslash there would stay.
                ('"', '!') => out.push_str("\"\\!\""),
                ('"', '$' | '`' | '"' | '\\') => out.extend(['\\', c]),
                (_, c) => out.push(c),
            }
        }
        // readline takes the open quote away when a candidate begins with it, and does not close behind one.
        if out.starts_with(quote) {
            out.insert(0, quote);
        }
        if out.ends_with(quote) {
            out.push(quote);
        }
        Some(out)
    }

    /// PowerShell replaces the whole word with its quotes.
    fn for_powershell(&self, value: &str) -> Option<String> {
        let is_plain = |text: &str| {
            let mut characters = text.chars();
            characters.next().is_none_or(|c| c.is_ascii_alphanumeric() || "_-./\\".contains(c))
                && characters.all(|c| c.is_ascii_alphanumeric() || "_-./\\:=+#".contains(c))
        };
        if self.is_home && value.starts_with("~/") {
            // Inside of quotes it would not be expanded.
            return is_plain(&value[1..]).then(|| value.to_string());
        }
        if is_plain(value) {
            return Some(value.to_string());
        }
        let doubled = value.chars().flat_map(|c| std::iter::repeat_n(c, if is_single_quote(c) { 2 } else { 1 }));
        Some(format!("'{}'", doubled.collect::<String>()))
    }
}

/// Reads a line as bash does, and sees to it that readline, which knows less of quotes, sees the same.
fn bash(line: &str, replaced: &str, inserts_all: bool) -> Option<Line> {
    let begin = line.strip_suffix(replaced)?.len();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut open = Open::Nothing;
    // Where the quote that is open was opened, and whether it has a dollar before it.
    let mut inside = (0, false);
    let mut is_home = false;
    // Whether the word is what is typed: no variable in it, no home directory of somebody else.
    let mut is_literal = true;
    let mut kept = None;
    let mut characters = line.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if at == begin {
            kept = Some((words.len(), open, word.clone().unwrap_or_default()));
        }
        if word.is_none() {
            is_home = line[at..].starts_with("~/");
            is_literal = is_home || c != '~';
        }
        let next = characters.peek().map(|(_, c)| *c);
        match (open, c) {
            (Open::Nothing | Open::Double, '`') => return None,
            (Open::Nothing | Open::Double, '$') if matches!(next, Some('(' | '{' | '[')) => return None,
            (Open::Nothing | Open::Double, '$') if next.is_some_and(is_parameter) => {
                is_literal = false;
                word.get_or_insert_default().push(c);
            }
            (Open::Nothing, ' ' | '\t' | '\n') => words.extend(word.take()),
            (Open::Nothing, ';' | '|' | '&' | '(' | ')' | '<' | '>') => {
                words.extend(word.take());
                words.push(c.to_string());
            }
            (Open::Nothing, '\\') => {
                let word = word.get_or_insert_default();
                // What stands behind the last one is not typed yet.
                word.extend(characters.next().filter(|(_, c)| *c != '\n').map(|(_, c)| c));
            }
            (Open::Nothing, '$') if matches!(next, Some('\'' | '"')) => {
                word.get_or_insert_default();
                let (at, quote) = characters.next()?;
                open = if quote == '"' { Open::Double } else { Open::Dollar };
                inside = (at + 1, true);
            }
            (Open::Nothing, '\'' | '"') => {
                word.get_or_insert_default();
                open = if c == '"' { Open::Double } else { Open::Single };
                inside = (at + 1, false);
            }
            (Open::Single | Open::Dollar, '\'') | (Open::Double, '"') => open = Open::Nothing,
            (Open::Double, '\\') => {
                let escaped = characters.next_if(|(_, c)| matches!(c, '$' | '`' | '"' | '\\'));
                word.get_or_insert_default().push(escaped.map_or('\\', |(_, c)| c));
            }
            (Open::Dollar, '\\') => word.get_or_insert_default().push(match characters.next()?.1 {
                '\\' => '\\',
                '"' => '"',
                'x' => {
                    let digits = [characters.next()?.1, characters.next()?.1];
                    char::from(u8::from_str_radix(&String::from_iter(digits), 16).ok().filter(u8::is_ascii)?)
                }
                _ => return None,
            }),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if begin == line.len() {
        kept = Some((words.len(), open, word.clone().unwrap_or_default()));
    }
    let (before, open_before, kept) = kept?;
    let is_whole = before == words.len()
        && open_before == open
        // Behind an open quote all is replaced, otherwise what is behind a `=`, a `:` or the like.
        && (open == Open::Nothing || inside.0 == begin);
    // Of `$"` and `$'`, the dollar would stay.
    if !is_whole || (inserts_all && open != Open::Nothing && inside.1) {
        return None;
    }
    if word.is_some() && !is_literal {
        return None;
    }
    let is_home = is_home && word.is_some();
    words.push(word.unwrap_or_default());
    let open = if inserts_all { Open::Nothing } else { open };
    Some(Line { words, open, kept, is_home }).filter(Line::is_sure)
}

/// What may stand behind a `$` that names a parameter: the first character of a name, or a special one.
fn is_parameter(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_@*#?-$!".contains(c)
}

/// The text of a word in fish that may be half typed; none where a variable or a command would be put in.
fn fish(raw: &str) -> Option<String> {
    let mut out = String::new();
    let mut open = Open::Nothing;
    let mut characters = raw.chars();
    while let Some(c) = characters.next() {
        match (open, c) {
            (Open::Nothing, '\'') => open = Open::Single,
            (Open::Nothing, '"') => open = Open::Double,
            (Open::Single, '\'') | (Open::Double, '"') => open = Open::Nothing,
            (Open::Nothing, '$' | '(') | (Open::Double, '$') => return None,
            (_, '\\') => {
                let Some(escaped) = characters.next() else { break };
                let is_escape = match open {
                    Open::Nothing if escaped.is_ascii_alphanumeric() => return None,
                    Open::Nothing => true,
                    Open::Double => matches!(escaped, '\\' | '"' | '$'),
                    _ => matches!(escaped, '\\' | '\''),
                };
                if !is_escape {
                    out.push('\\');
                }
                out.push(escaped);
            }
            (_, c) => out.push(c),
        }
    }
    Some(out)
}

/// The text of a word in PowerShell that may be half typed; none where a variable or a command would be put in.
fn powershell(raw: &str) -> Option<String> {
    let mut out = String::new();
    let mut open = Open::Nothing;
    let mut characters = raw.chars().peekable();
    while let Some(c) = characters.next() {
        match (open, c) {
            (Open::Nothing, c) if is_single_quote(c) => open = Open::Single,
            (Open::Nothing, c) if is_double_quote(c) => open = Open::Double,
            (Open::Single, c) if is_single_quote(c) => match characters.next_if(|c| is_single_quote(*c)) {
                Some(quote) => out.push(quote),
                None => open = Open::Nothing,
            },
            (Open::Double, c) if is_double_quote(c) => match characters.next_if(|c| is_double_quote(*c)) {
                Some(quote) => out.push(quote),
                None => open = Open::Nothing,
            },
            (Open::Nothing | Open::Double, '$') | (Open::Nothing, '(') => return None,
            (Open::Nothing | Open::Double, '`') => match characters.next() {
                // A line feed, a tab and the like: no candidate has them.
                Some(escaped) if escaped.is_ascii_alphanumeric() => return None,
                escaped => out.extend(escaped),
            },
            (_, c) => out.push(c),
        }
    }
    Some(out)
}

fn is_single_quote(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}'..='\u{201b}')
}

fn is_double_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}'..='\u{201e}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 30] = [
        "dcqcn#parameters",
        "a b",
        " a ",
        "$(touch x)",
        "`touch x`",
        ";touch x;",
        "'; touch x; '",
        "\"; touch x; \"",
        "'",
        "\"",
        "''",
        "\\",
        "\\'",
        "\\\"",
        "a\\",
        "a'",
        "a\"",
        "!",
        "a!",
        "!!b",
        "a\"!",
        "${x}",
        "~/x y",
        "#x",
        "-x",
        "{a,b}",
        "*?[a]",
        "a=b:c@d",
        "\u{e9} \u{2019}\u{201d}",
        "^a^b",
    ];

    fn bash(line: &str, replaced: &str, kind: &str) -> Option<Line> {
        Line::read(Shell::Bash, &[line.to_string(), replaced.to_string(), kind.to_string()])
    }

    /// What readline makes of the line: it takes an open quote away when the candidate begins with it, and closes behind anything but one.
    fn inserted(before: &str, quote: Option<char>, insertion: &str) -> String {
        let Some(quote) = quote else { return format!("{before}{insertion}") };
        let doubled = before.ends_with(quote) && insertion.starts_with(quote);
        let mut line = before[..before.len() - usize::from(doubled)].to_string() + insertion;
        if !line.ends_with(quote) {
            line.push(quote);
        }
        line
    }

    #[test]
    fn bash_reads_back_what_it_is_given() {
        for name in NAMES {
            for (before, quote) in
                [("r x ", None), ("r x '", Some('\'')), ("r x \"", Some('"')), ("r x $'", Some('\''))]
            {
                let line = bash(before, "", "9").unwrap();
                let insertion = line.insertion(Shell::Bash, name).unwrap();
                let whole = inserted(before, quote, &insertion);
                let next = bash(&format!("{whole} "), "", "9").unwrap();
                assert_eq!(next.words, ["r", "x", name, ""], "{whole}");
                // Where all are inserted, the quote before them is taken away.
                if !before.contains('$') {
                    let line = bash(before, "", INSERTS_ALL).unwrap();
                    let whole = format!("r x {}", line.insertion(Shell::Bash, name).unwrap());
                    assert_eq!(bash(&format!("{whole} "), "", "9").unwrap().words, ["r", "x", name, ""], "{whole}");
                }
            }
        }
    }

    #[test]
    fn bash_reads_what_is_typed_and_knows_what_it_replaces() {
        for (line, replaced, last, kept) in [
            ("r show dcq", "dcq", "dcq", ""),
            ("r show aa\\ b", "aa\\ b", "aa b", ""),
            ("r show 'aa b", "aa b", "aa b", ""),
            ("r show \"a\\$b", "a\\$b", "a$b", ""),
            ("r show \"a\\b", "a\\b", "a\\b", ""),
            ("r show \"a b\"c", "\"a b\"c", "a bc", ""),
            ("r show $'a\\x27b", "a\\x27b", "a'b", ""),
            ("r x --format=js", "js", "--format=js", "--format="),
            ("r x --pack=\"a b", "a b", "--pack=a b", "--pack="),
            ("r x a'b'\"c", "c", "abc", "ab"),
            ("r x a@b", "@b", "a@b", "a"),
            ("r x ", "", "", ""),
            ("r x <aa", "aa", "aa", ""),
            ("r x aa\\", "aa\\", "aa", ""),
            // Only of the last word is it asked what it is.
            ("r $HOME/x ~other aa", "aa", "aa", ""),
            ("r x \\$HOME/a", "\\$HOME/a", "$HOME/a", ""),
            ("r x '$HOME/a", "$HOME/a", "$HOME/a", ""),
            ("r x \"\\$HOME/a", "\\$HOME/a", "$HOME/a", ""),
            ("r x $", "$", "$", ""),
            ("r x \\~other", "\\~other", "~other", ""),
        ] {
            let read = bash(line, replaced, "9").unwrap_or_else(|| panic!("{line} is not read"));
            assert_eq!((&**read.words.last().unwrap(), &*read.kept), (last, kept), "{line}");
        }
        let format = bash("r x --format=js", "js", "9").unwrap();
        assert_eq!(format.insertion(Shell::Bash, "--format=json").as_deref(), Some("json"));
        assert_eq!(format.insertion(Shell::Bash, "other"), None);
        let home = bash("r x ~/a", "~/a", "9").unwrap();
        assert_eq!(home.insertion(Shell::Bash, "~/a b").as_deref(), Some("~/a\\ b"));
    }

    #[test]
    fn bash_gets_nothing_where_it_is_not_certain() {
        for (line, replaced, kind) in [
            ("r x \"$(cat 'aa", "$(cat 'aa", "9"),
            ("r x `cat aa", "aa", "9"),
            ("r x ${a", "${a", "9"),
            ("r x $HOME/a", "$HOME/a", "9"),
            ("r x \"$HOME/a", "$HOME/a", "9"),
            ("r x a\"$_x\"/a", "a\"$_x\"/a", "9"),
            ("r x $1", "$1", "9"),
            ("r x \"$@", "$@", "9"),
            ("r x ~other/a", "~other/a", "9"),
            ("r x ~", "~", "9"),
            // readline sees the second quote close the first.
            ("r x $'a\\'b c", "$'a\\'b c", "9"),
            ("r x 'a b", "b", "9"),
            ("r x a b", "a b", "9"),
            ("r x aa", "bb", "9"),
            ("r x a\\ b", " b", "9"),
            ("r x '~/a", "~/a", "9"),
            ("r x \\~/a", "\\~/a", "9"),
            ("r x $'aa", "aa", INSERTS_ALL),
        ] {
            assert_eq!(bash(line, replaced, kind), None, "{line}");
        }
        for given in [&[] as &[&str], &["r"], &["r", "show"], &["r", "show", "dcq", ""]] {
            let given: Vec<String> = given.iter().map(ToString::to_string).collect();
            assert_eq!(Line::read(Shell::Bash, &given), None);
        }
    }

    fn last(shell: Shell, raw: &str) -> Option<String> {
        Line::read(shell, &["r".to_string(), raw.to_string()]).map(|line| line.words[1].clone())
    }

    #[test]
    fn powershell_reads_back_what_it_is_given() {
        let line = Line::read(Shell::PowerShell, &["r".to_string(), String::new()]).unwrap();
        for name in NAMES {
            let insertion = line.insertion(Shell::PowerShell, name).unwrap();
            assert!(insertion == name || insertion.starts_with('\''), "{insertion}");
            assert_eq!(
                last(Shell::PowerShell, &insertion).as_deref(),
                Some(name).filter(|name| !name.starts_with("~/"))
            );
        }
        for (name, insertion) in [
            ("--format=json", "--format=json"),
            ("dcqcn#tuning", "dcqcn#tuning"),
            ("a$(touch x)", "'a$(touch x)'"),
            ("it's \u{2019}", "'it''s \u{2019}\u{2019}'"),
            ("@x", "'@x'"),
            ("\u{2013}x", "'\u{2013}x'"),
        ] {
            assert_eq!(line.insertion(Shell::PowerShell, name).as_deref(), Some(insertion));
        }
        for (raw, read) in [
            ("aa` b", Some("aa b")),
            ("\"aa b", Some("aa b")),
            ("'it''s", Some("it's")),
            ("\"a`$b", Some("a$b")),
            ("\"a$b", None),
            ("$x", None),
            ("~/a", Some("~/a")),
            ("'~/a", None),
        ] {
            assert_eq!(last(Shell::PowerShell, raw).as_deref(), read, "{raw}");
        }
    }

    #[test]
    fn only_zsh_gives_the_tilde_of_the_home_directory() {
        assert_eq!(last(Shell::Zsh, "~/a").as_deref(), Some("~/a"));
        assert_eq!(last(Shell::Elvish, "~/a"), None);
        assert_eq!(last(Shell::Elvish, "~a").as_deref(), Some("~a"));
    }

    #[test]
    fn fish_reads_what_is_typed() {
        for (raw, read) in [
            ("aa\\ b", Some("aa b")),
            ("'aa \\'b", Some("aa 'b")),
            ("'a\\b", Some("a\\b")),
            ("\"a\\$b", Some("a$b")),
            ("a\"b c\"", Some("ab c")),
            ("\\x41", None),
            ("$x", None),
            ("\"(x)", Some("(x)")),
            ("(x", None),
            ("aa\\", Some("aa")),
            ("~/a", Some("~/a")),
            ("\\~/a", None),
        ] {
            assert_eq!(last(Shell::Fish, raw).as_deref(), read, "{raw}");
        }
    }
}
