//! What every runner of the client transcripts makes of their JSON.

use mcp_duet::client::Failure;
use serde_json::{Value, json};

/// The files of the corpus; by name, for a page has no folders.
pub(crate) const FILES: [&str; 15] = [
    include_str!("../client-transcripts/answers.json"),
    include_str!("../client-transcripts/calls.json"),
    include_str!("../client-transcripts/headers.json"),
    include_str!("../client-transcripts/http-sse.json"),
    include_str!("../client-transcripts/input.json"),
    include_str!("../client-transcripts/kept-sessions.json"),
    include_str!("../client-transcripts/lists.json"),
    include_str!("../client-transcripts/logging.json"),
    include_str!("../client-transcripts/negotiation.json"),
    include_str!("../client-transcripts/pipes.json"),
    include_str!("../client-transcripts/prior.json"),
    include_str!("../client-transcripts/redirects.json"),
    include_str!("../client-transcripts/retry.json"),
    include_str!("../client-transcripts/sessions.json"),
    include_str!("../client-transcripts/subscriptions.json"),
];

/// Where the server is.
pub(crate) const ENDPOINT: &str = "http://127.0.0.1/mcp";

/// Every transcript.
pub(crate) fn transcripts() -> Vec<Value> {
    FILES.iter().flat_map(|file| serde_json::from_str::<Vec<Value>>(file).expect("a list of transcripts")).collect()
}

/// A text as it is, anything else as JSON.
pub(crate) fn bytes_of(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.clone().into_bytes(),
        value => value.to_string().into_bytes(),
    }
}

/// A text, or a list of bytes.
pub(crate) fn chunk_of(value: &Value) -> Vec<u8> {
    match value {
        Value::Array(bytes) => bytes.iter().map(|byte| byte.as_u64().unwrap_or_default() as u8).collect(),
        value => bytes_of(value),
    }
}

pub(crate) fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
}

pub(crate) fn failure_value(failure: &Failure) -> Value {
    let mut value = json!({ "code": failure.code.as_str(), "message": failure.message });
    if let Some(rpc) = &failure.rpc {
        value["rpcCode"] = json!(rpc.code);
        if let Some(data) = &rpc.data {
            value["data"] = parse(data);
        }
    }
    if let Some(http) = &failure.http {
        value["status"] = json!(http.status);
        value["body"] = json!(http.body);
    }
    if failure.retryable {
        value["retryable"] = json!(true);
    }
    value
}

/// Whether `value` has everything that `expected` has: members of objects may be more, `null` stands for
/// absent, and a message need only contain the text.
pub(crate) fn contains(value: &Value, expected: &Value) -> bool {
    match expected {
        Value::Object(members) => members.iter().all(|(key, expected)| match (key.as_str(), value.get(key)) {
            (_, None) => expected.is_null(),
            ("message", Some(value)) => {
                let (Some(value), Some(expected)) = (value.as_str(), expected.as_str()) else { return false };
                value.contains(expected)
            }
            (_, Some(value)) => contains(value, expected),
        }),
        expected => value == expected,
    }
}

/// What a subscription is told, as the transcripts write it.
pub(crate) fn told_value(told: &str) -> Value {
    let told = parse(told);
    match (told.get("acknowledged"), told.get("method")) {
        (Some(filter), _) => json!(["acknowledged", filter]),
        (None, Some(method)) => json!(["told", method, told.get("params")]),
        _ => json!(["refresh"]),
    }
}
