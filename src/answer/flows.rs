//! `flow`: a data flow, or the list of them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, NotFound, cell, from_pack, next, shows};
use crate::knowledge::{Flow, Library};
use crate::render;
use crate::search::suggest;

/// One flow.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FlowAnswer<'a> {
    schema: &'static str,
    #[serde(flatten)]
    flow: Flow<'a>,
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<&'a str>,
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
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<&'a str>,
}

/// The flow of this id.
pub fn flow<'a>(id: &str, library: &Library<'a>) -> Result<FlowAnswer<'a>, NotFound> {
    if let Some(flow) = library.flows.find(id) {
        let origin = library.origin(&format!("flow {}", flow.id));
        return Ok(FlowAnswer { schema: "rdmanav.flow/1", flow, origin });
    }
    let near = suggest::nearest(id, library.flows.keys());
    Err(NotFound::new(format!("no flow \"{}\"", render::short(id)), &near, "all flows: rdmanav flow"))
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
        self.flows
            .iter()
            .fold(String::new(), |out, flow| out + flow.id + "\t" + flow.title + &from_pack(flow.origin) + "\n")
    }
}

/// All flows.
pub fn flows<'a>(library: &Library<'a>) -> FlowsAnswer<'a> {
    let flows = library.flows.iter();
    FlowsAnswer {
        schema: "rdmanav.flows/1",
        flows: flows
            .map(|flow| Summary {
                id: flow.id,
                title: flow.title,
                summary: flow.summary,
                sections: flow.sections,
                origin: library.origin(&format!("flow {}", flow.id)),
            })
            .collect(),
    }
}

impl Answer for FlowAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut steps = shows(&self.flow.sections);
        steps.push(format!("`rdmanav flow {} --as svg`", self.flow.id));
        format!(
            "# {}{}\n\n{}\n\n```flow\n{}\n```\n{}",
            self.flow.title,
            from_pack(self.origin),
            self.flow.summary,
            self.flow.id,
            next(&steps)
        )
    }
}

impl Answer for FlowsAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = "| Flow | What it shows |\n|---|---|\n".to_string();
        for flow in &self.flows {
            let (title, pack, summary) = (cell(flow.title), from_pack(flow.origin), cell(flow.summary));
            out.push_str(&format!("| `{}` | **{title}**{pack}. {summary} |\n", flow.id));
        }
        out.push_str(&next(&[
            "`rdmanav flow ID` draws one",
            "`rdmanav flow ID --as svg` makes a picture for a document",
        ]));
        out
    }
}
