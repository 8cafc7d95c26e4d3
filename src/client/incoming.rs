//! What the peer says: responses, notifications, and the requests of legacy servers.

use super::event::{Millis, ResultType};
use super::input::To;
use super::opening::{Answer, failure_of};
use super::pending::Purpose;
use super::{Call, Client, Code, Event, Exchange, Failure, Payload, State};
use crate::protocol::changes::allows_batches;
use crate::protocol::error::METHOD_NOT_FOUND;
use crate::protocol::json::{Raw, SyntaxError};
use crate::protocol::jsonrpc::{Message, RequestId};
use crate::protocol::version::{Era, ProtocolVersion};
use crate::protocol::{meta, method};

impl Client {
    /// One message of a stream, or of a channel that is not HTTP. What is no message is reported and passed over.
    pub(super) fn on_message_bytes(&mut self, exchange: Exchange, bytes: &[u8], now: Millis) {
        self.on_parsed(exchange, Raw::parse(bytes), now);
    }

    /// The same, read as JSON.
    pub(super) fn on_parsed(&mut self, exchange: Exchange, parsed: Result<Raw<'_>, SyntaxError>, now: Millis) {
        let problem = match parsed {
            Ok(raw) => self.on_raw(exchange, raw, now).map(str::to_owned),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            let message = ["a message that cannot be read was passed over: ", &problem].concat();
            self.tell(Event::Diagnostic(Box::new(Failure::new(Code::InvalidMessage, message))));
        }
    }

    /// One JSON value; gives what is wrong with it if it is no message.
    pub(super) fn on_raw(&mut self, exchange: Exchange, raw: Raw<'_>, now: Millis) -> Option<&'static str> {
        if raw.text().first() == Some(&b'[') && self.has_batches() {
            let mut is_empty = true;
            for element in raw.elements() {
                is_empty = false;
                if let Some(problem) = self.on_one(exchange, element, now) {
                    return Some(problem);
                }
            }
            return is_empty.then_some("an empty batch");
        }
        self.on_one(exchange, raw, now)
    }

    /// Whether the version in use has batches.
    fn has_batches(&self) -> bool {
        match &self.state {
            State::Ready(session) => ProtocolVersion::parse(session.version).is_some_and(allows_batches),
            _ => false,
        }
    }

    /// Tells of a message, if that is wanted.
    pub(super) fn observe(&mut self, raw: Raw<'_>) {
        if self.options.observes && Message::read(raw).is_ok() {
            self.tell(Event::Message(raw.as_text().to_owned()));
        }
    }

    fn on_one(&mut self, exchange: Exchange, raw: Raw<'_>, now: Millis) -> Option<&'static str> {
        self.observe(raw);
        match Message::read(raw) {
            Ok(Message::Result { id, result }) => match self.owner(exchange, Some(id)) {
                Some(owner) => self.on_response(owner, Answer::Result(result), now),
                None => self.report_stray(id),
            },
            Ok(Message::Error { id, error }) => {
                if let Some(owner) = self.owner(exchange, id) {
                    self.on_response(owner, Answer::Error(error), now);
                } else {
                    self.tell(Event::Diagnostic(Box::new(Failure::rpc(error))));
                }
            }
            Ok(Message::Notification { method, params }) => self.on_notification(exchange, &method, params, now),
            Ok(Message::Request { id, method, params }) => self.on_request(id, &method, params, now),
            Err(invalid) => return Some(invalid.reason),
        }
        None
    }

    /// The exchange whose request a response with that id answers: the one it came for, or, where
    /// several share a channel, the one with that id.
    fn owner(&self, exchange: Exchange, id: Option<RequestId<'_>>) -> Option<Exchange> {
        let is_open = |purpose| matches!(purpose, Purpose::Opening | Purpose::Call(_));
        let own = self.exchanges.get(exchange).filter(|flight| is_open(flight.purpose) && !flight.id.is_empty());
        if own.is_some_and(|flight| id.is_none_or(|id| id.canonical() == flight.id)) {
            return Some(exchange);
        }
        let id = id.filter(|_| self.shares_channel())?;
        let mut all = self.exchanges.iter();
        all.find(|(_, flight)| is_open(flight.purpose) && flight.id == id.canonical()).map(|(exchange, _)| exchange)
    }

    fn report_stray(&mut self, id: RequestId<'_>) {
        let message = ["a response to no open request was passed over; its id is ", id.as_text()].concat();
        self.tell(Event::Diagnostic(Box::new(Failure::new(Code::InvalidMessage, message))));
    }

    fn on_response(&mut self, exchange: Exchange, answer: Answer<'_>, now: Millis) {
        let Some(flight) = self.exchanges.get(exchange) else { return };
        match flight.purpose {
            Purpose::Opening => {
                self.retire(exchange, now);
                self.on_opening_answer(exchange, answer, None, now);
            }
            Purpose::Call(call) => {
                let connection = flight.connection;
                self.retire(exchange, now);
                match answer {
                    Answer::Result(result) => {
                        self.confirm(connection);
                        self.on_result_text(call, result, now);
                    }
                    answer if self.is_reissued(call, connection, &answer, None, now) => {}
                    answer if self.is_relisted(call, &answer, now) => {}
                    answer => {
                        if let Some(pending) = self.calls.remove(call) {
                            let failure = failure_of(&pending.method, answer, None);
                            self.tell(Event::Failed(call, Box::new(failure)));
                        }
                    }
                }
            }
            Purpose::Notice | Purpose::Listen | Purpose::Events | Purpose::Drain | Purpose::Terminate => {}
        }
    }

    fn on_result_text(&mut self, call: Call, result: Raw<'_>, now: Millis) {
        let is_modern = self.era() == Some(Era::Modern);
        let result_type = match result.get("resultType").filter(|_| is_modern) {
            None => ResultType::Complete,
            Some(value) => match value.as_str().as_deref() {
                Some("complete") => ResultType::Complete,
                Some("input_required") => ResultType::InputRequired,
                _ => {
                    let message =
                        ["resultType must be \"complete\" or \"input_required\", not ", value.as_text()].concat();
                    self.fail_call(call, Failure::new(Code::InvalidResult, message));
                    return;
                }
            },
        };
        let is_asking = result_type == ResultType::InputRequired;
        let is_manual = self.calls.get(call).is_none_or(|call| call.options.manual || !may_need_input(&call.method));
        if is_asking && !is_manual {
            self.on_input_required(call, result, now);
            return;
        }
        let next_cursor = result.get_str("nextCursor").map(|cursor| cursor.into_owned());
        self.note_hints(call, result);
        let text = self.without_invalid_tools(call, result);
        if !is_asking {
            self.keep(call, result, &text, now);
        }
        self.on_result(call, Payload::Text(text), result_type, next_cursor.as_deref(), now);
    }

    /// A call has a result that was kept.
    pub(super) fn on_kept(&mut self, call: Call, text: String, now: Millis) {
        let Ok(result) = Raw::parse(text.as_bytes()) else { return };
        let next_cursor = result.get_str("nextCursor").map(|cursor| cursor.into_owned());
        self.on_result(call, Payload::Text(text), ResultType::Complete, next_cursor.as_deref(), now);
    }

    /// A call has its result.
    pub(super) fn on_result(
        &mut self,
        call: Call,
        payload: Payload,
        result_type: ResultType,
        next_cursor: Option<&str>,
        now: Millis,
    ) {
        let Some(pending) = self.calls.get(call) else { return };
        if result_type == ResultType::InputRequired {
            if !may_need_input(&pending.method) || !pending.options.manual {
                let message = [&pending.method, ": the result cannot be input_required here"].concat();
                self.fail_call(call, Failure::new(Code::InvalidResult, message));
                return;
            }
            self.calls.remove(call);
            self.tell(Event::Result(call, payload));
            return;
        }
        self.finish_page(call, payload, next_cursor, now);
    }

    pub(super) fn fail_call(&mut self, call: Call, failure: Failure) {
        if self.calls.remove(call).is_some() {
            self.tell(Event::Failed(call, Box::new(failure)));
        }
    }

    fn on_notification(&mut self, exchange: Exchange, method: &str, params: Option<Raw<'_>>, now: Millis) {
        // While the era is open, nothing but the answer to the probe counts.
        let State::Ready(_) = self.state else { return };
        if method == method::PROGRESS {
            self.on_progress(params, now);
            return;
        }
        self.invalidate(method, params);
        let text = params.map(|params| params.as_text().to_owned());
        self.tell(Event::Notification(method.to_owned(), text));
        self.on_change(exchange, method, params);
    }

    fn on_progress(&mut self, params: Option<Raw<'_>>, now: Millis) {
        let Some(params) = params else { return };
        let Some(token) = params.get(meta::PROGRESS_TOKEN) else { return };
        let timeout = self.options.timeout;
        let found =
            self.calls.iter_mut().find(|(_, call)| call.token.as_deref().is_some_and(|own| same_token(own, token)));
        let Some((call, pending)) = found else { return };
        pending.progressed(timeout, now);
        if pending.options.progress {
            let event = Event::Progress(call, params.as_text().to_owned());
            self.tell(event);
        }
    }

    /// A request of the server. Legacy servers may send them, modern ones may not.
    fn on_request(&mut self, id: RequestId<'_>, method: &str, params: Option<Raw<'_>>, now: Millis) {
        match self.era() {
            None => {}
            Some(Era::Modern) => {
                let message =
                    ["the server sent the request ", method, ", which a modern server must not; it was dropped"];
                self.tell(Event::Diagnostic(Box::new(Failure::new(Code::InvalidMessage, message.concat()))));
            }
            Some(Era::Legacy) if method == method::PING => self.send_answer(id.as_text(), Ok("{}"), now),
            Some(Era::Legacy) if self.options.handles(method) => {
                self.ask(To::Server(id.as_text().to_owned()), method, params);
            }
            Some(Era::Legacy) => {
                let message = ["Method not found: ", method].concat();
                self.send_answer(id.as_text(), Err((METHOD_NOT_FOUND, &message)), now);
            }
        }
    }
}

/// The methods whose result may ask for input (2026-07-28, basic/patterns/mrtr, "Supported Requests").
fn may_need_input(method: &str) -> bool {
    matches!(method, method::TOOLS_CALL | method::PROMPTS_GET | method::RESOURCES_READ)
}

/// Whether both are the same token: equal text, or equal strings.
fn same_token(own: &str, token: Raw<'_>) -> bool {
    own == token.as_text()
        || Raw::parse(own.as_bytes()).ok().and_then(Raw::as_str).is_some_and(|own| Some(own) == token.as_str())
}
