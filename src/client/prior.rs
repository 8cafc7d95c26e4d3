//! Verdicts that are older than the connection: stored ones, and sessions that have ended.
//!
//! Pages: 2026-07-28, basic/versioning (a verdict may be kept, and is dropped when it fails);
//! 2025-11-25, basic/transports, "Session Management" (404: start a new session).

use super::error::HttpFailure;
use super::event::{Channel, Millis};
use super::negotiation::{Mode, is_legacy_status};
use super::opening::Answer;
use super::{Call, Client, Code, Connected, Event, Failure, Session, State};
use crate::protocol::envelope::Stamp;
use crate::protocol::error::{
    INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION, is_modern,
};
use crate::protocol::json::Raw;
use crate::protocol::version::{Era, era_of};

impl Client {
    /// Connects with a stored verdict: an object with `era`, `protocolVersion`, and what else
    /// [`Connected`] tells, a legacy `sessionId` among it: that session goes on without a handshake. One that does not fit the options is not used.
    pub fn connect_with(&mut self, verdict: Raw<'_>, now: Millis) {
        if let State::Idle = self.state
            && self.adopt(verdict, now)
        {
            return;
        }
        self.connect(now);
    }

    fn adopt(&mut self, verdict: Raw<'_>, now: Millis) -> bool {
        let named = verdict.get_str("protocolVersion");
        let version = self.options.supported.iter().copied().find(|version| Some(*version) == named.as_deref());
        let Some(version) = version else { return false };
        if let Some(session_id) = verdict.get_str("sessionId") {
            return self.restore(version, &session_id, verdict, now);
        }
        let is_allowed = match self.options.mode {
            Mode::Auto => true,
            Mode::Legacy => false,
            Mode::Pin(pin) => pin == version,
        };
        if !is_allowed || verdict.get_str("era").as_deref() != era_of(version).map(Era::as_str) {
            return false;
        }
        if era_of(version) == Some(Era::Legacy) {
            self.open_legacy(version, true, now);
            return true;
        }
        let connected = connected_of(Era::Modern, version, verdict);
        let stamp = Stamp::new(version, &self.options.client_info, &self.options.capabilities);
        let session = Session { era: Era::Modern, version, session_id: None, stamp: Some(stamp), assumed: true };
        self.establish(session, connected, now);
        true
    }

    /// Goes on with a legacy session that was kept. Where the server has forgotten it, a new one begins.
    fn restore(&mut self, version: &'static str, session_id: &str, verdict: Raw<'_>, now: Millis) -> bool {
        let is_pinned = matches!(self.options.mode, Mode::Pin(_));
        let is_legacy = era_of(version) == Some(Era::Legacy) && self.options.channel == Channel::Http;
        if is_pinned || !is_legacy || session_id.is_empty() {
            return false;
        }
        let session_id = Some(session_id.to_owned());
        let connected = Connected { session_id: session_id.clone(), ..connected_of(Era::Legacy, version, verdict) };
        let session = Session { era: Era::Legacy, version, session_id, stamp: None, assumed: false };
        self.establish(session, connected, now);
        true
    }

    /// The server has answered as was assumed.
    pub(super) fn confirm(&mut self, connection: u32) {
        if let State::Ready(session) = &mut self.state
            && connection == self.connection
        {
            session.assumed = false;
        }
    }

    /// Whether the call goes out once more, because the answer says that the connection is not what was thought.
    pub(super) fn is_reissued(
        &mut self,
        call: Call,
        connection: u32,
        answer: &Answer<'_>,
        http: Option<&HttpFailure>,
        now: Millis,
    ) -> bool {
        if connection == 0 {
            return false;
        }
        let status = http.map(|http| http.status);
        let is_current = connection == self.connection;
        let (is_contradicted, is_session_lost) = match &self.state {
            State::Ready(session) if is_current && session.assumed => (self.contradicts(answer, status), false),
            State::Ready(session) if is_current => (false, session.session_id.is_some() && status == Some(404)),
            // Somebody else has noticed already, and the connection is being made anew, or is.
            _ => (self.contradicts(answer, status), status == Some(404)),
        };
        if is_contradicted && is_current {
            if let State::Ready(_) = self.state {
                self.open(now);
            }
        } else if is_session_lost
            && is_current
            && let State::Ready(session) = &self.state
        {
            let version = session.version;
            let message = "the server has forgotten the session";
            self.tell(Event::Disconnected(Box::new(Failure::new(Code::ConnectionLost, message))));
            self.open_legacy(version, false, now);
        }
        // A tool whose session is lost may have run before: that is for the caller to decide.
        let is_harmless = self.calls.get(call).is_some_and(|pending| self.may_repeat(pending));
        let may_repeat = is_contradicted || (is_session_lost && is_harmless);
        let Some(pending) = self.calls.get_mut(call) else { return false };
        if !may_repeat || pending.reissued {
            return false;
        }
        pending.reissued = true;
        pending.exchange = None;
        self.dispatch(call, now);
        true
    }

    /// Whether a modern request was refused as no modern server refuses it.
    fn contradicts(&self, answer: &Answer<'_>, status: Option<u16>) -> bool {
        match answer {
            Answer::Status => status.is_some_and(is_legacy_status),
            Answer::Error(error) => match error.code {
                UNSUPPORTED_PROTOCOL_VERSION | INVALID_REQUEST | -32019..=-32000 => true,
                // Over HTTP a modern server says these with a status; without one, a legacy server may.
                METHOD_NOT_FOUND | INVALID_PARAMS => self.options.channel == Channel::LocalPipe,
                code => !is_modern(code) && status.is_some_and(is_legacy_status),
            },
            _ => false,
        }
    }
}

/// What a stored verdict says of the server.
fn connected_of(era: Era, version: &'static str, verdict: Raw<'_>) -> Connected {
    let text = |name: &str| verdict.get_present(name).map(|value| value.as_text().to_owned());
    Connected {
        era,
        version,
        brief: false,
        server_info: text("serverInfo"),
        capabilities: text("serverCapabilities"),
        instructions: text("instructions"),
        session_id: None,
    }
}
