//! Any bytes as what `diagnose --jsonl` of several hosts printed: logs are digested, fields of their digests are replaced, and all are merged.
//! The first byte says whether the rest is taken as lines of JSON or as logs, each a host's.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rdmanav::answer::{Answer, findings};
use rdmanav::diagnose::{Diagnosis, Job, read};

thread_local! {
    // The automaton is built once.
    static DIAGNOSIS: std::cell::RefCell<Diagnosis<'static>> = std::cell::RefCell::new(Diagnosis::new(rdmanav::library()));
}

/// The job of a log as JSON. Text in it is replaced by text of the fuzzer, as a hand-made line may have it.
fn digest(diagnosis: &mut Diagnosis<'_>, log: &[u8], text: &str) -> String {
    let _ = read::lines(log, read::LONGEST_LINE, |number, line| diagnosis.line(0, number, line));
    let job = serde_json::to_value(diagnosis.take_job()).expect("a job is plain data");
    let text = serde_json::to_string(text).expect("text is plain data");
    job.to_string().replace("\"node-a\"", &text).replace("\"Socket\"", &text).replace("\"eth0\"", &text)
}

/// As the command takes it from a line.
fn job(mut json: serde_json::Value) -> Option<Job> {
    rdmanav::render::clean_json(&mut json);
    serde_json::from_value(json).ok()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let library = rdmanav::library();
    DIAGNOSIS.with_borrow_mut(|diagnosis| {
        let mut jobs: Vec<Job> = Vec::new();
        if first % 2 == 0 {
            jobs.extend(bytes.split(|byte| *byte == b'\n').filter_map(|line| job(serde_json::from_slice(line).ok()?)));
        } else {
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
            for log in bytes.split(|byte| *byte == 0) {
                jobs.extend(serde_json::from_str(&digest(diagnosis, log, &text)).ok().and_then(job));
            }
        }
        let mut files = Vec::new();
        for job in jobs {
            diagnosis.merge(job, files.len());
            files.push(format!("host:{}", files.len()));
        }
        let answer = findings::findings(diagnosis.findings(), diagnosis.job(), &files, true, true);
        let text = answer.document(&library);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        let json = serde_json::to_string(&answer).expect("an answer is plain data");
        assert!(!json.chars().any(|c| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')), "{json:?}");
        diagnosis.take_job();
    });
});
