//! An asynchronous client over the state machine, for any transport, timer and executor.
//!
//! It moves bytes between the core and a [`Transport`] and decides nothing. It needs one thread
//! (in a page: `spawn_local`; with tokio: a `LocalSet`), and any number of calls may be under way at
//! once. Dropping a call's future cancels the call; dropping the client lets go of everything.
//!
//! `examples/reqwest` is a native program over reqwest and tokio; the module `js` has what a Rust front end needs.
//! [`Options::endpoint`] should be set: redirects are followed from there, and the deprecated HTTP+SSE transport is found.

mod call;
mod outputs;
mod pump;
mod task;
mod transport;

pub use call::CallFuture;
pub use task::BoxFuture;
pub use transport::{Answer, Body, Outgoing, Piece, Runtime, Transport};

use super::event::{Connected, RequestOptions};
use super::logging::level_of;
use super::{Failure, Options};
use crate::protocol::json::{Raw, quote};
use crate::protocol::method;
use crate::protocol::version::Era;
use pump::Pump;
use std::rc::Rc;

/// A result, or why there is none.
pub type Outcome<T> = Result<T, Failure>;

/// A function of the application that is told something.
pub type Hook<T> = Rc<dyn Fn(T)>;

/// Answers a request of a legacy server: method and `params` in; a result, or an error's code and message, out.
pub type Answerer = Rc<dyn Fn(String, Option<String>) -> BoxFuture<'static, Result<String, (i64, String)>>>;

/// Which way a message goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Direction {
    /// To the server.
    Out,
    /// From the server.
    In,
}

/// What the application hears without having asked.
#[derive(Clone, Default)]
pub struct Hooks {
    /// Notifications: method, and `params` as JSON.
    pub notification: Option<Hook<(String, Option<String>)>>,
    /// What went wrong where nobody waits for it.
    pub error: Option<Hook<Failure>>,
    /// Every message as it goes out or comes in, JSON: for those who look on.
    pub message: Option<Hook<(Direction, String)>>,
    /// The connection has ended at the other end, and why; the next request makes another. (A session over HTTP that
    /// the server has forgotten; a channel that is gone.)
    pub disconnected: Option<Hook<Failure>>,
    /// Requests of a legacy server; [`Options::handled`] names those that it answers.
    pub request: Option<Answerer>,
}

/// A client that is awaited. Clones are the same client.
#[derive(Clone)]
pub struct AsyncClient {
    inner: Rc<Pump>,
}

impl AsyncClient {
    /// A client that has not connected. Nothing is sent.
    pub fn new(
        options: Options,
        transport: impl Transport + 'static,
        runtime: impl Runtime + 'static,
        hooks: Hooks,
    ) -> Self {
        Self { inner: Pump::new(options, Box::new(transport), Box::new(runtime), hooks) }
    }

    /// Connects and finds out the era; does nothing where that is done.
    ///
    /// # Errors
    ///
    /// Why there is no connection; the next call tries again.
    pub async fn connect(&self) -> Outcome<Connected> {
        self.connect_with(None).await
    }

    /// [`AsyncClient::connect`] with a stored verdict, the JSON object that an earlier connection gave: nothing is asked
    /// where it holds.
    ///
    /// # Errors
    ///
    /// As [`AsyncClient::connect`].
    pub async fn connect_with(&self, prior: Option<&str>) -> Outcome<Connected> {
        if let (Some(connected), Some(_)) = (self.connected(), self.era()) {
            return Ok(connected);
        }
        let slot = self.inner.connecting();
        self.inner.drive(|core, now| match prior.and_then(|prior| Raw::parse(prior.as_bytes()).ok()) {
            Some(prior) => core.connect_with(prior, now),
            None => core.connect(now),
        });
        std::future::poll_fn(|context| slot.borrow_mut().poll(context)).await
    }

    /// What the handshake found.
    pub fn connected(&self) -> Option<Connected> {
        self.inner.connected()
    }

    /// The era in use, once that is settled.
    pub fn era(&self) -> Option<Era> {
        self.inner.era()
    }

    /// Sends a request and waits for its result, a JSON object. `params` is a JSON object too; its `_meta` is kept.
    pub fn request(&self, method: &str, params: Option<&str>) -> CallFuture {
        self.request_with(method, params, RequestOptions::default(), None)
    }

    /// [`AsyncClient::request`] with timeouts, and with a hook for its progress (the notification's `params`).
    pub fn request_with(
        &self,
        method: &str,
        params: Option<&str>,
        options: RequestOptions,
        progress: Option<Hook<String>>,
    ) -> CallFuture {
        CallFuture::begin(&self.inner, method, params, options, progress, false)
    }

    /// Sends a notification; done when it is delivered.
    ///
    /// # Errors
    ///
    /// Why it could not be delivered.
    pub async fn notify(&self, method: &str, params: Option<&str>) -> Outcome<()> {
        let options = RequestOptions::default();
        CallFuture::begin(&self.inner, method, params, options, None, true).await.map(|_| ())
    }

    /// Subscribes to what `filter` names, a JSON object: `toolsListChanged`, `promptsListChanged`, `resourcesListChanged`
    /// and `resourceSubscriptions`. The hook hears of it, as [`Event::Progress`](super::Event::Progress) says; the future
    /// gives `{}` when the server has ended it. Dropping the future ends it.
    pub fn subscribe(&self, filter: &str, told: Hook<String>) -> CallFuture {
        CallFuture::subscribe(&self.inner, filter, told)
    }

    /// The whole list of tools, all pages.
    pub fn list_tools(&self) -> CallFuture {
        self.list(method::TOOLS_LIST)
    }

    /// The whole list of resources, all pages.
    pub fn list_resources(&self) -> CallFuture {
        self.list(method::RESOURCES_LIST)
    }

    /// The whole list of resource templates, all pages.
    pub fn list_resource_templates(&self) -> CallFuture {
        self.list(method::RESOURCES_TEMPLATES_LIST)
    }

    /// The whole list of prompts, all pages.
    pub fn list_prompts(&self) -> CallFuture {
        self.list(method::PROMPTS_LIST)
    }

    fn list(&self, method: &str) -> CallFuture {
        self.request_with(method, None, RequestOptions { walk: true, ..RequestOptions::default() }, None)
    }

    /// Calls a tool; `arguments` is a JSON object.
    pub fn call_tool(&self, name: &str, arguments: &str) -> CallFuture {
        self.request(method::TOOLS_CALL, Some(&named(name, arguments)))
    }

    /// Reads a resource.
    pub fn read_resource(&self, uri: &str) -> CallFuture {
        self.request(method::RESOURCES_READ, Some(&["{\"uri\":", &quote(uri), "}"].concat()))
    }

    /// Gets a prompt; `arguments` is a JSON object of strings.
    pub fn get_prompt(&self, name: &str, arguments: &str) -> CallFuture {
        self.request(method::PROMPTS_GET, Some(&named(name, arguments)))
    }

    /// Sets the level from which on log messages are wanted, one of [`LOG_LEVELS`](super::LOG_LEVELS): with every modern
    /// request from here on; a legacy server that logs is told, in later sessions too.
    pub fn set_log_level(&self, level: &str) -> CallFuture {
        let options = RequestOptions { log_level: level_of(level), ..RequestOptions::default() };
        self.request_with(method::LOGGING_SET_LEVEL, Some(&["{\"level\":", &quote(level), "}"].concat()), options, None)
    }

    /// Ends everything: calls fail with `CLOSED`, a session is ended.
    pub async fn close(&self) {
        self.inner.drive(|core, now| core.close(now));
        let slot = self.inner.closed();
        std::future::poll_fn(|context| slot.borrow_mut().poll(context)).await;
    }
}

/// The parameters of a tool or prompt, as JSON.
fn named(name: &str, arguments: &str) -> String {
    ["{\"name\":", &quote(name), ",\"arguments\":", arguments, "}"].concat()
}
