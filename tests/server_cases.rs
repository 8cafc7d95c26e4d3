//! Messages that servers in the field have got wrong: what is no request, ids, and versions that a handshake asks for.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::server::{Channel, Server, Step};

fn server(more: &str) -> Server {
    let definition =
        format!(r#"{{"name":"s","version":"1","tools":[{{"name":"echo","inputSchema":{{"type":"object"}}}}]{more}}}"#);
    Server::new(Raw::parse(definition.as_bytes()).expect("JSON")).expect("a definition")
}

/// The HTTP status and the text of what comes of a message; no text where nothing is sent.
fn answer(server: &Server, version: Option<&str>, message: &str) -> (u16, Option<String>) {
    let headers: Vec<_> = version.map(|version| ("mcp-protocol-version", version)).into_iter().collect();
    let channel = Channel { headers: Some(&headers), ..Channel::default() };
    match server.handle_message(message.as_bytes(), &channel) {
        Step::Reply(reply) => (reply.status, Some(reply.into_text())),
        Step::Nothing | Step::Answer(_) => (202, None),
        other => panic!("{message}: {other:?}"),
    }
}

#[test]
fn only_requests_are_answered_and_what_is_none_is_refused_without_an_id() {
    let server = server("");
    for message in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/unknown","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"far"}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call"}"#,
    ] {
        for version in [None, Some("2025-06-18"), Some("2025-11-25")] {
            assert_eq!(answer(&server, version, message), (202, None), "{message}");
        }
    }
    for message in [
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":true,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":[1],"method":"tools/list"}"#,
    ] {
        let (status, text) = answer(&server, None, message);
        let text = text.expect("an error");
        assert_eq!(status, 400, "{message}");
        assert!(text.contains("-32600") && !text.contains("\"id\""), "{message}: {text}");
    }
    for message in [
        r#"{"jsonrpc":"2.0","id":"七"}"#,
        r#"{"jsonrpc":"1.0","id":"七","method":"tools/list"}"#,
        r#"{"id":"七","method":"tools/list"}"#,
    ] {
        let (status, text) = answer(&server, None, message);
        let text = text.expect("an error");
        assert!(status == 400 && text.contains("-32600"), "{message}: {text}");
    }
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(answer(&server, Some("2026-07-28"), response).0, 400, "the modern era has no requests to answer");
}

#[test]
fn an_id_comes_back_as_it_was() {
    let server = server("");
    for id in [
        r#""1""#,
        r#""req-α""#,
        r#""007""#,
        r#""""#,
        r#""\u0041""#,
        "1",
        "0",
        "-1",
        "9007199254740993",
        r#""9007199254740993""#,
        "123456789012345678901234567890",
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let (_, text) = answer(&server, None, &message);
        assert!(text.expect("a reply").contains(&format!("\"id\":{id},")), "{id}");
        let unknown = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"nope"}}"#);
        let (_, text) = answer(&server, None, &unknown);
        assert!(text.expect("an error").contains(&format!("\"id\":{id},")), "{id}");
    }
}

#[test]
fn a_handshake_agrees_on_a_version_whatever_was_refused_before() {
    let server = server("");
    let probe = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
    assert_eq!(answer(&server, None, probe).0, 400);
    for (asked, agreed) in [
        (r#""protocolVersion":"2025-06-18""#, "2025-06-18"),
        (r#""protocolVersion":"2024-11-05""#, "2024-11-05"),
        (r#""protocolVersion":"9999-01-01""#, "2025-11-25"),
        (r#""protocolVersion":"2026-07-28""#, "2025-11-25"),
        (r#""protocolVersion":5"#, "2025-11-25"),
        (r#""capabilities":{}"#, "2025-11-25"),
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{{asked}}}}}"#);
        let (status, text) = answer(&server, None, &message);
        let expected = format!(r#""protocolVersion":"{agreed}""#);
        assert!(status == 200 && text.expect("a reply").contains(&expected), "{asked}");
    }
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    assert!(answer(&server, None, list).1.expect("a reply").contains("echo"));
    let modern = self::server(r#","legacy":"reject""#);
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    let (status, text) = answer(&modern, None, initialize);
    let text = text.expect("an error");
    assert!(status == 400 && text.contains("-32022") && text.contains(r#""supported":["2026-07-28"]"#), "{text}");
}
