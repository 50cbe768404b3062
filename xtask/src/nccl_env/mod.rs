//! Brings `content/env/variables.yaml` up to the sources of NCCL: see docs/staying-current.md.

mod compare;
mod constant;
mod ctext;
mod extract;
mod fallback;
mod git;
mod guide;
mod history;
mod probes;
mod release;
mod rewrite;
mod sources;
mod strip;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::process::ExitCode;

use rdmanav::knowledge::model::Variable;
use rdmanav::knowledge::yaml;

use compare::Difference;
use extract::FileReads;
use git::{Repository, TreeFile};
use guide::Guide;
use history::History;
use release::{Reading, SourceFile};
use sources::Language;

/// Compares, and writes where asked to. 0 without a difference, 1 with one, 2 where that cannot be said.
pub fn run(git_dir: &str, write: bool) -> ExitCode {
    match differences(Path::new(git_dir), write) {
        Ok(differences) => {
            for difference in &differences {
                println!("{difference}");
            }
            ExitCode::from(u8::from(!differences.is_empty()))
        }
        Err(error) => {
            eprintln!("xtask nccl-env: {error}");
            ExitCode::from(2)
        }
    }
}

fn differences(git_dir: &Path, write: bool) -> io::Result<Vec<Difference>> {
    let (history, guide) = read(git_dir)?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../content/env/variables.yaml");
    let text = std::fs::read_to_string(&path)?;
    let tree = yaml::parse(&text).map_err(|error| io::Error::other(error.message))?;
    let entries = yaml::items(&tree).and_then(|items| items.iter().map(yaml::entry).collect());
    let entries: Vec<Variable<'_>> = entries.map_err(|error| io::Error::other(error.message))?;
    let differences = compare::compare(&entries, &history.records(&guide), &guide);
    if write {
        std::fs::write(path, rewrite::rewrite(&text, &differences))?;
    }
    Ok(differences)
}

/// Reads all releases, and the guide of the newest.
fn read(git_dir: &Path) -> io::Result<(History, Guide)> {
    let mut repository = Repository::open(git_dir)?;
    let tags = repository.tags()?;
    let mut history = History::default();
    let mut known = HashMap::new();
    let mut guide = None;
    for tag in &tags {
        let files = repository.files(tag)?;
        history.add(&tag.release, read_release(&mut repository, &files, &mut known)?);
        guide = files.into_iter().find(|file| file.path == guide::PATH);
    }
    let newest = tags.last().ok_or_else(|| io::Error::other("no tag v2.* in that repository"))?;
    let guide = guide.ok_or_else(|| io::Error::other(format!("{} has no {}", newest.name, guide::PATH)))?;
    Ok((history, Guide::parse(&repository.text(&guide)?)))
}

/// Reads a release. `known` holds what each content was read as: most files are the same in the release before.
fn read_release(
    repository: &mut Repository,
    files: &[TreeFile],
    known: &mut HashMap<String, FileReads>,
) -> io::Result<BTreeMap<String, Reading>> {
    let sources: Vec<_> = files.iter().filter_map(|file| Some((file, sources::classify(&file.path)?))).collect();
    for (file, (_, language)) in &sources {
        if !known.contains_key(&file.id) {
            let text = repository.text(file)?;
            let reads = match language {
                Language::C => extract::c(&text),
                Language::Python => extract::python(&text),
            };
            known.insert(file.id.clone(), reads);
        }
    }
    let files: Vec<SourceFile<'_>> = sources
        .iter()
        .map(|(file, (scope, _))| SourceFile { path: &file.path, scope: *scope, reads: &known[&file.id] })
        .collect();
    Ok(release::readings(&files))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::read;

    fn git(directory: &Path, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.arg("-C").arg(directory).args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "tag.gpgSign=false"]);
        let output = command.args(["-c", "commit.gpgSign=false"]).args(arguments).output().expect("git can be run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn release(directory: &Path, tag: &str, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = directory.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        git(directory, &["add", "."]);
        git(directory, &["commit", "-q", "-m", tag]);
        git(directory, &["tag", tag]);
    }

    #[test]
    fn a_repository_is_read_release_by_release() {
        let directory = std::env::temp_dir().join(format!("rdmanav-nccl-env-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        git(&directory, &["init", "-q"]);
        release(&directory, "v2.9.6-1", &[("src/a.cc", "NCCL_PARAM(A, \"A\", 1);\n#include \"é\"\n")]);
        let page = "Debugging\n=========\n\nNCCL_A\n------\n";
        release(
            &directory,
            "v2.10.3-1",
            &[("src/a.cc", "NCCL_PARAM(A, \"A\", 2);"), ("docs/userguide/source/env.rst", page)],
        );
        release(&directory, "other", &[("src/a.cc", "")]);
        let read = [read(&directory), read(&directory.join(".git"))];
        std::fs::remove_dir_all(&directory).unwrap();
        for found in read {
            let (history, guide) = found.unwrap();
            let record = &history.records(&guide)["NCCL_A"];
            assert_eq!((record.first.as_str(), record.category.as_deref()), ("2.9.6", Some("debugging")));
            assert_eq!(record.defaults, [("2.9.6".into(), "1".into()), ("2.10.3".into(), "2".into())]);
        }
    }

    #[test]
    fn what_is_no_repository_is_an_error() {
        assert!(read(Path::new("/dev/null")).is_err());
    }
}
