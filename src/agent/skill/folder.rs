//! The skill's folder: written, kept up to date and removed, and nothing else touched.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{NAME, REFERENCES, SKILL_FILE, SkillFile, digest, stored_digest};

/// Larger files are not ours.
const LARGEST_FILE: u64 = 4 << 20;

/// How careful to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode {
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
    /// Also overwrite and remove files of our names that were not written, or changed since.
    pub force: bool,
}

/// What was done, or would be.
#[derive(Debug, PartialEq, Eq)]
pub enum Done {
    Written,
    Replaced,
    /// It was up to date.
    Nothing,
    Removed,
    /// There was nothing to remove.
    NotThere,
    /// Our files are gone; others stay.
    RemovedOurs,
}

/// Why nothing was done.
#[derive(Debug)]
pub enum Problem {
    /// The folder holds what was not written by this program: says what.
    NotOurs(String),
    Io(PathBuf, io::Error),
}

/// What is there.
enum State {
    Absent,
    /// Exactly the files that would be written.
    Same,
    /// Files of an earlier run, unchanged, or a part of the files that would be written.
    Ours,
    /// Says why it is not ours.
    Foreign(String),
}

/// The skill's folder inside a folder of skills.
pub fn path(skills: &Path) -> PathBuf {
    skills.join(NAME)
}

/// Writes the skill's folder into `skills`.
pub fn write(skills: &Path, files: &[SkillFile], mode: Mode) -> Result<Done, Problem> {
    let folder = path(skills);
    let (state, found) = state(&folder, files)?;
    let done = match state {
        State::Same => return Ok(Done::Nothing),
        State::Absent => Done::Written,
        State::Ours => Done::Replaced,
        State::Foreign(_) if mode.force => Done::Replaced,
        State::Foreign(why) => return Err(Problem::NotOurs(why)),
    };
    if mode.dry_run {
        return Ok(done);
    }
    let references = folder.join(REFERENCES);
    fs::create_dir_all(&references).map_err(|error| Problem::Io(references.clone(), error))?;
    if matches!(state, State::Ours) {
        // Sections that are no more.
        for path in found.keys().filter(|path| files.iter().all(|file| file.path != **path)) {
            remove_file(&folder.join(path))?;
        }
    }
    // SKILL.md comes last: it says that the others are complete.
    for file in files.iter().rev() {
        write_file(&folder.join(&file.path), &file.text)?;
    }
    Ok(done)
}

/// Removes the skill's folder from `skills`. `files` are those of this version.
pub fn remove(skills: &Path, files: &[SkillFile], mode: Mode) -> Result<Done, Problem> {
    let folder = path(skills);
    let (state, mut found) = state(&folder, files)?;
    match state {
        State::Absent => return Ok(Done::NotThere),
        State::Same | State::Ours => {}
        State::Foreign(_) if mode.force => found.retain(|path, _| files.iter().any(|file| file.path == *path)),
        State::Foreign(why) => return Err(Problem::NotOurs(why)),
    }
    if mode.dry_run {
        return Ok(Done::Removed);
    }
    for path in found.keys() {
        remove_file(&folder.join(path))?;
    }
    // Folders go only when they are empty.
    let is_gone = |path: &Path| fs::remove_dir(path).is_ok() || !path.exists();
    let references_gone = is_gone(&folder.join(REFERENCES));
    Ok(if is_gone(&folder) && references_gone { Done::Removed } else { Done::RemovedOurs })
}

/// What is there, and the text of each file by its path.
fn state(folder: &Path, files: &[SkillFile]) -> Result<(State, BTreeMap<String, String>), Problem> {
    let mut found = BTreeMap::new();
    let mut foreign = None;
    for directory in ["", REFERENCES] {
        let path = if directory.is_empty() { folder.to_path_buf() } else { folder.join(directory) };
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Problem::Io(path, error)),
            // Writing through a link would touch another place, forced or not.
            Ok(metadata) if !metadata.is_dir() => {
                let error = io::Error::other("is no directory, or a symbolic link to one: it is not touched");
                return Err(Problem::Io(path, error));
            }
            Ok(_) => read_directory(&path, directory, &mut found, &mut foreign)?,
        }
    }
    if !folder.exists() {
        return Ok((State::Absent, found));
    }
    if let Some(name) = foreign {
        return Ok((State::Foreign(format!("{name} was not written by rdmanav")), found));
    }
    let is_wanted =
        |(path, text): (&String, &String)| files.iter().any(|file| file.path == *path && file.text == *text);
    let state = if found.iter().all(is_wanted) {
        if found.len() == files.len() { State::Same } else { State::Ours }
    } else {
        let stored = found.get(SKILL_FILE).and_then(|text| stored_digest(text)).map(str::to_string);
        let all: Vec<SkillFile> =
            found.iter().map(|(path, text)| SkillFile { path: path.clone(), text: text.clone() }).collect();
        match stored {
            None => State::Foreign(format!("{SKILL_FILE} there was not written by rdmanav")),
            Some(stored) if stored == digest(&all) => State::Ours,
            Some(_) => State::Foreign("its files were changed since rdmanav wrote them".to_string()),
        }
    };
    Ok((state, found))
}

/// Reads the files of one directory whose names can be ours; notes another one.
fn read_directory(
    path: &Path,
    name: &str,
    found: &mut BTreeMap<String, String>,
    foreign: &mut Option<String>,
) -> Result<(), Problem> {
    let problem = |error| Problem::Io(path.to_path_buf(), error);
    for entry in fs::read_dir(path).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let kind = entry.file_type().map_err(problem)?;
        let file = entry.file_name().to_string_lossy().into_owned();
        let can_be_ours = if name.is_empty() { file == SKILL_FILE } else { file.strip_suffix(".md").is_some() };
        if name.is_empty() && file == REFERENCES {
            continue;
        }
        let small = entry.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST_FILE);
        let relative = if name.is_empty() { file } else { format!("{name}/{file}") };
        match fs::read_to_string(entry.path()) {
            Ok(text) if can_be_ours && kind.is_file() && small => {
                found.insert(relative, text);
            }
            _ => *foreign = Some(relative),
        }
    }
    Ok(())
}

/// Writes beside the file, then renames: no reader sees half of it, and a link in its place is replaced, not followed.
fn write_file(path: &Path, text: &str) -> Result<(), Problem> {
    let temporary = path.with_extension("md.new");
    let result = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&temporary, path));
    result.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        Problem::Io(path.to_path_buf(), error)
    })
}

fn remove_file(path: &Path) -> Result<(), Problem> {
    fs::remove_file(path).map_err(|error| Problem::Io(path.to_path_buf(), error))
}
