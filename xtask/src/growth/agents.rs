//! What agents call, and questions.

use super::row::Row;

const MCP: &[&str] = &["mcp", "<", "FILE"];

/// Calls that grow.
pub fn rows() -> Vec<Row> {
    let mcp = |name, content, n| Row { name, arguments: MCP, file: "calls.jsonl", content, n };
    vec![
        mcp("mcp: calls", |n| (0..n).map(|i| call(i, "query", r#"{"query":"dcqcn"}"#)).collect(), 60),
        mcp(
            "mcp: the words of a question",
            |n| call(1, "query", &format!(r#"{{"query":"{}"}}"#, "congestion gid ".repeat(n))),
            // Longer ones are refused.
            68,
        ),
        mcp(
            "mcp: lines of a log",
            |n| {
                call(
                    1,
                    "diagnose",
                    &format!(r#"{{"log":"{}"}}"#, "node-a:1:2 [0] NCCL INFO Using network IB\\n".repeat(n)),
                )
            },
            4_000,
        ),
        mcp("mcp: a line that is no message", |n| "{".repeat(n) + "\n", 400_000),
        mcp("mcp: lines that are no messages", |n| "{\n".repeat(n), 2_000),
    ]
}

/// A call without a handshake, as the newest revision has it.
fn call(id: usize, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    ) + "\n"
}
