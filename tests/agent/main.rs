//! What agents are given: skill, context within a budget, schemas, the MCP server.

mod context;
mod tokens;
