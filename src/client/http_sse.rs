//! The deprecated HTTP+SSE transport: the last resort with a server that refuses `initialize`.
//!
//! A GET opens a stream, its first event names where to POST, and every answer comes over the stream.
//!
//! Pages: 2024-11-05, basic/transports, "HTTP with SSE"; 2025-11-25, basic/transports, "Backwards Compatibility".

use super::error::HttpFailure;
use super::event::{Channel, Exchange, Millis};
use super::negotiation;
use super::opening::{Answer, Step};
use super::pending::{Flight, Purpose};
use super::redirect::resolve;
use super::{Client, Code, Failure, Output, State};

/// The event that names where to POST.
pub(super) const ENDPOINT: &str = "endpoint";

/// How long that event may take. It is the first thing that such a server says; a stream of another kind may
/// stay silent for ever.
pub const ENDPOINT_TIMEOUT: Millis = 5_000;

impl Client {
    /// Whether answers come over another exchange than their requests went out on, so that only ids tell whose they are.
    pub(super) fn shares_channel(&self) -> bool {
        self.is_pipe() || self.event_stream.is_some()
    }

    /// Whether `initialize` was refused as a server refuses it that is older than Streamable HTTP.
    pub(super) fn may_be_http_sse(&self, answer: &Answer<'_>, http: Option<&HttpFailure>) -> bool {
        let code = match answer {
            Answer::Status => None,
            Answer::Error(error) => Some(error.code),
            _ => return false,
        };
        self.options.channel == Channel::Http
            && self.options.endpoint.is_some()
            && self.event_stream.is_none()
            && http.is_some_and(|http| negotiation::may_be_http_sse(http.status, code))
    }

    /// Opens the stream. `refused` is what `initialize` has brought, to be told if there is no such stream.
    pub(super) fn open_event_stream(&mut self, refused: Option<Failure>, now: Millis) {
        let mut flight = Flight::new(Purpose::Events, String::new());
        let deadline = now.saturating_add(self.options.timeout.min(ENDPOINT_TIMEOUT));
        flight.deadline = Some(deadline);
        self.arm(deadline);
        let exchange = self.send_get(flight, None);
        self.event_stream = Some(exchange);
        if let State::Opening(opening) = &mut self.state {
            opening.step = Step::Endpoint;
            opening.exchange = exchange;
            opening.suspicion = refused;
        }
    }

    /// The stream names where to POST: the handshake goes there.
    pub(super) fn on_endpoint(&mut self, exchange: Exchange, reference: &str, now: Millis) {
        let State::Opening(opening) = &mut self.state else { return };
        if opening.step != Step::Endpoint || opening.exchange != exchange {
            return;
        }
        let endpoint = self.options.endpoint.as_deref().unwrap_or_default();
        let Some(url) = resolve(endpoint, reference) else {
            let message = ["the server's endpoint event must name a place of its own origin, not ", reference].concat();
            self.stop_event_stream();
            self.fail_opening(Failure::new(Code::InvalidMessage, message), now);
            return;
        };
        opening.step = Step::Initialize;
        if let Some(flight) = self.exchanges.get_mut(exchange) {
            flight.deadline = None;
        }
        self.has_event_stream = true;
        self.outputs.push_back(Output::Endpoint(Some(url)));
        self.send_step(now);
    }

    /// What the GET brought is no such stream, or it has ended before it said anything.
    pub(super) fn on_event_stream_refused(&mut self, now: Millis) {
        self.stop_event_stream();
        self.has_event_stream = false;
        let State::Opening(opening) = &mut self.state else { return };
        match opening.suspicion.take() {
            Some(refused) => self.fail_opening(refused, now),
            // Nothing was refused: the stream was known from before.
            None => self.open(now),
        }
    }

    /// The stream is gone, and with it the session.
    pub(super) fn on_event_stream_ended(&mut self, message: &str, now: Millis) {
        if matches!(&self.state, State::Opening(opening) if opening.step == Step::Endpoint) {
            self.on_event_stream_refused(now);
        } else {
            self.stop_event_stream();
            self.on_lost(message, now);
        }
    }

    /// Lets go of the stream.
    pub(super) fn stop_event_stream(&mut self) {
        if let Some(exchange) = self.event_stream.take() {
            self.exchanges.remove(exchange);
            self.outputs.push_back(Output::Abort(exchange));
            self.outputs.push_back(Output::Endpoint(None));
        }
    }
}
