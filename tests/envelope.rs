//! What every modern request says about its sender.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_duet::protocol::envelope::{Stamp, request};
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::version::ProtocolVersion;

#[test]
fn a_modern_request_states_version_client_and_capabilities_and_keeps_the_callers_keys() {
    let stamp = Stamp::new(ProtocolVersion::LATEST.as_str(), r#"{"name":"c","version":"1"}"#, "{}");
    assert_eq!(stamp.version(), "2026-07-28");
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let info = r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}"#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    for (params, expected) in [
        (None, format!(r#"{{"_meta":{{{version},{info},{capabilities}}}}}"#)),
        (Some(r#"{"a":1e400}"#), format!(r#"{{"_meta":{{{version},{info},{capabilities}}},"a":1e400}}"#)),
        (
            Some(r#"{"_meta":{"traceparent":"00","x\"y":9007199254740993},"b":{}}"#),
            format!(
                r#"{{"_meta":{{{version},{info},{capabilities},"traceparent":"00","x\"y":9007199254740993}},"b":{{}}}}"#
            ),
        ),
        (
            Some(r#"{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"other"}}}"#),
            format!(
                r#"{{"_meta":{{{version},{capabilities},"io.modelcontextprotocol/clientInfo":{{"name":"other"}}}}}}"#
            ),
        ),
        (
            Some(r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}"#),
            format!(r#"{{"_meta":{{{info},{capabilities},"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}}"#),
        ),
        (Some(r#"{"_meta":null}"#), format!(r#"{{"_meta":{{{version},{info},{capabilities}}}}}"#)),
    ] {
        let params = params.map(|params| Raw::parse(params.as_bytes()).unwrap());
        let text = request("\"q\"", "tools/list", params, &stamp);
        assert!(Raw::parse(text.as_bytes()).is_ok(), "{text}");
        assert_eq!(text, format!(r#"{{"jsonrpc":"2.0","id":"q","method":"tools/list","params":{expected}}}"#));
    }
}
