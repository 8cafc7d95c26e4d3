//! Streamable HTTP over the platform's `fetch` and streams, for Rust front ends (feature `web`).
//!
//! Works wherever there is a `globalThis.fetch`: pages, workers, service workers, edge workers, Node.js.

use crate::client::Verb;
use crate::client::driver::{Answer, Body, BoxFuture, Outgoing, Piece, Transport};
use js_sys::{Function, Promise, Reflect, Uint8Array};
use std::rc::Rc;
use wasm_bindgen::prelude::JsValue;
use wasm_bindgen::{JsCast, JsError};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, Headers, ReadableStreamDefaultReader, RequestInit, RequestRedirect, Response};

/// The headers of an answer that mean anything to a client.
const READ_HEADERS: [&str; 5] = ["content-type", "mcp-session-id", "retry-after", "www-authenticate", "location"];

const HIDDEN: &str = "the server redirects, and a browser would take the application's headers along wherever that leads: \
                      use the URL that it leads to";

/// Names and values.
type Pairs = Vec<(String, String)>;

/// Sends messages to one endpoint.
#[derive(Clone)]
pub struct FetchTransport {
    url: Rc<str>,
    headers: Rc<dyn Fn() -> Pairs>,
    fetch: Option<Function>,
}

impl FetchTransport {
    /// A transport to the endpoint at `url`.
    pub fn new(url: &str) -> Self {
        Self { url: url.into(), headers: Rc::new(Vec::new), fetch: None }
    }

    /// Adds headers to every request: they are asked for each time. The protocol's own overrule them.
    #[must_use]
    pub fn with_headers(mut self, headers: impl Fn() -> Pairs + 'static) -> Self {
        self.headers = Rc::new(headers);
        self
    }

    /// Uses another function than `globalThis.fetch`; it is called without a `this`.
    #[must_use]
    pub fn with_fetch(mut self, fetch: Function) -> Self {
        self.fetch = Some(fetch);
        self
    }

    /// Starts the request; gives the promise of its answer.
    fn start(&self, outgoing: &Outgoing, controller: &AbortController) -> Result<Promise, JsValue> {
        let headers = Headers::new()?;
        let own = if outgoing.credentials { (self.headers)() } else { Vec::new() };
        for (name, value) in &own {
            headers.set(name, value)?;
        }
        for (name, value) in &outgoing.headers {
            headers.set(name, value)?;
        }
        let init = RequestInit::new();
        init.set_method(match outgoing.verb {
            Verb::Get => "GET",
            Verb::Delete => "DELETE",
            Verb::Post | Verb::Message => "POST",
        });
        init.set_headers(&headers);
        // Browsers hide where a redirect goes, and would take the application's headers along; everywhere else the
        // client follows it, method and all.
        if !own.is_empty() || !is_browser() {
            init.set_redirect(RequestRedirect::Manual);
        }
        init.set_signal(Some(&controller.signal()));
        if !outgoing.body.is_empty() {
            init.set_body(&JsValue::from_str(&outgoing.body));
        }
        let fetch = match &self.fetch {
            Some(fetch) => fetch.clone(),
            // Looked up when it is needed: pages replace it, and a worker has no `window`.
            None => global("fetch")?,
        };
        let url = outgoing.url.as_deref().unwrap_or(&self.url);
        fetch.call2(&JsValue::UNDEFINED, &JsValue::from_str(url), &init)?.dyn_into()
    }
}

impl Transport for FetchTransport {
    fn send(&self, message: Outgoing) -> BoxFuture<'static, Result<Answer, String>> {
        // The request goes out now, in its order, not when somebody comes to wait for it.
        let started = AbortController::new().and_then(|controller| {
            let flight = Flight { controller, over: false };
            Ok((self.start(&message, &flight.controller)?, flight))
        });
        Box::pin(async move {
            let (answer, flight) = started.map_err(|error| text_of(&error))?;
            let answer = JsFuture::from(answer).await;
            // Somebody else's fetch may give an answer that is not the platform's class.
            let response: Response = answer.map_err(|error| text_of(&error))?.unchecked_into();
            if Reflect::get(&response, &"type".into()).is_ok_and(|kind| kind == "opaqueredirect") {
                return Err(HIDDEN.to_owned());
            }
            let headers = response.headers();
            let headers = READ_HEADERS.iter().filter_map(|name| {
                let value = headers.get(name).ok()??;
                Some(((*name).to_owned(), value))
            });
            let headers = headers.collect();
            let reader = response.body().map(|stream| stream.get_reader().unchecked_into());
            Ok(Answer::Http {
                status: response.status(),
                status_text: response.status_text(),
                headers,
                body: Box::new(FetchBody { reader, flight }),
            })
        })
    }
}

/// A request that is under way; dropping it before its end aborts it.
struct Flight {
    controller: AbortController,
    over: bool,
}

impl Drop for Flight {
    fn drop(&mut self) {
        if !self.over {
            self.controller.abort();
        }
    }
}

/// The body of an answer.
struct FetchBody {
    reader: Option<ReadableStreamDefaultReader>,
    flight: Flight,
}

impl Body for FetchBody {
    fn next(&mut self) -> BoxFuture<'_, Piece> {
        Box::pin(async move {
            let read = match &self.reader {
                Some(reader) => JsFuture::from(reader.read()).await,
                None => {
                    self.flight.over = true;
                    return Ok(None);
                }
            };
            let read = read.map_err(|error| {
                self.flight.over = true;
                text_of(&error)
            })?;
            let member = |name: &str| Reflect::get(&read, &name.into()).unwrap_or(JsValue::UNDEFINED);
            if member("done").is_truthy() {
                self.flight.over = true;
                return Ok(None);
            }
            Ok(Some(Uint8Array::new(&member("value")).to_vec()))
        })
    }
}

impl Drop for FetchBody {
    fn drop(&mut self) {
        // A fetch that does not heed the signal still has to let its stream go.
        if let Some(reader) = self.reader.take().filter(|_| !self.flight.over) {
            let cancelled = reader.cancel();
            spawn_local(async move {
                let _ = JsFuture::from(cancelled).await;
            });
        }
    }
}

/// Whether this is a page or a worker of one: fetch may fail there because the browser refuses.
pub(super) fn is_browser() -> bool {
    let has = |name: &str| Reflect::has(&js_sys::global(), &name.into()).unwrap_or(false);
    has("location") && (has("document") || has("WorkerGlobalScope"))
}

/// A function of the global scope, whichever scope that is.
pub(super) fn global(name: &str) -> Result<Function, JsValue> {
    let missing = || JsError::new(&["this platform has no ", name].concat()).into();
    Reflect::get(&js_sys::global(), &name.into())?.dyn_into().map_err(|_| missing())
}

/// What a thrown value says.
fn text_of(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| String::from(js_sys::Object::from(error.clone()).to_string())),
    }
}
