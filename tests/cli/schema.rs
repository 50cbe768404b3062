//! The JSON of every command holds to its published schema.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::contract::ANSWERING;
use crate::run::{answer, command, finish, rdmanav};

/// Calls whose answers the list of answering commands does not have.
const OTHERS: &[&[&str]] = &[
    &["lint", "--explain"],
    &["lint", "docs/lint.md", "--kind", "shell"],
    &["show", "nccl-env#CUDA_DEVICE_ORDER"],
    &["env", "NCCL_IB_TIMEOUT", "--nccl", "2.22"],
    &["env", "NCCL_IB_*", "--nccl", "2.22"],
    &["env", "--changed", "2.20..2.27"],
    &["env", "diff", "roce", "spectrumx"],
    &["env", "diff", "roce@2.18", "roce@2.30"],
    &["env", "CUDA_DEVICE_ORDER"],
    &["query", "sourdough bread"],
    &["query", "NCCL_IB_TC"],
    &["context", "DCQCN", "--max-tokens", "900"],
    &["context", "--sections", "nccl-env#NCCL_IB_TC"],
    &["diagnose", "tests/diagnose/11-error12-at-start-default-gid.log"],
    &["diagnose", "tests/diagnose/24-healthy-roce-two-nodes.log"],
    &["check", "tests/broken-content"],
    &["list", "--packs", "--pack", "examples/runbook"],
    &["show", "gid-selection", "--pack", "examples/runbook"],
];

fn json(arguments: &[&str]) -> Option<Value> {
    let mut command = command();
    command.args(arguments).args(["--format", "json"]);
    serde_json::from_str(&finish(&mut command).stdout).ok()
}

#[test]
fn every_answer_holds_to_its_schema_and_every_schema_has_an_answer() {
    let all: Value = serde_json::from_str(&answer(&["schema"])).unwrap();
    let all = jsonschema::draft202012::new(&all).unwrap();
    let mut seen = BTreeSet::new();
    for arguments in ANSWERING.iter().chain(OTHERS) {
        let Some(value) = json(arguments) else { panic!("{arguments:?}: no JSON") };
        let name = value["schema"].as_str().unwrap().to_string();
        let schema: Value = serde_json::from_str(&answer(&["schema", &name])).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{arguments:?}: {errors:#?}");
        assert!(all.is_valid(&value), "{arguments:?}");
        // A schema that does not know a field would let it be anything.
        for key in value.as_object().unwrap().keys() {
            assert!(
                schema["properties"][key].is_object() || schema["properties"][key] == true || has(&schema, key),
                "{name}: {key}"
            );
        }
        let mut other = value.clone();
        other["schema"] = "rdmanav.other/1".into();
        assert!(!validator.is_valid(&other) && !all.is_valid(&other), "{name}: the schema does not name itself");
        seen.insert(name);
    }
    let names: BTreeSet<String> = rdmanav::answer::schema::names().map(|name| format!("rdmanav.{name}/1")).collect();
    assert_eq!(seen, names);
}

/// The field stands in a part of the schema that the root refers to.
fn has(schema: &Value, key: &str) -> bool {
    let parts = ["allOf", "anyOf"].iter().filter_map(|kind| schema[kind].as_array()).flatten();
    parts.chain([&schema["$ref"]]).any(|part| {
        let referred = part["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
        let part = referred.map_or(part, |name| &schema["$defs"][name]);
        part["properties"][key].is_object() || part["properties"][key] == true
    })
}

#[test]
fn a_wrong_value_is_no_valid_answer() {
    let schema: Value = serde_json::from_str(&answer(&["schema", "query"])).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let mut value = json(&["query", "DCQCN"]).unwrap();
    assert!(validator.is_valid(&value));
    value["hits"][0]["score"] = "high".into();
    assert!(!validator.is_valid(&value));
    value["hits"] = Value::Null;
    assert!(!validator.is_valid(&value));
}

#[test]
fn an_unknown_answer_is_told_with_the_names() {
    let run = rdmanav(&["schema", "findigs"]);
    assert_eq!((run.status, &*run.stderr), (1, "rdmanav: no answer \"findigs\"\nhint: did you mean findings?\n"));
}
