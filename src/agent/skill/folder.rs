//! The skill's folder: written, kept up to date and removed, and nothing else touched.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::{NAME, REFERENCES, SKILL_FILE, SkillFile, digest, stored_digest};
use crate::files::{self, Folder};

/// Larger files are not ours.
const LARGEST_FILE: u64 = 4 << 20;

/// Nor are more bytes than this together.
const LARGEST_FOLDER: u64 = 64 << 20;

/// How careful to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mode {
    /// Say what would be done, and do nothing.
    pub dry_run: bool,
    /// Also overwrite and remove files of our names that were not written, or changed since.
    pub force: bool,
    /// The folder of skills is one below the current directory: links out of that are not followed.
    pub in_project: bool,
}

impl Mode {
    /// Opens the folder of skills, and makes it where it may.
    fn open(self, skills: &Path, make: bool) -> io::Result<Folder> {
        if self.in_project {
            return Folder::below(Path::new("."), skills, make);
        }
        if make {
            std::fs::create_dir_all(skills)?;
        }
        Folder::open(skills)
    }
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
    let found = Found::read(skills, mode)?;
    let state = found.state(files);
    let done = match state {
        State::Same => Done::Nothing,
        State::Absent => Done::Written,
        State::Ours => Done::Replaced,
        State::Foreign(_) if mode.force => Done::Replaced,
        State::Foreign(why) => return Err(Problem::NotOurs(why)),
    };
    if mode.dry_run {
        return Ok(done);
    }
    let places = Places::create(skills, mode)?;
    for path in &found.leftovers {
        places.remove(path)?;
    }
    if done == Done::Nothing {
        return Ok(done);
    }
    if matches!(state, State::Ours) {
        // Sections that are no more.
        for path in found.texts.keys().filter(|path| files.iter().all(|file| file.path != **path)) {
            places.remove(path)?;
        }
    }
    // SKILL.md comes last: it says that the others are complete.
    for file in files.iter().rev() {
        places.write(file)?;
    }
    Ok(done)
}

/// Removes the skill's folder from `skills`. `files` are those of this version.
pub fn remove(skills: &Path, files: &[SkillFile], mode: Mode) -> Result<Done, Problem> {
    let mut found = Found::read(skills, mode)?;
    match found.state(files) {
        State::Absent => return Ok(Done::NotThere),
        State::Same | State::Ours => {}
        State::Foreign(_) if mode.force => found.texts.retain(|path, _| files.iter().any(|file| file.path == *path)),
        State::Foreign(why) => return Err(Problem::NotOurs(why)),
    }
    if mode.dry_run {
        return Ok(Done::Removed);
    }
    let places = Places::create(skills, mode)?;
    for path in found.leftovers.iter().chain(found.texts.keys()) {
        places.remove(path)?;
    }
    Ok(if places.remove_folders() { Done::Removed } else { Done::RemovedOurs })
}

/// The skill's folder and the one in it, held open: a link that is put in their place meanwhile changes nothing.
struct Places {
    skills: Folder,
    folder: Folder,
    references: Folder,
    path: PathBuf,
}

impl Places {
    fn create(skills: &Path, mode: Mode) -> Result<Places, Problem> {
        let path = path(skills);
        let problem = |error| Problem::Io(path.clone(), error);
        let skills = mode.open(skills, true).map_err(problem)?;
        let folder = skills.create(NAME).map_err(problem)?;
        let references = folder.create(REFERENCES).map_err(problem)?;
        Ok(Places { skills, folder, references, path })
    }

    /// The directory of a file, and its name there.
    fn of<'a>(&self, path: &'a str) -> (&Folder, &'a str) {
        match path.split_once('/') {
            Some((_, name)) => (&self.references, name),
            None => (&self.folder, path),
        }
    }

    fn write(&self, file: &SkillFile) -> Result<(), Problem> {
        let (folder, name) = self.of(&file.path);
        folder.write(name, file.text.as_bytes()).map_err(|error| Problem::Io(self.path.join(&file.path), error))
    }

    fn remove(&self, path: &str) -> Result<(), Problem> {
        let (folder, name) = self.of(path);
        folder.remove(name).map_err(|error| Problem::Io(self.path.join(path), error))
    }

    /// Folders go only when they are empty. Whether both are gone.
    fn remove_folders(&self) -> bool {
        self.folder.remove_folder(REFERENCES) && self.skills.remove_folder(NAME)
    }
}

/// What stands in the skill's folder.
#[derive(Default)]
struct Found {
    is_there: bool,
    /// The texts that can be ours, by their paths.
    texts: BTreeMap<String, String>,
    /// Paths of temporary files that a run left which was cut short.
    leftovers: Vec<String>,
    /// One that cannot be ours.
    foreign: Option<String>,
}

impl Found {
    fn read(skills: &Path, mode: Mode) -> Result<Found, Problem> {
        let mut found = Found::default();
        let path = path(skills);
        let there = |path: &Path, folder: io::Result<Folder>| match folder {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Problem::Io(path.to_path_buf(), error)),
        };
        let Some(skills) = there(skills, mode.open(skills, false))? else { return Ok(found) };
        // Writing through a link would touch another place, forced or not.
        let Some(folder) = there(&path, skills.folder(NAME))? else { return Ok(found) };
        found.is_there = true;
        found.directory(&folder, "").map_err(|error| Problem::Io(path.clone(), error))?;
        let path = path.join(REFERENCES);
        if let Some(references) = there(&path, folder.folder(REFERENCES))? {
            found.directory(&references, "references/").map_err(|error| Problem::Io(path, error))?;
        }
        Ok(found)
    }

    /// Reads the files of one directory whose names can be ours; notes another one.
    fn directory(&mut self, folder: &Folder, prefix: &str) -> io::Result<()> {
        let mut room = LARGEST_FOLDER;
        for name in folder.names()? {
            let path = format!("{prefix}{}", name.to_string_lossy());
            if path == REFERENCES {
                continue;
            }
            if files::is_leftover(&name) {
                match folder.is_file(&name) {
                    Ok(true) => self.leftovers.push(path),
                    // Another run is done with it.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    _ => self.foreign = Some(path),
                }
                continue;
            }
            let ours = name.to_str().filter(|name| {
                if prefix.is_empty() { *name == SKILL_FILE } else { name.strip_suffix(".md").is_some() }
            });
            let text = ours.map(|name| folder.read(name, room.min(LARGEST_FILE)));
            match text.map(|read| read.map(String::from_utf8)) {
                Some(Ok(Ok(text))) => {
                    room -= text.len() as u64;
                    self.texts.insert(path, text);
                }
                // Another run removed it meanwhile.
                Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => {}
                _ => self.foreign = Some(path),
            }
        }
        Ok(())
    }

    fn state(&self, files: &[SkillFile]) -> State {
        if !self.is_there {
            return State::Absent;
        }
        if let Some(name) = &self.foreign {
            return State::Foreign(format!("{name} was not written by rdmanav"));
        }
        let is_wanted =
            |(path, text): (&String, &String)| files.iter().any(|file| file.path == *path && file.text == *text);
        if self.texts.iter().all(is_wanted) {
            return if self.texts.len() == files.len() { State::Same } else { State::Ours };
        }
        let stored = self.texts.get(SKILL_FILE).and_then(|text| stored_digest(text)).map(str::to_string);
        let all: Vec<SkillFile> =
            self.texts.iter().map(|(path, text)| SkillFile { path: path.clone(), text: text.clone() }).collect();
        match stored {
            None => State::Foreign(format!("{SKILL_FILE} there was not written by rdmanav")),
            Some(stored) if stored == digest(&all) => State::Ours,
            Some(_) => State::Foreign("its files were changed since rdmanav wrote them".to_string()),
        }
    }
}
