//! What depends on the caller: the core asks, and handles the message once more with the answer.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::server::{Channel, Consulted, ItemKind, Outcome, Server, Step};

const DEFINITION: &str = r#"{"name":"s","version":"1","methods":["x/own"],"notifications":["x/note"],"tools":[
    {"name":"open","inputSchema":{"type":"object"}},
    {"name":"some","inputSchema":{"type":"object"},"visible":true},
    {"name":"scoped","inputSchema":{"type":"object"},"scopes":["b","c"]}
],"resourceTemplates":[{"name":"t","uriTemplate":"t://{x}","list":true,"visible":true,"mimeType":"a/b"}]}"#;

fn server() -> Server {
    Server::new(Raw::parse(DEFINITION.as_bytes()).expect("JSON")).expect("a definition")
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn reply(server: &Server, message: &str, facts: &str) -> (u16, Option<String>, String) {
    let consulted = Consulted::read(Raw::parse(facts.as_bytes()).expect("JSON"));
    let channel = Channel { consulted: Some(&consulted), ..Channel::default() };
    match server.handle_message(message.as_bytes(), &channel) {
        Step::Reply(reply) => (reply.status, reply.challenge.clone(), reply.into_text()),
        step => panic!("{step:?}"),
    }
}

#[test]
fn the_core_asks_about_those_items_that_depend_on_the_caller() {
    let server = server();
    for (method, params, items, lists) in [
        ("tools/list", "{}", vec![(ItemKind::Tool, 1)], vec![]),
        ("tools/call", r#"{"name":"some"}"#, vec![(ItemKind::Tool, 1)], vec![]),
        ("tools/call", r#"{"name":"scoped"}"#, vec![], vec![]),
        ("resources/read", r#"{"uri":"t://1"}"#, vec![(ItemKind::Template, 0)], vec![]),
        ("resources/list", "{}", vec![(ItemKind::Template, 0)], vec![0]),
    ] {
        let message = request(method, params);
        let Step::Consult(consult) = server.handle_message(message.as_bytes(), &Channel::default()) else {
            panic!("{method} {params} is handled without asking");
        };
        assert_eq!((consult.items, consult.lists), (items, lists), "{method} {params}");
    }
    for (method, params) in [("tools/call", r#"{"name":"open"}"#), ("x/own", "{}")] {
        let message = request(method, params);
        assert!(matches!(server.handle_message(message.as_bytes(), &Channel::default()), Step::Invoke(_)), "{method}");
    }
}

#[test]
fn what_is_hidden_is_neither_listed_nor_called() {
    let server = server();
    let hidden = r#"{"hidden":[[0,1],[2,0]],"listed":[[0,[{"uri":"t://1","name":"one"}]]]}"#;
    let shown = r#"{"hidden":[],"listed":[[0,[{"uri":"t://1","name":"one"}]]]}"#;
    let text = |method: &str, params: &str, facts: &str| reply(&server, &request(method, params), facts).2;
    assert!(!text("tools/list", "{}", hidden).contains("some"));
    assert!(text("tools/list", "{}", shown).contains("some"));
    assert!(text("tools/call", r#"{"name":"some"}"#, hidden).contains("Unknown tool: some"));
    assert!(text("resources/read", r#"{"uri":"t://1"}"#, hidden).contains("not found"));
    assert!(!text("resources/list", "{}", hidden).contains("one"));
    assert!(text("resources/list", "{}", shown).contains(r#"{"uri":"t://1","name":"one","mimeType":"a/b"}"#));
}

#[test]
fn what_only_some_may_see_goes_into_no_shared_cache() {
    let hint = r#"{"ttlMs":1,"cacheScope":"public"}"#;
    let define = |visible: bool| {
        let more = if visible { r#","visible":true"# } else { "" };
        let definition = format!(
            r#"{{"name":"s","version":"1","cacheHints":{{"resources/list":{hint},"resources/templates/list":{hint},
                "resources/read":{hint}}},
            "resources":[{{"name":"r","uri":"r://r"{more}}},{{"name":"q","uri":"q://q","cacheHint":{hint}{more}}}],
            "resourceTemplates":[{{"name":"t","uriTemplate":"t://{{x}}","list":true{more}}}]}}"#
        );
        Server::new(Raw::parse(definition.as_bytes()).expect("JSON")).expect("a definition")
    };
    let listing = r#"{"name":"s","version":"1","cacheHints":{"resources/list":{"cacheScope":"public"}},
        "resourceTemplates":[{"name":"t","uriTemplate":"t://{x}","list":true,"visible":true}]}"#;
    let listing = Server::new(Raw::parse(listing.as_bytes()).expect("JSON")).expect("a definition");
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let modern = |method: &str, params: &str| request(method, &format!("{{{params}{meta}}}"));
    let shared = r#""cacheScope":"public""#;
    assert!(
        !reply(&listing, &modern("resources/list", ""), "{}").2.contains(shared),
        "a template that lists is hidden"
    );
    for (server, some) in [(define(false), false), (define(true), true)] {
        assert_eq!(!some, reply(&server, &modern("resources/list", ""), "{}").2.contains(shared));
        assert_eq!(!some, reply(&server, &modern("resources/templates/list", ""), "{}").2.contains(shared));
        for uri in ["r://r", "q://q", "t://t"] {
            let consulted = Consulted::default();
            let channel = Channel { consulted: Some(&consulted), ..Channel::default() };
            for outcome in
                [Outcome::Text("x".to_owned()), Outcome::Result(r#"{"contents":[],"cacheScope":"public"}"#.to_owned())]
            {
                let message = modern("resources/read", &format!(r#""uri":"{uri}","#));
                let Step::Invoke(invocation) = server.handle_message(message.as_bytes(), &channel) else {
                    panic!("{uri}");
                };
                assert_eq!(!some, invocation.finish(outcome).into_text().contains(shared), "{uri}");
            }
        }
    }
}

#[test]
fn scopes_are_challenged_for_all_at_once() {
    let server = server();
    let message = request("tools/call", r#"{"name":"scoped"}"#);
    let facts = r#"{"scopes":["b"],"required":["a","b"],"resourceMetadata":"https://x/m"}"#;
    let (status, challenge, _) = reply(&server, &message, facts);
    assert_eq!(status, 403);
    let expected = r#"Bearer error="insufficient_scope", scope="a b c", resource_metadata="https://x/m""#;
    assert_eq!(challenge.as_deref(), Some(expected));
    let consulted = Consulted { scopes: vec!["b".to_owned(), "c".to_owned()], ..Consulted::default() };
    let channel = Channel { consulted: Some(&consulted), ..Channel::default() };
    assert!(matches!(server.handle_message(message.as_bytes(), &channel), Step::Invoke(_)));
}

#[test]
fn a_notification_of_the_servers_own_is_handed_on_and_no_other() {
    let server = server();
    let note = |method: &str| format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"a":1}}}}"#);
    let own = note("x/note");
    let Step::Notice(notice) = server.handle_message(own.as_bytes(), &Channel::default()) else { panic!("no notice") };
    assert_eq!((notice.index, notice.params.map(Raw::as_text)), (0, Some(r#"{"a":1}"#)));
    assert!(matches!(server.handle_message(note("x/other").as_bytes(), &Channel::default()), Step::Nothing));
}

#[test]
fn facts_of_any_shape_are_read_without_harm() {
    for facts in ["1", "[]", r#"{"hidden":1}"#, r#"{"hidden":[[9,9],[0],[0,-1],[0,"a"]],"listed":[[1]]}"#] {
        let read = Consulted::read(Raw::parse(facts.as_bytes()).expect("JSON"));
        assert!(read.hidden.is_empty() && read.listed.is_empty(), "{facts}");
    }
}
