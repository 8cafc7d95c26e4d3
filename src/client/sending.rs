//! What goes out: requests and notifications of calls, and what we send for ourselves.

use super::envelope::{self, Built, Parts, encoded, header};
use super::event::{Channel, Header, Millis, Outbound, Params, Verb};
use super::pending::{Flight, Later, OwnedParams, Purpose};
use super::{CLOSE_TIMEOUT, Call, Client, Code, Event, Exchange, Failure, Output, Session, State};
use crate::protocol::changes;
use crate::protocol::error::ErrorObject;
use crate::protocol::json::{Raw, quote};
use crate::protocol::jsonrpc::{self, Frame};
use crate::protocol::method;
use crate::protocol::version::{Era, ProtocolVersion};
use crate::streamable_http::headers;
use std::borrow::Cow;

impl Client {
    pub(super) fn next_exchange(&mut self) -> Exchange {
        self.last_exchange = self.last_exchange.wrapping_add(1);
        Exchange(self.last_exchange)
    }

    pub(super) fn next_id(&mut self) -> u32 {
        self.last_id = self.last_id.wrapping_add(1);
        self.last_id
    }

    pub(super) fn verb(&self) -> Verb {
        match self.options.channel {
            Channel::Http => Verb::Post,
            Channel::LocalPipe => Verb::Message,
        }
    }

    /// Sends a call's request or notification over the connection that is there.
    pub(super) fn dispatch(&mut self, call: Call, now: Millis) {
        if matches!(self.state, State::Ready(_)) && self.is_level_set(call) {
            return;
        }
        let State::Ready(session) = &self.state else { return };
        let Some(pending) = self.calls.get(call) else { return };
        if !pending.notification
            && method::is_core_request(&pending.method)
            && !method::is_request_in(&pending.method, session.era)
        {
            let message =
                [&pending.method, " does not exist in ", session.version, ", which this connection speaks"].concat();
            self.calls.remove(call);
            self.tell(Event::Failed(call, Box::new(Failure::new(Code::MethodNotInEra, message))));
            return;
        }
        if self.is_kept(call, now) {
            return;
        }
        let Some(pending) = self.calls.get(call) else { return };
        let State::Ready(session) = &self.state else { return };
        let is_needed = self.is_mirrored(call) || session.differs(&pending.method).is_some();
        if is_needed && matches!(pending.params, OwnedParams::Held) {
            self.outputs.push_back(Output::Mirror(call));
            let deadline = now.saturating_add(self.options.timeout);
            self.arm(deadline);
            if let Some(pending) = self.calls.get_mut(call) {
                pending.deadline = Some(deadline);
            }
            return;
        }
        self.send_call(call, None, now);
    }

    fn is_mirrored(&self, call: Call) -> bool {
        self.calls.get(call).is_some_and(|pending| {
            pending.method == method::TOOLS_CALL
                && pending.name.as_deref().is_some_and(|name| self.mirrored_by(name).is_some())
        })
    }

    /// The parameters of a call, of which some are mirrored, or not every revision has all.
    pub(super) fn on_arguments(&mut self, call: Call, bytes: &[u8], now: Millis) {
        let arguments = Raw::parse(bytes).ok();
        self.send_call(call, arguments, now);
    }

    /// Leaves out what the server's revision does not have. `params` are those that the driver held.
    fn adapt(&mut self, call: Call, params: Option<Raw<'_>>) {
        let State::Ready(session) = &self.state else { return };
        let Some(pending) = self.calls.get_mut(call) else { return };
        let Some(version) = session.differs(&pending.method) else { return };
        let own = pending.params.as_object();
        let params = params.or_else(|| Raw::parse(own.as_bytes()).ok());
        if let Some(adapted) = params.and_then(|params| changes::params_for(version, &pending.method, params)) {
            pending.params = OwnedParams::Text(envelope::inside(&adapted).to_owned());
        }
    }

    /// Sends the call. `params` are the whole parameters where the driver holds them and they are needed here.
    fn send_call(&mut self, call: Call, params: Option<Raw<'_>>, now: Millis) {
        self.adapt(call, params);
        let mirrored = match self.mirrored_headers(call, params) {
            Ok(mirrored) => mirrored,
            Err(message) => {
                self.calls.remove(call);
                self.tell(Event::Failed(call, Box::new(Failure::new(Code::InvalidArgument, message))));
                return;
            }
        };
        let exchange = self.next_exchange();
        let verb = self.verb();
        let timeout = self.options.timeout;
        let is_notification = self.calls.get(call).is_some_and(|pending| pending.notification);
        let id = if is_notification { 0 } else { self.next_id() };
        let (State::Ready(session), Some(pending)) = (&self.state, self.calls.get_mut(call)) else { return };
        let id_text = if is_notification { String::new() } else { id.to_string() };
        let built = envelope::build(&Parts {
            id: (!is_notification).then_some(id_text.as_str()),
            method: &pending.method,
            stamp: session.stamp.as_ref(),
            meta: pending.meta.as_deref(),
            log_level: pending.options.log_level.or(self.options.log_level).filter(|_| !is_notification),
            progress: pending.options.progress || pending.options.reset_on_progress,
            extra: &pending.extra,
            params: pending.params.borrow(),
        });
        let mut list = Vec::new();
        if verb == Verb::Post {
            list = session.headers(built.version, &pending.method, pending.name.as_deref());
            list.extend(mirrored);
        }
        pending.id = id;
        pending.token = built.token;
        pending.exchange = Some(exchange);
        if pending.limit.is_none() {
            pending.limit = pending.options.max_total.map(|total| now.saturating_add(total));
        }
        let deadline = now.saturating_add(pending.options.timeout.unwrap_or(timeout));
        pending.deadline = Some(deadline);
        let earliest = pending.limit.map_or(deadline, |limit| limit.min(deadline));
        let is_held = matches!(pending.params, OwnedParams::Held);
        self.arm(earliest);
        let mut flight = Flight::new(Purpose::Call(call), id_text);
        if let State::Ready(session) = &self.state
            && (session.assumed || session.session_id.is_some())
        {
            flight.connection = self.connection;
        }
        self.exchanges.insert(exchange, flight);
        let outbound = Outbound {
            exchange,
            verb,
            headers: list,
            body: built.frame,
            call: Some(call),
            is_held,
            id: (id != 0).then_some(id),
        };
        self.outputs.push_back(Output::Send(Box::new(outbound)));
    }

    /// The `Mcp-Param-*` headers of a tool call.
    fn mirrored_headers(&self, call: Call, params: Option<Raw<'_>>) -> Result<Vec<Header>, String> {
        let Some(pending) = self.calls.get(call).filter(|_| self.is_mirrored(call)) else { return Ok(Vec::new()) };
        let Some(list) = pending.name.as_deref().and_then(|name| self.mirrored_by(name)) else { return Ok(Vec::new()) };
        let own = pending.params.as_object();
        let params = params.or_else(|| Raw::parse(own.as_bytes()).ok());
        let arguments = params.and_then(|params| params.get("arguments"));
        let mut out = Vec::new();
        for param in list {
            if let Some(text) = param.text(arguments)? {
                let value = headers::encode_value(&text).into_owned();
                out.push((Cow::Owned(param.header.clone()), Cow::Owned(value)));
            }
        }
        Ok(out)
    }

    /// Ends a call of which nobody is told.
    pub(super) fn drop_call(&mut self, call: Call) {
        if let Some(exchange) = self.calls.remove(call).and_then(|pending| pending.exchange)
            && self.exchanges.remove(exchange).is_some()
        {
            self.outputs.push_back(Output::Abort(exchange));
        }
    }

    /// Ends a call that has not ended, without an event; tells the peer as its era wants it.
    pub(super) fn give_up(&mut self, call: Call, reason: Option<&str>, now: Millis) {
        let Some(pending) = self.calls.remove(call) else { return };
        self.forget_questions(call);
        let mut is_open = matches!(pending.later, Some((_, Later::Resume(..))));
        if let Some(exchange) = pending.exchange
            && self.exchanges.remove(exchange).is_some()
        {
            self.outputs.push_back(Output::Abort(exchange));
            is_open = true;
        }
        let State::Ready(session) = &self.state else { return };
        // Over modern HTTP the end of the stream is the signal; everywhere else it says nothing.
        if pending.notification || !is_open || (session.era == Era::Modern && self.options.channel == Channel::Http) {
            return;
        }
        let mut params = ["\"requestId\":", &pending.id.to_string()].concat();
        if let Some(reason) = reason {
            params.push_str(",\"reason\":");
            params.push_str(&quote(reason));
        }
        self.send_notice(method::CANCELLED, &params, now);
    }

    /// Sends a notification of our own.
    fn send_notice(&mut self, method: &str, params: &str, now: Millis) {
        let State::Ready(session) = &self.state else { return };
        let Built { frame, version, .. } = envelope::build(&Parts {
            id: None,
            method,
            stamp: session.stamp.as_ref(),
            meta: None,
            log_level: None,
            progress: false,
            extra: "",
            params: Params::Text(params),
        });
        let list = session.headers(version, method, None);
        self.send_unawaited(frame, list, now);
    }

    /// Sends the answer to a request of the server.
    pub(super) fn send_answer(&mut self, id: &str, answer: Result<&str, (i64, &str)>, now: Millis) {
        let State::Ready(session) = &self.state else { return };
        let head = match answer {
            Ok(result) => jsonrpc::result_response(id, result),
            Err((code, message)) => jsonrpc::error_response(Some(id), &ErrorObject::new(code, message)),
        };
        let list = session.base_headers(Some(Cow::Borrowed(session.version)));
        self.send_unawaited(Frame { head, tail: "" }, list, now);
    }

    fn send_unawaited(&mut self, body: Frame, list: Vec<Header>, now: Millis) {
        let exchange = self.next_exchange();
        let verb = self.verb();
        let deadline = now.saturating_add(self.options.timeout);
        let mut flight = Flight::new(Purpose::Notice, String::new());
        flight.deadline = Some(deadline);
        self.arm(deadline);
        self.exchanges.insert(exchange, flight);
        let list = if verb == Verb::Post { list } else { Vec::new() };
        self.outputs.push_back(Output::Send(Box::new(Outbound {
            exchange,
            verb,
            headers: list,
            body,
            call: None,
            is_held: false,
            id: None,
        })));
    }

    /// Ends the session of a legacy server with DELETE.
    pub(super) fn terminate(&mut self, session: &Session, now: Millis) {
        let exchange = self.next_exchange();
        let mut flight = Flight::new(Purpose::Terminate, String::new());
        let deadline = now.saturating_add(CLOSE_TIMEOUT);
        flight.deadline = Some(deadline);
        self.arm(deadline);
        self.exchanges.insert(exchange, flight);
        let mut list = Vec::new();
        session.push_session(&mut list, Some(Cow::Borrowed(session.version)));
        self.outputs.push_back(Output::Send(Box::new(Outbound {
            exchange,
            verb: Verb::Delete,
            headers: list,
            body: Frame::default(),
            call: None,
            is_held: false,
            id: None,
        })));
    }
}

impl Session {
    /// The revision, if requests of that method may have members that it lacks.
    fn differs(&self, method: &str) -> Option<ProtocolVersion> {
        ProtocolVersion::parse(self.version).filter(|version| changes::request_differs(*version, method))
    }

    /// The headers of a request or notification. The version is the one that its envelope declares.
    fn headers(&self, declared: Option<Cow<'static, str>>, method: &str, name: Option<&str>) -> Vec<Header> {
        let is_modern = self.era == Era::Modern;
        let mut list = self.base_headers(declared.or(Some(Cow::Borrowed(self.version))));
        if is_modern {
            list.push(encoded(headers::METHOD, method));
            if let Some(name) = name {
                list.push(encoded(headers::NAME, name));
            }
        }
        list
    }

    fn base_headers(&self, version: Option<Cow<'static, str>>) -> Vec<Header> {
        let mut list = envelope::post_headers();
        self.push_session(&mut list, version);
        list
    }

    pub(super) fn push_session(&self, list: &mut Vec<Header>, version: Option<Cow<'static, str>>) {
        if let Some(version) = version {
            list.push(header(headers::PROTOCOL_VERSION, version));
        }
        if let Some(session) = &self.session_id {
            list.push(header(headers::SESSION_ID, session.clone()));
        }
    }
}
