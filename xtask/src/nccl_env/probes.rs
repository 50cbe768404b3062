//! What applies when a variable that is read as text is not set, where the code around the read must be known to tell.
//!
//! A pattern that is looked for in the sources of each release, so that a change shows. Also used where a declaration leaves
//! the default to the configuration of the communicator.

use std::sync::LazyLock;

use regex::Regex;

use super::extract::one_line;
use super::release::SourceFile;

struct Probe {
    name: &'static str,
    /// Pattern of the paths of the files to look into.
    files: &'static str,
    /// Pattern of the code that sets the default; its group is the default where none is given.
    code: &'static str,
    default: Option<&'static str>,
}

const fn probe(name: &'static str, files: &'static str, code: &'static str, default: Option<&'static str>) -> Probe {
    Probe { name, files, code, default }
}

const LOG: &str = r"src/(misc/utils\.c[cu]|debug\.cc|init\.c[cu]|include/debug\.h)$";

/// Of several for one name, the first that is found counts.
const PROBES: [Probe; 19] = [
    probe("NCCL_DEBUG", LOG, r"== NULL\)\s*\{?\s*(?:tempNcclDebugLevel|ncclDebugLevel) = (NCCL_LOG_NONE|NONE);", None),
    probe("NCCL_DEBUG_SUBSYS", LOG, r"uint64_t\s+(?:tempN|n)cclDebugMask\s*=\s*((?:NCCL_)?INIT[A-Z_| ]*);", None),
    probe("NCCL_WARN_ENABLE_DEBUG_INFO", r"src/debug\.cc$", "ncclWarnSetDebugInfo = false", Some("0")),
    probe(
        "NCCL_COLLNET_ENABLE",
        r"src/init\.cc$",
        r#"(?:ncclGetEnv|getenv)\("NCCL_COLLNET_ENABLE"\)|collnetEnable, NCCL_CONFIG_UNDEF_INT, 0,"#,
        Some("0"),
    ),
    // Left to the configuration of the communicator, as where it was declared with that default.
    probe("NCCL_CTA_POLICY", r"src/init\.cc$", r#""NCCL_CTA_POLICY""#, Some("-2147483648")),
    probe("NCCL_NET_GDR_LEVEL", r"src/graph/paths\.cc$", "int netGdrLevel = ([^;]*PATH_[^;]*);", None),
    probe("NCCL_P2P_LEVEL", r"src/graph/paths\.cc$", r"int p2pLevel = (PATH_\w+);", None),
    probe("NCCL_P2P_DISABLE", r"src/graph/paths\.cc$", "disable == 1", Some("0")),
    probe(
        "NCCL_LAUNCH_MODE",
        r"src/init\.c[cu]$",
        r"intraRanks == 1 \|\| \(str && strcmp\(str, .PARALLEL",
        Some("GROUP (PARALLEL with one GPU a process)"),
    ),
    probe(
        "NCCL_LAUNCH_MODE",
        r"src/init\.c[cu]$",
        "launchMode = ncclComm::GROUP|mode = ncclLaunchModeParallel",
        Some("PARALLEL"),
    ),
    probe("NCCL_CHECK_MODE", r"src/init\.cc$", r"checkMode\w* = \w*CheckMode\w*Default", Some("DEFAULT")),
    probe(
        "NCCL_RAS_ADDR",
        r"src/ras/client_support\.cc$",
        r#"clientAddr = "localhost:"\s*STR\(NCCL_RAS_CLIENT_PORT\)"#,
        Some("\"localhost:28028\""),
    ),
    probe("NCCL_TOPO_FILE", r"src/graph/topo\.cc$", r#""(/var/run/nvidia-topologyd/virtualTopology\.xml)""#, None),
    probe("NCCL_IB_ADDR_FAMILY", r"src/transport/net_ib(\.cc|/connect\.cc)$", "family = (AF_INET);", None),
    probe("NCCL_DEBUG_TIMESTAMP_FORMAT", r"src/debug\.cc$", r#"tsFormat = ("\[%F %T\] ");"#, None),
    probe(
        "NCCL_DEBUG_TIMESTAMP_LEVELS",
        r"src/debug\.cc$",
        r"ncclDebugTimestampLevels = (1 ?<< ?NCCL_LOG_WARN|\(1u? ?<< ?NCCL_LOG_WARN\));",
        None,
    ),
    probe("NCCL_NETDEVS_POLICY", r"src/graph/topo\.cc$", "NETDEVS_POLICY_AUTO", Some("AUTO")),
    probe(
        "NCCL_NET_MERGE_POLICY",
        r"src/graph/topo\.cc$",
        r"(?:mergePolicy|policy)\w* = \w*MERGE_POLICY_ALL",
        Some("ALL"),
    ),
    probe("NCCL_NET_MERGE_LEVEL", r"src/graph/topo\.cc$", r"mergeLevel\w* = (PATH_\w+);", None),
];

/// The default of a variable in the sources of a release.
pub fn default(name: &str, files: &[SourceFile<'_>]) -> Option<String> {
    static COMPILED: LazyLock<Vec<(&Probe, Regex, Regex)>> = LazyLock::new(|| {
        let compile = |pattern| Regex::new(pattern).expect("patterns of probes are tested");
        PROBES.iter().map(|probe| (probe, compile(probe.files), compile(probe.code))).collect()
    });
    let mut probes = COMPILED.iter().filter(|(probe, _, _)| probe.name == name);
    probes.find_map(|(probe, paths, code)| {
        let mut files = files.iter().filter(|file| paths.is_match(file.path));
        let found = files.find_map(|file| code.captures(&file.reads.text.text))?;
        Some(probe.default.map_or_else(|| plain(&one_line(&found[1])), str::to_string))
    })
}

/// Expressions that differ from release to release and mean the same, so that a change of mechanism is no change of default.
pub fn plain(default: &str) -> String {
    let dense: String = default.split_whitespace().collect();
    let plain = match dense.as_str() {
        "NONE" | "NCCL_LOG_NONE" => "none",
        "INIT" | "NCCL_INIT" => "INIT",
        "NCCL_INIT|NCCL_ENV" => "INIT|ENV",
        "NCCL_INIT|NCCL_BOOTSTRAP|NCCL_ENV" => "INIT|BOOTSTRAP|ENV",
        "(1u<<NCCL_LOG_WARN)" | "(1<<NCCL_LOG_WARN)" | "1<<NCCL_LOG_WARN" => "WARN",
        "system->netGdrLevel==-2?PATH_PXB:system->netGdrLevel" => "PATH_PXB",
        "ncclParamNetGdrC2c()?PATH_P2C:PATH_PXB" => "PATH_PXB (PATH_P2C if NCCL_NET_GDR_C2C)",
        _ => default,
    };
    plain.to_string()
}

#[cfg(test)]
mod tests {
    use super::{default, plain};
    use crate::nccl_env::extract;
    use crate::nccl_env::release::SourceFile;
    use crate::nccl_env::sources::Scope;

    #[test]
    fn a_probe_finds_its_default_in_its_file_only() {
        let reads = extract::c("int p2pLevel = PATH_SYS;");
        let at = |path| default("NCCL_P2P_LEVEL", &[SourceFile { path, scope: Scope::Core, reads: &reads }]);
        assert_eq!(at("src/graph/paths.cc").as_deref(), Some("PATH_SYS"));
        assert_eq!(at("src/graph/topo.cc"), None);
    }

    #[test]
    fn a_given_default_replaces_the_code() {
        let reads = extract::c("if (disable == 1) {}");
        let file = SourceFile { path: "src/graph/paths.cc", scope: Scope::Core, reads: &reads };
        assert_eq!(default("NCCL_P2P_DISABLE", &[file]).as_deref(), Some("0"));
    }

    #[test]
    fn symbols_of_the_same_meaning() {
        assert_eq!(plain("(1u << NCCL_LOG_WARN)"), plain("1<<NCCL_LOG_WARN"));
        assert_eq!(plain("4 4"), "4 4");
    }
}
