//! One call as a future.

use super::outputs::Role;
use super::pump::Pump;
use super::task::Slot;
use super::{Hook, Outcome};
use crate::client::event::{Call, Params, Request, RequestOptions};
use crate::client::{Code, Failure, list_member};
use crate::protocol::json::{Raw, Writer};
use crate::protocol::method::name_source;
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// A call that is under way; gives its result, a JSON object. Dropping it cancels the call.
#[must_use = "a call is cancelled when its future is dropped"]
pub struct CallFuture {
    pump: Rc<Pump>,
    call: Option<Call>,
    slot: Rc<RefCell<Slot<Outcome<String>>>>,
}

/// What is known of a call until its end.
pub(super) struct Running {
    pub(super) call: Call,
    pub(super) slot: Rc<RefCell<Slot<Outcome<String>>>>,
    /// The member that holds the items, for lists.
    pub(super) member: Option<&'static str>,
    pub(super) pages: Vec<String>,
    pub(super) progress: Option<Hook<String>>,
    pub(super) role: Role,
}

impl CallFuture {
    pub(super) fn begin(
        pump: &Rc<Pump>,
        method: &str,
        params: Option<&str>,
        mut options: RequestOptions,
        progress: Option<Hook<String>>,
        notification: bool,
    ) -> Self {
        let slot = Rc::new(RefCell::new(Slot::default()));
        let parts = match Parts::read(method, params) {
            Ok(parts) => parts,
            Err(message) => {
                slot.borrow_mut().fill(Err(Failure::new(Code::InvalidArgument, message)));
                return Self { pump: Rc::clone(pump), call: None, slot };
            }
        };
        options.progress |= progress.is_some();
        let request = Request {
            method,
            params: if parts.members.is_empty() { Params::None } else { Params::Text(&parts.members) },
            meta: parts.meta.as_deref(),
            name: parts.name.as_deref(),
            options,
        };
        let member = list_member(method).filter(|_| options.walk);
        let role = pump.role(method, parts.name.as_deref(), parts.is_more);
        let running = |call| Running { call, slot: Rc::clone(&slot), member, pages: Vec::new(), progress, role };
        let call = pump.begin(
            |core, now| if notification { core.notify(&request, now) } else { core.request(&request, now) },
            running,
        );
        Self { pump: Rc::clone(pump), call: Some(call), slot }
    }

    pub(super) fn subscribe(pump: &Rc<Pump>, filter: &str, told: Hook<String>) -> Self {
        let slot = Rc::new(RefCell::new(Slot::default()));
        let filter = Raw::parse(filter.as_bytes()).unwrap_or(Raw::EMPTY_OBJECT);
        let progress = Some(told);
        let role = Role::None;
        let running = |call| Running { call, slot: Rc::clone(&slot), member: None, pages: Vec::new(), progress, role };
        let call = pump.begin(|core, now| core.subscribe(filter, now), running);
        Self { pump: Rc::clone(pump), call: Some(call), slot }
    }
}

impl Future for CallFuture {
    type Output = Outcome<String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = self.slot.borrow_mut().poll(context);
        if outcome.is_ready() {
            self.call = None;
        }
        outcome
    }
}

impl Drop for CallFuture {
    fn drop(&mut self) {
        if let Some(call) = self.call {
            self.pump.cancel(call);
        }
    }
}

/// Parameters as the core takes them.
struct Parts {
    /// The members but for `_meta`, without braces.
    members: String,
    meta: Option<String>,
    name: Option<String>,
    /// Whether there is a `cursor`.
    is_more: bool,
}

impl Parts {
    fn read(method: &str, params: Option<&str>) -> Result<Self, String> {
        let Some(params) = params else {
            return Ok(Self { members: String::new(), meta: None, name: None, is_more: false });
        };
        let expected = |what: &str| [method, ": the parameters must be a JSON object, not ", what].concat();
        let raw = Raw::parse(params.as_bytes()).map_err(|error| expected(&error.to_string()))?;
        if !raw.is_object() {
            return Err(expected("another value"));
        }
        let mut out = Writer::new();
        out.open_object();
        for (key, value) in raw.members().filter(|(key, _)| !key.is("_meta")) {
            out.name(&key.name()).value(value);
        }
        let members = out.finish().get(1..).unwrap_or_default().to_owned();
        let meta = raw.get_present("_meta").map(|meta| meta.as_text().to_owned());
        let name = name_source(method).and_then(|source| raw.get_str(source.member()));
        let is_more = raw.get_present("cursor").is_some();
        Ok(Self { members, meta, name: name.map(|name| name.into_owned()), is_more })
    }
}
