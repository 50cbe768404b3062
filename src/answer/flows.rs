//! `flow`: a data flow, or the list of them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, NotFound, cell, next, shows};
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
        format!(
            "# {}\n\n{}\n\n```flow\n{}\n```\n{}",
            self.flow.title,
            self.flow.summary,
            self.flow.id,
            next(&shows(&self.flow.sections))
        )
    }
}

impl Answer for FlowsAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = "| Flow | What it shows |\n|---|---|\n".to_string();
        for flow in &self.flows {
            out.push_str(&format!("| `{}` | {} |\n", flow.id, cell(flow.title)));
        }
        out.push_str(&next(&["`rdmanav flow ID` draws one"]));
        out
    }
}
