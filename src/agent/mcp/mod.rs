//! An MCP server (modelcontextprotocol.io) over lines of JSON: the answers of the command line as tools, sections as resources, and
//! prompts for common jobs. It only reads: packs once, before it serves; then no file that it was not allowed to.
//!
//! `tools`, `prompts` and `resources` know nothing of the protocol; `handler` speaks it; `lines` moves messages; `limits` bounds what a call costs.

mod cap;
mod handler;
mod limits;
mod lines;
mod prompts;
mod resources;
mod tools;

use std::fs::File;
use std::io;
use std::path::PathBuf;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::search::Searcher;
use crate::{files, render};

/// What the server answers from, and what it may read.
#[derive(Clone)]
pub struct Server {
    searcher: Searcher<'static>,
    /// Directories without symbolic links in their paths.
    allowed: Vec<PathBuf>,
}

impl Server {
    /// Allows files below these directories to be read, and no others. Fails when there is no such directory.
    pub fn new(searcher: Searcher<'static>, allowed: &[PathBuf]) -> Result<Self, (PathBuf, io::Error)> {
        let mut directories = Vec::new();
        for path in allowed {
            let resolved = path.canonicalize().and_then(|resolved| {
                if resolved.is_dir() { Ok(resolved) } else { Err(io::Error::from(io::ErrorKind::NotADirectory)) }
            });
            directories.push(resolved.map_err(|error| (path.clone(), error))?);
        }
        Ok(Server { searcher, allowed: directories })
    }

    /// Answers until the input ends, which is no error, also before the first message.
    pub async fn serve(
        self,
        input: impl AsyncRead + Unpin + Send + 'static,
        output: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Result<(), String> {
        let transport = lines::Lines::new(input, output);
        match handler::Handler::new(self).serve(transport).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| error.to_string()),
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Opens a regular file below an allowed directory, wherever links lead.
    fn open(&self, path: &str) -> Result<File, String> {
        if self.allowed.is_empty() {
            return Err(
                "this server may read no files: give the text itself, or start it with --allow-read DIR".to_string()
            );
        }
        let absolute = self.allowed[0].join(path);
        let file = self.allowed.iter().find_map(|directory| files::open_below(directory, &absolute).ok());
        // The same words for a file that is not there and one that is not allowed: nobody learns what is elsewhere.
        file.ok_or_else(|| {
            let allowed: Vec<String> = self.allowed.iter().map(|path| path.display().to_string()).collect();
            format!("{} is no file below {} that can be read: give its text", render::short(path), allowed.join(", "))
        })
    }
}
