//! Why a call or a connection failed.

use crate::protocol::error::ErrorObject;

/// The stable name of a failure; the `code` of the JavaScript error.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Code {
    /// No answer in time.
    TimedOut,
    /// The client was closed.
    Closed,
    /// The request did not reach the peer, or no answer began.
    Network,
    /// An HTTP answer that carries no result.
    Http,
    /// The peer's JSON-RPC error.
    Protocol,
    /// The answer broke off.
    ConnectionLost,
    /// A result that breaks the protocol.
    InvalidResult,
    /// Something that is no message, or not the expected one.
    InvalidMessage,
    /// No version in common, or the pinned one is not offered.
    EraUnsettled,
    /// The server refuses the version.
    UnsupportedProtocolVersion,
    /// The era in use does not have the method.
    MethodNotInEra,
    /// A limit was passed.
    TooLarge,
    /// A tool that the server should not have defined like that.
    InvalidDefinition,
    /// The caller's mistake.
    InvalidArgument,
    /// A handler of the application failed; its own error says how.
    HandlerFailed,
}

impl Code {
    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TimedOut => "TIMED_OUT",
            Self::Closed => "CLOSED",
            Self::Network => "NETWORK",
            Self::Http => "HTTP",
            Self::Protocol => "PROTOCOL",
            Self::ConnectionLost => "CONNECTION_LOST",
            Self::InvalidResult => "INVALID_RESULT",
            Self::InvalidMessage => "INVALID_MESSAGE",
            Self::EraUnsettled => "ERA_UNSETTLED",
            Self::UnsupportedProtocolVersion => "UNSUPPORTED_PROTOCOL_VERSION",
            Self::MethodNotInEra => "METHOD_NOT_IN_ERA",
            Self::TooLarge => "TOO_LARGE",
            Self::InvalidDefinition => "INVALID_DEFINITION",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::HandlerFailed => "HANDLER_FAILED",
        }
    }
}

/// What an HTTP answer said that failed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct HttpFailure {
    /// The status code.
    pub status: u16,
    /// The reason phrase.
    pub status_text: String,
    /// `Content-Type`
    pub content_type: Option<String>,
    /// `Retry-After`, as it was sent.
    pub retry_after: Option<String>,
    /// The beginning of the body.
    pub body: String,
}

/// A failure as a value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Failure {
    /// Its stable name.
    pub code: Code,
    /// One sentence: what was expected and what came.
    pub message: String,
    /// The peer's JSON-RPC error.
    pub rpc: Option<Box<ErrorObject>>,
    /// The HTTP answer, where it was not 2xx or not usable.
    pub http: Option<Box<HttpFailure>>,
    /// Whether the same request may be sent again without harm, as far as the transport knows.
    pub retryable: bool,
}

impl Failure {
    /// A failure with nothing attached.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), rpc: None, http: None, retryable: false }
    }

    /// The peer's JSON-RPC error as it is.
    pub fn rpc(error: ErrorObject) -> Self {
        let message = error.message.clone();
        Self { rpc: Some(Box::new(error)), ..Self::new(Code::Protocol, message) }
    }

    /// Whether the same may work later: the network, or a server that is overloaded or restarts.
    pub(super) fn is_transient(&self) -> bool {
        match self.code {
            Code::ConnectionLost | Code::Network | Code::TimedOut => true,
            Code::Http => self.http.as_ref().is_some_and(|http| matches!(http.status, 408 | 429 | 500..=599)),
            _ => false,
        }
    }

    pub(super) fn with_rpc(mut self, rpc: Option<ErrorObject>) -> Self {
        self.rpc = rpc.map(Box::new);
        self
    }

    pub(super) fn with_http(mut self, http: Option<HttpFailure>) -> Self {
        self.http = http.map(Box::new);
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code.as_str())?;
        f.write_str(": ")?;
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
