//! Error codes and error objects: errors as values on the wire.

use super::json::{Raw, Writer};
use super::version::Era;

/// The text is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// JSON, but not a JSON-RPC message.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist (in this era).
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are wrong: also an unknown tool, prompt or (modern) resource.
pub const INVALID_PARAMS: i64 = -32602;
/// The receiver failed.
pub const INTERNAL_ERROR: i64 = -32603;
/// Legacy only: the resource does not exist.
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// Legacy only: the person has to visit a URL first.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;
/// Modern: headers and body differ, or a required header is missing.
pub const HEADER_MISMATCH: i64 = -32020;
/// Modern: the request needs a capability that the client did not declare.
pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
/// Modern: the server does not speak the requested version.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// Whether only a modern server sends this code.
pub fn is_modern(code: i64) -> bool {
    matches!(code, HEADER_MISMATCH | MISSING_REQUIRED_CLIENT_CAPABILITY | UNSUPPORTED_PROTOCOL_VERSION)
}

/// The `error` member of a JSON-RPC response.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ErrorObject {
    /// What kind of error it is.
    pub code: i64,
    /// One sentence for people.
    pub message: String,
    /// More about it, as JSON text.
    pub data: Option<String>,
}

impl ErrorObject {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The same with `data`, a JSON text.
    pub fn with_data(mut self, data: String) -> Self {
        self.data = Some(data);
        self
    }

    /// The same with a code that a server of that era may send: the modern one has neither
    /// [`RESOURCE_NOT_FOUND`] nor [`URL_ELICITATION_REQUIRED`] (2026-07-28, basic/index, "Error Codes").
    pub fn in_era(mut self, era: Era) -> Self {
        if era == Era::Modern {
            self.code = match self.code {
                RESOURCE_NOT_FOUND => INVALID_PARAMS,
                URL_ELICITATION_REQUIRED => INTERNAL_ERROR,
                code => code,
            };
        }
        self
    }

    /// Reads the `error` member of a response; `None` if it has no integer code.
    ///
    /// A missing message becomes the empty string: peers forget it, and the code still says what happened.
    pub fn read(value: Raw<'_>) -> Option<Self> {
        Some(Self {
            code: value.get("code")?.as_i64()?,
            message: value.get_str("message").map(|text| text.into_owned()).unwrap_or_default(),
            data: value.get("data").map(|data| data.as_text().to_owned()),
        })
    }

    /// Writes it as a value.
    pub fn write(&self, out: &mut Writer) {
        out.open_object().name("code").integer(self.code).name("message").string(&self.message);
        if let Some(data) = &self.data {
            out.name("data").raw(data);
        }
        out.close_object();
    }
}

/// The start of a text: a peer's text goes into messages only up to a length that people read.
pub fn abridged(text: &str) -> &str {
    const SHOWN: usize = 80;
    let mut end = text.len().min(SHOWN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

impl std::fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}
