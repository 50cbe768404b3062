//! `schema`: the JSON of each answer, as a JSON Schema (draft 2020-12) made from the structs themselves.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::NotFound;
use super::check::CheckAnswer;
use super::context::ContextAnswer;
use super::diff::DiffAnswer;
use super::findings::FindingsAnswer;
use super::flows::{FlowAnswer, FlowsAnswer};
use super::lint::{LintAnswer, RulesAnswer};
use super::list::ListAnswer;
use super::packs::PacksAnswer;
use super::profiles::{ProfileAnswer, ProfilesAnswer};
use super::query::QueryAnswer;
use super::section::SectionAnswer;
use super::sources::SourcesAnswer;
use super::variables::{ChangesAnswer, OtherAnswer, VariableAnswer, VariablesAnswer};
use crate::render;
use crate::search::suggest;

/// The draft that the schemas are written in.
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Findings of either command: those in a log say what the job is, those in settings what was read.
#[derive(JsonSchema, serde::Serialize)]
#[serde(untagged)]
#[allow(dead_code, reason = "a type for its schema")]
enum AnyFindings {
    Diagnose(FindingsAnswer),
    Lint(LintAnswer),
}

/// An answer: its name, which with `rdmanav.` and `/1` is the field `schema` of its JSON; its schema; the same without references.
type Described = (&'static str, fn() -> Schema, fn(bool) -> Value);

/// Every answer.
const ANSWERS: &[Described] = &[
    ("check", schema_of::<CheckAnswer>, inlined_of::<CheckAnswer>),
    ("context", schema_of::<ContextAnswer>, inlined_of::<ContextAnswer>),
    ("env-diff", schema_of::<DiffAnswer>, inlined_of::<DiffAnswer>),
    ("findings", schema_of::<AnyFindings>, inlined_of::<AnyFindings>),
    ("flow", schema_of::<FlowAnswer<'_>>, inlined_of::<FlowAnswer<'_>>),
    ("flows", schema_of::<FlowsAnswer<'_>>, inlined_of::<FlowsAnswer<'_>>),
    ("list", schema_of::<ListAnswer<'_>>, inlined_of::<ListAnswer<'_>>),
    ("packs", schema_of::<PacksAnswer<'_>>, inlined_of::<PacksAnswer<'_>>),
    ("rules", schema_of::<RulesAnswer>, inlined_of::<RulesAnswer>),
    ("other-variable", schema_of::<OtherAnswer<'_>>, inlined_of::<OtherAnswer<'_>>),
    ("profile", schema_of::<ProfileAnswer<'_>>, inlined_of::<ProfileAnswer<'_>>),
    ("profiles", schema_of::<ProfilesAnswer<'_>>, inlined_of::<ProfilesAnswer<'_>>),
    ("query", schema_of::<QueryAnswer<'_>>, inlined_of::<QueryAnswer<'_>>),
    ("section", schema_of::<SectionAnswer<'_>>, inlined_of::<SectionAnswer<'_>>),
    ("sources", schema_of::<SourcesAnswer<'_>>, inlined_of::<SourcesAnswer<'_>>),
    ("variable", schema_of::<VariableAnswer<'_>>, inlined_of::<VariableAnswer<'_>>),
    ("variable-changes", schema_of::<ChangesAnswer<'_>>, inlined_of::<ChangesAnswer<'_>>),
    ("variables", schema_of::<VariablesAnswer<'_>>, inlined_of::<VariablesAnswer<'_>>),
];

/// The names of all answers.
pub fn names() -> impl Iterator<Item = &'static str> {
    ANSWERS.iter().map(|(name, ..)| *name)
}

/// The schema of one answer: `query`, or `rdmanav.query/1`.
pub fn schema(name: &str) -> Result<Value, NotFound> {
    let bare = name.strip_prefix("rdmanav.").unwrap_or(name);
    let bare = bare.strip_suffix("/1").unwrap_or(bare);
    let Some((name, schema, _)) = ANSWERS.iter().find(|(known, ..)| *known == bare) else {
        let all = format!("all answers: {}", names().collect::<Vec<_>>().join(", "));
        let message = format!("no answer \"{}\"", render::short(bare));
        return Err(NotFound::new(message, &suggest::nearest(bare, names()), &all));
    };
    let mut schema = schema().to_value();
    schema["properties"]["schema"] = json!({ "const": format!("rdmanav.{name}/1") });
    schema["$id"] = json!(id(name));
    schema["title"] = json!(name);
    Ok(schema)
}

/// One schema that all answers hold to, with the others inside.
pub fn bundle() -> Value {
    let mut definitions = serde_json::Map::new();
    for name in names() {
        if let Ok(schema) = schema(name) {
            definitions.insert(name.to_string(), schema);
        }
    }
    let one_of: Vec<Value> = names().map(|name| json!({ "$ref": id(name) })).collect();
    json!({ "$schema": DRAFT, "title": "rdmanav", "oneOf": one_of, "$defs": definitions })
}

/// The schema of one answer without references and without the names by which validators file schemas: for places that hold many schemas.
pub fn inlined(name: &str) -> Option<Value> {
    let (name, _, inlined) = ANSWERS.iter().find(|(known, ..)| *known == name)?;
    let mut schema = inlined(true);
    schema["properties"]["schema"] = json!({ "const": format!("rdmanav.{name}/1") });
    Some(schema)
}

/// As [`inlined`], of any type; `is_output` when it is written, not read.
pub fn inlined_of<T: JsonSchema>(is_output: bool) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let settings = if is_output { settings.for_serialize() } else { settings };
    let mut schema = settings.with_transform(Plain).into_generator().into_root_schema_for::<T>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("title");
        fields.remove("description");
    }
    split_null(&mut schema, is_output);
    schema
}

/// Writes `"type": ["string", "null"]` in a form that dialects with one type a field understand. Of what is read, `null` is left out: an
/// absent field says the same.
fn split_null(schema: &mut Value, is_output: bool) {
    match schema {
        Value::Array(items) => {
            for item in items {
                split_null(item, is_output);
            }
        }
        Value::Object(fields) => {
            for field in fields.values_mut() {
                split_null(field, is_output);
            }
            let types = fields.get("type").and_then(Value::as_array);
            let Some(only) = types.and_then(|types| types.iter().find(|name| *name != "null")).cloned() else { return };
            fields.insert("type".to_string(), only);
            if is_output {
                let description = fields.remove("description");
                let value = std::mem::take(fields);
                fields.insert("anyOf".to_string(), json!([value, { "type": "null" }]));
                fields.extend(description.map(|text| ("description".to_string(), text)));
            }
        }
        _ => {}
    }
}

fn id(name: &str) -> String {
    format!("urn:rdmanav:{name}:1")
}

fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(Plain);
    settings.into_generator().into_root_schema_for::<T>()
}

/// Takes out what only Rust knows, such as `"format": "uint"`.
#[derive(Clone, Debug)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        schema.remove("format");
        transform_subschemas(self, schema);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_by_either_name() {
        assert_eq!(schema("query").unwrap(), schema("rdmanav.query/1").unwrap());
        let error = schema("qery").unwrap_err();
        assert_eq!(error.hints, ["did you mean query?"]);
        assert!(schema("zzzzzz").unwrap_err().hints[0].starts_with("all answers: check, context"));
    }
}
