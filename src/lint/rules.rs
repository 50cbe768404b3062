//! What is wrong with the settings of files.
//!
//! Each rule has a row in [`RULES`], which `--explain` and `docs/lint.md` print. A rule that cannot be sure gives a note.

mod collected;
mod combinations;
mod containers;
mod facts;
mod forms;
mod leftovers;
mod names;
mod values;

use super::finding::{Finding, Severity};
use super::{Form, Kind, Setting, Source};
use crate::knowledge::release::Release;
use crate::knowledge::{Library, Profile};
use collected::Collected;
pub use collected::Findings;
use facts::Facts;
use leftovers::VendorValues;
use names::NamesRead;

/// A rule, for people.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub id: &'static str,
    /// The worst that it gives.
    pub severity: Severity,
    /// What it finds, in a line.
    pub finds: &'static str,
    /// Why it matters, when it is a note only, and what it does not claim.
    pub why: &'static str,
    /// `section#part` to read.
    pub part: &'static str,
    /// Ids of sources.
    pub sources: &'static [&'static str],
}

/// All rules, in the order of their names.
pub const RULES: &[Rule] = &[
    Rule {
        id: "against-profile",
        severity: Severity::Warning,
        finds: "a variable that the platform's profile says not to set",
        why: "The profile gives the reason, with its source. A warning with `--profile`; a note where only the file shows that it runs on EFA.",
        part: "nccl-env#carried-over",
        sources: &["aws-ofi-platform"],
    },
    Rule {
        id: "bad-list",
        severity: Severity::Error,
        finds: "a list of devices or interfaces that NCCL reads otherwise than meant",
        why: "`^` and `=` stand once, in front of the whole list; names are separated by commas without blanks. What is written otherwise matches no device.",
        part: "nccl-env#lists",
        sources: &["nccl-utils", "nccl-env-guide"],
    },
    Rule {
        id: "carried-over",
        severity: Severity::Warning,
        finds: "settings of one cloud's plugin on another platform",
        why: "Variables of Google's plugins do nothing beside another plugin, and NCCL_IB_ variables steer the built-in network only: with the EFA plugin they have no effect. Found where the file itself, or `--profile`, shows the platform.",
        part: "nccl-env#carried-over",
        sources: &["aws-ofi-platform", "tcpxo-env-profile"],
    },
    Rule {
        id: "container-rdma",
        severity: Severity::Warning,
        finds: "a container that asks for RDMA and lacks locked memory, shared memory or the devices",
        why: "Registration pins memory, which needs IPC_LOCK or an unlimited memlock; the 64 MB of /dev/shm of a container are too few for several GPUs. Only for containers that ask for RDMA by a resource or a device; a note where only NCCL's settings do.",
        part: "containers-k8s#checklist",
        sources: &["nccl-issue-290", "nct-issue-2037"],
    },
    Rule {
        id: "debug-left",
        severity: Severity::Warning,
        finds: "a setting for the search for errors that was left in",
        why: "Logs of all calls, synchronous launches, switched-off paths cost speed, and hide faults. A note where it may be on purpose (NCCL_DEBUG=INFO, InfiniBand off, inside a condition).",
        part: "nccl-env#debug-class",
        sources: &["nccl-env-guide"],
    },
    Rule {
        id: "default-value",
        severity: Severity::Note,
        finds: "a value that is the default",
        why: "It changes nothing today, and holds the job back when a later release has a better default.",
        part: "nccl-env#defaults-by-release",
        sources: &["nccl-env-guide"],
    },
    Rule {
        id: "device-name",
        severity: Severity::Warning,
        finds: "a device name that looks like a typing error",
        why: "A name that matches no device is skipped without a word. Judged by the other names of the list and by the drivers' names.",
        part: "nccl-env#lists",
        sources: &["nccl-utils"],
    },
    Rule {
        id: "differs-between-files",
        severity: Severity::Warning,
        finds: "a variable that some of the files set and others of the same kind do not, or otherwise",
        why: "All ranks of a job need the same settings. Only between environment dumps, nccl.conf files, env-files or logs given together; a note for names of devices and interfaces, which may differ by host.",
        part: "nccl-env#in-effect",
        sources: &["nccl-env-guide"],
    },
    Rule {
        id: "forced-algorithm",
        severity: Severity::Warning,
        finds: "an algorithm or protocol that is forced for all collectives",
        why: "Tree, NVLS and CollNet exist for some collectives only: since 2.24 the others fail, before they were taken otherwise. LL128 is safe on some platforms only. Forcing takes the choice from the tuner: a note for ring and simple.",
        part: "nccl-algorithms#force",
        sources: &["nccl-env-guide", "nccl-enqueue-2.24.3"],
    },
    Rule {
        id: "gid-index",
        severity: Severity::Warning,
        finds: "a fixed GID index",
        why: "Since 2.21.5 NCCL chooses the entry itself; a fixed one is wrong as soon as the tables of hosts differ. A note, as clouds still set it; a warning where `--profile` says InfiniBand, which has no such choice.",
        part: "gid-selection#nccl-variables",
        sources: &["nccl-network-troubleshooting", "nccl-net-ib-connect"],
    },
    Rule {
        id: "hca-prefix",
        severity: Severity::Warning,
        finds: "a device name without `=` that is the beginning of others",
        why: "`mlx5_1` also takes `mlx5_10` to `mlx5_19`. A note, unless the file names such a device itself.",
        part: "nccl-env#hca-prefix",
        sources: &["nccl-env-guide", "nccl-issue-236"],
    },
    Rule {
        id: "illegal-name",
        severity: Severity::Error,
        finds: "a name that no environment can hold as a shell reads it",
        why: "Names have letters, digits and `_`: with a `-` or a blank the line sets nothing.",
        part: "nccl-env#ignored",
        sources: &["nccl-param"],
    },
    Rule {
        id: "minimum-above-maximum",
        severity: Severity::Warning,
        finds: "a minimum that is above its maximum",
        why: "NCCL takes one of both and says so in a line at most.",
        part: "nccl-algorithms#channels",
        sources: &["nccl-env-guide"],
    },
    Rule {
        id: "needs-newer",
        severity: Severity::Warning,
        finds: "a variable that the release of `--nccl` does not read yet",
        why: "NCCL ignores it without a word.",
        part: "nccl-env#ignored",
        sources: &["nccl-param"],
    },
    Rule {
        id: "no-effect",
        severity: Severity::Warning,
        finds: "a setting that another one leaves without effect",
        why: "NCCL_DEBUG_SUBSYS chooses among the lines of INFO and TRACE: without that level there are none.",
        part: "nccl-debug-log#enable",
        sources: &["nccl-debug"],
    },
    Rule {
        id: "no-longer-read",
        severity: Severity::Warning,
        finds: "a variable that NCCL stopped reading",
        why: "It has no effect. A note where the release that stopped is recent and `--nccl` was not given: the job may use an older one.",
        part: "nccl-env#gone",
        sources: &["nccl-tags"],
    },
    Rule {
        id: "not-a-number",
        severity: Severity::Error,
        finds: "text where NCCL reads an integer",
        why: "`true`, `yes` and `on` are 0; `8MB` is 8; `010` is 8 (octal).",
        part: "nccl-env#true-reads-zero",
        sources: &["nccl-param"],
    },
    Rule {
        id: "not-exported",
        severity: Severity::Warning,
        finds: "an assignment in a shell script that no program sees",
        why: "Without `export` it stays a variable of the shell. Not where the script uses it itself.",
        part: "nccl-env#in-effect",
        sources: &["nccl-param"],
    },
    Rule {
        id: "not-nccl",
        severity: Severity::Warning,
        finds: "a name that people set and that NCCL never read",
        why: "NCCL ignores it without a word.",
        part: "nccl-env#misspelt",
        sources: &["nccl-tags"],
    },
    Rule {
        id: "not-text",
        severity: Severity::Error,
        finds: "a number or a boolean where the consumer takes text only",
        why: "Kubernetes refuses environment values that are no strings; YAML makes `no` a boolean; `os.environ` raises TypeError.",
        part: "containers-k8s#pod-example",
        sources: &["k8s-issue-12889"],
    },
    Rule {
        id: "old-torch-name",
        severity: Severity::Warning,
        finds: "a PyTorch variable under its old name",
        why: "PyTorch renamed its NCCL_ variables to TORCH_NCCL_ in 2.2; NCCL itself never read them. The old names still work with a warning.",
        part: "nccl-env#not-nccl",
        sources: &["pytorch-nccl-env", "pytorch-ncclutils"],
    },
    Rule {
        id: "out-of-range",
        severity: Severity::Warning,
        finds: "a number that the variable does not take",
        why: "NCCL mostly checks no range: the number is cut, ignored or does harm.",
        part: "nccl-env#integers",
        sources: &["nccl-param"],
    },
    Rule {
        id: "quotes-in-value",
        severity: Severity::Error,
        finds: "quotes or a remark that become part of the value",
        why: "docker's env-file and nccl.conf take all behind the `=` as it stands.",
        part: "nccl-env#nccl-conf",
        sources: &["nccl-param", "docker-cli-issue-4665"],
    },
    Rule {
        id: "set-twice",
        severity: Severity::Warning,
        finds: "a variable that is set again to another value",
        why: "The last one holds, in nccl.conf the first. Not across branches, commands or containers.",
        part: "nccl-env#precedence",
        sources: &["nccl-param"],
    },
    Rule {
        id: "switched-off-and-tuned",
        severity: Severity::Warning,
        finds: "a path that is switched off and tuned at the same time",
        why: "The tuning has no effect, or the switch was forgotten.",
        part: "nccl-env#in-effect",
        sources: &["nccl-env-guide"],
    },
    Rule {
        id: "timeout-extreme",
        severity: Severity::Warning,
        finds: "an InfiniBand time-out that is far too short or far too long",
        why: "An attempt lasts 4.096 us x 2^n, and there are up to 8: at 12 and below a busy switch ends a job, at 25 and above a dead link is noticed after a quarter of an hour or not at all.",
        part: "completion-errors#timers",
        sources: &["nccl-env-guide", "nccl-net-ib-common-h"],
    },
    Rule {
        id: "unknown-name",
        severity: Severity::Warning,
        finds: "a name that NCCL does not read",
        why: "NCCL ignores it without a word. Checked against the sources of 62 releases and the names of plugins and frameworks. A note where the name looks like one of the script's own.",
        part: "nccl-env#ignored",
        sources: &["nccl-tags"],
    },
    Rule {
        id: "unknown-word",
        severity: Severity::Error,
        finds: "a word that the variable does not take",
        why: "NCCL ignores the value, or stops at the start.",
        part: "nccl-env#words",
        sources: &["nccl-param", "nccl-paths"],
    },
    Rule {
        id: "unreadable-as-kind",
        severity: Severity::Note,
        finds: "a file that could not be read as its kind",
        why: "What was not read is not judged: settings may be missed, and containers are not looked at.",
        part: "nccl-env#in-effect",
        sources: &["nccl-param"],
    },
    Rule {
        id: "unsafe-variable",
        severity: Severity::Warning,
        finds: "an internal variable that does harm",
        why: "Undocumented, and reported to give wrong results.",
        part: "nccl-env#NCCL_CHUNK_SIZE",
        sources: &["nccl-issue-2408"],
    },
    Rule {
        id: "value-changed",
        severity: Severity::Error,
        finds: "blanks or line ends that change the value or the name",
        why: "`NAME = value` is no assignment in a shell; nccl.conf takes blanks into the name; a carriage return of a Windows file belongs to the value; `srun --export` and apptainer's `--env` cut at a comma.",
        part: "nccl-env#nccl-conf",
        sources: &["nccl-param"],
    },
];

/// The rule of this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// What is asked for.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The release that the job uses.
    pub release: Option<Release>,
    /// The platform it runs on.
    pub profile: Option<Profile<'a>>,
}

/// One file, as rules look at it.
struct Case<'c, 'a> {
    source: &'c Source,
    facts: &'c Facts<'c>,
    names: &'c NamesRead<'a>,
    vendors: &'c VendorValues<'a>,
    file: usize,
    library: &'c Library<'a>,
    options: &'c Options<'a>,
    /// Of the setting, scope or container that is being looked at.
    findings: Vec<Finding>,
}

/// All findings in all files. What a comment allows is left out.
pub fn findings(sources: &[Source], options: &Options<'_>, library: &Library<'_>) -> Findings {
    let mut collected = Collected::new(sources);
    let (names, vendors) = (&NamesRead::new(library), &VendorValues::new(library));
    for (file, source) in sources.iter().enumerate() {
        let facts = &Facts::of(source);
        let mut case = Case { source, facts, names, vendors, file, library, options, findings: Vec::new() };
        case.fallback();
        for setting in &source.settings {
            case.form(setting);
            case.name(setting);
            case.value(setting);
            case.leftover(setting);
            case.hand_over(&mut collected);
        }
        for (scope, settings) in facts.scopes() {
            case.combinations(scope, settings);
            case.hand_over(&mut collected);
        }
        for container in &source.containers {
            case.container(container);
            case.hand_over(&mut collected);
        }
        case.hand_over(&mut collected);
    }
    for finding in combinations::between_files(sources) {
        collected.add(finding);
    }
    collected.finish()
}

impl Case<'_, '_> {
    fn hand_over(&mut self, collected: &mut Collected<'_>) {
        for finding in self.findings.drain(..) {
            collected.add(finding);
        }
    }

    /// A finding at the name of a setting.
    fn at_name(&mut self, rule: &'static str, setting: &Setting, message: String, advice: String) -> &mut Finding {
        let length = setting.name.chars().take(LONGEST_MARKED).count();
        self.add(rule, setting.at, length, message, advice)
    }

    /// A finding at the value of a setting.
    fn at_value(&mut self, rule: &'static str, setting: &Setting, message: String, advice: String) -> &mut Finding {
        let length =
            setting.value.written().chars().take(LONGEST_MARKED).take_while(|c| !matches!(c, '\n' | '\r')).count();
        self.add(rule, setting.value_at, length, message, advice)
    }

    fn add(
        &mut self,
        id: &'static str,
        at: super::Position,
        length: usize,
        message: String,
        advice: String,
    ) -> &mut Finding {
        let rule = rule(id).expect("each rule has a row");
        self.findings.push(Finding {
            rule: id,
            severity: rule.severity,
            file: self.file,
            at,
            length: length.max(1),
            message,
            advice,
            parts: vec![rule.part.to_string()],
        });
        self.findings.last_mut().expect("one was added")
    }

    fn fallback(&mut self) {
        let Some(fallback) = self.source.fallback.clone() else { return };
        let at = super::Position { line: fallback.line.unwrap_or(1), column: 1 };
        let message = format!("{}.", fallback.message);
        self.add("unreadable-as-kind", at, 1, message, "Correct it, or say what it is with `--kind`.".to_string());
    }
}

/// No more columns are marked.
const LONGEST_MARKED: usize = 400;

/// It gets to a program, as far as one can see.
fn reaches(setting: &Setting) -> bool {
    !matches!(setting.form, Form::DockerArg | Form::Assign) && setting.broken.is_none()
}

/// A file whose settings stay: an image, a configuration of a node.
fn is_permanent(source: &Source) -> bool {
    matches!(source.kind, Kind::Conf | Kind::Dockerfile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::library::VARIABLE_SECTION;

    #[test]
    fn every_rule_has_a_part_to_read_and_sources() {
        let library = crate::library();
        for pair in RULES.windows(2) {
            assert!(pair[0].id < pair[1].id, "{} stands before {}", pair[0].id, pair[1].id);
        }
        for rule in RULES {
            let (section, part) = rule.part.split_once('#').unwrap_or((rule.part, ""));
            let is_variable = section == VARIABLE_SECTION && library.variables.find(part).is_some();
            assert!(is_variable || library.has_part(section, part), "{}: {}", rule.id, rule.part);
            for source in rule.sources {
                assert!(library.sources.find(source).is_some(), "{}: source {source}", rule.id);
            }
            assert!(!rule.sources.is_empty() && rule.finds.len() > 10 && rule.why.len() > 20, "{}", rule.id);
        }
    }
}
