//! The forms in which other programs take settings.

use clap::ValueEnum;

use super::settings::Assignment;
use crate::knowledge::Profile;
use crate::knowledge::library::NCCL_RELEASE;
use crate::knowledge::model::Action;
use crate::knowledge::release::Release;
use crate::render::clean_line;

/// A form of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people: value, set it or not, why
    Table,
    /// Lines for a POSIX shell, to be evaluated
    Export,
    /// Lines for nccl.conf
    Conf,
    /// A file for docker run --env-file, which takes quotes as part of the value
    Docker,
    /// The environment of a service in a compose file
    Compose,
    /// The env of a container in a Kubernetes object
    K8s,
    /// Lines for a job script of Slurm: srun hands on what is exported, while --export would split values at commas
    Slurm,
    /// A .env file for compose and dotenv libraries, which take quotes off
    Dotenv,
}

/// The profile in a form that another program reads. What is not to be set is there as a comment that says why; with `all`, what is
/// the default anyway is set, too.
///
/// # Errors
/// A message for a value that has no such form.
pub fn lines(
    profile: &Profile<'_>,
    release: Option<Release>,
    assignments: &[Assignment<'_>],
    form: Form,
    all: bool,
) -> Result<String, String> {
    let release = release.map_or(NCCL_RELEASE.to_string(), |release| release.to_string());
    let mut out = comment(&format!("{}, for NCCL {release}; made by: rdmanav env {}", profile.title, profile.id));
    let is_set =
        |assignment: &Assignment<'_>| assignment.is_set() || (all && assignment.setting.action == Action::Default);
    if form == Form::Slurm {
        out.push_str("# Behind the #SBATCH lines. After sbatch --export=NONE also: export SLURM_EXPORT_ENV=ALL\n");
    }
    out.push_str(head(form, assignments.iter().any(is_set)));
    for assignment in assignments {
        let (name, value) = (assignment.setting.name, assignment.value);
        if is_set(assignment) {
            let no_form = || {
                format!(
                    "{name}={value} has no form that all readers of .env files take alike; choose another value, or --as docker"
                )
            };
            out.push_str(&entry(form, name, value).ok_or_else(no_form)?);
            continue;
        }
        let reason = match assignment.setting.action {
            Action::Default => "already the default",
            Action::Site => "site-specific, an example",
            Action::Avoid => "do not set",
            Action::Done => "already set by the platform",
            Action::Older => {
                let before = assignment.setting.before.unwrap_or("see rdmanav env");
                out.push_str(&comment(&format!("{name}: {before}")));
                continue;
            }
            Action::Set => continue,
        };
        // A comment is one line.
        let line = entry(form, name, value).filter(|_| form != Form::K8s).unwrap_or_else(|| format!("{name}={value}"));
        out.push_str(&comment(&format!("{reason}: {}", line.trim())));
    }
    Ok(out)
}

/// A comment, whatever the text holds: readers differ in what ends a line.
fn comment(text: &str) -> String {
    format!("# {}\n", clean_line(text))
}

/// What stands in front of the settings.
fn head(form: Form, has_settings: bool) -> &'static str {
    match (form, has_settings) {
        (Form::Compose, true) => "environment:\n",
        (Form::Compose, false) => "environment: {}\n",
        (Form::K8s, true) => "env:\n",
        (Form::K8s, false) => "env: []\n",
        _ => "",
    }
}

/// Settings in a form, without comments; those that have no such form are left out. A value has no control characters.
#[cfg(test)]
pub fn settings<'s>(form: Form, settings: impl IntoIterator<Item = (&'s str, &'s str)>) -> String {
    let entries: String = settings.into_iter().filter_map(|(name, value)| entry(form, name, value)).collect();
    head(form, !entries.is_empty()).to_string() + &entries
}

/// One setting; none where the value has no such form.
fn entry(form: Form, name: &str, value: &str) -> Option<String> {
    Some(match form {
        // NCCL takes all behind the first `=` as the value, blanks and quotes included
        // (NVIDIA/nccl:src/misc/param.cc@v2.30.7-1, setEnvFile); so does Docker.
        Form::Conf | Form::Docker => format!("{name}={value}\n"),
        Form::Export | Form::Slurm | Form::Table => format!("export {name}={}\n", quoted(value)),
        // A dollar sign begins a variable, two of them are one.
        Form::Compose => format!("  {name}: {}\n", yaml_quoted(&value.replace('$', "$$"))),
        Form::K8s => format!("- name: {name}\n  value: {}\n", yaml_quoted(&value.replace('$', "$$"))),
        Form::Dotenv => format!("{name}={}\n", dotenv_quoted(value)?),
    })
}

/// Characters that no form takes for anything else.
fn is_plain(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.,:/+%@^".contains(c);
    !value.is_empty() && value.chars().all(plain)
}

/// A word that any POSIX shell reads back as `value`.
pub fn quoted(value: &str) -> String {
    if is_plain(value) {
        return value.to_string();
    }
    format!("'{}'", value.replace('\'', "'\\''"))
}

/// A double-quoted scalar. Always quoted: a number would be none of the text that an environment takes.
fn yaml_quoted(value: &str) -> String {
    let mut out = String::from('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Line ends to YAML, or not printable.
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// What python-dotenv, dotenv for Node and Docker Compose all read back as `value`: they differ in what a backslash and a dollar sign do inside
/// of each kind of quotes, so a form is taken only where nothing in the value is special to any of them. None where no form is left.
fn dotenv_quoted(value: &str) -> Option<String> {
    if is_plain(value) {
        return Some(value.to_string());
    }
    if is_expanded_by_python(value) {
        return None;
    }
    if !value.contains('\'') && !value.contains("\\\\") && !value.ends_with('\\') {
        return Some(format!("'{value}'"));
    }
    if !value.contains(['"', '\\', '$']) {
        return Some(format!("\"{value}\""));
    }
    let bare = value.trim() == value && !value.starts_with(['\'', '"', '`']) && !value.contains(['#', '$']);
    bare.then(|| value.to_string())
}

/// python-dotenv puts in variables whatever the quotes: `${NAME}` and `${NAME:-default}`.
fn is_expanded_by_python(value: &str) -> bool {
    value.split("${").skip(1).any(|rest| {
        let name = rest.split(['}', ':']).next().unwrap_or_default();
        let rest = &rest[name.len()..];
        rest.starts_with('}') || rest.strip_prefix(":-").is_some_and(|default| default.contains('}'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_a_shell() {
        assert_eq!(quoted("mlx5_0:1,mlx5_1:1"), "mlx5_0:1,mlx5_1:1");
        assert_eq!(quoted("=mlx5_0"), "'=mlx5_0'");
        assert_eq!(quoted("a'b $c"), "'a'\\''b $c'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn each_form_writes_a_value_as_its_reader_takes_it() {
        let value = "=a b'\"$c\\";
        for (form, expected) in [
            (Form::Conf, "A==a b'\"$c\\\n"),
            (Form::Docker, "A==a b'\"$c\\\n"),
            (Form::Export, "export A='=a b'\\''\"$c\\'\n"),
            (Form::Slurm, "export A='=a b'\\''\"$c\\'\n"),
            (Form::Compose, "environment:\n  A: \"=a b'\\\"$$c\\\\\"\n"),
            (Form::K8s, "env:\n- name: A\n  value: \"=a b'\\\"$$c\\\\\"\n"),
            (Form::Dotenv, ""),
        ] {
            assert_eq!(settings(form, [("A", value)]), expected, "{form:?}");
        }
        assert_eq!(settings(Form::K8s, []), "env: []\n");
        // Ends of lines for YAML 1.1, and what no reader takes as it stands.
        assert_eq!(settings(Form::Compose, [("A", "a\u{85}b\u{2028}c")]), "environment:\n  A: \"a\\u0085b\\u2028c\"\n");
        // Words and numbers of YAML stay text.
        assert_eq!(settings(Form::Compose, [("A", "1"), ("B", "yes")]), "environment:\n  A: \"1\"\n  B: \"yes\"\n");
    }

    /// `scripts/check-forms.py` asks the readers themselves.
    #[test]
    fn an_env_file_has_only_what_all_its_readers_take_alike() {
        for (value, expected) in [
            ("", Some("''")),
            ("x y", Some("'x y'")),
            ("a\\b \"$c\" #d", Some("'a\\b \"$c\" #d'")),
            ("it's 4 #x", Some("\"it's 4 #x\"")),
            ("a b\\", Some("a b\\")),
            ("a\\\\b c", Some("a\\\\b c")),
            ("it's \"x\"", Some("it's \"x\"")),
            ("it's $5", None),
            ("'a\\", None),
            (" a\\", None),
            ("a\\\\b #c", None),
            ("${IFS}", None),
            ("a ${A:-b} c", None),
            ("${A:b}", Some("'${A:b}'")),
            ("${A", Some("'${A'")),
        ] {
            assert_eq!(dotenv_quoted(value).as_deref(), expected, "{value}");
        }
    }
}
