//! A server's question as a host shows it, and the host's answer (2026-07-28, client/elicitation).

use crate::protocol::json::{Raw, Writer};

/// A question as a host shows it: `{"id", "mode", "message", "schema"?, "url"?}`. `id` is the caller's, unique among
/// the questions that are open.
///
/// # Errors
///
/// What is wrong with the question: a mode that nobody knows, a URL that is not one of the web.
pub fn to_request(id: &str, params: Raw<'_>) -> Result<String, String> {
    let mut out = Writer::new();
    out.open_object().name("id").string(id);
    let message = params.get_str("message").unwrap_or_default();
    match params.get_str("mode").as_deref() {
        None | Some("form") => {
            let schema = params.get("requestedSchema").filter(|schema| schema.is_object());
            let schema = schema.ok_or("expected requestedSchema to be an object")?;
            out.name("mode").string("form").name("message").string(&message).name("schema").value(schema);
        }
        Some("url") => {
            let url = params.get_str("url").unwrap_or_default();
            // Never a script, a file or a place inside the host.
            if !is_web_url(&url) {
                return Err("expected url to begin with https:// or http://".to_owned());
            }
            out.name("mode").string("url").name("message").string(&message).name("url").string(&url);
        }
        Some(other) => return Err(["expected mode to be \"form\" or \"url\", got ", other].concat()),
    }
    out.close_object();
    Ok(out.finish())
}

fn is_web_url(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let host = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    host.is_some_and(|host| host.bytes().next().is_some_and(|first| !matches!(first, b'/' | b'?' | b'#' | b'\\')))
        && !url.bytes().any(|byte| byte <= b' ' || byte == 0x7F)
}

/// The result for the server. `{"ok": true, "data": {…}}` accepts; `{"ok": false, "reason": "declined"}` declines;
/// anything else cancels: no answer, a late one, one that makes no sense.
pub fn to_result(answer: Raw<'_>) -> String {
    let mut out = Writer::new();
    out.open_object().name("action");
    match answer.get("ok").and_then(Raw::as_bool) {
        Some(true) => {
            out.string("accept");
            if let Some(data) = answer.get("data").filter(|data| data.is_object()) {
                out.name("content").value(data);
            }
        }
        Some(false) if answer.get_str("reason").is_some_and(|reason| reason == "declined") => {
            out.string("decline");
        }
        _ => {
            out.string("cancel");
        }
    }
    out.close_object();
    out.finish()
}
