//! `rdmanav query`

use crate::answer::NotFound;
use crate::answer::query::{self, View};
use crate::cli::{Format, Query};
use crate::commands::exit::{self, Failure};
use crate::commands::output;

/// The answer and what fits below it on one screen.
const DEFAULT_HITS: u16 = 6;

/// Answers a question.
pub fn run(arguments: &Query) -> Result<u8, Failure> {
    let words: Vec<String> = arguments.words.iter().map(|word| super::text(word)).collect();
    let question = words.join(" ");
    if question.trim().is_empty() {
        return Err(Failure::Usage("the question is empty; try: rdmanav query DCQCN".to_string()));
    }
    let searcher = super::packs::searcher(&arguments.packs);
    let json = output::format(arguments.output) == Format::Json;
    let view = View { list: arguments.list, why: arguments.why || json };
    let answer = query::query(
        &question,
        arguments.kind.map(Into::into),
        usize::from(arguments.number.unwrap_or(DEFAULT_HITS)),
        view,
        &searcher,
    );
    for (typed, taken) in &answer.corrections {
        exit::hint(&format!("did you mean \"{taken}\"? \"{typed}\" is not known"));
    }
    if !answer.hits.is_empty() {
        return output::print(answer, &searcher.library, arguments.output);
    }
    let nothing = NotFound::answer(&answer.near);
    if json {
        output::print(answer, &searcher.library, arguments.output)?;
    }
    Err(nothing.into())
}
