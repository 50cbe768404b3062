//! An Agent Skill (agentskills.io) made from the index: `SKILL.md`, a file of references a section, and where they are written.

pub mod folder;
mod references;
mod text;

pub use text::{Flavor, NAME};

use crate::knowledge::Library;

/// A file of the skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFile {
    /// From the skill's folder, with slashes.
    pub path: String,
    pub text: String,
}

/// The name of the file that hosts read first.
const SKILL_FILE: &str = "SKILL.md";

/// The folder of the references.
const REFERENCES: &str = "references";

/// The key under which `SKILL.md` holds the digest of all files: how a later run knows that nobody else changed them.
const DIGEST_KEY: &str = "content-digest";

/// All files of the skill, `SKILL.md` first.
pub fn files(flavor: Flavor, library: &Library<'_>) -> Vec<SkillFile> {
    let mut files = vec![SkillFile { path: SKILL_FILE.to_string(), text: text::skill(flavor, library) }];
    for section in library.sections.iter() {
        let path = format!("{REFERENCES}/{}.md", section.id);
        files.push(SkillFile { path, text: references::reference(&section, library) });
    }
    let digest = digest(&files);
    files[0].text = files[0].text.replacen(&digest_line(""), &digest_line(&digest), 1);
    files
}

fn digest_line(digest: &str) -> String {
    format!("  {DIGEST_KEY}: \"{digest}\"\n")
}

/// The digest of files in any order, as if the line that holds it were empty. It tells changes by accident, not by an attacker (FNV-1a).
fn digest(files: &[SkillFile]) -> String {
    let mut sorted: Vec<&SkillFile> = files.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for file in sorted {
        add(&file.path);
        match stored_digest(&file.text).filter(|_| file.path == SKILL_FILE) {
            Some(stored) => add(&file.text.replacen(&digest_line(stored), &digest_line(""), 1)),
            None => add(&file.text),
        }
    }
    format!("{hash:016x}")
}

/// The digest that a `SKILL.md` carries.
fn stored_digest(text: &str) -> Option<&str> {
    let front = text.strip_prefix("---\n")?.split_once("\n---\n")?.0;
    let line = front.lines().find_map(|line| line.strip_prefix("  ")?.strip_prefix(DIGEST_KEY))?;
    line.strip_prefix(": \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_tells_any_change() {
        let mut files = files(Flavor::Standard, &crate::library());
        let stored = stored_digest(&files[0].text).unwrap().to_string();
        assert_eq!(stored.len(), 16);
        assert_eq!(digest(&files), stored);
        files.reverse();
        assert_eq!(digest(&files), stored);
        files[3].text.push('x');
        assert_ne!(digest(&files), stored);
        files[3].text.pop();
        files.pop();
        assert_ne!(digest(&files), stored);
    }
}
