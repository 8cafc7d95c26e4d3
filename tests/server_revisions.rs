//! What a legacy client gets that says in each HTTP request which revision it speaks.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic)]

use mcp_duet::protocol::error::ErrorObject;
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::version::ProtocolVersion;
use mcp_duet::server::{Channel, Outcome, Server, Step};

const DEFINITION: &str = r#"{"name":"s","version":"1","title":"S","tools":[{"name":"t","title":"T",
    "inputSchema":{"type":"object"},"outputSchema":{"type":"array"},"annotations":{"readOnlyHint":true},"icons":[]},
    {"name":"p","inputSchema":{"type":"object"}}]}"#;
const LINK: &str = r#"{"type":"resource_link","name":"a","uri":"test://a"}"#;

fn server() -> Server {
    Server::new(Raw::parse(DEFINITION.as_bytes()).expect("JSON")).expect("a definition")
}

fn answer(method: &str, headers: Option<&[(&str, &str)]>, outcome: Outcome) -> String {
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"name":"p"}}}}"#);
    let channel = Channel { headers, ..Channel::default() };
    match server().handle_message(message.as_bytes(), &channel) {
        Step::Reply(reply) => reply.into_text(),
        Step::Invoke(invocation) => invocation.finish(outcome).into_text(),
        other => panic!("{other:?}"),
    }
}

fn over_http(method: &str, version: Option<&str>, outcome: Outcome) -> String {
    let named = version.map(|version| [("mcp-protocol-version", version)]);
    answer(method, Some(named.as_ref().map_or(&[], |named| &named[..])), outcome)
}

fn none() -> Outcome {
    Outcome::Text(String::new())
}

#[test]
fn a_list_holds_what_the_clients_revision_has() {
    for (version, members) in [
        (Some("2025-11-25"), &["title", "annotations", "icons"][..]),
        (Some("2025-06-18"), &["title", "annotations"]),
        (Some("2025-03-26"), &["annotations"]),
        (Some("2024-11-05"), &[]),
        // Saying nothing says 2025-03-26.
        (None, &["annotations"]),
    ] {
        let list = over_http("tools/list", version, none());
        for member in ["title", "annotations", "icons", "outputSchema"] {
            let expected = members.contains(&member);
            assert_eq!(list.contains(&format!("\"{member}\"")), expected, "{version:?} {member}: {list}");
        }
    }
}

#[test]
fn a_result_holds_what_the_clients_revision_can_read() {
    let items = || Outcome::Items(format!("[{LINK}]"));
    let whole = || Outcome::Result(format!(r#"{{"content":[{LINK}],"structuredContent":{{"a":1e400}},"x":-0.0}}"#));
    let plain = r#""content":[{"type":"text","text":"a: test://a"}]"#;
    for version in ProtocolVersion::ALL.into_iter().filter(|version| *version < ProtocolVersion::FIRST_MODERN) {
        let knows = version >= ProtocolVersion::V2025_06_18;
        let items = over_http("tools/call", Some(version.as_str()), items());
        assert_eq!(items.contains(LINK), knows, "{version}: {items}");
        assert_eq!(items.contains(plain), !knows, "{version}: {items}");
        let whole = over_http("tools/call", Some(version.as_str()), whole());
        assert_eq!(whole.contains(LINK), knows, "{version}: {whole}");
        assert_eq!(whole.contains(r#""structuredContent":{"a":1e400}"#), knows, "{version}: {whole}");
        assert!(whole.contains(r#""x":-0.0"#), "{version}: {whole}");
    }
}

#[test]
fn a_client_whose_revision_nothing_names_gets_what_the_newest_legacy_one_has() {
    let list = answer("tools/list", None, none());
    assert!(list.contains("\"icons\"") && !list.contains("outputSchema"), "{list}");
    let result =
        answer("tools/call", None, Outcome::Result(format!(r#"{{"content":[{LINK}],"structuredContent":[1]}}"#)));
    assert!(result.contains(LINK) && !result.contains("structuredContent"), "{result}");
}

#[test]
fn a_handlers_error_has_a_code_of_the_requests_era() {
    let error = || Outcome::Error(ErrorObject::new(-32002, "gone"));
    assert!(answer("tools/call", None, error()).contains("-32002"));
    let modern = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let server = server();
    let channel = Channel::default();
    let Step::Invoke(invocation) = server.handle_message(modern.as_bytes(), &channel) else { panic!("a call") };
    let reply = invocation.finish(error()).into_text();
    assert!(reply.contains("-32602") && !reply.contains("-32002"), "{reply}");
}

#[test]
fn a_question_goes_out_as_the_clients_revision_has_it_or_not_at_all() {
    let server = server();
    let message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
    let form = r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}"#;
    let url = r#"{"mode":"url","message":"m","url":"https://a.test"}"#;
    for (version, form_is_sent, url_is_sent) in
        [("2025-11-25", true, true), ("2025-06-18", true, false), ("2025-03-26", false, false)]
    {
        let headers = [("mcp-protocol-version", version)];
        let channel = Channel { streams: true, headers: Some(&headers), ..Channel::default() };
        let Step::Invoke(invocation) = server.handle_message(message, &channel) else { panic!("a call") };
        for (params, is_sent) in [(form, form_is_sent), (url, url_is_sent)] {
            let asked = invocation.ask("q", "elicitation/create", Raw::parse(params.as_bytes()).ok());
            assert_eq!(asked.is_ok(), is_sent, "{version} {asked:?}");
            match asked {
                Ok(text) => assert_eq!(text.contains("\"mode\""), version == "2025-11-25", "{text}"),
                Err(reason) => assert!(reason.contains(version) && reason.contains("elicitation"), "{reason}"),
            }
        }
    }
}

#[test]
fn an_answer_that_does_not_come_in_time_is_withdrawn() {
    let message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
    for (members, limit) in [("", 600_000), (r#","askTimeoutMs":1500"#, 1500)] {
        let definition = format!(
            r#"{{"name":"s","version":"1","tools":[{{"name":"t","inputSchema":{{"type":"object"}}}}]{members}}}"#
        );
        let server = Server::new(Raw::parse(definition.as_bytes()).expect("json")).expect("a definition");
        assert_eq!(server.ask_timeout_ms(), limit);
        let channel = Channel { streams: true, ..Channel::default() };
        let Step::Invoke(invocation) = server.handle_message(message, &channel) else { panic!("a call") };
        let (text, reason) = invocation.withdraw("q\"7", "roots/list");
        assert_eq!(reason, format!("the client did not answer roots/list within {limit} ms"));
        let expected = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":"q\"7","reason":"{reason}"}}}}"#
        );
        assert_eq!(text, expected);
    }
}
