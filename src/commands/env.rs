//! `rdmanav env`

use std::ffi::OsStr;
use std::fs::File;
use std::io;

use crate::answer::diff::{self, Side};
use crate::answer::variables::Named;
use crate::answer::{NotFound, profiles, variables};
use crate::cli::Env;
use crate::commands::exit::{self, Failure};
use crate::commands::inputs::{bounded, environment};
use crate::commands::output;
use crate::env::export::{self, Form};
use crate::env::settings;
use crate::knowledge::library::NCCL_RELEASE;
use crate::knowledge::release::Release;
use crate::knowledge::{Library, Profile};
use crate::lint;

/// Prints the profiles, one profile, variables, or what changed.
pub fn run(arguments: &Env) -> Result<u8, Failure> {
    let library = super::packs::library(&arguments.packs);
    let names: Vec<String> = arguments.names.iter().map(|name| super::text(name)).collect();
    let release = arguments.nccl.as_deref().map(release).transpose()?;
    if let Some(release) = release {
        warn_outside(release);
    }
    if let Some(range) = &arguments.changed {
        return changed(range, &names, arguments, &library);
    }
    let profile = match &*names {
        [only] => library.profiles.find(&only.to_lowercase()),
        _ => None,
    };
    if let Some(profile) = profile {
        if arguments.value {
            return Err(Failure::Usage("--value needs the name of one variable".to_string()));
        }
        return self::profile(&profile, release, arguments, &library);
    }
    if arguments.form != Form::Table || !arguments.set.is_empty() || arguments.all {
        let ids: Vec<&str> = library.profiles.keys().collect();
        return Err(Failure::Usage(format!("--as, --set and --all need a profile: {}", ids.join(", "))));
    }
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(Failure::Usage("the name is empty; profiles and variables: rdmanav env".to_string()));
    }
    match &*names {
        [] if arguments.value => Err(Failure::Usage("--value needs the name of one variable".to_string())),
        [] => output::print(profiles::profiles(&library), &library, arguments.output),
        [diff, left, right] if diff == "diff" => {
            let side = |at: usize, text| side(&arguments.names[at], text, release, &library);
            let (left, right) = (side(1, left)?, side(2, right)?);
            output::print(diff::diff(&left, &right, &library), &library, arguments.output)
        }
        [diff, ..] if diff == "diff" => Err(Failure::Usage(
            "write: rdmanav env diff A B; each is a PROFILE, PROFILE@RELEASE, a file, - or current".to_string(),
        )),
        [name] if !name.contains(['*', '?']) => single(name, release, arguments, &library),
        _ if arguments.value => Err(Failure::Usage("--value needs the name of one variable".to_string())),
        names if names.iter().any(|name| library.profiles.find(&name.to_lowercase()).is_some()) => {
            Err(Failure::Usage("one profile at a time; to compare two: rdmanav env diff A B".to_string()))
        }
        patterns => output::print(variables::matching(patterns, release, &library)?, &library, arguments.output),
    }
}

fn single(name: &str, release: Option<Release>, arguments: &Env, library: &Library<'static>) -> Result<u8, Failure> {
    match variables::named(name, release, library)? {
        Named::Variable(answer) if arguments.value => {
            if let Some(default) = answer.default() {
                return output::write(&format!("{default}\n"));
            }
            exit::error(&format!("that release does not read {name}"));
            Ok(exit::NOTHING_FOUND)
        }
        Named::Variable(answer) => output::print(answer, library, arguments.output),
        Named::Other(_) if arguments.value => {
            exit::error(&format!("core NCCL does not read {name}, so it has no default"));
            exit::hint(&format!("rdmanav env {name} says whose it is"));
            Ok(exit::NOTHING_FOUND)
        }
        Named::Other(answer) => output::print(answer, library, arguments.output),
    }
}

fn profile(
    profile: &Profile<'static>,
    release: Option<Release>,
    arguments: &Env,
    library: &Library<'static>,
) -> Result<u8, Failure> {
    let (profile, left_out) = settings::at_release(profile, release, library);
    let assignments = settings::assignments(&profile, &arguments.set).map_err(Failure::Usage)?;
    if let Some(release) = release.filter(|_| !left_out.is_empty()) {
        exit::hint(&format!("NCCL {release} does not read {}: left out", left_out.join(", ")));
    }
    match arguments.form {
        Form::Table => {
            output::print(profiles::profile(profile.clone(), release, &assignments), library, arguments.output)
        }
        form => {
            let lines = export::lines(&profile, release, &assignments, form, arguments.all).map_err(Failure::Usage)?;
            output::write(&lines)
        }
    }
}

fn changed(range: &str, names: &[String], arguments: &Env, library: &Library<'static>) -> Result<u8, Failure> {
    let Some((from, to)) = range.split_once("..").filter(|_| names.is_empty()) else {
        return Err(Failure::Usage("write two releases, as in: rdmanav env --changed 2.20..2.27".to_string()));
    };
    let from = release(from)?;
    let to = release(if to.is_empty() { NCCL_RELEASE } else { to })?;
    if from > to {
        return Err(Failure::Usage(format!("--changed {range}: the older release comes first")));
    }
    output::print(variables::changes(from, to, library), library, arguments.output)
}

/// A profile, the environment, the standard input, or a file, in this order.
fn side(
    argument: &OsStr,
    text: &str,
    release: Option<Release>,
    library: &Library<'static>,
) -> Result<Side<'static>, Failure> {
    let (id, release) = match text.split_once('@') {
        Some((id, text)) if library.profiles.find(&id.to_lowercase()).is_some() => (id, Some(self::release(text)?)),
        _ => (text, release),
    };
    if let Some(profile) = library.profiles.find(&id.to_lowercase()) {
        return Ok(Side::Profile { profile, release });
    }
    let unreadable = |error: &dyn std::fmt::Display| Failure::Usage(format!("{text} cannot be read: {error}"));
    let (bytes, kind) = match text {
        CURRENT => (environment(), Some(lint::Kind::Dump)),
        "-" => (bounded(io::stdin().lock()).map_err(|error| unreadable(&error))?, None),
        _ => match File::open(argument) {
            Ok(file) => (bounded(file).map_err(|error| unreadable(&error))?, None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(NotFound::profile(id, library).into()),
            Err(error) => return Err(unreadable(&error)),
        },
    };
    let source = lint::read(text, &bytes, kind).map_err(|error| unreadable(&error))?;
    Ok(Side::Settings { name: text.to_string(), source })
}

/// What stands for the environment of this process.
const CURRENT: &str = "current";

/// The profile of this id.
pub fn named_profile(id: &str, library: &Library<'static>) -> Result<Profile<'static>, Failure> {
    library.profiles.find(&id.to_lowercase()).ok_or_else(|| NotFound::profile(id, library).into())
}

/// What was not read cannot be known: says so for releases before the oldest source and after the newest one.
fn warn_outside(release: Release) {
    let known = |text| Release::parse(text).expect("a release");
    let (oldest, newest) = (known("2.3.5"), known(NCCL_RELEASE));
    if release < oldest {
        exit::hint("releases before 2.3.5 were not read: what is said of them is that of 2.3.5");
    } else if release > newest && !release.covers(newest) {
        exit::hint(&format!(
            "the newest source that was read is {NCCL_RELEASE}: what is said of later ones is from documents, or may have changed"
        ));
    }
}

/// The release that somebody wrote.
pub fn release(text: &str) -> Result<Release, Failure> {
    Release::parse(text).ok_or_else(|| {
        Failure::Usage(format!("\"{}\" is no NCCL release; write it as 2.22 or 2.22.3", crate::render::clean(text)))
    })
}
