//! Values: not what the variable takes, the default, out of all proportion.

use super::{Case, reaches};
use crate::env::history::{self, Standing};
use crate::knowledge::Variable;
use crate::knowledge::library::NCCL_RELEASE;
use crate::knowledge::release::Release;
use crate::knowledge::severity::Severity;
use crate::lint::accepts::{self, DEVICE_LISTS, Fault, c_integer};
use crate::lint::{Form, Setting};
use crate::render::{code, foreign, foreign_word};

/// How the names of RDMA devices begin, by their drivers (linux-rdma/rdma-core:providers, kernel-boot/rdma_rename).
const DEVICE_STEMS: [&str; 18] = [
    "mlx5", "mlx4", "bnxt_re", "irdma", "erdma", "efa", "rdmap", "rocep", "ibp", "ib", "hfi", "hns", "mana", "qedr",
    "rxe", "siw", "roce", "rdma",
];

impl Case<'_, '_> {
    pub(super) fn value(&mut self, setting: &Setting) {
        let Some(text) = setting.value.text().filter(|_| setting.form != Form::DockerArg && setting.broken.is_none())
        else {
            return;
        };
        let Some(variable) = self.library.variables.find(&setting.name) else {
            if setting.name.ends_with("_HCA") && setting.name.starts_with("NCCL_") {
                self.device_names(setting, text);
            }
            return;
        };
        // What quotes and line ends do to it is said by another rule.
        let bare = text.trim_end_matches(['\r', ' ', '\t']).trim_matches(['"', '\'']);
        match accepts::fault(&variable, bare) {
            Some(fault) => self.fault(setting, bare, &fault),
            None => self.fits(setting, &variable, bare),
        }
    }

    fn fault(&mut self, setting: &Setting, text: &str, fault: &Fault) {
        let name = &setting.name;
        match fault {
            Fault::NotANumber { read_as } => {
                let message = format!("{name} takes an integer: {} is read as {read_as}.", foreign_word(text));
                let advice = match text.to_lowercase().as_str() {
                    "true" | "yes" | "on" | "enable" | "enabled" => "Write 1.",
                    "false" | "no" | "off" | "disable" | "disabled" => "Write 0.",
                    _ => "Write the number in digits; sizes in bytes.",
                };
                // A word for no is 0, which is what was meant.
                let same = advice == "Write 0." && *read_as == 0;
                let finding = self.at_value("not-a-number", setting, message, advice.to_string());
                finding.severity = if same { Severity::Warning } else { Severity::Error };
            }
            Fault::Octal { read_as } => {
                let message =
                    format!("{name}: a leading zero makes {} octal, so it is read as {read_as}.", foreign_word(text));
                self.at_value("not-a-number", setting, message, "Leave the leading zero out.".to_string());
            }
            Fault::OutOfRange { takes } => {
                let message = format!("{name} does not take {}. It takes {takes}.", foreign(text));
                self.at_value(
                    "out-of-range",
                    setting,
                    message,
                    "Correct the number, or leave the variable out.".to_string(),
                );
            }
            Fault::UnknownWord { word, takes, near } => {
                let near = near.as_ref().map_or(String::new(), |near| format!(" Did you mean {near}?"));
                let message = format!("{name} does not take the word {}.{near} It takes {takes}.", foreign_word(word));
                self.at_value(
                    "unknown-word",
                    setting,
                    message,
                    "Correct the word, or leave the variable out.".to_string(),
                );
            }
            Fault::LowerCase { word } => {
                let message =
                    format!("{name} takes upper case only: {} is ignored without a word.", foreign_word(word));
                self.at_value("unknown-word", setting, message, format!("Write {}.", foreign(&word.to_uppercase())));
            }
            Fault::BadList(what) => {
                let message = format!("{name}={}: {what}.", foreign_word(text));
                self.at_value(
                    "bad-list",
                    setting,
                    message,
                    "For example `=mlx5_0,mlx5_1` or `^docker,lo`.".to_string(),
                );
            }
        }
    }

    fn fits(&mut self, setting: &Setting, variable: &Variable<'_>, text: &str) {
        if DEVICE_LISTS.contains(&variable.name) {
            self.device_names(setting, text);
        }
        if variable.name == "NCCL_IB_TIMEOUT" && !self.is_efa(setting.scope) {
            self.timeout(setting, text);
        }
        if variable.name == "NCCL_IB_GID_INDEX" && c_integer(text).0 >= 0 {
            self.gid_index(setting, text);
        }
        self.default_value(setting, variable, text);
    }

    fn default_value(&mut self, setting: &Setting, variable: &Variable<'_>, text: &str) {
        let release = self.options.release.unwrap_or(Release::parse(NCCL_RELEASE).expect("a release"));
        let Standing::Read { default } = history::standing(variable, release) else { return };
        let same = if default.parse::<i64>().is_ok() {
            default.parse() == Ok(c_integer(text).0)
        } else {
            default.eq_ignore_ascii_case(text)
        };
        // RCCL has defaults of its own.
        if !same
            || variable.guide_only
            || self.facts.is_rccl
            || !variable.name.starts_with("NCCL_")
            || !reaches(setting)
        {
            return;
        }
        let since = variable.defaults.last().filter(|last| variable.defaults.len() > 1 && last.value == default);
        let since = since.map_or(String::new(), |last| format!(" since {}", last.since));
        let message = format!("{}={} is the default{since}: it changes nothing.", variable.name, foreign(text));
        self.at_value("default-value", setting, message, "Leave it out.".to_string());
    }

    fn timeout(&mut self, setting: &Setting, text: &str) {
        let exponent = c_integer(text).0;
        let message = match exponent {
            13..=24 => return,
            // 4.096 us x 2^n, up to 8 attempts.
            1..=12 | 25..=31 => {
                let seconds = 4.096e-6 * f64::from(1u32 << exponent) * 8.0;
                let time = if seconds < 1.0 {
                    format!("{:.0} ms", seconds * 1e3)
                } else {
                    format!("{:.0} min", seconds / 60.0)
                };
                format!(
                    "NCCL_IB_TIMEOUT={exponent}: with 7 retries a peer that does not answer is given up after about {time}."
                )
            }
            _ => format!("NCCL_IB_TIMEOUT={exponent} means no time-out at all: a dead peer is never noticed."),
        };
        self.at_value(
            "timeout-extreme",
            setting,
            message,
            "Leave it out (20 since 2.23.4), or take 18 to 22.".to_string(),
        );
    }

    fn gid_index(&mut self, setting: &Setting, text: &str) {
        let is_infiniband =
            self.options.profile.as_ref().is_some_and(|profile| profile.sections.contains(&"infiniband-fabric"));
        let old = Release::parse("2.21.5").expect("a release");
        if self.options.release.is_some_and(|release| release < old) && !is_infiniband {
            return;
        }
        let (message, severity) = if is_infiniband {
            (
                format!(
                    "NCCL_IB_GID_INDEX={} is for RoCE; the profile is one of InfiniBand, where it can only do harm.",
                    foreign(text)
                ),
                Severity::Warning,
            )
        } else {
            (
                format!(
                    "NCCL_IB_GID_INDEX={} is fixed: since 2.21.5 NCCL finds the RoCE v2 entry itself, and a fixed index is wrong where the tables of hosts differ.",
                    foreign(text)
                ),
                Severity::Note,
            )
        };
        let advice = "Leave it out with NCCL 2.21.5 and later. Before, take the RoCE v2 entry with the routable address from `show_gids`, the same on all hosts.";
        self.at_value("gid-index", setting, message, advice.to_string()).severity = severity;
    }

    /// Names of a list that look misspelt, that are names of another thing, or that are the beginning of others.
    fn device_names(&mut self, setting: &Setting, text: &str) {
        let names: Vec<&str> = names(text).collect();
        let wants_devices = setting.name.contains("HCA");
        for name in &names {
            let is_device = DEVICE_STEMS.iter().any(|known| name.starts_with(known)) && !name.starts_with("ib0");
            let is_interface = INTERFACE_STEMS.iter().any(|known| {
                name.strip_prefix(known)
                    .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
                    || (known.len() > 4 && name.starts_with(known))
            });
            let (message, advice) = if wants_devices && is_interface && !is_device {
                (
                    format!(
                        "{}: {} is the name of a network interface; here stand RDMA devices, such as mlx5_0.",
                        setting.name,
                        foreign(name)
                    ),
                    "`ibv_devices` lists them; `ibdev2netdev` shows which interface belongs to which device."
                        .to_string(),
                )
            } else if !wants_devices
                && ["mlx5_", "mlx4_", "bnxt_re", "rdmap"].iter().any(|stem| name.starts_with(stem))
                && setting.name == "NCCL_SOCKET_IFNAME"
            {
                (
                    format!(
                        "{}: {} is the name of an RDMA device; here stand network interfaces, such as eth0.",
                        setting.name,
                        foreign(name)
                    ),
                    "`ip -br addr` lists them; RDMA devices belong into NCCL_IB_HCA.".to_string(),
                )
            } else if let Some(meant) = misspelt(name).filter(|_| wants_devices) {
                (
                    format!(
                        "{}: {} looks like a misspelt {}. A name that matches no device is skipped without a word.",
                        setting.name,
                        foreign(name),
                        foreign(&meant)
                    ),
                    format!("Compare with `ibv_devices`; probably {}.", foreign(&meant)),
                )
            } else {
                continue;
            };
            self.at_value("device-name", setting, message, advice);
        }
        if wants_devices && !text.starts_with('^') && !text.starts_with('=') {
            self.prefixes(setting, text, &names);
        }
    }

    /// Names without `=` that are the beginning of others: `mlx5_1` of `mlx5_10`.
    fn prefixes(&mut self, setting: &Setting, text: &str, names: &[&str]) {
        // No host numbers its devices `mlx5_00` or `mlx5_100`.
        let is_short = |name: &&str| {
            name.rsplit_once('_').is_some_and(|(_, number)| {
                number.len() == 1 && number != "0" && number.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let ambiguous = || names.iter().copied().filter(is_short);
        let shown = ambiguous().find_map(|name| Some((name, self.facts.longer_device(name)?.to_string())));
        let is_certain = shown.is_some();
        let Some((name, other)) = shown.or_else(|| ambiguous().next().map(|name| (name, format!("{name}0")))) else {
            return;
        };
        // A list that names the longer ones as well loses nothing.
        let severity = if is_certain && !names.contains(&&*other) { Severity::Warning } else { Severity::Note };
        let message = format!(
            "{}: without `=` {} is the beginning of a name and also takes {}, where the host has it.",
            setting.name,
            foreign(name),
            foreign(&other)
        );
        self.at_value(
            "hca-prefix",
            setting,
            message,
            format!("Write the list with one `=` in front: {}.", code(&format!("={text}"))),
        )
        .severity = severity;
    }
}

/// How the names of network interfaces begin (systemd's names, and those of bonds, bridges, containers, of IP over InfiniBand and Slingshot).
const INTERFACE_STEMS: [&str; 14] =
    ["eth", "en", "eno", "ens", "enp", "bond", "docker", "lo", "hsn", "veth", "virbr", "wlan", "ib", "ipogif"];

/// The device name that a name is one letter away from.
fn misspelt(name: &str) -> Option<String> {
    // `mlx5_3` -> `mlx5`; a name without a number is a stem by itself.
    let numbered = name.rsplit_once('_').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let stem = numbered.map_or(name, |(stem, _)| stem);
    if stem.len() < 3 || DEVICE_STEMS.iter().any(|known| stem.starts_with(known)) {
        return None;
    }
    let near = DEVICE_STEMS.iter().find(|known| known.len() > 3 && strsim::osa_distance(stem, known) == 1)?;
    Some(name.replacen(stem, near, 1))
}

/// The device names of a list, without prefixes and ports.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let list = text.trim_start_matches(['^', '=']);
    list.split(',').map(|name| name.split(':').next().unwrap_or_default().trim()).filter(|name| !name.is_empty())
}
