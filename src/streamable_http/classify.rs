//! The era of an inbound message, by its own shape.
//!
//! No connection, session or earlier message has a say, so a server needs no memory to know
//! which rules hold. A message that claims to be modern is held to it: what it then lacks is an
//! error, never a reason to treat it as legacy (2026-07-28, basic/index, "`_meta`"; basic/versioning).

use crate::protocol::error::{ErrorObject, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, abridged};
use crate::protocol::json::{Kind, Raw};
use crate::protocol::jsonrpc::Message;
use crate::protocol::version::{Era, ProtocolVersion, era_of};
use crate::protocol::{meta, method};
use std::borrow::Cow;

/// What a modern request says about itself in its `_meta`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Envelope<'a> {
    /// The protocol version; not yet known to be one that the server speaks.
    pub version: Cow<'a, str>,
    /// The client's capabilities, an object.
    pub capabilities: Raw<'a>,
    /// The client's name and version, an object.
    pub client_info: Option<Raw<'a>>,
    /// The least severe log level that the request wants.
    pub log_level: Option<Cow<'a, str>>,
    /// The whole `_meta` object.
    pub meta: Raw<'a>,
}

/// A message that is answered with an error before anything else is looked at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rejection {
    /// The HTTP status, where there is HTTP.
    pub status: u16,
    /// The error.
    pub error: ErrorObject,
}

/// Which rules hold for an inbound message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Inbound<'a> {
    /// A message of the legacy era.
    Legacy {
        /// The version that its header names; `None` without header, and on `initialize`, which is still to agree on one.
        version: Option<ProtocolVersion>,
    },
    /// A request of the modern era.
    Modern(Envelope<'a>),
    /// A notification of the modern era, which needs no `_meta`.
    ModernNotification {
        /// The version that its `_meta` names.
        version: Option<Cow<'a, str>>,
    },
    /// A message that fits neither.
    Rejected(Rejection),
}

/// What the `_meta` of a message says that concerns the protocol, read in one pass; each may be of any kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claims<'a> {
    meta: Option<Raw<'a>>,
    version: Option<Raw<'a>>,
    capabilities: Option<Raw<'a>>,
    client_info: Option<Raw<'a>>,
    log_level: Option<Raw<'a>>,
    /// The token of the progress notifications that the sender wants, in either era.
    pub progress_token: Option<Raw<'a>>,
}

impl<'a> Claims<'a> {
    /// Reads `params._meta`.
    pub fn read(meta: Option<Raw<'a>>) -> Self {
        let mut out = Self { meta, ..Self::default() };
        for (key, value) in meta.unwrap_or(Raw::EMPTY_OBJECT).members() {
            let name = key.bytes();
            let is = |other: &str| *name == *other.as_bytes();
            let slot = if is(meta::PROTOCOL_VERSION) {
                &mut out.version
            } else if is(meta::CLIENT_CAPABILITIES) {
                &mut out.capabilities
            } else if is(meta::CLIENT_INFO) {
                &mut out.client_info
            } else if is(meta::LOG_LEVEL) {
                &mut out.log_level
            } else if is(meta::PROGRESS_TOKEN) {
                &mut out.progress_token
            } else {
                continue;
            };
            *slot = Some(value);
        }
        out
    }

    /// Whether any of them makes the message modern.
    fn is_modern(&self) -> bool {
        [self.version, self.capabilities, self.client_info, self.log_level].iter().any(Option::is_some)
    }
}

/// Says which rules hold for `message`; `header` is its `MCP-Protocol-Version` header, `None` without HTTP.
pub fn classify<'a>(message: &Message<'a>, header: Option<&str>) -> Inbound<'a> {
    let (name, params, is_request) = match message {
        Message::Request { method, params, .. } => (method, *params, true),
        Message::Notification { method, params } => (method, *params, false),
        Message::Result { .. } | Message::Error { .. } if header.and_then(era_of) == Some(Era::Modern) => {
            return rejected(
                400,
                INVALID_REQUEST,
                "Invalid request: expected a request or a notification, got a response",
            );
        }
        Message::Result { .. } | Message::Error { .. } => return legacy(header),
    };
    let claims = Claims::read(params.and_then(|params| params.get("_meta")));
    classify_claims(name, is_request, &claims, header)
}

/// [`classify`] for a request or notification whose `_meta` has been read.
pub fn classify_claims<'a>(name: &str, is_request: bool, claims: &Claims<'a>, header: Option<&str>) -> Inbound<'a> {
    let header_is_modern = header.and_then(era_of) == Some(Era::Modern);
    if !(header_is_modern || claims.is_modern() || method::is_modern_only(name)) {
        return if name == method::INITIALIZE { Inbound::Legacy { version: None } } else { legacy(header) };
    }
    if !is_request {
        return Inbound::ModernNotification { version: claims.version.and_then(Raw::as_str) };
    }
    if name == method::INITIALIZE {
        return rejected(
            404,
            METHOD_NOT_FOUND,
            "Method not found: initialize does not exist in the era of this request",
        );
    }
    match read_envelope(claims) {
        Ok(envelope) => Inbound::Modern(envelope),
        Err(message) => rejected(400, INVALID_PARAMS, &message),
    }
}

fn legacy<'a>(header: Option<&str>) -> Inbound<'a> {
    let Some(header) = header else { return Inbound::Legacy { version: None } };
    match ProtocolVersion::parse(header) {
        Some(version) => Inbound::Legacy { version: Some(version) },
        None => {
            let mut message = String::from("Invalid request: unsupported protocol version '");
            message.push_str(abridged(header));
            message.push_str("' in the MCP-Protocol-Version header; known are ");
            for (at, version) in ProtocolVersion::ALL.iter().enumerate() {
                message.push_str(if at > 0 { ", " } else { "" });
                message.push_str(version.as_str());
            }
            rejected(400, INVALID_REQUEST, &message)
        }
    }
}

/// Reads what every modern request has to say about itself; names all that is missing at once.
fn read_envelope<'a>(claims: &Claims<'a>) -> Result<Envelope<'a>, String> {
    let Some(meta) = claims.meta.filter(|meta| meta.is_object()) else {
        return Err(invalid(&[
            "params._meta must be an object with ",
            meta::PROTOCOL_VERSION,
            " and ",
            meta::CLIENT_CAPABILITIES,
        ]));
    };
    let given = |claim: Option<Raw<'a>>| claim.filter(|value| !value.is_null());
    let (client_info, log_level) = (given(claims.client_info), given(claims.log_level));
    let (version, capabilities) = (given(claims.version), given(claims.capabilities));
    let (Some(version), Some(capabilities)) = (version, capabilities) else {
        let absent = [(meta::PROTOCOL_VERSION, version), (meta::CLIENT_CAPABILITIES, capabilities)];
        let mut message = invalid(&["params._meta lacks "]);
        let names = absent.iter().filter(|(_, value)| value.is_none()).map(|(name, _)| *name);
        for (at, name) in names.enumerate() {
            message.push_str(if at > 0 { " and " } else { "" });
            message.push_str(name);
        }
        return Err(message);
    };
    let wrong = |name, expected| invalid(&["params._meta[\"", name, "\"] must be ", expected]);
    Ok(Envelope {
        version: version.as_str().ok_or_else(|| wrong(meta::PROTOCOL_VERSION, "a string"))?,
        capabilities: object(capabilities).ok_or_else(|| wrong(meta::CLIENT_CAPABILITIES, "an object"))?,
        client_info: match client_info {
            Some(value) => Some(object(value).ok_or_else(|| wrong(meta::CLIENT_INFO, "an object"))?),
            None => None,
        },
        log_level: match log_level {
            Some(value) => Some(value.as_str().ok_or_else(|| wrong(meta::LOG_LEVEL, "a string"))?),
            None => None,
        },
        meta,
    })
}

fn object(value: Raw<'_>) -> Option<Raw<'_>> {
    (value.kind() == Kind::Object).then_some(value)
}

fn invalid(parts: &[&str]) -> String {
    let mut message = String::from("Invalid params: ");
    parts.iter().for_each(|part| message.push_str(part));
    message
}

fn rejected<'a>(status: u16, code: i64, message: &str) -> Inbound<'a> {
    Inbound::Rejected(Rejection { status, error: ErrorObject::new(code, message) })
}
