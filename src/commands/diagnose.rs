//! `rdmanav diagnose`

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::answer::findings;
use crate::cli::{Diagnose, FailOn};
use crate::commands::exit::{self, Failure, NOTHING_FOUND};
use crate::commands::output;
use crate::diagnose::{Diagnosis, Severity, read};

/// What stands for the standard input.
const STDIN: &str = "-";

/// Reads logs and prints the conclusions.
pub fn run(arguments: &Diagnose) -> Result<u8, Failure> {
    let library = crate::library();
    let mut diagnosis = Diagnosis::new(library);
    let mut files = Vec::new();
    let stdin = [std::ffi::OsString::from(STDIN)];
    let names = if arguments.logs.is_empty() { &stdin[..] } else { &arguments.logs };
    for (number, name) in names.iter().enumerate() {
        files.push(if name == STDIN { "stdin".to_string() } else { super::text(name) });
        let input = open(name).map_err(|error| unreadable(name, &error))?;
        let result = read::lines(input, |line, bytes| diagnosis.line(number, line, bytes));
        match result {
            Ok(()) => {}
            // What could be read counts: the end of a log is often cut off.
            Err(error) if matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput) => {
                exit::error(&format!(
                    "{}: the compressed file is cut short or damaged; what was read counts",
                    files[number]
                ));
            }
            Err(error) => return Err(unreadable(name, &error)),
        }
    }
    if diagnosis.job().is_empty() {
        return Err(Failure::Usage(
            "no NCCL lines found: run the job with NCCL_DEBUG=INFO (and NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,ENV,NET,GRAPH), \
             then give the output of all ranks, or the files of NCCL_DEBUG_FILE"
                .to_string(),
        ));
    }
    let answer = findings::findings(diagnosis.findings(), diagnosis.job(), &files, arguments.summary, arguments.notes);
    let least = if arguments.fail_on == Some(FailOn::Error) { Severity::Error } else { Severity::Warning };
    let failed = answer.worst() >= Some(least);
    let status = output::print(answer, &library, arguments.output)?;
    Ok(if failed { NOTHING_FOUND } else { status })
}

fn open(name: &OsStr) -> io::Result<Box<dyn Read>> {
    if name == STDIN {
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
