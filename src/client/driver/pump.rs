//! Does what the core asks for, and reports what came of it.

use super::call::Running;
use super::outputs::{Outputs, Role};
use super::task::{Slot, Stopper, stoppable};
use super::transport::{Answer, Body, Outgoing, Runtime, Transport};
use super::{BoxFuture, Direction, Hooks, Outcome};
use crate::client::event::{
    Call, Connected, Event, Exchange, Head, Input, Millis, Outbound, Output, Payload, Read, ServerRequest, Verb,
};
use crate::client::{Client, Code, ERROR_BODY_BYTES, Options, merge_pages, redirect};
use crate::protocol::error::METHOD_NOT_FOUND;
use crate::protocol::method::TOOLS_LIST_CHANGED;
use crate::protocol::version::Era;
use crate::streamable_http::headers;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// The longest time that is slept at once: `setTimeout` takes no more. The core is asked again then.
const LONGEST_SLEEP: Millis = 0x7FFF_FFFF;

type Shared<T> = Rc<RefCell<Slot<T>>>;

/// One client: its core and everything that is under way for it.
pub(super) struct Pump {
    core: RefCell<Client>,
    transport: Box<dyn Transport>,
    runtime: Box<dyn Runtime>,
    hooks: Hooks,
    calls: RefCell<Vec<Running>>,
    /// Dropping a stopper ends its exchange.
    exchanges: RefCell<Vec<(Exchange, Stopper)>>,
    /// How to read the body whose head has just been reported.
    reads: RefCell<Vec<(Exchange, Read)>>,
    /// Where POSTs go, if not to where the transport sends them.
    endpoint: RefCell<Option<String>>,
    timer: RefCell<Option<(Millis, Stopper)>>,
    connected: RefCell<Option<Connected>>,
    connecting: RefCell<Shared<Outcome<Connected>>>,
    closed: Shared<()>,
    /// Where results are held against their schemas.
    outputs: Option<RefCell<Outputs>>,
    /// Tasks hold the pump weakly, so that it goes with the last client and call.
    this: Weak<Self>,
}

impl Pump {
    pub(super) fn new(
        mut options: Options,
        transport: Box<dyn Transport>,
        runtime: Box<dyn Runtime>,
        hooks: Hooks,
    ) -> Rc<Self> {
        options.observes = hooks.message.is_some();
        // There is no store to ask here.
        options.stores = false;
        Rc::new_cyclic(|this| Self {
            outputs: options.validate_output.then(RefCell::default),
            core: RefCell::new(Client::new(options)),
            transport,
            runtime,
            hooks,
            calls: RefCell::default(),
            exchanges: RefCell::default(),
            reads: RefCell::default(),
            endpoint: RefCell::default(),
            timer: RefCell::default(),
            connected: RefCell::default(),
            connecting: RefCell::default(),
            closed: Rc::default(),
            this: Weak::clone(this),
        })
    }

    pub(super) fn connected(&self) -> Option<Connected> {
        self.connected.borrow().clone()
    }

    pub(super) fn era(&self) -> Option<Era> {
        self.core.borrow().era()
    }

    pub(super) fn role(&self, method: &str, name: Option<&str>, is_more: bool) -> Role {
        self.outputs.as_ref().map_or(Role::None, |outputs| outputs.borrow().role(method, name, is_more))
    }

    /// A result as the application gets it.
    fn judged(&self, role: &Role, result: String) -> Outcome<String> {
        let judged = self.outputs.as_ref().map_or(Ok(()), |outputs| outputs.borrow_mut().judge(role, &result));
        match judged {
            Err(failure) if failure.code == Code::InvalidDefinition => {
                if let Some(hook) = &self.hooks.error {
                    hook(failure);
                }
                Ok(result)
            }
            judged => judged.map(|()| result),
        }
    }

    /// Where the outcome of the next connecting will be.
    pub(super) fn connecting(&self) -> Shared<Outcome<Connected>> {
        Rc::clone(&self.connecting.borrow())
    }

    pub(super) fn closed(&self) -> Shared<()> {
        Rc::clone(&self.closed)
    }

    /// Gives the core something to do, then does what it asks for.
    pub(super) fn drive<T>(&self, work: impl FnOnce(&mut Client, Millis) -> T) -> T {
        let now = self.runtime.now();
        let out = work(&mut self.core.borrow_mut(), now);
        self.run();
        out
    }

    pub(super) fn begin(
        &self,
        start: impl FnOnce(&mut Client, Millis) -> Call,
        running: impl FnOnce(Call) -> Running,
    ) -> Call {
        let now = self.runtime.now();
        let call = start(&mut self.core.borrow_mut(), now);
        self.calls.borrow_mut().push(running(call));
        self.run();
        call
    }

    pub(super) fn cancel(&self, call: Call) {
        if self.take_call(call).is_some() {
            self.drive(|core, now| core.cancel(call, None, now));
        }
    }

    fn take_call(&self, call: Call) -> Option<Running> {
        let mut calls = self.calls.borrow_mut();
        let at = calls.iter().position(|running| running.call == call)?;
        Some(calls.swap_remove(at))
    }

    fn input(&self, input: Input<'_>) {
        self.drive(|core, now| core.handle_input(input, now));
    }

    /// Does everything that the core asks for. Hooks may come back here: nothing is borrowed meanwhile.
    fn run(&self) {
        loop {
            let output = self.core.borrow_mut().poll_output();
            match output {
                Output::Send(outbound) => self.send(*outbound),
                Output::Read(exchange, read) => self.reads.borrow_mut().push((exchange, read)),
                Output::Abort(exchange) => self.forget(exchange),
                Output::Endpoint(url) => {
                    self.endpoint.replace(url);
                }
                Output::Event(event) => self.tell(event),
                // Parameters are given as text, so the core never asks for them.
                Output::Mirror(_) => {}
                Output::Wait { until, .. } => {
                    self.wait(until);
                    return;
                }
            }
        }
    }

    /// Ends an exchange and everything that it holds.
    fn forget(&self, exchange: Exchange) {
        let mut exchanges = self.exchanges.borrow_mut();
        let at = exchanges.iter().position(|(other, _)| *other == exchange);
        let stopper = at.map(|at| exchanges.swap_remove(at));
        drop(exchanges);
        drop(stopper);
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) -> Stopper {
        let (stopper, task) = stoppable(task);
        self.runtime.spawn(Box::pin(task));
        stopper
    }

    fn wait(&self, until: Option<Millis>) {
        if self.timer.borrow().as_ref().map(|(until, _)| *until) == until {
            return;
        }
        let timer = until.map(|until| {
            let sleep = self.runtime.sleep(until.saturating_sub(self.runtime.now()).min(LONGEST_SLEEP));
            let this = Weak::clone(&self.this);
            let stopper = self.spawn(Box::pin(async move {
                sleep.await;
                if let Some(pump) = this.upgrade() {
                    pump.timer.replace(None);
                    pump.input(Input::Time);
                }
            }));
            (until, stopper)
        });
        self.timer.replace(timer);
    }

    fn send(&self, outbound: Outbound) {
        let Outbound { exchange, verb, headers, body, .. } = outbound;
        let url = if verb == Verb::Post { self.endpoint.borrow().clone() } else { None };
        let outgoing = Outgoing { verb, url, credentials: true, headers, body: body.wrap("") };
        if let Some(hook) = self.hooks.message.as_ref().filter(|_| !outgoing.body.is_empty()) {
            hook((Direction::Out, outgoing.body.clone()));
        }
        // It goes out now, in its order, not when the task comes to run.
        let sending = self.transport.send(outgoing.clone());
        let this = Weak::clone(&self.this);
        let stopper = self.spawn(Box::pin(async move {
            carry(&this, exchange, outgoing, sending).await;
            if let Some(pump) = this.upgrade() {
                pump.forget(exchange);
            }
        }));
        self.exchanges.borrow_mut().push((exchange, stopper));
    }

    fn take_read(&self, exchange: Exchange) -> Read {
        let mut reads = self.reads.borrow_mut();
        let at = reads.iter().position(|(other, _)| *other == exchange);
        at.map_or(Read::Discard, |at| reads.swap_remove(at).1)
    }

    fn tell(&self, event: Event) {
        match event {
            Event::Connected(connected) => {
                self.connected.replace(Some((*connected).clone()));
                self.connecting.take().borrow_mut().fill(Ok(*connected));
            }
            Event::ConnectFailed(failure) => {
                self.connected.replace(None);
                self.connecting.take().borrow_mut().fill(Err(*failure));
            }
            Event::Page(call, payload) => {
                let mut calls = self.calls.borrow_mut();
                if let Some(running) = calls.iter_mut().find(|running| running.call == call) {
                    running.pages.push(text_of(payload));
                }
            }
            Event::Result(call, payload) => {
                if let Some(running) = self.take_call(call) {
                    let result = merged(&running, text_of(payload));
                    let judged = self.judged(&running.role, result);
                    running.slot.borrow_mut().fill(judged);
                }
            }
            Event::Failed(call, failure) => {
                if let Some(running) = self.take_call(call) {
                    running.slot.borrow_mut().fill(Err(*failure));
                }
            }
            Event::Progress(call, params) => {
                if let Some(outputs) = &self.outputs {
                    outputs.borrow_mut().hear(&params);
                }
                let calls = self.calls.borrow();
                let running = calls.iter().find(|running| running.call == call);
                let hook = running.and_then(|running| running.progress.clone());
                drop(calls);
                if let Some(hook) = hook {
                    hook(params);
                }
            }
            Event::Notification(method, params) => {
                if let Some(outputs) = self.outputs.as_ref().filter(|_| method == TOOLS_LIST_CHANGED) {
                    outputs.borrow_mut().forget();
                }
                if let Some(hook) = &self.hooks.notification {
                    hook((method, params));
                }
            }
            Event::Request(request, method, params) => self.answer(request, method, params),
            Event::Body(exchange, text) => {
                let now = self.runtime.now();
                self.core.borrow_mut().handle_input(Input::Body(exchange, text.as_bytes()), now);
            }
            Event::Diagnostic(failure) => {
                if let Some(hook) = &self.hooks.error {
                    hook(*failure);
                }
            }
            Event::Lookup(..) | Event::Keep(..) | Event::Forget(..) => {}
            Event::Message(text) => {
                if let Some(hook) = &self.hooks.message {
                    hook((Direction::In, text));
                }
            }
            Event::Disconnected(failure) => {
                if let Some(hook) = &self.hooks.disconnected {
                    hook(*failure);
                }
            }
            Event::Closed => self.closed.borrow_mut().fill(()),
        }
    }

    /// Lets the application answer a request of the server.
    fn answer(&self, request: ServerRequest, method: String, params: Option<String>) {
        let Some(answerer) = self.hooks.request.clone() else {
            let message = ["Method not found: ", &method].concat();
            let now = self.runtime.now();
            self.core.borrow_mut().handle_input(Input::Refusal(request, METHOD_NOT_FOUND, &message), now);
            return;
        };
        let this = Weak::clone(&self.this);
        self.runtime.spawn(Box::pin(async move {
            let answer = answerer(method, params).await;
            let Some(pump) = this.upgrade() else { return };
            match &answer {
                Ok(result) => pump.input(Input::Answer(request, result)),
                Err((code, message)) => pump.input(Input::Refusal(request, *code, message)),
            }
        }));
    }
}

fn text_of(payload: Payload) -> String {
    match payload {
        Payload::Text(text) => text,
        // Results are given in as bodies, so none is held here.
        Payload::Held(_) => String::new(),
    }
}

fn merged(running: &Running, last: String) -> String {
    let Some(member) = running.member.filter(|_| !running.pages.is_empty()) else { return last };
    let pages: Vec<&str> = running.pages.iter().map(String::as_str).chain([last.as_str()]).collect();
    merge_pages(member, &pages)
}

/// Reports what comes back for an exchange, wherever it is sent.
async fn carry(
    this: &Weak<Pump>,
    exchange: Exchange,
    mut outgoing: Outgoing,
    mut sending: BoxFuture<'static, Result<Answer, String>>,
) {
    while let Some(location) = answer(this, exchange, outgoing.url.as_deref(), sending).await {
        let (url, credentials) = location;
        outgoing.url = Some(url);
        if !credentials {
            outgoing.credentials = false;
            outgoing.headers.retain(|(name, _)| !name.eq_ignore_ascii_case(headers::SESSION_ID));
        }
        let Some(pump) = this.upgrade() else { return };
        sending = pump.transport.send(outgoing.clone());
    }
}

/// Reports one answer; gives where the request goes next, and whether credentials go along.
async fn answer(
    this: &Weak<Pump>,
    exchange: Exchange,
    url: Option<&str>,
    sending: BoxFuture<'static, Result<Answer, String>>,
) -> Option<(String, bool)> {
    let tell = |input: Input<'_>| {
        if let Some(pump) = this.upgrade() {
            pump.input(input);
        }
    };
    match sending.await {
        Err(message) => tell(Input::Failed(exchange, &message)),
        Ok(Answer::Messages(mut body)) => {
            pass_on(&mut *body, exchange, &tell, |bytes| Input::Message(exchange, bytes)).await;
        }
        Ok(Answer::Http { status, status_text, headers: list, mut body }) => {
            let header = |name: &str| {
                list.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
            };
            let own = this.upgrade().and_then(|pump| pump.core.borrow().endpoint().map(str::to_owned));
            let location =
                header("location").and_then(|reference| redirect::absolute(url.or(own.as_deref())?, reference));
            let head = Head {
                status,
                content_type: header("content-type"),
                session_id: header("mcp-session-id"),
                retry_after: header("retry-after"),
                challenge: header("www-authenticate"),
                status_text: Some(status_text.as_str()).filter(|text| !text.is_empty()),
                location: location.as_deref(),
            };
            tell(Input::Head(exchange, head));
            let read = this.upgrade().map_or(Read::Discard, |pump| pump.take_read(exchange));
            let limit = match read {
                Read::Discard => return None,
                Read::Follow { credentials } => return location.map(|location| (location, credentials)),
                Read::Stream => {
                    pass_on(&mut *body, exchange, &tell, |bytes| Input::Chunk(exchange, bytes)).await;
                    return None;
                }
                Read::Error => ERROR_BODY_BYTES,
                Read::Text | Read::Message | Read::Tools => usize::MAX,
            };
            match collect(&mut *body, limit).await {
                Ok(bytes) => tell(Input::Body(exchange, &bytes)),
                Err(message) => tell(Input::Failed(exchange, &message)),
            }
        }
    }
    None
}

/// Reports every piece of a body, and its end.
async fn pass_on(
    body: &mut dyn Body,
    exchange: Exchange,
    tell: &impl Fn(Input<'_>),
    input: impl Fn(&[u8]) -> Input<'_>,
) {
    loop {
        match body.next().await {
            Ok(Some(bytes)) => tell(input(&bytes)),
            Ok(None) => return tell(Input::End(exchange)),
            Err(message) => return tell(Input::Failed(exchange, &message)),
        }
    }
}

/// The beginning of a body: all of it, or the pieces up to the one that reaches the limit.
async fn collect(body: &mut dyn Body, limit: usize) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    while out.len() < limit {
        match body.next().await? {
            Some(bytes) => out.extend_from_slice(&bytes),
            None => break,
        }
    }
    Ok(out)
}
