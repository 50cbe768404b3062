//! Any bytes as the input of the server. The first byte chooses: raw lines, or frames that are right around arguments that need not be.
#![no_main]

use std::collections::HashSet;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use libfuzzer_sys::fuzz_target;
use rdmanav::agent::mcp::Server;
use serde_json::{Value, json};
use tokio::io::AsyncWrite;

/// Keeps what is written.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl AsyncWrite for Output {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Methods, the names that they take, and the names of their arguments.
const METHODS: [(&str, &str, &[&str]); 12] = [
    ("tools/call", "query", &["query", "limit"]),
    ("tools/call", "show", &["id"]),
    ("tools/call", "env", &["name", "nccl", "compare_with", "changed"]),
    ("tools/call", "diagnose", &["log", "path", "notes"]),
    ("tools/call", "lint", &["text", "name", "profile", "nccl", "path"]),
    ("tools/call", "context", &["query", "max_tokens", "sections"]),
    ("prompts/get", "triage-slow-job", &["symptom", "log"]),
    ("prompts/get", "review-settings", &["settings", "profile", "nccl"]),
    ("resources/read", "uri", &[]),
    ("completion/complete", "", &[]),
    ("notifications/cancelled", "", &[]),
    ("resources/list", "cursor", &[]),
];

const HANDSHAKE: &str = r#"{"jsonrpc":"2.0","id":"handshake","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}"#;

/// Frames from pieces that end at a zero: the first byte of each chooses the method, the second the arguments that it gets.
fn frames(bytes: &[u8]) -> Vec<u8> {
    let mut lines = HANDSHAKE.to_string();
    for (number, piece) in bytes.split(|&byte| byte == 0).enumerate().take(8) {
        let [method, which, text @ ..] = piece else { continue };
        let (method, name, arguments) = METHODS[usize::from(*method) % METHODS.len()];
        let mut texts = text.split(|&byte| byte == 1).map(|text| String::from_utf8_lossy(text).into_owned());
        let mut values = serde_json::Map::new();
        for (bit, argument) in arguments.iter().enumerate().filter(|(bit, _)| which >> bit & 1 == 1) {
            let text = texts.next().unwrap_or_default();
            let value = match *argument {
                "sections" => json!(text.split(',').collect::<Vec<_>>()),
                "limit" | "max_tokens" => json!(text.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(256) + u64::from(byte))),
                "notes" => json!(bit % 2 == 0),
                _ => json!(text),
            };
            values.insert((*argument).to_string(), value);
        }
        let text = texts.next().unwrap_or_default();
        let parameters = match method {
            "resources/read" => json!({ "uri": format!("rdmanav://section/{text}") }),
            "resources/list" => json!({ "cursor": text }),
            "completion/complete" => json!({
                "ref": { "type": "ref/resource", "uri": "rdmanav://section/{id}/{part}" },
                "argument": { "name": if which & 1 == 0 { "id" } else { "part" }, "value": text },
                "context": { "arguments": { "id": texts.next().unwrap_or_default() } }
            }),
            "notifications/cancelled" => json!({ "requestId": u64::from(*which) % 8 }),
            _ => json!({ "name": name, "arguments": values }),
        };
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": parameters });
        if !method.starts_with("notifications/") {
            message["id"] = number.into();
        }
        lines.push_str(&format!("\n{message}"));
    }
    lines.into_bytes()
}

/// Texts are clean, and short enough for hosts.
fn check(value: &Value, path: &str) {
    match value {
        Value::String(text) => {
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{path}: {text:?}");
            assert!(text.chars().count() < 30_000, "{path} has {} characters", text.chars().count());
        }
        Value::Array(items) => items.iter().for_each(|item| check(item, path)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| check(value, &format!("{path}.{name}"))),
        _ => {}
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let input = match first % 4 {
        0 => bytes.to_vec(),
        1 => [HANDSHAKE.as_bytes(), b"\n", bytes].concat(),
        _ => frames(bytes),
    };
    let output = Output::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let server = Server::new(rdmanav::searcher(), &[]).unwrap();
    let served = runtime.block_on(server.serve(io::Cursor::new(input), output.clone()));
    drop(runtime);
    served.expect("no input is a reason to end with an error");
    let written = output.0.lock().unwrap();
    assert!(written.is_empty() || written.ends_with(b"\n"));
    let mut ids = HashSet::new();
    for line in written.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let answer: Value = serde_json::from_slice(line).expect("each line is JSON");
        assert!(answer["result"].is_object() != answer["error"].is_object(), "{answer}");
        // The id is the caller's.
        for part in ["result", "error"] {
            check(&answer[part], part);
        }
        if let (Some(id), 2..) = (answer.get("id"), first % 4) {
            assert!(ids.insert(id.to_string()), "{id} is answered twice");
        }
        if let Some(content) = answer.pointer("/result/structuredContent") {
            assert!(content.to_string().chars().count() < 20_000);
        }
        if let Some(text) = answer.pointer("/result/content/0/text").and_then(Value::as_str) {
            assert!(text.chars().count() < 20_000);
        }
    }
});
