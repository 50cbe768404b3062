//! Profiles and variables.

use std::process::Command;

use crate::run::{answer, command};

/// The mission's nine variables, in their order.
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

#[test]
fn every_profile_is_printed_in_every_form() {
    for id in ["ib", "nvlink", "roce", "rtx4090"] {
        for form in ["table", "export", "conf"] {
            assert!(answer(&["env", id, "--as", form]).lines().count() > 5, "{id} {form}");
        }
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
