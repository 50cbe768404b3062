//! `rdmanav lint`: one small file for each kind of mistake, clean files, bad input.

use std::path::{Path, PathBuf};

use crate::run::{Run, command, rdmanav};

/// A file in a directory of its own, which goes with it.
struct File {
    directory: PathBuf,
    path: String,
}

impl File {
    fn new(name: &str, text: impl AsRef<[u8]>) -> Self {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("rdmanav-lint-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a temporary directory");
        let path = directory.join(name);
        std::fs::write(&path, text).expect("writable");
        File { path: path.to_str().expect("UTF-8").to_string(), directory }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn findings(run: &Run) -> Vec<serde_json::Value> {
    let answer: serde_json::Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert_eq!(answer["schema"], "rdmanav.findings/1");
    answer["findings"].as_array().expect("a list").clone()
}

/// `rule severity line:column` of all findings of a file.
fn of(name: &str, text: &str, options: &[&str]) -> Vec<String> {
    let file = File::new(name, text);
    let mut arguments = vec!["lint", "--format", "json", &file.path];
    arguments.extend(options);
    let found = findings(&rdmanav(&arguments));
    found
        .iter()
        .map(|finding| {
            let text = |field: &str| finding[field].as_str().unwrap_or_default().to_string();
            assert!(text("message").len() > 20 && text("advice").len() > 5, "{finding}");
            format!("{} {} {}:{}", text("rule"), text("severity"), finding["line"], finding["column"])
        })
        .collect()
}

#[test]
fn each_kind_of_mistake_is_found_where_it_stands() {
    for (name, text, options, expected) in [
        ("a.sh", "export NCCL_SOCKET_IFNAM=eth0\n", &[][..], &["unknown-name warning 1:8"][..]),
        ("a.sh", "export NCCL_DISABLE_IB=1\n", &[], &["unknown-name warning 1:8"]),
        (
            "a.env",
            "CCL_NET_GDR_LEVEL=PHB\nNCCL_IB-DISABLE=0\n",
            &[],
            &["unknown-name warning 1:1", "illegal-name error 2:1"],
        ),
        ("a.sh", "export NCCL_IB_ENABLE=1\n", &[], &["not-nccl warning 1:8"]),
        ("a.sh", "export NCCL_TREE_THRESHOLD=0\n", &[], &["no-longer-read warning 1:8"]),
        ("a.sh", "export NCCL_SHM_USE_CUDA_MEMCPY=1\n", &[], &["no-longer-read note 1:8"]),
        ("a.sh", "export NCCL_SHM_USE_CUDA_MEMCPY=1\n", &["--nccl", "2.30.7"], &["no-longer-read warning 1:8"]),
        ("a.sh", "export NCCL_PXN_DISABLE=0\n", &["--nccl", "2.11.4"], &["needs-newer warning 1:8"]),
        ("a.sh", "export NCCL_ASYNC_ERROR_HANDLING=1\n", &[], &["old-torch-name warning 1:8"]),
        ("a.sh", "export NCCL_CROSS_NIC=true\n", &[], &["not-a-number error 1:23"]),
        ("a.sh", "export NCCL_BUFFSIZE=8MB\n", &[], &["not-a-number error 1:22"]),
        ("a.sh", "export NCCL_IB_RETRY_CNT=13\n", &[], &["out-of-range warning 1:26"]),
        ("a.sh", "export NCCL_DEBUG=DEBUG\n", &[], &["unknown-word error 1:19"]),
        ("a.sh", "export NCCL_NET_GDR_LEVEL=pix\n", &[], &["unknown-word error 1:27"]),
        ("a.sh", "export NCCL_IB_HCA=mlx5_0,=mlx5_1\n", &[], &["bad-list error 1:20"]),
        ("a.sh", "export NCCL_IB_HCA=^mlx5_2,mlxl5_7\n", &[], &["device-name warning 1:20"]),
        ("a.sh", "export NCCL_IB_HCA=mlx5_1\n", &[], &["hca-prefix note 1:20"]),
        ("a.sh", "export NCCL_IB_TIMEOUT=20\n", &[], &["default-value note 1:24"]),
        ("a.sh", "export NCCL_IB_TIMEOUT=31\n", &[], &["timeout-extreme warning 1:24"]),
        ("a.sh", "export NCCL_IB_GID_INDEX=3\n", &[], &["gid-index note 1:26"]),
        ("a.sh", "export NCCL_IB_GID_INDEX=3\n", &["--profile", "ib"], &["gid-index warning 1:26"]),
        ("a.sh", "export NCCL_IB_GID_INDEX=3\n", &["--nccl", "2.20"], &[]),
        ("a.sh", "export NCCL_P2P_DISABLE=1\n", &[], &["debug-left warning 1:8"]),
        ("a.sh", "if test -n \"$X\"; then\nexport NCCL_P2P_DISABLE=1\nfi\n", &[], &["debug-left note 2:8"]),
        ("a.sh", "export NCCL_ALGO=Tree\n", &[], &["forced-algorithm warning 1:18"]),
        ("a.sh", "export NCCL_ALGO=allreduce:tree\n", &[], &[]),
        ("a.sh", "export NCCL_CHUNK_SIZE=1048576\n", &[], &["unsafe-variable warning 1:8"]),
        (
            "a.sh",
            "export NCCL_MIN_NCHANNELS=8\nexport NCCL_MAX_NCHANNELS=4\n",
            &[],
            &["minimum-above-maximum warning 1:27"],
        ),
        (
            "a.sh",
            "export NCCL_IB_TC=106\nexport NCCL_IB_DISABLE=1\n",
            &[],
            &["switched-off-and-tuned warning 2:8", "debug-left note 2:8"],
        ),
        ("a.sh", "export NCCL_IB_TC=106\nexport NCCL_IB_TC=96\n", &[], &["set-twice warning 2:8"]),
        ("a.sh", "export NCCL_IB_TC = 106\n", &[], &["value-changed error 1:8"]),
        ("a.sh", "NCCL_IB_TC=106\npython train.py\n", &[], &["not-exported warning 1:1"]),
        ("a.sh", "export NCCL_IB_TC=106\r\n", &[], &["value-changed error 1:19"]),
        ("nccl.conf", "NCCL_IB_HCA=\"=mlx5_0\"\n", &[], &["quotes-in-value error 1:13"]),
        ("nccl.conf", "NCCL_IB_TC = 106\n", &[], &["illegal-name error 1:1"]),
        ("a.py", "import os\nos.environ[\"NCCL_IB_TC\"] = 106\n", &[], &["not-text error 2:28"]),
        (
            "a.sh",
            "export FI_PROVIDER=efa\nexport NCCL_IB_HCA==mlx5_0\n",
            &[],
            &["against-profile note 1:8", "carried-over warning 2:8", "against-profile note 2:8"],
        ),
        ("a.sh", "export FI_PROVIDER=efa\n", &["--profile", "aws-p5"], &["against-profile warning 1:8"]),
        ("a.sh", "export NCCL_IB_HCA=eth0\n", &[], &["device-name warning 1:20"]),
        ("a.sh", "export NCCL_SOCKET_IFNAME=mlx5_0\n", &[], &["device-name warning 1:27"]),
        ("a.sh", "export NCCL_DEBUG=WARN\nexport NCCL_DEBUG_SUBSYS=NET\n", &[], &["no-effect note 2:8"]),
        ("a.sh", "export NCCL_FASTRAK_NUM_FLOWS=2\n", &["--profile", "roce"], &["carried-over warning 1:8"]),
    ] {
        assert_eq!(of(name, text, options), expected, "{name}: {text}");
    }
}

const POD: &str = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: worker\n    env:\n    - {name: NCCL_IB_TC, value: VALUE}\n    resources:\n      limits: {nvidia.com/gpu: 8, rdma/hca: 1}\nSHM";

#[test]
fn a_container_that_asks_for_rdma_needs_more() {
    let lacking = of("pod.yaml", &POD.replace("VALUE", "106").replace("SHM", ""), &[]);
    assert_eq!(lacking, ["container-rdma warning 5:11", "not-text error 7:33"]);
    let locked = "    securityContext: {capabilities: {add: [IPC_LOCK]}}\n    volumeMounts: [{name: shm, mountPath: /dev/shm}]\n  volumes: [{name: shm, emptyDir: {medium: Memory}}]\n";
    assert!(of("pod.yaml", &POD.replace("VALUE", "\"106\"").replace("SHM", locked), &[]).is_empty());
}

#[test]
fn files_that_should_agree_are_compared() {
    let (one, other) = (File::new("a.env", "NCCL_IB_TC=106\n"), File::new("b.env", "NCCL_DEBUG=WARN\n"));
    let found = findings(&rdmanav(&["lint", "--format", "json", &one.path, &other.path]));
    let differing: Vec<&str> = found
        .iter()
        .filter(|finding| finding["rule"] == "differs-between-files")
        .filter_map(|finding| finding["message"].as_str())
        .collect();
    assert_eq!(differing.len(), 2, "{found:?}");
    assert!(differing.iter().any(|message| message.starts_with("NCCL_IB_TC is set in 1 of 2 files")), "{differing:?}");
}

#[test]
fn a_clean_file_has_no_finding_and_says_so() {
    let clean = "#!/bin/bash\nexport NCCL_DEBUG=WARN\nexport NCCL_SOCKET_IFNAME==eth0\nexport NCCL_IB_HCA==mlx5_0,mlx5_1\nNCCL_HOME=/opt/nccl\nexport NCCL_IB_TC=${TC:-106}\nexport NCCL_IB_SL=$(cat sl)\n";
    let file = File::new("job.sbatch", clean);
    let run = rdmanav(&["lint", "--notes", &file.path]);
    assert_eq!((run.status, run.stdout.trim()), (0, "6 settings in 1 file: 0 errors, 0 warnings, 0 notes."), "{run:?}");
}

#[test]
fn a_comment_keeps_a_line_as_it_is() {
    for text in [
        "export NCCL_P2P_DISABLE=1 # rdmanav: allow debug-left\n",
        "# rdmanav: allow debug-left\nexport NCCL_P2P_DISABLE=1\n",
    ] {
        assert!(of("a.sh", text, &[]).is_empty(), "{text}");
    }
    let other = of("a.sh", "# rdmanav: allow not-nccl\nexport NCCL_P2P_DISABLE=1\n", &[]);
    assert_eq!(other, ["debug-left warning 2:8"]);
}

#[test]
fn a_finding_shows_its_line_with_marks() {
    let file = File::new("a.sh", "#!/bin/sh\n\texport NCCL_SOCKET_IFNAM=eth0 \u{1b}[31m\n");
    let run = rdmanav(&["lint", "--format", "plain", &file.path]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("    2 |  export NCCL_SOCKET_IFNAM=eth0"), "{}", run.stdout);
    assert!(run.stdout.contains("      |         ^^^^^^^^^^^^^^^^^\n"), "{}", run.stdout);
    assert!(
        !run.stdout.contains('\u{1b}') && run.stdout.contains("Did you mean NCCL_SOCKET_IFNAME?"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_line_with_a_fence_is_shown_as_it_is() {
    let line = "export NCCL_SOCKET_IFNAM=eth0 # ```` ```";
    let file = File::new("a.sh", format!("{line}\n"));
    for format in ["plain", "markdown"] {
        let run = rdmanav(&["lint", "--format", format, &file.path]);
        assert!(run.stdout.contains(&format!("1 | {line}")), "{}", run.stdout);
    }
    let run = rdmanav(&["lint", "--format", "markdown", &file.path]);
    assert_eq!(run.stdout.matches("\n`````").count(), 2, "{}", run.stdout);
}

#[test]
fn of_a_long_line_a_piece_is_kept_for_each_finding() {
    let file = File::new("one.sh", format!("mpirun {}\n", "-x NCCL_X=1 ".repeat(10_000)));
    let run = rdmanav(&["lint", "--format", "json", &file.path]);
    assert!(run.status == 1 && run.stdout.len() < 2_000_000, "{} bytes", run.stdout.len());
    let found = findings(&run);
    assert_eq!(found.len(), 1_000);
    for finding in [&found[0], &found[999]] {
        let evidence = finding["evidence"].as_str().expect("text");
        let column = finding["column"].as_u64().expect("a number") as usize;
        assert!(evidence.chars().count() <= 402 && evidence.ends_with('\u{2026}'), "{evidence}");
        // It begins 100 columns before the place, behind the mark.
        let begins = if column > 101 { 101 } else { column - 1 };
        let place: String = evidence.chars().skip(begins).take(6).collect();
        assert_eq!(place, "NCCL_X", "column {column}: {evidence}");
    }
    let text = rdmanav(&["lint", "--format", "plain", &file.path]).stdout;
    assert!(text.len() < 1_000_000, "{} bytes", text.len());
    assert!(text.contains(" 1 | "), "{text}");
}

#[test]
fn what_is_beyond_a_thousand_findings_of_a_rule_is_counted() {
    let names: Vec<String> = (0..1_500).map(|number| format!("export NCCL_UNKNOWN_{number}=1\n")).collect();
    let file = File::new("a.sh", format!("{}export NCCL_BUFFSIZE=8MB\n", names.concat()));
    let run = rdmanav(&["lint", "--format", "json", &file.path]);
    let answer: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let left_out = serde_json::json!([
        {"file": file.path, "rule": "unknown-name", "severity": "warning", "count": 500}
    ]);
    assert_eq!(answer["left_out"], left_out);
    assert_eq!(findings(&run).len(), 1_001, "the other rule is not crowded out");
    let text = rdmanav(&["lint", "--format", "plain", &file.path]).stdout;
    assert!(text.contains("\u{2026} and 500 more warnings: unknown-name in "), "{text}");
    assert!(text.contains("1501 settings in 1 file: 1 error, 1500 warnings, 0 notes."), "{text}");
    let few = File::new("a.sh", "export NCCL_UNKNOWN=1\n");
    let answer: serde_json::Value =
        serde_json::from_str(&rdmanav(&["lint", "--format", "json", &few.path]).stdout).expect("JSON");
    assert_eq!(answer["left_out"], serde_json::json!([]));
}

#[test]
fn what_was_left_out_decides_about_the_status_too() {
    // Notes of the rule do not crowd its warnings out.
    let notes = "if test $A; then\nexport NCCL_P2P_DISABLE=1\nfi\n".repeat(1_500);
    let file = File::new("a.sh", format!("{notes}export NCCL_P2P_DISABLE=1\n"));
    let run = rdmanav(&["lint", "--format", "json", &file.path]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let severities: Vec<_> = findings(&run).iter().map(|finding| finding["severity"].clone()).collect();
    assert_eq!(severities.iter().filter(|severity| **severity == "warning").count(), 1);
}

#[test]
fn of_hidden_directories_only_that_of_git_is_passed_by() {
    let file = File::new("a.sh", "export NCCL_SOCKET_IFNAM=eth0\n");
    for directory in [".git", ".github/workflows", ".gitlab"] {
        let directory = file.directory.join(directory);
        std::fs::create_dir_all(&directory).expect("writable");
        std::fs::write(directory.join("ci.yml"), "env:\n  NCCL_IB_ENABLE: \"1\"\n").expect("writable");
    }
    let found = findings(&rdmanav(&["lint", "--format", "json", file.directory.to_str().expect("UTF-8")]));
    let files: Vec<&str> = found.iter().filter_map(|finding| finding["file"].as_str()).collect();
    for (name, expected) in [(".github/workflows/ci.yml", true), (".gitlab/ci.yml", true), (".git/ci.yml", false)] {
        assert_eq!(files.iter().any(|file| file.ends_with(name)), expected, "{name}: {files:?}");
    }
}

#[test]
fn the_environment_is_read_where_no_file_is_given() {
    let output = command().args(["lint", "--format", "json"]).env("NCCL_SOCKET_IFNAM", "eth0").output().expect("runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("\"file\":\"environment\"") && text.contains("unknown-name"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_least_severity_that_fails_can_be_chosen() {
    let file = File::new("a.sh", "export NCCL_IB_TIMEOUT=20\n");
    for (fail_on, status) in [("error", 0), ("warning", 0), ("note", 1)] {
        assert_eq!(rdmanav(&["lint", "--fail-on", fail_on, &file.path]).status, status, "{fail_on}");
    }
}

#[test]
fn bad_input_is_told_apart_and_does_no_harm() {
    let binary = File::new("a.sh", [0u8, 1, 2, 255]);
    let run = rdmanav(&["lint", &binary.path]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stderr.contains("it is no text"), "{run:?}");
    assert_eq!(rdmanav(&["lint", "/no/such/file.sh"]).status, 2);
    assert_eq!(rdmanav(&["lint", "--explain", "no-such-rule"]).status, 1);
    assert_eq!(rdmanav(&["lint", "--profile", "no-such-profile", &binary.path]).status, 1);
    let template = "env:\n{{- range .Values.env }}\n- name: NCCL_IB_TC\n  value: {{ .tc }}\n{{- end }}\n- name: NCCL_IB_ENABLE\n  value: \"1\"\n";
    assert_eq!(of("values.yaml", template, &[]), ["not-nccl warning 6:9"]);
    let broken = of("values.yaml", "a: [1, 2\nNCCL_IB_ENABLE: 1\n", &[]);
    assert!(broken.iter().any(|found| found.starts_with("unreadable-as-kind note")), "{broken:?}");
    assert!(broken.contains(&"not-nccl warning 2:1".to_string()), "{broken:?}");
    let file = File::new("values.yaml", "a: [1, 2\nNCCL_IB_ENABLE: 1\n");
    let told = rdmanav(&["lint", "--notes", &file.path]);
    assert_eq!(told.stdout.matches("read line by line").count(), 1, "{told:?}");
    let bomb = (0..30)
        .fold("a0: &a0 [x]\n".to_string(), |text, n| format!("{text}a{}: &a{} [*a{n}, *a{n}, *a{n}]\n", n + 1, n + 1))
        + "NCCL_IB_ENABLE: 1\n";
    let run = rdmanav(&["lint", "--format", "json", &File::new("bomb.yaml", bomb).path]);
    assert!(run.status == 1 || run.status == 0, "{run:?}");
    let deep = "{a: ".repeat(5000);
    assert!(rdmanav(&["lint", &File::new("deep.yaml", deep).path]).status < 2);
}

#[test]
fn every_profile_in_every_form_is_clean() {
    let profiles = rdmanav(&["env", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&profiles.stdout).expect("JSON");
    let ids: Vec<String> = answer["profiles"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|profile| profile["id"].as_str().expect("text").to_string())
        .collect();
    assert!(ids.len() > 30);
    for id in ids {
        for (form, name) in [
            ("export", "a.sh"),
            ("conf", "nccl.conf"),
            ("docker", "docker.env"),
            ("compose", "compose.yaml"),
            ("k8s", "pod.yaml"),
            ("slurm", "a.sbatch"),
            ("dotenv", ".env"),
        ] {
            let printed = rdmanav(&["env", &id, "--as", form]);
            assert_eq!(printed.status, 0, "{printed:?}");
            let file = File::new(name, &printed.stdout);
            let found = findings(&rdmanav(&["lint", "--format", "json", "--profile", &id, &file.path]));
            let alarms: Vec<_> = found.iter().filter(|finding| finding["severity"] != "note").collect();
            assert!(alarms.is_empty(), "{id} {form}: {alarms:?}\n{}", printed.stdout);
        }
    }
}

#[test]
fn the_rule_table_of_the_docs_is_that_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lint.md");
    let docs = std::fs::read_to_string(&path).expect("there");
    let (start, end) = ("<!-- rules -->\n", "<!-- /rules -->");
    let table = rdmanav(&["lint", "--explain", "--format", "markdown"]).stdout;
    let (before, rest) = docs.split_once(start).expect("a mark");
    let (shown, after) = rest.split_once(end).expect("a mark");
    if std::env::var_os("RDMANAV_UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{start}{table}{end}{after}")).expect("writable");
        return;
    }
    assert_eq!(shown, table, "RDMANAV_UPDATE_DOCS=1 cargo test --test cli lint");
}
