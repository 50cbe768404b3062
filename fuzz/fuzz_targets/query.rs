//! Any text as a question.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let question = String::from_utf8_lossy(bytes);
    let searcher = rdmanav::searcher();
    let outcome = searcher.search(&question, None, 10);
    for hit in &outcome.hits {
        searcher.why(&outcome, hit);
    }
});
