//! Header names, the encoding of their values, and media types.
//!
//! Pages: 2026-07-28, basic/transports/streamable-http, "Request Metadata" and "Value Encoding".

use crate::protocol::base64;
use std::borrow::Cow;

/// The version that a request speaks.
pub const PROTOCOL_VERSION: &str = "MCP-Protocol-Version";
/// The request's method.
pub const METHOD: &str = "Mcp-Method";
/// The tool's or prompt's name, or the resource's URI.
pub const NAME: &str = "Mcp-Name";
/// What precedes the name of a mirrored parameter.
pub const PARAM_PREFIX: &str = "Mcp-Param-";
/// Legacy only: the session.
pub const SESSION_ID: &str = "Mcp-Session-Id";
/// Legacy only: the last event that was seen of a broken stream.
pub const LAST_EVENT_ID: &str = "Last-Event-ID";

/// The media type of one message.
pub const JSON: &str = "application/json";
/// The media type of a stream of messages.
pub const EVENT_STREAM: &str = "text/event-stream";
/// What a client's `Accept` header lists.
pub const ACCEPT_BOTH: &str = "application/json, text/event-stream";

const SENTINEL_HEAD: &str = "=?base64?";
const SENTINEL_TAIL: &str = "?=";

/// Why a header's value cannot be what a client sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HeaderError {
    /// A character outside visible ASCII, space and tab.
    InvalidCharacter,
    /// Between the markers stands something that is not padded standard base64.
    InvalidBase64,
    /// The base64 holds bytes that are not UTF-8.
    InvalidUtf8,
}

impl HeaderError {
    /// What is wrong with the value, as the end of a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidCharacter => "contains characters other than visible ASCII, space and tab",
            Self::InvalidBase64 => "is marked as base64 but is not padded standard base64",
            Self::InvalidUtf8 => "is base64 of bytes that are not UTF-8",
        }
    }
}

impl std::fmt::Display for HeaderError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the value ")?;
        f.write_str(self.as_str())
    }
}

impl std::error::Error for HeaderError {}

/// The value as it goes into a header: as it is where that is safe, else base64 of its UTF-8 between the markers.
///
/// Tabs are encoded too: some intermediaries fold them.
pub fn encode_value(value: &str) -> Cow<'_, str> {
    let unsafe_bytes = value.bytes().any(|byte| !matches!(byte, b' '..=b'~'));
    let unsafe_edge = value.starts_with(' ') || value.ends_with(' ');
    let looks_encoded = value.starts_with(SENTINEL_HEAD) && value.ends_with(SENTINEL_TAIL);
    if !(unsafe_bytes || unsafe_edge || looks_encoded) {
        return Cow::Borrowed(value);
    }
    let mut out = String::from(SENTINEL_HEAD);
    out.push_str(&base64::encode(value.as_bytes()));
    out.push_str(SENTINEL_TAIL);
    Cow::Owned(out)
}

/// What a header's value stands for; the markers are case-sensitive.
///
/// White space around the value is not part of it (RFC 9110 §5.5).
///
/// # Errors
///
/// [`HeaderError`] where no client can have meant that value.
pub fn decode_value(value: &str) -> Result<Cow<'_, str>, HeaderError> {
    let value = trim(value);
    if !value.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return Err(HeaderError::InvalidCharacter);
    }
    let Some(encoded) = value.strip_prefix(SENTINEL_HEAD).and_then(|rest| rest.strip_suffix(SENTINEL_TAIL)) else {
        return Ok(Cow::Borrowed(value));
    };
    let bytes = base64::decode(encoded).ok_or(HeaderError::InvalidBase64)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| HeaderError::InvalidUtf8)
}

/// The value without the white space around it that is not part of it.
pub(super) fn trim(value: &str) -> &str {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t');
    let start = value.as_bytes().iter().position(is_text).unwrap_or(value.len());
    let end = value.as_bytes().iter().rposition(is_text).map_or(start, |last| last + 1);
    value.get(start..end).unwrap_or_default()
}

/// A request's headers: name and value, names in any case.
pub type Headers<'a> = [(&'a str, &'a str)];

/// The value of the header of that name; the first one where there are several.
pub fn get<'a>(headers: &Headers<'a>, name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| trim(value))
}

/// Whether a `Content-Type` is JSON, whatever its case and parameters (RFC 9110 §8.3.1).
pub fn is_json(content_type: &str) -> bool {
    media_type(content_type).eq_ignore_ascii_case(JSON)
}

/// Whether a `Content-Type` is an event stream, whatever its case and parameters.
pub fn is_event_stream(content_type: &str) -> bool {
    media_type(content_type).eq_ignore_ascii_case(EVENT_STREAM)
}

fn media_type(content_type: &str) -> &str {
    trim(content_type.split(';').next().unwrap_or_default())
}

/// Whether an `Accept` header takes that media type (RFC 9110 §12.5.1): the most specific range
/// decides, `q=0` refuses, and no header, or an empty one, takes everything.
pub fn accepts(accept: Option<&str>, wanted: &str) -> bool {
    let Some(accept) = accept.map(trim).filter(|accept| !accept.is_empty()) else { return true };
    let group = wanted.split('/').next().unwrap_or_default();
    let mut best = (0, false);
    for range in accept.split(',') {
        let name = media_type(range);
        let rank = if name.eq_ignore_ascii_case(wanted) {
            3
        } else if name.strip_suffix("/*").is_some_and(|name| name.eq_ignore_ascii_case(group)) {
            2
        } else if name == "*/*" {
            1
        } else {
            continue;
        };
        if rank > best.0 {
            best = (rank, !is_refused(range));
        }
    }
    best.1
}

/// Whether a range has a weight of zero: `q=0`, `q=0.000`.
fn is_refused(range: &str) -> bool {
    range.split(';').skip(1).any(|parameter| {
        let Some((name, weight)) = parameter.split_once('=') else { return false };
        let weight = trim(weight);
        trim(name).eq_ignore_ascii_case("q")
            && weight.starts_with('0')
            && weight.bytes().all(|byte| matches!(byte, b'0' | b'.'))
    })
}
