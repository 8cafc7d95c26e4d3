//! The reserved `_meta` keys (2026-07-28, basic/index, "`_meta`").

/// The protocol version of a request; required in every modern request.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The client's capabilities; required in every modern request.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The client's name and version.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The least severe level of log messages that this request wants.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The server's name and version, in results.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The id of the `subscriptions/listen` request that a notification belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The token that ties progress notifications to a request.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// W3C trace context, carried through untouched.
pub const TRACE_CONTEXT: [&str; 3] = ["traceparent", "tracestate", "baggage"];

/// The keys that make a request modern, whichever of them it has.
pub const MODERN_CLAIMS: [&str; 4] = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL];

/// Ties a message to a task (2025-11-25; afterwards the tasks extension).
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// The prefix under which the specification and the official extensions define keys.
const OFFICIAL_PREFIX: &str = "io.modelcontextprotocol";

/// Checks a key that somebody wants to put into `_meta`: the rules for names, and the prefixes that are
/// reserved. Keys of the official prefix pass, for whoever uses an official extension needs them.
///
/// # Errors
///
/// The rule that the key breaks.
pub fn check_key(key: &str) -> Result<(), &'static str> {
    let name = match key.rsplit_once('/') {
        Some((prefix, name)) => {
            if !prefix.split('.').all(is_label) {
                return Err("the prefix of a _meta key must be labels separated by dots, each beginning with a \
                            letter and ending with a letter or a digit");
            }
            if is_reserved_prefix(prefix) && prefix != OFFICIAL_PREFIX {
                return Err("a prefix with \"mcp\" or \"modelcontextprotocol\" as its second label is reserved: \
                            use one of your own");
            }
            name
        }
        None => key,
    };
    let is_alphanumeric = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    if !is_alphanumeric(bytes.first()) || !is_alphanumeric(bytes.last()) {
        return Err("the name of a _meta key must begin and end with a letter or a digit");
    }
    if !bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte)) {
        return Err("the name of a _meta key may only hold letters, digits, '-', '_' and '.'");
    }
    Ok(())
}

/// Whether only the specification may define keys with that prefix.
pub fn is_reserved_prefix(prefix: &str) -> bool {
    matches!(prefix.split('.').nth(1), Some("mcp" | "modelcontextprotocol"))
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}
