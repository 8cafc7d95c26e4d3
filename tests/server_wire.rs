//! What a server sends, against the specification's schemas: every kind of result, in each revision that has it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod spec;

use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::schema::describe;
use mcp_duet::protocol::version::{Era, ProtocolVersion};
use mcp_duet::server::{Channel, Consulted, Outcome, Server, Step};
use spec::revision;

const DEFINITION: &str = r#"{"name":"wire","version":"1","instructions":"i","pageSize":2,
"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{},"extensions":{"com.example/x":{}}},
"cacheHints":{"tools/list":{"ttlMs":5,"cacheScope":"public"}},
"tools":[{"name":"a","inputSchema":{"type":"object"},"visible":true,"annotations":{"readOnlyHint":true}},
    {"name":"b","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"scopes":["s"],"_meta":{"com.example/a":1}},
    {"name":"c","title":"C","inputSchema":{"type":"object"},"icons":[{"src":"https://a.example/i"}]}],
"resources":[{"name":"r","uri":"test://r","mimeType":"text/plain","size":3}],
"resourceTemplates":[{"name":"t","uriTemplate":"test://t/{x}","list":true,"mimeType":"text/plain"}],
"prompts":[{"name":"p","argsSchema":{"type":"object","properties":{"who":{"description":"Who"}},"required":["who"]}}]}"#;

const FACTS: &str = r#"{"scopes":["s"],"listed":[[0,[{"uri":"test://t/1","name":"one"}]]]}"#;

fn outcome(method: &str) -> Vec<Outcome> {
    let text = || Outcome::Text("text".to_owned());
    let ask = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{
        "mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}}}"#;
    let ask = || Outcome::Result(ask.to_owned());
    match method {
        "completion/complete" => vec![Outcome::Items(r#"["x","y"]"#.to_owned())],
        "tools/call" => vec![
            text(),
            Outcome::Result(r#"{"structuredContent":{"a":1}}"#.to_owned()),
            Outcome::Failed("no".to_owned()),
            ask(),
        ],
        "resources/read" => vec![text(), Outcome::Bytes(vec![1, 2]), ask()],
        _ => vec![text(), ask()],
    }
}

/// Every answer that the server has to a request.
fn answers(server: &Server, message: &str, method: &str) -> Vec<String> {
    let facts = Raw::parse(FACTS.as_bytes()).expect("JSON");
    let consulted = Consulted::read(facts);
    let channel = Channel { consulted: Some(&consulted), ..Channel::default() };
    match server.handle_message(message.as_bytes(), &channel) {
        Step::Invoke(invocation) => {
            outcome(method).into_iter().map(|outcome| invocation.finish(outcome).into_text()).collect()
        }
        Step::Reply(reply) => vec![reply.into_text()],
        step => panic!("{message}: {step:?}"),
    }
}

#[test]
fn every_result_has_the_shape_that_its_revision_gives_it() {
    let server = Server::new(Raw::parse(DEFINITION.as_bytes()).expect("JSON")).expect("a definition");
    let requests = [
        ("server/discover", "", "DiscoverResult"),
        ("tools/list", "", "ListToolsResult"),
        ("tools/list", r#""cursor":"page-1""#, "ListToolsResult"),
        ("resources/list", "", "ListResourcesResult"),
        ("resources/templates/list", "", "ListResourceTemplatesResult"),
        ("prompts/list", "", "ListPromptsResult"),
        ("tools/call", r#""name":"a""#, "CallToolResult"),
        ("tools/call", r#""name":"b""#, "CallToolResult"),
        ("resources/read", r#""uri":"test://r""#, "ReadResourceResult"),
        ("resources/read", r#""uri":"test://t/9""#, "ReadResourceResult"),
        ("prompts/get", r#""name":"p","arguments":{"who":"me"}"#, "GetPromptResult"),
        (
            "completion/complete",
            r#""ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"who","value":""}"#,
            "CompleteResult",
        ),
    ];
    let mut seen = 0;
    for version in [ProtocolVersion::LATEST_LEGACY, ProtocolVersion::LATEST] {
        let modern = version.era() == Era::Modern;
        let meta = format!(
            r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{}","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}"#,
            version.as_str()
        );
        for (method, params, name) in requests {
            if !modern && method == "server/discover" {
                continue;
            }
            let members: Vec<&str> =
                [params, if modern { &meta } else { "" }].into_iter().filter(|part| !part.is_empty()).collect();
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{}}}}}"#, members.join(","));
            for text in answers(&server, &message, method) {
                let answer = Raw::parse(text.as_bytes()).expect("JSON");
                let Some(result) = answer.get("result") else {
                    // A legacy request has no way to ask by its result.
                    assert!(!modern, "{message}: {text}");
                    continue;
                };
                let asks = result.get_str("resultType").as_deref() == Some("input_required");
                let schema = revision(version).schema(if asks { "InputRequiredResult" } else { name });
                let fits = schema.validate(result).map_err(|violations| describe(&violations));
                assert_eq!(fits, Ok(()), "{} {method}: {text}", version.as_str());
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "{seen} results were looked at");
}
