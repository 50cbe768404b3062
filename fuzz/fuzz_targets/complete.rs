//! Any bytes as a command line that is completed, and as the name of a file there. The first byte chooses the shell and the open quote.
#![no_main]

use clap_complete::Shell;
use libfuzzer_sys::fuzz_target;
use rdmanav::commands::completions::{self, Line};

const SHELLS: [Shell; 5] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish];
const OPEN: [(&str, Option<char>); 5] = [("", None), ("'", Some('\'')), ("\"", Some('"')), ("$'", Some('\'')), ("--pack=", None)];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let shell = SHELLS[usize::from(*first) % SHELLS.len()];
    let open = OPEN[usize::from(*first) / SHELLS.len() % OPEN.len()];
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<String> = text.split(['\0', '\n']).map(str::to_string).collect();
    let given = if shell == Shell::Bash {
        let line = format!("rdmanav {}{}", words.join(" "), open.0);
        let replaced = line.rsplit([' ', '\'', '"', '=']).next().unwrap_or_default().to_string();
        vec![line, replaced, "9".to_string()]
    } else {
        std::iter::once("rdmanav".to_string()).chain(words).collect()
    };
    if let Some(line) = Line::read(shell, &given) {
        let answer = completions::answer(&line, shell, &rdmanav::library());
        assert!(!answer.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{answer:?}");
    }
    // No candidate has control characters.
    let name: String = text.chars().filter(|c| !c.is_control()).collect();
    match shell {
        _ if name.is_empty() => {}
        Shell::Bash => reads_back(&name, open),
        Shell::PowerShell => {
            let line = Line::read(shell, &[String::new()]).expect("nothing is typed");
            let written = line.insertion(shell, &name).expect("any name can be written");
            let again = Line::read(shell, &[written.clone()]).map(|line| line.words[0].clone());
            assert!(again.as_ref() == Some(&name) || name.starts_with("~/"), "{name:?} {written:?}");
        }
        _ => {}
    }
});

/// What readline makes of the line with the candidate reads as the name.
fn reads_back(name: &str, (open, quote): (&str, Option<char>)) {
    let read = |line: &str, kind: &str| Line::read(Shell::Bash, &[line.to_string(), String::new(), kind.to_string()]);
    let before = format!("rdmanav diagnose {open}");
    let kept = if open == "--pack=" { open } else { "" };
    let name = format!("{kept}{name}");
    let written = read(&before, "9").and_then(|line| line.insertion(Shell::Bash, &name)).expect("any name can be written");
    let mut whole = before.clone();
    if quote.is_some_and(|quote| written.starts_with(quote)) {
        whole.pop();
    }
    whole.push_str(&written);
    if let Some(quote) = quote.filter(|quote| !whole.ends_with(*quote)) {
        whole.push(quote);
    }
    let again = read(&format!("{whole} "), "9").expect("what is written is certain");
    assert_eq!(again.words, ["rdmanav", "diagnose", &name, ""], "{whole:?}");
}
