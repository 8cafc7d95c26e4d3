//! What a definition may say: each bad one is refused with the item and the rule.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use mcp_duet::protocol::json::Raw;
use mcp_duet::server::{Channel, Server, Step};

fn define(members: &str) -> Result<Server, String> {
    let definition = format!(r#"{{"name":"s","version":"1"{members}}}"#);
    let raw = Raw::parse(definition.as_bytes()).map_err(|error| format!("{definition}: {error}"))?;
    Server::new(raw).map_err(|error| error.to_string())
}

fn tool(members: &str) -> String {
    format!(r#","tools":[{{"name":"good","inputSchema":{{"type":"object"}}}},{{{members}}}]"#)
}

#[test]
fn a_bad_definition_is_refused_with_the_item_and_the_rule() {
    let schema = r#""inputSchema":{"type":"object"}"#;
    let header = |schema: &str| tool(&format!(r#""name":"t","inputSchema":{schema}"#));
    for (members, subject, rule) in [
        (tool(schema), "tools[1]", "name"),
        (tool(r#""name":"","inputSchema":{"type":"object"}"#), "tool \"\"", "empty"),
        (tool(&format!(r#""name":"two words",{schema}"#)), "tool \"two words\"", "letters"),
        (tool(&format!(r#""name":"{}",{schema}"#, "x".repeat(129))), "tool \"xxx", "128"),
        (tool(&format!(r#""name":"good",{schema}"#)), "tool \"good\"", "twice"),
        (tool(r#""name":"bad""#), "tool \"bad\"", "inputSchema"),
        (tool(&format!(r#""name":"bad",{schema},"scopes":"a""#)), "tool \"bad\"", "scopes"),
        (tool(&format!(r#""name":"bad",{schema},"scopes":["a b"]"#)), "tool \"bad\"", "a scope must"),
        (r#","prompts":[{"name":"p","argsSchema":{}}]"#.to_owned(), "prompt \"p\"", "argsSchema"),
        (
            r#","prompts":[{"name":"p","argsSchema":{"type":"object"},"arguments":[]}]"#.to_owned(),
            "prompt \"p\"",
            "one of them",
        ),
        (r#","sessions":{}"#.to_owned(), "sessions", "legacy"),
        (r#","supportedVersions":"2026-07-28""#.to_owned(), "supportedVersions", "array of strings"),
        (r#","cacheHints":[]"#.to_owned(), "cacheHints", "object"),
        (r#","capabilities":{"logging":true}"#.to_owned(), "capability \"logging\"", "object"),
        (r#","title":5"#.to_owned(), "definition", "title must be a string"),
        (r#","icons":{}"#.to_owned(), "definition", "icons must be an array"),
        (r#","icons":[{"href":"x"}]"#.to_owned(), "definition", "src"),
        (tool(&format!(r#""name":"bad",{schema},"title":["T"]"#)), "tool \"bad\"", "title must be a string"),
        (tool(&format!(r#""name":"bad",{schema},"description":null"#)), "tool \"bad\"", "description must be a string"),
        (tool(&format!(r#""name":"bad",{schema},"annotations":[]"#)), "tool \"bad\"", "annotations must be an object"),
        (tool(&format!(r#""name":"bad",{schema},"icons":["i.png"]"#)), "tool \"bad\"", "src"),
        (r#","resources":[{"name":"x","uri":"a://b","size":"1"}]"#.to_owned(), "a://b", "size must be a number"),
        (r#","resources":[{"name":"x","uri":"a://b","mimeType":1}]"#.to_owned(), "a://b", "mimeType must be a string"),
        (
            r#","prompts":[{"name":"p","arguments":[{"name":"a","required":"yes"}]}]"#.to_owned(),
            "prompt \"p\"",
            "required must be true or false",
        ),
        (r#","allowedHeaders":"x-a""#.to_owned(), "allowedHeaders", "array of strings"),
        (r#","allowedHeaders":["x-a, x-b"]"#.to_owned(), "allowedHeaders \"x-a, x-b\"", "name of a header"),
        (r#","exposedHeaders":[""]"#.to_owned(), "exposedHeaders \"\"", "name of a header"),
        (r#","allowedOrigins":["https://a.example/"]"#.to_owned(), "allowedOrigins \"https://a.example/\"", "origin"),
        (r#","allowedOrigins":["a.example"]"#.to_owned(), "allowedOrigins", "origin"),
        (r#","allowedOrigins":["https://*.a.example"]"#.to_owned(), "allowedOrigins", "origin"),
        (r#","allowedHosts":["https://a.example"]"#.to_owned(), "allowedHosts", "host"),
        (r#","methods":["tools/list"]"#.to_owned(), "method \"tools/list\"", "specification"),
        (r#","notifications":["notifications/cancelled"]"#.to_owned(), "notification", "specification"),
        (r#","methods":[""]"#.to_owned(), "method \"\"", "printable"),
        (tool(r#""name":"bad","inputSchema":null"#), "tool \"bad\"", "inputSchema"),
        (tool(r#""name":"bad","inputSchema":true"#), "tool \"bad\"", "inputSchema"),
        (
            tool(r#""name":"bad","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}"#),
            "tool \"bad\"",
            "\"type\": \"object\"",
        ),
        (tool(r#""name":"bad","inputSchema":{"type":"string"}"#), "tool \"bad\"", "\"type\": \"object\""),
        (tool(&format!(r#""name":"bad",{schema},"outputSchema":[]"#)), "tool \"bad\"", "outputSchema"),
        (tool(&format!(r#""name":"bad",{schema},"_meta":[]"#)), "tool \"bad\"", "_meta"),
        (tool(&format!(r#""name":"bad",{schema},"_meta":{{"-x":1}}"#)), "tool \"bad\"", "_meta key"),
        (tool(&format!(r#""name":"bad",{schema},"_meta":{{"9.com/x":1}}"#)), "tool \"bad\"", "prefix"),
        (
            header(r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}"#),
            "tool \"t\"",
            "x-mcp-header",
        ),
        (
            header(r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"a b"}}}"#),
            "tool \"t\"",
            "x-mcp-header",
        ),
        (
            header(r#"{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#),
            "tool \"t\"",
            "x-mcp-header",
        ),
        (
            header(
                r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#,
            ),
            "tool \"t\"",
            "x-mcp-header",
        ),
        (r#","tools":{}"#.to_owned(), "tools", "array"),
        (r#","tools":[7]"#.to_owned(), "tools[0]", "object"),
        (r#","resources":[{"name":"x"}]"#.to_owned(), "resources[0]", "uri"),
        (r#","resources":[{"name":"x","uri":"relative"}]"#.to_owned(), "resource \"relative\"", "absolute"),
        (r#","resources":[{"uri":"test://x"}]"#.to_owned(), "resource \"test://x\"", "name"),
        (
            r#","resources":[{"uri":"test://x","name":"a"},{"uri":"test://x","name":"b"}]"#.to_owned(),
            "resource \"test://x\"",
            "twice",
        ),
        (
            r#","resources":[{"uri":"test://x","name":"a","cacheHint":{"ttlMs":-1}}]"#.to_owned(),
            "resource \"test://x\"",
            "ttlMs",
        ),
        (
            r#","resourceTemplates":[{"uriTemplate":"test://{x","name":"a"}]"#.to_owned(),
            "resource template \"test://{x\"",
            "expected",
        ),
        (r#","resourceTemplates":[{"name":"a"}]"#.to_owned(), "resourceTemplates[0]", "uriTemplate"),
        (r#","prompts":[{"name":""}]"#.to_owned(), "prompt \"\"", "empty"),
        (r#","prompts":[{"name":"p","arguments":{}}]"#.to_owned(), "prompt \"p\"", "array"),
        (r#","prompts":[{"name":"p","arguments":[{}]}]"#.to_owned(), "prompt \"p\"", "name"),
        (r#","supportedVersions":["2026-07-28","1999-01-01"]"#.to_owned(), "1999-01-01", "speaks"),
        (r#","supportedVersions":[]"#.to_owned(), "supportedVersions", "no version"),
        (r#","supportedVersions":["2025-11-25"],"legacy":"reject""#.to_owned(), "supportedVersions", "no version"),
        (r#","legacy":"maybe""#.to_owned(), "legacy", "stateless"),
        (r#","maxBodyBytes":0"#.to_owned(), "maxBodyBytes", "positive"),
        (r#","maxBodyBytes":1.5"#.to_owned(), "maxBodyBytes", "whole"),
        (r#","askTimeoutMs":0"#.to_owned(), "askTimeoutMs", "positive"),
        (r#","askTimeoutMs":2147483648"#.to_owned(), "askTimeoutMs", "below 2147483648"),
        (r#","pageSize":0"#.to_owned(), "pageSize", "1 to 1000"),
        (r#","pageSize":1001"#.to_owned(), "pageSize", "1 to 1000"),
        (r#","instructions":5"#.to_owned(), "instructions", "string"),
        (r#","cacheHints":{"tools/call":{}}"#.to_owned(), "tools/call", "cached"),
        (r#","cacheHints":{"tools/list":{"cacheScope":"all"}}"#.to_owned(), "tools/list", "cacheScope"),
        (r#","capabilities":{"extensions":{"plain":{}}}"#.to_owned(), "extension \"plain\"", "prefix"),
        (r#","allowedOrigins":"*""#.to_owned(), "allowedOrigins", "array"),
        (r#","allowedHosts":[1]"#.to_owned(), "allowedHosts", "array"),
    ] {
        let error = define(&members).err().unwrap_or_else(|| panic!("{members} is accepted"));
        assert!(error.contains(subject), "{members}: {error}");
        assert!(error.contains(rule), "{members}: {error}");
    }
}

#[test]
fn a_name_and_a_version_are_required() {
    for (definition, expected) in [
        ("[]", "object"),
        (r#"{"version":"1"}"#, "name"),
        (r#"{"name":"s"}"#, "version"),
        (r#"{"name":5,"version":"1"}"#, "name"),
    ] {
        let error = Server::new(Raw::parse(definition.as_bytes()).expect("JSON")).expect_err(definition);
        assert!(error.to_string().contains(expected), "{definition}: {error}");
    }
}

#[test]
fn names_in_any_script_and_members_of_the_author_pass() {
    let server = define(&tool(
        r#""name":"天气","inputSchema":{"type":"object"},"own":{"a":1},"title":"T","icons":[{"src":"https://example.com/i.png"}]"#,
    ))
    .expect("a server");
    let message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let Step::Reply(reply) = server.handle_message(message, &Channel::default()) else { panic!("a reply") };
    let text = reply.into_text();
    assert!(text.contains(
        r#"{"name":"天气","inputSchema":{"type":"object"},"title":"T","icons":[{"src":"https://example.com/i.png"}]}"#
    ));
    assert!(!text.contains("own"));
}

#[test]
fn what_an_author_declares_is_declared() {
    let server =
        define(r#","capabilities":{"logging":{},"experimental":{"a":{}},"com.example/own":{"b":1}}"#).expect("ok");
    let Step::Reply(reply) = server.handle_message(
        br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        &Channel::default(),
    ) else {
        panic!("a reply")
    };
    let text = reply.into_text();
    let declared = r#""capabilities":{"logging":{},"experimental":{"a":{}},"com.example/own":{"b":1}}"#;
    assert!(text.contains(declared), "{text}");
}

#[test]
fn a_list_keeps_the_order_and_the_text_of_its_items() {
    let tools: Vec<_> = (0..30)
        .rev()
        .map(|n| {
            format!(
                r#"{{"name":"t{n}","inputSchema":{{"type":"object","properties":{{"b":{{}},"a":{{"maximum":1e2}}}}}}}}"#
            )
        })
        .collect();
    let server = define(&format!(r#","tools":[{}]"#, tools.join(","))).expect("a server");
    let message = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let Step::Reply(reply) = server.handle_message(message, &Channel::default()) else { panic!("a reply") };
    assert!(reply.into_text().contains(&tools.join(",")));
}
