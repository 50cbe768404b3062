//! `skill`: an Agent Skill made from the index.

use crate::knowledge::Library;
use crate::knowledge::library::NCCL_RELEASE;

/// The skill's name; its folder must have the same.
pub const NAME: &str = "rdma-network-nav";

/// What hosts route by: what it is, and when to use it. One line, at most 500 characters, no angle brackets.
const DESCRIPTION: &str = "Answers questions about RDMA verbs, InfiniBand, RoCE v2, lossless Ethernet and DCQCN, AI-cluster topology, GPUDirect RDMA, \
    NVLink, SHARP and NCCL from cited offline knowledge. Use when working with NCCL settings, logs or errors, slow or failing \
    multi-node GPU jobs, queue pairs and completion errors, GIDs, PFC or ECN, rail or fat-tree networks, or NCCL_ environment variables.";

/// The text of `SKILL.md` (agentskills.io specification).
pub fn skill(library: &Library<'_>) -> String {
    let mut triggers: Vec<&str> = Vec::new();
    let mut index = String::new();
    for section in library.sections.iter() {
        let first: Vec<&str> = section.triggers.iter().take(4).copied().collect();
        index.push_str(&format!("| `{}` | {} | {} |\n", section.id, section.title, first.join(", ")));
        triggers.extend(section.triggers.first());
    }
    let profiles: Vec<String> = library.profiles.keys().map(|id| format!("`{id}`")).collect();
    format!(
        "---\n\
         name: {NAME}\n\
         description: \"{DESCRIPTION}\"\n\
         license: MIT\n\
         metadata:\n  \
         version: \"{version}\"\n  \
         knowledge-date: \"{reviewed}\"\n  \
         nccl-release: \"{NCCL_RELEASE}\"\n  \
         triggers: \"{triggers}\"\n\
         ---\n\n\
         # RDMA and NCCL knowledge\n\n\
         The command `rdmanav` holds the knowledge. It works offline, prints markdown into a pipe, and cites a source for each claim.\n\n\
         ## How to use it\n\n\
         1. Ask: `rdmanav query \"WORDS\"`. Use the user's own words, an error line, a variable name or a code such as `status 12`. The first \
         part answers; others worth a look are listed below it.\n\
         2. Read more: `rdmanav show ID` prints a section, `rdmanav show ID#PART` one part of it.\n\
         3. Settings: `rdmanav env VARIABLE` says what an NCCL variable does, its values, its default and since when; \
         `rdmanav env 'NCCL_IB_*'` lists those that match; `rdmanav env PROFILE` prints what to set on a kind of cluster (profiles: {profiles}).\n\
         4. Logs: pipe an NCCL log into `rdmanav diagnose` (or give it files, also gzip): it names causes with evidence and advice, and says \
         when there is no fault. `--summary` prints the job. Do not read a long log yourself first.\n\
         5. Add `--format json` for data. Exit status: 0 answered, 1 nothing found (diagnose: findings), 2 wrong usage or nothing to read.\n\n\
         Quote figures with the release or hardware that the text names, and pass its sources on. Do not set a variable that a profile marks \
         as default or site-specific without saying so. When the exit status is 1, the knowledge does not cover the question: say that.\n\n\
         If `rdmanav` is not installed, say so and suggest `cargo install rdmanav`; do not answer from memory what it would have cited.\n\n\
         ## Sections\n\n\
         | ID | Title | Words that lead to it |\n|---|---|---|\n{index}",
        version = env!("CARGO_PKG_VERSION"),
        reviewed = library.reviewed(),
        triggers = triggers.join(", ").replace('"', ""),
        profiles = profiles.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_keeps_within_the_limits_of_hosts() {
        let text = skill(&crate::library());
        assert!(DESCRIPTION.chars().count() <= 500, "{}", DESCRIPTION.chars().count());
        assert!(!DESCRIPTION.contains(['<', '>', '\n', '"']));
        assert!(text.lines().count() < 500);
    }
}
