//! NCCL logs -> what the job is, and what is wrong with it.
//!
//! A log is read line by line (`read`); each line is taken apart (`line`), matched with the signatures (`patterns`), and leaves what it
//! says in the job (`job`). What follows from several lines is decided at the end (`rules`). Memory does not grow with the log.

mod evidence;
pub mod finding;
pub mod job;
pub mod line;
mod merge;
mod path;
pub mod patterns;
pub mod read;
pub mod rules;
mod setup;
pub(crate) mod text;

pub use finding::{Finding, Severity};
pub use job::Job;

use crate::knowledge::Library;
use patterns::Patterns;

/// Reads logs and draws conclusions.
pub struct Diagnosis<'a> {
    library: Library<'a>,
    patterns: Patterns<'a>,
    job: Job,
    /// Bytes read while the automaton has its first form.
    read: usize,
}

/// From so many bytes on the faster automaton pays: building it takes as long as reading these with the first one.
const MUCH: usize = 16 * 1024 * 1024;

impl<'a> Diagnosis<'a> {
    /// Builds the automaton over the signatures.
    pub fn new(library: Library<'a>) -> Self {
        Diagnosis { library, patterns: Patterns::new(&library), job: Job::default(), read: 0 }
    }

    /// Takes a line of a file; `number` counts from 1. The line may hold anything.
    pub fn line(&mut self, file: usize, number: usize, bytes: &[u8]) {
        if self.read < MUCH {
            self.read += bytes.len();
            if self.read >= MUCH {
                self.patterns.prepare_for_much();
            }
        }
        // Most lines of a long log say nothing of the job.
        if !self.patterns.is_relevant(bytes) && !self.job.wants_all() {
            return self.job.skip(file, bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        let text = crate::render::clean(text.trim_end_matches(['\n', '\r']));
        let line = line::parse(&text);
        let place = job::Place { file, line: number };
        let signature = self.patterns.find(line.text).map(|hit| self.library.signatures.key(hit.signature));
        self.job.take(&line, signature, place);
    }

    /// Adds a job that another run read from its log.
    pub fn merge(&mut self, job: Job, files: usize) {
        self.job.merge(job, files);
    }

    /// Takes out what was learnt, and begins anew.
    pub fn take_job(&mut self) -> Job {
        std::mem::take(&mut self.job)
    }

    /// What was learnt of the job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The conclusions, the worst and most certain first.
    pub fn findings(&self) -> Vec<Finding> {
        rules::findings(&self.job, &self.library)
    }
}
