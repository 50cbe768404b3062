//! `rdmanav skill`

use std::env;
use std::path::{Path, PathBuf};

use crate::agent::skill::folder::{self, Done, Mode, Problem};
use crate::agent::skill::{self, Flavor, SkillFile};
use crate::cli::{Agent, FlavorName, Place, Scope, Skill, SkillCommand};
use crate::commands::exit::Failure;
use crate::commands::output;

/// Prints SKILL.md, or writes or removes the skill's folder.
pub fn run(arguments: &Skill) -> Result<u8, Failure> {
    let flavor = match arguments.flavor {
        Some(FlavorName::Openhands) => Flavor::OpenHands,
        Some(FlavorName::Standard) | None => Flavor::Standard,
    };
    let files = skill::files(flavor, &super::packs::library(&arguments.packs));
    let (skills, mode, is_removal) = match &arguments.command {
        None => return output::write(&files[0].text),
        Some(SkillCommand::Export { directory, force }) => {
            (directory.clone(), Mode { force: *force, ..Mode::default() }, false)
        }
        Some(SkillCommand::Install(place)) => (directory(place)?, mode(place), false),
        Some(SkillCommand::Uninstall(place)) => (directory(place)?, mode(place), true),
    };
    let done = if is_removal { folder::remove(&skills, &files, mode) } else { folder::write(&skills, &files, mode) };
    let done = done.map_err(|problem| failure(&problem, &skills))?;
    output::write(&report(&done, &skills, &files, mode))
}

fn mode(place: &Place) -> Mode {
    let in_project = place.dir.is_none() && place.scope != Some(Scope::User);
    Mode { dry_run: place.dry_run, force: place.force, in_project }
}

/// The folder of skills.
fn directory(place: &Place) -> Result<PathBuf, Failure> {
    if let Some(directory) = &place.dir {
        return Ok(directory.clone());
    }
    let skills = match place.agent {
        Some(Agent::Claude) => ".claude/skills",
        Some(Agent::Codex | Agent::Agents) | None => ".agents/skills",
    };
    // A project is often somebody else's: of a link in it that leads elsewhere `in_project` takes care.
    if mode(place).in_project {
        return Ok(PathBuf::from(skills));
    }
    // Where a link in the home directory leads is the user's own choice: many keep their settings elsewhere.
    match env::var_os("HOME").filter(|home| !home.is_empty()) {
        Some(home) => Ok(Path::new(&home).join(skills)),
        None => Err(Failure::Usage("--scope user needs HOME; give the folder of skills with --dir".to_string())),
    }
}

fn report(done: &Done, skills: &Path, files: &[SkillFile], mode: Mode) -> String {
    let folder = super::text(folder::path(skills).as_os_str());
    let count = files.len();
    match (done, mode.dry_run) {
        (Done::Written, false) => format!("wrote {folder}: {count} files\n"),
        (Done::Written, true) => format!("would write {folder}: {count} files\n"),
        (Done::Replaced, false) => format!("updated {folder}: {count} files\n"),
        (Done::Replaced, true) => format!("would update {folder}: {count} files\n"),
        (Done::Nothing, _) => format!("{folder} is up to date\n"),
        (Done::Removed | Done::RemovedOurs, true) => format!("would remove {folder}\n"),
        (Done::Removed, false) => format!("removed {folder}\n"),
        (Done::RemovedOurs, false) => format!("removed rdmanav's files from {folder}; the others there stay\n"),
        (Done::NotThere, _) => format!("{folder} is not there: nothing to remove\n"),
    }
}

fn failure(problem: &Problem, skills: &Path) -> Failure {
    Failure::Usage(match problem {
        Problem::NotOurs(why) => {
            format!("{}: {why}; --force overrides", super::text(folder::path(skills).as_os_str()))
        }
        Problem::Io(path, error) => format!("{}: {error}", super::text(path.as_os_str())),
    })
}
