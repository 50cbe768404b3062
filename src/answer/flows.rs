//! `flow`: a data flow, or the list of them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, NotFound, cell};
use crate::knowledge::{Flow, Library};
use crate::search::suggest;

/// One flow.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FlowAnswer<'a> {
    schema: &'static str,
    #[serde(flatten)]
    flow: Flow<'a>,
}

/// All flows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FlowsAnswer<'a> {
    schema: &'static str,
    flows: Vec<Summary<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the JSON names it as the content does")]
struct Summary<'a> {
    id: &'a str,
    title: &'a str,
    summary: &'a str,
    sections: Vec<&'a str>,
}

/// The flow of this id.
pub fn flow<'a>(id: &str, library: &Library<'a>) -> Result<FlowAnswer<'a>, NotFound> {
    if let Some(flow) = library.flows.find(id) {
        return Ok(FlowAnswer { schema: "rdmanav.flow/1", flow });
    }
    let near = suggest::nearest(id, library.flows.keys());
    Err(NotFound::new(format!("no flow \"{id}\""), &near, "all flows: rdmanav flow"))
}

impl<'a> FlowAnswer<'a> {
    /// The flow itself.
    pub fn flow(&self) -> &Flow<'a> {
        &self.flow
    }
}

impl FlowsAnswer<'_> {
    /// One a line, id and title: for a pipe.
    pub fn lines(&self) -> String {
        self.flows.iter().fold(String::new(), |out, flow| out + flow.id + "\t" + flow.title + "\n")
    }
}

/// All flows.
pub fn flows<'a>(library: &Library<'a>) -> FlowsAnswer<'a> {
    let flows = library.flows.iter();
    FlowsAnswer {
        schema: "rdmanav.flows/1",
        flows: flows
            .map(|flow| Summary { id: flow.id, title: flow.title, summary: flow.summary, sections: flow.sections })
            .collect(),
    }
}

impl Answer for FlowAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let sections: Vec<String> = self.flow.sections.iter().map(|id| format!("`rdmanav show {id}`")).collect();
        format!(
            "# {}\n\n{}\n\n```flow\n{}\n```\n\nMore: {}; as a picture: `rdmanav flow {} --as svg`\n",
            self.flow.title,
            self.flow.summary,
            self.flow.id,
            sections.join(", "),
            self.flow.id
        )
    }
}

impl Answer for FlowsAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = "| Flow | What it shows |\n|---|---|\n".to_string();
        for flow in &self.flows {
            out.push_str(&format!("| `{}` | **{}.** {} |\n", flow.id, cell(flow.title), cell(flow.summary)));
        }
        out.push_str("\n`rdmanav flow ID` draws one, `rdmanav flow ID --as svg` makes a picture for a document.\n");
        out
    }
}
