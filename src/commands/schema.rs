//! `rdmanav schema`

use crate::answer::schema;
use crate::cli::Schema;
use crate::commands::exit::Failure;
use crate::commands::output;

/// Prints the JSON Schema of an answer, or one that holds all.
pub fn run(arguments: &Schema) -> Result<u8, Failure> {
    let schema = match &arguments.answer {
        Some(name) => schema::schema(&super::text(name))?,
        None => schema::bundle(),
    };
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
    text.push('\n');
    output::write(&text)
}
