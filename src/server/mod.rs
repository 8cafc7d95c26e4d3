//! The pure server: bytes in, a [`Step`] out, in both eras.
//!
//! A [`Server`] is read once from its definition and never changes: it keeps nothing about a request,
//! so one value serves any number of requests at once, and two isolates with the same definition are
//! the same server. What an application has to do comes out as an [`Invocation`]; the caller runs the
//! handler however it likes and calls [`Invocation::finish`].
//!
//! ```
//! use mcp_duet::protocol::json::Raw;
//! use mcp_duet::server::{Channel, Outcome, Server, Step};
//!
//! let definition = r#"{"name": "weather", "version": "1.0.0", "tools": [
//!     {"name": "get_weather", "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}}}
//! ]}"#;
//! let server = Server::new(Raw::parse(definition.as_bytes())?)?;
//!
//! let message = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
//!     "params": {"name": "get_weather", "arguments": {"city": "北京"}}}"#;
//! let reply = match server.handle_message(message.as_bytes(), &Channel::default()) {
//!     Step::Reply(reply) => Some(reply.into_text()),
//!     Step::Invoke(invocation) => {
//!         let city = invocation.arguments().get_str("city").unwrap_or_default();
//!         Some(invocation.finish(Outcome::Text(format!("{city}: sunny"))).into_text())
//!     }
//!     _ => None,
//! };
//! assert!(reply.unwrap_or_default().contains("北京: sunny"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Server`]: the definition, checked and encoded
//! - [`Step`], [`Reply`]: what to do about a message
//! - [`Invocation`], [`Outcome`]: an application handler's call and its end
//! - [`http`]: what is refused before a body is read, and the headers around an answer
//! - [`Session`], [`event_stream`]: legacy sessions over HTTP, and streams that can be resumed

mod asks;
mod call;
mod caller;
mod dispatch;
mod encoded;
pub mod event_stream;
pub mod http;
mod index;
mod invocation;
mod items;
mod listen;
mod logging;
mod names;
mod options;
mod origin;
mod params;
mod registry;
mod result;
mod rounds;
mod session;
mod step;
mod tool;

pub use asks::check_ask;
pub use caller::{Consult, Consulted, Item, ItemKind};
pub use invocation::{Invocation, Outcome, Target};
pub use listen::{Change, Listen};
pub use logging::LogLevel;
pub use options::SessionLimits;
pub use registry::LegacyMode;
pub use result::Shape;
pub use rounds::{Asked, Rounds, check_answer};
pub use session::{MAX_SESSION_BYTES, Presented, Session};
pub use step::{Answer, Body, Channel, Notice, Reply, Step};

use crate::protocol::json::Raw;
use encoded::Encoded;
use registry::Registry;

/// Whether this build has what few servers need. One without the feature `server-whole` leaves it to one that has it:
/// [`Step::Beyond`], [`ServerError::is_beyond`].
const WHOLE: bool = cfg!(feature = "server-whole");

/// A server: what it offers, checked, and its constant answers, each encoded at its first use.
pub struct Server {
    registry: Registry,
    encoded: Encoded,
    message_headers: Vec<String>,
}

impl Server {
    /// Reads a definition: an object with the members that the JavaScript `Server` takes, without functions.
    ///
    /// `name` and `version` are required; `tools`, `resources`, `resourceTemplates` and `prompts`
    /// hold items in the specification's words; `supportedVersions`, `legacy` (`"stateless"`, `"sessions"` or
    /// `"reject"`), `sessions`, `instructions`, `capabilities`, `cacheHints`, `pageSize`, `maxBodyBytes`,
    /// `askTimeoutMs`, `allowedOrigins`, `allowedHosts`, `allowedHeaders` and `exposedHeaders` are optional. `methods` and
    /// `notifications` name what the application takes itself; an item with `"visible": true` is one that only some callers see, a resource template with
    /// `"list": true` one whose resources the application lists ([`Step::Consult`]).
    ///
    /// # Errors
    ///
    /// [`ServerError`] names the item and the rule that it breaks.
    pub fn new(definition: Raw<'_>) -> Result<Self, ServerError> {
        if !definition.is_object() {
            return Err(ServerError::new("a server's definition", "must be an object"));
        }
        let registry = Registry::read(definition)?;
        let encoded = Encoded::new(definition, &registry)?;
        let message_headers = http::header_names(&registry);
        Ok(Self { registry, encoded, message_headers })
    }

    /// The largest request body in bytes that is read over HTTP.
    pub fn max_body_bytes(&self) -> usize {
        self.registry.max_body_bytes
    }

    /// For how many milliseconds a legacy client may take over its answer to a handler; then the wait ends with
    /// [`Invocation::withdraw`].
    pub fn ask_timeout_ms(&self) -> u32 {
        self.registry.ask_timeout_ms
    }

    /// The limits of the sessions of legacy clients; `None` where there are no sessions.
    pub fn sessions(&self) -> Option<SessionLimits> {
        (WHOLE && self.registry.legacy == LegacyMode::Sessions).then_some(self.registry.sessions)
    }

    /// The text that tells the client of a session of a change; `None` where it did not ask to hear of it.
    pub fn session_change(&self, session: &Session, change: Change<'_>) -> Option<String> {
        session.change(change, self.encoded.declared())
    }

    /// A log message to the client of a session that belongs to none of its requests; `params` has `data` and perhaps
    /// `logger`. `None` where the client does not want messages of that level, or the server declares no logging.
    pub fn session_log(&self, session: &Session, level: LogLevel, params: Raw<'_>) -> Option<String> {
        session.log(level, params).filter(|_| self.encoded.logs())
    }

    /// A constant part of answers, by the key that [`Body::Constant`] and [`Invocation::head_key`] give.
    pub fn constant(&self, key: usize) -> &str {
        self.encoded.constant(key, &self.registry)
    }
}

/// Why a definition is refused: which item, and which rule it breaks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServerError {
    /// The item, as in `tool "echo"`.
    pub subject: String,
    /// What is expected of it.
    pub rule: String,
}

impl ServerError {
    pub(crate) fn new(subject: impl Into<String>, rule: &str) -> Self {
        Self { subject: subject.into(), rule: rule.to_owned() }
    }

    /// For a definition that only a build with the feature `server-whole` can read.
    pub(crate) fn beyond(subject: &str) -> Self {
        Self::new(subject, BEYOND)
    }

    /// Whether the definition needs the feature `server-whole`, which this build lacks.
    pub fn is_beyond(&self) -> bool {
        !WHOLE && self.rule == BEYOND
    }
}

const BEYOND: &str = "needs the feature server-whole, which this build lacks";

impl std::fmt::Display for ServerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.subject)?;
        f.write_str(": ")?;
        f.write_str(&self.rule)
    }
}

impl std::error::Error for ServerError {}

/// How long, and for whom, a result may be kept (2026-07-28, server/utilities/caching).
///
/// The default is a result that is stale at once and meant for its caller alone.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct CacheHint {
    /// For how many milliseconds the result counts as fresh.
    pub ttl_ms: u64,
    /// Whether callers other than this one may see it.
    pub public: bool,
}

impl CacheHint {
    /// Reads `{ ttlMs?, cacheScope? }`.
    fn read(hint: Raw<'_>) -> Result<Self, &'static str> {
        if !hint.is_object() {
            return Err("a cache hint must be { ttlMs?, cacheScope? }");
        }
        let ttl_ms = match hint.get_present("ttlMs") {
            None => 0,
            Some(ttl) => ttl
                .as_i64()
                .and_then(|ttl| u64::try_from(ttl).ok())
                .ok_or("ttlMs must be a whole number of milliseconds, at least 0")?,
        };
        let public = match hint.get_present("cacheScope").map(Raw::as_str) {
            None => false,
            Some(scope) => match scope.as_deref() {
                Some("public") => true,
                Some("private") => false,
                _ => return Err("cacheScope must be \"public\" or \"private\""),
            },
        };
        Ok(Self { ttl_ms, public })
    }
}
