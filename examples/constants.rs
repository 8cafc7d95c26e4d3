//! Prints `pkg-template/lib/constants.js`: the facts of the protocol that the package's JavaScript needs.
//!
//! `cargo run -q --example constants > pkg-template/lib/constants.js`

use mcp_duet::protocol::version::ProtocolVersion;
use mcp_duet::protocol::{error, json, meta, method, result};

#[allow(dead_code, reason = "a test takes this file as a module")]
fn main() {
    print!("{}", module());
}

/// The text of the JavaScript module.
pub(crate) fn module() -> String {
    let mut out =
        String::from("// Generated from the Rust source by examples/constants.rs; a test checks that it is fresh.\n");

    section(&mut out, "Protocol versions, newest first.");
    let versions = ProtocolVersion::ALL.map(ProtocolVersion::as_str);
    list(&mut out, "PROTOCOL_VERSIONS", &versions);
    text(&mut out, "LATEST_PROTOCOL_VERSION", ProtocolVersion::LATEST.as_str());
    text(&mut out, "FIRST_MODERN_PROTOCOL_VERSION", ProtocolVersion::FIRST_MODERN.as_str());
    text(&mut out, "LATEST_LEGACY_PROTOCOL_VERSION", ProtocolVersion::LATEST_LEGACY.as_str());
    text(&mut out, "PROTOCOL_VERSION_WITHOUT_HEADER", ProtocolVersion::WITHOUT_HEADER.as_str());

    section(&mut out, "Methods: requests of both eras, of one era only, of tasks, from server to client.");
    for group in
        [&method::BOTH[..], &method::LEGACY_ONLY, &method::MODERN_ONLY, &method::TASKS, &method::SERVER_REQUESTS]
    {
        for name in group {
            text(&mut out, &format!("METHOD_{}", constant(name)), name);
        }
    }
    list(&mut out, "LEGACY_ONLY_METHODS", &method::LEGACY_ONLY);
    list(&mut out, "MODERN_ONLY_METHODS", &method::MODERN_ONLY);
    for name in method::NOTIFICATIONS {
        text(&mut out, &constant(name).replacen("NOTIFICATIONS_", "NOTIFICATION_", 1), name);
    }

    section(&mut out, "Reserved keys of `_meta`; one of META_MODERN_CLAIMS makes a request modern.");
    for (name, key) in [
        ("PROTOCOL_VERSION", meta::PROTOCOL_VERSION),
        ("CLIENT_CAPABILITIES", meta::CLIENT_CAPABILITIES),
        ("CLIENT_INFO", meta::CLIENT_INFO),
        ("LOG_LEVEL", meta::LOG_LEVEL),
        ("SERVER_INFO", meta::SERVER_INFO),
        ("SUBSCRIPTION_ID", meta::SUBSCRIPTION_ID),
        ("PROGRESS_TOKEN", meta::PROGRESS_TOKEN),
    ] {
        text(&mut out, &format!("META_{name}"), key);
    }
    list(&mut out, "META_TRACE_CONTEXT", &meta::TRACE_CONTEXT);
    list(&mut out, "META_MODERN_CLAIMS", &meta::MODERN_CLAIMS);

    section(&mut out, "Error codes.");
    for (name, code) in [
        ("PARSE_ERROR", error::PARSE_ERROR),
        ("INVALID_REQUEST", error::INVALID_REQUEST),
        ("METHOD_NOT_FOUND", error::METHOD_NOT_FOUND),
        ("INVALID_PARAMS", error::INVALID_PARAMS),
        ("INTERNAL_ERROR", error::INTERNAL_ERROR),
        ("RESOURCE_NOT_FOUND", error::RESOURCE_NOT_FOUND),
        ("URL_ELICITATION_REQUIRED", error::URL_ELICITATION_REQUIRED),
        ("HEADER_MISMATCH", error::HEADER_MISMATCH),
        ("MISSING_REQUIRED_CLIENT_CAPABILITY", error::MISSING_REQUIRED_CLIENT_CAPABILITY),
        ("UNSUPPORTED_PROTOCOL_VERSION", error::UNSUPPORTED_PROTOCOL_VERSION),
    ] {
        declare(&mut out, name, &code.to_string());
    }

    section(&mut out, "Results: their type, and the members that a server stamps on them.");
    text(&mut out, "RESULT_TYPE_COMPLETE", result::COMPLETE);
    text(&mut out, "RESULT_TYPE_INPUT_REQUIRED", result::INPUT_REQUIRED);
    list(&mut out, "STAMP_MEMBERS", &result::STAMP_MEMBERS);
    out
}

fn section(out: &mut String, comment: &str) {
    out.push_str(&format!("\n// {comment}\n"));
}

fn declare(out: &mut String, name: &str, value: &str) {
    out.push_str(&format!("export const {name} = {value};\n"));
}

fn text(out: &mut String, name: &str, value: &str) {
    declare(out, name, &json::quote(value));
}

/// An array, on one line where it fits, as the formatter has it.
fn list(out: &mut String, name: &str, values: &[&str]) {
    let quoted: Vec<String> = values.iter().map(|value| json::quote(value)).collect();
    let line = format!("[{}]", quoted.join(", "));
    if format!("export const {name} = {line};").len() <= 120 {
        declare(out, name, &line);
    } else {
        declare(out, name, &format!("[\n{}]", quoted.iter().map(|value| format!("\t{value},\n")).collect::<String>()));
    }
}

/// `tools/list_changed` and `logging/setLevel` as `TOOLS_LIST_CHANGED` and `LOGGING_SET_LEVEL`.
fn constant(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        match character {
            '/' => out.push('_'),
            'A'..='Z' => out.extend(['_', character]),
            _ => out.push(character.to_ascii_uppercase()),
        }
    }
    out
}
