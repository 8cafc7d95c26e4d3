//! Reading answers: what a status and a content type mean, and where a body goes.

use super::event::{Head, Millis, Read, ResultType};
use super::opening::Answer;
use super::pending::{Pending, Purpose};
use super::{Call, Client, Event, Exchange, Output, Payload, State, http_sse};
use crate::protocol::error::ErrorObject;
use crate::protocol::json::Raw;
use crate::protocol::jsonrpc::Message;
use crate::protocol::method;
use crate::streamable_http::{headers, sse};

/// How much of an error's body is read: enough for any message, not for a download.
pub const ERROR_BODY_BYTES: usize = 64 * 1024;

/// How long a stream may go on behind its response. A server ends it at once as a rule, and then
/// the connection serves again; one that does not is let go, for a browser has only six a host.
const DRAIN_TIME: Millis = 250;

/// Messages of a stream of this size and more are parsed outside: `JSON.parse` is faster than two scans. So are all of
/// them where progress is wanted, of which there may be much.
const LARGE_MESSAGE_BYTES: usize = 16 * 1024;

impl Client {
    pub(super) fn on_head(&mut self, exchange: Exchange, head: &Head<'_>, now: Millis) {
        let is_list_of_tools = self.lists_tools(exchange);
        let is_notice = self.is_initialized_notice(exchange);
        let is_kept = self.call_of(exchange).is_some_and(|call| self.may_keep(call));
        let Some(flight) = self.exchanges.get_mut(exchange) else {
            self.outputs.push_back(Output::Read(exchange, Read::Discard));
            return;
        };
        flight.status = head.status;
        flight.begun = true;
        flight.status_text = head.status_text.unwrap_or_default().to_owned();
        flight.content_type = head.content_type.map(str::to_owned);
        flight.retry_after = head.retry_after.map(str::to_owned);
        let is_ok = flight.failed_status().is_none();
        if is_ok {
            self.note_session(exchange, head.session_id);
        }
        if let Some(credentials) = self.follow(exchange, head) {
            self.outputs.push_back(Output::Read(exchange, Read::Follow { credentials }));
            return;
        }
        let Some(flight) = self.exchanges.get_mut(exchange) else { return };
        let is_opened = matches!(flight.purpose, Purpose::Listen | Purpose::Events);
        let wants_response = !flight.id.is_empty() || is_opened;
        let is_stream = headers::is_event_stream(head.content_type.unwrap_or_default());
        let purpose = flight.purpose;
        if (flight.resumes.is_some() || is_opened) && !(is_ok && is_stream) {
            self.outputs.push_back(Output::Read(exchange, Read::Discard));
            match purpose {
                Purpose::Listen => {
                    self.exchanges.remove(exchange);
                    self.stop_listening();
                }
                Purpose::Events => self.on_event_stream_refused(now),
                _ => self.on_resumption_refused(exchange, now),
            }
            return;
        }
        if is_ok && wants_response && !is_opened && self.event_stream.is_some() {
            // The response comes over the stream.
            self.outputs.push_back(Output::Read(exchange, Read::Discard));
            return;
        }
        let Some(flight) = self.exchanges.get_mut(exchange) else { return };
        let content_type = head.content_type.unwrap_or_default();
        let read = if !is_ok {
            Read::Error
        } else if !wants_response {
            Read::Discard
        } else if is_stream {
            flight.parser = Some(sse::Parser::new());
            Read::Stream
        } else if !headers::is_json(content_type) {
            Read::Error
        } else if is_kept || flight.purpose == Purpose::Opening {
            Read::Text
        } else if is_list_of_tools {
            Read::Tools
        } else {
            Read::Message
        };
        let is_listening = flight.purpose == Purpose::Listen;
        self.outputs.push_back(Output::Read(exchange, read));
        if is_listening {
            self.on_listening_open();
        }
        if read == Read::Discard {
            self.exchanges.remove(exchange);
            self.on_delivered(exchange, is_notice, now);
        }
    }

    /// Whether a message of so many bytes, of the exchange's stream, is of no interest here as text.
    fn is_parsed_outside(&self, exchange: Exchange, length: usize) -> bool {
        let Some(call) = self.call_of(exchange) else { return false };
        let has_progress = self.calls.get(call).is_some_and(|call| call.options.progress);
        (has_progress || length >= LARGE_MESSAGE_BYTES) && !self.may_keep(call)
    }

    /// Progress of a call has come that the driver has told of.
    pub(super) fn on_outside_progress(&mut self, exchange: Exchange, now: Millis) {
        let timeout = self.options.timeout;
        if let Some(call) = self.call_of(exchange).and_then(|call| self.calls.get_mut(call)) {
            call.progressed(timeout, now);
        }
    }

    fn lists_tools(&self, exchange: Exchange) -> bool {
        self.mirrors_parameters()
            && self
                .call_of(exchange)
                .and_then(|call| self.calls.get(call))
                .is_some_and(|call| call.method == method::TOOLS_LIST)
    }

    pub(super) fn call_of(&self, exchange: Exchange) -> Option<Call> {
        match self.exchanges.get(exchange)?.purpose {
            Purpose::Call(call) => Some(call),
            _ => None,
        }
    }

    /// A message without a response has reached the peer.
    pub(super) fn on_delivered(&mut self, exchange: Exchange, is_notice: bool, now: Millis) {
        if is_notice {
            self.on_initialized(now);
        } else if let State::Closing = self.state {
            self.closed();
        } else if let Some(call) = self.notification_of(exchange) {
            self.calls.remove(call);
            self.tell(Event::Result(call, Payload::Text("{}".to_owned())));
        }
    }

    fn notification_of(&self, exchange: Exchange) -> Option<Call> {
        self.calls.iter().find(|(_, call)| call.notification && call.exchange == Some(exchange)).map(|(call, _)| call)
    }

    /// A whole body, or a whole message of a stream.
    pub(super) fn on_body(&mut self, exchange: Exchange, bytes: &[u8], now: Millis) {
        let Some(flight) = self.exchanges.get(exchange) else { return };
        if flight.purpose == Purpose::Drain {
            // It was handed out together with the response.
            return;
        }
        if flight.parser.is_some() {
            self.on_message_bytes(exchange, bytes, now);
            return;
        }
        let content_type = flight.content_type.as_deref().unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        let trimmed = text.trim_start_matches('\u{feff}').trim();
        let parsed = Raw::parse(trimmed.as_bytes());
        if flight.failed_status().is_some() {
            let error = parsed.ok().and_then(|raw| error_in(raw, &flight.id));
            if let Ok(raw) = parsed {
                self.observe(raw);
            }
            self.on_failed_status(exchange, error, &text, now);
        } else if trimmed.is_empty() {
            self.end_exchange(exchange, Answer::Unusable("the answer is empty; a response was expected"), &text, now);
        } else if !content_type.is_empty() && !headers::is_json(content_type) {
            let message =
                ["unexpected content type ", content_type, "; expected application/json or text/event-stream"];
            self.end_exchange(exchange, Answer::Unusable(&message.concat()), &text, now);
        } else {
            match parsed {
                Ok(raw) => self.on_json(exchange, raw, &text, now),
                Err(error) => {
                    let message = ["the answer is not JSON: ", &error.to_string()].concat();
                    self.end_exchange(exchange, Answer::Unusable(&message), &text, now);
                }
            }
        }
    }

    fn on_json(&mut self, exchange: Exchange, raw: Raw<'_>, text: &str, now: Millis) {
        if let Some(reason) = self.on_raw(exchange, raw, now) {
            self.end_exchange(
                exchange,
                Answer::Unusable(&["the answer is no valid message: ", reason].concat()),
                text,
                now,
            );
        } else if self.is_unanswered(exchange) {
            let message = "the answer holds no response to the request";
            self.end_exchange(exchange, Answer::Unusable(message), text, now);
        }
    }

    /// Whether the messages of the exchange's stream still matter.
    fn is_live(&self, exchange: Exchange) -> bool {
        self.is_unanswered(exchange)
            || self
                .exchanges
                .get(exchange)
                .is_some_and(|flight| matches!(flight.purpose, Purpose::Listen | Purpose::Events))
    }

    /// Whether the exchange still waits for its response.
    fn is_unanswered(&self, exchange: Exchange) -> bool {
        self.exchanges.get(exchange).is_some_and(|flight| matches!(flight.purpose, Purpose::Opening | Purpose::Call(_)))
    }

    pub(super) fn on_held_result(
        &mut self,
        exchange: Exchange,
        result_type: ResultType,
        next_cursor: Option<&str>,
        now: Millis,
    ) {
        if let Some(call) = self.call_of(exchange) {
            let connection = self.exchanges.get(exchange).map(|flight| flight.connection).unwrap_or_default();
            self.confirm(connection);
            self.retire(exchange, now);
            let is_first_page = |call: &Pending| call.method == method::TOOLS_LIST && call.cursors.is_empty();
            if self.calls.get(call).is_some_and(is_first_page) {
                self.mirrored.clear();
            }
            self.on_result(call, Payload::Held(exchange), result_type, next_cursor, now);
        }
    }

    /// The response has come: a body is over with it, a stream may go on for a moment.
    pub(super) fn retire(&mut self, exchange: Exchange, now: Millis) {
        let Some(flight) = self.exchanges.get_mut(exchange) else { return };
        if flight.parser.take().is_none() {
            self.exchanges.remove(exchange);
            return;
        }
        let deadline = now.saturating_add(DRAIN_TIME);
        flight.purpose = Purpose::Drain;
        flight.deadline = Some(deadline);
        self.arm(deadline);
    }

    pub(super) fn on_chunk(&mut self, exchange: Exchange, bytes: &[u8], now: Millis) {
        // The parser is out of the map while its events are handled, for handling them changes the map.
        let Some(mut parser) = self.exchanges.get_mut(exchange).and_then(|flight| flight.parser.take()) else {
            return;
        };
        if let Some(flight) = self.exchanges.get_mut(exchange) {
            flight.parser = Some(sse::Parser::with_limit(0));
        }
        parser.push(bytes);
        while self.is_live(exchange) {
            match parser.next_event() {
                None => break,
                Some(Ok(event)) if event.name == http_sse::ENDPOINT => {
                    let reference = event.text().into_owned();
                    self.on_endpoint(exchange, &reference, now);
                }
                Some(Ok(event)) if event.name != "message" || event.data.is_empty() => {}
                Some(Ok(event)) if self.is_parsed_outside(exchange, event.data.len()) => {
                    let text = event.text().into_owned();
                    self.tell(Event::Body(exchange, text));
                }
                Some(Ok(event)) => {
                    if let Some(flight) = self.exchanges.get_mut(exchange) {
                        flight.brought = true;
                    }
                    // What is not UTF-8 is no JSON before it has become text.
                    let text;
                    let parsed = match Raw::parse(event.data) {
                        Ok(raw) => Ok(raw),
                        Err(_) => {
                            text = event.text();
                            Raw::parse(text.as_bytes())
                        }
                    };
                    self.on_parsed(exchange, parsed, now);
                }
                Some(Err(error)) => {
                    self.outputs.push_back(Output::Abort(exchange));
                    self.end_exchange(exchange, Answer::TooLarge(&error.to_string()), "", now);
                }
            }
        }
        if let Some(flight) = self.exchanges.get_mut(exchange).filter(|flight| flight.parser.is_some()) {
            flight.parser = Some(parser);
        }
    }
}

/// The JSON-RPC error in the body of a failed answer, if it is meant for that request: its id, or none.
fn error_in(raw: Raw<'_>, id: &str) -> Option<ErrorObject> {
    match Message::read(raw) {
        Ok(Message::Error { id: other, error }) if other.is_none_or(|other| other.canonical() == id) => Some(error),
        _ => None,
    }
}
