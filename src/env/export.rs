//! The forms in which other programs take settings.

use clap::ValueEnum;

use super::settings::Assignment;
use crate::knowledge::Profile;
use crate::knowledge::library::NCCL_RELEASE;
use crate::knowledge::model::Action;
use crate::knowledge::release::Release;

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
pub fn lines(
    profile: &Profile<'_>,
    release: Option<Release>,
    assignments: &[Assignment<'_>],
    form: Form,
    all: bool,
) -> String {
    let release = release.map_or(NCCL_RELEASE.to_string(), |release| release.to_string());
    let mut out = format!("# {}, for NCCL {release}; made by: rdmanav env {}\n", profile.title, profile.id);
    let is_set =
        |assignment: &Assignment<'_>| assignment.is_set() || (all && assignment.setting.action == Action::Default);
    if form == Form::Slurm {
        out.push_str("# Behind the #SBATCH lines. After sbatch --export=NONE also: export SLURM_EXPORT_ENV=ALL\n");
    }
    out.push_str(head(form, assignments.iter().any(is_set)));
    for assignment in assignments {
        let (name, value) = (assignment.setting.name, assignment.value);
        if is_set(assignment) {
            out.push_str(&entry(form, name, value));
            continue;
        }
        let reason = match assignment.setting.action {
            Action::Default => "already the default",
            Action::Site => "site-specific, an example",
            Action::Avoid => "do not set",
            Action::Done => "already set by the platform",
            Action::Older => {
                let before = assignment.setting.before.unwrap_or("see rdmanav env");
                out.push_str(&format!("# {name}: {before}\n"));
                continue;
            }
            Action::Set => continue,
        };
        // A comment is one line.
        let line = match form {
            Form::K8s => format!("{name}={value}\n"),
            form => entry(form, name, value),
        };
        out.push_str(&format!("# {reason}: {}\n", line.trim()));
    }
    out
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

/// Settings in a form, without comments. A value has no control characters.
pub fn settings<'s>(form: Form, settings: impl IntoIterator<Item = (&'s str, &'s str)>) -> String {
    let entries: String = settings.into_iter().map(|(name, value)| entry(form, name, value)).collect();
    head(form, !entries.is_empty()).to_string() + &entries
}

/// One setting.
fn entry(form: Form, name: &str, value: &str) -> String {
    match form {
        // NCCL takes all behind the first `=` as the value, blanks and quotes included
        // (NVIDIA/nccl:src/misc/param.cc@v2.30.7-1, setEnvFile); so does Docker.
        Form::Conf | Form::Docker => format!("{name}={value}\n"),
        Form::Export | Form::Slurm | Form::Table => format!("export {name}={}\n", quoted(value)),
        // A dollar sign begins a variable, two of them are one.
        Form::Compose => format!("  {name}: {}\n", yaml_quoted(&value.replace('$', "$$"))),
        Form::K8s => format!("- name: {name}\n  value: {}\n", yaml_quoted(&value.replace('$', "$$"))),
        Form::Dotenv => format!("{name}={}\n", dotenv_quoted(value)),
    }
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

/// Single quotes, in which all parsers take everything as it is; double quotes for a value with a single one.
fn dotenv_quoted(value: &str) -> String {
    if is_plain(value) {
        return value.to_string();
    }
    if !value.contains('\'') {
        return format!("'{value}'");
    }
    let escaped: String = value
        .chars()
        .flat_map(|c| matches!(c, '"' | '\\' | '$').then_some('\\').into_iter().chain(std::iter::once(c)))
        .collect();
    format!("\"{escaped}\"")
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
            (Form::Dotenv, "A=\"=a b'\\\"\\$c\\\\\"\n"),
        ] {
            assert_eq!(settings(form, [("A", value)]), expected, "{form:?}");
        }
        assert_eq!(settings(Form::Dotenv, [("A", "x y")]), "A='x y'\n");
        assert_eq!(settings(Form::K8s, []), "env: []\n");
        // Words and numbers of YAML stay text.
        assert_eq!(settings(Form::Compose, [("A", "1"), ("B", "yes")]), "environment:\n  A: \"1\"\n  B: \"yes\"\n");
    }
}
