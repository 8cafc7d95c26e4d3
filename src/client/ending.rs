//! How exchanges end: with an answer, early, without one, or because nobody waits any longer.

use super::error::HttpFailure;
use super::event::Millis;
use super::http::ERROR_BODY_BYTES;
use super::opening::{Answer, failure_of};
use super::pending::{Flight, Purpose};
use super::{Client, Code, Event, Exchange, Failure, Output, State};
use crate::protocol::error::ErrorObject;
use crate::protocol::version::Era;

impl Client {
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

    pub(super) fn on_failed_status(&mut self, exchange: Exchange, error: Option<ErrorObject>, text: &str, now: Millis) {
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
                    let is_refused = self.options.browser && matches!(answer, Answer::Unreachable(_));
                    let mut failure = failure_of(&pending.method, answer, http);
                    if hides_session {
                        failure.message.push_str(
                            ". If the server has sessions, its CORS answer must expose mcp-session-id to the page",
                        );
                    }
                    if is_refused {
                        failure.message.push_str(&self.cors_hint(pending.name.as_deref()));
                    }
                    failure.retryable = is_lost && may_repeat;
                    self.tell(Event::Failed(call, Box::new(failure)));
                }
            }
            purpose => self.forgotten(purpose),
        }
    }

    /// What may keep a browser from sending: it does not say, so all headers are named, those too that the tool mirrors.
    pub(super) fn cors_hint(&self, tool: Option<&str>) -> String {
        let mut hint = ". If the server is up, its CORS answer must allow the request headers content-type, \
             mcp-protocol-version, mcp-method and mcp-name (for legacy servers mcp-session-id)"
            .to_owned();
        for param in tool.and_then(|tool| self.mirrored_by(tool)).into_iter().flatten() {
            hint.push_str(", ");
            hint.push_str(&param.header);
        }
        hint
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
