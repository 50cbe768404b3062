//! Messages as lines of JSON. What is no message is answered as JSON-RPC says, and the connection stays.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// A longer line is refused: without a bound, a peer that never ends its line fills the memory.
const LONGEST: usize = 16 << 20;

/// A pair of streams.
pub struct Lines<R, W> {
    input: BufReader<R>,
    /// What was read of a line. Kept here, since reading may be interrupted at any await.
    line: Vec<u8>,
    /// The line was refused; its rest is skipped.
    skipping: bool,
    /// A request has come: what comes before is no message that could be answered.
    opened: bool,
    output: Arc<Mutex<W>>,
    /// Answers of this room that are on their way.
    answers: Vec<JoinHandle<()>>,
}

/// What reading came to.
enum Read {
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    pub fn new(input: R, output: W) -> Self {
        Lines {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            opened: false,
            output: Arc::new(Mutex::new(output)),
            answers: Vec::new(),
        }
    }

    /// Reads on to the end of the line. Nothing is lost when this is dropped while it waits.
    async fn read(&mut self) -> Read {
        loop {
            let Ok(bytes) = self.input.fill_buf().await else { return Read::End };
            if bytes.is_empty() {
                return if self.line.is_empty() { Read::End } else { Read::Line };
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            let is_too_long = self.line.len() + taken > LONGEST;
            if !self.skipping && !is_too_long {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.input.consume(taken);
            let was_skipping = self.skipping;
            self.skipping = (was_skipping || is_too_long) && end.is_none();
            if is_too_long && !was_skipping {
                self.line.clear();
                return Read::TooLong;
            }
            if end.is_some() && !was_skipping {
                return Read::Line;
            }
        }
    }

    /// Takes the line apart; answers what is no message.
    fn message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        if text.is_empty() {
            return None;
        }
        let value: Value = match serde_json::from_slice(text) {
            Ok(value) => value,
            Err(error) => {
                self.answer(None, ErrorData::parse_error(format!("this line is no JSON: {error}"), None));
                return None;
            }
        };
        let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        let is_notification = value.get("method").is_some_and(Value::is_string) && value.get("id").is_none();
        match serde_json::from_value(value) {
            Ok(message) => {
                self.opened |= matches!(message, RxJsonRpcMessage::<RoleServer>::Request(_));
                self.opened.then_some(message)
            }
            Err(_) if is_notification => None,
            Err(_) => {
                self.answer(id, ErrorData::invalid_request("this is no JSON-RPC 2.0 request", None));
                None
            }
        }
    }

    fn answer(&mut self, id: Option<RequestId>, error: ErrorData) {
        let write = write(Arc::clone(&self.output), TxJsonRpcMessage::<RoleServer>::error(error, id));
        self.answers.retain(|answer| !answer.is_finished());
        // In a task of its own: what is half written must not be dropped.
        self.answers.push(tokio::spawn(async {
            let _ = write.await;
        }));
    }
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Transport<RoleServer> for Lines<R, W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        write(Arc::clone(&self.output), message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.read().await {
                Read::Line => {
                    if let Some(message) = self.message() {
                        return Some(message);
                    }
                }
                Read::TooLong => self.answer(None, ErrorData::invalid_request("the line is longer than 16 MiB", None)),
                Read::End => {
                    while let Some(answer) = self.answers.last_mut() {
                        let _ = answer.await;
                        self.answers.pop();
                    }
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.lock().await.flush().await
    }
}

/// Writes a message as one line.
async fn write<W: AsyncWrite + Unpin>(
    output: Arc<Mutex<W>>,
    message: TxJsonRpcMessage<RoleServer>,
) -> Result<(), io::Error> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}
