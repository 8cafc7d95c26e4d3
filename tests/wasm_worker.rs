//! The fetch transport and its timers in a worker, which has no `window`.
#![cfg(all(target_arch = "wasm32", feature = "web"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use js_sys::{Function, Reflect, global};
use mcp_duet::client::driver::{Hooks, Runtime};
use mcp_duet::client::{Code, RequestOptions};
use mcp_duet::js::fetch::FetchTransport;
use mcp_duet::js::web_client::{WebRuntime, client, client_with, options};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
async fn a_worker_has_all_that_the_client_needs() {
    assert!(!Reflect::has(&global(), &"window".into()).unwrap());
    assert!(options().browser, "a failed fetch may be the browser's refusal here too");
    WebRuntime.sleep(1).await;
    let before = WebRuntime.now();
    assert!(WebRuntime.now() >= before);
}

#[wasm_bindgen_test]
async fn a_workers_own_fetch_is_called_as_a_free_function() {
    let location = Reflect::get(&global(), &"location".into()).unwrap();
    let origin = Reflect::get(&location, &"origin".into()).unwrap().as_string().unwrap();
    let failure = client(&format!("{origin}/there-is-no-such-endpoint")).connect().await.unwrap_err();
    assert_eq!(failure.code, Code::Http, "{failure}");
}

#[wasm_bindgen_test]
async fn streams_and_timeouts_work_in_a_worker() {
    let fetch = Function::new_with_args(
        "url, init",
        r#"const { id, method } = JSON.parse(init.body);
        if (method === "tools/list") return new Promise(() => {});
        const result = method === "server/discover"
            ? { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} }
            : { resultType: "complete", content: [] };
        const text = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\r\n\r\n`;
        return Promise.resolve(new Response(text, { headers: { "content-type": "text/event-stream" } }));"#,
    );
    let client = client_with(options(), FetchTransport::new("https://peer.test/").with_fetch(fetch), Hooks::default());
    assert!(client.call_tool("t", "{}").await.unwrap().contains("content"));
    let options = RequestOptions { timeout: Some(20), ..RequestOptions::default() };
    let failure = client.request_with("tools/list", None, options, None).await.unwrap_err();
    assert_eq!(failure.code, Code::TimedOut);
}
