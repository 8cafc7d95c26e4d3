//! A shared channel that is gone: what was open on it fails, and a legacy session went with it.

use super::event::Millis;
use super::{Client, Code, Event, Failure, Output, State};
use crate::protocol::version::Era;

impl Client {
    /// The channel is gone. A modern connection is in every request, so the next one needs no more than a new channel;
    /// a legacy one has to be shaken hands for again.
    pub(super) fn on_lost(&mut self, message: &str, now: Millis) {
        if let State::Ready(_) = self.state {
            self.tell(Event::Disconnected(Box::new(Failure::new(Code::ConnectionLost, message))));
        }
        let exchanges = self.exchanges.keys();
        let known = match &self.state {
            State::Ready(session) if session.era == Era::Legacy => Some(session.version),
            _ => None,
        };
        if known.is_some() {
            self.server_requests.clear();
            self.state = State::Idle;
            self.known = known;
            self.interrupt_subscriptions(&Failure::new(Code::ConnectionLost, message), now);
        }
        for exchange in exchanges {
            self.outputs.push_back(Output::Abort(exchange));
            // It is not known how far it has come.
            if let Some(flight) = self.exchanges.get_mut(exchange) {
                flight.begun = true;
            }
            self.on_failed(exchange, message, now);
        }
        // What was put off goes out once there is a connection.
        if self.calls.iter().any(|(_, pending)| pending.subscription.is_none()) && matches!(self.state, State::Idle) {
            for (_, call) in self.calls.iter_mut() {
                call.later = None;
            }
            self.connect(now);
        }
    }
}
