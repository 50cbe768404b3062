//! Profiles and variables.

use std::process::Command;

use crate::run::{answer, command, finish, rdmanav};

/// The nine variables that the generic profiles have, in their order.
const NINE: [&str; 9] = [
    "NCCL_IB_DISABLE",
    "NCCL_IB_HCA",
    "NCCL_IB_GID_INDEX",
    "NCCL_IB_TC",
    "NCCL_NET_GDR_LEVEL",
    "NCCL_DMABUF_ENABLE",
    "NCCL_IB_QPS_PER_CONNECTION",
    "NCCL_PXN_DISABLE",
    "NCCL_IB_ADAPTIVE_ROUTING",
];

fn profile(id: &str) -> serde_json::Value {
    serde_json::from_str(&answer(&["env", id, "--format", "json"])).unwrap()
}

#[test]
fn the_roce_profile_has_the_nine_variables() {
    let profile = profile("roce");
    let names: Vec<&str> =
        profile["variables"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, NINE);
    for row in profile["variables"].as_array().unwrap() {
        assert!(row["sources"].as_array().is_some_and(|sources| !sources.is_empty()), "{row}");
        assert!(row["why"].as_str().is_some_and(|why| !why.is_empty()), "{row}");
    }
}

/// What bash has in its environment after evaluating the export lines.
fn evaluated(arguments: &[&str]) -> String {
    let mut rdmanav = command();
    rdmanav.args(["env"]).args(arguments).args(["--as", "export"]);
    let lines = String::from_utf8(rdmanav.output().unwrap().stdout).unwrap();
    let output = Command::new("bash")
        .args(["-c", "eval \"$LINES_TO_EVALUATE\"; env | grep ^NCCL_ | sort"])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("LINES_TO_EVALUATE", lines)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn export_sets_only_what_must_be_set() {
    assert_eq!(evaluated(&["roce", "--set", "NCCL_IB_TC=106"]), "NCCL_IB_TC=106\n");
    assert_eq!(evaluated(&["ib"]), "");
    let hca = "=mlx5_0:1,mlx5_1:1 'x' $(y) `z` \\";
    assert_eq!(evaluated(&["roce", "--set", &format!("NCCL_IB_HCA={hca}")]), format!("NCCL_IB_HCA={hca}\n"));
}

#[test]
fn conf_lines_are_values_as_nccl_reads_them() {
    let conf = answer(&["env", "roce", "--as", "conf", "--set", "NCCL_IB_HCA==mlx5_0"]);
    assert!(conf.lines().any(|line| line == "NCCL_IB_HCA==mlx5_0"), "{conf}");
    let set: Vec<&str> = conf.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(set, ["NCCL_IB_HCA==mlx5_0"]);
}

/// The ids of all profiles.
fn profiles() -> Vec<String> {
    let index: serde_json::Value = serde_json::from_str(&answer(&["env", "--format", "json"])).unwrap();
    let profiles = index["profiles"].as_array().unwrap();
    profiles.iter().map(|profile| profile["id"].as_str().unwrap().to_string()).collect()
}

#[test]
fn every_profile_is_read_back_by_bash_and_as_nccl_conf() {
    let ids = profiles();
    assert!(ids.len() >= 40, "{ids:?}");
    for id in ids {
        let profile = profile(&id);
        let rows = profile["variables"].as_array().unwrap();
        let mut set: Vec<String> = rows
            .iter()
            .filter(|row| row["action"] == "set")
            .map(|row| format!("{}={}", row["name"].as_str().unwrap(), row["value"].as_str().unwrap()))
            .collect();
        let conf = answer(&["env", &id, "--as", "conf"]);
        let lines: Vec<&str> = conf.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(lines, set, "{id}");
        set.sort();
        set.retain(|line| line.starts_with("NCCL_"));
        let shell = evaluated(&[&id]);
        let mut seen: Vec<&str> = shell.lines().collect();
        seen.sort_unstable();
        assert_eq!(seen, set, "{id}");
        assert!(answer(&["env", &id]).starts_with("# "), "{id}");
    }
}

/// What a reader of YAML makes of an environment: its names and values, in order.
fn from_yaml(text: &str) -> Vec<String> {
    let tree: serde_yaml::Value = serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let text = |value: &serde_yaml::Value| value.as_str().unwrap_or_else(|| panic!("{value:?} is no text")).to_string();
    let pair = |name: String, value: String| format!("{name}={}", value.replace("$$", "$"));
    if let Some(list) = tree.get("env").and_then(|list| list.as_sequence()) {
        return list.iter().map(|item| pair(text(&item["name"]), text(&item["value"]))).collect();
    }
    let map = tree["environment"].as_mapping().expect("an environment");
    map.iter().map(|(name, value)| pair(text(name), text(value))).collect()
}

#[test]
fn every_form_has_the_same_settings() {
    let value = "=mlx5_0:1,mlx5_1:1 'x' $(y) `z` \\ # \"w\"";
    let set = format!("NCCL_IB_HCA={value}");
    for all in [false, true] {
        let text = |form: &str| {
            let mut arguments = vec!["env", "roce", "--set", &set, "--as", form];
            arguments.extend(all.then_some("--all"));
            answer(&arguments)
        };
        let plain = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line.starts_with('#')).map(str::to_string).collect()
        };
        let conf = plain(&text("conf"));
        assert!(conf.contains(&set), "{conf:?}");
        assert_eq!(conf.iter().any(|line| line == "NCCL_IB_DISABLE=0"), all, "the defaults, when they are asked for");
        assert_eq!(plain(&text("docker")), conf);
        assert_eq!(from_yaml(&text("compose")), conf);
        assert_eq!(from_yaml(&text("k8s")), conf);
        assert_eq!(plain(&text("slurm")), plain(&text("export")));
    }
    // Readers of .env files do not agree on it: without the single quotes they do.
    let run = rdmanav(&["env", "roce", "--set", &set, "--as", "dotenv"]);
    assert_eq!((run.status, &*run.stdout), (2, ""), "{run:?}");
    assert!(run.stderr.contains("choose another value"), "{run:?}");
    let (set, value) = (set.replace('\'', ""), value.replace('\'', ""));
    let dotenv = answer(&["env", "roce", "--set", &set, "--as", "dotenv"]);
    assert!(dotenv.lines().any(|line| line == format!("NCCL_IB_HCA='{value}'")), "{dotenv}");
    // Nothing to set is still a file that can be read.
    assert_eq!(from_yaml(&answer(&["env", "ib", "--as", "compose"])), [""; 0]);
    assert_eq!(from_yaml(&answer(&["env", "ib", "--as", "k8s"])), [""; 0]);
}

#[test]
fn a_profile_is_compared_with_files_and_the_environment() {
    let directory = std::env::temp_dir().join(format!("rdmanav-diff-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let script = directory.join("job.sh");
    std::fs::write(&script, "export NCCL_IB_TC=106 NCCL_IB_HCA==mlx5_0\nexport NCCL_DEBUG=$LEVEL\nHOME_OF_X=1\n")
        .unwrap();
    let conf = directory.join("nccl.conf");
    std::fs::write(&conf, "NCCL_IB_TC=41\nNCCL_IB_HCA==mlx5_0\n").unwrap();
    let (script, conf) = (script.to_str().unwrap(), conf.to_str().unwrap());
    let diff = answer(&["env", "diff", script, conf, "--format", "json"]);
    let diff: serde_json::Value = serde_json::from_str(&diff).unwrap();
    assert_eq!(diff["same"], 1);
    let rows: Vec<String> = diff["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {} {}", row["name"], row["left"], row["right"]))
        .collect();
    assert_eq!(rows, ["\"NCCL_DEBUG\" \"`$LEVEL` (not resolved)\" null", "\"NCCL_IB_TC\" \"`106`\" \"`41`\"",]);
    let text = answer(&["env", "diff", "roce", conf]);
    assert!(text.contains("| `NCCL_IB_TC` |") && text.contains("| `41` |"), "{text}");
    assert!(!text.contains("NCCL_IB_DISABLE"), "what is the default need not be set: {text}");
    let run = finish(
        command()
            .env("HOME", "/x")
            .env("NCCL_IB_TC", "41")
            .env("NCCL_IB_HCA", "=mlx5_0")
            .args(["env", "diff", conf, "current"]),
    );
    assert_eq!((run.status, &*run.stdout), (0, "0 differ, 2 are the same.\n"));
    let missing = rdmanav(&["env", "diff", "roce", "no-such-file"]);
    assert_eq!((missing.status, missing.stdout.is_empty()), (1, true), "{missing:?}");
    let binary = directory.join("binary");
    std::fs::write(&binary, b"\x7fELF\0\0\x01").unwrap();
    let refused = rdmanav(&["env", "diff", "roce", binary.to_str().unwrap()]);
    assert!(refused.status == 2 && refused.stderr.contains("it is no text"), "{refused:?}");
    let folder = rdmanav(&["env", "diff", "roce", directory.to_str().unwrap()]);
    assert!(folder.status == 2 && folder.stderr.contains("cannot be read"), "{folder:?}");
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn an_answer_is_for_the_release_that_was_asked_for() {
    let value = |release| answer(&["env", "NCCL_IB_TIMEOUT", "--nccl", release, "--value"]);
    assert_eq!((&*value("2.22"), &*value("2.23"), &*value("2.13.4")), ("18\n", "20\n", "14\n"));
    assert!(answer(&["env", "NCCL_IB_TIMEOUT", "--nccl", "2.22"]).contains("**In NCCL 2.22:** default `18`."));
    assert!(answer(&["env", "NCCL_PXN_DISABLE", "--nccl", "2.11.4"]).contains("NCCL 2.11.4 does not read it"));
    assert_eq!(rdmanav(&["env", "NCCL_PXN_DISABLE", "--nccl", "2.11.4", "--value"]).status, 1);
    let old = rdmanav(&["env", "roce", "--nccl", "2.11", "--as", "conf"]);
    assert!(!old.stdout.contains("NCCL_PXN_DISABLE") && old.stderr.contains("NCCL_PXN_DISABLE"), "{old:?}");
    let changed = answer(&["env", "--changed", "2.22.3..2.23.4"]);
    assert!(changed.contains("| 2.23.4 | `NCCL_IB_TIMEOUT` | default `20` instead of `18` |"), "{changed}");
    let diff = answer(&["env", "diff", "roce@2.20", "roce@2.21"]);
    assert!(diff.contains("| `NCCL_IB_GID_INDEX` | set the index of the RoCE v2 IPv4 entry"), "{diff}");
    let old = answer(&["env", "roce", "--nccl", "2.18", "--as", "export"]);
    assert!(old.starts_with("# RoCE v2 cluster, for NCCL 2.18;"), "{old}");
    assert!(old.contains("\n# NCCL_IB_GID_INDEX: set the index of the RoCE v2 IPv4 entry"), "{old}");
    assert!(!old.contains("NCCL_IB_GID_INDEX=0"), "{old}");
    let both = answer(&["env", "NCCL_IB_TC", "NCCL_IB_T?", "FI_PROV*"]);
    assert!(both.contains("`NCCL_IB_TC`") && both.contains("`FI_PROVIDER`"), "{both}");
    assert!(answer(&["env", "NCCL_GIN_NCONTEXTS", "--nccl", "2.29"]).contains("**In NCCL 2.29:** default"));
}

#[test]
fn names_that_nccl_does_not_read_say_whose_they_are() {
    for (name, words) in [
        ("NCCL_IB_ENABLE", "Nothing that was searched reads this name"),
        ("NCCL_BLOCKING_WAIT", "it belongs to PyTorch"),
        ("NCCL_IBEXT_DISABLE", "it belongs to NVIDIA RDMA-SHARP plugin"),
        ("NCCL_TIMEOUT", "Nothing that was searched reads this name"),
        ("FI_PROVIDER", "it belongs to libfabric"),
        ("NCCL_MIN_CHANNELS", "`NCCL_MIN_NCHANNELS`"),
    ] {
        let text = answer(&["env", name]);
        assert!(text.contains(words), "{name}: {text}");
    }
}

#[test]
fn bad_releases_are_refused() {
    for arguments in [
        &["env", "NCCL_IB_TC", "--nccl", "newest"] as &[&str],
        &["env", "--changed", "2.20"],
        &["env", "--changed", "2.27..2.20"],
        &["env", "roce", "--changed", "2.20..2.27"],
        &["env", "diff", "roce"],
        &["env", "diff", "roce@x", "ib"],
        &["env", "NCCL_IB_*", "--value"],
    ] {
        let run = rdmanav(arguments);
        assert_eq!((run.status, &*run.stdout), (2, ""), "{arguments:?}: {run:?}");
    }
}

/// Where the table's default history is not that of the source, read at the tags; `cargo xtask nccl-env` finds ours.
const TABLE_IS_WRONG: [&str; 7] = [
    // 4 stands inside `#ifdef __PPC__`.
    "NCCL_MIN_NRINGS",
    // `else { ... = -1; }` behind the read.
    "NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS",
    // Initial values of the variables that the read overwrites.
    "NCCL_PROFILE_GROUP_POOL_SIZE",
    "NCCL_PROFILE_COLL_POOL_SIZE",
    "NCCL_PROFILE_P2P_POOL_SIZE",
    "NCCL_PROFILE_PROXY_CTRL_POOL_SIZE",
    "NCCL_PROFILE_PROXY_DETACH_POOL_SIZE",
];

/// What the entry of each name in a table (name, first, last, default history) must be.
fn assert_like_table(table: &str) -> usize {
    let library = rdmanav::library();
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.starts_with("name\t")) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (name, first, last, history) = (cells[0], cells[1], cells[2], cells[4]);
        let variable = library.variables.find(name).unwrap_or_else(|| panic!("{name} is missing"));
        rows += 1;
        if first.is_empty() {
            assert!(variable.guide_only, "{name} is read by no tag");
            continue;
        }
        let release = |tag: &str| tag.trim_start_matches('v').trim_end_matches("-1").to_string();
        assert_eq!((variable.first, variable.last.unwrap_or("")), (&*release(first), &*release(last)), "{name}");
        let ours: Vec<String> =
            variable.defaults.iter().map(|default| format!("{}:{}", default.since, default.value)).collect();
        assert_eq!(ours.join("; ") != history, TABLE_IS_WRONG.contains(&name), "{name}: {ours:?}");
    }
    rows
}

/// A few rows of the table that was extracted from the source at all its tags.
#[test]
fn variables_are_those_of_the_source() {
    assert_eq!(assert_like_table(include_str!("variables-sample.tsv")), 12);
}

/// The whole table, where it is at hand: it does not ship.
#[test]
fn variables_are_those_of_the_whole_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/nccl-env.tsv");
    match std::fs::read_to_string(path) {
        Ok(table) => assert_eq!(assert_like_table(&table), 322),
        Err(error) => eprintln!("skipped: {path}: {error}"),
    }
}

/// Defaults by release, against the source at its tags (NVIDIA/nccl, `NCCL_PARAM` in the file named).
#[test]
fn defaults_are_those_of_the_source() {
    for (name, history) in [
        // src/transport/net_ib.cc up to 2.27, src/transport/net_ib/connect.cc at 2.30.7
        ("NCCL_IB_TIMEOUT", &[("2.3.5-5", "14"), ("2.14.3", "18"), ("2.23.4", "20")] as &[(&str, &str)]),
        ("NCCL_IB_GID_INDEX", &[("2.3.5-5", "0"), ("2.21.5", "-1")]),
        ("NCCL_IB_TC", &[("2.3.5-5", "0"), ("2.26.2", "-1")]),
        ("NCCL_IB_QPS_PER_CONNECTION", &[("2.10.3", "1")]),
        ("NCCL_DMABUF_ENABLE", &[("2.13.4", "1")]),
        ("NCCL_PXN_DISABLE", &[("2.12.7", "0")]),
        ("NCCL_IB_ADAPTIVE_ROUTING", &[("2.16.2", "-2")]),
    ] {
        let variable: serde_json::Value = serde_json::from_str(&answer(&["env", name, "--format", "json"])).unwrap();
        let defaults: Vec<(&str, &str)> = variable["defaults"]
            .as_array()
            .unwrap()
            .iter()
            .map(|default| (default["since"].as_str().unwrap(), default["value"].as_str().unwrap()))
            .collect();
        assert_eq!(defaults, history, "{name}");
    }
}

#[test]
fn a_variable_is_found_by_any_spelling_of_its_name() {
    for name in ["NCCL_IB_TC", "nccl_ib_tc", "ib_tc", "nccl-ib-tc"] {
        assert!(answer(&["env", name]).starts_with("# NCCL_IB_TC\n"), "{name}");
    }
}
