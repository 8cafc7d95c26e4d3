//! Legacy streams: a broken answer is resumed, and the server may be listened to.
//!
//! Page: 2025-11-25, basic/transports, "Resumability and Redelivery" and "Listening for Messages from the Server".

use super::envelope::header;
use super::event::{Channel, Millis, Outbound, Verb};
use super::opening::Answer;
use super::pending::{Flight, Later, Purpose};
use super::{Call, Client, Exchange, Output, State};
use crate::protocol::jsonrpc::Frame;
use crate::protocol::version::Era;
use crate::streamable_http::headers;

/// How often in a row a stream is asked for again that brings nothing new. Each asking is cheap, but a
/// server that closes every stream at once would be asked for ever.
pub const MAX_ATTEMPTS: u32 = 5;

/// How long to wait before a stream is asked for again, where the server has not said.
const RETRY: Millis = 1_000;

/// The longest wait between two attempts.
const MAX_RETRY: Millis = 30_000;

/// The stream over which a legacy server says what belongs to no request.
#[derive(Default)]
pub(super) struct Listening {
    exchange: Option<Exchange>,
    /// When it is asked for again.
    pub(super) at: Option<Millis>,
    attempts: u32,
    event_id: Option<String>,
    /// It has ended before, and nothing says where to go on.
    has_gap: bool,
}

/// How long to wait before the next attempt.
pub(super) fn backoff(attempts: u32) -> Millis {
    RETRY.saturating_mul(1 << attempts.min(5)).min(MAX_RETRY)
}

impl Client {
    /// Whether this connection has legacy streams.
    fn has_legacy_streams(&self) -> bool {
        self.era() == Some(Era::Legacy) && self.options.channel == Channel::Http && self.event_stream.is_none()
    }

    /// A call's stream has ended too early: it is resumed where the server has given the means.
    pub(super) fn resume_later(&mut self, exchange: Exchange, now: Millis) -> bool {
        if !self.has_legacy_streams() {
            return false;
        }
        let (Some(call), Some(flight)) = (self.call_of(exchange), self.exchanges.get(exchange)) else { return false };
        let Some(parser) = &flight.parser else { return false };
        let Some(event_id) = parser.last_event_id().map(str::to_owned).or_else(|| flight.resumes.clone()) else {
            return false;
        };
        let wait = parser.retry().or(flight.retry).unwrap_or(RETRY).min(MAX_RETRY);
        let brought_something = flight.resumes.as_deref() != Some(&event_id);
        let Some(pending) = self.calls.get_mut(call) else { return false };
        pending.attempts = if brought_something { 0 } else { pending.attempts + 1 };
        if pending.attempts >= MAX_ATTEMPTS {
            return false;
        }
        let at = now.saturating_add(wait);
        pending.later = Some((at, Later::Resume(event_id, wait)));
        pending.exchange = None;
        self.exchanges.remove(exchange);
        self.arm(at);
        true
    }

    /// Does what a call has put off.
    pub(super) fn on_later(&mut self, call: Call, now: Millis) {
        let Some((_, later)) = self.calls.get_mut(call).and_then(|pending| pending.later.take()) else { return };
        match later {
            Later::Retry => self.dispatch(call, now),
            Later::Resume(event_id, retry) => {
                let Some(id) = self.calls.get(call).map(|pending| pending.id.to_string()) else { return };
                let mut flight = Flight::new(Purpose::Call(call), id);
                flight.resumes = Some(event_id.clone());
                flight.retry = Some(retry);
                let exchange = self.send_get(flight, Some(event_id));
                if let Some(pending) = self.calls.get_mut(call) {
                    pending.exchange = Some(exchange);
                }
            }
        }
    }

    pub(super) fn send_get(&mut self, flight: Flight, event_id: Option<String>) -> Exchange {
        let exchange = self.next_exchange();
        let call = if let Purpose::Call(call) = flight.purpose { Some(call) } else { None };
        self.exchanges.insert(exchange, flight);
        let mut list = vec![header("Accept", headers::EVENT_STREAM)];
        if let State::Ready(session) = &self.state {
            session.push_session(&mut list, Some(session.version.into()));
        }
        list.extend(event_id.map(|id| header(headers::LAST_EVENT_ID, id)));
        self.outputs.push_back(Output::Send(Box::new(Outbound {
            exchange,
            verb: Verb::Get,
            headers: list,
            body: Frame::default(),
            call,
            is_held: false,
            id: None,
        })));
        exchange
    }

    /// Opens the stream for what belongs to no request, if the application listens and the era has one.
    pub(super) fn listen(&mut self) {
        let is_wanted = self.options.listens || self.has_subscriptions();
        if is_wanted && self.listening.is_none() && self.has_legacy_streams() {
            self.listening = Some(Listening::default());
            self.listen_now();
        }
    }

    fn listen_now(&mut self) {
        let Some(listening) = &mut self.listening else { return };
        listening.at = None;
        let event_id = listening.event_id.clone();
        let exchange = self.send_get(Flight::new(Purpose::Listen, String::new()), event_id);
        if let Some(listening) = &mut self.listening {
            listening.exchange = Some(exchange);
        }
    }

    pub(super) fn on_listening_due(&mut self, now: Millis) {
        let is_due = |listening: &Listening| listening.at.is_some_and(|at| at <= now);
        if self.listening.as_ref().is_some_and(is_due) {
            self.listen_now();
        }
    }

    /// The stream is there.
    pub(super) fn on_listening_open(&mut self) {
        if self.listening.as_mut().is_some_and(|listening| std::mem::take(&mut listening.has_gap)) {
            self.refresh_subscriptions();
        }
    }

    /// The server has no such stream: none is needed.
    pub(super) fn stop_listening(&mut self) {
        if let Some(exchange) = self.listening.take().and_then(|listening| listening.exchange)
            && self.exchanges.remove(exchange).is_some()
        {
            self.outputs.push_back(Output::Abort(exchange));
        }
    }

    /// The stream has ended: it is asked for again, later and later, but not for ever.
    pub(super) fn on_listening_ended(&mut self, exchange: Exchange, now: Millis) {
        let Some(flight) = self.exchanges.remove(exchange) else { return };
        let Some(listening) = &mut self.listening else { return };
        let parser = flight.parser.as_ref();
        let event_id = parser.and_then(|parser| parser.last_event_id()).map(str::to_owned);
        listening.attempts = if flight.brought { 0 } else { listening.attempts + 1 };
        listening.event_id = event_id.or_else(|| listening.event_id.take());
        listening.has_gap = listening.event_id.is_none();
        listening.exchange = None;
        if listening.attempts >= MAX_ATTEMPTS {
            self.listening = None;
            return;
        }
        let least = backoff(listening.attempts.saturating_sub(1));
        let wait = parser.and_then(|parser| parser.retry()).unwrap_or_default().max(least).min(MAX_RETRY);
        let at = now.saturating_add(wait);
        listening.at = Some(at);
        self.arm(at);
    }

    /// A stream that was asked for again does not come.
    pub(super) fn on_resumption_refused(&mut self, exchange: Exchange, now: Millis) {
        let message = "the stream broke before the response came, and the server does not resume it";
        self.end_exchange(exchange, Answer::Ended(message), "", now);
    }
}
