//! Packs of users: visible where they should be, and no danger where they are broken.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run::{self, Run, command, finish, rdmanav};

const EXAMPLE: &str = "examples/runbook";

/// Path and text.
type Files<'a> = Vec<(&'a str, String)>;

/// A directory of its own for a test.
fn scratch(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("packs-{name}"));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// A pack of these files.
fn pack(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let directory = scratch(name);
    for (path, text) in files {
        let path = directory.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn with(directory: &Path, arguments: &[&str]) -> Run {
    finish(command().args(arguments).arg("--pack").arg(directory))
}

/// With the example.
fn answer(arguments: &[&str]) -> String {
    let run = with(Path::new(EXAMPLE), arguments);
    assert_eq!((run.status, &*run.stderr), (0, ""), "{arguments:?}: {run:?}");
    run.stdout
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&answer(&[arguments, &["--format", "json"]].concat())).unwrap()
}

#[test]
fn what_is_from_a_pack_is_found_and_says_so() {
    for (question, id, part) in [
        ("checkpoint stall", "example-storage", None),
        ("why does saving a checkpoint hang all ranks", "example-storage", Some("checkpoint-stall")),
        ("scratch file system", "example-storage", None),
        ("example cluster network", "example-gpu-network", None),
        ("GID tables of the example cluster", "gid-selection", Some("example-cluster")),
        ("prolog: link check failed on mlx5_3: draining node", "example-gpu-network", None),
        ("EXAMPLE_JOB_TIER", "nccl-env", Some("EXAMPLE_JOB_TIER")),
    ] {
        let found = json(&["query", question]);
        let hit = &found["hits"][0];
        assert_eq!((hit["id"].as_str(), hit["part"].as_str()), (Some(id), part), "{question}: {hit}");
        assert_eq!(hit["origin"], "example-cluster", "{question}: {hit}");
    }
    let text = answer(&["query", "checkpoint stall", "--format", "plain"]);
    assert!(text.contains("From the pack example-cluster."), "{text}");
    let text = answer(&["query", "--list", "GID tables of the example cluster"]);
    assert!(text.contains("GID tables of the example cluster (pack example-cluster)"), "{text}");
}

#[test]
fn what_is_ours_stays_ours() {
    let found = json(&["query", "DCQCN"]);
    assert_eq!((&found["hits"][0]["id"], &found["hits"][0]["origin"]), (&"dcqcn".into(), &Value::Null));
    // The whole answers, too, but for the pointers below them.
    for question in ["vendor err 129", "NCCL_IB_TIMEOUT", "why is nccl using tcp instead of ib", "status 12"] {
        let (ours, theirs) = (json(&["query", question]), run::answer(&["query", question, "--format", "json"]));
        let theirs: Value = serde_json::from_str(&theirs).unwrap();
        for field in ["id", "part", "text", "origin"] {
            assert_eq!(ours["hits"][0][field], theirs["hits"][0][field], "{question}");
        }
    }
    let refused = with(Path::new(EXAMPLE), &["query", "sourdough bread"]);
    assert_eq!(refused.status, 1, "{refused:?}");
}

#[test]
fn a_section_is_appended_to() {
    let part = answer(&["show", "gid-selection#example-cluster"]);
    assert!(part.contains("index 3 on nodes of the first delivery"), "{part}");
    assert!(part.contains("(pack example-cluster)"), "{part}");
    let whole = answer(&["show", "gid-selection"]);
    assert!(whole.contains("## GID tables of the example cluster (pack example-cluster)"), "{whole}");
    assert!(whole.starts_with(&run::answer(&["show", "gid-selection"])[..2000]), "{whole}");
}

#[test]
fn an_opening_is_appended_to() {
    let directory = pack(
        "opening",
        &[
            ("pack.yaml", "name: site\ntitle: Site\n"),
            ("sections/dcqcn.md", "---\nid: dcqcn\nchange: append\nsee_also: [memlock]\n---\n\nOur ECN is off.\n"),
        ],
    );
    let run = with(&directory, &["query", "DCQCN"]);
    assert!(run.stdout.contains("*From the pack site:*\n\nOur ECN is off.\n"), "{run:?}");
    let run = with(&directory, &["show", "dcqcn"]);
    assert!(run.stdout.contains("Our ECN is off.") && run.stdout.contains("rdmanav show memlock"), "{run:?}");
}

#[test]
fn a_section_is_replaced() {
    let section = "---\nid: completion-errors\nchange: replace\ntitle: Our completion errors\nkind: reference\nsummary: Call the \
                   network team.\ntriggers: [completion error]\n---\n\nCall the network team.\n";
    let directory =
        pack("replace", &[("pack.yaml", "name: site\ntitle: Site\n"), ("sections/completion-errors.md", section)]);
    let run = with(&directory, &["show", "completion-errors"]);
    assert_eq!(
        run.stdout,
        "# Our completion errors\n\nCall the network team.\n\nCall the network team.\n\nFrom the pack site.\n\n**Next:** `rdmanav sources completion-errors`\n"
    );
    // The parts that are gone lead to the section, also from log lines and from logs.
    let line = "NET/IB : Got completion from peer 10.0.0.2<43215> with error 12, opcode 0, len 0, vendor err 129";
    let run = with(&directory, &["query", line, "--format", "json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&found["hits"][0]["id"], &found["hits"][0]["origin"]), (&"completion-errors".into(), &"site".into()));
    let run = with(&directory, &["show", "completion-errors#vendor-err"]);
    assert_eq!(run.status, 1, "{run:?}");
    let run = with(&directory, &["query", "transport retry counter exceeded"]);
    assert_eq!(run.status, 0, "{run:?}");
}

#[test]
fn a_trigger_of_a_pack_goes_first() {
    let section = "---\nid: our-pauses\ntitle: Our pauses\nkind: procedure\nsummary: What we do.\ntriggers: [PFC storm, dcqcn]\n---\n\nCall.\n";
    let directory = pack("trigger", &[("pack.yaml", "name: site\ntitle: Site\n"), ("sections/our-pauses.md", section)]);
    let first = |question: &str| -> Value {
        let run = with(&directory, &["query", question, "--format", "json"]);
        serde_json::from_str::<Value>(&run.stdout).unwrap()["hits"][0]["id"].clone()
    };
    assert_eq!(first("PFC storm"), "our-pauses");
    assert_eq!(first("dcqcn"), "dcqcn", "ids keep their meaning");
}

#[test]
fn profiles_flows_sources_and_names_are_there() {
    let exports = answer(&["env", "example-roce", "--as", "export"]);
    assert!(exports.contains("export NCCL_IB_TC=106\n") && exports.contains("NCCL_IB_HCA=^mlx5_8,mlx5_9"), "{exports}");
    assert!(answer(&["env"]).contains("Example cluster, RoCE v2 (pack example-cluster)"));
    assert!(answer(&["env", "EXAMPLE_JOB_TIER"]).contains("prolog of the example cluster"));
    assert!(answer(&["flow", "example-job-start"]).contains("memlock unlimited"));
    assert!(answer(&["flow"]).contains("example-job-start"));
    let used = answer(&["list", "--packs"]);
    assert_eq!(used, "example-cluster\texamples/runbook\n");
    let used = json(&["list", "--packs"]);
    assert_eq!(used["packs"][0]["holds"], "3 sections, 1 flow, 1 profile, 1 variable, 1 signature");
    assert_eq!(run::answer(&["list", "--packs"]), "");
    let listed = answer(&["list"]);
    assert!(
        listed.lines().any(|line| line.starts_with("example-storage\t") && line.contains("example-cluster")),
        "{listed}"
    );
}

#[test]
fn logs_of_the_site_are_understood() {
    let log = pack(
        "log",
        &[(
            "job.log",
            "prolog: link check failed on mlx5_3: draining node\nnode1:10:10 [0] NCCL INFO NCCL version 2.21.5\n",
        )],
    );
    let run = with(Path::new(EXAMPLE), &["diagnose", &log.join("job.log").to_string_lossy()]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.stdout.contains("took the node out of service"), "{run:?}");
}

#[test]
fn a_skill_takes_a_pack_before_its_command_and_after() {
    let parent = scratch("skill");
    let parent = parent.to_str().unwrap();
    let after = ["skill", "export", parent, "--pack", EXAMPLE];
    assert!(run::answer(&after).starts_with("wrote "));
    assert!(run::answer(&["skill", "--pack", EXAMPLE, "export", parent]).contains("up to date"));
    assert!(run::answer(&["skill", "export", parent]).starts_with("updated "));
}

#[test]
fn directories_of_the_environment() {
    let example = fs::canonicalize(EXAMPLE).unwrap();
    let broken = pack("env-broken", &[("pack.yaml", "name: Not An Id\n")]);
    let found = |run: &Run| run.stdout.contains("example-storage");
    let listed = |set: &dyn Fn(&mut std::process::Command)| {
        let mut command = command();
        set(command.arg("list"));
        finish(&mut command)
    };
    let paths = std::env::join_paths([&broken, &example]).unwrap();
    let run = listed(&|command| {
        command.env("RDMANAV_PACKS", &paths);
    });
    assert!(found(&run) && run.status == 0 && run.stderr.contains("env-broken is left out"), "{run:?}");

    let home = scratch("home");
    let packs = home.join("rdmanav/packs");
    fs::create_dir_all(&packs).unwrap();
    std::os::unix::fs::symlink(&example, packs.join("site")).unwrap();
    fs::write(packs.join("note.txt"), "no pack").unwrap();
    fs::create_dir(packs.join(".git")).unwrap();
    let run = listed(&|command| {
        command.env("XDG_CONFIG_HOME", &home);
    });
    assert!(found(&run) && run.stderr.is_empty(), "{run:?}");
    let run = listed(&|command| {
        command.env("XDG_CONFIG_HOME", &home).env("RDMANAV_PACKS", "");
    });
    assert!(!found(&run), "an empty variable means no packs: {run:?}");
    let home_config = scratch("home-config");
    fs::create_dir_all(home_config.join(".config/rdmanav/packs")).unwrap();
    std::os::unix::fs::symlink(&example, home_config.join(".config/rdmanav/packs/site")).unwrap();
    let run = listed(&|command| {
        command.env("HOME", &home_config);
    });
    assert!(found(&run), "{run:?}");
}

#[test]
fn a_broken_pack_is_told_and_left_out() {
    let manifest = ("pack.yaml", "name: site\ntitle: Site\n");
    let section = |front: &str, body: &str| format!("---\n{front}\n---\n\n{body}\n");
    let good = "id: x\ntitle: X\nkind: platform\nsummary: X.\ntriggers: [xx]";
    let cases: [(&str, Files<'_>, &str); 14] = [
        ("no-manifest", vec![("sections/x.md", section(good, "X."))], "it has no pack.yaml"),
        ("empty-manifest", vec![("pack.yaml", String::new())], "pack.yaml"),
        ("bad-name", vec![("pack.yaml", "name: A B\ntitle: X\n".into())], "use lower-case letters"),
        ("unknown-key", vec![("pack.yaml", "name: a\ntitle: X\nversion: 1\n".into())], "version"),
        ("there-already", vec![(manifest.0, manifest.1.into()), ("sections/dcqcn.md", section("id: dcqcn\ntitle: X\nkind: platform\nsummary: X.\ntriggers: [xx]", "X."))], "write change: append"),
        ("nothing-to-append-to", vec![(manifest.0, manifest.1.into()), ("sections/x.md", section("id: x\nchange: append", "X."))], "no section x to change"),
        ("part-twice", vec![(manifest.0, manifest.1.into()), ("sections/dcqcn.md", section("id: dcqcn\nchange: append", "## X {#tuning}\n\nX."))], "has a part tuning already"),
        ("no-front-matter", vec![(manifest.0, manifest.1.into()), ("sections/x.md", "X.\n".into())], "front matter"),
        ("bad-yaml", vec![(manifest.0, manifest.1.into()), ("sources.yaml", "- id: [\n".into())], "sources.yaml"),
        ("control", vec![(manifest.0, manifest.1.into()), ("sections/x.md", section(good, "X\u{1b}[31m."))], "control or bidirectional"),
        ("escaped-control", vec![("pack.yaml", "name: site\ntitle: \"S\\e[31m\"\n".into())], "control or bidirectional"),
        ("bad-signature", vec![(manifest.0, manifest.1.into()), ("signatures.yaml", "- id: s\n  printed_by: x\n  level: error\n  role: cause\n  patterns:\n    - text: one two three\n  part: no-such\n  means: x\n  advice: x\n".into())], "no section or part no-such"),
        ("taken-profile", vec![(manifest.0, manifest.1.into()), ("env/profiles/roce.yaml", "id: roce\ntitle: X\nsummary: X.\nvariables: []\n".into())], "profile roce is there already"),
        ("bad-question", vec![(manifest.0, manifest.1.into()), ("questions.yaml", "- part: no-such#x\n  asks: [what]\n".into())], "no section or part"),
    ];
    let without = run::answer(&["query", "DCQCN"]);
    for (name, files, message) in cases {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
        let directory = pack(name, &files);
        let run = with(&directory, &["query", "DCQCN"]);
        assert_eq!((run.status, &*run.stdout), (0, &*without), "{name}: {run:?}");
        assert!(run.stderr.contains("is left out") && run.stderr.contains(message), "{name}: {}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}'), "{name}: {}", run.stderr);
        let checked = rdmanav(&["check", &directory.to_string_lossy()]);
        assert!(checked.status == 1 || name == "no-manifest", "{name}: {checked:?}");
    }
    for path in ["no/such/directory", "Cargo.toml", "/dev/null"] {
        let run = with(Path::new(path), &["query", "DCQCN"]);
        assert_eq!((run.status, &*run.stdout), (0, &*without), "{path}: {run:?}");
        assert!(run.stderr.contains("is left out"), "{path}: {}", run.stderr);
    }
}

#[test]
fn the_example_is_in_order() {
    let run = rdmanav(&["check", EXAMPLE, "--fail-on", "note"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.contains("3 sections"), "{run:?}");
}

#[test]
fn a_pack_with_faults_that_can_be_worked_with_is_used() {
    let section = "---\nid: x\ntitle: X\nkind: platform\nsummary: X.\ntriggers: [xx yy]\n---\n\n[gone](dcqcn#gone) [^no-such]\n\n```flow\nno-flow\n```\n";
    let directory = pack(
        "faults",
        &[
            ("pack.yaml", "name: site\ntitle: Site\n"),
            ("sections/x.md", section),
            ("README.md", "# Site\n"),
            ("typo.yml", ""),
        ],
    );
    let run = with(&directory, &["show", "x"]);
    assert_eq!((run.status, &*run.stderr), (0, ""), "{run:?}");
    for format in ["term", "plain", "markdown", "json"] {
        let run = with(&directory, &["query", "xx yy", "--format", format]);
        assert_eq!(run.status, 0, "{run:?}");
    }
    let checked = rdmanav(&["check", &directory.to_string_lossy()]);
    assert_eq!(checked.status, 1, "{checked:?}");
    for said in ["link to dcqcn#gone", "unknown source no-such", "no flow \"no-flow\"", "typo.yml: warning: not a file"]
    {
        assert!(checked.stdout.contains(said), "{said}: {}", checked.stdout);
    }
    assert!(!checked.stdout.contains("README"), "{}", checked.stdout);
}

#[test]
fn two_packs_lie_over_each_other() {
    let base = pack(
        "lower",
        &[
            ("pack.yaml", "name: lower\ntitle: Lower\n"),
            (
                "sections/zz-site.md",
                "---\nid: zz-site\ntitle: Site zebra\nkind: platform\nsummary: Zebra.\ntriggers: [zebra fabric]\n---\n\nZebra.\n",
            ),
        ],
    );
    let upper = pack(
        "upper",
        &[
            ("pack.yaml", "name: upper\ntitle: Upper\n"),
            (
                "sections/zz-site.md",
                "---\nid: zz-site\nchange: append\n---\n\n## Stripes of the zebra fabric {#stripes}\n\nCount them.\n",
            ),
        ],
    );
    let run = finish(
        command()
            .args(["query", "zebra fabric stripes", "--format", "json", "--pack"])
            .arg(&base)
            .arg("--pack")
            .arg(&upper),
    );
    let found: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert_eq!(
        (&found["hits"][0]["part"], &found["hits"][0]["origin"]),
        (&"stripes".into(), &"upper".into()),
        "{run:?}"
    );
    // In the other order there is nothing to append to.
    let run = finish(command().args(["query", "DCQCN", "--pack"]).arg(&upper).arg("--pack").arg(&base));
    assert!(run.stderr.contains("no section zz-site to change"), "{run:?}");
    let checked = finish(command().arg("check").arg(&upper).arg("--pack").arg(&base));
    assert_eq!(checked.status, 0, "{checked:?}");
}
