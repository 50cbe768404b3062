//! `rdmanav context`

use crate::agent::context;
use crate::cli::Context;
use crate::commands::exit::Failure;
use crate::commands::output;

/// What fits beside other material in most prompts.
pub const DEFAULT_TOKENS: u32 = 4000;

/// Packs parts for a prompt.
pub fn run(arguments: &Context) -> Result<u8, Failure> {
    let searcher = super::packs::searcher(&arguments.packs);
    let max_tokens = arguments.max_tokens.unwrap_or(DEFAULT_TOKENS) as usize;
    let texts = |words: &[std::ffi::OsString]| words.iter().map(|word| super::text(word)).collect::<Vec<_>>();
    let found = if arguments.sections.is_empty() {
        let question = texts(&arguments.words).join(" ");
        if question.trim().is_empty() {
            return Err(Failure::Usage("the question is empty; try: rdmanav context DCQCN".to_string()));
        }
        context::of_question(&question, &searcher)?
    } else {
        if arguments.sections.len() > context::MOST_SECTIONS {
            return Err(Failure::Usage(format!(
                "more than {} sections; name the few that matter",
                context::MOST_SECTIONS
            )));
        }
        context::of_sections(&texts(&arguments.sections), &searcher.library)?
    };
    let answer = found.pack(max_tokens)?;
    output::print(answer, &searcher.library, arguments.output)
}
