//! What others may have put under a name: links, pipes that nobody writes to, devices without an end, files of any size.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat};

use crate::run::{Run, command};

const SKILL: &str = "rdma-network-nav";

/// A directory of the test's own, which goes with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rdmanav-files-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Scratch(path.canonicalize().unwrap())
    }

    /// Writes a file, with the directories that it needs.
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Runs here. A run that waits or takes more than half a gigabyte fails.
    fn run(&self, arguments: &[&str]) -> Run {
        bounded(command().args(arguments).current_dir(&self.0))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn bounded(command: &mut Command) -> Run {
    const MOST_KILOBYTES: u64 = 500_000;
    let start = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = loop {
        let memory = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = memory.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        let is_late = start.elapsed() > Duration::from_secs(20);
        if is_late || peak.is_some_and(|peak: u64| peak > MOST_KILOBYTES) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{command:?}: {}", if is_late { "it waits" } else { "it takes all memory" });
        }
        match child.try_wait().unwrap() {
            Some(status) => break status.code().expect("it ends by itself, not by a signal"),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let text = |pipe: &mut dyn Read| {
        let mut text = String::new();
        pipe.read_to_string(&mut text).expect("UTF-8");
        text
    };
    let (stdout, stderr) = (text(&mut child.stdout.take().unwrap()), text(&mut child.stderr.take().unwrap()));
    Run { status, stdout, stderr }
}

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

/// Puts something that is no file under a name.
type Trap = fn(&Path);

const TRAPS: [(&str, Trap); 5] = [
    ("a pipe", pipe),
    ("a link to a pipe", |path| {
        let target = path.with_extension("target");
        pipe(&target);
        symlink(target, path).unwrap();
    }),
    ("a device without an end", |path| symlink("/dev/zero", path).unwrap()),
    // A regular file for whoever asks; a read waits.
    ("the log of the kernel", |path| symlink("/proc/kmsg", path).unwrap()),
    ("a circle", |path| symlink(path, path).unwrap()),
];

#[test]
fn a_skill_is_never_written_through_a_link() {
    let scratch = Scratch::new("through");
    let victim = scratch.file("victim", "precious");
    scratch.run(&["skill", "install", "--dir", "skills"]);
    let folder = scratch.0.join("skills").join(SKILL);
    for name in ["references/dcqcn.md.new", "SKILL.md.new", "references/dcqcn.md", "SKILL.md", "references/x.tmp"] {
        let link = folder.join(name);
        let _ = fs::remove_file(&link);
        symlink(&victim, &link).unwrap();
        for arguments in
            [&["skill", "install", "--dir", "skills", "--force"][..], &["skill", "export", "skills", "--force"]]
        {
            let run = scratch.run(arguments);
            assert_eq!(run.status, 0, "{name}: {run:?}");
            assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{name}: {arguments:?}");
        }
        let kind = link.symlink_metadata().unwrap().file_type();
        assert_eq!(kind.is_file(), ["md"].contains(&link.extension().and_then(OsStr::to_str).unwrap()), "{name}");
        let _ = fs::remove_file(&link);
    }
}

#[test]
fn a_skills_folder_is_looked_at_before_it_is_read() {
    let sparse = |path: &Path| fs::File::create(path).unwrap().set_len(3 << 30).unwrap();
    for (what, trap) in TRAPS.into_iter().chain([("a large file", sparse as Trap)]) {
        let scratch = Scratch::new(&format!("looked-{}", what.replace(' ', "-")));
        scratch.run(&["skill", "install", "--dir", "skills"]);
        trap(&scratch.0.join("skills").join(SKILL).join("references/zz.md"));
        for arguments in [
            &["skill", "install", "--dir", "skills", "--dry-run"][..],
            &["skill", "install", "--dir", "skills"],
            &["skill", "export", "skills"],
            &["skill", "uninstall", "--dir", "skills"],
        ] {
            let run = scratch.run(arguments);
            assert_eq!((run.status, &*run.stdout), (2, ""), "{what}: {run:?}");
            assert!(run.stderr.contains("was not written by rdmanav"), "{what}: {run:?}");
        }
    }
}

#[test]
fn what_a_crash_left_is_in_nobodys_way() {
    const LEFT: [&str; 2] = [".rdmanav-0123456789abcdef.tmp", "references/.rdmanav-fedcba9876543210.tmp"];
    let scratch = Scratch::new("crash");
    let leave = || LEFT.iter().for_each(|name| drop(scratch.file(&format!("skills/{SKILL}/{name}"), "half of i")));
    let install = ["skill", "install", "--dir", "skills"];
    let uninstall = ["skill", "uninstall", "--dir", "skills"];
    for before in ["nothing", "an older version", "this version"] {
        if before == "an older version" {
            scratch.run(&["skill", "export", "skills", "--flavor", "openhands"]);
        }
        leave();
        let run = scratch.run(&install);
        assert_eq!((run.status, &*run.stderr), (0, ""), "{before}: {run:?}");
        assert!(LEFT.iter().all(|name| !scratch.0.join("skills").join(SKILL).join(name).exists()), "{before}");
        leave();
        assert_eq!(scratch.run(&uninstall).stdout, format!("removed skills/{SKILL}\n"), "{before}");
        assert!(!scratch.0.join("skills").join(SKILL).exists(), "{before}");
        if before == "nothing" {
            assert_eq!(scratch.run(&install).status, 0);
            assert_eq!(scratch.run(&uninstall).status, 0);
            assert_eq!(scratch.run(&install).status, 0);
        }
    }
    // Of that name, but no file: somebody else's.
    scratch.run(&install);
    symlink("/nonexistent", scratch.0.join("skills").join(SKILL).join(LEFT[0])).unwrap();
    assert_eq!(scratch.run(&install).status, 2);
}

#[test]
fn many_installs_at_once_leave_one_skill() {
    let scratch = Scratch::new("at-once");
    scratch.file(&format!("skills/{SKILL}/references/.rdmanav-0000000000000000.tmp"), "");
    let mut install = command();
    install.args(["skill", "install", "--dir", "skills"]).current_dir(&scratch.0).stdout(Stdio::null());
    let children: Vec<_> = (0..24).map(|_| install.spawn().unwrap()).collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    let run = scratch.run(&["skill", "install", "--dir", "skills"]);
    assert!(run.stdout.ends_with("is up to date\n"), "{run:?}");
    let names = fs::read_dir(scratch.0.join("skills").join(SKILL).join("references")).unwrap();
    assert!(names.flatten().all(|entry| entry.path().extension() == Some(OsStr::new("md"))));
    assert_eq!(scratch.run(&["skill", "uninstall", "--dir", "skills"]).status, 0);
}

#[test]
fn a_project_does_not_lead_an_install_out_of_it() {
    for link in [".claude", ".claude/skills", ".claude/skills/rdma-network-nav"] {
        let scratch = Scratch::new(&format!("project-{}", link.matches('/').count()));
        let elsewhere = scratch.file("elsewhere/skills/keep", "").parent().unwrap().parent().unwrap().to_path_buf();
        let project = scratch.file("project/README", "").parent().unwrap().to_path_buf();
        fs::create_dir_all(project.join(link).parent().unwrap()).unwrap();
        for target in [elsewhere.clone(), PathBuf::from("/nonexistent/folder")] {
            let _ = fs::remove_file(project.join(link));
            symlink(target, project.join(link)).unwrap();
            for act in ["install", "uninstall"] {
                let arguments = ["skill", act, "--agent", "claude", "--scope", "project", "--force"];
                let run = bounded(command().args(arguments).current_dir(&project));
                assert_eq!((run.status, &*run.stdout), (2, ""), "{link}: {run:?}");
                assert!(run.stderr.contains(link.split("/rdma").next().unwrap()), "{link}: {run:?}");
            }
        }
        assert_eq!(fs::read_dir(elsewhere.join("skills")).unwrap().count(), 1, "{link}");
    }
    // Inside of it is where the project wants it.
    let scratch = Scratch::new("project-inside");
    fs::create_dir(scratch.0.join(".agents")).unwrap();
    symlink(".agents", scratch.0.join(".claude")).unwrap();
    let run = scratch.run(&["skill", "install", "--agent", "claude", "--scope", "project"]);
    assert_eq!((run.status, &*run.stderr), (0, ""), "{run:?}");
    assert!(scratch.0.join(".agents/skills").join(SKILL).join("SKILL.md").exists());
    // In the home directory links are its owner's.
    let (home, kept) = (Scratch::new("home"), Scratch::new("kept"));
    symlink(&kept.0, home.0.join(".claude")).unwrap();
    let run = bounded(
        command()
            .args(["skill", "install", "--agent", "claude", "--scope", "user"])
            .current_dir(&scratch.0)
            .env("HOME", &home.0),
    );
    assert_eq!((run.status, &*run.stderr), (0, ""), "{run:?}");
    assert!(kept.0.join("skills").join(SKILL).join("SKILL.md").exists());
}

#[test]
fn a_manual_page_replaces_a_link_and_keeps_its_target() {
    let scratch = Scratch::new("man");
    let victim = scratch.file("victim", "precious");
    fs::create_dir(scratch.0.join("man1")).unwrap();
    symlink(&victim, scratch.0.join("man1/rdmanav.1")).unwrap();
    pipe(&scratch.0.join("man1/rdmanav-query.1"));
    let run = scratch.run(&["man", "--dir", "man1"]);
    assert_eq!((run.status, &*run.stderr), (0, ""), "{run:?}");
    assert_eq!(fs::read_to_string(victim).unwrap(), "precious");
    for name in ["rdmanav.1", "rdmanav-query.1"] {
        let page = scratch.0.join("man1").join(name);
        assert!(page.symlink_metadata().unwrap().is_file() && page.metadata().unwrap().len() > 1000, "{name}");
    }
    // Files are as open as others are that this process makes.
    let mode = |name: &str| scratch.0.join(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("man1/rdmanav.1"), mode("victim"));
    assert!(
        fs::read_dir(scratch.0.join("man1"))
            .unwrap()
            .flatten()
            .all(|entry| { entry.path().extension() == Some(OsStr::new("1")) })
    );
}

#[test]
fn a_pack_waits_for_nothing() {
    let files = ["pack.yaml", "sections/zz.md", "signatures.yaml"];
    for (what, trap) in TRAPS {
        for name in files {
            let scratch = Scratch::new(&format!("pack-{}-{}", what.replace(' ', "-"), name.replace('/', "-")));
            scratch.file("pack/pack.yaml", "name: site\ntitle: Site\n");
            let path = scratch.file(&format!("pack/{name}"), "");
            fs::remove_file(&path).unwrap();
            trap(&path);
            let run = scratch.run(&["check", "pack", "--format", "json"]);
            assert_eq!(run.status, 1, "{what}: {name}: {run:?}");
            assert!(run.stdout.contains(&format!("{name}\"")), "{what}: {name}: {run:?}");
            let run = scratch.run(&["list", "--packs", "--pack", "pack"]);
            assert!(run.stderr.contains("is left out"), "{what}: {name}: {run:?}");
        }
    }
}

#[test]
fn what_lint_cannot_read_in_a_tree_is_told_and_the_rest_is_read() {
    let scratch = Scratch::new("tree");
    scratch.file("tree/z.sh", "export NCCL_IB_HCAX=1\n");
    scratch.file("tree/a.env", "NCCL_IB_TC=106\n");
    for (number, (_, trap)) in TRAPS.into_iter().enumerate() {
        trap(&scratch.0.join(format!("tree/trap{number}.sh")));
    }
    // Longer than any path may be, which only walking there can make.
    fs::create_dir(scratch.0.join("tree/deep")).unwrap();
    let mut place = openat(CWD, scratch.0.join("tree/deep"), OFlags::DIRECTORY, Mode::empty()).unwrap();
    let name = "d".repeat(250);
    for _ in 0..20 {
        mkdirat(&place, &*name, Mode::from_raw_mode(0o700)).unwrap();
        place = openat(&place, &*name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let run = scratch.run(&["lint", "--format", "json", "tree"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.stderr.contains("cannot be read (File name too long"), "{run:?}");
    let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["findings"][0]["rule"], "unknown-name");
    let files = answer["files"].as_array().unwrap();
    let is_unread = |file: &&serde_json::Value| file["unreadable"].is_string();
    assert_eq!(files.iter().filter(is_unread).count(), 1, "{files:?}");
    assert_eq!(files.len(), 3, "{files:?}");
}

#[test]
fn a_directory_that_is_closed_to_lint_keeps_no_other_from_it() {
    let scratch = Scratch::new("closed");
    scratch.file("tree/z.sh", "export NCCL_IB_HCAX=1\n");
    let closed = scratch.file("tree/b/a.sh", "").parent().unwrap().to_path_buf();
    scratch.file("tree/c.sh", "export NCCL_IB_TC=106\n");
    let allow = |path: &str, mode| fs::set_permissions(scratch.0.join(path), fs::Permissions::from_mode(mode)).unwrap();
    allow("tree/b", 0);
    allow("tree/c.sh", 0);
    let mut lint = command();
    if fs::read_dir(&closed).is_ok() {
        // Nothing is closed to root: the run is somebody else's, where the system can do that.
        let program = lint.get_program().to_owned();
        lint = Command::new("setpriv");
        lint.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
        if !Command::new("setpriv")
            .args(lint.get_args())
            .arg("--version")
            .output()
            .is_ok_and(|run| run.status.success())
        {
            eprintln!("left out: it needs setpriv, or another user than root");
            return;
        }
    }
    let run = bounded(lint.args(["lint", "--format", "json", "tree"]).env_clear().current_dir(&scratch.0));
    allow("tree/b", 0o700);
    assert_eq!(run.status, 1, "{run:?}");
    assert_eq!(run.stderr.matches("cannot be read (Permission denied").count(), 2, "{run:?}");
    let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["findings"][0]["rule"], "unknown-name");
    let unread = answer["files"].as_array().unwrap().iter().filter(|file| file["unreadable"].is_string());
    assert_eq!(unread.count(), 2, "{}", run.stdout);
}

#[test]
fn a_pipe_that_somebody_names_is_read() {
    let scratch = Scratch::new("named");
    pipe(&scratch.0.join("pipe"));
    let log = "node-a:1:1 [0] NCCL INFO NET/Socket: No usable interfaces found\n";
    for (arguments, text, expected) in [
        (&["lint", "pipe"][..], "export NCCL_IB_HCAX=1\n", "NCCL_IB_HCAX"),
        (&["env", "diff", "roce", "pipe"], "NCCL_IB_TC=42\n", "42"),
        (&["diagnose", "pipe"], log, "1 host in the log"),
    ] {
        let path = scratch.0.join("pipe");
        let writer = std::thread::spawn(move || fs::write(path, text).unwrap());
        let run = scratch.run(arguments);
        writer.join().unwrap();
        assert!(run.status < 2 && run.stdout.contains(expected), "{arguments:?}: {run:?}");
    }
}
