//! Reading answers: what a status and a content type mean, and where a body goes.

use super::error::HttpFailure;
use super::event::{Head, Millis, Read, ResultType};
use super::opening::{Answer, failure_of};
use super::pending::{Flight, Pending, Purpose};
use super::{Call, Client, Code, Event, Exchange, Failure, Output, Payload, State, http_sse};
use crate::protocol::error::ErrorObject;
use crate::protocol::json::Raw;
use crate::protocol::jsonrpc::Message;
use crate::protocol::method;
use crate::protocol::version::Era;
use crate::streamable_http::{headers, sse};

/// How much of an error's body is read: enough for any message, not for a download.
pub const ERROR_BODY_BYTES: usize = 64 * 1024;

/// How long a stream may go on behind its response. A server ends it at once as a rule, and then
/// the connection serves again; one that does not is let go, for a browser has only six a host.
const DRAIN_TIME: Millis = 250;

/// Messages of a stream of this size and more are parsed outside: `JSON.parse` is faster than two scans.
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

    /// Whether the result of the exchange is of no interest here.
    fn is_parsed_outside(&self, exchange: Exchange) -> bool {
        self.call_of(exchange).is_some_and(|call| !self.may_keep(call))
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
    fn on_delivered(&mut self, exchange: Exchange, is_notice: bool, now: Millis) {
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
                Some(Ok(event)) if event.data.len() >= LARGE_MESSAGE_BYTES && self.is_parsed_outside(exchange) => {
                    let text = event.text().into_owned();
                    self.tell(Event::Body(exchange, text));
                }
                Some(Ok(event)) => {
                    let text = event.text();
                    if let Some(flight) = self.exchanges.get_mut(exchange) {
                        flight.brought = true;
                    }
                    self.on_message_bytes(exchange, text.as_bytes(), now);
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

    pub(super) fn on_end(&mut self, exchange: Exchange, now: Millis) {
        let message = "the connection was closed before the response came";
        match self.exchanges.get(exchange).map(|flight| flight.purpose) {
            Some(Purpose::Opening | Purpose::Call(_)) if self.is_delivery(exchange) => {
                let is_notice = self.is_initialized_notice(exchange);
                self.exchanges.remove(exchange);
                self.on_delivered(exchange, is_notice, now);
            }
            Some(Purpose::Listen) => self.on_listening_ended(exchange, now),
            Some(Purpose::Events) => self.on_event_stream_ended(message, now),
            Some(Purpose::Opening | Purpose::Call(_)) if self.resume_later(exchange, now) => {}
            Some(Purpose::Opening | Purpose::Call(_)) => self.end_exchange(exchange, Answer::Ended(message), "", now),
            Some(_) => self.forget(exchange),
            None => {}
        }
    }

    /// Whether the exchange carries a notification: its end is its delivery.
    fn is_delivery(&self, exchange: Exchange) -> bool {
        self.exchanges.get(exchange).is_some_and(|flight| flight.id.is_empty())
    }

    pub(super) fn on_failed(&mut self, exchange: Exchange, message: &str, now: Millis) {
        let Some(flight) = self.exchanges.get(exchange) else { return };
        match flight.purpose {
            Purpose::Listen => self.on_listening_ended(exchange, now),
            Purpose::Events => self.on_event_stream_ended(message, now),
            Purpose::Opening | Purpose::Call(_) => {
                if self.resume_later(exchange, now) {
                    return;
                }
                let Some(flight) = self.exchanges.get(exchange) else { return };
                let answer = if self.is_pipe() || flight.begun || flight.resumes.is_some() {
                    Answer::Ended(message)
                } else {
                    Answer::Unreachable(message)
                };
                self.end_exchange(exchange, answer, "", now);
            }
            Purpose::Notice => {
                self.exchanges.remove(exchange);
                self.tell(Event::Diagnostic(Box::new(Failure::new(Code::Network, message))));
            }
            Purpose::Drain | Purpose::Terminate => self.forget(exchange),
        }
    }

    /// What carried the exchange is gone.
    pub(super) fn on_orphaned(&mut self, exchange: Exchange, now: Millis) {
        match self.exchanges.get(exchange).map(|flight| flight.purpose) {
            Some(Purpose::Opening) => {
                self.exchanges.remove(exchange);
                self.send_step(now);
            }
            Some(Purpose::Listen) => self.on_listening_ended(exchange, now),
            Some(Purpose::Events) if matches!(self.state, State::Opening(_)) => {
                self.stop_event_stream();
                self.open(now);
            }
            Some(Purpose::Events) => self.on_event_stream_ended("what carried the stream is gone", now),
            Some(Purpose::Call(call)) if self.restart_stream(call, now) => {}
            Some(Purpose::Call(_)) => {
                self.end_exchange(exchange, Answer::Ended("what carried the request is gone"), "", now);
            }
            _ => self.forget(exchange),
        }
    }

    /// An exchange that nobody waits for is over.
    fn forget(&mut self, exchange: Exchange) {
        if let Some(flight) = self.exchanges.remove(exchange) {
            self.forgotten(flight.purpose);
        }
    }

    fn forgotten(&mut self, purpose: Purpose) {
        if let (State::Closing, Purpose::Terminate) = (&self.state, purpose) {
            self.closed();
        }
    }

    fn on_failed_status(&mut self, exchange: Exchange, error: Option<ErrorObject>, text: &str, now: Millis) {
        match self.exchanges.get(exchange).map(|flight| flight.purpose) {
            Some(Purpose::Opening | Purpose::Call(_)) => {
                let answer = error.map_or(Answer::Status, Answer::Error);
                self.end_exchange(exchange, answer, text, now);
            }
            Some(Purpose::Notice) => {
                let http = self.exchanges.remove(exchange).map(|flight| http_failure(&flight, text));
                let answer = error.map_or(Answer::Status, Answer::Error);
                let failure = failure_of("a message that needs no response", answer, http);
                self.tell(Event::Diagnostic(Box::new(failure)));
            }
            _ => self.forget(exchange),
        }
    }

    /// The exchange is over, and this is what it brought.
    pub(super) fn end_exchange(&mut self, exchange: Exchange, answer: Answer<'_>, body: &str, now: Millis) {
        let Some(flight) = self.exchanges.remove(exchange) else { return };
        let is_refusal = flight.failed_status().is_some() && flight.resumes.is_none();
        let is_http_matter = is_refusal || matches!(answer, Answer::Unusable(_));
        let http = (flight.status != 0 && is_http_matter).then(|| http_failure(&flight, body));
        match flight.purpose {
            Purpose::Opening => self.on_opening_answer(exchange, answer, http, now),
            Purpose::Call(call) => {
                if self.is_reissued(call, flight.connection, &answer, http.as_ref(), now)
                    || self.is_relisted(call, &answer, now)
                    || self.is_retried(call, &answer, now)
                {
                    return;
                }
                if let Some(pending) = self.calls.remove(call) {
                    let may_repeat = self.may_repeat(&pending);
                    let is_lost = matches!(answer, Answer::Ended(_) | Answer::Unreachable(_));
                    let hides_session = self.may_hide_a_session(http.as_ref());
                    let mut failure = failure_of(&pending.method, answer, http);
                    if hides_session {
                        failure.message.push_str(
                            ". If the server has sessions, its CORS answer must expose mcp-session-id to the page",
                        );
                    }
                    failure.retryable = is_lost && may_repeat;
                    self.tell(Event::Failed(call, Box::new(failure)));
                }
            }
            purpose => self.forgotten(purpose),
        }
    }

    /// Whether a legacy server may have refused a request for want of a session whose id the browser
    /// did not show (Fetch, CORS-safelisted response headers).
    fn may_hide_a_session(&self, http: Option<&HttpFailure>) -> bool {
        self.options.browser
            && http.is_some_and(|http| matches!(http.status, 400 | 404))
            && matches!(&self.state, State::Ready(session) if session.era == Era::Legacy && session.session_id.is_none())
    }

    pub(super) fn on_exchange_timeout(&mut self, exchange: Exchange, now: Millis) {
        let Some(flight) = self.exchanges.get(exchange) else { return };
        let purpose = flight.purpose;
        self.outputs.push_back(Output::Abort(exchange));
        match purpose {
            Purpose::Opening => self.end_exchange(exchange, Answer::TimedOut, "", now),
            Purpose::Events => self.on_event_stream_refused(now),
            _ => self.forget(exchange),
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

fn http_failure(flight: &Flight, body: &str) -> HttpFailure {
    HttpFailure {
        status: flight.status,
        status_text: flight.status_text.clone(),
        content_type: flight.content_type.clone(),
        retry_after: flight.retry_after.clone(),
        body: body.get(..body.floor_char_boundary(ERROR_BODY_BYTES)).unwrap_or_default().to_owned(),
    }
}

/// Attaches the HTTP answer. The specification gives its JSON-RPC errors the statuses 400 and 404, so there the
/// error speaks for itself; any other status is an HTTP failure that may hold one.
pub(super) fn with_status(method: &str, mut failure: Failure, http: HttpFailure) -> Failure {
    let is_protocol = matches!(http.status, 200..=299 | 400 | 404) && failure.rpc.is_some();
    if !is_protocol {
        let mut message = [method, ": HTTP ", &http.status.to_string()].concat();
        if !http.status_text.is_empty() {
            message.push(' ');
            message.push_str(&http.status_text);
        }
        if !failure.message.is_empty() {
            message.push_str(": ");
            let named = failure.message.strip_prefix(method).and_then(|rest| rest.strip_prefix(": "));
            message.push_str(named.unwrap_or(&failure.message));
        }
        failure.code = Code::Http;
        failure.message = message;
    }
    failure.with_http(Some(http))
}
