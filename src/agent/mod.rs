//! What agents are given: the skill, context within a budget of tokens, and the MCP server.

pub mod context;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod skill;
