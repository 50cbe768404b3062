//! The kind of a file, from its name and its content.

use super::source::Kind;

/// Of a long file the beginning tells.
const LOOKED_AT: usize = 64 * 1024;

/// What `/proc/PID/environ` holds: entries that end with NUL, nearly all `NAME=value`.
pub(super) fn is_environ(bytes: &[u8]) -> bool {
    let entries = bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    let (mut with_name, mut all) = (0_usize, 0_usize);
    for entry in entries.take(1000) {
        all += 1;
        let name = entry.split(|byte| *byte == b'=').next().unwrap_or_default();
        let is_name = name.len() < entry.len() && name.iter().all(u8::is_ascii_graphic);
        with_name += usize::from(is_name && !name.is_empty());
    }
    with_name > 0 && with_name * 10 >= all * 9
}

/// The kind that a name tells by itself; directories do not count.
pub(super) fn by_name(name: &str) -> Option<Kind> {
    let base = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let extension = base.rsplit_once('.').map_or("", |(_, extension)| extension);
    Some(match &*base {
        "nccl.conf" | ".nccl.conf" => Kind::Conf,
        // DeepSpeed takes lines as they are.
        ".deepspeed_env" | "env.list" | "env-file" | "envfile" => Kind::EnvFile,
        "environment" | ".env" => Kind::Dotenv,
        "environ" => Kind::Dump,
        ".bashrc" | ".bash_profile" | ".profile" | ".zshrc" | ".bash_aliases" | "bashrc" | "profile" => Kind::Shell,
        "docker-compose.yml" | "docker-compose.yaml" | "compose.yml" | "compose.yaml" => Kind::Compose,
        _ if base.ends_with("nccl.conf") => Kind::Conf,
        _ if base.starts_with("dockerfile") || base.starts_with("containerfile") => Kind::Dockerfile,
        _ if base.starts_with(".env.") => Kind::Dotenv,
        _ => match extension {
            "sh" | "bash" | "zsh" | "ksh" | "sbatch" | "slurm" | "slrm" | "sub" | "job" | "pbs" | "qsub" | "lsf"
            | "csh" | "fish" => Kind::Shell,
            "dockerfile" | "containerfile" => Kind::Dockerfile,
            "yaml" | "yml" => Kind::Yaml,
            "py" => Kind::Python,
            "list" if base.contains("env") => Kind::EnvFile,
            "env" if base.contains("docker") => Kind::EnvFile,
            "env" | "dotenv" => Kind::Dotenv,
            "log" => Kind::Log,
            _ => return None,
        },
    })
}

/// The kind of a text: by name, and where that does not tell by content.
pub(super) fn find(name: &str, text: &str) -> Kind {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    match by_name(name) {
        Some(Kind::Yaml) => yaml(text),
        // Whatever a name says, a log is one, and so is what a job printed into `train.out`.
        Some(Kind::Log) | None => by_content(text),
        Some(kind) => kind,
    }
}

/// Which YAML it is.
fn yaml(text: &str) -> Kind {
    let has = |key: &str| text.lines().any(|line| line.trim_end().starts_with(key));
    if has("services:") && !has("apiVersion:") {
        Kind::Compose
    } else if has("apiVersion:") || has("kind:") {
        Kind::Kubernetes
    } else {
        Kind::Yaml
    }
}

fn by_content(text: &str) -> Kind {
    if text.contains(" set by environment to ") || text.contains(" NCCL INFO ") || text.contains("NCCL version ") {
        return Kind::Log;
    }
    let first = text.lines().next().unwrap_or_default();
    if let Some(program) = first.strip_prefix("#!") {
        return if program.contains("python") { Kind::Python } else { Kind::Shell };
    }
    let lines = || {
        text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    };
    let first = lines().next().unwrap_or_default();
    if first.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("from"))
        && !text.contains("import ")
    {
        return Kind::Dockerfile;
    }
    if lines().any(|line| line.starts_with("apiVersion:") || line.starts_with("services:")) {
        return yaml(text);
    }
    if lines().any(|line| line.starts_with("import ") || line.contains("os.environ")) {
        return Kind::Python;
    }
    let names = ["PATH=", "HOME=", "PWD=", "SHLVL=", "USER=", "LANG="];
    let of_process = names.iter().filter(|name| lines().any(|line| line.starts_with(**name))).count();
    let assigns = |line: &str| {
        line.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains([' ', '\t', '"', '\'']))
    };
    if of_process >= 2 && lines().filter(|line| assigns(line)).count() * 2 > lines().count() {
        return Kind::Dump;
    }
    if lines().next().is_some() && lines().all(assigns) && lines().all(|line| !line.contains("$(")) {
        // Quotes: for whom they are is not known, but that a shell or a dotenv library reads them is likelier.
        return Kind::Dotenv;
    }
    if text.contains("\n- ") && lines().filter(|line| line.contains(": ")).count() * 2 > lines().count() {
        return Kind::Yaml;
    }
    Kind::Shell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_kind() {
        for (name, kind) in [
            ("a/Dockerfile", Kind::Dockerfile),
            ("Dockerfile.gpu", Kind::Dockerfile),
            ("p6.dockerfile", Kind::Dockerfile),
            ("job.sbatch", Kind::Shell),
            ("/etc/nccl.conf", Kind::Conf),
            ("h200.nccl.conf", Kind::Conf),
            (".env", Kind::Dotenv),
            (".env.local", Kind::Dotenv),
            ("nccl.env", Kind::Dotenv),
            ("env.list", Kind::EnvFile),
            (".deepspeed_env", Kind::EnvFile),
            ("compose.yaml", Kind::Compose),
            ("values.yaml", Kind::Yaml),
            ("/proc/1/environ", Kind::Dump),
            ("train.py", Kind::Python),
        ] {
            assert_eq!(find(name, ""), kind, "{name}");
        }
        assert_eq!(by_name("train"), None);
    }

    #[test]
    fn content_tells_the_kind() {
        for (text, kind) in [
            ("#!/bin/bash\n", Kind::Shell),
            ("#!/usr/bin/env python3\n", Kind::Python),
            ("# x\nFROM a\nENV A=1\n", Kind::Dockerfile),
            ("import os\nos.environ['A'] = '1'\n", Kind::Python),
            ("apiVersion: v1\nkind: Pod\n", Kind::Kubernetes),
            ("services:\n  a:\n    image: b\n", Kind::Compose),
            ("HOME=/root\nPATH=/bin\nNCCL_DEBUG=INFO\n", Kind::Dump),
            ("NCCL_DEBUG=INFO\n# c\nNCCL_IB_HCA==mlx5_0\n", Kind::Dotenv),
            ("a:1:2 [0] NCCL INFO NCCL_DEBUG set by environment to INFO.\n", Kind::Log),
            ("export A=1\n", Kind::Shell),
            ("", Kind::Shell),
        ] {
            assert_eq!(find("stdin", text), kind, "{text}");
        }
        assert_eq!(find("x.yaml", "services:\n  a: {}\n"), Kind::Compose);
        assert_eq!(find("x.yaml", "apiVersion: v1\n"), Kind::Kubernetes);
        assert!(is_environ(b"A=1\0B=2\0"));
        assert!(!is_environ(b"\x7fELF\0\0\x01\0abc\0"));
    }
}
