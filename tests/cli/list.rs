//! Lists on a terminal: by kind, laid out by the room there is.

use crate::run::answer;

fn list(arguments: &[&str], width: &str) -> String {
    answer(&[&["list", "--format", "plain", "--width", width], arguments].concat())
}

#[test]
fn sections_stand_by_kind_in_the_form_that_fits() {
    for width in ["40", "80", "110"] {
        let text = list(&[], width);
        let heads =
            ["How to (procedure)", "How it works (subsystem)", "Platforms (platform)", "To look things up (reference)"];
        let places: Vec<Option<usize>> = heads.iter().map(|head| text.find(head)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{width}: {places:?}");
    }
    assert!(list(&[], "40").contains("• dcqcn: DCQCN congestion control\n"));
    assert!(
        list(&[], "80").lines().any(|line| line.starts_with("dcqcn  ") && line.ends_with("  DCQCN congestion control"))
    );
    assert!(list(&[], "110").contains("• dcqcn: DCQCN congestion control. How RoCE senders slow down."));
    let one = list(&["--kind", "platform"], "80");
    assert!(one.starts_with("Platforms (platform)\n") && !one.contains("(subsystem)"), "{one}");
}

#[test]
fn issues_stand_under_the_title_of_their_section() {
    let text = list(&["--issues"], "80");
    let (_, after) = text.split_once("\nNCCL transports and network plugins\n").expect("the title");
    let after = after.trim_start_matches(['─', '\n']);
    assert!(after.starts_with("• nccl-transports#"), "{after}");
}

#[test]
fn profiles_of_clouds_stand_apart() {
    let text = answer(&["env", "--format", "plain"]);
    let (machines, clouds) = text.split_once("\nClouds\n").expect("both groups");
    assert!(
        machines.contains("\nroce ") && machines.contains("\nrtx4090 ") && !machines.contains("\naws-"),
        "{machines}"
    );
    assert!(clouds.contains("\naws-p5 ") && clouds.contains("\noci-h100 ") && !clouds.contains("\nroce "), "{clouds}");
}

#[test]
fn an_answer_ends_with_where_to_go_next() {
    for (arguments, next) in [
        (&["list", "--format", "markdown"] as &[&str], "`rdmanav show ID` prints one"),
        (&["show", "dcqcn"], "`rdmanav sources dcqcn`"),
        (&["show", "dcqcn#parameters"], "`rdmanav show dcqcn`"),
        (&["sources", "dcqcn"], "`rdmanav show dcqcn`"),
        (&["sources"], "`rdmanav sources ID` lists those of a section"),
        (&["flow", "--format", "markdown"], "`rdmanav flow ID` draws one"),
        (&["flow", "pxn-send"], "`rdmanav show pxn`"),
        (&["env"], "`rdmanav env PROFILE` prints a profile"),
        (&["env", "NCCL_IB_TIMEOUT"], "`rdmanav show completion-errors`"),
        (&["env", "NCCL_IB_*"], "`rdmanav env VARIABLE` says all about one"),
        (&["env", "diff", "roce", "spectrumx"], "`rdmanav env VARIABLE` says all about one"),
        (&["lint", "--explain", "hca-prefix"], "`rdmanav show "),
    ] {
        let text = answer(arguments);
        let line = text.lines().rfind(|line| line.starts_with("**Next:** ")).unwrap_or_else(|| panic!("{arguments:?}"));
        assert!(line.contains(next), "{arguments:?}: {line}");
    }
}

#[test]
fn packs_are_listed_and_completed_with_their_names() {
    let with_pack = |arguments: &[&str]| {
        let mut command = crate::run::command();
        let run = crate::run::finish(command.args(arguments).env("RDMANAV_PACKS", "examples/runbook"));
        assert_eq!((run.status, &*run.stderr), (0, ""), "{arguments:?}");
        run.stdout
    };
    let listed = with_pack(&["list", "--format", "plain"]);
    assert!(listed.contains("GPU network of the example cluster (pack example-cluster)"), "{listed}");
    let json: serde_json::Value = serde_json::from_str(&with_pack(&["list", "--format", "json"])).expect("JSON");
    let entry = json["entries"].as_array().expect("a list").iter().find(|entry| entry["id"] == "example-storage");
    assert_eq!(entry.expect("listed")["origin"], "example-cluster");
    let issues = with_pack(&["list", "--issues", "--format", "plain"]);
    assert!(issues.contains("example-storage#checkpoint-stall"), "{issues}");
    for (words, expected) in [
        (
            &["rdmanav", "show", "example-gpu-net"] as &[&str],
            "example-gpu-network\tGPU network of the example cluster (pack example-cluster)",
        ),
        (&["rdmanav", "env", "example"], "example-roce\t"),
        (&["rdmanav", "show", "example-storage#"], "example-storage#checkpoint-stall\t"),
        (&["rdmanav", "flow", "example"], "example-job-start\t"),
    ] {
        let completed = with_pack(&[&["completions", "fish", "--"], words].concat());
        assert!(completed.contains(expected), "{words:?}: {completed}");
    }
    let named =
        answer(&["completions", "fish", "--", "rdmanav", "show", "--pack", "examples/runbook", "example-gpu-net"]);
    assert!(named.starts_with("example-gpu-network\t"), "{named}");
}
