//! Any bytes as a log: the line reader, the line model, the job, the rules and the text of the answer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rdmanav::answer::{Answer, findings};
use rdmanav::diagnose::{Diagnosis, read};

fuzz_target!(|bytes: &[u8]| {
    let library = rdmanav::library();
    thread_local! {
        // The automaton is built once.
        static DIAGNOSIS: std::cell::RefCell<Diagnosis<'static>> = std::cell::RefCell::new(Diagnosis::new(rdmanav::library()));
    }
    DIAGNOSIS.with_borrow_mut(|diagnosis| {
        let _ = read::lines(bytes, read::LONGEST_LINE, |number, line| diagnosis.line(0, number, line));
        let answer = findings::findings(diagnosis.findings(), diagnosis.job(), &["log".to_string()], false, true);
        let text = answer.document(&library);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
        let job = serde_json::to_string(diagnosis.job()).expect("a job is plain data");
        let again: rdmanav::diagnose::Job = serde_json::from_str(&job).expect("what was written can be read");
        let mut joined = diagnosis.take_job();
        joined.merge(again, 1);
    });
});
