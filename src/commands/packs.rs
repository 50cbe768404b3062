//! The knowledge that a command answers from: what is embedded, with the packs of the user laid over it.

use std::env;
use std::path::{Path, PathBuf};

use crate::cli::Packs;
use crate::commands::exit;
use crate::env::export::quoted;
use crate::knowledge::Library;
use crate::knowledge::directory::Finding;
use crate::knowledge::severity::Severity;
use crate::packs::{Overlay, Refused};
use crate::search::Searcher;

/// So many findings of a broken pack are told; `check` prints all.
const TOLD: usize = 3;

/// The library, with packs.
pub fn library(arguments: &Packs) -> Library<'static> {
    overlay(directories(arguments), tell).map_or_else(crate::library, |overlay| overlay.library)
}

/// The library, with packs, for a shell that completes a line: nothing is told.
pub fn library_quietly(arguments: &Packs) -> Library<'static> {
    overlay(directories(arguments), |_, _| {}).map_or_else(crate::library, |overlay| overlay.library)
}

/// The search, with packs.
pub fn searcher(arguments: &Packs) -> Searcher<'static> {
    overlay(directories(arguments), tell).map_or_else(crate::searcher, |overlay| overlay.searcher())
}

/// The library with the packs of `--pack` only: for what looks at packs themselves.
pub fn named_only(arguments: &Packs) -> Library<'static> {
    overlay(arguments.packs.clone(), tell).map_or_else(crate::library, |overlay| overlay.library)
}

/// Where packs are: those of the environment or the configuration directory, then those of `--pack`.
fn directories(arguments: &Packs) -> Vec<PathBuf> {
    let mut directories = match env::var_os("RDMANAV_PACKS") {
        Some(paths) => env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty()).collect(),
        None => configured(),
    };
    directories.extend(arguments.packs.iter().cloned());
    directories
}

/// The directories in `rdmanav/packs` of the configuration directory, by name.
fn configured() -> Vec<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let Some(configuration) = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config"))) else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(configuration.join("rdmanav/packs")) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let is_shown = |path: &Path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut paths: Vec<PathBuf> = paths.filter(|path| is_shown(path) && path.is_dir()).collect();
    paths.sort();
    paths
}

/// Lays the packs over the embedded knowledge. One that is broken is left out; `tell` says so. None where there is no pack.
fn overlay(directories: Vec<PathBuf>, tell: fn(&Refused, &str)) -> Option<Overlay> {
    if directories.is_empty() {
        return None;
    }
    let mut overlay = Overlay::new(crate::searcher());
    let mut seen = Vec::new();
    let mut is_used = false;
    for directory in directories {
        // A pack that is configured may be named as well.
        let resolved = directory.canonicalize().unwrap_or_else(|_| directory.clone());
        if seen.contains(&resolved) {
            continue;
        }
        seen.push(resolved);
        let shown = super::text(directory.as_os_str());
        match overlay.add(&directory, &shown) {
            Ok(()) => is_used = true,
            Err(refused) => tell(&refused, &shown),
        }
    }
    is_used.then_some(overlay)
}

fn tell(refused: &Refused, shown: &str) {
    match refused {
        Refused::Unreadable(error) => exit::error(&format!("pack {shown} is left out: {error}")),
        Refused::NoPack => {
            exit::error(&format!(
                "pack {shown} is left out: it has no pack.yaml with its name and title (docs/packs.md)"
            ));
        }
        Refused::Faulty(findings) => {
            let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
            let told: Vec<String> = errors.take(TOLD).map(Finding::to_string).collect();
            exit::error(&format!("pack {shown} is left out: {}", told.join("; ")));
            exit::hint(&format!("all that is wrong with it: rdmanav check {}", quoted(shown)));
        }
    }
}
