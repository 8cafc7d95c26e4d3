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

/// The keys with a reserved prefix that the specification or an official extension defines.
const DEFINED: [&str; 8] = [
    PROTOCOL_VERSION,
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    LOG_LEVEL,
    SERVER_INFO,
    SUBSCRIPTION_ID,
    RELATED_TASK,
    "io.modelcontextprotocol/ui-resource-uri",
];

/// Checks a key that somebody wants to put into `_meta`, against the rules for names and the
/// prefixes that are not theirs to use.
///
/// # Errors
///
/// The rule that the key breaks, as what was expected.
pub fn check_key(key: &str) -> Result<(), &'static str> {
    let name = match key.split_once('/') {
        Some((prefix, name)) => {
            if !prefix.split('.').all(is_label) {
                return Err(
                    "expected each label of the prefix to begin with a letter, to end with a letter or digit, \
                            and to have only letters, digits and '-' between",
                );
            }
            if is_reserved_prefix(prefix) && !DEFINED.contains(&key) {
                return Err("expected a prefix of your own: those with 'mcp' or 'modelcontextprotocol' as their \
                            second label are reserved");
            }
            name
        }
        None => key,
    };
    let [first, .., last] = name.as_bytes() else {
        return if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) { Ok(()) } else { Err(NAME_RULE) };
    };
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() && name.bytes().all(inner) {
        Ok(())
    } else {
        Err(NAME_RULE)
    }
}

const NAME_RULE: &str = "expected a name that begins and ends with a letter or digit, and has only letters, digits, \
                         '-', '_' and '.' between";

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
