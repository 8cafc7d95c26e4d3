//! The server over the boundary: steps as numbers and spans, constants by key.
//!
//! A handler's arguments and results never pass through here. JavaScript gets the span of the
//! arguments in the text that it still holds, and the constant texts that go around a result; what is
//! rare goes through [`ServerCore::settle`], which rebuilds the invocation from a ticket, so that
//! nothing of a request stays here while its handler runs.

use super::spans::Spans;
use super::steps::{NOTHING, REPLY, post_step};
use super::{error, mailbox};
use crate::protocol::error::{ErrorObject, INTERNAL_ERROR};
use crate::protocol::json::{Ends, Raw, Writer, has_replacement, quote_onto};
use crate::protocol::jsonrpc::RequestId;
use crate::protocol::version::ProtocolVersion;
use crate::server::http::{Admission, HEAD_HEADERS, RequestHead, Response, ResponseHeaders};
use crate::server::{Channel, Consulted, Invocation, LogLevel, Outcome, Presented, Server, Session, Shape, Target};
use crate::streamable_http::headers::Headers;
use std::cell::RefCell;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

// Flags of a message.
const STREAMS: u32 = 1;
const IN_BATCH: u32 = 2;
const TAKES_TEXT: u32 = 4;

/// A server of the core.
#[wasm_bindgen]
pub struct ServerCore {
    pub(super) server: Server,
    /// What JavaScript said of the caller of the message that it hands over next.
    pub(super) consulted: RefCell<String>,
    /// A text on its way to JavaScript, too long for the mailbox: it is let go once it has been read.
    long: RefCell<Vec<u8>>,
}

#[wasm_bindgen]
impl ServerCore {
    /// Reads the definition, the first `length` bytes of the mailbox.
    ///
    /// # Errors
    ///
    /// `INVALID_DEFINITION` names the item and the rule; `BEYOND` asks for the wasm that has everything.
    #[wasm_bindgen(constructor)]
    pub fn new(length: usize) -> Result<Self, JsValue> {
        mailbox::take(length, |definition| {
            let refuse = |message: &str| error::mcp_error("INVALID_DEFINITION", message);
            let definition = Raw::parse(definition).map_err(|syntax| refuse(&syntax.to_string()))?;
            Server::new(definition).map_err(|error| match error.is_beyond() {
                true => error::mcp_error("BEYOND", ""),
                false => refuse(&error.to_string()),
            })
        })
        .map(|server| Self { server, consulted: RefCell::default(), long: RefCell::default() })
    }

    /// What goes around the text of a tool's result, and what ends that of a failed one.
    #[wasm_bindgen(js_name = toolFrame)]
    pub fn tool_frame(&self) {
        mailbox::post(&["\"content\":[{\"type\":\"text\",\"text\":", "}]", "}],\"isError\":true"], &[]);
    }

    /// The constant of that key.
    pub fn constant(&self, key: usize) {
        mailbox::post(&[self.server.constant(key)], &[]);
    }

    /// Handles one message, the first `length` bytes of the mailbox. `units` is its length in UTF-16
    /// units where it came as text, and spans are counted in those; 0 where it came as bytes.
    #[wasm_bindgen(js_name = handleMessage)]
    pub fn handle_message(&self, length: usize, units: usize, flags: u32) -> u32 {
        mailbox::take(length, |message| {
            self.with_channel(flags, None, Presented::None, |channel| self.post_message(message, units, flags, channel))
        })
    }

    /// The names of the request headers that [`ServerCore::admit`] reads, then those that a message is
    /// checked against; how many the former are, and the most bytes of a body.
    #[wasm_bindgen(js_name = readHeaders)]
    pub fn read_headers(&self) {
        let mut names: Vec<&str> = HEAD_HEADERS.to_vec();
        for name in self.server.message_headers() {
            names.push(name);
        }
        mailbox::post(&names, &[HEAD_HEADERS.len() as u32, self.server.max_body_bytes() as u32]);
    }

    /// Says whether the body of the HTTP request is worth reading whose head is in the mailbox: the
    /// method, the URL and the headers, a line each, a header as `=value` or as nothing.
    pub fn admit(&self, length: usize) -> u32 {
        mailbox::take(length, |head| match self.admitted(head) {
            Ok(admission) => {
                if !admission.headers.is_empty() {
                    mailbox::post(&[&header_lines(&admission.headers)], &[]);
                }
                u32::from(admission.json) * ACCEPTS_JSON
                    + u32::from(admission.stream) * ACCEPTS_STREAM
                    + u32::from(!admission.headers.is_empty()) * WITH_HEADERS
            }
            Err(response) => post_response(&response),
        })
    }

    /// The response to a body that is too large; the mailbox holds the head.
    #[wasm_bindgen(js_name = tooLarge)]
    pub fn too_large(&self, length: usize) {
        mailbox::take(length, |head| {
            let headers = self.admitted(head).map(|admission| admission.headers).unwrap_or_default();
            post_response(&self.server.too_large(headers));
        });
    }

    /// Handles the message of an admitted HTTP request: the mailbox holds the lines of the message's headers, `head`
    /// bytes of them, and the body.
    #[wasm_bindgen(js_name = handleHttp)]
    pub fn handle_http(&self, length: usize, head: usize, flags: u32) -> u32 {
        mailbox::take(length, |input| {
            let (head, message) = input.split_at_checked(head).unwrap_or_default();
            let head = text_of(head);
            let headers = self.message_headers(head);
            let presented = self.presented(head);
            self.with_channel(flags, Some(&headers), presented.borrowed(), |channel| {
                self.post_message(message, 0, flags, channel)
            })
        })
    }

    /// Checks the headers of a modern request against its body: `head` bytes of lines, then the message.
    #[wasm_bindgen(js_name = checkHeaders)]
    pub fn check_headers(&self, length: usize, head: usize) -> u32 {
        mailbox::take(length, |input| {
            let (head, message) = input.split_at_checked(head).unwrap_or_default();
            match self.server.check_headers(&self.message_headers(text_of(head)), message) {
                Ok(()) => NOTHING,
                Err(error) => {
                    let mut out = Writer::new();
                    error.write(&mut out);
                    mailbox::post(&[out.as_str()], &[]);
                    REPLY
                }
            }
        })
    }

    /// Appends the first `length` bytes of the mailbox to a reply: as JSON that begins a new one, as JSON, or as a text to be
    /// quoted, of which JavaScript has counted `units`. Posts where the reply is. False where the text may have had lone
    /// surrogates, which have no UTF-8.
    pub fn compose(&self, length: usize, how: u32, units: usize) -> bool {
        let mut reply = self.long.borrow_mut();
        mailbox::take(length, |part| {
            match how {
                BEGIN => *reply = part.to_vec(),
                QUOTED if length != units && has_replacement(part) => return false,
                QUOTED => quote_onto(&mut reply, part),
                _ => reply.extend_from_slice(part),
            }
            mailbox::post(&[], &[reply.as_ptr() as u32, reply.len() as u32]);
            true
        })
    }

    /// Does what is rare about an invocation: `how` says what, the mailbox holds the ticket and a payload.
    pub fn settle(&self, length: usize, how: u32) -> u32 {
        mailbox::take(length, |input| {
            let mut lines = text_of(input).splitn(5, '\n');
            let mut line = || lines.next().unwrap_or_default();
            let (facts, id, token, uri, payload) = (line(), line(), line(), line(), line());
            let Some(invocation) = self.restore(facts, id, token, uri) else {
                mailbox::post(&[], &[]);
                return NOTHING;
            };
            self.post_settled(invocation, how, payload)
        })
    }
}

// What `admit` returns: 0 where it posted a response.
const ACCEPTS_JSON: u32 = 1;
const ACCEPTS_STREAM: u32 = 2;
const WITH_HEADERS: u32 = 4;

// What `compose` is asked to do with a part; anything else appends JSON.
const BEGIN: u32 = 0;
const QUOTED: u32 = 1;

// What `settle` is asked to do.
const SHAPE: u32 = 0;
const FAILED: u32 = 1;
const ERROR: u32 = 2;
const PROGRESS: u32 = 3;
const LOG: u32 = 4;
const NOT_FOUND: u32 = 5;
const READABLE: u32 = 6;
const ASK: u32 = 7;
const ITEMS: u32 = 8;

// What `settle` returns beside NOTHING and REPLY.
const FRAME: u32 = 2;
const FRAME_WITH_CONTENT: u32 = 3;

impl ServerCore {
    /// Handles a message and posts the step.
    pub(super) fn post_message(&self, message: &[u8], units: usize, flags: u32, channel: &Channel<'_>) -> u32 {
        // What JavaScript has encoded is UTF-8.
        let mut ends = if units == 0 { Ends::new() } else { Ends::of_utf8() };
        let step = self.server.handle_message_with(message, &mut ends, channel);
        post_step(step, &Spans { message, units, ends: &ends, long: (flags & TAKES_TEXT != 0).then_some(&self.long) })
    }

    pub(super) fn with_channel(
        &self,
        flags: u32,
        headers: Option<&Headers<'_>>,
        session: Presented<'_>,
        handle: impl FnOnce(&Channel<'_>) -> u32,
    ) -> u32 {
        let streams = flags & STREAMS != 0;
        let channel = Channel { streams, headers, in_batch: flags & IN_BATCH != 0, consulted: None, session };
        let facts = self.consulted.take();
        match Raw::parse(facts.as_bytes()) {
            Ok(facts) => handle(&Channel { consulted: Some(&Consulted::read(facts)), ..channel }),
            Err(_) => handle(&channel),
        }
    }

    pub(super) fn message_headers<'h>(&'h self, lines: &'h str) -> Vec<(&'h str, &'h str)> {
        pairs(&mut self.server.message_headers().iter().map(String::as_str), lines)
    }

    /// The session whose line stands behind those of the message's headers.
    pub(super) fn presented(&self, lines: &str) -> Owned {
        if self.server.sessions().is_none() {
            return Owned::None;
        }
        Owned::read(lines.split('\n').nth(self.server.message_headers().len()).unwrap_or_default())
    }

    fn admitted(&self, head: &[u8]) -> Result<Admission, Response> {
        let mut lines = text_of(head).splitn(3, '\n');
        let mut line = || lines.next().unwrap_or_default();
        let (method, url, rest) = (line(), line(), line());
        self.server.admit(&RequestHead { method, url, headers: &pairs(&mut HEAD_HEADERS.iter().copied(), rest) })
    }

    /// An invocation from what JavaScript kept of it.
    fn restore<'a>(&'a self, facts: &str, id: &'a str, token: &'a str, uri: &'a str) -> Option<Invocation<'a>> {
        let mut facts = facts.split(' ').map(|fact| fact.parse::<usize>().unwrap_or_default());
        let mut fact = || facts.next().unwrap_or_default();
        let (kind, index, version, level) = (fact(), fact(), fact(), fact());
        let target = match kind {
            0 => Target::Tool(index),
            1 => Target::Resource(index),
            2 => Target::Template(index, Vec::new()),
            3 => Target::Prompt(index),
            5 => Target::Method(index),
            _ => Target::Completion,
        };
        Some(self.server.invocation(
            target,
            RequestId::read(Raw::parse(id.as_bytes()).ok()?)?,
            *ProtocolVersion::ALL.get(version)?,
            Raw::parse(uri.as_bytes()).ok(),
            Raw::parse(token.as_bytes()).ok(),
            LogLevel::ALL.get(level).copied(),
        ))
    }

    fn post_settled<'a>(&self, mut invocation: Invocation<'a>, how: u32, payload: &'a str) -> u32 {
        let value = Raw::parse(payload.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT);
        let says = |name: &str| value.get(name).and_then(Raw::as_bool) == Some(true);
        let reply = match how {
            SHAPE => {
                let shape = Shape {
                    meta: value.get("_meta"),
                    result_type: value.get("resultType"),
                    ttl: value.get("ttlMs"),
                    scope: value.get("cacheScope"),
                    input_requests: value.get("inputRequests"),
                    request_state: value.get("requestState"),
                    structured: value.get("structured"),
                    is_error: says("isError"),
                    has_items: says("hasItems"),
                    has_structured: says("hasStructured"),
                };
                invocation.capabilities = value.get("clientCapabilities");
                match invocation.result_frame(&shape) {
                    Ok(frame) => {
                        mailbox::post(&[&frame.head, frame.tail], &[]);
                        let needs_text = shape.needs_content_text(&invocation.target);
                        return if needs_text { FRAME_WITH_CONTENT } else { FRAME };
                    }
                    Err(reply) => reply,
                }
            }
            FAILED => invocation.finish(Outcome::Failed(value.as_str().unwrap_or_default().into_owned())),
            ERROR => {
                let error = ErrorObject::read(value);
                let unknown = || ErrorObject::new(INTERNAL_ERROR, "The handler failed without a readable error");
                invocation.finish(Outcome::Error(error.unwrap_or_else(unknown)))
            }
            NOT_FOUND => invocation.finish(Outcome::NotFound),
            ITEMS => invocation.finish(Outcome::Items(payload.to_owned())),
            READABLE => {
                let Some(text) = invocation.readable(payload) else { return NOTHING };
                mailbox::post(&[&text], &[]);
                return REPLY;
            }
            ASK => {
                let part = |name| value.get_str(name).unwrap_or_default();
                let (id, method) = (part("id"), part("method"));
                match invocation.ask(&id, &method, value.get("params")) {
                    Ok(text) => {
                        let (withdrawal, late) = invocation.withdraw(&id, &method);
                        mailbox::post(&[&text, "", &withdrawal, &late], &[self.server.ask_timeout_ms()]);
                    }
                    Err(reason) => mailbox::post(&["", &reason], &[]),
                }
                return REPLY;
            }
            PROGRESS | LOG => {
                let text = if how == PROGRESS {
                    invocation.progress(payload)
                } else {
                    let level = value.get_str("level").and_then(|level| LogLevel::parse(&level));
                    level.and_then(|level| invocation.log(level, value.get("params").map_or("{}", Raw::as_text)))
                };
                let Some(text) = text else { return NOTHING };
                mailbox::post(&[&text], &[]);
                return REPLY;
            }
            _ => return NOTHING,
        };
        let status = u32::from(reply.status);
        mailbox::post(&[&reply.into_text()], &[status]);
        REPLY
    }
}

/// A request's session as its line says.
pub(super) enum Owned {
    None,
    Missing,
    Unknown,
    Known(Session),
}

impl Owned {
    /// Reads nothing, `=` or `=` and the session's text.
    fn read(line: &str) -> Self {
        let Some(text) = line.strip_prefix('=') else { return Self::Missing };
        session(text).map_or(Self::Unknown, Self::Known)
    }

    pub(super) fn borrowed(&self) -> Presented<'_> {
        match self {
            Self::None => Presented::None,
            Self::Missing => Presented::Missing,
            Self::Unknown => Presented::Unknown,
            Self::Known(session) => Presented::Known(session),
        }
    }
}

/// The session that was kept as `text`.
pub(super) fn session(text: &str) -> Option<Session> {
    Session::read(Raw::parse(text.as_bytes()).ok()?)
}

pub(super) fn text_of(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// The headers whose lines have a value.
fn pairs<'a>(names: &mut dyn Iterator<Item = &'a str>, lines: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut out = Vec::with_capacity(4);
    let mut rest = lines;
    for name in names {
        let end = rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len());
        if let Some(value) = rest.get(..end).and_then(|line| line.strip_prefix('=')) {
            out.push((name, value));
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    out
}

pub(super) fn post_response(response: &Response) -> u32 {
    mailbox::post(&[&header_lines(&response.headers), &response.body], &[u32::from(response.status)]);
    NOTHING
}

/// Names and values, a line each.
fn header_lines(headers: &ResponseHeaders) -> String {
    let mut out = String::new();
    for (name, value) in headers {
        for line in [name, value.as_str()] {
            out.push_str(if out.is_empty() { "" } else { "\n" });
            out.push_str(line);
        }
    }
    out
}
