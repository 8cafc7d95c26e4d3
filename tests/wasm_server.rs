//! The fetch transport against a real server, from a page of another origin: `node scripts/test/wasm.mjs` starts it.
#![cfg(all(target_arch = "wasm32", feature = "web"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use mcp_duet::client::driver::Hooks;
use mcp_duet::client::negotiation::Mode;
use mcp_duet::client::{Code, Options, RequestOptions};
use mcp_duet::js::fetch::FetchTransport;
use mcp_duet::js::web_client::{client, client_with, options};
use mcp_duet::protocol::version::Era;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn server() -> &'static str {
    option_env!("MCP_DUET_TEST_SERVER").expect("a server: run these tests with scripts/test/wasm.mjs")
}

#[wasm_bindgen_test]
async fn a_page_calls_a_server_of_another_origin() {
    let client = client(server());
    let connected = client.connect().await.unwrap();
    assert_eq!((connected.era, connected.version), (Era::Modern, "2026-07-28"));
    assert!(client.list_tools().await.unwrap().contains("查天气"));
    let city = "北京".repeat(100_000);
    let answer = client.call_tool("查天气", &format!(r#"{{"city":"{city}"}}"#)).await.unwrap();
    assert!(answer.contains(&format!("{city}：晴")), "{} bytes", answer.len());
    assert!(client.read_resource("test://cities/beijing").await.unwrap().contains("你好，北京"));
    assert!(client.get_prompt("问候", r#"{"city":"北京"}"#).await.unwrap().contains("你好，北京"));
    let failure = client.read_resource("test://no/such/thing").await.unwrap_err();
    assert_eq!(failure.code, Code::Protocol, "{failure}");
    client.close().await;
}

#[wasm_bindgen_test]
async fn progress_comes_over_a_real_stream_and_a_call_can_be_dropped() {
    let client = client(server());
    let seen = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&seen);
    let hook = Rc::new(move |params: String| heard.borrow_mut().push(params));
    let counted = client
        .request_with("tools/call", Some(r#"{"name":"count","arguments":{}}"#), RequestOptions::default(), Some(hook))
        .await
        .unwrap();
    assert!(counted.contains('三'), "{counted}");
    assert_eq!(seen.borrow().len(), 3, "{:?}", seen.borrow());
    drop(client.call_tool("wait", "{}"));
    let brief = RequestOptions { timeout: Some(100), ..RequestOptions::default() };
    let failure =
        client.request_with("tools/call", Some(r#"{"name":"wait","arguments":{}}"#), brief, None).await.unwrap_err();
    assert_eq!(failure.code, Code::TimedOut);
    assert!(client.call_tool("查天气", r#"{"city":"南京"}"#).await.unwrap().contains("南京：晴"));
}

#[wasm_bindgen_test]
async fn a_legacy_client_and_arguments_that_are_mirrored() {
    let legacy = Options { mode: Mode::Legacy, ..options() };
    let client = client_with(legacy, FetchTransport::new(server()), Hooks::default());
    assert_eq!(client.connect().await.unwrap().era, Era::Legacy);
    assert!(client.call_tool("region", r#"{"region":"北京"}"#).await.unwrap().contains("北京"));
    client.close().await;

    let client = mcp_duet::js::web_client::client(server());
    client.list_tools().await.unwrap();
    assert!(client.call_tool("region", r#"{"region":" 北京"}"#).await.unwrap().contains(" 北京"));
}

#[wasm_bindgen_test]
async fn the_browser_follows_a_redirect() {
    let moved = server().replace("/mcp", "/moved");
    assert_eq!(client(&moved).connect().await.unwrap().era, Era::Modern);
}
