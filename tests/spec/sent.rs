//! What a server sends, whole messages, against the schema of the revision that they belong to.

use super::revision;
use mcp_duet::protocol::json::Raw;
use mcp_duet::protocol::schema::describe;
use mcp_duet::protocol::version::{Era, ProtocolVersion};

/// Checks a message that a server sends: a notification, a request, or the answer to a request of that method.
pub fn check_sent(version: ProtocolVersion, asked: &str, text: &str) {
    let message = Raw::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let modern = version.era() == Era::Modern;
    let (name, part) = if let Some(method) = message.get_str("method") {
        (type_of(&method), message)
    } else if let Some(error) = message.get("error") {
        let name = match error.get("code").and_then(Raw::as_i64) {
            Some(-32020) => "HeaderMismatchError",
            Some(-32021) => "MissingRequiredClientCapabilityError",
            Some(-32022) => "UnsupportedProtocolVersionError",
            _ => "JSONRPCErrorResponse",
        };
        (name, message)
    } else {
        let result = message.get("result").unwrap_or_else(|| panic!("neither result nor error: {text}"));
        let asks = result.get_str("resultType").as_deref() == Some("input_required");
        let whole = if modern { "JSONRPCResultResponse" } else { "JSONRPCResponse" };
        fits(version, whole, message);
        (if asks { "InputRequiredResult" } else { type_of(asked) }, result)
    };
    fits(if name.ends_with("Error") { ProtocolVersion::LATEST } else { version }, name, part);
}

fn fits(version: ProtocolVersion, name: &str, value: Raw<'_>) {
    if let Err(violations) = revision(version).schema(name).validate(value) {
        panic!("{} {name}: {}: {}", version.as_str(), value.as_text(), describe(&violations));
    }
}

/// The type of a notification or request of a server, or of the result of a client's request.
fn type_of(method: &str) -> &'static str {
    match method {
        "notifications/progress" => "ProgressNotification",
        "notifications/message" => "LoggingMessageNotification",
        "notifications/cancelled" => "CancelledNotification",
        "notifications/tools/list_changed" => "ToolListChangedNotification",
        "notifications/prompts/list_changed" => "PromptListChangedNotification",
        "notifications/resources/list_changed" => "ResourceListChangedNotification",
        "notifications/resources/updated" => "ResourceUpdatedNotification",
        "notifications/subscriptions/acknowledged" => "SubscriptionsAcknowledgedNotification",
        "elicitation/create" => "ElicitRequest",
        "sampling/createMessage" => "CreateMessageRequest",
        "roots/list" => "ListRootsRequest",
        "initialize" => "InitializeResult",
        "server/discover" => "DiscoverResult",
        "tools/list" => "ListToolsResult",
        "tools/call" => "CallToolResult",
        "resources/list" => "ListResourcesResult",
        "resources/templates/list" => "ListResourceTemplatesResult",
        "resources/read" => "ReadResourceResult",
        "prompts/list" => "ListPromptsResult",
        "prompts/get" => "GetPromptResult",
        "completion/complete" => "CompleteResult",
        "subscriptions/listen" => "SubscriptionsListenResult",
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => "EmptyResult",
        _ => panic!("no type is known for {method}"),
    }
}
