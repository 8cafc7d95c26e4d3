//! Requests whose answer was lost go out again, where the application wants it and it does no harm.
//!
//! Reads change nothing. Of tools only those go out again that say of themselves, in a list that was seen, that they
//! only read or that a second time adds nothing (`readOnlyHint`, `idempotentHint`; server/tools, "Tool").

use super::event::Millis;
use super::opening::Answer;
use super::pending::{Later, OwnedParams, Pending};
use super::{Call, Client};
use crate::protocol::json::Raw;
use crate::protocol::method;

/// How often one request is sent again at most, whatever the options say: a connection that breaks ten times in a row
/// will not hold the eleventh time.
pub const MAX_RETRIES: u32 = 10;

/// How long to wait before the first time; twice as long before each further one.
const FIRST_WAIT: Millis = 250;

impl Client {
    /// Whether the request may run twice without harm, as far as is known.
    pub(super) fn may_repeat(&self, pending: &Pending) -> bool {
        let is_harmless = |name: &str| self.harmless.iter().any(|tool| tool == name);
        method::is_read(&pending.method)
            || pending.method == method::LOGGING_SET_LEVEL
            || (pending.method == method::TOOLS_CALL && pending.name.as_deref().is_some_and(is_harmless))
    }

    /// The call's answer was lost: it goes out again, under a new id, a little later. True if so.
    pub(super) fn is_retried(&mut self, call: Call, answer: &Answer<'_>, now: Millis) -> bool {
        let is_lost = matches!(answer, Answer::Ended(_) | Answer::Unreachable(_));
        if !is_lost || !self.calls.get(call).is_some_and(|pending| self.may_repeat(pending)) {
            return false;
        }
        let limit = self.options.retries.min(MAX_RETRIES);
        let Some(pending) = self.calls.get_mut(call) else { return false };
        if pending.options.no_retry || pending.retries >= limit {
            return false;
        }
        let at = now.saturating_add(FIRST_WAIT << pending.retries);
        pending.retries += 1;
        pending.attempts = 0;
        pending.exchange = None;
        pending.deadline = None;
        pending.later = Some((at, Later::Retry));
        self.arm(at);
        true
    }

    /// Remembers which tools of a list may be called again.
    pub(super) fn note_hints(&mut self, call: Call, result: Raw<'_>) {
        if self.options.retries == 0 {
            return;
        }
        let Some(pending) = self.calls.get(call).filter(|call| call.method == method::TOOLS_LIST) else { return };
        // A single page says nothing of the tools on the others.
        if pending.cursors.is_empty() && matches!(pending.params, OwnedParams::None) {
            self.harmless.clear();
        }
        for tool in result.get("tools").map(Raw::elements).into_iter().flatten() {
            let Some(name) = tool.get_str("name") else { continue };
            self.harmless.retain(|other| *other != name);
            let hints = tool.get("annotations");
            let says = |hint| hints.and_then(|hints| hints.get(hint)).and_then(Raw::as_bool) == Some(true);
            if says("readOnlyHint") || says("idempotentHint") {
                self.harmless.push(name.into_owned());
            }
        }
    }
}
