//! Errors that Rust constructs are the package's JavaScript classes.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used)]

use js_sys::Reflect;
use mcp_duet::js::error::{HttpDetails, HttpError, McpError, ProtocolError, http_error, mcp_error, protocol_error};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn get(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap()
}

#[wasm_bindgen_test]
fn an_error_of_our_own_has_a_code_and_is_a_javascript_error() {
    let error = mcp_error("TOO_LARGE", "expected at most 4 bytes, got 5");
    assert!(error.is_instance_of::<McpError>() && error.is_instance_of::<js_sys::Error>());
    assert!(!error.is_instance_of::<ProtocolError>());
    assert_eq!(get(&error, "code"), "TOO_LARGE");
    assert_eq!(get(&error, "name"), "McpError");
    assert_eq!(get(&error, "message"), "expected at most 4 bytes, got 5");
    assert!(get(&error, "stack").is_string());
}

#[wasm_bindgen_test]
fn a_protocol_error_carries_the_peers_code_and_data() {
    let error = protocol_error(-32022, "unsupported", Some(r#"{"supported":["2026-07-28"],"城":"北京"}"#));
    assert!(error.is_instance_of::<ProtocolError>() && error.is_instance_of::<McpError>());
    assert_eq!(get(&error, "code"), "PROTOCOL");
    assert_eq!(get(&error, "rpcCode"), -32022);
    assert_eq!(get(&get(&error, "data"), "城"), "北京");
}

#[wasm_bindgen_test]
fn data_that_is_absent_or_no_json_is_undefined() {
    for data in [None, Some("{")] {
        assert!(get(&protocol_error(1, "", data), "data").is_undefined());
    }
}

#[wasm_bindgen_test]
fn an_http_error_carries_the_status_and_what_came_with_it() {
    let error = http_error(
        "the server answered 429",
        &HttpDetails {
            status: 429,
            status_text: "Too Many Requests",
            content_type: Some("application/json"),
            body: r#"{"error":{}}"#,
            retry_after: Some(7),
            rpc_error_json: Some(r#"{"code":-32000,"message":"later"}"#),
        },
    );
    assert!(error.is_instance_of::<HttpError>() && error.is_instance_of::<McpError>());
    assert_eq!(get(&error, "code"), "HTTP");
    assert_eq!(get(&error, "status"), 429);
    assert_eq!(get(&error, "statusText"), "Too Many Requests");
    assert_eq!(get(&error, "contentType"), "application/json");
    assert_eq!(get(&error, "body"), r#"{"error":{}}"#);
    assert_eq!(get(&error, "retryAfter"), 7);
    assert_eq!(get(&get(&error, "rpcError"), "message"), "later");
}

#[wasm_bindgen_test]
fn an_http_error_without_particulars_leaves_them_undefined() {
    let error = http_error("the server answered 500", &HttpDetails { status: 500, ..HttpDetails::default() });
    for name in ["contentType", "retryAfter", "rpcError"] {
        assert!(get(&error, name).is_undefined(), "{name}");
    }
    assert_eq!(get(&error, "body"), "");
}
