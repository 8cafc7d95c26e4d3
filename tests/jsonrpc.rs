//! The JSON-RPC envelope: messages told apart, ids kept, bad ones refused with the reason.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_duet::protocol::error::{ErrorObject, INVALID_REQUEST};
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::jsonrpc::{Frame, Message, RequestId, error_response, notification, result_response};
use proptest::prelude::*;

/// A one-line account of a message.
fn account(text: &str) -> String {
    describe(Message::read(Raw::parse(text.as_bytes()).unwrap()))
}

fn describe(message: Result<Message<'_>, mcp_duet::protocol::jsonrpc::InvalidMessage<'_>>) -> String {
    let text = |value: Option<Raw<'_>>| value.map_or("-", Raw::as_text).to_owned();
    match message {
        Ok(Message::Request { id, method, params }) => format!("request {} {method} {}", id.as_text(), text(params)),
        Ok(Message::Notification { method, params }) => format!("notification {method} {}", text(params)),
        Ok(Message::Result { id, result }) => format!("result {} {}", id.as_text(), result.as_text()),
        Ok(Message::Error { id, error }) => format!("error {} {}", id.map_or("-", RequestId::as_text), error.code),
        Err(invalid) => format!("invalid {} {}", invalid.id.map_or("-", RequestId::as_text), invalid.reason),
    }
}

#[test]
fn messages_are_told_apart_by_their_shape() {
    for (text, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1 ping -"),
        (
            r#"{"method":"tools/call","params":{"a":1e400},"id":"x","jsonrpc":"2.0","extra":1}"#,
            r#"request "x" tools/call {"a":1e400}"#,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, "request 1 ping -"),
        (r#"{"jsonrpc":"2.0","method":"notifications/x","params":{}}"#, "notification notifications/x {}"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"a":[]}}"#, r#"result 1 {"a":[]}"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, "result 1 {}"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#, "error 1 -32601"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-1}}"#, "error 1 -1"),
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#, "error - -32700"),
        (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#, "error - -32700"),
        (r#"{"\u006asonrpc":"\u0032.0","\u0069d":7,"meth\u006fd":"p\u0069ng"}"#, "request 7 ping -"),
        (r#"{"jsonrpc":"1.0","jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}"#, "request 2 b -"),
    ] {
        assert_eq!(account(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_message_is_refused_with_the_reason_and_the_readable_id() {
    for (text, expected) in [
        (r#"{"id":1,"method":"ping"}"#, "invalid 1 jsonrpc must be \"2.0\""),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "invalid 1 jsonrpc must be \"2.0\""),
        (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, "invalid 1 jsonrpc must be \"2.0\""),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "invalid - id must be a string or an integer, not null"),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "invalid - id must be"),
        (r#"{"jsonrpc":"2.0","id":1e-1,"method":"ping"}"#, "invalid - id must be"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, "invalid - id must be"),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "invalid - id must be"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, "invalid - id must be"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "invalid 1 method must be a string"),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, "invalid 1 method must be a string"),
        (r#"{"jsonrpc":"2.0"}"#, "invalid - method must be a string"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, "invalid 1 params must be an object"),
        (r#"{"jsonrpc":"2.0","method":"ping","params":"x"}"#, "invalid - params must be an object"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "invalid 1 result must be an object"),
        (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, "invalid 1 result must be an object"),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "invalid - a result must have an id"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "invalid - a result must have an id"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}"#, "invalid 1 error must have an integer code"),
        (r#"{"jsonrpc":"2.0","id":1,"error":"x"}"#, "invalid 1 error must have an integer code"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "invalid - expected one message, got a batch"),
        ("[]", "invalid - expected one message, got a batch"),
        ("null", "invalid - expected an object"),
        ("\"ping\"", "invalid - expected an object"),
    ] {
        let seen = account(text);
        assert!(seen.starts_with(expected), "{text} gave {seen}");
    }
    let raw = Raw::parse(b"5").unwrap();
    let error = Message::read(raw).unwrap_err().to_error();
    assert_eq!((error.code, &*error.message), (INVALID_REQUEST, "Invalid request: expected an object"));
}

#[test]
fn ids_are_echoed_byte_for_byte() {
    for id in [
        "\"1\"",
        "\"req-α\"",
        "\"req-\\u03b1\"",
        "\"007\"",
        "\"\"",
        "1",
        "0",
        "-1",
        "-0",
        "1.0",
        "9007199254740993",
        "\"9007199254740993\"",
        "123456789012345678901234567890",
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let Ok(Message::Request { id: read, .. }) = Message::read(Raw::parse(text.as_bytes()).unwrap()) else {
            panic!("{id} is an id")
        };
        assert_eq!(result_response(read.as_text(), "{}"), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        let error = ErrorObject::new(-1, "no");
        assert_eq!(
            error_response(Some(read.as_text()), &error),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-1,"message":"no"}}}}"#)
        );
    }
}

#[test]
fn equal_ids_have_one_canonical_text_and_others_do_not() {
    let canonical =
        |text: &str| RequestId::read(Raw::parse(text.as_bytes()).unwrap()).unwrap().canonical().into_owned();
    for (one, other, equal) in [
        ("\"req-α\"", "\"req-\\u03b1\"", true),
        ("\"a/b\"", "\"a\\/b\"", true),
        ("1", "1.0", true),
        ("10", "1e1", true),
        ("1", "\"1\"", false),
        ("9007199254740993", "9007199254740992", false),
        ("\"007\"", "\"7\"", false),
        ("\"a\\\"b\"", "\"a\\\"b\"", true),
    ] {
        assert_eq!(canonical(one) == canonical(other), equal, "{one} and {other}");
    }
}

#[test]
fn an_error_without_a_readable_id_goes_out_without_one() {
    let error = ErrorObject::new(-32700, "Parse error: \"x\"").with_data("{\"at\":5}".to_owned());
    let text = error_response(None, &error);
    assert_eq!(text, r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: \"x\"","data":{"at":5}}}"#);
    let Ok(Message::Error { id: None, error: read }) = Message::read(Raw::parse(text.as_bytes()).unwrap()) else {
        panic!("an error")
    };
    assert_eq!(read, error);
}

#[test]
fn notifications_and_frames_are_whole_messages() {
    assert_eq!(notification("notifications/x", None), r#"{"jsonrpc":"2.0","method":"notifications/x"}"#);
    assert_eq!(
        notification("notifications/x", Some("{\"a\":1}")),
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}"#
    );
    let frame = Frame { head: r#"{"jsonrpc":"2.0","id":1,"result":"#.to_owned(), tail: "}" };
    assert_eq!(account(&frame.wrap("{\"a\":1}")), "result 1 {\"a\":1}");
}

proptest! {
    #[test]
    fn any_string_and_any_integer_is_an_id_that_comes_back(string in any::<String>(), integer in any::<i128>(), as_string in any::<bool>()) {
        let id = if as_string { mcp_duet::protocol::json::quote(&string) } else { integer.to_string() };
        let response = result_response(&id, "{}");
        let Ok(Message::Result { id: read, .. }) = Message::read(Raw::parse(response.as_bytes()).unwrap()) else { panic!("a result") };
        prop_assert_eq!(read.as_text(), id);
    }

    #[test]
    fn no_object_makes_the_reader_panic(
        members in prop::collection::vec(
            (prop::sample::select(vec!["jsonrpc", "id", "method", "params", "result", "error", "code", "x"]),
             prop::sample::select(vec!["\"2.0\"", "1", "null", "{}", "[]", "\"m\"", "{\"code\":1}", "1.5", "true"])), 0..8)
    ) {
        let text = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect::<Vec<_>>().join(",");
        let text = format!("{{{text}}}");
        let _ = account(&text);
    }
}
