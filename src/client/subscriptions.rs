//! Subscriptions: what the application wants to hear of, in either era.
//!
//! In the modern era one `subscriptions/listen` is open for all of them: a browser has only six connections to a host.
//! Where more is wanted than it asks for, another one takes its place. In the legacy era lists are told of without asking,
//! and each resource is subscribed to by itself.
//!
//! Pages: 2026-07-28, basic/patterns/subscriptions; 2025-11-25, server/resources, "Subscriptions".

use super::event::{CacheMode, Millis, Params, Request, RequestOptions};
use super::filter::{self, Filter};
use super::pending::Pending;
use super::streams::backoff;
use super::{Call, Client, Code, Event, Exchange, Failure, Own, Payload};
use crate::protocol::json::{Raw, Writer, quote};
use crate::protocol::version::Era;
use crate::protocol::{meta, method};

/// What is done for the subscriptions of the application.
#[derive(Default)]
pub(super) struct Subscriptions {
    /// What the server says that it can do, JSON.
    pub(super) capabilities: Option<String>,
    /// Modern: the request that is open.
    stream: Option<Stream>,
    /// Legacy: the resources that are subscribed to, with the request where that is still open.
    resources: Vec<(String, Option<Call>)>,
    /// When it is tried again.
    pub(super) at: Option<Millis>,
    attempts: u32,
}

struct Stream {
    call: Call,
    asked: Filter,
    granted: Option<Filter>,
}

/// What makes a call a subscription.
pub(super) struct Subscription {
    filter: Filter,
    /// It has been acknowledged.
    begun: bool,
    /// It has been interrupted since: changes may have been missed.
    missed: bool,
}

impl Client {
    /// Subscribes, as soon as there is a connection; connects if nobody has. `filter` is what the specification calls a
    /// subscription's `notifications`. [`Event::Progress`] tells of it, [`Event::Result`] says that the server has ended
    /// it, [`Event::Failed`] that it could not be had, or not be had again; [`Client::cancel`] ends it. A connection that
    /// breaks does not: it is subscribed to again.
    pub fn subscribe(&mut self, filter: Raw<'_>, now: Millis) -> Call {
        match filter::read(filter) {
            Ok(filter) => {
                let subscription = Box::new(Subscription { filter, begun: false, missed: false });
                self.begin(&request_of(method::SUBSCRIPTIONS_LISTEN, ""), false, Some(subscription), now)
            }
            Err(message) => {
                self.last_call = self.last_call.wrapping_add(1);
                let call = Call(self.last_call);
                self.tell(Event::Failed(call, Box::new(Failure::new(Code::InvalidArgument, message))));
                call
            }
        }
    }

    pub(super) fn subscription(&mut self, call: Call) -> Option<&mut Subscription> {
        self.calls.get_mut(call)?.subscription.as_deref_mut()
    }

    pub(super) fn has_subscriptions(&self) -> bool {
        self.calls.iter().any(|(_, pending)| pending.subscription.is_some())
    }

    /// Asks for what is wanted and not yet asked for, gives up what is not wanted, tells who has what.
    pub(super) fn settle_subscriptions(&mut self, now: Millis) {
        let Some(era) = self.era() else { return };
        self.subscriptions.at = None;
        let mut wanted = Filter::new();
        for (_, pending) in self.calls.iter() {
            for item in pending.subscription.iter().flat_map(|subscription| &subscription.filter) {
                if !wanted.contains(item) && self.is_declared(item) {
                    wanted.push(item.clone());
                }
            }
        }
        match era {
            Era::Modern => self.settle_stream(wanted, now),
            Era::Legacy => self.settle_resources(&wanted, now),
        }
        self.tell_subscribed();
    }

    fn is_declared(&self, item: &str) -> bool {
        filter::is_declared(self.subscriptions.capabilities.as_deref(), item)
    }

    fn settle_stream(&mut self, wanted: Filter, now: Millis) {
        if let Some(stream) = &self.subscriptions.stream {
            if !wanted.is_empty() && wanted.iter().all(|item| stream.asked.contains(item)) {
                return;
            }
            let call = stream.call;
            self.lose_stream();
            self.give_up(call, None, now);
        }
        if !wanted.is_empty() {
            let mut out = Writer::new();
            out.name("notifications");
            filter::write(&mut out, &wanted);
            let call = self.request_own(method::SUBSCRIPTIONS_LISTEN, &out.finish(), Own::Listen, now);
            self.subscriptions.stream = Some(Stream { call, asked: wanted, granted: None });
        }
    }

    fn settle_resources(&mut self, wanted: &Filter, now: Millis) {
        if !wanted.is_empty() {
            self.listen();
        } else if !self.options.listens {
            self.stop_listening();
        }
        for uri in wanted.iter().filter(|item| !filter::is_list(item)) {
            if !self.subscriptions.resources.iter().any(|(own, _)| own == uri) {
                let call = self.request_resource(method::RESOURCES_SUBSCRIBE, uri, now);
                self.subscriptions.resources.push((uri.clone(), Some(call)));
            }
        }
        while let Some(at) = self.subscriptions.resources.iter().position(|(uri, _)| !wanted.contains(uri)) {
            let (uri, _) = self.subscriptions.resources.swap_remove(at);
            self.request_resource(method::RESOURCES_UNSUBSCRIBE, &uri, now);
        }
    }

    fn request_resource(&mut self, method: &str, uri: &str, now: Millis) -> Call {
        self.request_own(method, &["\"uri\":", &quote(uri)].concat(), Own::Resource, now)
    }

    /// Sends a request for ourselves.
    pub(super) fn request_own(&mut self, method: &str, params: &str, own: Own, now: Millis) -> Call {
        self.own.push((Call(self.last_call.wrapping_add(1)), own));
        self.request(&request_of(method, params), now)
    }

    /// The stream is no more: whatever was subscribed to may change unnoticed from here on.
    fn lose_stream(&mut self) {
        let lost = self.subscriptions.stream.take();
        if let Some(at) = lost.and_then(|stream| self.own.iter().position(|(call, _)| *call == stream.call)) {
            self.own.swap_remove(at);
        }
        for (_, pending) in self.calls.iter_mut() {
            if let Some(subscription) = &mut pending.subscription {
                subscription.missed = subscription.begun;
            }
        }
    }

    /// Tells every subscription what it has, if that is new and known.
    fn tell_subscribed(&mut self) {
        let granted = match (&self.subscriptions.stream, self.era()) {
            (Some(Stream { granted: None, .. }), _) | (_, None) => return,
            (Some(Stream { granted, .. }), _) => granted.clone(),
            (None, Some(Era::Modern)) => Some(Filter::new()),
            (None, _) if self.subscriptions.resources.iter().any(|(_, call)| call.is_some()) => return,
            (None, _) => None,
        };
        for call in self.calls.keys() {
            let Some(subscription) = self.calls.get(call).and_then(|call| call.subscription.as_ref()) else { continue };
            if subscription.begun && !subscription.missed {
                continue;
            }
            let is_had =
                |item: &&String| granted.as_ref().map_or_else(|| self.is_declared(item), |own| own.contains(item));
            let had: Filter = subscription.filter.iter().filter(is_had).cloned().collect();
            if !subscription.begun || !had.is_empty() {
                self.tell_begun(call, &had);
            }
            if had.is_empty() {
                self.calls.remove(call);
                self.tell(Event::Result(call, Payload::Text("{}".to_owned())));
            }
        }
    }

    /// It begins, or goes on.
    fn tell_begun(&mut self, call: Call, had: &Filter) {
        let Some(subscription) = self.subscription(call) else { return };
        let mut out = Writer::new();
        out.open_object();
        let is_refresh = subscription.begun;
        if is_refresh {
            out.name("refresh").raw("true");
        } else {
            filter::write(out.name("acknowledged"), had);
        }
        out.close_object();
        subscription.begun = true;
        subscription.missed = false;
        if is_refresh {
            self.forget_results();
        }
        self.tell(Event::Progress(call, out.finish()));
    }

    /// The `subscriptions/listen` is over: by the server, or because something broke.
    pub(super) fn on_stream_ended(&mut self, failure: Option<Failure>, now: Millis) {
        self.lose_stream();
        match failure {
            Some(failure) => self.interrupt_subscriptions(&failure, now),
            None => self.tell_subscribed(),
        }
    }

    /// A legacy server has answered for a resource.
    pub(super) fn on_resource_answered(&mut self, call: Call, failure: Option<Failure>, now: Millis) {
        let resources = &mut self.subscriptions.resources;
        let Some(at) = resources.iter().position(|(_, open)| *open == Some(call)) else { return };
        let Some(failure) = failure else {
            if let Some((_, open)) = resources.get_mut(at) {
                *open = None;
            }
            self.tell_subscribed();
            return;
        };
        let (uri, _) = resources.swap_remove(at);
        for call in self.calls.keys() {
            if self.subscription(call).is_some_and(|subscription| subscription.filter.contains(&uri)) {
                self.fail_call(call, failure.clone());
            }
        }
        self.settle_subscriptions(now);
    }

    /// The connection is gone, or could not be made. What has not begun fails; what has is tried again, later and later,
    /// unless the failure says that it is no use, and nothing more was asked for than what has begun.
    pub(super) fn interrupt_subscriptions(&mut self, failure: &Failure, now: Millis) {
        let is_new = |pending: &Pending| pending.subscription.as_ref().is_some_and(|subscription| !subscription.begun);
        let may_go_on = failure.is_transient() || self.calls.iter().any(|(_, pending)| is_new(pending));
        for call in self.calls.keys() {
            let Some(subscription) = self.subscription(call) else { continue };
            if may_go_on && subscription.begun {
                let at = now.saturating_add(backoff(self.subscriptions.attempts));
                self.subscriptions.at = Some(at);
                self.arm(at);
            } else {
                self.fail_call(call, failure.clone());
            }
        }
        self.lose_stream();
        self.subscriptions.attempts = self.subscriptions.attempts.saturating_add(1);
    }

    /// The stream of a legacy server is there again, but what it has told meanwhile is lost.
    pub(super) fn refresh_subscriptions(&mut self) {
        self.lose_stream();
        self.tell_subscribed();
    }

    /// There is a new connection, which knows nothing of what an earlier one had.
    pub(super) fn renew_subscriptions(&mut self, capabilities: Option<&str>) {
        self.subscriptions.capabilities = capabilities.map(str::to_owned);
        // What is kept outside outlives connections.
        if !self.options.stores {
            self.forget_results();
        }
        while let Some((call, _)) = self.own.pop() {
            self.drop_call(call);
        }
        self.subscriptions.resources.clear();
        self.lose_stream();
    }

    /// What carried the stream is gone: it is asked for again at once. False if the call is not that.
    pub(super) fn restart_stream(&mut self, call: Call, now: Millis) -> bool {
        if self.subscriptions.stream.as_ref().is_none_or(|stream| stream.call != call) {
            return false;
        }
        self.lose_stream();
        self.drop_call(call);
        self.settle_subscriptions(now);
        true
    }

    pub(super) fn on_subscriptions_due(&mut self, now: Millis) {
        if self.subscriptions.at.is_some_and(|at| at <= now) {
            self.subscriptions.at = None;
            self.connect(now);
            self.settle_subscriptions(now);
        }
    }

    /// A notification that may belong to subscriptions.
    pub(super) fn on_change(&mut self, exchange: Exchange, method: &str, params: Option<Raw<'_>>) {
        let is_modern = self.era() == Some(Era::Modern);
        if is_modern && !self.is_of_stream(exchange, params) {
            return;
        }
        if is_modern && method == method::SUBSCRIPTIONS_ACKNOWLEDGED {
            self.on_acknowledged(params);
            return;
        }
        let uri = params.and_then(|params| params.get_str("uri"));
        for call in self.calls.keys() {
            let Some(subscription) = self.subscription(call) else { continue };
            // A server may tell of a resource by telling of something inside of it.
            let is_meant = |item: &String| match &uri {
                Some(uri) if method == method::RESOURCES_UPDATED => uri.starts_with(item.as_str()),
                _ => item == method,
            };
            if subscription.filter.iter().any(is_meant) {
                let mut out = Writer::new();
                out.open_object().name("method").string(method);
                if let Some(params) = params {
                    out.name("params").value(params);
                }
                out.close_object();
                self.tell(Event::Progress(call, out.finish()));
            }
        }
    }

    /// Whether a notification belongs to the stream: it came on it, or where all share a channel, it names its id. Our ids
    /// are numbers, so a server that makes text of them is still understood.
    fn is_of_stream(&mut self, exchange: Exchange, params: Option<Raw<'_>>) -> bool {
        let Some(stream) = &self.subscriptions.stream else { return false };
        let id = params.and_then(|params| params.get("_meta")).and_then(|meta| meta.get(meta::SUBSCRIPTION_ID));
        let own = self.calls.get(stream.call).map(|pending| pending.id.to_string()).unwrap_or_default();
        let is_named = id.is_some_and(|id| id.as_text() == own || id.as_str().is_some_and(|id| id == own));
        if is_named || self.call_of(exchange) != Some(stream.call) {
            return is_named;
        }
        let message = "a notification of a subscription does not carry its id in _meta";
        self.tell(Event::Diagnostic(Box::new(Failure::new(Code::InvalidMessage, message))));
        id.is_none()
    }

    fn on_acknowledged(&mut self, params: Option<Raw<'_>>) {
        let granted = params.and_then(|params| params.get("notifications")).unwrap_or(Raw::EMPTY_OBJECT);
        let Some(stream) = &mut self.subscriptions.stream else { return };
        stream.granted = Some(filter::read(granted).unwrap_or_default());
        self.subscriptions.attempts = 0;
        if let Some(pending) = self.calls.get_mut(stream.call) {
            // From here on it may stay silent for ever.
            pending.deadline = None;
        }
        self.tell_subscribed();
    }
}

/// A request of our own.
fn request_of<'a>(method: &'a str, params: &'a str) -> Request<'a> {
    Request {
        method,
        params: if params.is_empty() { Params::None } else { Params::Text(params) },
        meta: None,
        name: None,
        options: RequestOptions {
            walk: method == method::TOOLS_LIST,
            cache: CacheMode::Refresh,
            ..RequestOptions::default()
        },
    }
}
