//! What the text of a line says.

use super::job::Death;
use super::line::Level;
use crate::render::foreign;

/// A network plugin, or a library that it needs, cannot be loaded or started. That the default name is not there is normal.
pub fn is_plugin_failure(text: &str, level: Option<Level>) -> bool {
    let of_plugin = level == Some(Level::Warn)
        && ["NET/OFI", "NET/FasTrak", "NET/GPUDirectTCPX"].iter().any(|name| text.starts_with(name));
    let of_loader = text.starts_with("NET/Plugin")
        && ["undefined symbol", "version `", "wrong ELF class"].iter().any(|sign| text.contains(sign));
    of_plugin || of_loader
}

/// What a job prints that was ended from outside.
pub const INTERRUPTIONS: [&str; 7] = [
    "KeyboardInterrupt",
    "DUE TO TIME LIMIT",
    "CANCELLED AT",
    "Job step aborted",
    "abort is already in progress",
    "Received SIGTERM",
    "Received SIGINT",
];

/// The line says that the job was ended from outside.
pub fn is_interrupted(text: &str) -> bool {
    text.trim() == "^C" || INTERRUPTIONS.iter().any(|sign| text.contains(sign))
}

/// The end of a process that a line tells of, and of which.
pub fn death(text: &str) -> Option<(Death, String)> {
    let crash = ["Caught signal 11", "Segmentation fault", "(exitcode: -11)", "exitcode: -6", "core dumped", "SIGSEGV"];
    let killed = ["Out of memory: Killed process", "oom-kill:", "(exitcode: -9)", "exitcode  : -9"];
    let memory = ["CUDA out of memory", "CUDA error: out of memory"];
    let death = if crash.iter().any(|sign| text.contains(sign)) {
        Death::Crash
    } else if killed.iter().any(|sign| text.contains(sign)) {
        Death::Killed
    } else if memory.iter().any(|sign| text.contains(sign)) {
        Death::CudaMemory
    } else {
        return None;
    };
    // `[node-b:90214:0:90214] Caught signal`, `local_rank: 7 (pid: 90214)`.
    let bracket = text.trim_start().strip_prefix('[').and_then(|rest| rest.split(']').next());
    let bracket = bracket.filter(|inside| inside.contains(':') && inside.chars().any(|c| c.is_ascii_alphabetic()));
    let rank = after(text, "local_rank: ").and_then(digits).map(|rank| format!("local rank {rank}"));
    let process = || after(text, "Killed process ").and_then(digits).map(|pid| format!("process {pid}"));
    let host = bracket.map(|inside| {
        let mut pieces = inside.split(':');
        format!("{}, process {}", pieces.next().unwrap_or_default(), pieces.next().unwrap_or("unknown"))
    });
    Some((death, host.or(rank).or_else(process).unwrap_or_default()))
}

/// What stands after a text.
pub fn after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.find(key).map(|at| &text[at + key.len()..])
}

pub fn digits(text: &str) -> Option<u32> {
    text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The status in all wordings: `error 12`, `status=12`, `status=IBV_WC_RETRY_EXC_ERR(12)`.
pub fn completion_status(text: &str) -> Option<u32> {
    if let Some(rest) = after(text, "status=") {
        return digits(rest).or_else(|| digits(after(rest, "(")?));
    }
    digits(after(text, "with error ")?)
}

/// `NAME set by environment to VALUE.` and `NAME set to VALUE`.
pub fn setting(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(" set by environment to ").or_else(|| text.split_once(" set to "))?;
    let is_name = name.starts_with("NCCL_") && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then(|| (name, value.trim().trim_end_matches('.')))
}

/// The name of a network or a plugin, as a sentence takes it: some that are known have blanks.
pub fn network(name: &str) -> String {
    const KNOWN: [&str; 2] = ["AWS Libfabric", "NCCL RDMA Plugin"];
    let is_version = |version: &str| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    let bare = name.rsplit_once(" v").filter(|(_, version)| is_version(version)).map_or(name, |(bare, _)| bare);
    if KNOWN.contains(&bare) { name.to_string() } else { foreign(name) }
}

/// At most eight names or values of a log, as a sentence takes them, and how many more.
pub fn names<T: AsRef<str>>(items: &[T]) -> String {
    list(&items.iter().map(|item| foreign(item.as_ref())).collect::<Vec<_>>())
}

/// At most eight of many, and how many more.
pub fn list<T: std::fmt::Display>(items: &[T]) -> String {
    const SHOWN: usize = 8;
    let mut out: Vec<String> = items.iter().take(SHOWN).map(ToString::to_string).collect();
    if items.len() > SHOWN {
        out.push(format!("and {} more", items.len() - SHOWN));
    }
    out.join(", ")
}
