//! What the driver asks of the world: to carry messages, to wait, to run tasks.

use super::task::BoxFuture;
use crate::client::event::{Header, Millis, Verb};
use std::future::Future;

/// Something to send: a whole HTTP request, or one message where there is no HTTP.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// How it goes out.
    pub verb: Verb,
    /// Where it goes, if not to the transport's own endpoint: the server has named another place.
    pub url: Option<String>,
    /// Whether the application's own headers go along. Behind a redirect to another origin they must not.
    pub credentials: bool,
    /// The protocol's headers. They overrule any that the application adds.
    pub headers: Vec<Header>,
    /// The JSON text of the message; empty for GET and DELETE.
    pub body: String,
}

/// The next piece of a body; `None` at its end.
pub type Piece = Result<Option<Vec<u8>>, String>;

/// A body, or any other sequence of bytes; dropping it lets the connection go.
pub trait Body {
    /// Waits for the next piece.
    ///
    /// # Errors
    ///
    /// How the connection broke.
    fn next(&mut self) -> BoxFuture<'_, Piece>;
}

/// What comes back.
pub enum Answer {
    /// An HTTP answer: its status, its headers, and its body.
    Http {
        /// The status code.
        status: u16,
        /// The reason phrase, empty where there is none.
        status_text: String,
        /// The headers, names in any case.
        headers: Vec<(String, String)>,
        /// The body.
        body: Box<dyn Body>,
    },
    /// Messages over a channel that is not HTTP, each one piece.
    Messages(Box<dyn Body>),
}

impl Answer {
    /// An HTTP answer with its whole body.
    pub fn http(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Http {
            status,
            status_text: String::new(),
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            body: Box::new(Whole(Some(body.into()))),
        }
    }

    /// The one message that answers over a channel that is not HTTP; `None` where nothing does.
    pub fn message(text: Option<String>) -> Self {
        Self::Messages(Box::new(Whole(text.map(String::into_bytes))))
    }
}

/// A body that is there already.
struct Whole(Option<Vec<u8>>);

impl Body for Whole {
    fn next(&mut self) -> BoxFuture<'_, Piece> {
        let piece = self.0.take();
        Box::pin(async move { Ok(piece) })
    }
}

/// Carries messages. A closure from [`Outgoing`] to a future of [`Answer`] is a transport.
///
/// Dropping the future, or the body of the answer, must stop the request. It should not follow redirects, but give them as
/// answers with their `location`: the client follows those that keep the method, and knows where credentials belong.
pub trait Transport {
    /// Sends, and waits for the answer to begin.
    ///
    /// # Errors
    ///
    /// How the request failed before anything came back.
    fn send(&self, message: Outgoing) -> BoxFuture<'static, Result<Answer, String>>;
}

impl<F, R> Transport for F
where
    F: Fn(Outgoing) -> R,
    R: Future<Output = Result<Answer, String>> + 'static,
{
    fn send(&self, message: Outgoing) -> BoxFuture<'static, Result<Answer, String>> {
        Box::pin(self(message))
    }
}

/// A clock, a timer and an executor for tasks of one thread.
pub trait Runtime {
    /// The time in milliseconds; only differences matter, and it never runs backwards.
    fn now(&self) -> Millis;

    /// Waits; dropping the future ends the timer. Waiting for less than was asked for is allowed.
    fn sleep(&self, time: Millis) -> BoxFuture<'static, ()>;

    /// Runs a task to its end beside everything else.
    fn spawn(&self, task: BoxFuture<'static, ()>);
}
