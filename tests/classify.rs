//! The era of an inbound message, by its own shape.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::protocol::error::{INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND};
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::jsonrpc::Message;
use mcp_duet::protocol::version::ProtocolVersion;
use mcp_duet::streamable_http::classify::{Inbound, Rejection, classify};

const MODERN: Option<&str> = Some("2026-07-28");
const COMPLETE: &str =
    r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A one-line account of the verdict.
fn verdict(message: &str, header: Option<&str>) -> String {
    let message = Message::read(Raw::parse(message.as_bytes()).unwrap()).unwrap();
    match classify(&message, header) {
        Inbound::Legacy { version } => format!("legacy {}", version.map_or("-", ProtocolVersion::as_str)),
        Inbound::Modern(envelope) => format!("modern {}", envelope.version),
        Inbound::ModernNotification { version } => format!("modern notification {}", version.as_deref().unwrap_or("-")),
        Inbound::Rejected(Rejection { status, error }) => format!("{status} {} {}", error.code, error.message),
    }
}

fn request(method: &str, meta: &str) -> String {
    let params = if meta.is_empty() { String::new() } else { format!(r#","params":{{"_meta":{meta}}}"#) };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"{params}}}"#)
}

#[test]
fn a_request_is_legacy_where_nothing_of_it_is_modern() {
    for (method, meta, header, expected) in [
        ("tools/list", "", None, "legacy -"),
        ("tools/list", "", Some("2025-06-18"), "legacy 2025-06-18"),
        ("tools/call", r#"{"progressToken":1}"#, Some("2025-11-25"), "legacy 2025-11-25"),
        ("tools/call", r#"{"io.modelcontextprotocol/other":1}"#, None, "legacy -"),
        ("initialize", "", None, "legacy -"),
        ("initialize", "", Some("2025-11-25"), "legacy -"),
        ("initialize", "", Some("nonsense"), "legacy -"),
        ("ping", "", Some("2024-11-05"), "legacy 2024-11-05"),
        ("tools/call", "7", None, "legacy -"),
    ] {
        assert_eq!(verdict(&request(method, meta), header), expected, "{method} {meta} {header:?}");
    }
}

#[test]
fn a_request_is_modern_by_its_header_or_its_claims_or_its_method() {
    let legacy_version = COMPLETE.replace("2026-07-28", "2025-11-25");
    let unknown_version = COMPLETE.replace("2026-07-28", "v999.0.0");
    for (method, meta, header, expected) in [
        ("tools/list", COMPLETE, MODERN, "modern 2026-07-28"),
        ("tools/list", COMPLETE, None, "modern 2026-07-28"),
        ("tools/list", COMPLETE, Some("2025-11-25"), "modern 2026-07-28"),
        ("tools/list", COMPLETE, Some("2099-01-01"), "modern 2026-07-28"),
        ("tools/list", &legacy_version, Some("2025-11-25"), "modern 2025-11-25"),
        ("tools/list", &unknown_version, Some("v999.0.0"), "modern v999.0.0"),
        ("ping", COMPLETE, MODERN, "modern 2026-07-28"),
        ("server/discover", COMPLETE, None, "modern 2026-07-28"),
    ] {
        assert_eq!(verdict(&request(method, meta), header), expected, "{method} {meta} {header:?}");
    }
}

#[test]
fn a_modern_request_that_lacks_something_is_refused_and_not_treated_as_legacy() {
    let version = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    let capabilities = r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#;
    let with = |member: &str| COMPLETE.replacen("{", &format!("{{{member},"), 1);
    for (method, meta, header, complaint) in [
        (
            "tools/list",
            "",
            MODERN,
            "params._meta must be an object with io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities",
        ),
        ("tools/list", "5", MODERN, "params._meta must be an object"),
        (
            "tools/list",
            "{}",
            MODERN,
            "lacks io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities",
        ),
        ("tools/list", version, None, "lacks io.modelcontextprotocol/clientCapabilities"),
        ("tools/list", capabilities, None, "lacks io.modelcontextprotocol/protocolVersion"),
        ("tools/list", r#"{"io.modelcontextprotocol/clientInfo":{}}"#, None, "lacks"),
        ("tools/list", r#"{"io.modelcontextprotocol/logLevel":"info"}"#, None, "lacks"),
        ("tools/list", r#"{"io.modelcontextprotocol/protocolVersion":null}"#, None, "lacks"),
        ("tools/list", r#"{"io.modelcontextprotocol\u002fprotocolVersion":"2026-07-28"}"#, None, "lacks"),
        ("server/discover", "", None, "params._meta must be an object"),
        ("subscriptions/listen", "", Some("2025-11-25"), "params._meta must be an object"),
        (
            "tools/list",
            &COMPLETE.replace("\"2026-07-28\"", "20260728"),
            None,
            "params._meta[\"io.modelcontextprotocol/protocolVersion\"] must be a string",
        ),
        ("tools/list", &COMPLETE.replace("{}", "[]"), None, "clientCapabilities\"] must be an object"),
        ("tools/list", &with(r#""io.modelcontextprotocol/clientInfo":"me""#), None, "clientInfo\"] must be an object"),
        ("tools/list", &with(r#""io.modelcontextprotocol/logLevel":1"#), None, "logLevel\"] must be a string"),
    ] {
        let seen = verdict(&request(method, meta), header);
        assert!(
            seen.starts_with(&format!("400 {INVALID_PARAMS} Invalid params: ")) && seen.contains(complaint),
            "{method} {meta} gave {seen}"
        );
    }
}

#[test]
fn initialize_in_a_modern_request_does_not_exist() {
    for (meta, header) in [(COMPLETE, MODERN), (COMPLETE, None), ("", MODERN)] {
        let seen = verdict(&request("initialize", meta), header);
        assert!(seen.starts_with(&format!("404 {METHOD_NOT_FOUND} ")), "{seen}");
    }
}

#[test]
fn a_legacy_request_with_an_unknown_version_header_is_refused() {
    for header in ["v999.0.0", "2025-01-01", "", "2025-11-25, 2025-11-25"] {
        let seen = verdict(&request("tools/list", ""), Some(header));
        assert!(
            seen.starts_with(&format!("400 {INVALID_REQUEST} "))
                && seen.contains(&format!("'{header}'"))
                && seen.contains("2025-03-26"),
            "{seen}"
        );
    }
}

#[test]
fn notifications_need_no_claims_in_either_era() {
    let notification = |meta: &str| request("notifications/x", meta).replace(r#""id":1,"#, "");
    for (meta, header, expected) in [
        ("", None, "legacy -"),
        ("", Some("2025-03-26"), "legacy 2025-03-26"),
        ("", MODERN, "modern notification -"),
        (COMPLETE, None, "modern notification 2026-07-28"),
        (r#"{"io.modelcontextprotocol/clientInfo":{}}"#, None, "modern notification -"),
    ] {
        assert_eq!(verdict(&notification(meta), header), expected, "{meta} {header:?}");
    }
}

#[test]
fn responses_are_posted_in_the_legacy_era_alone() {
    for response in
        [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#]
    {
        assert_eq!(verdict(response, None), "legacy -");
        assert_eq!(verdict(response, Some("2025-06-18")), "legacy 2025-06-18");
        let seen = verdict(response, MODERN);
        assert!(seen.starts_with(&format!("400 {INVALID_REQUEST} ")) && seen.contains("got a response"), "{seen}");
    }
}

#[test]
fn the_envelope_holds_what_the_request_says_about_itself() {
    let text = request(
        "tools/list",
        r#"{"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/protocolVersion":"1","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/logLevel":"debug","k":1e400}"#,
    );
    let message = Message::read(Raw::parse(text.as_bytes()).unwrap()).unwrap();
    let Inbound::Modern(envelope) = classify(&message, MODERN) else { panic!("not modern") };
    assert_eq!(envelope.version, "2026-07-28");
    assert_eq!(envelope.capabilities.as_text(), r#"{"roots":{}}"#);
    assert_eq!(envelope.client_info.unwrap().as_text(), r#"{"name":"x","version":"1"}"#);
    assert_eq!(envelope.log_level.as_deref(), Some("debug"));
    assert_eq!(envelope.meta.get("k").unwrap().as_text(), "1e400");
}
