//! The only place that knows the YAML library, so that it can be replaced.

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

/// Parses a document into a tree.
pub fn parse(text: &str) -> Result<Tree, YamlError> {
    serde_yaml::from_str(text).map_err(|error| YamlError {
        line: error.location().map(|location| location.line()),
        // The position counts from the start of the document, which is not that of a section's file.
        message: error.to_string().split(" at line ").next().unwrap_or_default().to_string(),
    })
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
