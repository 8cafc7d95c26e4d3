//! The dual-era client as a state machine.
//!
//! ```text
//! connect / request / notify / cancel / close / handle_input(Input, now)  ->  poll_output() -> Output
//! ```
//!
//! - [`event`]: the vocabulary: everything that goes in and comes out
//! - [`negotiation`]: which era a server speaks, as a pure table
//! - [`options`]: what a client is made with
//! - [`redirect`]: which redirects are followed
//! - [`error`]: why something failed
//! - [`driver`]: the same as an asynchronous client, for any transport and executor
//!
//! One client serves any number of calls at once. Every call ends exactly once:
//! with [`Event::Result`] or [`Event::Failed`], or by the caller's own [`Client::cancel`].

pub mod driver;
pub mod error;
pub mod event;
pub mod negotiation;
pub mod options;

mod answer;
mod cache;
mod elicitation;
mod ending;
mod envelope;
mod filter;
mod http;
mod http_sse;
mod incoming;
mod input;
mod lists;
mod logging;
mod lost;
mod mirror;
mod opening;
mod pending;
mod prior;
pub mod redirect;
mod retry;
mod sending;
mod streams;
mod subscriptions;
mod table;

pub use cache::{MAX_ENTRIES, MAX_TTL, STORE_TIMEOUT};
pub use error::{Code, Failure};
pub use event::{
    CacheMode, Call, Channel, Connected, Event, Exchange, Head, Header, Input, Millis, Outbound, Output, Params,
    Payload, Read, Reason, Request, RequestOptions, ResultType, ServerRequest, Verb,
};
pub use http::ERROR_BODY_BYTES;
pub use http_sse::ENDPOINT_TIMEOUT;
pub use input::MAX_ROUNDS;
pub use lists::{list_member, merge_pages};
pub use logging::LOG_LEVELS;
pub use options::{Caching, Options};
pub use pending::MAX_PAGES;
pub use retry::MAX_RETRIES;
pub use streams::MAX_ATTEMPTS;

use crate::protocol::envelope::Stamp;
use crate::protocol::version::Era;
use crate::streamable_http::param_headers::HeaderParam;
use cache::Cache;
use input::Asked;
use opening::Opening;
use pending::{Flight, Pending};
use std::collections::VecDeque;
use streams::Listening;
use subscriptions::{Subscription, Subscriptions};
use table::Table;

/// How long the end of a session may take.
///
/// A server that does not answer must not keep a program from ending.
pub const CLOSE_TIMEOUT: Millis = 5_000;

/// A client of one server.
pub struct Client {
    options: Options,
    state: State,
    calls: Table<Call, Pending>,
    exchanges: Table<Exchange, Flight>,
    outputs: VecDeque<Output>,
    last_call: u32,
    last_exchange: u32,
    last_id: u32,
    last_probe: u32,
    last_server_request: u32,
    /// The questions that the application has not answered yet.
    server_requests: Table<ServerRequest, Asked>,
    listening: Option<Listening>,
    /// The stream of the deprecated HTTP+SSE transport, while there is one.
    event_stream: Option<Exchange>,
    /// The server has had one.
    has_event_stream: bool,
    /// The requests that we make for ourselves.
    own: Vec<(Call, Own)>,
    /// Those of them that are over, with why where they failed.
    ended: Vec<(Call, Own, Option<Failure>)>,
    subscriptions: Subscriptions,
    cache: Cache,
    /// The legacy version that was spoken over a channel that is gone.
    known: Option<&'static str>,
    /// Counts connections, so that an answer can be told to belong to an earlier one.
    connection: u32,
    /// The parameters that tools mirror into headers, by tool; only tools that have some.
    mirrored: Vec<(String, Vec<HeaderParam>)>,
    /// The tools that may be called again without harm, as their hints have it; none unless calls are retried.
    harmless: Vec<String>,
    /// When the next deadline is due at the latest; it may have gone meanwhile.
    wake: Option<Millis>,
}

/// What we make a request for.
#[derive(Clone, Copy, Debug)]
enum Own {
    /// The list of tools, for which that call waits.
    Tools(Call),
    /// To hear of changes.
    Listen,
    /// To hear of changes of one resource.
    Resource,
    /// To hear log messages of that level and above.
    Level,
}

enum State {
    Idle,
    Opening(Box<Opening>),
    Ready(Box<Session>),
    /// The session is being ended.
    Closing,
    Closed,
}

/// What a connection has settled.
struct Session {
    era: Era,
    version: &'static str,
    session_id: Option<String>,
    /// Modern only.
    stamp: Option<Stamp>,
    /// It rests on a stored verdict that nothing has confirmed yet.
    assumed: bool,
}

impl Client {
    /// A client that has not connected. Nothing is sent.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            state: State::Idle,
            calls: Table::new(),
            exchanges: Table::new(),
            outputs: VecDeque::new(),
            last_call: 0,
            last_exchange: 0,
            last_id: 0,
            last_probe: 0,
            last_server_request: 0,
            server_requests: Table::new(),
            listening: None,
            own: Vec::new(),
            ended: Vec::new(),
            subscriptions: Subscriptions::default(),
            cache: Cache::default(),
            known: None,
            event_stream: None,
            has_event_stream: false,
            connection: 0,
            mirrored: Vec::new(),
            harmless: Vec::new(),
            wake: None,
        }
    }

    /// Connects, unless that is done or under way. [`Event::Connected`] or [`Event::ConnectFailed`] follows
    /// if it was not done.
    pub fn connect(&mut self, now: Millis) {
        match self.state {
            State::Idle => match self.known.take() {
                Some(version) => self.open_legacy(version, true, now),
                None => self.open(now),
            },
            State::Closing | State::Closed => {
                let failure = Box::new(closed());
                self.tell(Event::ConnectFailed(failure));
            }
            State::Opening(_) | State::Ready(_) => {}
        }
    }

    /// Sends a request, as soon as there is a connection; connects if nobody has.
    pub fn request(&mut self, request: &Request<'_>, now: Millis) -> Call {
        self.begin(request, false, None, now)
    }

    /// Sends a notification likewise. Its [`Event::Result`] says that it was delivered.
    pub fn notify(&mut self, request: &Request<'_>, now: Millis) -> Call {
        self.begin(request, true, None, now)
    }

    fn begin(
        &mut self,
        request: &Request<'_>,
        notification: bool,
        subscription: Option<Box<Subscription>>,
        now: Millis,
    ) -> Call {
        self.last_call = self.last_call.wrapping_add(1);
        let call = Call(self.last_call);
        if let State::Closing | State::Closed = self.state {
            self.tell(Event::Failed(call, Box::new(closed())));
            return call;
        }
        let is_request = subscription.is_none();
        self.calls.insert(call, Pending { subscription, ..Pending::new(request, notification) });
        if let State::Ready(_) = self.state {
            if is_request {
                self.dispatch(call, now);
            } else {
                self.settle_subscriptions(now);
            }
        } else {
            self.connect(now);
        }
        call
    }

    /// The caller gives up: the call is over, and no event tells of it. The peer is told as its era wants it.
    pub fn cancel(&mut self, call: Call, reason: Option<&str>, now: Millis) {
        let is_subscription = self.subscription(call).is_some();
        self.give_up(call, reason, now);
        if is_subscription {
            self.settle_subscriptions(now);
        }
    }

    /// Ends everything: calls fail with `CLOSED`, the session is ended, [`Event::Closed`] follows.
    pub fn close(&mut self, now: Millis) {
        if let State::Closing | State::Closed = self.state {
            return;
        }
        let state = std::mem::replace(&mut self.state, State::Closing);
        for exchange in self.exchanges.clear() {
            self.outputs.push_back(Output::Abort(exchange));
        }
        if let State::Opening(_) = state {
            self.tell(Event::ConnectFailed(Box::new(closed())));
        }
        for call in self.calls.clear() {
            self.tell(Event::Failed(call, Box::new(closed())));
        }
        self.ended.clear();
        self.subscriptions.at = None;
        self.server_requests.clear();
        self.listening = None;
        self.event_stream = None;
        match state {
            State::Ready(session) if session.session_id.is_some() => self.terminate(&session, now),
            State::Opening(opening) if opening.session().is_some() => self.terminate(&opening.to_session(), now),
            _ => self.closed(),
        }
    }

    fn closed(&mut self) {
        self.state = State::Closed;
        self.tell(Event::Closed);
    }

    /// Every request fails with the same failure.
    fn fail_all(&mut self, failure: &Failure) {
        for call in self.calls.keys() {
            if self.calls.get(call).is_some_and(|pending| pending.subscription.is_none()) {
                self.fail_call(call, failure.clone());
            }
        }
    }

    /// The URL of the server, where the options have it.
    pub(super) fn endpoint(&self) -> Option<&str> {
        self.options.endpoint.as_deref()
    }

    /// The era in use, once that is settled.
    pub fn era(&self) -> Option<Era> {
        match &self.state {
            State::Ready(session) => Some(session.era),
            _ => None,
        }
    }

    /// Takes what has happened.
    pub fn handle_input(&mut self, input: Input<'_>, now: Millis) {
        match input {
            Input::Head(exchange, head) => self.on_head(exchange, &head, now),
            Input::Body(exchange, bytes) => self.on_body(exchange, bytes, now),
            Input::Result { exchange, result_type, next_cursor } => {
                self.on_held_result(exchange, result_type, next_cursor, now);
            }
            Input::Chunk(exchange, bytes) => self.on_chunk(exchange, bytes, now),
            Input::Progress(exchange) => self.on_outside_progress(exchange, now),
            Input::Message(exchange, bytes) => self.on_message_bytes(exchange, bytes, now),
            Input::End(exchange) => self.on_end(exchange, now),
            Input::Failed(exchange, message) => self.on_failed(exchange, message, now),
            Input::Lost(message) => self.on_lost(message, now),
            Input::Orphaned(exchange) => self.on_orphaned(exchange, now),
            Input::Arguments(call, bytes) => self.on_arguments(call, bytes, now),
            Input::Answer(request, result) => self.on_answer(request, Ok(result), now),
            Input::Refusal(request, code, message) => self.on_answer(request, Err((code, message)), now),
            Input::Kept(call, text) => self.on_looked_up(call, text, now),
            Input::Time => self.on_time(now),
        }
        while let Some((call, own, failure)) = self.ended.pop() {
            match own {
                // What waited for it goes out again, however the list came out.
                Own::Tools(waiting) => self.dispatch(waiting, now),
                Own::Listen => self.on_stream_ended(failure, now),
                Own::Resource => self.on_resource_answered(call, failure, now),
                Own::Level => self.outputs.extend(failure.map(|why| Output::Event(Event::Diagnostic(Box::new(why))))),
            }
        }
    }

    /// What to do next; [`Output::Wait`] when nothing is left to do.
    pub fn poll_output(&mut self) -> Output {
        if let Some(output) = self.outputs.pop_front() {
            return output;
        }
        let idle = self.calls.is_empty() && self.exchanges.is_empty() && self.listening.is_none();
        if idle && self.subscriptions.at.is_none() {
            self.wake = None;
        }
        Output::Wait { until: self.wake, reason: if self.wake.is_some() { Reason::Deadline } else { Reason::Idle } }
    }

    fn tell(&mut self, event: Event) {
        if let Event::Result(call, _) | Event::Failed(call, _) | Event::Page(call, _) = &event
            && let Some(at) = self.own.iter().position(|(own, _)| own == call)
        {
            if !matches!(event, Event::Page(..)) {
                let (call, own) = self.own.swap_remove(at);
                let failure = if let Event::Failed(_, failure) = event { Some(*failure) } else { None };
                self.ended.push((call, own, failure));
            }
            return;
        }
        self.outputs.push_back(Output::Event(event));
    }

    /// Makes sure that [`Input::Time`] is asked for at that time.
    fn arm(&mut self, deadline: Millis) {
        self.wake = Some(self.wake.map_or(deadline, |wake| wake.min(deadline)));
    }

    fn on_time(&mut self, now: Millis) {
        let due = |deadline: Option<Millis>| deadline.is_some_and(|deadline| deadline <= now);
        let exchanges: Vec<_> =
            self.exchanges.iter().filter(|(_, flight)| due(flight.deadline)).map(|(key, _)| key).collect();
        for exchange in exchanges {
            self.on_exchange_timeout(exchange, now);
        }
        let calls: Vec<_> =
            self.calls.iter().filter(|(_, call)| due(call.deadline) || due(call.limit)).map(|(key, _)| key).collect();
        for call in calls {
            self.on_call_timeout(call, now);
        }
        let put_off: Vec<_> = self
            .calls
            .iter()
            .filter(|(_, call)| due(call.later.as_ref().map(|later| later.0)))
            .map(|(key, _)| key)
            .collect();
        for call in put_off {
            self.on_later(call, now);
        }
        self.on_listening_due(now);
        self.on_subscriptions_due(now);
        let deadlines = self.exchanges.iter().filter_map(|(_, flight)| flight.deadline);
        let later = |call: &Pending| call.later.as_ref().map(|later| later.0);
        let calls = self.calls.iter().flat_map(|(_, call)| [call.deadline, call.limit, later(call)]).flatten();
        let listening = self.listening.as_ref().and_then(|listening| listening.at);
        self.wake = deadlines.chain(calls).chain(listening).chain(self.subscriptions.at).min();
    }

    fn on_call_timeout(&mut self, call: Call, now: Millis) {
        let Some(pending) = self.calls.get(call) else { return };
        if pending.looked {
            return self.on_looked_up(call, "", now);
        }
        let whole = pending.limit.is_some_and(|limit| limit <= now);
        let millis = if whole {
            pending.options.max_total.unwrap_or_default()
        } else {
            pending.options.timeout.unwrap_or(self.options.timeout)
        };
        let mut message = [&pending.method, ": no answer within ", &millis.to_string(), " ms"].concat();
        let has_begun =
            pending.exchange.and_then(|exchange| self.exchanges.get(exchange)).is_none_or(|flight| flight.begun);
        if self.options.browser && !has_begun {
            message
                .push_str("; over HTTP/1.1 a browser keeps requests waiting while it has six streams open to a host");
        }
        self.give_up(call, Some("timed out"), now);
        self.tell(Event::Failed(call, Box::new(Failure::new(Code::TimedOut, message))));
    }
}

fn closed() -> Failure {
    Failure::new(Code::Closed, "the client is closed")
}
