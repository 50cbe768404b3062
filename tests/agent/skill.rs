//! The skill: its links, its folder, and what it refuses.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rdmanav::agent::skill::folder::{self, Done, Mode, Problem};
use rdmanav::agent::skill::{self, Flavor, SkillFile};

use crate::run::{command, finish, rdmanav};

const CAREFUL: Mode = Mode { dry_run: false, force: false, in_project: false };
const FORCED: Mode = Mode { force: true, ..CAREFUL };

fn files() -> Vec<SkillFile> {
    skill::files(Flavor::Standard, &rdmanav::library())
}

/// An empty directory of the test's own.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("rdmanav-skill-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// The anchor that readers of markdown make of a heading, written independently of the program.
fn anchor(heading: &str) -> String {
    let mut out = String::new();
    for c in heading.trim().chars() {
        match c {
            ' ' => out.push('-'),
            '-' | '_' => out.push(c),
            c if c.is_alphanumeric() => out.extend(c.to_lowercase()),
            _ => {}
        }
    }
    out
}

/// Lines that are no code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

#[test]
fn every_link_of_the_skill_resolves() {
    let files = files();
    let anchors = |file: &SkillFile| -> HashSet<String> {
        prose(&file.text)
            .filter(|line| line.starts_with('#'))
            .map(|line| anchor(line.trim_start_matches('#')))
            .collect()
    };
    let mut links = 0;
    for file in &files {
        let folder = file.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for line in prose(&file.text) {
            for link in line.split("](").skip(1) {
                let link = link.split(')').next().unwrap();
                if link.starts_with("https://") {
                    continue;
                }
                let (path, part) = link.split_once('#').map_or((link, None), |(path, part)| (path, Some(part)));
                let path = if path.is_empty() { file.path.clone() } else { format!("{folder}{path}") };
                let target = files.iter().find(|other| other.path == path);
                let target = target.unwrap_or_else(|| panic!("{}: {link} leads nowhere: {line}", file.path));
                assert!(part.is_none_or(|part| anchors(target).contains(part)), "{}: {link}", file.path);
                links += 1;
            }
        }
    }
    assert!(links > 200, "{links}");
}

#[test]
fn every_section_has_a_file_that_the_skill_links_and_that_holds_all_its_text() {
    let files = files();
    let library = rdmanav::library();
    assert_eq!(files.len(), library.sections.len() + 1);
    for section in library.sections.iter() {
        let path = format!("references/{}.md", section.id);
        assert!(files[0].text.contains(&format!("]({path})")), "{path}");
        let file = files.iter().find(|file| file.path == path).unwrap();
        for part in library.parts(&section) {
            assert!(file.text.contains(&*part.heading), "{path}: {}", part.heading);
            for line in part.body.lines().filter(|line| !line.contains(['[', '`', '>']) && line.contains(' ')) {
                assert!(file.text.contains(line), "{path}: {line}");
            }
        }
    }
}

#[test]
fn a_skill_is_written_once_updated_and_removed() {
    let skills = directory("cycle");
    let files = files();
    let dry = Mode { dry_run: true, ..CAREFUL };
    assert_eq!(folder::write(&skills, &files, dry).unwrap(), Done::Written);
    assert!(!folder::path(&skills).exists());
    assert_eq!(folder::write(&skills, &files, CAREFUL).unwrap(), Done::Written);
    assert_eq!(folder::write(&skills, &files, CAREFUL).unwrap(), Done::Nothing);
    for file in &files {
        assert_eq!(fs::read_to_string(folder::path(&skills).join(&file.path)).unwrap(), file.text);
    }
    // Another flavour is another version: what an earlier run wrote is replaced, files that are no more go.
    let other = skill::files(Flavor::OpenHands, &rdmanav::library());
    assert_eq!(folder::write(&skills, &other, CAREFUL).unwrap(), Done::Replaced);
    // A part of the files, as after an interrupted run.
    fs::remove_file(folder::path(&skills).join("SKILL.md")).unwrap();
    assert_eq!(folder::write(&skills, &other, CAREFUL).unwrap(), Done::Replaced);
    assert_eq!(folder::remove(&skills, &files, dry).unwrap(), Done::Removed);
    assert_eq!(folder::remove(&skills, &files, CAREFUL).unwrap(), Done::Removed);
    assert_eq!(folder::remove(&skills, &files, CAREFUL).unwrap(), Done::NotThere);
    assert_eq!(fs::read_dir(&skills).unwrap().count(), 0);
    fs::remove_dir_all(skills).unwrap();
}

/// Something that another program, or a person, does to the folder.
type Change = &'static dyn Fn(&Path);

#[test]
fn what_others_wrote_stays() {
    let files = files();
    let changes: [(&str, Change); 4] = [
        ("edited", &|folder| fs::write(folder.join("references/pxn.md"), "mine").unwrap()),
        ("added", &|folder| fs::write(folder.join("notes.txt"), "mine").unwrap()),
        ("foreign", &|folder| fs::write(folder.join("SKILL.md"), "---\nname: x\n---\nmine\n").unwrap()),
        ("link", &|folder| {
            fs::remove_file(folder.join("SKILL.md")).unwrap();
            std::os::unix::fs::symlink("/nonexistent", folder.join("SKILL.md")).unwrap();
        }),
    ];
    for (name, change) in changes {
        let skills = directory(name);
        folder::write(&skills, &files, CAREFUL).unwrap();
        change(&folder::path(&skills));
        assert!(matches!(folder::write(&skills, &files, CAREFUL), Err(Problem::NotOurs(_))), "{name}");
        assert!(matches!(folder::remove(&skills, &files, CAREFUL), Err(Problem::NotOurs(_))), "{name}");
        assert_eq!(folder::write(&skills, &files, FORCED).unwrap(), Done::Replaced, "{name}");
        let removed = folder::remove(&skills, &files, FORCED).unwrap();
        let notes = folder::path(&skills).join("notes.txt");
        assert_eq!((removed == Done::RemovedOurs, notes.exists()), (name == "added", name == "added"), "{removed:?}");
        fs::remove_dir_all(skills).unwrap();
    }
}

#[test]
fn a_link_in_place_of_the_folder_is_never_followed() {
    let (skills, elsewhere) = (directory("linked"), directory("elsewhere"));
    let files = files();
    std::os::unix::fs::symlink(&elsewhere, folder::path(&skills)).unwrap();
    for mode in [CAREFUL, FORCED] {
        assert!(matches!(folder::write(&skills, &files, mode), Err(Problem::Io(..))));
        assert!(matches!(folder::remove(&skills, &files, mode), Err(Problem::Io(..))));
    }
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    fs::remove_dir_all(skills).unwrap();
    fs::remove_dir_all(elsewhere).unwrap();
}

#[test]
fn the_command_knows_where_agents_look() {
    let home = directory("home");
    for (agent, folder) in [("claude", ".claude"), ("codex", ".agents"), ("agents", ".agents")] {
        for scope in ["user", "project"] {
            let run = |arguments: &[&str]| {
                let mut command = command();
                command.arg("skill").args(arguments).args(["--agent", agent, "--scope", scope]);
                let (directory, home) = if scope == "user" {
                    (std::env::temp_dir(), home.clone())
                } else {
                    (home.clone(), "/nonexistent".into())
                };
                command.current_dir(directory).env("HOME", home);
                let run = finish(&mut command);
                assert_eq!((run.status, &*run.stderr), (0, ""), "{agent} {scope}");
                run.stdout
            };
            let skill = home.join(folder).join("skills/rdma-network-nav/SKILL.md");
            assert!(run(&["install", "--dry-run"]).starts_with("would write "));
            assert!(run(&["install"]).starts_with("wrote ") && skill.exists(), "{agent} {scope}");
            assert!(run(&["install"]).ends_with("is up to date\n"));
            assert!(run(&["uninstall"]).starts_with("removed ") && !skill.exists());
            assert!(run(&["uninstall"]).ends_with("nothing to remove\n"));
        }
    }
    let refused = rdmanav(&["skill", "install", "--agent", "claude", "--scope", "user"]);
    assert!(refused.status == 2 && refused.stderr.contains("HOME"), "{refused:?}");
    fs::remove_dir_all(home).unwrap();
}
