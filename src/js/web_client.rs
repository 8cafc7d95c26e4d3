//! The asynchronous client for Rust front ends: fetch, `setTimeout` and the microtask queue (feature `web`).
//!
//! ```no_run
//! # async fn main_job() -> Result<(), mcp_duet::client::Failure> {
//! let client = mcp_duet::js::web_client::client("https://example.com/mcp");
//! client.connect().await?;
//! let result = client.call_tool("get_weather", r#"{"city":"北京"}"#).await?;
//! # Ok(())
//! # }
//! ```

use super::error::{HttpDetails, http_error, mcp_error, protocol_error};
use super::fetch::{FetchTransport, global, is_browser};
use crate::client::driver::{AsyncClient, BoxFuture, Hooks, Runtime};
use crate::client::{Code, Failure, Millis, Options, redirect};
use crate::protocol::json::Writer;
use js_sys::{Date, Function, Reflect};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::JsValue;
use wasm_bindgen_futures::spawn_local;

/// A client of the server at `url`, with default options.
pub fn client(url: &str) -> AsyncClient {
    client_with(Options { endpoint: Some(absolute(url)), ..options() }, FetchTransport::new(url), Hooks::default())
}

/// The URL as the page sees it, if it is a relative one.
fn absolute(url: &str) -> String {
    let member = |value: &JsValue, name: &str| Reflect::get(value, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let page = member(&member(&js_sys::global(), "location"), "href").as_string();
    page.and_then(|page| redirect::absolute(&page, url)).unwrap_or_else(|| url.to_owned())
}

/// A client with options of its own; begin with [`options`], which knows the platform. Where
/// [`Options::endpoint`] is set, redirects are followed and the deprecated HTTP+SSE transport is found.
pub fn client_with(options: Options, transport: FetchTransport, hooks: Hooks) -> AsyncClient {
    AsyncClient::new(options, transport, WebRuntime, hooks)
}

/// Default options for this platform: in a page or a worker of one, a failed fetch may be the browser's refusal.
pub fn options() -> Options {
    Options { browser: is_browser(), ..Options::default() }
}

/// The clock, the timers and the executor of a JavaScript platform.
#[derive(Clone, Copy, Debug, Default)]
pub struct WebRuntime;

impl Runtime for WebRuntime {
    fn now(&self) -> Millis {
        // Monotonic where the platform has it: a clock that is set back must not stretch a timeout.
        let performance = Reflect::get(&js_sys::global(), &"performance".into()).unwrap_or(JsValue::UNDEFINED);
        let now = Reflect::get(&performance, &"now".into()).ok().and_then(|now| now.dyn_into::<Function>().ok());
        let now = now.and_then(|now| now.call0(&performance).ok()).and_then(|now| now.as_f64());
        now.unwrap_or_else(Date::now) as Millis
    }

    fn sleep(&self, time: Millis) -> BoxFuture<'static, ()> {
        Box::pin(Timeout::new(time))
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        spawn_local(task);
    }
}

/// `setTimeout` takes no more: it would fire at once.
const LONGEST_TIMEOUT: Millis = 0x7FFF_FFFF;

/// A timer; dropping it clears it.
struct Timeout {
    id: JsValue,
    fired: Rc<Cell<bool>>,
    waker: Rc<RefCell<Option<Waker>>>,
    /// Called by the platform, so it has to live as long as the timer.
    _callback: Closure<dyn FnMut()>,
}

impl Timeout {
    fn new(time: Millis) -> Self {
        let (fired, waker) = (Rc::new(Cell::new(false)), Rc::new(RefCell::new(None::<Waker>)));
        let callback = {
            let (fired, waker) = (Rc::clone(&fired), Rc::clone(&waker));
            Closure::<dyn FnMut()>::new(move || {
                fired.set(true);
                if let Some(waker) = waker.take() {
                    waker.wake();
                }
            })
        };
        let time = JsValue::from_f64(time.min(LONGEST_TIMEOUT) as f64);
        let id = global("setTimeout").and_then(|set| set.call2(&JsValue::UNDEFINED, callback.as_ref(), &time));
        // Without timers nothing ever times out, and everything else still works.
        Self { id: id.unwrap_or(JsValue::UNDEFINED), fired, waker, _callback: callback }
    }
}

impl Future for Timeout {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.fired.get() {
            return Poll::Ready(());
        }
        self.waker.replace(Some(context.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Timeout {
    fn drop(&mut self) {
        if !self.fired.get()
            && let Ok(clear) = global("clearTimeout")
        {
            // There is nobody to tell if it fails.
            let _ = clear.call1(&JsValue::UNDEFINED, &self.id);
        }
    }
}

/// The failure as the package's JavaScript Error class, for programs that hand it on to JavaScript.
pub fn to_js_error(failure: &Failure) -> JsValue {
    let rpc = failure.rpc.as_ref();
    match (failure.code, rpc, &failure.http) {
        (Code::Protocol, Some(rpc), _) => protocol_error(rpc.code, &failure.message, rpc.data.as_deref()),
        (Code::Http, rpc, Some(http)) => {
            let rpc = rpc.map(|rpc| {
                let mut out = Writer::new();
                rpc.write(&mut out);
                out.finish()
            });
            http_error(
                &failure.message,
                &HttpDetails {
                    status: http.status,
                    status_text: &http.status_text,
                    content_type: http.content_type.as_deref(),
                    body: &http.body,
                    retry_after: http.retry_after.as_deref().and_then(|seconds| seconds.trim().parse().ok()),
                    rpc_error_json: rpc.as_deref(),
                },
            )
        }
        _ => mcp_error(failure.code.as_str(), &failure.message),
    }
}
