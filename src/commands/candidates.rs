//! What may stand at the end of a command line. clap's engine reads the line; the names come from the library.

use std::ffi::{OsStr, OsString};
use std::path::{MAIN_SEPARATOR, PathBuf, is_separator};

use clap::{Arg, CommandFactory, ValueHint};
use clap_complete::engine::{self, ArgValueCompleter, CompletionCandidate};

use crate::answer::schema;
use crate::cli::Cli;
use crate::knowledge::Library;
use crate::knowledge::library::VARIABLE_SECTION;
use crate::lint::rules::RULES;
use crate::render::clean_line;

/// A word, and what it stands for.
#[derive(Debug, PartialEq, Eq)]
pub struct Candidate {
    pub value: String,
    pub about: String,
}

/// The candidates for the last of `words`, whose first is the program's name. What cannot be read has none.
pub fn at_end_of(words: Vec<String>, library: &Library<'static>) -> Vec<Candidate> {
    let Some(last) = words.len().checked_sub(1) else { return Vec::new() };
    let typed = words[last].clone();
    let mut root = Cli::command();
    root.build();
    // Attached here, not in the definition: no other command builds them.
    let library = *library;
    let line = words.clone();
    let mut root = root.mut_subcommands(|command| {
        let name = command.get_name().to_string();
        command.mut_args(|arg| with_names(&name, arg, &line, library))
    });
    let words = words.into_iter().map(OsString::from).collect();
    let found = engine::complete(&mut root, words, last, std::env::current_dir().ok().as_deref()).unwrap_or_default();
    let flags_asked = typed.starts_with('-');
    let has_values = found.iter().any(|candidate| !is_flag(candidate));
    let chosen = found.into_iter().filter(|candidate| flags_asked || !has_values || !is_flag(candidate));
    chosen
        .filter_map(|candidate| {
            let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
            Some(Candidate {
                value: shown(candidate.get_value())?.to_string(),
                about: clean_line(help.lines().next().unwrap_or_default()),
            })
        })
        .collect()
}

/// A name that can stand on a line as it is. One with a line feed or an escape character cannot, and cleaned it would be another name.
fn shown(name: &OsStr) -> Option<&str> {
    name.to_str().filter(|name| clean_line(name) == *name)
}

fn is_flag(candidate: &CompletionCandidate) -> bool {
    candidate.get_value().as_encoded_bytes().starts_with(b"-")
}

/// The candidates for what was typed.
type Names = Box<dyn Fn(&str) -> Vec<CompletionCandidate> + Send + Sync>;

/// The argument with what it may be, where the definition does not say it.
fn with_names(command: &str, arg: Arg, line: &[String], library: Library<'static>) -> Arg {
    let names: Names = match (command, arg.get_id().as_str()) {
        ("show", "id") | ("context", "sections") => Box::new(move |typed| addresses(typed, &library)),
        ("query" | "context", "words") => Box::new(move |typed| words(typed, &library)),
        ("sources", "id") => Box::new(move |typed| sections(typed, &library)),
        ("flow", "id") => Box::new(move |typed| flows(typed, &library)),
        ("env", "names") => {
            let is_diff = line.iter().any(|word| word == "diff");
            Box::new(move |typed| settings(typed, is_diff, &library))
        }
        ("env", "set") => Box::new(move |typed| {
            let names = variables(typed, &library);
            names.into_iter().map(|(name, about)| candidate(&format!("{name}="), about)).collect()
        }),
        ("lint", "profile") => Box::new(move |typed| profiles(typed, &library)),
        ("lint", "explain") => Box::new(|typed| named(typed, RULES.iter().map(|rule| (rule.id, rule.finds)))),
        ("schema", "answer") => Box::new(|typed| named(typed, schema::names().map(|name| (name, "")))),
        ("help" | "man", "command") => Box::new(|typed| {
            let root = Cli::command();
            let commands = root.get_subcommands().map(|command| {
                (command.get_name().to_string(), command.get_about().map(ToString::to_string).unwrap_or_default())
            });
            let commands: Vec<(String, String)> = commands.collect();
            named(typed, commands.iter().map(|(name, about)| (&**name, &**about)))
        }),
        ("lint", "files") | ("diagnose", "logs") => Box::new(files),
        _ if arg.get_value_hint() == ValueHint::AnyPath => {
            let word = line.last().cloned().unwrap_or_default();
            // A shell puts the home directory in at the beginning of a word only, not in `--pack=~/`.
            Box::new(move |typed| if typed.starts_with("~/") && typed != word { Vec::new() } else { files(typed) })
        }
        _ => return arg,
    };
    arg.add(ArgValueCompleter::new(move |typed: &OsStr| names(&typed.to_string_lossy())))
}

fn candidate(value: &str, about: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help((!about.is_empty()).then(|| about.to_string().into()))
}

fn starts_with(name: &str, typed: &str) -> bool {
    name.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed))
}

/// Those that begin with what was typed, in any case.
fn named<'n, About: AsRef<str>>(
    typed: &str,
    names: impl Iterator<Item = (&'n str, About)>,
) -> Vec<CompletionCandidate> {
    names.filter(|(name, _)| starts_with(name, typed)).map(|(name, about)| candidate(name, about.as_ref())).collect()
}

/// A title, and the pack that it is from. `name` is that of [`Library::origin`].
fn titled(title: &str, name: &str, library: &Library<'static>) -> String {
    library.origin(name).map_or(title.to_string(), |pack| format!("{title} (pack {pack})"))
}

fn sections(typed: &str, library: &Library<'static>) -> Vec<CompletionCandidate> {
    let sections = library.sections.iter();
    named(typed, sections.map(|section| (section.id, titled(section.title, section.id, library))))
}

fn profiles(typed: &str, library: &Library<'static>) -> Vec<CompletionCandidate> {
    let profiles = library.profiles.iter();
    named(
        typed,
        profiles.map(|profile| (profile.id, titled(profile.title, &format!("profile {}", profile.id), library))),
    )
}

fn flows(typed: &str, library: &Library<'static>) -> Vec<CompletionCandidate> {
    let flows = library.flows.iter();
    named(typed, flows.map(|flow| (flow.id, titled(flow.title, &format!("flow {}", flow.id), library))))
}

/// Variables, and the names that core NCCL does not read, with their purposes.
fn variables(typed: &str, library: &Library<'static>) -> Vec<(&'static str, &'static str)> {
    let read = library.variables.iter().map(|variable| (variable.name, variable.purpose));
    let others = library.others.iter().map(|other| (other.name, other.purpose));
    read.chain(others).filter(|(name, _)| starts_with(name, typed)).collect()
}

/// Files and directories, none of which reads as a flag. What was typed is taken apart by hand: to a `Path`, `d/.` is `d`.
fn files(typed: &str) -> Vec<CompletionCandidate> {
    let (folder, start) = typed.split_at(typed.rfind(is_separator).map_or(0, |at| at + 1));
    let read = match folder.strip_prefix("~/") {
        Some(below) => std::env::home_dir().map(|home| home.join(below.trim_start_matches('/'))),
        None if folder.is_empty() => Some(PathBuf::from(".")),
        None => Some(PathBuf::from(folder)),
    };
    let entries = read.and_then(|folder| std::fs::read_dir(folder).ok());
    let found = entries.into_iter().flatten().flatten().filter_map(|entry| {
        let mut name = entry.file_name().into_string().ok().filter(|name| name.starts_with(start))?;
        if entry.path().is_dir() {
            name.push(MAIN_SEPARATOR);
        }
        Some(name)
    });
    let mut names: Vec<String> = found.collect();
    match start {
        "" if folder.is_empty() => names.push(".".to_string()),
        ".." => names.push(format!("..{MAIN_SEPARATOR}")),
        _ => {}
    }
    names.sort();
    let candidates = names.iter().map(|name| {
        let is_flag = typed.is_empty() && name.starts_with('-');
        CompletionCandidate::new(format!("{}{name}", if is_flag { "./" } else { folder }))
            .hide(name.starts_with('.') && name != "." && start.is_empty())
    });
    candidates.filter(|candidate| !is_flag(candidate)).collect()
}

/// Sections; behind `#`, or when only one section is left, its parts, too.
fn addresses(typed: &str, library: &Library<'static>) -> Vec<CompletionCandidate> {
    let (id, is_part) = typed.split_once('#').map_or((typed, false), |(id, _)| (id, true));
    let mut found = if is_part { Vec::new() } else { sections(id, library) };
    let only = match (&*found, is_part) {
        (_, true) => library.sections.find(&id.to_lowercase()),
        ([only], false) => library.sections.find(&only.get_value().to_string_lossy()),
        _ => None,
    };
    let Some(section) = only else { return found };
    let part = |part: &str, about: &str| candidate(&format!("{}#{part}", section.id), about);
    let parts = library.parts(&section).filter(|part| !part.id.is_empty());
    found.extend(parts.map(|own| part(own.id, &own.heading)));
    if section.id == VARIABLE_SECTION && is_part {
        found.extend(variables("", library).into_iter().map(|(name, about)| part(name, about)));
    }
    found.retain(|candidate| starts_with(&candidate.get_value().to_string_lossy(), typed));
    found
}

/// What a question is likely to begin with.
fn words(typed: &str, library: &Library<'static>) -> Vec<CompletionCandidate> {
    let mut found = sections(typed, library);
    if !typed.is_empty() {
        found.extend(variables(typed, library).into_iter().map(|(name, about)| candidate(name, about)));
    }
    found
}

/// What `env` takes: profiles, variables, and behind `diff` also files.
fn settings(typed: &str, is_diff: bool, library: &Library<'static>) -> Vec<CompletionCandidate> {
    let mut found = profiles(typed, library);
    if is_diff {
        found.extend(named(
            typed,
            [("current", "the environment of the shell"), ("-", "the standard input")].into_iter(),
        ));
        found.extend(files(typed));
        return found;
    }
    if typed.is_empty() {
        // Hundreds of variables would hide the profiles.
        found.push(candidate("diff", "compare two of: a profile, a file with settings, - or current"));
    } else {
        found.extend(variables(typed, library).into_iter().map(|(name, about)| candidate(name, about)));
        found.extend(named(
            typed,
            [("diff", "compare two of: a profile, a file with settings, - or current")].into_iter(),
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(line: &str) -> Vec<String> {
        let words = line.split(' ').map(str::to_string).collect();
        at_end_of(words, &crate::library()).into_iter().map(|candidate| candidate.value).collect()
    }

    #[test]
    fn names_are_completed_where_they_belong() {
        for (line, expected) in [
            ("rdmanav que", "query"),
            ("rdmanav show dcq", "dcqcn"),
            ("rdmanav show DCQ", "dcqcn#parameters"),
            ("rdmanav show dcqcn#par", "dcqcn#parameters"),
            ("rdmanav show nccl-env#NCCL_IB_TI", "nccl-env#NCCL_IB_TIMEOUT"),
            ("rdmanav context --sections dcqcn,px", "dcqcn,pxn"),
            ("rdmanav sources px", "pxn"),
            ("rdmanav query nccl_ib_ti", "NCCL_IB_TIMEOUT"),
            ("rdmanav env ro", "roce"),
            ("rdmanav env NCCL_IB_TI", "NCCL_IB_TIMEOUT"),
            ("rdmanav env roce --as ", "export"),
            ("rdmanav env roce --set NCCL_IB_T", "NCCL_IB_TC="),
            ("rdmanav env diff roce cur", "current"),
            ("rdmanav flow dcqcn", "dcqcn-feedback-loop"),
            ("rdmanav lint --profile ro", "roce"),
            ("rdmanav lint --explain hca", "hca-prefix"),
            ("rdmanav lint --fail-on ", "warning"),
            ("rdmanav lint Cargo.to", "Cargo.toml"),
            ("rdmanav query x --format ", "json"),
            ("rdmanav query x --format=js", "--format=json"),
            ("rdmanav query x --fo", "--format"),
            ("rdmanav schema find", "findings"),
            ("rdmanav skill in", "install"),
            ("rdmanav skill install --agent ", "claude"),
            ("rdmanav help que", "query"),
            ("rdmanav completions ", "fish"),
        ] {
            assert!(values(line).contains(&expected.to_string()), "{line}: {:?}", values(line));
        }
    }

    #[test]
    fn files_begin_with_what_is_typed() {
        let place = std::env::temp_dir().join(format!("rdmanav-candidates-{}", std::process::id()));
        std::fs::create_dir_all(place.join("d/e")).unwrap();
        std::fs::create_dir_all(place.join("only")).unwrap();
        for name in ["d/.env", "d/.envrc", "d/a", "d/..b", "only/.env"] {
            std::fs::write(place.join(name), "").unwrap();
        }
        let place = place.to_str().unwrap();
        for (typed, expected) in [
            ("d/", &["d/a", "d/e/"] as &[&str]),
            ("d/.", &["d/..b", "d/.env", "d/.envrc"]),
            ("d/.env", &["d/.env", "d/.envrc"]),
            ("d/..", &["d/../", "d/..b"]),
            ("d/../on", &["d/../only/"]),
            ("d/./.envr", &["d/./.envrc"]),
            ("d//a", &["d//a"]),
            ("only/", &["only/.env"]),
            ("d/a/", &[]),
            ("none/.", &[]),
        ] {
            let expected: Vec<String> = expected.iter().map(|value| format!("{place}/{value}")).collect();
            for command in ["lint", "diagnose", "env diff", "list --pack"] {
                assert_eq!(values(&format!("rdmanav {command} {place}/{typed}")), expected, "{command} {typed}");
            }
        }
        std::fs::remove_dir_all(place).unwrap();
        assert!(values("rdmanav lint ..").contains(&"../".to_string()));
        assert!(values("rdmanav lint .").iter().all(|value| value.starts_with('.') && !value.starts_with("./")));
    }

    #[test]
    fn no_file_of_home_is_offered_where_no_shell_puts_home_in() {
        assert_eq!(values("rdmanav list --pack=~/"), [] as [&str; 0]);
        assert_eq!(values("rdmanav list --pack ~/"), values("rdmanav lint ~/"));
    }

    #[test]
    fn flags_do_not_hide_names() {
        assert!(values("rdmanav show ").iter().all(|value| !value.starts_with('-')));
        assert!(values("rdmanav show dcqcn ").iter().all(|value| value.starts_with('-')));
        assert!(values("rdmanav ").iter().all(|value| !value.starts_with('-')));
        assert!(values("rdmanav env ").iter().all(|value| !value.starts_with("NCCL_")));
    }

    #[test]
    fn what_leads_nowhere_has_no_candidates() {
        for line in [
            "rdmanav show zzz",
            "rdmanav show zzz#",
            "rdmanav show dcqcn#\u{e9}",
            "rdmanav nonsense ",
            "rdmanav flow \u{1f600}",
        ] {
            assert!(
                values(line).iter().all(|value| value.starts_with('-') || line.contains("nonsense")),
                "{line}: {:?}",
                values(line)
            );
        }
        assert_eq!(at_end_of(Vec::new(), &crate::library()), []);
    }
}
