//! `rdmanav mcp`

use crate::agent::mcp::Server;
use crate::cli::Mcp;
use crate::commands::exit::{ANSWERED, Failure};

/// Serves on the standard streams until the input ends.
pub fn run(arguments: &Mcp) -> Result<u8, Failure> {
    let server = Server::new(super::packs::searcher(&arguments.packs), &arguments.allow_read)
        .map_err(|(path, error)| Failure::Usage(format!("--allow-read {}: {error}", super::text(path.as_os_str()))))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(Failure::Output)?;
    let result = runtime.block_on(server.serve(tokio::io::stdin(), tokio::io::stdout()));
    // A read of the standard input that still waits must not hold the program.
    runtime.shutdown_background();
    result.map(|()| ANSWERED).map_err(Failure::Usage)
}
