//! `rdmanav diagnose`

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::answer::findings;
use crate::cli::{Diagnose, FailOn};
use crate::commands::exit::{self, Failure, NOTHING_FOUND};
use crate::commands::output;
use crate::diagnose::{Diagnosis, Job, read};

/// What stands for the standard input.
const STDIN: &str = "-";

/// Reads logs and prints the conclusions.
pub fn run(arguments: &Diagnose) -> Result<u8, Failure> {
    let library = super::packs::library(&arguments.packs);
    let stdin = [std::ffi::OsString::from(STDIN)];
    let names = if arguments.logs.is_empty() { &stdin[..] } else { &arguments.logs };
    let mut diagnosis = Diagnosis::new(library);
    let mut files = Vec::new();
    if arguments.merge {
        for name in names {
            read(name, read::LONGEST_DIGEST, |number, bytes| {
                merge_line(number, bytes, name, &mut diagnosis, &mut files)
            })?;
        }
    } else if arguments.jsonl {
        return digest(names, diagnosis);
    } else {
        for (number, name) in names.iter().enumerate() {
            files.push(file_name(name));
            read(name, read::LONGEST_LINE, |line, bytes| {
                diagnosis.line(number, line, bytes);
                Ok(())
            })?;
        }
    }
    if diagnosis.job().is_empty() {
        return Err(Failure::Usage(NO_LINES.to_string()));
    }
    let answer = findings::findings(diagnosis.findings(), diagnosis.job(), &files, arguments.summary, arguments.notes);
    let least = FailOn::severity(arguments.fail_on);
    let failed = answer.worst() >= Some(least);
    let status = output::print(answer, &library, arguments.output)?;
    Ok(if failed { NOTHING_FOUND } else { status })
}

const NO_LINES: &str = "no NCCL lines found: run the job with NCCL_DEBUG=INFO (and NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,ENV,NET,GRAPH), then give \
                        the output of all ranks, or the files of NCCL_DEBUG_FILE";

/// What one run learnt of one log.
#[derive(Serialize, Deserialize)]
struct Digest {
    schema: String,
    /// The first host in the log.
    host: String,
    file: String,
    job: Job,
}

const DIGEST: &str = "rdmanav.job/1";

/// One line of JSON a log. That a log has nothing of NCCL is no error here: others will have.
fn digest(names: &[std::ffi::OsString], mut diagnosis: Diagnosis<'_>) -> Result<u8, Failure> {
    for name in names {
        read(name, read::LONGEST_LINE, |line, bytes| {
            diagnosis.line(0, line, bytes);
            Ok(())
        })?;
        let job = diagnosis.take_job();
        let host = job.hosts.keys().find(|host| !host.is_empty()).cloned().unwrap_or_default();
        let digest = Digest { schema: DIGEST.to_string(), host, file: file_name(name), job };
        let line = serde_json::to_string(&digest).expect("a job is plain data");
        output::write(&(line + "\n"))?;
    }
    Ok(crate::commands::exit::ANSWERED)
}

/// Adds a line of `--jsonl`, with whatever a launcher put in front of it.
fn merge_line(
    number: usize,
    bytes: &[u8],
    name: &OsStr,
    diagnosis: &mut Diagnosis<'_>,
    files: &mut Vec<String>,
) -> Result<(), Failure> {
    let text = String::from_utf8_lossy(bytes);
    let Some(start) = text.find('{') else { return Ok(()) };
    let bad = |error: &dyn std::fmt::Display| {
        let place = format!("{}:{number}", file_name(name));
        Failure::Usage(format!("{place}: no line of `rdmanav diagnose --jsonl`: {error}"))
    };
    // Anybody may have written the line.
    let mut json = serde_json::from_str(&text[start..]).map_err(|error| bad(&error))?;
    crate::render::clean_json(&mut json);
    let digest: Digest = serde_json::from_value(json).map_err(|error| bad(&error))?;
    if digest.schema != DIGEST {
        return Err(bad(&format!("schema {}, not {DIGEST}", digest.schema)));
    }
    diagnosis.merge(digest.job, files.len());
    let host = if digest.host.is_empty() { String::new() } else { format!("{}:", digest.host) };
    files.push(crate::render::clean_line(&format!("{host}{}", digest.file)));
    Ok(())
}

fn file_name(name: &OsStr) -> String {
    if name == STDIN { "stdin".to_string() } else { super::text(name) }
}

/// Reads an input line by line. Of a compressed file that is cut short what could be read counts.
fn read(
    name: &OsStr,
    longest: usize,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let input = open(name).map_err(|error| unreadable(name, &error))?;
    let mut failure = None;
    let result = read::lines(input, longest, |number, bytes| {
        if failure.is_none() {
            failure = take(number, bytes).err();
        }
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    match result {
        Ok(()) => Ok(()),
        Err(error) if matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput) => {
            exit::error(&format!(
                "{}: the compressed file is cut short or damaged; what was read counts",
                file_name(name)
            ));
            Ok(())
        }
        Err(error) => Err(unreadable(name, &error)),
    }
}

fn open(name: &OsStr) -> io::Result<Box<dyn Read>> {
    if name == STDIN {
        if io::stdin().is_terminal() {
            exit::hint(
                "reading a log from the terminal: paste it and end with Ctrl-D; from a file: rdmanav diagnose nccl.log",
            );
        }
        return Ok(Box::new(io::stdin().lock()));
    }
    let path = Path::new(name);
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory; give its files"));
    }
    Ok(Box::new(File::open(path)?))
}

fn unreadable(name: &OsStr, error: &io::Error) -> Failure {
    Failure::Usage(format!("{} cannot be read: {error}", super::text(name)))
}
