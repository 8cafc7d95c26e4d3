//! Every method of the core protocol, and the eras that define it.
//!
//! Absence is the rule: a method that an era does not define does not exist there.

use super::version::Era;

/// `initialize`
pub const INITIALIZE: &str = "initialize";
/// `ping`
pub const PING: &str = "ping";
/// `server/discover`
pub const SERVER_DISCOVER: &str = "server/discover";
/// `tools/list`
pub const TOOLS_LIST: &str = "tools/list";
/// `tools/call`
pub const TOOLS_CALL: &str = "tools/call";
/// `resources/list`
pub const RESOURCES_LIST: &str = "resources/list";
/// `resources/templates/list`
pub const RESOURCES_TEMPLATES_LIST: &str = "resources/templates/list";
/// `resources/read`
pub const RESOURCES_READ: &str = "resources/read";
/// `resources/subscribe`
pub const RESOURCES_SUBSCRIBE: &str = "resources/subscribe";
/// `resources/unsubscribe`
pub const RESOURCES_UNSUBSCRIBE: &str = "resources/unsubscribe";
/// `prompts/list`
pub const PROMPTS_LIST: &str = "prompts/list";
/// `prompts/get`
pub const PROMPTS_GET: &str = "prompts/get";
/// `completion/complete`
pub const COMPLETION_COMPLETE: &str = "completion/complete";
/// `logging/setLevel`
pub const LOGGING_SET_LEVEL: &str = "logging/setLevel";
/// `subscriptions/listen`
pub const SUBSCRIPTIONS_LISTEN: &str = "subscriptions/listen";
/// `sampling/createMessage`
pub const SAMPLING_CREATE_MESSAGE: &str = "sampling/createMessage";
/// `elicitation/create`
pub const ELICITATION_CREATE: &str = "elicitation/create";
/// `roots/list`
pub const ROOTS_LIST: &str = "roots/list";
/// `tasks/get` (2025-11-25; afterwards an extension)
pub const TASKS_GET: &str = "tasks/get";
/// `tasks/result` (2025-11-25)
pub const TASKS_RESULT: &str = "tasks/result";
/// `tasks/list` (2025-11-25)
pub const TASKS_LIST: &str = "tasks/list";
/// `tasks/cancel` (2025-11-25; afterwards an extension)
pub const TASKS_CANCEL: &str = "tasks/cancel";

/// `notifications/initialized`
pub const INITIALIZED: &str = "notifications/initialized";
/// `notifications/cancelled`
pub const CANCELLED: &str = "notifications/cancelled";
/// `notifications/progress`
pub const PROGRESS: &str = "notifications/progress";
/// `notifications/message`
pub const LOG_MESSAGE: &str = "notifications/message";
/// `notifications/tools/list_changed`
pub const TOOLS_LIST_CHANGED: &str = "notifications/tools/list_changed";
/// `notifications/prompts/list_changed`
pub const PROMPTS_LIST_CHANGED: &str = "notifications/prompts/list_changed";
/// `notifications/resources/list_changed`
pub const RESOURCES_LIST_CHANGED: &str = "notifications/resources/list_changed";
/// `notifications/resources/updated`
pub const RESOURCES_UPDATED: &str = "notifications/resources/updated";
/// `notifications/roots/list_changed`
pub const ROOTS_LIST_CHANGED: &str = "notifications/roots/list_changed";
/// `notifications/elicitation/complete`
pub const ELICITATION_COMPLETE: &str = "notifications/elicitation/complete";
/// `notifications/subscriptions/acknowledged`
pub const SUBSCRIPTIONS_ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
/// `notifications/tasks/status` (2025-11-25)
pub const TASKS_STATUS: &str = "notifications/tasks/status";

/// Where a request's `Mcp-Name` header comes from (2026-07-28, basic/transports/streamable-http,
/// "Standard Request Headers").
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NameSource {
    /// `params.name`
    Name,
    /// `params.uri`
    Uri,
}

impl NameSource {
    /// The member of `params`.
    pub fn member(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Uri => "uri",
        }
    }
}

/// The source of the `Mcp-Name` header of that method's requests, if they have one.
pub fn name_source(method: &str) -> Option<NameSource> {
    match method {
        TOOLS_CALL | PROMPTS_GET => Some(NameSource::Name),
        RESOURCES_READ => Some(NameSource::Uri),
        _ => None,
    }
}

/// Requests from client to server of both eras.
pub const BOTH: [&str; 8] = [
    TOOLS_LIST,
    TOOLS_CALL,
    RESOURCES_LIST,
    RESOURCES_TEMPLATES_LIST,
    RESOURCES_READ,
    PROMPTS_LIST,
    PROMPTS_GET,
    COMPLETION_COMPLETE,
];
/// Requests from client to server that only the legacy era has.
pub const LEGACY_ONLY: [&str; 5] = [INITIALIZE, PING, LOGGING_SET_LEVEL, RESOURCES_SUBSCRIBE, RESOURCES_UNSUBSCRIBE];
/// Requests from client to server that only the modern era has.
pub const MODERN_ONLY: [&str; 2] = [SERVER_DISCOVER, SUBSCRIPTIONS_LISTEN];
/// Requests of the experimental tasks of 2025-11-25, which either side may send; not of the core that every server has.
pub const TASKS: [&str; 4] = [TASKS_GET, TASKS_RESULT, TASKS_LIST, TASKS_CANCEL];
/// What a server asks a client: requests of their own in the legacy era, members of `inputRequests` in the modern.
pub const SERVER_REQUESTS: [&str; 3] = [SAMPLING_CREATE_MESSAGE, ELICITATION_CREATE, ROOTS_LIST];
/// Every notification of either era.
pub const NOTIFICATIONS: [&str; 12] = [
    INITIALIZED,
    CANCELLED,
    PROGRESS,
    LOG_MESSAGE,
    TOOLS_LIST_CHANGED,
    PROMPTS_LIST_CHANGED,
    RESOURCES_LIST_CHANGED,
    RESOURCES_UPDATED,
    ROOTS_LIST_CHANGED,
    ELICITATION_COMPLETE,
    SUBSCRIPTIONS_ACKNOWLEDGED,
    TASKS_STATUS,
];

/// Whether the core protocol defines that client-to-server request in that era.
pub fn is_request_in(method: &str, era: Era) -> bool {
    BOTH.contains(&method)
        || match era {
            Era::Legacy => LEGACY_ONLY.contains(&method),
            Era::Modern => MODERN_ONLY.contains(&method),
        }
}

/// Whether the request changes nothing, so that it may be sent again.
pub fn is_read(method: &str) -> bool {
    method != TOOLS_CALL && BOTH.contains(&method) || matches!(method, PING | SERVER_DISCOVER)
}

/// Whether the method exists in the modern era and in no other.
pub fn is_modern_only(method: &str) -> bool {
    MODERN_ONLY.contains(&method)
}

/// Whether the core protocol defines that client-to-server request in some era.
pub fn is_core_request(method: &str) -> bool {
    is_request_in(method, Era::Legacy) || is_request_in(method, Era::Modern)
}

/// Whether modern results of that method carry `ttlMs` and `cacheScope` (2026-07-28, server/utilities/caching).
pub fn is_cacheable(method: &str) -> bool {
    CACHEABLE.contains(&method)
}

/// The methods of [`is_cacheable`].
pub const CACHEABLE: [&str; 6] =
    [SERVER_DISCOVER, TOOLS_LIST, PROMPTS_LIST, RESOURCES_LIST, RESOURCES_TEMPLATES_LIST, RESOURCES_READ];
