//! The JSON-RPC envelope of one message: what it is, and where its parts are.

use super::error::{self, ErrorObject};
use super::json::{Ends, Kind, Raw, Writer, quote};
use std::borrow::Cow;

/// A request id as the text that it came in: `7`, `"req-α"`. Echoed byte for byte.
///
/// Always a string or an integer, never `null` (2026-07-28, basic/index, "Requests").
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RequestId<'a>(Raw<'a>);

impl<'a> RequestId<'a> {
    /// Takes the value if it may be an id: a string, or a number that is an integer.
    pub fn read(value: Raw<'a>) -> Option<Self> {
        let is_id = match value.kind() {
            Kind::String => true,
            // An integer may have any number of digits, or be spelled `1.0` by peers that know only doubles.
            Kind::Number => {
                !value.text().iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) || value.as_i64().is_some()
            }
            _ => false,
        };
        is_id.then_some(Self(value))
    }

    /// The id in one spelling: ids that are equal have equal texts here, whatever escapes the peer wrote.
    ///
    /// `1` and `"1"` stay different ids.
    pub fn canonical(self) -> Cow<'a, str> {
        let text = self.as_text();
        match self.0.kind() {
            Kind::String if text.as_bytes().contains(&b'\\') => Cow::Owned(quote(&self.0.as_str().unwrap_or_default())),
            Kind::Number => self.0.as_i64().map_or(Cow::Borrowed(text), |integer| Cow::Owned(integer.to_string())),
            _ => Cow::Borrowed(text),
        }
    }

    /// The id as JSON text.
    pub fn as_text(self) -> &'a str {
        self.0.as_text()
    }
}

/// One message, told apart by its shape.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Message<'a> {
    /// A method and an id.
    Request {
        /// Its id.
        id: RequestId<'a>,
        /// Its method.
        method: Cow<'a, str>,
        /// Its parameters, an object.
        params: Option<Raw<'a>>,
    },
    /// A method without an id.
    Notification {
        /// Its method.
        method: Cow<'a, str>,
        /// Its parameters, an object.
        params: Option<Raw<'a>>,
    },
    /// The answer to a request.
    Result {
        /// The request's id.
        id: RequestId<'a>,
        /// The result, an object.
        result: Raw<'a>,
    },
    /// The refusal of a request.
    Error {
        /// The request's id; `None` where the peer could not read it.
        id: Option<RequestId<'a>>,
        /// What went wrong.
        error: ErrorObject,
    },
}

/// Why a JSON value is not a JSON-RPC message; becomes the error to answer with.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidMessage<'a> {
    /// The id, where it is readable.
    pub id: Option<RequestId<'a>>,
    /// What was expected and what came.
    pub reason: &'static str,
}

impl InvalidMessage<'_> {
    /// The error object to answer with.
    pub fn to_error(&self) -> ErrorObject {
        ErrorObject::new(error::INVALID_REQUEST, format!("Invalid request: {}", self.reason))
    }
}

impl<'a> Message<'a> {
    /// Reads the envelope of one message.
    ///
    /// # Errors
    ///
    /// [`InvalidMessage`] with the id where it is readable.
    pub fn read(value: Raw<'a>) -> Result<Self, InvalidMessage<'a>> {
        Self::read_with(value, &Ends::new())
    }

    /// [`Message::read`] that does not walk over values whose ends are known.
    ///
    /// # Errors
    ///
    /// As [`Message::read`].
    pub fn read_with(value: Raw<'a>, ends: &Ends) -> Result<Self, InvalidMessage<'a>> {
        let invalid = |id, reason| Err(InvalidMessage { id, reason });
        match value.kind() {
            Kind::Object => {}
            Kind::Array => return invalid(None, "expected one message, got a batch, which this version does not have"),
            _ => return invalid(None, "expected an object"),
        }
        let (mut version, mut raw_id, mut method, mut params, mut result, mut error) =
            (None, None, None, None, None, None);
        for (key, member) in value.members_with(ends) {
            let slot = match &*key.bytes() {
                b"jsonrpc" => &mut version,
                b"id" => &mut raw_id,
                b"method" => &mut method,
                b"params" => &mut params,
                b"result" => &mut result,
                b"error" => &mut error,
                _ => continue,
            };
            *slot = Some(member);
        }
        let id = raw_id.and_then(RequestId::read);
        let is_version = |version: Raw<'_>| version.text() == b"\"2.0\"" || version.as_str().as_deref() == Some("2.0");
        if !version.is_some_and(is_version) {
            return invalid(id, "jsonrpc must be \"2.0\"");
        }
        if let Some(method) = method {
            let Some(method) = method.as_str() else {
                return invalid(id, "method must be a string");
            };
            if raw_id.is_some() && id.is_none() {
                return invalid(None, "id must be a string or an integer, not null");
            }
            // Peers write null for what they leave out.
            let params = params.filter(|params| !params.is_null());
            if params.is_some_and(|params| !params.is_object()) {
                return invalid(id, "params must be an object");
            }
            return Ok(match id {
                Some(id) => Self::Request { id, method, params },
                None => Self::Notification { method, params },
            });
        }
        if let Some(error) = error.filter(|error| !error.is_null()) {
            let Some(error) = ErrorObject::read(error) else {
                return invalid(id, "error must have an integer code");
            };
            return Ok(Self::Error { id, error });
        }
        match (id, result) {
            (Some(id), Some(result)) if result.is_object() => Ok(Self::Result { id, result }),
            (Some(_), Some(_)) => invalid(id, "result must be an object"),
            (None, Some(_)) => invalid(None, "a result must have an id that is a string or an integer"),
            (_, None) => invalid(id, "method must be a string"),
        }
    }
}

/// A text to be completed by its payload: `head`, then the payload, then `tail`.
///
/// A payload that lives elsewhere (a JavaScript handler's result) is put in
/// there without ever passing through here.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Frame {
    /// What comes before the payload.
    pub head: String,
    /// What comes after the payload.
    pub tail: &'static str,
}

impl Frame {
    /// The whole text.
    pub fn wrap(mut self, payload: &str) -> String {
        self.head.push_str(payload);
        self.head.push_str(self.tail);
        self.head
    }
}

/// The text of an error response; without `id` where the request's id was not readable.
pub fn error_response(id: Option<&str>, error: &ErrorObject) -> String {
    let mut out = Writer::new();
    out.open_object().name("jsonrpc").string("2.0");
    if let Some(id) = id {
        out.name("id").raw(id);
    }
    out.name("error");
    error.write(&mut out);
    out.close_object();
    out.finish()
}

/// The text of a result response.
pub fn result_response(id: &str, result: &str) -> String {
    let mut out = Writer::new();
    out.open_object().name("jsonrpc").string("2.0").name("id").raw(id).name("result").raw(result).close_object();
    out.finish()
}

/// The text of a notification.
pub fn notification(method: &str, params: Option<&str>) -> String {
    let mut out = Writer::new();
    out.open_object().name("jsonrpc").string("2.0").name("method").string(method);
    if let Some(params) = params {
        out.name("params").raw(params);
    }
    out.close_object();
    out.finish()
}
