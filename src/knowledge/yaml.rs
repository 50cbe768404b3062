//! The only place that knows the YAML libraries, so that they can be replaced.

use saphyr_parser::{Event, Parser};
use serde::Deserialize;

/// A parsed YAML document that entries borrow their text from.
pub type Tree = serde_yaml::Value;

/// What is wrong with a document, and where.
#[derive(Debug)]
pub struct YamlError {
    /// Line within the document, counted from 1, where the parser knows it.
    pub line: Option<usize>,
    pub message: String,
}

/// Nobody nests so deep.
const DEEPEST: usize = 32;

/// Parses a document into a tree. An alias is refused, since the tree would hold a copy of what it stands for, and so is what nests without end.
pub fn parse(text: &str) -> Result<Tree, YamlError> {
    look_over(text)?;
    serde_yaml::from_str(text).map_err(|error| YamlError {
        line: error.location().map(|location| location.line()),
        // The position counts from the start of the document, which is not that of a section's file.
        message: error.to_string().split(" at line ").next().unwrap_or_default().to_string(),
    })
}

/// Looks for what would make a tree far larger, or deeper, than its text.
fn look_over(text: &str) -> Result<(), YamlError> {
    // Nobody needs one, and the tree's parser looks at all of them for each.
    if let Some(line) = text.lines().position(|line| line.starts_with('%')) {
        return Err(YamlError { line: Some(line + 1), message: "has a directive (%); take it out".to_string() });
    }
    let mut depth = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event
            .map_err(|error| YamlError { line: Some(error.marker().line()), message: error.info().to_string() })?;
        let fault = |message: &str| Err(YamlError { line: Some(span.start.line()), message: message.to_string() });
        match event {
            Event::Alias(_) => return fault("has an alias (*name); write out what it stands for"),
            Event::SequenceStart(..) | Event::MappingStart(..) if depth == DEEPEST => return fault("nests too deeply"),
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth -= 1,
            _ => {}
        }
    }
    Ok(())
}

/// Reads one entry out of a tree. The message of an error names the path of the key.
pub fn entry<'a, T: Deserialize<'a>>(tree: &'a Tree) -> Result<T, YamlError> {
    serde_path_to_error::deserialize(tree).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner().to_string();
        let hint = if problem.contains("expected a borrowed string") { " (put the value in quotes)" } else { "" };
        let message = if path == "." { problem } else { format!("{path}: {problem}{hint}") };
        YamlError { line: None, message }
    })
}

/// The items of a list document; an empty document is an empty list.
pub fn items(tree: &Tree) -> Result<&[Tree], YamlError> {
    match tree {
        Tree::Sequence(items) => Ok(items),
        Tree::Null => Ok(&[]),
        _ => Err(YamlError { line: None, message: "must be a list".to_string() }),
    }
}

/// All texts of a tree, keys too.
pub fn texts(tree: &Tree) -> Box<dyn Iterator<Item = &str> + '_> {
    match tree {
        Tree::String(text) => Box::new(std::iter::once(&**text)),
        Tree::Sequence(items) => Box::new(items.iter().flat_map(texts)),
        Tree::Mapping(map) => Box::new(map.iter().flat_map(|(key, value)| texts(key).chain(texts(value)))),
        Tree::Tagged(tagged) => texts(&tagged.value),
        _ => Box::new(std::iter::empty()),
    }
}

/// The text under a key of a map, where there is one.
pub fn text<'a>(tree: &'a Tree, key: &str) -> Option<&'a str> {
    tree.get(key).and_then(Tree::as_str)
}
