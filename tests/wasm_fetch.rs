//! The fetch transport and the web client beside what the transcripts show: the platform's own fetch, letting go, timers.
#![cfg(all(target_arch = "wasm32", feature = "web"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use js_sys::{Array, Function, Promise, Reflect, global};
use mcp_duet::client::driver::{Answer, AsyncClient, Hooks, Outgoing, Runtime, Transport};
use mcp_duet::client::{Code, Failure, Options, RequestOptions, Verb};
use mcp_duet::js::error::{HttpError, McpError, ProtocolError};
use mcp_duet::js::fetch::FetchTransport;
use mcp_duet::js::web_client::{WebRuntime, client, client_with, options, to_js_error};
use mcp_duet::protocol::version::Era;
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn get(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap()
}

/// A function of `url` and `init` in JavaScript, with `seen` for what it notes.
fn fake(seen: &Array, body: &str) -> Function {
    let make = Function::new_with_args("seen", &format!("return async function (url, init) {{ {body} }}"));
    make.call1(&JsValue::UNDEFINED, seen).unwrap().unchecked_into()
}

/// Answers `server/discover`; what comes behind it answers the rest, where `id` is the request's id.
fn modern(seen: &Array, rest: &str) -> Function {
    fake(
        seen,
        &[
            r#"const { id, method } = JSON.parse(init.body);
            const json = (result) => new Response(JSON.stringify({ jsonrpc: "2.0", id, result }), { headers: { "content-type": "application/json" } });
            if (method === "server/discover") return json({ resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} });
            "#,
            rest,
        ]
        .concat(),
    )
}

fn client_over(fetch: Function) -> AsyncClient {
    client_with(Options::default(), FetchTransport::new("https://peer.test/mcp").with_fetch(fetch), Hooks::default())
}

fn outgoing() -> Outgoing {
    let header = |name, value| (Cow::Borrowed(name), Cow::Borrowed(value));
    Outgoing {
        url: None,
        credentials: true,
        verb: Verb::Post,
        headers: vec![header("Accept", "application/json"), header("X-Ours", "1")],
        body: "{}".to_owned(),
    }
}

async fn turns(count: usize) {
    for _ in 0..count {
        WebRuntime.sleep(0).await;
    }
}

#[wasm_bindgen_test]
async fn the_platforms_own_fetch_is_called_as_a_free_function() {
    let origin = get(&get(&global(), "location"), "origin").as_string().unwrap();
    let client = client(&format!("{origin}/there-is-no-such-endpoint"));
    let failure = client.connect().await.unwrap_err();
    assert!(matches!(failure.code, Code::Http), "{failure}");
    assert!(failure.http.unwrap().status >= 400);
}

#[wasm_bindgen_test]
async fn an_unreachable_server_is_a_network_failure() {
    let failure = client("http://127.0.0.1:1/mcp").connect().await.unwrap_err();
    assert_eq!(failure.code, Code::Network, "{failure}");
}

#[wasm_bindgen_test]
async fn the_main_job_works() {
    let rest = r#"const { params } = JSON.parse(init.body);
        if (method === "tools/list") return json({ resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [{ name: "größe", inputSchema: { type: "object" } }] });
        return json({ resultType: "complete", content: [{ type: "text", text: params.arguments.city }] });"#;
    let client = client_over(modern(&Array::new(), rest));
    let connected = client.connect().await.unwrap();
    assert_eq!((connected.era, connected.version), (Era::Modern, "2026-07-28"));
    assert!(client.list_tools().await.unwrap().contains("größe"));
    assert!(client.call_tool("größe", r#"{"city":"北京"}"#).await.unwrap().contains("北京"));
    client.close().await;
}

#[wasm_bindgen_test]
async fn the_callers_fetch_has_no_this_and_gets_the_merged_headers() {
    let seen = Array::new();
    let fetch = fake(
        &seen,
        r#"seen.push(this === undefined || this === globalThis, url, init.method, init.body, init.signal instanceof AbortSignal, [...init.headers].flat().join());
        return new Response("{}", { status: 201, statusText: "Made", headers: { "Content-Type": "application/json", "Mcp-Session-Id": "s-1" } });"#,
    );
    let asked = Rc::new(Cell::new(0));
    let counter = Rc::clone(&asked);
    let transport = FetchTransport::new("https://peer.test/mcp?x=1").with_fetch(fetch).with_headers(move || {
        counter.set(counter.get() + 1);
        vec![("authorization".to_owned(), "Bearer t".to_owned()), ("x-ours".to_owned(), "overruled".to_owned())]
    });
    for _ in 0..2 {
        let Ok(Answer::Http { status, status_text, headers, mut body }) = transport.send(outgoing()).await else {
            panic!("an answer")
        };
        assert_eq!((status, &*status_text), (201, "Made"));
        assert_eq!(
            headers,
            [
                ("content-type".to_owned(), "application/json".to_owned()),
                ("mcp-session-id".to_owned(), "s-1".to_owned())
            ]
        );
        assert_eq!(body.next().await, Ok(Some(b"{}".to_vec())));
        assert_eq!(body.next().await, Ok(None));
        assert_eq!(body.next().await, Ok(None));
    }
    assert_eq!(asked.get(), 2, "headers are asked for each time");
    let expected = "accept,application/json,authorization,Bearer t,x-ours,1";
    assert_eq!(seen.slice(0, 6).join("|"), format!("true|https://peer.test/mcp?x=1|POST|{{}}|true|{expected}"));
}

#[wasm_bindgen_test]
async fn headers_that_cannot_be_sent_fail_the_request_alone() {
    let transport =
        FetchTransport::new("https://peer.test/").with_headers(|| vec![("bad name".to_owned(), String::new())]);
    assert!(transport.send(outgoing()).await.is_err());
    let throws = fake(&Array::new(), "throw new TypeError('refused by policy')");
    let failed = FetchTransport::new("https://peer.test/").with_fetch(throws).send(outgoing()).await.err();
    assert_eq!(failed.as_deref(), Some("refused by policy"));
    let odd = Function::new_no_args("return 5");
    assert!(FetchTransport::new("https://peer.test/").with_fetch(odd).send(outgoing()).await.is_err());
}

#[wasm_bindgen_test]
async fn a_dropped_request_is_aborted() {
    let seen = Array::new();
    let fetch =
        fake(&seen, "init.signal.addEventListener('abort', () => seen.push('aborted')); return new Promise(() => {});");
    let sending = FetchTransport::new("https://peer.test/").with_fetch(fetch).send(outgoing());
    turns(2).await;
    assert_eq!(seen.length(), 0);
    drop(sending);
    assert_eq!(seen.join(","), "aborted");
}

/// A stream that never ends, and notes that it was cancelled.
const ENDLESS: &str = r#"
    init.signal.addEventListener("abort", () => seen.push("aborted"));
    const body = new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode(": hi\n\n")); }, cancel() { seen.push("cancelled"); } });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });"#;

#[wasm_bindgen_test]
async fn a_dropped_call_cancels_its_stream() {
    let seen = Array::new();
    let client = client_over(modern(&seen, ENDLESS));
    client.connect().await.unwrap();
    let call = client.call_tool("t", "{}");
    turns(4).await;
    assert_eq!(seen.length(), 0);
    drop(call);
    turns(2).await;
    assert_eq!(seen.sort().join(","), "aborted,cancelled");
}

#[wasm_bindgen_test]
async fn a_dropped_client_cancels_everything() {
    let seen = Array::new();
    let client = client_over(modern(&seen, ENDLESS));
    client.connect().await.unwrap();
    // A call that nobody polls any more, but that is not dropped, keeps its client.
    let call = client.call_tool("t", "{}");
    turns(4).await;
    drop(client);
    turns(2).await;
    assert_eq!(seen.length(), 0);
    drop(call);
    turns(2).await;
    assert_eq!(seen.sort().join(","), "aborted,cancelled");
}

#[wasm_bindgen_test]
async fn a_silent_server_runs_into_the_timeout() {
    let seen = Array::new();
    let client = client_over(modern(&seen, ENDLESS));
    let options = RequestOptions { timeout: Some(30), ..RequestOptions::default() };
    let failure = client.request_with("tools/call", Some(r#"{"name":"t"}"#), options, None).await.unwrap_err();
    assert_eq!(failure.code, Code::TimedOut);
    turns(2).await;
    assert_eq!(seen.sort().join(","), "aborted,cancelled");
}

#[wasm_bindgen_test]
async fn an_answer_without_a_body_ends_at_once() {
    let fetch = fake(&Array::new(), "return new Response(null, { status: 204 })");
    let Ok(Answer::Http { status: 204, mut body, .. }) =
        FetchTransport::new("https://peer.test/").with_fetch(fetch).send(outgoing()).await
    else {
        panic!("an answer")
    };
    assert_eq!(body.next().await, Ok(None));
}

#[wasm_bindgen_test]
async fn calls_at_once_do_not_disturb_each_other() {
    let rest = r#"const { params } = JSON.parse(init.body);
        const stream = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", content: params.arguments } })}\n\n`;
        await new Promise((resolve) => setTimeout(resolve, (id * 7) % 5));
        return new Response(stream, { headers: { "content-type": "text/event-stream" } });"#;
    let client = client_over(modern(&Array::new(), rest));
    let calls: Vec<_> = (0..20).map(|at| client.call_tool("t", &format!("[{at}]"))).collect();
    for (at, call) in calls.into_iter().enumerate() {
        assert!(call.await.unwrap().contains(&format!("\"content\":[{at}]")));
    }
}

/// Replaces a function of the global scope by one that notes its arguments, until it is dropped.
struct Patched {
    name: &'static str,
    original: JsValue,
    seen: Array,
}

impl Patched {
    fn new(name: &'static str) -> Self {
        let (original, seen) = (get(&global(), name), Array::new());
        let wrap = Function::new_with_args(
            "seen, original",
            "return function (...all) { seen.push(all); return original.apply(undefined, all); }",
        );
        let patched = wrap.call2(&JsValue::UNDEFINED, &seen, &original).unwrap();
        Reflect::set(&global(), &name.into(), &patched).unwrap();
        Self { name, original, seen }
    }
}

impl Drop for Patched {
    fn drop(&mut self) {
        Reflect::set(&global(), &self.name.into(), &self.original).unwrap();
    }
}

#[wasm_bindgen_test]
async fn timers_fire_and_dropped_ones_are_cleared() {
    let (set, clear) = (Patched::new("setTimeout"), Patched::new("clearTimeout"));
    WebRuntime.sleep(5).await;
    assert_eq!((set.seen.length(), clear.seen.length()), (1, 0), "a timer that has fired is not cleared");
    drop(WebRuntime.sleep(u64::MAX));
    assert_eq!((set.seen.length(), clear.seen.length()), (2, 1));
    let delay = Reflect::get_u32(&set.seen.get(1), 1).unwrap().as_f64().unwrap();
    assert_eq!(delay, 2_147_483_647.0, "setTimeout takes no more");
}

#[wasm_bindgen_test]
fn the_platform_is_told_apart() {
    assert!(options().browser, "this is a page");
}

#[wasm_bindgen_test]
async fn failures_become_errors_of_the_package() {
    let refused = r#"return new Response(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32602, message: "no such tool", data: { a: 1 } } }), { headers: { "content-type": "application/json" } });"#;
    let failure = client_over(modern(&Array::new(), refused)).call_tool("t", "{}").await.unwrap_err();
    let error = to_js_error(&failure);
    assert!(error.is_instance_of::<ProtocolError>());
    assert_eq!((get(&error, "rpcCode").as_f64(), get(&get(&error, "data"), "a").as_f64()), (Some(-32602.0), Some(1.0)));

    let busy = r#"return new Response("later", { status: 503, headers: { "retry-after": "7" } });"#;
    let failure = client_over(modern(&Array::new(), busy)).call_tool("t", "{}").await.unwrap_err();
    let error = to_js_error(&failure);
    assert!(error.is_instance_of::<HttpError>());
    assert_eq!((get(&error, "status").as_f64(), get(&error, "retryAfter").as_f64()), (Some(503.0), Some(7.0)));
    assert_eq!(get(&error, "body").as_string().as_deref(), Some("later"));

    let error = to_js_error(&Failure::new(Code::TimedOut, "too late"));
    assert!(error.is_instance_of::<McpError>() && !error.is_instance_of::<HttpError>());
    assert_eq!(get(&error, "code").as_string().as_deref(), Some("TIMED_OUT"));
}

#[wasm_bindgen_test]
async fn a_task_that_is_spawned_runs_beside_its_maker() {
    let done = Promise::new(&mut |resolve, _| {
        let task = Closure::once_into_js(move || drop(resolve.call0(&JsValue::UNDEFINED)));
        let task: Function = task.unchecked_into();
        WebRuntime.spawn(Box::pin(async move { drop(task.call0(&JsValue::UNDEFINED)) }));
    });
    JsFuture::from(done).await.unwrap();
}
