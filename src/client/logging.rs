//! The level of the log messages that the application wants: with every modern request, once for a legacy session.
//!
//! Pages: 2026-07-28, server/utilities/logging (deprecated there); 2025-11-25, server/utilities/logging.

use super::event::Millis;
use super::{Call, Client, Event, Own, Payload};
use crate::protocol::json::{Raw, quote};
use crate::protocol::method;
use crate::protocol::version::Era;

/// The levels, from the most talkative on.
pub const LOG_LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The level of that name.
pub(in crate::client) fn level_of(name: &str) -> Option<&'static str> {
    LOG_LEVELS.into_iter().find(|level| *level == name)
}

impl Client {
    /// Whether the call is one that sets the level from here on, and is done with that: each modern request says it, and
    /// a legacy server that does not log has no use for it.
    pub(super) fn is_level_set(&mut self, call: Call) -> bool {
        let Some(pending) = self.calls.get(call) else { return false };
        let Some(level) = pending.options.log_level.filter(|_| pending.method == method::LOGGING_SET_LEVEL) else {
            return false;
        };
        self.options.log_level = Some(level);
        if self.era() == Some(Era::Legacy) && is_logging(self.subscriptions.capabilities.as_deref()) {
            return false;
        }
        self.calls.remove(call);
        self.tell(Event::Result(call, Payload::Text("{}".to_owned())));
        true
    }

    /// A legacy session has begun: the server hears of the level, if it logs at all.
    pub(super) fn set_log_level(&mut self, capabilities: Option<&str>, now: Millis) {
        if let Some(level) = self.options.log_level.filter(|_| is_logging(capabilities)) {
            let params = ["\"level\":", &quote(level)].concat();
            self.request_own(method::LOGGING_SET_LEVEL, &params, Own::Level, now);
        }
    }
}

/// Whether a server with these capabilities logs.
fn is_logging(capabilities: Option<&str>) -> bool {
    let capabilities = capabilities.and_then(|text| Raw::parse(text.as_bytes()).ok());
    capabilities.is_some_and(|capabilities| capabilities.get_present("logging").is_some())
}
