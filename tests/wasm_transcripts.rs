//! The client's transcripts, replayed through the fetch transport: real streams, real timers, a scripted `fetch`.
#![cfg(all(target_arch = "wasm32", feature = "web"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use js_sys::{Array, Function, Reflect, Uint8Array};
use mcp_duet::client::driver::Runtime;
use mcp_duet::js::fetch::FetchTransport;
use mcp_duet::js::web_client::{WebRuntime, client_with};
use support::async_replay::{End, Reply, SharedScript, replay};
use support::script::ENDPOINT;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// A `Response` whose body comes in those chunks; without a status, a request that fails or stays silent.
const ANSWER: &str = r#"
    const aborted = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    aborted.catch(() => {});
    if (status === 0) return message === undefined ? aborted : Promise.reject(new TypeError(message));
    for (const chunk of then) globalThis.openStream?.enqueue(chunk);
    if (ends) globalThis.openStream?.close();
    let at = 0;
    const body = new ReadableStream({
        start(controller) {
            if (end === "open") globalThis.openStream = controller;
        },
        pull(controller) {
            if (at < chunks.length) controller.enqueue(chunks[at++]);
            else if (end === "close") controller.close();
            else if (end === "break") controller.error(new Error("broken"));
        },
    }, { highWaterMark: 0 });
    signal.addEventListener("abort", () => {
        if (globalThis.openStream !== undefined && end === "open") globalThis.openStream = undefined;
    });
    const isEmpty = chunks.length === 0 && end === "close";
    return Promise.resolve(new Response(isEmpty ? null : body, { status, headers }));
"#;

fn get(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap()
}

/// Headers of either a request or a pair list as pairs.
fn pairs_of(headers: &JsValue) -> Vec<(String, String)> {
    let pairs = Array::from(headers);
    let text = |pair: &JsValue, at: u32| Reflect::get_u32(pair, at).unwrap().as_string().unwrap();
    pairs.iter().map(|pair| (text(&pair, 0), text(&pair, 1))).collect()
}

fn fake_fetch(script: SharedScript) -> Function {
    let answer = Function::new_with_args("status, headers, chunks, end, message, then, ends, signal", ANSWER);
    let fetch = Closure::<dyn Fn(JsValue, JsValue) -> JsValue>::new(move |url: JsValue, init: JsValue| {
        let verb = get(&init, "method").as_string().unwrap();
        let body = get(&init, "body").as_string().unwrap_or_default();
        let reply =
            script.borrow_mut().receive(&verb, &url.as_string().unwrap(), &pairs_of(&get(&init, "headers")), &body);
        let mut arguments = Array::new();
        let mut fill = |values: [JsValue; 7]| arguments.extend(values);
        const NONE: JsValue = JsValue::UNDEFINED;
        match reply {
            Reply::Silence | Reply::Messages(_) => fill([0.into(), NONE, NONE, NONE, NONE, NONE, NONE]),
            Reply::NetworkError(message) => fill([0.into(), NONE, NONE, NONE, message.into(), NONE, NONE]),
            Reply::Http { status, headers, chunks, end, then } => {
                let pair = |(name, value): &(String, String)| Array::of2(&name.as_str().into(), &value.as_str().into());
                let headers: Array = headers.iter().map(pair).collect();
                let bytes =
                    |chunks: &[Vec<u8>]| -> Array { chunks.iter().map(|chunk| Uint8Array::from(&**chunk)).collect() };
                let (chunks, later) = (bytes(&chunks), bytes(&then.chunks));
                let end = match end {
                    End::Close => "close",
                    End::Open => "open",
                    End::Break => "break",
                };
                fill([status.into(), headers.into(), chunks.into(), end.into(), NONE, later.into(), then.ends.into()]);
            }
        }
        arguments.push(&get(&init, "signal"));
        answer.apply(&NONE, &arguments).unwrap()
    });
    fetch.into_js_value().unchecked_into()
}

#[wasm_bindgen_test]
async fn every_transcript_of_http_is_the_same_through_fetch() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for transcript in support::script::transcripts() {
        if transcript["options"]["kind"] == "pipe" {
            continue;
        }
        seen += 1;
        let found = replay(
            &transcript,
            |options, hooks, script| {
                client_with(options, FetchTransport::new(ENDPOINT).with_fetch(fake_fetch(script)), hooks)
            },
            |done| async move {
                // As long as something may come, and a few turns for what should not.
                for turn in 0..400 {
                    WebRuntime.sleep(if done() { 0 } else { 5 }).await;
                    if done() && turn > 3 {
                        break;
                    }
                }
            },
        )
        .await;
        faults.extend(found.into_iter().map(|fault| format!("{}: {fault}", transcript["name"])));
    }
    assert!(seen > 100, "the corpus is not there");
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
