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
    let cases: [(&str, Files<'_>, &str); 19] = [
        ("no-manifest", vec![("sections/x.md", section(good, "X."))], "it has no pack.yaml"),
        ("empty-manifest", vec![("pack.yaml", String::new())], "pack.yaml"),
        ("bad-name", vec![("pack.yaml", "name: A B\ntitle: X\n".into())], "use lower-case letters"),
        // A flag, to the program and to who completes it.
        ("hyphen-name", vec![("pack.yaml", "name: -a\ntitle: X\n".into())], "no hyphen first"),
        ("hyphen-section", vec![(manifest.0, manifest.1.into()), ("sections/--force.md", section("id: --force\ntitle: X\nkind: platform\nsummary: X.\ntriggers: [xx]", "X."))], "no hyphen first"),
        ("hyphen-part", vec![(manifest.0, manifest.1.into()), ("sections/x.md", section(good, "X.\n\n## X {#-x}\n\nX."))], "no hyphen first"),
        ("hyphen-flow", vec![(manifest.0, manifest.1.into()), ("flows/-x.yaml", "id: -x\ntitle: X\nsummary: X.\nsections: []\nsteps:\n  - lane: host\n    at: a\n    does: b\n".into())], "no hyphen first"),
        ("hyphen-profile", vec![(manifest.0, manifest.1.into()), ("env/profiles/-x.yaml", "id: -x\ntitle: X\nsummary: X.\nvariables: []\n".into())], "no hyphen first"),
        ("unknown-key", vec![("pack.yaml", "name: a\ntitle: X\nversion: 1\n".into())], "version"),
        ("there-already", vec![(manifest.0, manifest.1.into()), ("sections/dcqcn.md", section("id: dcqcn\ntitle: X\nkind: platform\nsummary: X.\ntriggers: [xx]", "X."))], "write change: append"),
        ("nothing-to-append-to", vec![(manifest.0, manifest.1.into()), ("sections/x.md", section("id: x\nchange: append", "X."))], "no section x to change"),
        ("part-twice", vec![(manifest.0, manifest.1.into()), ("sections/dcqcn.md", section("id: dcqcn\nchange: append", "## X {#tuning}\n\nX."))], "has a part tuning already"),
        ("no-front-matter", vec![(manifest.0, manifest.1.into()), ("sections/x.md", "X.\n".into())], "front matter"),
        ("bad-yaml", vec![(manifest.0, manifest.1.into()), ("sources.yaml", "- id: [\n".into())], "sources.yaml"),
        ("control", vec![(manifest.0, manifest.1.into()), ("sections/x.md", section(good, "X\u{1b}[31m."))], "cannot be seen"),
        ("escaped-control", vec![("pack.yaml", "name: site\ntitle: \"S\\e[31m\"\n".into())], "cannot be seen"),
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

/// The command that is hinted at is copied to a shell.
#[test]
fn a_hint_quotes_the_name_of_a_pack() {
    let directory = pack("bad $(touch x)'s", &[("pack.yaml", "name: A B\ntitle: X\n")]);
    let run = with(&directory, &["list"]);
    let quoted = directory.to_string_lossy().replace('\'', "'\\''");
    assert!(run.stderr.ends_with(&format!("hint: all that is wrong with it: rdmanav check '{quoted}'\n")), "{run:?}");
}

#[test]
fn the_example_is_in_order() {
    let run = rdmanav(&["check", EXAMPLE, "--fail-on", "note"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stdout.contains("3 sections"), "{run:?}");
    let guide = fs::read_to_string("docs/packs.md").unwrap();
    assert!(guide.contains(&format!("$ rdmanav check {EXAMPLE}\n{}", run.stdout)), "docs/packs.md is stale");
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

/// `eval "$(rdmanav env X --as export)"` is the documented use: nothing of a pack may become a command.
#[test]
fn a_profile_of_a_pack_sets_variables_and_does_nothing_else() {
    let profile = |title: &str, name: &str, value: &str, before: &str| {
        format!(
            "id: evil\ntitle: {title}\nsummary: X.\nvariables:\n  - name: {name}\n    value: {value}\n    action: site\n    status: seen\n    \
             why: X.\n    since: \"2.20.0\"\n    before: {before}\n"
        )
    };
    let cases = [
        ("title", profile("\"A\\ntouch x\"", "NCCL_DEBUG", "\"1\"", "x"), "title: write it on one line"),
        ("name", profile("A", "\"NCCL_DEBUG;touch x;\"", "\"1\"", "x"), "is no name of an environment variable"),
        ("value", profile("A", "NCCL_DEBUG", "\"1\\ntouch x\"", "x"), "NCCL_DEBUG: write it on one line"),
        ("before", profile("A", "NCCL_DEBUG", "\"1\"", "\"x\\ntouch x\""), "NCCL_DEBUG: write it on one line"),
    ];
    for (name, text, message) in &cases {
        let directory = pack(
            &format!("evil-{name}"),
            &[("pack.yaml", "name: site\ntitle: Site\n"), ("env/profiles/evil.yaml", text)],
        );
        for form in ["export", "conf", "docker", "slurm", "dotenv", "k8s", "compose"] {
            let run = with(&directory, &["env", "evil", "--as", form]);
            assert!(
                run.status == 2 && run.stdout.is_empty() && run.stderr.contains(message),
                "{name}, {form}: {run:?}"
            );
        }
    }
    // What a shell would take apart is quoted.
    let text = profile("A `touch x` $(touch x)", "NCCL_DEBUG", "\"$(touch x);'\"", "x").replace("site\n", "set\n");
    let directory = pack("quoted", &[("pack.yaml", "name: site\ntitle: Site\n"), ("env/profiles/evil.yaml", &text)]);
    let run = with(&directory, &["env", "evil", "--as", "export"]);
    assert!(run.stdout.contains("export NCCL_DEBUG='$(touch x);'\\'''\n"), "{run:?}");
}

#[test]
fn every_answer_about_something_from_a_pack_says_so() {
    for arguments in [
        &["env", "example-roce", "--format", "plain"] as &[&str],
        &["env", "EXAMPLE_JOB_TIER", "--format", "plain"],
        &["env", "EXAMPLE_*", "--format", "plain"],
        &["show", "nccl-env#EXAMPLE_JOB_TIER", "--format", "plain"],
        &["list", "--triggers", "--format", "plain"],
        &["list", "--tokens", "--format", "plain"],
        &["flow", "example-job-start", "--format", "plain"],
        &["flow"],
    ] {
        assert!(answer(arguments).contains("(pack example-cluster)"), "{arguments:?}");
    }
    let context = answer(&["context", "checkpoint stall", "--max-tokens", "900"]);
    assert!(context.contains("; from the pack example-cluster*"), "{context}");
    for arguments in [&["env", "example-roce"], &["env", "EXAMPLE_JOB_TIER"], &["flow", "example-job-start"]] {
        assert_eq!(json(arguments)["origin"], "example-cluster", "{arguments:?}");
    }
    assert_eq!(json(&["context", "checkpoint stall"])["parts"][0]["origin"], "example-cluster");
}

#[test]
fn what_is_misplaced_in_a_pack_is_told() {
    let directory = pack(
        "misplaced",
        &[("pack.yaml", "name: site\ntitle: Site\n"), ("profiles/x.yaml", "id: x\n"), ("sections/sub/y.md", "y\n")],
    );
    let run = rdmanav(&["check", &directory.to_string_lossy()]);
    for said in ["profiles: warning: not a folder", "sections/sub: warning: not a folder"] {
        assert!(run.status == 1 && run.stdout.contains(said), "{said}: {run:?}");
    }
}

#[test]
fn a_pack_that_is_named_twice_is_used_once() {
    let mut command = command();
    let run = finish(command.args(["list", "--packs", "--pack", EXAMPLE]).env("RDMANAV_PACKS", EXAMPLE));
    assert_eq!((&*run.stdout, &*run.stderr), ("example-cluster\texamples/runbook\n", ""));
    // Another pack of the same name is refused.
    let other = pack("same-name", &[("pack.yaml", "name: example-cluster\ntitle: Other\n")]);
    let run = finish(command.arg("--pack").arg(other));
    assert!(run.stderr.contains("is in use already"), "{run:?}");
}

#[test]
fn words_of_a_pack_count_in_any_case_and_spelling() {
    let section = "---\nid: site-fs\ntitle: Site file system\nkind: platform\nsummary: X.\ntriggers: [site fs]\n---\n\nGPFS and Lustre mounts.\n";
    let directory = pack(
        "words",
        &[
            ("pack.yaml", "name: site\ntitle: Site\n"),
            ("sections/site-fs.md", section),
            ("topic-words.yaml", "- GPFS\n- Lustre\n"),
            ("aliases.yaml", "- word: big_disk\n  means: [lustre]\n"),
        ],
    );
    for question in ["gpfs mounts", "Lustre", "big_disk"] {
        let run = with(&directory, &["query", question, "--format", "json"]);
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(found["hits"][0]["id"], "site-fs", "{question}: {run:?}");
    }
}

#[test]
fn words_that_only_a_pack_uses_show_that_a_question_is_about_it() {
    let section = "---\nid: quux-fabric\ntitle: The Quux fabric\nkind: platform\nsummary: X.\ntriggers: [quux fabric]\n---\n\nX.\n\n## Rail is down {#rail-down}\n\nCall.\n";
    let directory = pack("own", &[("pack.yaml", "name: quux\ntitle: Site\n"), ("sections/quux-fabric.md", section)]);
    let run = with(&directory, &["query", "quux rail down", "--format", "json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["hits"][0]["id"], "quux-fabric", "{run:?}");
    assert_eq!(with(&directory, &["query", "sourdough bread"]).status, 1);
    assert_eq!(json(&["query", "our scratch is slow"])["hits"][0]["id"], "example-storage");
}

#[test]
fn files_of_other_editors_and_of_any_size() {
    let text = "---\r\nid: x\r\ntitle: X\r\nkind: platform\r\nsummary: X.\r\ntriggers: [xx yy]\r\n---\r\n\r\nWindows wrote this.\r\n";
    let directory = pack("crlf", &[("pack.yaml", "\u{feff}name: site\r\ntitle: Site\r\n"), ("sections/x.md", text)]);
    let run = with(&directory, &["show", "x"]);
    assert!(run.status == 0 && run.stdout.contains("Windows wrote this."), "{run:?}");
    let manifest = ("pack.yaml", "name: site\ntitle: Site\n");
    let deep = format!("- id: {}x{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let long = " ".repeat(5_000_000);
    for (name, file, text, message) in
        [("nested", "sources.yaml", &deep, "recursion limit"), ("large", "aliases.yaml", &long, "larger than 4 MB")]
    {
        let directory = pack(name, &[manifest, (file, text)]);
        let run = with(&directory, &["list"]);
        assert!(run.status == 0 && run.stderr.contains(message), "{name}: {}", run.stderr);
    }
}

#[test]
fn text_that_nests_is_laid_out_and_refused_where_it_has_no_end() {
    let page = |quotes: usize, lists: usize| {
        let body = format!("{} deep quote\n\n{} deep list\n", ">".repeat(quotes), "- ".repeat(lists));
        format!("---\nid: deep\ntitle: Deep\nkind: platform\nsummary: X.\ntriggers: [deep nesting]\n---\n\n{body}")
    };
    let pack = |name, page: &str| pack(name, &[("pack.yaml", "name: site\ntitle: Site\n"), ("sections/deep.md", page)]);
    let directory = pack("deep", &page(64, 64));
    for format in ["term", "plain", "markdown", "json"] {
        let run = with(&directory, &["show", "deep", "--format", format]);
        assert!(run.status == 0 && run.stdout.contains("deep list"), "{format}: {}", run.stderr);
    }
    let indented = page(1, 1) + &(0..200).fold(String::new(), |out, n| out + &"  ".repeat(n) + "- x\n");
    let lines = |text: String| page(1, 1) + "\n" + &text;
    for (name, page) in [
        ("quotes", page(8_000, 1)),
        ("lists", page(1, 5_000)),
        ("indented", indented),
        ("tabs", lines("-\t".repeat(2_000) + "x\n" + &"w\n".repeat(2_000))),
        ("numbers", lines("1.\t".repeat(2_000) + "x\n")),
        ("definition", lines("a\n: ".to_string() + &"- ".repeat(2_000) + "x\n")),
        ("no-blank", lines("a\n:".to_string() + &"- ".repeat(2_000) + "x\n")),
        ("bracket", lines("[^a\\]b]: ".to_string() + &"- ".repeat(2_000) + "x\n")),
        ("two-brackets", lines("[^a]: ".to_string() + &"- ".repeat(2_000) + "x ]:\n")),
        ("footnote", lines("[^a]: ".to_string() + &"> ".repeat(2_000) + "x\n")),
    ] {
        let run = with(&pack(name, &page), &["list"]);
        assert!(
            run.status == 0 && run.stderr.contains("sections/deep.md: has quotes or lists"),
            "{name}: {}",
            run.stderr
        );
    }
}

#[test]
fn what_would_grow_beyond_its_text_or_lead_back_to_itself_is_refused() {
    let manifest = ("pack.yaml", "name: site\ntitle: Site\n");
    let aliases =
        format!("- word: a\n  means: &m [{}]\n{}", "x, ".repeat(2_000), "- {word: b, means: *m}\n".repeat(2_000));
    let brackets = "a: [\nb".repeat(20_000);
    let hidden = "[\"]\", ".repeat(20_000);
    let steps = |count: usize, source: &str| {
        let step = format!("  - {{lane: gpu, at: GPU, does: It writes, via: PCIe, sources: [{source:?}]}}\n");
        format!("id: rf\ntitle: A flow\nsummary: It is.\nsections: []\nsteps:\n{}", step.repeat(count))
    };
    let itself = steps(2, "a] x\n\n```flow\nrf\n```\n\n[^b");
    let long = steps(401, "a");
    let directives = (0..2_000).fold(String::new(), |out, n| format!("{out}%TAG !a{n}! tag:x\n")) + "---\n[]\n";
    let wide = steps(400, "a").replace("It writes", &"It writes ".repeat(20));
    let section = format!(
        "---\nid: many\ntitle: M\nkind: platform\nsummary: X.\ntriggers: [many flows]\n---\n\n{}",
        "```flow\npxn-send\n```\n\n".repeat(21)
    );
    for (name, file, text, message) in [
        ("alias", "aliases.yaml", &aliases, "has an alias"),
        ("brackets", "sources.yaml", &brackets, "invalid indentation"),
        ("hidden-brackets", "sources.yaml", &hidden, "recursion limit"),
        ("itself", "flows/rf.yaml", &itself, "use lower-case letters"),
        ("long", "flows/rf.yaml", &long, "more than 400 steps"),
        ("directives", "aliases.yaml", &directives, "has a directive"),
        ("wide", "flows/rf.yaml", &wide, "more than 32000 bytes"),
        ("many", "sections/many.md", &section, "more than 10 flows"),
        ("twice", "sections/many.md", &section, "is there twice"),
    ] {
        let directory = pack(name, &[manifest, (file, text)]);
        let run = with(&directory, &["list"]);
        assert!(run.status == 0 && run.stderr.contains("left out"), "{name}: {}", run.stderr);
        let run = rdmanav(&["check", &directory.to_string_lossy()]);
        assert!(run.status == 1 && run.stdout.contains(message), "{name}: {} {}", run.stdout, run.stderr);
    }
}
