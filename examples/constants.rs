//! Prints the facts of the protocol that the package's JavaScript needs, as a module or as its types,
//! and those of MCP Apps, as a module.
//!
//! ```sh
//! cargo run -q --example constants js > pkg-template/lib/constants.js
//! cargo run -q --example constants types > pkg-template/lib/constants.d.ts
//! cargo run -q --example constants apps > pkg-template/lib/apps-facts.js
//! ```

use mcp_duet::protocol::version::ProtocolVersion;
use mcp_duet::protocol::{apps, error, json, meta, method, result};
use mcp_duet::streamable_http::headers;

#[allow(dead_code, reason = "a test takes this file as a module")]
fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("js") => print!("{}", module(Form::JavaScript)),
        Some("types") => print!("{}", module(Form::Types)),
        Some("apps") => print!("{}", apps_module()),
        _ => eprintln!("expected: js | types | apps"),
    }
}

/// What the constants are written as.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Form {
    /// `export const A = "a";`
    JavaScript,
    /// `export declare const A: "a";`
    Types,
}

/// The text of the module.
pub(crate) fn module(form: Form) -> String {
    let mut out = Module { form, text: String::new() };
    out.text.push_str("// Generated from the Rust source by examples/constants.rs; a test checks that it is fresh.\n");

    out.section("Protocol versions, newest first.");
    let versions = ProtocolVersion::ALL.map(ProtocolVersion::as_str);
    out.list("PROTOCOL_VERSIONS", &versions);
    out.text("LATEST_PROTOCOL_VERSION", ProtocolVersion::LATEST.as_str());
    out.text("FIRST_MODERN_PROTOCOL_VERSION", ProtocolVersion::FIRST_MODERN.as_str());
    out.text("LATEST_LEGACY_PROTOCOL_VERSION", ProtocolVersion::LATEST_LEGACY.as_str());
    out.text("PROTOCOL_VERSION_WITHOUT_HEADER", ProtocolVersion::WITHOUT_HEADER.as_str());

    out.section("Methods: requests of both eras, of one era only, of tasks, from server to client.");
    for group in
        [&method::BOTH[..], &method::LEGACY_ONLY, &method::MODERN_ONLY, &method::TASKS, &method::SERVER_REQUESTS]
    {
        for name in group {
            out.text(&format!("METHOD_{}", constant(name)), name);
        }
    }
    out.list("LEGACY_ONLY_METHODS", &method::LEGACY_ONLY);
    out.list("MODERN_ONLY_METHODS", &method::MODERN_ONLY);
    for name in method::NOTIFICATIONS {
        out.text(&constant(name).replacen("NOTIFICATIONS_", "NOTIFICATION_", 1), name);
    }

    out.section("Reserved keys of `_meta`; one of META_MODERN_CLAIMS makes a request modern.");
    for (name, key) in [
        ("PROTOCOL_VERSION", meta::PROTOCOL_VERSION),
        ("CLIENT_CAPABILITIES", meta::CLIENT_CAPABILITIES),
        ("CLIENT_INFO", meta::CLIENT_INFO),
        ("LOG_LEVEL", meta::LOG_LEVEL),
        ("SERVER_INFO", meta::SERVER_INFO),
        ("SUBSCRIPTION_ID", meta::SUBSCRIPTION_ID),
        ("PROGRESS_TOKEN", meta::PROGRESS_TOKEN),
        ("RELATED_TASK", meta::RELATED_TASK),
    ] {
        out.text(&format!("META_{name}"), key);
    }
    out.list("META_TRACE_CONTEXT", &meta::TRACE_CONTEXT);
    out.list("META_MODERN_CLAIMS", &meta::MODERN_CLAIMS);

    out.section("Headers of Streamable HTTP; HEADER_PARAM_PREFIX is followed by the name in `x-mcp-header`.");
    for (name, header) in [
        ("PROTOCOL_VERSION", headers::PROTOCOL_VERSION),
        ("METHOD", headers::METHOD),
        ("NAME", headers::NAME),
        ("PARAM_PREFIX", headers::PARAM_PREFIX),
        ("SESSION_ID", headers::SESSION_ID),
        ("LAST_EVENT_ID", headers::LAST_EVENT_ID),
    ] {
        out.text(&format!("HEADER_{name}"), header);
    }

    out.section("Error codes.");
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
        out.declare(name, &code.to_string());
    }

    out.section("Results: their type, and the members that a server stamps on them.");
    out.text("RESULT_TYPE_COMPLETE", result::COMPLETE);
    out.text("RESULT_TYPE_INPUT_REQUIRED", result::INPUT_REQUIRED);
    out.list("STAMP_MEMBERS", &result::STAMP_MEMBERS);
    out.text
}

/// The text of the module with the facts of MCP Apps.
pub(crate) fn apps_module() -> String {
    let mut out = Module { form: Form::JavaScript, text: String::new() };
    out.text.push_str("// Generated from the Rust source by examples/constants.rs; a test checks that it is fresh.\n");

    out.section("The extension MCP Apps.");
    for (name, value) in [
        ("EXTENSION", apps::EXTENSION),
        ("PROTOCOL_VERSION", apps::PROTOCOL_VERSION),
        ("MIME_TYPE", apps::MIME_TYPE),
        ("URI_PREFIX", apps::URI_PREFIX),
        ("META_UI", apps::META_UI),
        ("META_RESOURCE_URI", apps::META_RESOURCE_URI),
    ] {
        out.text(name, value);
    }

    out.section("What a View sends: its own requests, those for the server, notifications.");
    out.methods(&apps::HOST_ANSWERS);
    out.methods(&apps::HOST_FORWARDS);
    out.methods(&apps::VIEW_NOTIFIES);

    out.section("What a host sends; TOOL_DATA in the order in which it comes.");
    let tool_data = apps::ToolData::ALL.map(apps::ToolData::method);
    out.methods(&tool_data);
    out.list("TOOL_DATA", &tool_data);
    out.methods(&[apps::HOST_CONTEXT_CHANGED, apps::RESOURCE_TEARDOWN]);
    // The first is among what a View sends, too.
    out.methods(apps::LISTS_CHANGED.get(1..).unwrap_or_default());

    out.section("Between a host and its sandbox proxy.");
    out.methods(&[apps::SANDBOX_PROXY_READY, apps::SANDBOX_RESOURCE_READY]);
    out.text("SANDBOX_PREFIX", apps::SANDBOX_PREFIX);

    out.section("The only requests before UI_INITIALIZED; what older peers say, and of that, what a View hears.");
    out.list("BEFORE_INITIALIZED", &apps::BEFORE_INITIALIZED);
    out.table("OLDER_SPELLINGS", &apps::OLDER_SPELLINGS);
    for (older, current) in apps::OLDER_SPELLINGS {
        if tool_data.contains(&current) {
            out.text(&format!("OLDER_{}", constant(current).replacen("NOTIFICATIONS_", "", 1)), older);
        }
    }

    out.section("Values.");
    out.list("VISIBILITY", &apps::VISIBILITY);
    out.list("DISPLAY_MODES", &apps::DISPLAY_MODES);
    out.list("THEMES", &apps::THEMES);
    out.list("PLATFORMS", &apps::PLATFORMS);
    out.table("PERMISSIONS", &apps::PERMISSIONS);
    out.list("STYLE_VARIABLES", &apps::STYLE_VARIABLES);

    out.section("Error codes.");
    for (name, code) in [
        ("METHOD_NOT_FOUND", error::METHOD_NOT_FOUND),
        ("INVALID_PARAMS", error::INVALID_PARAMS),
        ("INTERNAL_ERROR", error::INTERNAL_ERROR),
        ("DENIED", apps::DENIED),
    ] {
        out.declare(name, &code.to_string());
    }

    out.section("Limits.");
    for (name, limit) in [
        ("MAX_VIEW_TOOLS", apps::MAX_VIEW_TOOLS),
        ("VIEW_TOOL_TIMEOUT_MS", apps::VIEW_TOOL_TIMEOUT_MS),
        ("MAX_VIEW_TOOL_RESULT_BYTES", apps::MAX_VIEW_TOOL_RESULT_BYTES),
        ("LIST_CHANGED_INTERVAL_MS", apps::LIST_CHANGED_INTERVAL_MS),
        ("REQUEST_TIMEOUT_MS", apps::REQUEST_TIMEOUT_MS),
        ("INITIALIZE_RETRY_MS", apps::INITIALIZE_RETRY_MS),
        ("MAX_INITIALIZE_RETRY_MS", apps::MAX_INITIALIZE_RETRY_MS),
        ("MAX_SIZE_PX", apps::MAX_SIZE_PX),
    ] {
        out.declare(name, &limit.to_string());
    }
    out.text
}

struct Module {
    form: Form,
    text: String,
}

impl Module {
    fn section(&mut self, comment: &str) {
        self.text.push_str(&format!("\n// {comment}\n"));
    }

    fn declare(&mut self, name: &str, value: &str) {
        self.text.push_str(&match self.form {
            Form::JavaScript => format!("export const {name} = {value};\n"),
            Form::Types => format!("export declare const {name}: {value};\n"),
        });
    }

    fn text(&mut self, name: &str, value: &str) {
        self.declare(name, &json::quote(value));
    }

    /// Each method under its own name: `ui/notifications/tool-input` as `UI_TOOL_INPUT`.
    fn methods(&mut self, names: &[&str]) {
        for name in names {
            self.text(&constant(name).replacen("NOTIFICATIONS_", "", 1), name);
        }
    }

    /// An object, one member a line.
    fn table(&mut self, name: &str, rows: &[(&str, &str)]) {
        let members: String = rows
            .iter()
            .map(|(key, value)| {
                let plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric());
                let key = if plain { (*key).to_owned() } else { json::quote(key) };
                format!("\t{key}: {},\n", json::quote(value))
            })
            .collect();
        self.declare(name, &format!("{{\n{members}}}"));
    }

    /// An array, on one line where it fits, as the formatter has it.
    fn list(&mut self, name: &str, values: &[&str]) {
        let quoted: Vec<String> = values.iter().map(|value| json::quote(value)).collect();
        let readonly = if self.form == Form::Types { "readonly " } else { "" };
        let line = format!("{readonly}[{}]", quoted.join(", "));
        let around = if self.form == Form::Types { "export declare const : ;" } else { "export const  = ;" };
        if around.len() + name.len() + line.len() <= 120 {
            self.declare(name, &line);
        } else {
            let lines: String = quoted.iter().map(|value| format!("\t{value},\n")).collect();
            self.declare(name, &format!("{readonly}[\n{lines}]"));
        }
    }
}

/// `tools/list_changed` and `logging/setLevel` as `TOOLS_LIST_CHANGED` and `LOGGING_SET_LEVEL`.
fn constant(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        match character {
            '/' | '-' => out.push('_'),
            'A'..='Z' => out.extend(['_', character]),
            _ => out.push(character.to_ascii_uppercase()),
        }
    }
    out
}
