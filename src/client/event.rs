//! The whole vocabulary of the client: what goes in, and what comes out.
//!
//! A driver owns the sockets and the clock. It reports facts as [`Input`]s and
//! performs [`Output`]s; after every input it drains the outputs until
//! [`Output::Wait`]. It decides nothing.

use super::error::Failure;
use crate::protocol::jsonrpc::Frame;
use crate::protocol::version::Era;
use std::borrow::Cow;

/// A point in time, or a length of it, in milliseconds; only differences matter.
pub type Millis = u64;

/// One request of the application, from its beginning to its one end. It may take several exchanges.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Call(pub u32);

/// One message sent, together with everything that comes back for it: an HTTP request and its answer.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Exchange(pub u32);

/// A request of the server that waits for our answer (legacy only).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct ServerRequest(pub u32);

/// What kind of thing carries the messages.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Channel {
    /// A process, a function, a port: nobody between us and the peer, no status, no headers.
    LocalPipe,
    /// HTTP, or something that declares itself as such.
    Http,
}

/// The parameters of a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Params<'a> {
    /// None.
    None,
    /// The members of the object as JSON text, without its braces and without `_meta`.
    Text(&'a str),
    /// The driver keeps that text and puts it into the frame; it has at least one member.
    Held,
}

/// What a request makes of results that are kept.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum CacheMode {
    /// Takes one that is fresh, and lets its own be kept.
    #[default]
    Use,
    /// Lets its own be kept.
    Refresh,
    /// Nothing.
    Bypass,
}

/// How long a request may take, and what may come meanwhile.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RequestOptions {
    /// Milliseconds until it fails with `TIMED_OUT`; the client's default where absent.
    pub timeout: Option<Millis>,
    /// Milliseconds that it may take over all, whatever progress is reported.
    pub max_total: Option<Millis>,
    /// Whether progress starts the timeout anew.
    pub reset_on_progress: bool,
    /// Whether the application wants to hear of progress.
    pub progress: bool,
    /// Whether all pages of a list are fetched.
    pub walk: bool,
    /// Whether an `input_required` result is handed back as it is.
    pub manual: bool,
    /// What it makes of results that are kept.
    pub cache: CacheMode,
    /// Whether it is not sent again after a loss, whatever the client's options say.
    pub no_retry: bool,
    /// The level of the log messages that it wants, one of [`LOG_LEVELS`](super::LOG_LEVELS), where that is not the
    /// client's. Modern. With `logging/setLevel`: the client's from here on, in either era.
    pub log_level: Option<&'static str>,
}

/// A request to send.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Its method.
    pub method: &'a str,
    /// Its parameters.
    pub params: Params<'a>,
    /// The caller's `_meta`, a JSON object.
    pub meta: Option<&'a str>,
    /// `params.name` or `params.uri`, for the methods that mirror it into a header.
    pub name: Option<&'a str>,
    /// Timeouts and progress.
    pub options: RequestOptions,
}

/// What the head of an HTTP answer says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head<'a> {
    /// The status code.
    pub status: u16,
    /// `Content-Type`
    pub content_type: Option<&'a str>,
    /// `Mcp-Session-Id`
    pub session_id: Option<&'a str>,
    /// `Retry-After`
    pub retry_after: Option<&'a str>,
    /// `WWW-Authenticate`
    pub challenge: Option<&'a str>,
    /// The reason phrase.
    pub status_text: Option<&'a str>,
    /// `Location`, as an absolute URL; only where the driver can follow it.
    pub location: Option<&'a str>,
}

/// The `resultType` of a result that the driver keeps.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ResultType {
    /// Absent or `"complete"`.
    Complete,
    /// `"input_required"`.
    InputRequired,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// An HTTP answer began; [`Output::Read`] says what to do with its body.
    Head(Exchange, Head<'a>),
    /// The whole body, or one whole message of it that was [handed out](Event::Body) for parsing.
    Body(Exchange, &'a [u8]),
    /// The same, parsed by the driver and found to be the result of the exchange's request.
    Result {
        /// Where it came.
        exchange: Exchange,
        /// Its type.
        result_type: ResultType,
        /// `nextCursor`, for pages of a list.
        next_cursor: Option<&'a str>,
    },
    /// Progress of the exchange's request was handed out for parsing, and the driver has told the application of it: some
    /// or much, since this was said last.
    Progress(Exchange),
    /// Bytes of an event stream.
    Chunk(Exchange, &'a [u8]),
    /// One message that came for an exchange over a channel that is not HTTP.
    Message(Exchange, &'a [u8]),
    /// Nothing more comes.
    End(Exchange),
    /// The channel failed, for this exchange at least; the text says how.
    Failed(Exchange, &'a str),
    /// The channel that exchanges share is gone, with everything that was open on it; the text says how. What is
    /// sent next opens it anew.
    Lost(&'a str),
    /// What carried the exchange is gone and will never say so: its message is not answered, and may never have left.
    /// Steps of the opening and the stream for what belongs to no request are asked for again.
    Orphaned(Exchange),
    /// The parameters of a call, all of them, after [`Output::Mirror`].
    Arguments(Call, &'a [u8]),
    /// The application's answer to a request of the server: a result as JSON text.
    Answer(ServerRequest, &'a str),
    /// The application's refusal: code and message.
    Refusal(ServerRequest, i64, &'a str),
    /// What was kept outside, after [`Event::Lookup`]; empty where nothing is that is still fresh.
    Kept(Call, &'a str),
    /// Time has passed.
    Time,
}

/// How an exchange goes out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verb {
    /// As a message over a channel that is not HTTP.
    Message,
    /// As an HTTP POST.
    Post,
    /// As an HTTP GET that opens a stream.
    Get,
    /// As an HTTP DELETE that ends the session.
    Delete,
}

/// A header's name and value.
pub type Header = (Cow<'static, str>, Cow<'static, str>);

/// Something to send.
#[derive(Clone, Debug)]
pub struct Outbound {
    /// Names everything that comes back for it.
    pub exchange: Exchange,
    /// How it goes out.
    pub verb: Verb,
    /// Headers that the protocol demands; they win over the application's.
    pub headers: Vec<Header>,
    /// The text of the message around the payload.
    pub body: Frame,
    /// Whose request or notification it carries, or goes on reading.
    pub call: Option<Call>,
    /// Whether that call's parameters, which the driver holds, go between the frame's head and tail.
    pub is_held: bool,
    /// The id of the request, where it is one of our numbers.
    pub id: Option<u32>,
}

/// What to do with the body of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Read {
    /// Let it go.
    Discard,
    /// Read it all, and give it in as [`Input::Body`].
    Text,
    /// Read up to [`ERROR_BODY_BYTES`](super::ERROR_BODY_BYTES), and give it in as [`Input::Body`].
    Error,
    /// One JSON message: [`Input::Result`] if it is the request's result, else [`Input::Body`].
    Message,
    /// A list of tools: as [`Read::Message`], but as [`Input::Body`] if `x-mcp-header` may be in it.
    Tools,
    /// Send the same again to the `Location`, with the application's headers and the session only where `credentials` says so.
    Follow {
        /// Whether the place is of the same origin.
        credentials: bool,
    },
    /// An event stream: give every chunk in as [`Input::Chunk`], and its end as [`Input::End`].
    Stream,
}

/// A result.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Payload {
    /// The JSON text.
    Text(String),
    /// What the driver parsed and reported with [`Input::Result`].
    Held(Exchange),
}

/// Who is on the other side, and what was agreed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Connected {
    /// How versions are conveyed.
    pub era: Era,
    /// The version in use.
    pub version: &'static str,
    /// Whether the verdict should not outlive the connection: it was a guess.
    pub brief: bool,
    /// `serverInfo`, JSON.
    pub server_info: Option<String>,
    /// `capabilities`, JSON.
    pub capabilities: Option<String>,
    /// `instructions`, JSON.
    pub instructions: Option<String>,
    /// The legacy session.
    pub session_id: Option<String>,
}

/// What the application hears.
#[derive(Clone, Debug)]
pub enum Event {
    /// The connection is there.
    Connected(Box<Connected>),
    /// The connection could not be made; the next request tries again.
    ConnectFailed(Box<Failure>),
    /// One page of a list, more follow.
    Page(Call, Payload),
    /// A call's result: its end.
    Result(Call, Payload),
    /// A call's failure: its end.
    Failed(Call, Box<Failure>),
    /// Progress of a call: the notification's `params`. Of a subscription, an object too: `acknowledged` with what of its
    /// filter the server grants when it begins, `method` and `params` of a notification, or `refresh` where it was
    /// interrupted and goes on: anything may have changed meanwhile.
    Progress(Call, String),
    /// Any other notification: method, and `params` where there are some.
    Notification(String, Option<String>),
    /// A request of the server, to be answered while it waits: method, and `params`.
    Request(ServerRequest, String, Option<String>),
    /// A message to be parsed outside, for it is large, or the call wants to hear of its progress: to come back as
    /// [`Input::Result`] or [`Input::Body`]. Progress may be told to the application at once, and come back as
    /// [`Input::Progress`].
    Body(Exchange, String),
    /// Something that nobody waits for went wrong.
    Diagnostic(Box<Failure>),
    /// A message of the peer, before anything is made of it; only where [`Options::observes`](super::Options::observes).
    Message(String),
    /// Where results are kept outside: look up what is kept for the call, and give it in as [`Input::Kept`]. What belongs
    /// to the same endpoint, user, method and resource goes together, in parts: the pages of a list. This is the part.
    Lookup(Call, String),
    /// Keep a part: the text, for so many milliseconds; for none: forget the part.
    Keep(Call, String, String, Millis),
    /// Forget what is kept of that method for any user: where a URI follows, of that resource, of those inside of it, and
    /// of those that it is inside of.
    Forget(String, String),
    /// The connection has ended at the other end; the next request makes another.
    Disconnected(Box<Failure>),
    /// The client is closed; nothing else follows.
    Closed,
}

/// Why the driver is to wait.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reason {
    /// Nothing is going on.
    Idle,
    /// A deadline comes.
    Deadline,
}

/// What to do.
#[derive(Clone, Debug)]
pub enum Output {
    /// Send this.
    Send(Box<Outbound>),
    /// Read the body of an answer like this.
    Read(Exchange, Read),
    /// Give in the parameters of the call; headers are made from them.
    Mirror(Call),
    /// From now on POSTs go to this URL; to the client's own where there is none.
    Endpoint(Option<String>),
    /// Stop: let go of what belongs to the exchange; nothing more is wanted of it.
    Abort(Exchange),
    /// Tell the application.
    Event(Event),
    /// Nothing else to do until then, or until something happens.
    Wait {
        /// When [`Input::Time`] is due.
        until: Option<Millis>,
        /// Why.
        reason: Reason,
    },
}
