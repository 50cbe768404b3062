//! What was set for a search for errors, for a benchmark, or by mistake, and stayed.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::{Case, is_permanent, reaches};
use crate::knowledge::Library;
use crate::knowledge::model::Action;
use crate::knowledge::severity::Severity;
use crate::lint::accepts::{c_integer, is_off, is_on};
use crate::lint::{Form, Setting};
use crate::render::foreign;

/// A setting that belongs to the search for errors.
struct Leftover {
    name: &'static str,
    /// The value that makes it one.
    is: fn(&str) -> bool,
    severity: Severity,
    costs: &'static str,
    instead: &'static str,
}

/// What each costs is from `nccl-env#debug-class`, `nccl-debug-log#enable` and the variables' own entries.
const LEFTOVERS: [Leftover; 14] = [
    Leftover {
        name: "NCCL_DEBUG",
        is: |text| text.eq_ignore_ascii_case("TRACE"),
        severity: Severity::Warning,
        costs: "logs call traces of every rank: a large volume, and slow",
        instead: "Use WARN in production, INFO with NCCL_DEBUG_FILE while searching.",
    },
    Leftover {
        name: "NCCL_DEBUG",
        is: |text| text.eq_ignore_ascii_case("INFO"),
        severity: Severity::Note,
        costs: "logs a large volume on many ranks",
        instead: "WARN is enough in production; with INFO give NCCL_DEBUG_FILE.",
    },
    Leftover {
        name: "NCCL_DEBUG_SUBSYS",
        is: |text| text.eq_ignore_ascii_case("ALL"),
        severity: Severity::Warning,
        costs: "logs every operation of every rank: a large volume, and slow",
        instead: "Remove it, or name what is looked for: INIT,ENV,NET.",
    },
    Leftover {
        name: "NCCL_P2P_DISABLE",
        is: is_on,
        severity: Severity::Warning,
        costs: "switches direct access between GPUs off, NVLink too: traffic goes through shared host memory or the network, which costs most of the bandwidth",
        instead: "Remove it. If it was set against a hang, that cause is still there (ACS, IOMMU).",
    },
    Leftover {
        name: "NCCL_SHM_DISABLE",
        is: is_on,
        severity: Severity::Warning,
        costs: "switches shared host memory off: ranks of one host without peer access talk over the network, which is slow",
        instead: "Remove it. If /dev/shm was too small, give the container more.",
    },
    Leftover {
        name: "NCCL_IB_DISABLE",
        is: is_on,
        severity: Severity::Note,
        costs: "switches InfiniBand and RoCE off: data between hosts goes over TCP",
        instead: "Remove it where the hosts have RDMA NICs.",
    },
    Leftover {
        name: "NCCL_NET_GDR_LEVEL",
        is: |text| text == "LOC" || text == "0",
        severity: Severity::Warning,
        costs: "switches GPUDirect RDMA off: data goes through host memory",
        instead: "Remove it; the default is right on most hosts.",
    },
    Leftover {
        name: "NCCL_NVLS_ENABLE",
        is: is_off,
        severity: Severity::Note,
        costs: "switches NVLink SHARP off",
        instead: "Remove it when the cause (Fabric Manager, an old release) is gone.",
    },
    Leftover {
        name: "NCCL_CUMEM_ENABLE",
        is: is_off,
        severity: Severity::Note,
        costs: "switches cuMem allocation off, and with it what is built on it, such as multi-node NVLink",
        instead: "Give it a reason and an end.",
    },
    Leftover {
        name: "NCCL_PXN_DISABLE",
        is: is_on,
        severity: Severity::Note,
        costs: "switches PXN off: traffic between unlike rails crosses the spines",
        instead: "Remove it after the test.",
    },
    Leftover {
        name: "CUDA_LAUNCH_BLOCKING",
        is: is_on,
        severity: Severity::Warning,
        costs: "makes every kernel launch synchronous: nothing overlaps, the job is slow",
        instead: "Remove it after the search.",
    },
    Leftover {
        name: "TORCH_DISTRIBUTED_DEBUG",
        is: |text| text.eq_ignore_ascii_case("DETAIL"),
        severity: Severity::Warning,
        costs: "checks every collective across ranks before it runs, which is slow",
        instead: "Remove it after the search; INFO costs little.",
    },
    Leftover {
        name: "TORCH_NCCL_BLOCKING_WAIT",
        is: is_on,
        severity: Severity::Note,
        costs: "blocks the CPU in each wait",
        instead: "Remove it: TORCH_NCCL_ASYNC_ERROR_HANDLING ends a stuck job as well.",
    },
    Leftover {
        name: "NCCL_CHECK_MODE",
        is: |text| text.to_ascii_uppercase().starts_with("DEBUG"),
        severity: Severity::Warning,
        costs: "checks arguments of every call",
        instead: "Remove it after the search.",
    },
];

/// Internal variables that were reported to do harm: name, what happens.
const UNSAFE: [(&str, &str); 1] = [(
    "NCCL_CHUNK_SIZE",
    "an internal, undocumented variable of NCCL. With 1 MiB and more it was reported to give wrong results and GPU memory faults (Xid 31), and without a check of the results nobody notices",
)];

/// The values that profiles of platforms set.
pub struct VendorValues<'a> {
    library: Library<'a>,
    /// Decoded when the first is asked for.
    values: OnceCell<BTreeSet<(&'a str, &'a str)>>,
}

impl<'a> VendorValues<'a> {
    pub fn new(library: &Library<'a>) -> Self {
        VendorValues { library: *library, values: OnceCell::new() }
    }

    /// Some platform's profile sets this value.
    fn set(&self, name: &str, text: &str) -> bool {
        let values = self.values.get_or_init(|| {
            let settings = self.library.profiles.iter().flat_map(|profile| profile.variables);
            let set = settings.filter(|known| matches!(known.action, Action::Set | Action::Done));
            set.map(|known| (known.name, known.value)).collect()
        });
        values.contains(&(name, text))
    }
}

impl Case<'_, '_> {
    pub(super) fn leftover(&mut self, setting: &Setting) {
        let Some(text) = setting.value.text().filter(|_| reaches(setting)) else { return };
        let text = text.trim();
        let is_silent = setting.name == "NCCL_DEBUG_SUBSYS" && !self.has_log(setting.scope);
        if is_silent {
            let level = self.facts.environment(setting.scope).text("NCCL_DEBUG").unwrap_or_default();
            let message = format!(
                "NCCL_DEBUG_SUBSYS has no effect with NCCL_DEBUG={}: it chooses among the lines of INFO and TRACE.",
                foreign(level)
            );
            let finding = self.at_name(
                "no-effect",
                setting,
                message,
                "Remove it, or set NCCL_DEBUG=INFO while searching.".to_string(),
            );
            finding.severity = Severity::Note;
        } else if let Some(leftover) =
            LEFTOVERS.iter().find(|leftover| leftover.name == setting.name && (leftover.is)(text))
        {
            let message = format!("{}={} {}.", setting.name, foreign(text), leftover.costs);
            let severity = if setting.conditional { Severity::Note } else { leftover.severity };
            let finding = self.at_name("debug-left", setting, message, leftover.instead.to_string());
            finding.severity = severity;
        } else if is_permanent(self.source) {
            self.debug_class(setting, text);
        }
        if let Some((name, harm)) = UNSAFE.iter().find(|(name, _)| *name == setting.name && c_integer(text).0 != 0) {
            let advice = "Remove it and look for the cause of the low bandwidth (ACS, GPUDirect RDMA, the NIC); keep the check of results on while tuning.";
            self.at_name("unsafe-variable", setting, format!("{name} is {harm}."), advice.to_string());
        }
        self.forced(setting, text);
    }

    /// `NCCL_DEBUG` is at a level with lines of subsystems, or not known.
    fn has_log(&self, scope: usize) -> bool {
        let level = self.facts.environment(scope).text("NCCL_DEBUG").map(str::to_ascii_uppercase);
        level.is_none_or(|level| ["INFO", "TRACE", "ABORT"].contains(&level.trim()))
    }

    /// A variable of the guide's debugging class in an image or a configuration of a node.
    fn debug_class(&mut self, setting: &Setting, text: &str) {
        if !matches!(setting.form, Form::ConfLine | Form::DockerEnv) {
            return;
        }
        let Some(variable) = self.library.variables.find(&setting.name) else { return };
        let is_default = variable.defaults.iter().any(|default| default.value == text);
        if variable.category != Some("debugging") || is_default || self.vendors.set(variable.name, text) {
            return;
        }
        let message =
            format!("{} is of the class that NVIDIA's guide keeps for debugging, in a file that stays.", setting.name);
        let finding = self.at_name(
            "debug-left",
            setting,
            message,
            "Keep it only with a measurement; note why and since which release.".to_string(),
        );
        finding.severity = Severity::Note;
    }

    fn forced(&mut self, setting: &Setting, text: &str) {
        let lower = text.to_ascii_lowercase();
        // `^tree` leaves the rest, `allreduce:tree` the other collectives.
        if lower.starts_with('^') || lower.contains(':') {
            return;
        }
        let words: Vec<&str> = lower.split(',').map(str::trim).collect();
        let (message, severity) = match setting.name.as_str() {
            "NCCL_ALGO" if !words.contains(&"ring") => (
                format!("NCCL_ALGO={} leaves no algorithm for some collectives: only ring has all. Since 2.24 the others fail at once, before they were taken otherwise.", foreign(text)),
                Severity::Warning,
            ),
            "NCCL_PROTO" if words.contains(&"ll128") && !self.is_google(setting.scope) => (
                "NCCL_PROTO with LL128: it is not safe on every platform, and data can be corrupted where the hardware does not keep 128-byte stores whole.".to_string(),
                Severity::Warning,
            ),
            "NCCL_ALGO" | "NCCL_PROTO" => (format!("{}={} takes the choice from the tuner, for all sizes and collectives.", setting.name, foreign(text)), Severity::Note),
            _ => return,
        };
        let one = if setting.name == "NCCL_ALGO" { "allreduce:tree" } else { "allreduce:simple" };
        let advice = format!(
            "Unset it in production and let the tuner choose. For one collective only, 2.24 and later take `{one}`."
        );
        self.at_value("forced-algorithm", setting, message, advice).severity = severity;
    }
}
