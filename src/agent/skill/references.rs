//! Sections as files that link to one another.

use crate::answer::Answer;
use crate::answer::section::{self, Shown};
use crate::knowledge::{Library, Section};

/// A section as a file of the folder `references/`.
pub fn reference(section: &Section<'_>, library: &Library<'_>) -> String {
    let text = match section::show(section.id, library) {
        Ok(Shown::Section(answer)) => answer.markdown(library),
        _ => String::new(),
    };
    let contents: Vec<String> = library
        .parts(section)
        .filter(|part| !part.id.is_empty())
        .map(|part| format!("- [{}](#{})", part.heading, slug(&part.heading)))
        .collect();
    let head = format!("# {}\n\n{}\n\n", section.title, section.summary);
    let body = text.strip_prefix(&*head).unwrap_or(&text);
    format!("{head}Contents:\n\n{}\n\n{}", contents.join("\n"), relink(body, section.id, "", library))
}

/// Links to sections become links to their files, which stand in `folder`; so does the list of related sections. Code stays as it is.
/// `own` is the section that the text is from.
pub fn relink(text: &str, own: &str, folder: &str, library: &Library<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            out.push_str(line);
        } else if let Some(related) = related(line, folder, library) {
            out.push_str(&related);
        } else {
            relink_line(line, own, folder, library, &mut out);
        }
        out.push('\n');
    }
    out
}

/// A line of "See also".
fn related(line: &str, folder: &str, library: &Library<'_>) -> Option<String> {
    let (id, title) = line.strip_prefix("- `rdmanav show ")?.split_once("`: ")?;
    Some(format!("- [{title}]({})", target(id, folder, library)?))
}

fn relink_line(line: &str, own: &str, folder: &str, library: &Library<'_>, out: &mut String) {
    let mut rest = line;
    while let Some(start) = rest.find("](") {
        let (text, address) = rest.split_at(start + 2);
        out.push_str(text);
        let end = address.find(')').unwrap_or(address.len());
        let (address, after) = address.split_at(end);
        let whole = if address.starts_with('#') { [own, address].concat() } else { address.to_string() };
        match target(&whole, folder, library) {
            Some(target) => out.push_str(&target),
            None => out.push_str(address),
        }
        rest = after;
    }
    out.push_str(rest);
}

/// The file for `id` or `id#part`, from beside `folder`; none when that names no section. A variable stands in no file of its own: the link
/// leads to the section about variables.
pub fn target(address: &str, folder: &str, library: &Library<'_>) -> Option<String> {
    let (id, part) = address.split_once('#').map_or((address, None), |(id, part)| (id, Some(part)));
    let section = library.sections.find(id)?;
    let part = part.and_then(|part| library.parts(&section).find(|candidate| candidate.id == part));
    let anchor = part.filter(|part| !part.id.is_empty()).map(|part| format!("#{}", slug(&part.heading)));
    Some(format!("{folder}{id}.md{}", anchor.unwrap_or_default()))
}

/// The anchor that readers of markdown make of a heading.
pub fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_files() {
        let library = crate::library();
        for (text, expected) in [
            (
                "see [a](dcqcn#roles), [b](pxn)",
                "see [a](dcqcn.md#the-three-roles-cp-np-and-rp-and-the-cnp-interval), [b](pxn.md)",
            ),
            ("[a](#decrease)", "[a](dcqcn.md#rate-decrease-and-alpha-formulas)"),
            ("[c](nccl-env#NCCL_IB_TC)", "[c](nccl-env.md)"),
            ("[d](https://example.org) `a](b` [e](", "[d](https://example.org) `a](b` [e]("),
            ("- `rdmanav show pxn`: PXN", "- [PXN](pxn.md)"),
            ("```text\n[b](pxn)\n```", "```text\n[b](pxn)\n```"),
        ] {
            assert_eq!(relink(text, "dcqcn", "", &library).trim_end(), expected);
        }
    }
}
