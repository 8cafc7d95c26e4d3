//! What is in flight: calls, and the exchanges that carry them.

use super::event::{Call, Exchange, Millis, Params, Request, RequestOptions};
use super::subscriptions::Subscription;
use crate::streamable_http::sse::Parser;

/// How many pages a list may have: a server that never ends its list is stopped there.
/// At the usual fifty to a hundred items a page that is more than anybody can show.
pub const MAX_PAGES: usize = 1_000;

/// A call from its beginning to its one end.
pub(super) struct Pending {
    pub(super) method: String,
    pub(super) name: Option<String>,
    pub(super) meta: Option<String>,
    /// `None`: the driver holds them.
    pub(super) params: OwnedParams,
    pub(super) options: RequestOptions,
    pub(super) notification: bool,
    /// The id of the request that is out now; 0 while none is.
    pub(super) id: u32,
    pub(super) token: Option<String>,
    pub(super) exchange: Option<Exchange>,
    pub(super) deadline: Option<Millis>,
    /// The end of `max_total`.
    pub(super) limit: Option<Millis>,
    /// The cursors of the pages so far.
    pub(super) cursors: Vec<String>,
    /// Members that a page or a retry adds to `params`.
    pub(super) extra: String,
    /// What is put off, and until when.
    pub(super) later: Option<(Millis, Later)>,
    /// How often in a row its stream was resumed for nothing.
    pub(super) attempts: u32,
    /// It has gone out anew already, after the connection turned out to be another than was thought.
    pub(super) reissued: bool,
    /// How often it has gone out again because its answer was lost.
    pub(super) retries: u32,
    /// How often it was asked for input.
    pub(super) rounds: usize,
    /// What this round asks for, and the answers so far.
    pub(super) inputs: Vec<(String, Option<String>)>,
    /// `requestState` of this round, JSON.
    pub(super) state: Option<String>,
    /// Its result is being looked up where results are kept.
    pub(super) looked: bool,
    /// What had made results invalid when it went out.
    pub(super) generation: u32,
    /// It is no request, but a subscription.
    pub(super) subscription: Option<Box<Subscription>>,
}

/// What a call puts off.
pub(super) enum Later {
    /// To go out again.
    Retry,
    /// To resume its stream behind this event; with the wait that the server asked for.
    Resume(String, Millis),
}

/// Parameters that are kept.
pub(super) enum OwnedParams {
    None,
    Text(String),
    Held,
}

impl OwnedParams {
    pub(super) fn borrow(&self) -> Params<'_> {
        match self {
            Self::None => Params::None,
            Self::Text(text) => Params::Text(text),
            Self::Held => Params::Held,
        }
    }

    /// Those that the core has, as one JSON object; empty where it has none.
    pub(super) fn as_object(&self) -> String {
        if let Self::Text(members) = self { ["{", members, "}"].concat() } else { String::new() }
    }
}

impl Pending {
    pub(super) fn new(request: &Request<'_>, notification: bool) -> Self {
        Self {
            method: request.method.to_owned(),
            name: request.name.map(str::to_owned),
            meta: request.meta.map(str::to_owned),
            params: match request.params {
                Params::None => OwnedParams::None,
                Params::Text(text) => OwnedParams::Text(text.to_owned()),
                Params::Held => OwnedParams::Held,
            },
            options: request.options,
            notification,
            id: 0,
            token: None,
            exchange: None,
            deadline: None,
            limit: None,
            cursors: Vec::new(),
            extra: String::new(),
            later: None,
            attempts: 0,
            reissued: false,
            retries: 0,
            rounds: 0,
            inputs: Vec::new(),
            state: None,
            looked: false,
            generation: 0,
            subscription: None,
        }
    }
}

impl Pending {
    /// Progress has come; `timeout` is the client's.
    pub(super) fn progressed(&mut self, timeout: Millis, now: Millis) {
        if self.options.reset_on_progress {
            self.deadline = Some(now.saturating_add(self.options.timeout.unwrap_or(timeout)));
        }
    }

    /// Whether it goes out as soon as there is a connection: it is not under way already, over an earlier one perhaps,
    /// and waits for nothing else.
    pub(super) fn waits_for_connection(&self) -> bool {
        self.subscription.is_none() && self.exchange.is_none() && self.later.is_none() && self.inputs.is_empty()
    }
}

/// What an exchange is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Purpose {
    /// A step of the opening.
    Opening,
    /// A call's request or notification.
    Call(Call),
    /// A notification or an answer of our own, for which nobody waits.
    Notice,
    /// The stream of what belongs to no request.
    Listen,
    /// The stream over which everything comes, of the deprecated HTTP+SSE transport.
    Events,
    /// Nothing more is wanted, but the stream gets the chance to end by itself, so that its connection can serve again.
    Drain,
    /// The end of the session.
    Terminate,
}

/// One exchange.
pub(super) struct Flight {
    pub(super) purpose: Purpose,
    /// Our request's id, as JSON; empty for what is no request.
    pub(super) id: String,
    pub(super) status: u16,
    pub(super) status_text: String,
    pub(super) content_type: Option<String>,
    pub(super) retry_after: Option<String>,
    pub(super) parser: Option<Parser>,
    /// Something of the answer has come.
    pub(super) begun: bool,
    /// A message has come.
    pub(super) brought: bool,
    /// How often it was sent elsewhere.
    pub(super) hops: u32,
    /// The event that it resumes behind.
    pub(super) resumes: Option<String>,
    /// The wait that was in force for resuming it.
    pub(super) retry: Option<Millis>,
    /// Which connection it went out on; 0 where that settles nothing.
    pub(super) connection: u32,
    pub(super) deadline: Option<Millis>,
}

impl Flight {
    pub(super) fn new(purpose: Purpose, id: String) -> Self {
        Self {
            purpose,
            id,
            status: 0,
            status_text: String::new(),
            content_type: None,
            retry_after: None,
            parser: None,
            begun: false,
            brought: false,
            hops: 0,
            resumes: None,
            retry: None,
            connection: 0,
            deadline: None,
        }
    }

    /// The status, where the channel has one and it is not 2xx.
    pub(super) fn failed_status(&self) -> Option<u16> {
        (self.status != 0 && !matches!(self.status, 200..=299)).then_some(self.status)
    }
}
