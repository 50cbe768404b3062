//! YAML text -> nodes with their places.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::lint::source::Quote;

/// More nodes than this are not kept.
const MOST_NODES: usize = 1_000_000;

/// Deeper nodes are not kept: nobody nests a configuration so.
pub(super) const DEEPEST: usize = 200;

/// The nodes of all documents of a file. A node is a number, and an alias that of what it stands for: nothing is copied.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) documents: Vec<usize>,
    /// The values of the keys of large maps: aliases may ask for them again and again.
    large: HashMap<usize, HashMap<String, usize>>,
}

/// A map with more keys is a large one.
const LARGE: usize = 32;

/// So many maps are looked into for a key that `<<` brings in.
const MOST_MERGED: usize = 32;

/// A node, and where it begins and ends: byte offsets in the text.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Scalar {
        text: String,
        quote: Quote,
        /// A tag says that it is text: `!!str 1`.
        tagged: bool,
    },
    List(Vec<usize>),
    /// Keys and values.
    Map(Vec<(usize, usize)>),
}

/// Why there is no tree.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) line: Option<usize>,
}

/// A collection that is being read.
struct Open {
    node: usize,
    /// A key that waits for its value.
    key: Option<usize>,
}

/// Reads text.
///
/// # Errors
/// Text that is no YAML, too deep or too much of it.
pub(super) fn parse(text: &str) -> Result<Tree, Failure> {
    let mut tree = Tree::default();
    let mut offsets = Offsets { text, character: 0, byte: 0 };
    let mut anchors: HashMap<usize, usize> = HashMap::new();
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| Failure { message: error.info().to_string(), line: Some(error.marker().line()) })?;
        let limit = |what: &str| Failure { message: what.to_string(), line: Some(span.start.line()) };
        if tree.nodes.len() >= MOST_NODES {
            return Err(limit("it has too many nodes"));
        }
        let opens = matches!(event, Event::SequenceStart(..) | Event::MappingStart(..));
        let (node, anchor) = match event {
            Event::Alias(anchor) => (anchors.get(&anchor).copied(), 0),
            Event::Scalar(value, style, anchor, tag) => {
                let quote = match style {
                    ScalarStyle::Plain => Quote::None,
                    ScalarStyle::SingleQuoted => Quote::Single,
                    ScalarStyle::DoubleQuoted => Quote::Double,
                    ScalarStyle::Literal | ScalarStyle::Folded => Quote::Block,
                };
                let tagged = tag.is_some_and(|tag| tag.suffix == "str" || tag.suffix == "tag:yaml.org,2002:str");
                let content = Content::Scalar { text: value.into_owned(), quote, tagged };
                (Some(tree.add(span, content, &mut offsets)), anchor)
            }
            Event::SequenceStart(anchor, _) => (Some(tree.add(span, Content::List(Vec::new()), &mut offsets)), anchor),
            Event::MappingStart(anchor, _) => (Some(tree.add(span, Content::Map(Vec::new()), &mut offsets)), anchor),
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(closed) = open.pop() {
                    tree.close(closed.node);
                }
                continue;
            }
            _ => continue,
        };
        let Some(node) = node else { continue };
        if anchor > 0 {
            anchors.insert(anchor, node);
        }
        match open.last_mut() {
            None => tree.documents.push(node),
            Some(parent) => match (&mut tree.nodes[parent.node].content, parent.key.take()) {
                (Content::List(items), _) => items.push(node),
                (Content::Map(pairs), Some(key)) => pairs.push((key, node)),
                (Content::Map(_), None) => parent.key = Some(node),
                (Content::Scalar { .. }, _) => {}
            },
        }
        if opens {
            if open.len() >= DEEPEST {
                return Err(limit("it is nested too deep"));
            }
            open.push(Open { node, key: None });
        }
    }
    Ok(tree)
}

impl Tree {
    fn add(&mut self, span: Span, content: Content, offsets: &mut Offsets<'_>) -> usize {
        let (start, end) = (offsets.byte(span.start.index()), offsets.end(span.start.index(), span.end.index()));
        self.nodes.push(Node { start, end, content });
        self.nodes.len() - 1
    }

    /// The text of a scalar.
    pub(super) fn text(&self, node: usize) -> Option<&str> {
        match &self.nodes[node].content {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The items of a list.
    pub(super) fn items(&self, node: usize) -> &[usize] {
        if let Content::List(items) = &self.nodes[node].content { items } else { &[] }
    }

    /// The keys and values of a map.
    pub(super) fn pairs(&self, node: usize) -> &[(usize, usize)] {
        if let Content::Map(pairs) = &self.nodes[node].content { pairs } else { &[] }
    }

    /// A collection has all that stands in it.
    fn close(&mut self, node: usize) {
        let pairs = self.pairs(node);
        if pairs.len() > LARGE {
            let mut values = HashMap::new();
            // Of a key that stands there twice the last value counts.
            for (name, value) in pairs {
                if let Some(name) = self.text(*name) {
                    values.insert(name.to_string(), *value);
                }
            }
            self.large.insert(node, values);
        }
    }

    /// The value of a key, also of one that `<<` brings in.
    pub(super) fn get(&self, node: usize, key: &str) -> Option<usize> {
        let mut left = MOST_MERGED;
        self.look_up(node, key, 0, &mut left)
    }

    fn look_up(&self, node: usize, key: &str, depth: usize, left: &mut usize) -> Option<usize> {
        let own = self.own(node, key);
        if own.is_some() || depth > 4 || *left == 0 {
            return own;
        }
        *left -= 1;
        let merged = self.own(node, "<<")?;
        let list = self.items(merged);
        // Aliases in aliases in aliases: some are enough.
        std::iter::once(&merged).chain(list.iter().take(8)).find_map(|node| self.look_up(*node, key, depth + 1, left))
    }

    /// The value of a key that the map has itself.
    fn own(&self, node: usize, key: &str) -> Option<usize> {
        if let Some(values) = self.large.get(&node) {
            return values.get(key).copied();
        }
        let mut pairs = self.pairs(node).iter().rev();
        pairs.find(|(name, _)| self.text(*name) == Some(key)).map(|(_, value)| *value)
    }
}

/// Offsets in characters -> offsets in bytes, going forward.
struct Offsets<'t> {
    text: &'t str,
    character: usize,
    byte: usize,
}

impl Offsets<'_> {
    fn byte(&mut self, character: usize) -> usize {
        if character < self.character {
            // Keys are told of after what follows them was seen: a step back.
            while self.character > character {
                self.character -= 1;
                self.byte = self.text[..self.byte].char_indices().next_back().map_or(0, |(at, _)| at);
            }
            return self.byte;
        }
        let steps = character - self.character;
        let rest = &self.text[self.byte..];
        self.byte += rest.char_indices().nth(steps).map_or(rest.len(), |(at, _)| at);
        self.character = character;
        self.byte
    }

    fn end(&mut self, start: usize, end: usize) -> usize {
        let end = self.byte(end.max(start));
        self.byte(start);
        end
    }
}
