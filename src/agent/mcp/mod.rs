//! An MCP server (modelcontextprotocol.io) over lines of JSON: the answers of the command line as tools, sections as resources, and
//! prompts for common jobs. It only reads: packs once, before it serves; then no file that it was not allowed to.
//!
//! `tools`, `prompts` and `resources` know nothing of the protocol; `handler` speaks it; `lines` moves messages.

mod cap;
mod handler;
mod lines;
mod prompts;
mod resources;
mod tools;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::search::Searcher;

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
    fn open(&self, path: &Path) -> Result<File, String> {
        let shown = crate::render::clean_line(&path.to_string_lossy());
        if self.allowed.is_empty() {
            return Err(
                "this server may read no files: give the text itself, or start it with --allow-read DIR".to_string()
            );
        }
        // The same words for a file that is not there and one that is not allowed: nobody learns what is elsewhere.
        let refused = || {
            let allowed: Vec<String> = self.allowed.iter().map(|path| path.display().to_string()).collect();
            format!("{shown} is no file below {}: give its text", allowed.join(", "))
        };
        let path = if path.is_absolute() { path.to_path_buf() } else { self.allowed[0].join(path) };
        let resolved = path.canonicalize().map_err(|_| refused())?;
        let is_allowed = self.allowed.iter().any(|directory| resolved.starts_with(directory));
        if !is_allowed || !resolved.is_file() {
            return Err(refused());
        }
        File::open(resolved).map_err(|error| format!("{shown} cannot be read: {error}"))
    }
}
