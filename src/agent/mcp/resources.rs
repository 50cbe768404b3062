//! The resources: sections, and parts of them.

use serde_json::json;

use super::limits::Stop;
use super::{Server, tools};
use crate::knowledge::library::VARIABLE_SECTION;
use crate::render;

/// What addresses start with.
const SCHEME: &str = "rdmanav://section/";

/// The templates: name, address, description.
pub const TEMPLATES: [(&str, &str, &str); 2] = [
    ("section", "rdmanav://section/{id}", "A section of the knowledge, as markdown with its sources"),
    ("part", "rdmanav://section/{id}/{part}", "One part of a section, or of nccl-env a variable"),
];

/// The address of a section.
pub fn uri(id: &str) -> String {
    format!("{SCHEME}{id}")
}

/// The text of a resource; says what is wrong with an address that names none.
pub fn read(uri: &str, server: &Server, stop: &Stop) -> Result<String, String> {
    // The address is given back beside the text: one that has to be cleaned is none of ours.
    let Some(path) = uri.strip_prefix(SCHEME).filter(|path| render::clean_line(path) == *path) else {
        return Err(format!("addresses here are {SCHEME}ID and {SCHEME}ID/PART"));
    };
    let id = path.replacen('/', "#", 1);
    let show = tools::TOOLS.iter().find(|tool| tool.name == "show").expect("it is in the list");
    show.call(server, json!({ "id": id }), stop).map(|reply| reply.text)
}

/// Values that complete what was typed of an argument of a template.
pub fn complete(argument: &str, typed: &str, section: Option<&str>, server: &Server) -> Vec<String> {
    let library = &server.searcher.library;
    let all: Vec<&str> = match argument {
        "id" => library.sections.keys().collect(),
        "part" => {
            let Some(section) = section.and_then(|id| library.sections.find(id)) else { return Vec::new() };
            let parts = library.parts(&section).map(|part| part.id).filter(|id| !id.is_empty());
            let variables = library.variables.keys().filter(|_| section.id == VARIABLE_SECTION);
            parts.chain(variables).collect()
        }
        _ => Vec::new(),
    };
    matching(&all, typed)
}

/// What starts with the text, then what holds it.
pub fn matching(all: &[&str], typed: &str) -> Vec<String> {
    let typed = typed.to_lowercase();
    let (starts, others): (Vec<&str>, Vec<&str>) = all.iter().partition(|name| name.to_lowercase().starts_with(&typed));
    let holds = others.into_iter().filter(|name| name.to_lowercase().contains(&typed));
    starts.into_iter().chain(holds).map(str::to_string).collect()
}
