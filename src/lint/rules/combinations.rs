//! Settings that do not go together, in one environment or between files.

use std::collections::{BTreeMap, BTreeSet};

use super::{Case, Finding, reaches, rule};
use crate::knowledge::model::Action;
use crate::knowledge::severity::Severity;
use crate::lint::accepts::{DEVICE_LISTS, c_integer};
use crate::lint::{Kind, Setting, Source, Value};

/// A switch, the value that turns the path off, and the beginnings of names that tune it.
struct Switch {
    name: &'static str,
    is_off: fn(&str) -> bool,
    path: &'static str,
    tunes: &'static [&'static str],
    /// Of these, what means something without the path.
    except: &'static [&'static str],
}

fn on(text: &str) -> bool {
    c_integer(text).0 != 0
}

fn off(text: &str) -> bool {
    text.trim() == "0"
}

const OF_VERBS: &[&str] = &["NCCL_IB_", "NCCL_NET_GDR_"];

const SWITCHES: [Switch; 6] = [
    Switch {
        name: "NCCL_IB_DISABLE",
        is_off: on,
        path: "InfiniBand and RoCE",
        tunes: OF_VERBS,
        except: &["NCCL_IB_DISABLE"],
    },
    Switch {
        name: "NCCL_NET",
        is_off: |text| text.eq_ignore_ascii_case("socket"),
        path: "InfiniBand and RoCE (NCCL_NET=Socket)",
        tunes: OF_VERBS,
        except: &["NCCL_IB_DISABLE"],
    },
    Switch {
        name: "NCCL_P2P_DISABLE",
        is_off: on,
        path: "direct access between GPUs",
        tunes: &["NCCL_P2P_LEVEL", "NCCL_P2P_DIRECT_DISABLE", "NCCL_P2P_READ_ENABLE", "NCCL_P2P_USE_CUDA_MEMCPY"],
        except: &[],
    },
    Switch {
        name: "NCCL_NVLS_ENABLE",
        is_off: off,
        path: "NVLink SHARP",
        tunes: &["NCCL_NVLS_"],
        except: &["NCCL_NVLS_ENABLE"],
    },
    Switch {
        name: "NCCL_CUMEM_ENABLE",
        is_off: off,
        path: "cuMem allocation",
        tunes: &["NCCL_CUMEM_HOST_ENABLE"],
        except: &[],
    },
    Switch { name: "NCCL_RAS_ENABLE", is_off: off, path: "RAS", tunes: &["NCCL_RAS_"], except: &["NCCL_RAS_ENABLE"] },
];

fn of_google(name: &str) -> bool {
    name.starts_with("NCCL_FASTRAK_") || name.starts_with("NCCL_GPUDIRECTTCPX_")
}

const LIMITS: [(&str, &str); 4] = [
    ("NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"),
    ("NCCL_MIN_CTAS", "NCCL_MAX_CTAS"),
    ("NCCL_MIN_P2P_NCHANNELS", "NCCL_MAX_P2P_NCHANNELS"),
    ("NCCL_MIN_RINGS", "NCCL_MAX_RINGS"),
];

impl Case<'_, '_> {
    pub(super) fn combinations(&mut self) {
        for scope in self.all_scopes() {
            let seen = self.seen_in(scope);
            self.switches(&seen);
            self.limits(&seen);
            self.platform(scope, &seen);
            self.twice(scope);
        }
    }

    fn switches(&mut self, seen: &BTreeMap<&str, &Setting>) {
        for switch in SWITCHES {
            let Some(off) =
                seen.get(switch.name).filter(|off| off.value.text().is_some_and(switch.is_off) && !off.conditional)
            else {
                continue;
            };
            let tuned: Vec<&str> = seen
                .iter()
                .filter(|(name, setting)| {
                    switch.tunes.iter().any(|start| name.starts_with(start))
                        && !switch.except.contains(name)
                        && !setting.conditional
                })
                .map(|(name, _)| *name)
                .collect();
            if tuned.is_empty() {
                continue;
            }
            let message = format!(
                "{}={} switches {} off, while {} tune{} it.",
                off.name,
                off.value.written(),
                switch.path,
                tuned.join(", "),
                if tuned.len() == 1 { "s" } else { "" }
            );
            let advice = format!("Decide: remove {} to use it, or the others, which have no effect now.", off.name);
            self.at_name("switched-off-and-tuned", off, message, advice);
        }
    }

    fn limits(&mut self, seen: &BTreeMap<&str, &Setting>) {
        for (minimum, maximum) in LIMITS {
            let number =
                |name: &str| seen.get(name).and_then(|setting| Some((*setting, c_integer(setting.value.text()?).0)));
            let (Some((least, low)), Some((_, high))) = (number(minimum), number(maximum)) else { continue };
            if low > high && high > 0 {
                let message = format!("{minimum}={low} is above {maximum}={high}.");
                self.at_value(
                    "minimum-above-maximum",
                    least,
                    message,
                    "Remove both, or correct them; NCCL chooses well by itself.".to_string(),
                );
            }
        }
    }

    /// The file, or the profile, shows that the scope runs with the EFA plugin.
    pub(super) fn is_efa(&self, scope: usize) -> bool {
        let container = self.source.containers.iter().find(|container| container.scope == scope);
        let asks = container.and_then(|container| container.asks_rdma.as_deref());
        self.text_of(scope, "FI_PROVIDER") == Some("efa")
            || asks.is_some_and(|why| why.contains("efa"))
            || self.options.profile.as_ref().is_some_and(|profile| profile.id.starts_with("aws-"))
    }

    /// The same for a plugin of Google Cloud.
    pub(super) fn is_google(&self, scope: usize) -> bool {
        self.seen_in(scope).keys().any(|name| of_google(name))
            || self.options.profile.as_ref().is_some_and(|profile| profile.id.starts_with("gcp-"))
    }

    /// What the file, or the profile, shows of the platform, against what is set.
    fn platform(&mut self, scope: usize, seen: &BTreeMap<&str, &Setting>) {
        let is_efa = self.is_efa(scope);
        let elsewhere = is_efa || self.options.profile.as_ref().is_some_and(|profile| !profile.id.starts_with("gcp-"));
        for setting in seen.values() {
            let gone = self.library.variables.find(&setting.name).is_some_and(|variable| variable.last.is_some());
            let of_verbs = is_efa && setting.name.starts_with("NCCL_IB_") && setting.name != "NCCL_IB_DISABLE" && !gone;
            let message = if elsewhere && of_google(&setting.name) {
                format!("{} belongs to a plugin of Google Cloud; here it has no effect.", setting.name)
            } else if of_verbs {
                format!(
                    "{} steers NCCL's own InfiniBand and RoCE network; with the EFA plugin it has no effect.",
                    setting.name
                )
            } else {
                continue;
            };
            self.at_name(
                "carried-over",
                setting,
                message,
                "Remove it: settings of one platform do not carry over to another.".to_string(),
            );
        }
        self.against_profile(is_efa, seen);
    }

    /// What the profile says not to set. Of EFA the profile of the newest common instance stands for all.
    fn against_profile(&mut self, is_efa: bool, seen: &BTreeMap<&str, &Setting>) {
        let given = self.options.profile.clone();
        let severity = if given.is_some() { Severity::Warning } else { Severity::Note };
        let Some(profile) = given.or_else(|| self.library.profiles.find("aws-p5").filter(|_| is_efa)) else { return };
        for known in profile.variables.iter().filter(|known| known.action == Action::Avoid) {
            let Some(setting) = seen.get(known.name).filter(|setting| setting.value.text().is_some()) else { continue };
            let is_default = self.library.variables.find(known.name).is_some_and(|variable| {
                variable.defaults.iter().any(|default| Some(default.value) == setting.value.text())
            });
            if is_default {
                continue;
            }
            let message = format!("{}: profile {} says not to set it. {}", known.name, profile.id, known.why);
            let finding = self.at_name(
                "against-profile",
                setting,
                message,
                format!("Remove it; `rdmanav env {}` has the whole profile.", profile.id),
            );
            finding.severity = severity;
        }
    }

    fn twice(&mut self, scope: usize) {
        let mut last: BTreeMap<&str, &Setting> = BTreeMap::new();
        let settings: Vec<&Setting> =
            self.source.settings.iter().filter(|setting| setting.scope == scope && reaches(setting)).collect();
        for setting in settings {
            let known = setting.name.starts_with("NCCL_") && self.library.variables.find(&setting.name).is_some();
            let Some(text) =
                setting.value.text().filter(|_| known && !setting.conditional && self.source.kind != Kind::Log)
            else {
                last.remove(&*setting.name);
                continue;
            };
            if let Some(earlier) = last.insert(&setting.name, setting) {
                let before = earlier.value.text().unwrap_or_default();
                if before != text && !text.contains(before) {
                    let holds =
                        if self.source.kind == Kind::Conf { "the first one holds" } else { "the last one holds" };
                    let message = format!(
                        "{} is set twice: {before} in line {}, {text} here; {holds}.",
                        setting.name, earlier.at.line
                    );
                    self.at_name("set-twice", setting, message, "Keep one.".to_string());
                }
            }
        }
    }
}

/// Files of one kind that should agree, and do not.
pub fn between_files(sources: &[Source], findings: &mut Vec<Finding>) {
    for kind in [Kind::Dump, Kind::Conf, Kind::EnvFile, Kind::Dotenv, Kind::Log] {
        let files: Vec<(usize, &Source)> = sources
            .iter()
            .enumerate()
            .filter(|(_, source)| {
                source.kind == kind && source.settings.iter().any(|setting| setting.name.starts_with("NCCL_"))
            })
            .collect();
        if files.len() < 2 {
            continue;
        }
        let names: BTreeSet<&str> = files
            .iter()
            .flat_map(|(_, source)| source.settings.iter())
            .map(|setting| setting.name.as_str())
            .filter(|name| name.starts_with("NCCL_"))
            .collect();
        for name in names {
            differs(name, &files, findings);
        }
    }
}

fn differs(name: &str, files: &[(usize, &Source)], findings: &mut Vec<Finding>) {
    let value = |source: &Source| {
        source
            .settings
            .iter()
            .rev()
            .find(|setting| setting.name == name && !matches!(setting.value, Value::Unset))
            .cloned()
    };
    let values: Vec<(usize, Option<Setting>)> = files.iter().map(|(file, source)| (*file, value(source))).collect();
    let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for (_, setting) in &values {
        *counts.entry(setting.as_ref().and_then(|setting| setting.value.text())).or_default() += 1;
    }
    if counts.len() < 2 {
        return;
    }
    let usual = counts.iter().max_by_key(|(value, count)| (**count, value.is_some())).and_then(|(value, _)| *value);
    let Some((file, setting)) = values
        .iter()
        .find_map(|(file, setting)| {
            let setting = setting.as_ref()?;
            (setting.value.text() != usual).then_some((*file, setting))
        })
        .or_else(|| values.iter().find_map(|(file, setting)| Some((*file, setting.as_ref()?))))
    else {
        return;
    };
    let without = values.iter().filter(|(_, setting)| setting.is_none()).count();
    let message = if without > 0 {
        format!("{name} is set in {} of {} files, and missing in {without}.", values.len() - without, values.len())
    } else {
        format!(
            "{name} is {} here and {} in most of the {} files.",
            setting.value.written(),
            usual.unwrap_or("something else"),
            values.len()
        )
    };
    let rule = rule("differs-between-files").expect("has a row");
    findings.push(Finding {
        rule: rule.id,
        severity: if DEVICE_LISTS.contains(&name) { Severity::Note } else { rule.severity },
        file,
        at: setting.at,
        length: name.len(),
        message,
        advice: "Set it the same for all ranks, or note why hosts differ.".to_string(),
        parts: vec![rule.part.to_string()],
    });
}
