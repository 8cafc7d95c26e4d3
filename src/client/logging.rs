//! The level of the log messages that the application wants: with every modern request, once for a legacy session.
//!
//! Pages: 2026-07-28, server/utilities/logging (deprecated there); 2025-11-25, server/utilities/logging.

use super::event::Millis;
use super::{Client, Own};
use crate::protocol::json::{Raw, quote};
use crate::protocol::method;

/// The levels, from the most talkative on.
pub const LOG_LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The level of that name.
pub(super) fn level_of(name: &str) -> Option<&'static str> {
    LOG_LEVELS.into_iter().find(|level| *level == name)
}

impl Client {
    /// A legacy session has begun: the server hears of the level, if it logs at all.
    pub(super) fn set_log_level(&mut self, capabilities: Option<&str>, now: Millis) {
        let capabilities = capabilities.and_then(|text| Raw::parse(text.as_bytes()).ok());
        let is_logging = capabilities.is_some_and(|capabilities| capabilities.get_present("logging").is_some());
        if let Some(level) = self.options.log_level.filter(|_| is_logging) {
            let params = ["\"level\":", &quote(level)].concat();
            self.request_own(method::LOGGING_SET_LEVEL, &params, Own::Level, now);
        }
    }
}
