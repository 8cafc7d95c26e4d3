//! The asynchronous client holds structured content against the output schemas that it has listed.
#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "client")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use mcp_duet::client::driver::{Answer, AsyncClient, BoxFuture, Hooks, Outgoing};
use mcp_duet::client::{Code, Options};
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::jsonrpc::{Message, result_response};
use std::cell::RefCell;
use std::rc::Rc;
use support::executor::World;

const SCHEMA: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;

/// A modern server whose tool `t` has that schema and gives these members.
fn serving(schema: &str, members: &str) -> impl Fn(Outgoing) -> BoxFuture<'static, Result<Answer, String>> + 'static {
    let tools = format!(
        r#"{{"resultType":"complete","tools":[null,{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}]}}"#
    );
    let called = format!(r#"{{"resultType":"complete","content":[]{members}}}"#);
    move |outgoing| {
        let message = Message::read(Raw::parse(outgoing.body.as_bytes()).unwrap()).unwrap();
        let Message::Request { id, method, .. } = message else { panic!("a request") };
        let result = match &*method {
            "server/discover" => r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}"#,
            "tools/list" => &tools,
            _ => &called,
        };
        let answer = Answer::http(200, "application/json", result_response(id.as_text(), result));
        Box::pin(async move { Ok(answer) })
    }
}

/// The outcome of a call, with or without a list before it, and what the error hook heard.
fn call(schema: &str, members: &str, lists: bool, validate_output: bool) -> (Result<(), (Code, String)>, Vec<Code>) {
    let world = World::default();
    let told = Rc::new(RefCell::new(Vec::new()));
    let hear = Rc::clone(&told);
    let hooks = Hooks { error: Some(Rc::new(move |failure| hear.borrow_mut().push(failure.code))), ..Hooks::default() };
    let options = Options { validate_output, ..Options::default() };
    let client = AsyncClient::new(options, serving(schema, members), world.clone(), hooks);
    let outcome = world.run(async {
        if lists {
            client.list_tools().await.unwrap();
        }
        // The second call shows what is said only once.
        let _ = client.call_tool("t", "{}").await;
        client.call_tool("t", "{}").await.map(|_| ()).map_err(|failure| (failure.code, failure.message))
    });
    let told = told.borrow().clone();
    (outcome, told)
}

#[test]
fn a_result_that_does_not_fit_fails_and_says_what_was_expected_and_what_came() {
    let (outcome, told) = call(SCHEMA, r#","structuredContent":{"n":"five"}"#, true, true);
    let (code, message) = outcome.unwrap_err();
    assert_eq!(code, Code::InvalidResult);
    assert_eq!(message, r#"t: structuredContent does not fit its outputSchema: /n: expected integer, got "five""#);
    assert_eq!(told, []);
}

#[test]
fn what_fits_what_failed_what_was_not_listed_and_what_is_not_wanted_passes() {
    let wrong = r#","structuredContent":5"#;
    for (schema, members, lists, validates, passes) in [
        (r#"{"type":"null"}"#, r#","structuredContent":null"#, true, true, true),
        (SCHEMA, wrong, true, true, false),
        (SCHEMA, wrong, false, true, true),
        (SCHEMA, wrong, true, false, true),
    ] {
        let (outcome, _) = call(schema, members, lists, validates);
        assert_eq!(outcome.is_ok(), passes, "{schema} {members} {lists} {validates}: {outcome:?}");
    }
}

#[test]
fn what_is_held_against_a_schema_is_what_the_table_says() {
    // CD-05
    let table: Vec<serde_json::Value> = serde_json::from_str(include_str!("tool-results.json")).unwrap();
    for row in table {
        let result = row["result"].to_string();
        let inside = &result[1..result.len() - 1];
        let members = if inside.is_empty() { String::new() } else { format!(",{inside}") };
        let (outcome, _) = call(SCHEMA, &members, true, true);
        assert_eq!(outcome.is_ok(), row["fits"] == true, "{row}: {outcome:?}");
    }
}

#[test]
fn a_schema_that_cannot_be_used_is_told_of_once_and_its_tool_goes_on() {
    let (outcome, told) = call(r#"{"pattern":"("}"#, r#","structuredContent":{}"#, true, true);
    assert_eq!(outcome, Ok(()));
    assert_eq!(told.iter().filter(|code| **code == Code::InvalidDefinition).count(), 1, "{told:?}");
}
