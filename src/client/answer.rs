//! What an exchange has brought, and the failure that it is.

use super::error::HttpFailure;
use super::{Code, Failure};
use crate::protocol::error::ErrorObject;
use crate::protocol::json::Raw;

/// What came for a request.
pub(super) enum Answer<'a> {
    Result(Raw<'a>),
    Error(ErrorObject),
    /// An HTTP status without a JSON-RPC error.
    Status,
    /// 2xx without a usable message.
    Unusable(&'a str),
    TimedOut,
    Unreachable(&'a str),
    Ended(&'a str),
    /// More than we take.
    TooLarge(&'a str),
}

/// The failure that an answer without a result is.
pub(super) fn failure_of(method: &str, answer: Answer<'_>, http: Option<HttpFailure>) -> Failure {
    let named = |text: &str| [method, ": ", text].concat();
    let mut failure = match answer {
        Answer::Error(error) => Failure::rpc(error),
        Answer::Result(_) => Failure::new(Code::InvalidResult, named("a result that was not expected")),
        Answer::Status => Failure::new(Code::Http, String::new()),
        Answer::Unusable(message) => {
            Failure::new(if http.is_some() { Code::Http } else { Code::InvalidMessage }, named(message))
        }
        Answer::TooLarge(message) => Failure::new(Code::TooLarge, named(message)),
        Answer::TimedOut => Failure::new(Code::TimedOut, named("no answer in time")),
        Answer::Unreachable(message) => Failure::new(Code::Network, named(message)),
        Answer::Ended(message) => Failure::new(Code::ConnectionLost, named(message)),
    };
    if let Some(http) = http {
        failure = super::ending::with_status(method, failure, http);
    }
    failure
}
