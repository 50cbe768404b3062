//! What agents are given: skill, context within a budget, schemas, the MCP server.

mod context;
mod foreign;
#[cfg(feature = "mcp")]
mod mcp;
#[path = "../cli/run.rs"]
#[allow(dead_code, reason = "each test program needs a part of it")]
mod run;
mod skill;
mod tokens;
