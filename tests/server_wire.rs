//! What a server sends, against the specification's schemas: every kind of result, in each revision that has it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod spec;

use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::schema::describe;
use mcp_duet::protocol::version::{Era, ProtocolVersion};
use mcp_duet::server::{Change, Channel, Consulted, LogLevel, Outcome, Presented, Server, Session, Step};
use spec::sent::check_sent;
use spec::{VERSIONS, revision};

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

const SESSIONS: &str = r#"{"name":"wire","version":"1","legacy":"sessions","instructions":"i",
"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"logging":{},
    "resources":{"subscribe":true,"listChanged":true}},
"tools":[{"name":"t","inputSchema":{"type":"object"}}],"resources":[],"prompts":[]}"#;

/// The answer to a request in a session, and the session that it opens or changes.
fn in_session(server: &Server, session: Option<&Session>, method: &str, params: &str) -> (String, Session) {
    let message = format!(r#"{{"jsonrpc":"2.0","id":"é","method":"{method}","params":{params}}}"#);
    let session = session.map_or(Presented::Missing, Presented::Known);
    match server.handle_message(message.as_bytes(), &Channel { session, ..Channel::default() }) {
        Step::Session(reply, session) => (reply.into_text(), session),
        step => panic!("{method}: {step:?}"),
    }
}

#[test]
fn what_belongs_to_a_session_fits_its_revision() {
    let server = Server::new(Raw::parse(SESSIONS.as_bytes()).expect("JSON")).expect("a definition");
    for version in VERSIONS.into_iter().filter(|version| version.era() == Era::Legacy) {
        let check = |asked: &str, text: &str| check_sent(version, asked, text);
        let params = format!(
            r#"{{"protocolVersion":"{}","capabilities":{{"elicitation":{{}},"sampling":{{}},"roots":{{}}}},
                "clientInfo":{{"name":"c","version":"1"}}}}"#,
            version.as_str()
        );
        let (opened, mut session) = in_session(&server, None, "initialize", &params);
        check("initialize", &opened);
        for (method, params) in [
            ("logging/setLevel", r#"{"level":"info"}"#),
            ("resources/subscribe", r#"{"uri":"test://r"}"#),
            ("resources/subscribe", r#"{"uri":"test://s"}"#),
            ("resources/unsubscribe", r#"{"uri":"test://s"}"#),
        ] {
            let (text, changed) = in_session(&server, Some(&session), method, params);
            check(method, &text);
            session = changed;
        }
        for change in [Change::Tools, Change::Prompts, Change::Resources, Change::Resource("test://r")] {
            check("", &server.session_change(&session, change).expect("a message"));
        }
        let params = Raw::parse(r#"{"logger":"l","data":{"a":1}}"#.as_bytes()).expect("JSON");
        check("", &server.session_log(&session, LogLevel::Error, params).expect("a message"));

        let call =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}"#;
        let channel = Channel { streams: true, session: Presented::Known(&session), ..Channel::default() };
        let Step::Invoke(invocation) = server.handle_message(call.as_bytes(), &channel) else { panic!("no call") };
        check("", &invocation.progress(r#"{"progress":1,"total":2,"message":"m"}"#).expect("a message"));
        check("", &invocation.log(LogLevel::Error, r#"{"data":"d"}"#).expect("a message"));
        for (method, params) in [
            (
                "elicitation/create",
                r#"{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":["x"]}}}}"#,
            ),
            (
                "sampling/createMessage",
                r#"{"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":1}"#,
            ),
            ("roots/list", "{}"),
        ] {
            let params = Raw::parse(params.as_bytes()).expect("JSON");
            match invocation.ask("id", method, Some(params)) {
                Ok(text) => check("", &text),
                Err(_) => assert!(version < ProtocolVersion::V2025_06_18 && method == "elicitation/create", "{method}"),
            }
            check("", &invocation.withdraw("id", method).0);
        }
        for outcome in [Outcome::Text("t".to_owned()), Outcome::Failed("f".to_owned())] {
            check("tools/call", &invocation.clone().finish(outcome).into_text());
        }
    }
}

#[test]
fn the_errors_of_the_modern_era_have_the_data_that_it_gives_them() {
    let server = Server::new(Raw::parse(DEFINITION.as_bytes()).expect("JSON")).expect("a definition");
    let version = ProtocolVersion::LATEST.as_str();
    let meta = format!(
        r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{{}}}}"#
    );
    let call =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params}{meta}}}}}"#);
    let headers = [("mcp-protocol-version", version), ("mcp-method", "tools/call"), ("mcp-name", "other")];
    let mismatch = call(r#""name":"c","#);
    let Step::Reply(reply) =
        server.handle_message(mismatch.as_bytes(), &Channel { headers: Some(&headers), ..Channel::default() })
    else {
        panic!("no reply")
    };
    let ask = outcome("prompts/get").pop().expect("an ask");
    let asks = call(r#""name":"c","#);
    let Step::Invoke(invocation) = server.handle_message(asks.as_bytes(), &Channel::default()) else {
        panic!("no call")
    };
    for (code, text) in [(-32020, reply.into_text()), (-32021, invocation.finish(ask).into_text())] {
        let answer = Raw::parse(text.as_bytes()).expect("JSON");
        assert_eq!(answer.get("error").and_then(|error| error.get("code")?.as_i64()), Some(code), "{text}");
        check_sent(ProtocolVersion::LATEST, "tools/call", &text);
    }
}
