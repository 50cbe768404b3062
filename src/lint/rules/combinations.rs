//! Settings that do not go together, in one environment or between files.

use std::collections::BTreeMap;

use super::facts::Environment;
use super::{Case, Finding, rule};
use crate::diagnose::text::names;
use crate::knowledge::model::Action;
use crate::knowledge::severity::Severity;
use crate::lint::accepts::{DEVICE_LISTS, c_integer, is_off, is_on};
use crate::lint::{Kind, Setting, Source, Value};
use crate::render::foreign;

/// A switch, the value that turns the path off, and the beginnings of names that tune it.
struct Switch {
    name: &'static str,
    switches_off: fn(&str) -> bool,
    path: &'static str,
    tunes: &'static [&'static str],
    /// Of these, what means something without the path.
    except: &'static [&'static str],
}

const OF_VERBS: &[&str] = &["NCCL_IB_", "NCCL_NET_GDR_"];

const SWITCHES: [Switch; 6] = [
    Switch {
        name: "NCCL_IB_DISABLE",
        switches_off: is_on,
        path: "InfiniBand and RoCE",
        tunes: OF_VERBS,
        except: &["NCCL_IB_DISABLE"],
    },
    Switch {
        name: "NCCL_NET",
        switches_off: |text| text.eq_ignore_ascii_case("socket"),
        path: "InfiniBand and RoCE (NCCL_NET=Socket)",
        tunes: OF_VERBS,
        except: &["NCCL_IB_DISABLE"],
    },
    Switch {
        name: "NCCL_P2P_DISABLE",
        switches_off: is_on,
        path: "direct access between GPUs",
        tunes: &["NCCL_P2P_LEVEL", "NCCL_P2P_DIRECT_DISABLE", "NCCL_P2P_READ_ENABLE", "NCCL_P2P_USE_CUDA_MEMCPY"],
        except: &[],
    },
    Switch {
        name: "NCCL_NVLS_ENABLE",
        switches_off: is_off,
        path: "NVLink SHARP",
        tunes: &["NCCL_NVLS_"],
        except: &["NCCL_NVLS_ENABLE"],
    },
    Switch {
        name: "NCCL_CUMEM_ENABLE",
        switches_off: is_off,
        path: "cuMem allocation",
        tunes: &["NCCL_CUMEM_HOST_ENABLE"],
        except: &[],
    },
    Switch {
        name: "NCCL_RAS_ENABLE",
        switches_off: is_off,
        path: "RAS",
        tunes: &["NCCL_RAS_"],
        except: &["NCCL_RAS_ENABLE"],
    },
];

/// How the names begin that plugins of Google Cloud read.
const OF_GOOGLE: [&str; 2] = ["NCCL_FASTRAK_", "NCCL_GPUDIRECTTCPX_"];

const LIMITS: [(&str, &str); 4] = [
    ("NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS"),
    ("NCCL_MIN_CTAS", "NCCL_MAX_CTAS"),
    ("NCCL_MIN_P2P_NCHANNELS", "NCCL_MAX_P2P_NCHANNELS"),
    ("NCCL_MIN_RINGS", "NCCL_MAX_RINGS"),
];

impl Case<'_, '_> {
    /// What the settings of a scope are together, and with those around it.
    pub(super) fn combinations(&mut self, scope: usize, settings: &[&Setting]) {
        // What the scopes around it say by themselves is judged there.
        if settings.is_empty() {
            return;
        }
        let seen = self.facts.environment(scope);
        self.switches(&seen);
        self.limits(&seen);
        self.platform(scope, &seen);
        self.twice(settings);
    }

    fn switches(&mut self, seen: &Environment<'_, '_>) {
        for switch in SWITCHES {
            let off = seen.get(switch.name).filter(|off| off.value.text().is_some_and(switch.switches_off));
            let Some(off) = off.filter(|off| !off.conditional) else { continue };
            let tuning = switch.tunes.iter().flat_map(|start| seen.starting(start)).filter(|tuned| !tuned.conditional);
            let mut tuned: Vec<&str> = tuning.map(|tuned| &*tuned.name).collect();
            tuned.retain(|name| !switch.except.contains(name));
            tuned.sort_unstable();
            if tuned.is_empty() {
                continue;
            }
            let message = format!(
                "{}={} switches {} off, while {} tune{} it.",
                off.name,
                foreign(off.value.written()),
                switch.path,
                names(&tuned),
                if tuned.len() == 1 { "s" } else { "" }
            );
            let advice = format!("Decide: remove {} to use it, or the others, which have no effect now.", off.name);
            self.at_name("switched-off-and-tuned", off, message, advice);
        }
    }

    fn limits(&mut self, seen: &Environment<'_, '_>) {
        for (minimum, maximum) in LIMITS {
            let number =
                |name: &str| seen.get(name).and_then(|setting| Some((setting, c_integer(setting.value.text()?).0)));
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
        let asks = self.facts.container(scope).and_then(|container| container.asks_rdma.as_deref());
        self.facts.environment(scope).text("FI_PROVIDER") == Some("efa")
            || asks.is_some_and(|why| why.contains("efa"))
            || self.options.profile.as_ref().is_some_and(|profile| profile.id.starts_with("aws-"))
    }

    /// The same for a plugin of Google Cloud.
    pub(super) fn is_google(&self, scope: usize) -> bool {
        let seen = self.facts.environment(scope);
        OF_GOOGLE.iter().any(|start| !seen.starting(start).is_empty())
            || self.options.profile.as_ref().is_some_and(|profile| profile.id.starts_with("gcp-"))
    }

    /// What the file, or the profile, shows of the platform, against what is set.
    fn platform(&mut self, scope: usize, seen: &Environment<'_, '_>) {
        let is_efa = self.is_efa(scope);
        let elsewhere = is_efa || self.options.profile.as_ref().is_some_and(|profile| !profile.id.starts_with("gcp-"));
        let advice = "Remove it: settings of one platform do not carry over to another.";
        for setting in OF_GOOGLE.iter().filter(|_| elsewhere).flat_map(|start| seen.starting(start)) {
            let message =
                format!("{} belongs to a plugin of Google Cloud; here it has no effect.", foreign(&setting.name));
            self.at_name("carried-over", setting, message, advice.to_string());
        }
        let of_verbs = if is_efa { seen.starting("NCCL_IB_") } else { Vec::new() };
        for setting in of_verbs.into_iter().filter(|setting| setting.name != "NCCL_IB_DISABLE") {
            if self.library.variables.find(&setting.name).is_some_and(|variable| variable.last.is_some()) {
                continue;
            }
            let message = format!(
                "{} steers NCCL's own InfiniBand and RoCE network; with the EFA plugin it has no effect.",
                foreign(&setting.name)
            );
            self.at_name("carried-over", setting, message, advice.to_string());
        }
        self.against_profile(is_efa, seen);
    }

    /// What the profile says not to set. Of EFA the profile of the newest common instance stands for all.
    fn against_profile(&mut self, is_efa: bool, seen: &Environment<'_, '_>) {
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

    /// A variable that gets one value after another in a scope.
    fn twice(&mut self, settings: &[&Setting]) {
        let mut last: BTreeMap<&str, &Setting> = BTreeMap::new();
        for setting in settings.iter().copied() {
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
                        "{} is set twice: {} in line {}, {} here; {holds}.",
                        setting.name,
                        foreign(before),
                        earlier.at.line,
                        foreign(text)
                    );
                    self.at_name("set-twice", setting, message, "Keep one.".to_string());
                }
            }
        }
    }
}

/// Files of one kind that should agree, and do not.
pub fn between_files(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for kind in [Kind::Dump, Kind::Conf, Kind::EnvFile, Kind::Dotenv, Kind::Log] {
        let mut files = 0;
        // The last setting of each variable, by file.
        let mut names: BTreeMap<&str, BTreeMap<usize, &Setting>> = BTreeMap::new();
        for (file, source) in sources.iter().enumerate().filter(|(_, source)| source.kind == kind) {
            let mut of_nccl = source.settings.iter().filter(|setting| setting.name.starts_with("NCCL_")).peekable();
            files += usize::from(of_nccl.peek().is_some());
            for setting in of_nccl.filter(|setting| !matches!(setting.value, Value::Unset)) {
                names.entry(&setting.name).or_default().insert(file, setting);
            }
        }
        findings.extend(names.into_iter().filter_map(|(name, set)| differs(name, &set, files)));
    }
    findings
}

/// A variable that some of so many files set, or that they set otherwise.
fn differs(name: &str, set: &BTreeMap<usize, &Setting>, files: usize) -> Option<Finding> {
    let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for setting in set.values() {
        *counts.entry(setting.value.text()).or_default() += 1;
    }
    let without = files - set.len();
    if without > 0 {
        *counts.entry(None).or_default() += without;
    }
    if counts.len() < 2 {
        return None;
    }
    let usual = counts.iter().max_by_key(|(value, count)| (**count, value.is_some())).and_then(|(value, _)| *value);
    let differs = set.iter().find(|(_, setting)| setting.value.text() != usual);
    let (file, setting) = differs.or_else(|| set.first_key_value())?;
    let said = foreign(name);
    let message = if without > 0 {
        format!("{said} is set in {} of {files} files, and missing in {without}.", set.len())
    } else {
        format!(
            "{said} is {} here and {} in most of the {files} files.",
            foreign(setting.value.written()),
            usual.map_or("something else".to_string(), foreign),
        )
    };
    let rule = rule("differs-between-files").expect("has a row");
    Some(Finding {
        rule: rule.id,
        severity: if DEVICE_LISTS.contains(&name) { Severity::Note } else { rule.severity },
        file: *file,
        at: setting.at,
        length: name.len(),
        message,
        advice: "Set it the same for all ranks, or note why hosts differ.".to_string(),
        parts: vec![rule.part.to_string()],
    })
}
