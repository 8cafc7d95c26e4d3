//! Legacy sessions over HTTP: what is remembered of a client between its requests, and which requests may use it.
//!
//! A session is a value: the caller keeps its text under an id wherever it likes, so any isolate can serve the
//! next request. Page: 2025-11-25, basic/transports, "Session Management".

use super::WHOLE;
use super::dispatch::Outcome;
use super::listen::{Change, Declared};
use super::logging::LogLevel;
use crate::protocol::error::{ErrorObject, INVALID_PARAMS, INVALID_REQUEST};
use crate::protocol::json::{Kind, Raw, Writer};
use crate::protocol::jsonrpc::notification;
use crate::protocol::method;
use crate::protocol::version::ProtocolVersion;

/// The largest text of a session: what a client says of itself and the resources that it watches must not fill the store.
pub const MAX_SESSION_BYTES: usize = 64 * 1024;

/// A part of the idle time by which a session is kept longer than asked, so that not every request has to write it.
const RENEWALS: u64 = 8;

/// What a server remembers of a legacy client.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Session {
    /// The version that `initialize` agreed on.
    pub version: ProtocolVersion,
    /// Whose it is, as JSON text; `null` for anybody's.
    principal: String,
    /// Who the client says it is, as JSON text.
    client_info: String,
    /// What the client says it can do, as JSON text.
    capabilities: String,
    /// The least severe level of the log messages that the client wants; every one where it did not say.
    pub log_level: Option<LogLevel>,
    /// The resources whose updates the client wants to hear of.
    uris: Vec<String>,
    /// When it ends, in milliseconds, unless it is used before.
    until: u64,
}

/// The session of a request.
#[derive(Clone, Copy, Debug, Default)]
pub enum Presented<'a> {
    /// There are no sessions here.
    #[default]
    None,
    /// The channel is the client's own, and nothing has opened its session yet: `initialize` does. Others need none.
    Unopened,
    /// The request names none.
    Missing,
    /// The request names one that there is not, or that belongs to somebody else.
    Unknown,
    /// The request's session.
    Known(&'a Session),
}

impl Session {
    /// The session that an `initialize` request with these `params` opens; it has no owner and no end until
    /// [`Session::owned`] and [`Session::renew`] give it both.
    pub(super) fn open(version: ProtocolVersion, params: Option<Raw<'_>>) -> Outcome<Self> {
        let said = |name: &str| {
            let value = params.and_then(|params| params.get(name)).filter(|value| value.is_object());
            // A text without line breaks can stand on a line; within strings there are none.
            value.map_or("{}", Raw::as_text).replace(['\n', '\r'], " ")
        };
        Self {
            version,
            principal: "null".to_owned(),
            client_info: said("clientInfo"),
            capabilities: said("capabilities"),
            log_level: None,
            uris: Vec::new(),
            until: 0,
        }
        .checked()
    }

    /// The session with that level of log messages.
    pub(super) fn with_level(&self, level: LogLevel) -> Self {
        Self { log_level: Some(level), ..self.clone() }
    }

    /// The session with one more resource to watch, or one less.
    pub(super) fn watching(&self, uri: &str, watched: bool) -> Outcome<Self> {
        let mut out = self.clone();
        out.uris.retain(|own| own != uri);
        if watched {
            out.uris.push(uri.to_owned());
        }
        out.checked()
    }

    fn checked(self) -> Outcome<Self> {
        if self.to_text().len() <= MAX_SESSION_BYTES {
            return Ok(self);
        }
        let text = "Invalid params: a session holds at most 65536 bytes of clientInfo, capabilities and subscriptions";
        Err((200, ErrorObject::new(INVALID_PARAMS, text)))
    }

    /// Whether nothing has kept it yet: it needs an id.
    pub fn is_new(&self) -> bool {
        self.until == 0
    }

    /// The session as it belongs to `principal`, a JSON text.
    #[must_use]
    pub fn owned(mut self, principal: &str) -> Self {
        principal.clone_into(&mut self.principal);
        self
    }

    /// Whether it is `principal`'s, a JSON text, and has not ended by `now`.
    pub fn is_for(&self, principal: &str, now: u64) -> bool {
        self.principal == principal && now < self.until
    }

    /// The session that was kept as `text`.
    pub fn read(text: Raw<'_>) -> Option<Self> {
        let json = |name: &str| Some(text.get(name)?.as_text().to_owned());
        let strings = text.get("subscriptions").filter(|list| list.kind() == Kind::Array)?.elements();
        Some(Self {
            version: ProtocolVersion::parse(&text.get_str("protocolVersion")?)?,
            principal: json("principal")?,
            client_info: json("clientInfo")?,
            capabilities: json("capabilities")?,
            log_level: text.get_str("logLevel").and_then(|level| LogLevel::parse(&level)),
            uris: strings.filter_map(Raw::as_str).map(|uri| uri.into_owned()).collect(),
            until: text.get("until")?.as_i64().and_then(|until| u64::try_from(until).ok())?,
        })
    }

    /// Whether the session had to be told that it is in use at `now`, and so has to be kept again. It then lasts at
    /// least `idle` milliseconds more, and up to an eighth of that longer.
    pub fn renew(&mut self, now: u64, idle: u64) -> bool {
        let wanted = now.saturating_add(idle);
        if wanted <= self.until {
            return false;
        }
        self.until = wanted.saturating_add(idle / RENEWALS);
        true
    }

    /// For how many milliseconds after `now` it has to be kept.
    pub fn rest(&self, now: u64) -> u64 {
        self.until.saturating_sub(now)
    }

    /// The text to keep.
    pub fn to_text(&self) -> String {
        let mut out = Writer::new();
        out.open_object().name("protocolVersion").string(self.version.as_str());
        out.name("principal").raw(&self.principal).name("clientInfo").raw(&self.client_info);
        out.name("capabilities").raw(&self.capabilities);
        if let Some(level) = self.log_level {
            out.name("logLevel").string(level.as_str());
        }
        out.name("subscriptions").open_array();
        for uri in &self.uris {
            out.string(uri);
        }
        out.close_array().name("until").integer(i64::try_from(self.until).unwrap_or(i64::MAX)).close_object();
        out.finish()
    }

    /// A log message that belongs to no request; `None` where the client does not want messages of that level.
    pub(super) fn log(&self, level: LogLevel, params: Raw<'_>) -> Option<String> {
        if self.log_level.is_some_and(|least| level < least) {
            return None;
        }
        let mut out = Writer::new();
        out.open_object().name("level").string(level.as_str());
        for (key, value) in params.members() {
            out.name(&key.name()).value(value);
        }
        out.close_object();
        Some(notification(method::LOG_MESSAGE, Some(&out.finish())))
    }

    /// The text that tells the client of a change; `None` where it did not ask for it or the server does not declare it.
    pub(super) fn change(&self, change: Change<'_>, declared: Declared) -> Option<String> {
        let (method, wanted) = match change {
            Change::Tools => (method::TOOLS_LIST_CHANGED, declared.tools),
            Change::Prompts => (method::PROMPTS_LIST_CHANGED, declared.prompts),
            Change::Resources => (method::RESOURCES_LIST_CHANGED, declared.resources),
            Change::Resource(uri) => {
                let watched = declared.subscribe && self.uris.iter().any(|own| own == uri);
                let mut params = Writer::new();
                params.open_object().name("uri").string(uri).close_object();
                return watched.then(|| notification(method::RESOURCES_UPDATED, Some(params.as_str())));
            }
        };
        wanted.then(|| notification(method, None))
    }
}

impl<'a> Presented<'a> {
    /// The session that a request may use; `None` where there are no sessions, and for `initialize`, which opens one.
    pub(super) fn usable(self, method: Option<&str>) -> Outcome<Option<&'a Session>> {
        match self {
            _ if !WHOLE => Ok(None),
            Self::None | Self::Unopened => Ok(None),
            _ if method == Some(method::INITIALIZE) => Ok(None),
            Self::Known(session) => Ok(Some(session)),
            Self::Missing => {
                let text =
                    "Invalid request: expected the header Mcp-Session-Id with what the answer to initialize had there";
                Err((400, ErrorObject::new(INVALID_REQUEST, text)))
            }
            Self::Unknown => {
                let text = "Session not found: it has ended, or never was; send initialize without Mcp-Session-Id";
                Err((404, ErrorObject::new(INVALID_REQUEST, text)))
            }
        }
    }
}
