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
}

/// The profile as lines for a shell, or for `nccl.conf`. What is not to be set is there as a comment that says why.
pub fn lines(profile: &Profile<'_>, release: Option<Release>, assignments: &[Assignment<'_>], form: Form) -> String {
    let release = release.map_or(NCCL_RELEASE.to_string(), |release| release.to_string());
    let mut out = format!("# {}, for NCCL {release}; made by: rdmanav env {}\n", profile.title, profile.id);
    for assignment in assignments {
        let (name, value) = (assignment.setting.name, assignment.value);
        let line = match form {
            // NCCL takes all behind the first `=` as the value, blanks and quotes included
            // (NVIDIA/nccl:src/misc/param.cc@v2.30.7-1, setEnvFile).
            Form::Conf => format!("{name}={value}"),
            Form::Export | Form::Table => format!("export {name}={}", quoted(value)),
        };
        if assignment.is_set() {
            out.push_str(&line);
            out.push('\n');
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
        out.push_str(&format!("# {reason}: {line}\n"));
    }
    out
}

/// A word that any POSIX shell reads back as `value`.
pub fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.,:/+%@^".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        return value.to_string();
    }
    format!("'{}'", value.replace('\'', "'\\''"))
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
}
