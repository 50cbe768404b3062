//! Messages as lines of JSON. What is no message is answered as JSON-RPC says, and the connection stays. Who does not take answers is not read
//! from: a request takes places until its answer is written.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, ErrorData, GetMeta, ProtocolVersion, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

use super::limits::LONGEST_CALL;
use crate::render;

/// A longer line is refused: without a bound, a peer that never ends its line fills the memory.
const LONGEST: usize = 16 << 20;

/// A message of more values is refused: in memory each takes some hundred times the bytes that it has in the line.
const MOST_VALUES: usize = 200_000;

/// For requests that are not answered yet.
const PLACES: usize = 64;

/// A request takes a place, and one more for each so many bytes: the longest line takes half of all.
const BYTES_A_PLACE: usize = LONGEST / (PLACES / 2);

/// At the end, answers have so much more than the longest call.
const GRACE: Duration = Duration::from_secs(5);

/// The most characters of the message of an error.
const LONGEST_ERROR: usize = 4000;

/// Ids are kept for a while, and come back in answers.
const LONGEST_ID: usize = 1000;

fn is_long(id: &RequestId) -> bool {
    matches!(id, RequestId::String(text) if text.len() > LONGEST_ID)
}

/// A pair of streams.
pub struct Lines<R, W> {
    input: BufReader<R>,
    /// What was read of a line. Kept here, since reading may be interrupted at any await.
    line: Vec<u8>,
    /// The line was refused; its rest is skipped.
    skipping: bool,
    /// What waits for places.
    next: Option<Next>,
    /// A request has come that chooses how the session is led: what comes before is no message that could be answered.
    opened: bool,
    output: Arc<Mutex<W>>,
    /// Closed when the output cannot be written.
    places: Arc<Semaphore>,
    /// Requests that are worked on, and their places.
    waiting: HashMap<RequestId, OwnedSemaphorePermit>,
    /// The latest requests that were called off: what still comes of one must not be taken for the answer to another of its id.
    called_off: VecDeque<RequestId>,
}

/// What reading came to.
enum Read {
    Line,
    TooLong,
    End,
}

/// What will be answered, and the places that it needs.
enum Next {
    Request(Box<RxJsonRpcMessage<RoleServer>>, RequestId, u32),
    Refused(Option<RequestId>, ErrorData),
}

/// What a line came to.
enum Taken {
    /// A message that has no answer.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Next(Next),
    Nothing,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    pub fn new(input: R, output: W) -> Self {
        Lines {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            next: None,
            opened: false,
            output: Arc::new(Mutex::new(output)),
            places: Arc::new(Semaphore::new(PLACES)),
            waiting: HashMap::new(),
            called_off: VecDeque::new(),
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

    /// Takes the line apart.
    fn take(&mut self) -> Taken {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        if text.is_empty() {
            return Taken::Nothing;
        }
        if has_too_many_values(text) {
            return refused(None, ErrorData::invalid_request("the message holds more than 200,000 values", None));
        }
        let value: Value = match serde_json::from_slice(text) {
            Ok(value) => value,
            Err(error) => return refused(None, ErrorData::parse_error(format!("this line is no JSON: {error}"), None)),
        };
        let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        let is_notification = value.get("method").is_some_and(Value::is_string) && value.get("id").is_none();
        match serde_json::from_value(value) {
            Ok(message) => {
                self.opened = self.opened || opens(&message);
                self.sort(message, line.len())
            }
            Err(_) if is_notification => Taken::Nothing,
            // An id that is waited for gets one answer, and this is not it.
            Err(_) => {
                let id = id.filter(|id| !is_long(id) && !self.waiting.contains_key(id));
                refused(id, ErrorData::invalid_request("this is no JSON-RPC 2.0 request", None))
            }
        }
    }

    fn sort(&mut self, message: RxJsonRpcMessage<RoleServer>, length: usize) -> Taken {
        match &message {
            RxJsonRpcMessage::<RoleServer>::Request(request) => {
                let id = request.id.clone();
                if is_long(&id) {
                    let message = format!("the id of this request has more than {LONGEST_ID} bytes");
                    return refused(None, ErrorData::invalid_request(message, None));
                }
                // The error has no id: that of the first request is still to be answered.
                if self.waiting.contains_key(&id) {
                    let message = "the id of this request is that of another which is not answered yet";
                    return refused(None, ErrorData::invalid_request(message, None));
                }
                if self.called_off.contains(&id) {
                    let message = "the id of this request is that of one which was called off: use another";
                    return refused(Some(id), ErrorData::invalid_request(message, None));
                }
                let places = 1 + (length / BYTES_A_PLACE) as u32;
                return Taken::Next(Next::Request(Box::new(message), id, places));
            }
            RxJsonRpcMessage::<RoleServer>::Notification(notification) => {
                // A request that is called off is not answered.
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                    && self.waiting.remove(id).is_some()
                {
                    self.called_off.truncate(PLACES - 1);
                    self.called_off.push_front(id.clone());
                }
            }
            RxJsonRpcMessage::<RoleServer>::Response(_) | RxJsonRpcMessage::<RoleServer>::Error(_) => {}
        }
        if self.opened { Taken::Message(Box::new(message)) } else { Taken::Nothing }
    }

    /// Waits until what comes next has its places. `None` when nobody takes answers any more.
    async fn room(&mut self) -> Option<OwnedSemaphorePermit> {
        let places = match &self.next {
            Some(Next::Request(_, _, places)) => *places,
            _ => 1,
        };
        Arc::clone(&self.places).acquire_many_owned(places).await.ok()
    }

    /// Waits until all requests are answered; gives up when nothing is answered for as long as a call may take.
    async fn finish(&mut self) {
        loop {
            let free = self.places.available_permits();
            if free == PLACES {
                return;
            }
            let another = self.places.acquire_many(free as u32 + 1);
            if !tokio::time::timeout(LONGEST_CALL + GRACE, another).await.is_ok_and(|result| result.is_ok()) {
                return;
            }
        }
    }

    /// Writes a message as one line; its places are free then.
    fn write(
        &self,
        mut message: TxJsonRpcMessage<RoleServer>,
        place: Option<OwnedSemaphorePermit>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let (output, places) = (Arc::clone(&self.output), Arc::clone(&self.places));
        async move {
            if let TxJsonRpcMessage::<RoleServer>::Error(error) = &mut message {
                bound(&mut error.error);
            }
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            let written = match output.write_all(&line).await {
                Ok(()) => output.flush().await,
                failed => failed,
            };
            if written.is_err() {
                places.close();
            }
            drop(place);
            written
        }
    }
}

/// Counts what separates values, outside of strings.
fn has_too_many_values(line: &[u8]) -> bool {
    let (mut count, mut in_string, mut is_escaped) = (0, false, false);
    for byte in line {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => count += 1,
            _ => {}
        }
    }
    count > MOST_VALUES
}

fn refused(id: Option<RequestId>, error: ErrorData) -> Taken {
    Taken::Next(Next::Refused(id, error))
}

/// True for a request with which a session begins: the handshake, or one that says its revision.
fn opens(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let RxJsonRpcMessage::<RoleServer>::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let is_whole = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
            is_whole
                && meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

/// Errors quote their requests, those of the protocol's library as they came.
fn bound(error: &mut ErrorData) {
    let message = render::clean_line(&error.message);
    let end = message.char_indices().nth(LONGEST_ERROR).map(|(end, _)| end);
    error.message = end.map_or(message.clone(), |end| format!("{}...", &message[..end])).into();
    error.data.as_mut().map(shorten);
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = render::short(text),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Transport<RoleServer> for Lines<R, W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let place = match &message {
            TxJsonRpcMessage::<RoleServer>::Response(response) => self.waiting.remove(&response.id),
            TxJsonRpcMessage::<RoleServer>::Error(error) => error.id.as_ref().and_then(|id| self.waiting.remove(id)),
            _ => None,
        };
        self.write(message, place)
    }

    /// Nothing is lost when this is dropped while it waits.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.next.is_some() {
                let place = self.room().await?;
                match self.next.take()? {
                    Next::Request(message, id, _) => {
                        self.waiting.insert(id, place);
                        return Some(*message);
                    }
                    // In a task of its own: what is half written must not be dropped.
                    Next::Refused(id, error) => {
                        let write = self.write(TxJsonRpcMessage::<RoleServer>::error(error, id), Some(place));
                        tokio::spawn(write);
                    }
                }
            }
            let taken = match self.read().await {
                Read::Line => self.take(),
                Read::TooLong => refused(None, ErrorData::invalid_request("the line is longer than 16 MiB", None)),
                Read::End => {
                    self.finish().await;
                    return None;
                }
            };
            match taken {
                Taken::Message(message) => return Some(*message),
                Taken::Next(next) => self.next = Some(next),
                Taken::Nothing => {}
            }
        }
    }

    /// Each line was flushed. Waiting for one that nobody takes would wait for ever.
    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}
