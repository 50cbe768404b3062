//! A section file: front matter and markdown body, split into parts.

use std::borrow::Cow;

use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};
use serde::Deserialize;

use super::markdown;
use super::model::{Kind, Part, Section};
use super::yaml::{self, YamlError};

/// The two halves of a section file, not yet understood.
pub struct Split<'a> {
    pub front_matter: &'a str,
    pub body: &'a str,
    /// Lines of the file above the body.
    pub lines_above_body: usize,
}

/// Splits a file at its `---` lines. `None` when it has no front matter.
pub fn split(text: &str) -> Option<Split<'_>> {
    let rest = text.strip_prefix("---\n")?;
    let end = rest.find("\n---\n")?;
    let body = &rest[end + "\n---\n".len()..];
    let lines_above_body = markdown::line_at(text, text.len() - body.len()) - 1;
    Some(Split { front_matter: &rest[..=end], body, lines_above_body })
}

/// Whether a line of the body stands in more quotes and lists than anybody writes: the markdown parser looks at all of them for each line.
pub fn nests_deeply(body: &str) -> bool {
    const DEEPEST: usize = 64;
    // An item of a list is indented by two columns at least.
    body.lines().map(opened).any(|(marks, columns)| marks > DEEPEST || columns / 2 > 2 * DEEPEST)
}

/// How many quotes, lists, definitions and footnotes a line opens, and by how many columns it is indented between their marks.
fn opened(line: &str) -> (usize, usize) {
    let (mut marks, mut columns, mut rest) = (0, 0, line.as_bytes());
    loop {
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        columns += rest[..blanks].iter().map(|&byte| if byte == b'\t' { 4 } else { 1 }).sum::<usize>();
        rest = &rest[blanks..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let ends = |at: usize| rest.get(at).is_none_or(u8::is_ascii_whitespace);
        let length = match rest {
            [b'>' | b':', ..] => 1,
            [b'-' | b'*' | b'+', ..] if ends(1) => 1,
            [..] if digits > 0 && matches!(rest.get(digits), Some(b'.' | b')')) && ends(digits + 1) => digits + 1,
            [b'[', b'^', ..] => match name_end(rest) {
                Some(end) if rest.get(end + 1) == Some(&b':') => end + 2,
                _ => return (marks, columns),
            },
            _ => return (marks, columns),
        };
        marks += 1;
        rest = &rest[length..];
    }
}

/// The bracket that ends a footnote's name: one behind a backslash does not.
fn name_end(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|&byte| {
        let ends = byte == b']' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// What a section of a pack does to the section of this id that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// There is none.
    #[default]
    Add,
    /// It stands in its place.
    Replace,
    /// Its parts, triggers and links are added.
    Append,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter<'a> {
    id: &'a str,
    #[serde(default)]
    change: Change,
    title: &'a str,
    kind: Kind,
    summary: &'a str,
    triggers: Vec<&'a str>,
    #[serde(default)]
    see_also: Vec<&'a str>,
    #[serde(default)]
    reviewed: &'a str,
    #[serde(default)]
    applies_to: Option<&'a str>,
}

/// The front matter of a section that only appends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Appended<'a> {
    id: &'a str,
    #[serde(rename = "change")]
    _change: Change,
    #[serde(default)]
    triggers: Vec<&'a str>,
    #[serde(default)]
    see_also: Vec<&'a str>,
}

/// Reads a section from its front matter, and what it changes. Where its parts stand is known only when all are put together.
pub fn section(front_matter: &yaml::Tree) -> Result<(Section<'_>, Change), YamlError> {
    if yaml::text(front_matter, "change") == Some("append") {
        let Appended { id, triggers, see_also, .. } = yaml::entry(front_matter)?;
        let section = Section {
            id,
            title: "",
            kind: Kind::Reference,
            summary: "",
            triggers,
            see_also,
            reviewed: "",
            applies_to: None,
            first_part: 0,
            part_count: 0,
        };
        return Ok((section, Change::Append));
    }
    let front: FrontMatter<'_> = yaml::entry(front_matter)?;
    let section = Section {
        id: front.id,
        title: front.title,
        kind: front.kind,
        summary: front.summary,
        triggers: front.triggers,
        see_also: front.see_also,
        reviewed: front.reviewed,
        applies_to: front.applies_to,
        first_part: 0,
        part_count: 0,
    };
    Ok((section, front.change))
}

/// The opening, then one part a level-2 heading.
pub fn parts(body: &str) -> Vec<Part<'_>> {
    let mut parts = vec![Part { id: "", heading: Cow::Borrowed(""), issue: false, body: "", markdown: "" }];
    let mut start = 0;
    let mut in_heading = false;
    for (event, range) in markdown::parser(body).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, id, classes, .. }) => {
                parts.last_mut().expect("starts with the opening").body = body[start..range.start].trim();
                // The parser's id is a copy; the part borrows it from the heading line itself.
                let line = &body[range.clone()];
                let id = id
                    .as_deref()
                    .and_then(|id| line.rfind(&format!("#{id}")).map(|at| &line[at + 1..at + 1 + id.len()]));
                let issue = classes.iter().any(|class| &**class == "issue");
                parts.push(Part { id: id.unwrap_or(""), heading: Cow::Borrowed(""), issue, body: "", markdown: "" });
                start = range.end;
                in_heading = true;
            }
            Event::Text(text) | Event::Code(text) if in_heading => {
                parts.last_mut().expect("a heading made one").heading.to_mut().push_str(&text);
            }
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => in_heading = false,
            _ => {}
        }
    }
    parts.last_mut().expect("starts with the opening").body = body[start..].trim();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "---\nid: a\n---\n\nOpening.\n\n## First `ibv_x` thing {#first}\n\n```text\n## no heading\n```\n\n### Inner\n\nText.\n\n## Broken {#broken .issue}\n\nMore.\n";

    #[test]
    fn a_file_is_split_into_front_matter_and_parts() {
        let split = split(FILE).unwrap();
        assert_eq!(split.front_matter, "id: a\n");
        assert_eq!(split.lines_above_body, 3);
        let parts = parts(split.body);
        let seen: Vec<_> = parts.iter().map(|part| (part.id, &*part.heading, part.issue)).collect();
        assert_eq!(seen, [("", "", false), ("first", "First ibv_x thing", false), ("broken", "Broken", true)]);
        assert_eq!(parts[0].body, "Opening.");
        assert_eq!(parts[1].body, "```text\n## no heading\n```\n\n### Inner\n\nText.");
        assert_eq!(parts[2].body, "More.");
    }

    #[test]
    fn a_file_without_front_matter_is_refused() {
        assert!(split("Opening.\n").is_none());
        assert!(split("---\nid: a\n").is_none());
    }
}
