//! What to do about a message.

use super::caller::{Consult, Consulted};
use super::invocation::Invocation;
use super::listen::Listen;
use super::session::{Presented, Session};
use crate::protocol::error::ErrorObject;
use crate::protocol::json::Raw;
use crate::protocol::jsonrpc::{RequestId, error_response, result_response};
use crate::streamable_http::headers::Headers;

/// How a message came, and what can go back beside its answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Channel<'a> {
    /// Whether notifications can be sent before the answer.
    pub streams: bool,
    /// The headers of the HTTP request that carried the message; `None` without HTTP.
    pub headers: Option<&'a Headers<'a>>,
    /// Whether the message is an element of a batch.
    pub in_batch: bool,
    /// What the application said when [`Step::Consult`] asked about the caller of this message.
    pub consulted: Option<&'a Consulted<'a>>,
    /// The session of a legacy HTTP request, where the server has sessions.
    pub session: Presented<'a>,
}

/// What to do about a message.
#[derive(Debug)]
pub enum Step<'a> {
    /// Send this.
    Reply(Reply<'a>),
    /// Run a handler, then send what [`Invocation::finish`] gives.
    Invoke(Invocation<'a>),
    /// Handle each element by itself, with [`Channel::in_batch`], and send the replies as one array; nothing if there are none.
    Batch(Vec<Raw<'a>>),
    /// Send what the subscription says, for as long as it lasts.
    Listen(Listen<'a>),
    /// The client answers a request that a handler sent ([`Invocation::ask`]): hand it on, and send nothing.
    Answer(Answer<'a>),
    /// Find out about the caller, and handle the message once more with [`Channel::consulted`].
    Consult(Consult<'a>),
    /// Hand a notification to the application that takes it, and send nothing.
    Notice(Notice<'a>),
    /// Keep the session, under a new id if the request is `initialize`, then send the reply.
    Session(Reply<'a>, Session),
    /// The client no longer wants the answer to the request of its session that has this id: send nothing, not even that.
    Cancel(RequestId<'a>),
    /// Hand the message to a server of a build that has the features `server-whole` and `schema`: it needs what this build
    /// lacks. Never in a build that has them, as it is by default.
    Beyond,
    /// Send nothing.
    Nothing,
}

/// A notification that the application takes itself.
#[derive(Debug)]
pub struct Notice<'a> {
    /// Its index in the definition's `notifications`.
    pub index: usize,
    /// Its `params`.
    pub params: Option<Raw<'a>>,
}

/// What a client answered to a request that a handler sent.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The id of that request.
    pub id: RequestId<'a>,
    /// The result, or the client's error.
    pub result: Result<Raw<'a>, ErrorObject>,
}

/// A message to send as the answer.
#[derive(Debug)]
pub struct Reply<'a> {
    /// The id of the request; `None` where it could not be read.
    pub id: Option<RequestId<'a>>,
    /// The result or error.
    pub body: Body<'a>,
    /// The HTTP status, where there is HTTP.
    pub status: u16,
    /// The value of `WWW-Authenticate`, where the caller has to be granted more.
    pub challenge: Option<String>,
}

/// What a reply says.
#[derive(Debug)]
pub enum Body<'a> {
    /// A result that never changes, and its key: the caller may have it already.
    Constant(usize, &'a str),
    /// A result, an object as JSON text.
    Result(String),
    /// An error.
    Error(ErrorObject),
}

impl<'a> Reply<'a> {
    pub(super) fn error(id: Option<RequestId<'a>>, status: u16, error: ErrorObject) -> Self {
        Self { id, body: Body::Error(error), status, challenge: None }
    }

    /// A result, an object as JSON text.
    pub(super) fn result(id: RequestId<'a>, result: String) -> Self {
        Self { id: Some(id), body: Body::Result(result), status: 200, challenge: None }
    }

    /// The whole message.
    pub fn into_text(self) -> String {
        let id = self.id.map(RequestId::as_text);
        match (&self.body, id) {
            (Body::Error(error), id) => error_response(id, error),
            (Body::Constant(_, result), id) => result_response(id.unwrap_or("null"), result),
            (Body::Result(result), id) => result_response(id.unwrap_or("null"), result),
        }
    }
}
