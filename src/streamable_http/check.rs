//! Whether the headers of a modern request say what its body says.
//!
//! An intermediary decides by the headers, the server by the body: they must not differ
//! (2026-07-28, basic/transports/streamable-http, "Server Validation"). Every error here goes
//! out with HTTP status 400.

use super::headers::{self, HeaderError, Headers};
use super::param_headers::HeaderParam;
use crate::protocol::error::{ErrorObject, HEADER_MISMATCH, abridged};
use crate::protocol::json::Raw;
use crate::protocol::method::name_source;
use std::borrow::Cow;

/// Checks `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` of a modern request whose `_meta` names `version`.
///
/// A body without the member that `Mcp-Name` mirrors passes: that is an error of the
/// parameters, and the better answer.
///
/// # Errors
///
/// `HeaderMismatch` naming the header, what it says and what was expected.
pub fn request(headers: &Headers<'_>, version: &str, method: &str, params: Option<Raw<'_>>) -> Result<(), ErrorObject> {
    request_with_name(headers, version, method, mirrored_name(method, params).as_deref())
}

/// [`request`] for a request of which is known what its `Mcp-Name` header mirrors.
///
/// # Errors
///
/// As for [`request`].
pub fn request_with_name(
    headers: &Headers<'_>,
    version: &str,
    method: &str,
    name: Option<&str>,
) -> Result<(), ErrorObject> {
    compare(headers, headers::PROTOCOL_VERSION, version, Value::Plain, Absence::Refused)?;
    compare(headers, headers::METHOD, method, Value::Plain, Absence::Refused)?;
    match name {
        Some(name) => compare(headers, headers::NAME, name, Value::Encoded, Absence::Refused),
        None => Ok(()),
    }
}

/// Checks a modern notification: the revision demands no headers of it, but those that are there must be true.
///
/// # Errors
///
/// `HeaderMismatch` as for [`request`].
pub fn notification(headers: &Headers<'_>, version: Option<&str>, method: &str) -> Result<(), ErrorObject> {
    if let Some(version) = version {
        compare(headers, headers::PROTOCOL_VERSION, version, Value::Plain, Absence::Allowed)?;
    }
    compare(headers, headers::METHOD, method, Value::Plain, Absence::Allowed)
}

/// Checks the `Mcp-Param-*` headers of a `tools/call` against its `arguments`.
///
/// # Errors
///
/// `HeaderMismatch` where a mirrored argument has no header, a header has no argument, or they differ.
pub fn params(headers: &Headers<'_>, mirrored: &[HeaderParam], arguments: Option<Raw<'_>>) -> Result<(), ErrorObject> {
    for param in mirrored {
        let sent = single(headers, &param.header)?.map(|value| decode(&param.header, value)).transpose()?;
        match (param.argument(arguments), sent) {
            (None, None) => {}
            (None, Some(sent)) => return Err(differs(&param.header, &sent, None)),
            // An object or array has no header text; the schema check refuses it.
            (Some(argument), None) if argument.kind().is_nested() => {}
            (Some(_), None) => return Err(missing(&param.header)),
            (Some(argument), Some(sent)) if param.matches(argument, &sent) => {}
            (Some(argument), Some(sent)) => {
                let expected = argument.as_str().unwrap_or_else(|| Cow::Borrowed(argument.as_text()));
                return Err(differs(&param.header, &sent, Some(&expected)));
            }
        }
    }
    Ok(())
}

/// What the `Mcp-Name` header of a request mirrors, if its method and body have it.
pub fn mirrored_name<'a>(method: &str, params: Option<Raw<'a>>) -> Option<Cow<'a, str>> {
    params?.get_str(name_source(method)?.member())
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Value {
    /// Compared as it stands.
    Plain,
    /// May be base64 between the markers.
    Encoded,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Absence {
    Allowed,
    Refused,
}

fn compare(
    headers: &Headers<'_>,
    name: &str,
    expected: &str,
    value: Value,
    absence: Absence,
) -> Result<(), ErrorObject> {
    let Some(sent) = single(headers, name)? else {
        return if absence == Absence::Allowed { Ok(()) } else { Err(missing(name)) };
    };
    let sent = if value == Value::Encoded { decode(name, sent)? } else { Cow::Borrowed(sent) };
    if sent == expected { Ok(()) } else { Err(differs(name, &sent, Some(expected))) }
}

/// The value of a header that may come once.
fn single<'a>(headers: &Headers<'a>, name: &str) -> Result<Option<&'a str>, ErrorObject> {
    let mut found = None;
    for (key, value) in headers {
        if !key.eq_ignore_ascii_case(name) {
            continue;
        }
        if found.is_some() {
            return Err(mismatch(&[name, " header must come once, not several times"]));
        }
        found = Some(headers::trim(value));
    }
    Ok(found)
}

fn decode<'a>(name: &str, value: &'a str) -> Result<Cow<'a, str>, ErrorObject> {
    headers::decode_value(value).map_err(|error: HeaderError| mismatch(&[name, " header value ", error.as_str()]))
}

fn missing(name: &str) -> ErrorObject {
    mismatch(&["the ", name, " header is missing"])
}

fn differs(name: &str, sent: &str, expected: Option<&str>) -> ErrorObject {
    let sent = abridged(sent);
    match expected {
        Some(expected) => {
            mismatch(&[name, " header value '", sent, "' does not match body value '", abridged(expected), "'"])
        }
        None => mismatch(&[name, " header value '", sent, "' has no value in the body"]),
    }
}

fn mismatch(parts: &[&str]) -> ErrorObject {
    let mut message = String::from("Header mismatch: ");
    parts.iter().for_each(|part| message.push_str(part));
    ErrorObject::new(HEADER_MISMATCH, message)
}
