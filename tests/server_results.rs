//! Results that a handler gives as a whole: which ones ask, and which kinds of result there are.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::server::{Channel, Outcome, Server, Step};

fn server(more: &str) -> Server {
    let definition = format!(
        r#"{{"name":"s","version":"1","tools":[{{"name":"t","inputSchema":{{"type":"object"}}}}],"prompts":[{{"name":"p"}}],
            "resources":[{{"name":"r","uri":"a://r"}}],"methods":["x/own"],"complete":true{more}}}"#
    );
    Server::new(Raw::parse(definition.as_bytes()).expect("JSON")).expect("a definition")
}

/// What is sent where the handler of a request gives that result.
fn sent(server: &Server, method: &str, params: &str, result: &str) -> String {
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}"_meta":{{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}},"roots":{{}}}}}}}}}}"#
    );
    match server.handle_message(message.as_bytes(), &Channel::default()) {
        Step::Invoke(invocation) => invocation.finish(Outcome::Result(result.to_owned())).into_text(),
        step => panic!("{message}: {step:?}"),
    }
}

const TOOL: (&str, &str) = ("tools/call", r#""name":"t","#);
const PROMPT: (&str, &str) = ("prompts/get", r#""name":"p","#);
const RESOURCE: (&str, &str) = ("resources/read", r#""uri":"a://r","#);
const COMPLETION: (&str, &str) =
    ("completion/complete", r#""ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""},"#);
const OWN: (&str, &str) = ("x/own", "");

#[test]
fn only_tools_prompts_and_resources_ask_and_only_what_there_is_to_ask() {
    let server = server("");
    let asks = |requests: &str| format!(r#"{{"resultType":"input_required","inputRequests":{requests}}}"#);
    let roots = asks(r#"{"k":{"method":"roots/list"}}"#);
    for (method, params) in [TOOL, PROMPT, RESOURCE] {
        let text = sent(&server, method, params, &roots);
        assert!(text.contains(r#""inputRequests":{"k":{"method":"roots/list"}}"#), "{text}");
    }
    for (method, params) in [COMPLETION, OWN] {
        let text = sent(&server, method, params, &roots);
        assert!(text.contains("which this request has no way for"), "{text}");
    }
    for (requests, says) in [
        (r#"{"k":{"method":"foo/bar"}}"#, "may hold elicitation/create"),
        (r#"{"k":{"method":"roots/list"},"l":{}}"#, "may hold elicitation/create"),
        (r#"{"k":5}"#, "may hold elicitation/create"),
        ("{}", "neither inputRequests nor requestState"),
        ("null", "not an object"),
        ("[]", "not an object"),
        (r#"{"k":{"method":"sampling/createMessage","params":{}}}"#, "-32021"),
        (r#"{"k":{"method":"roots/list"},"l":{"method":"sampling/createMessage"}}"#, "-32021"),
    ] {
        let text = sent(&server, TOOL.0, TOOL.1, &asks(requests));
        assert!(text.contains(says) && !text.contains("input_required\""), "{requests}: {text}");
    }
    let state = r#"{"resultType":"input_required","requestState":5}"#;
    assert!(sent(&server, TOOL.0, TOOL.1, state).contains("requestState is not a string"));
}

#[test]
fn other_kinds_of_results_are_those_of_declared_extensions() {
    let (plain, extended) = (server(""), server(r#","capabilities":{"extensions":{"com.example/pausing":{}}}"#));
    for (method, params) in [TOOL, PROMPT, RESOURCE] {
        for kind in [r#""paused""#, "5", "null", r#"{"a":1}"#] {
            let result = format!(r#"{{"resultType":{kind},"own":1}}"#);
            let text = sent(&plain, method, params, &result);
            assert!(text.contains("resultType must be"), "{method} {kind}: {text}");
            let text = sent(&extended, method, params, &result);
            let passes = text.contains(r#""resultType":"paused""#) && text.contains(r#""own":1"#);
            assert_eq!(passes, kind == r#""paused""#, "{method} {kind}: {text}");
        }
    }
    let complete = r#"{"resultType":"complete","content":[],"inputRequests":{}}"#;
    assert!(sent(&plain, TOOL.0, TOOL.1, complete).contains(r#""resultType":"complete""#));
}
