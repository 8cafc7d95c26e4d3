// Generated from the Rust source by examples/constants.rs; a test checks that it is fresh.

// Protocol versions, newest first.
export const PROTOCOL_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
export const LATEST_PROTOCOL_VERSION = "2026-07-28";
export const FIRST_MODERN_PROTOCOL_VERSION = "2026-07-28";
export const LATEST_LEGACY_PROTOCOL_VERSION = "2025-11-25";
export const PROTOCOL_VERSION_WITHOUT_HEADER = "2025-03-26";

// Methods: requests of both eras, of one era only, of tasks, from server to client.
export const METHOD_TOOLS_LIST = "tools/list";
export const METHOD_TOOLS_CALL = "tools/call";
export const METHOD_RESOURCES_LIST = "resources/list";
export const METHOD_RESOURCES_TEMPLATES_LIST = "resources/templates/list";
export const METHOD_RESOURCES_READ = "resources/read";
export const METHOD_PROMPTS_LIST = "prompts/list";
export const METHOD_PROMPTS_GET = "prompts/get";
export const METHOD_COMPLETION_COMPLETE = "completion/complete";
export const METHOD_INITIALIZE = "initialize";
export const METHOD_PING = "ping";
export const METHOD_LOGGING_SET_LEVEL = "logging/setLevel";
export const METHOD_RESOURCES_SUBSCRIBE = "resources/subscribe";
export const METHOD_RESOURCES_UNSUBSCRIBE = "resources/unsubscribe";
export const METHOD_SERVER_DISCOVER = "server/discover";
export const METHOD_SUBSCRIPTIONS_LISTEN = "subscriptions/listen";
export const METHOD_TASKS_GET = "tasks/get";
export const METHOD_TASKS_RESULT = "tasks/result";
export const METHOD_TASKS_LIST = "tasks/list";
export const METHOD_TASKS_CANCEL = "tasks/cancel";
export const METHOD_SAMPLING_CREATE_MESSAGE = "sampling/createMessage";
export const METHOD_ELICITATION_CREATE = "elicitation/create";
export const METHOD_ROOTS_LIST = "roots/list";
export const LEGACY_ONLY_METHODS = [
	"initialize",
	"ping",
	"logging/setLevel",
	"resources/subscribe",
	"resources/unsubscribe",
];
export const MODERN_ONLY_METHODS = ["server/discover", "subscriptions/listen"];
export const NOTIFICATION_INITIALIZED = "notifications/initialized";
export const NOTIFICATION_CANCELLED = "notifications/cancelled";
export const NOTIFICATION_PROGRESS = "notifications/progress";
export const NOTIFICATION_MESSAGE = "notifications/message";
export const NOTIFICATION_TOOLS_LIST_CHANGED = "notifications/tools/list_changed";
export const NOTIFICATION_PROMPTS_LIST_CHANGED = "notifications/prompts/list_changed";
export const NOTIFICATION_RESOURCES_LIST_CHANGED = "notifications/resources/list_changed";
export const NOTIFICATION_RESOURCES_UPDATED = "notifications/resources/updated";
export const NOTIFICATION_ROOTS_LIST_CHANGED = "notifications/roots/list_changed";
export const NOTIFICATION_ELICITATION_COMPLETE = "notifications/elicitation/complete";
export const NOTIFICATION_SUBSCRIPTIONS_ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
export const NOTIFICATION_TASKS_STATUS = "notifications/tasks/status";

// Reserved keys of `_meta`; one of META_MODERN_CLAIMS makes a request modern.
export const META_PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
export const META_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
export const META_CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
export const META_LOG_LEVEL = "io.modelcontextprotocol/logLevel";
export const META_SERVER_INFO = "io.modelcontextprotocol/serverInfo";
export const META_SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
export const META_PROGRESS_TOKEN = "progressToken";
export const META_RELATED_TASK = "io.modelcontextprotocol/related-task";
export const META_TRACE_CONTEXT = ["traceparent", "tracestate", "baggage"];
export const META_MODERN_CLAIMS = [
	"io.modelcontextprotocol/protocolVersion",
	"io.modelcontextprotocol/clientCapabilities",
	"io.modelcontextprotocol/clientInfo",
	"io.modelcontextprotocol/logLevel",
];

// Headers of Streamable HTTP; HEADER_PARAM_PREFIX is followed by the name in `x-mcp-header`.
export const HEADER_PROTOCOL_VERSION = "MCP-Protocol-Version";
export const HEADER_METHOD = "Mcp-Method";
export const HEADER_NAME = "Mcp-Name";
export const HEADER_PARAM_PREFIX = "Mcp-Param-";
export const HEADER_SESSION_ID = "Mcp-Session-Id";
export const HEADER_LAST_EVENT_ID = "Last-Event-ID";

// Error codes.
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const RESOURCE_NOT_FOUND = -32002;
export const URL_ELICITATION_REQUIRED = -32042;
export const HEADER_MISMATCH = -32020;
export const MISSING_REQUIRED_CLIENT_CAPABILITY = -32021;
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

// Results: their type, and the members that a server stamps on them.
export const RESULT_TYPE_COMPLETE = "complete";
export const RESULT_TYPE_INPUT_REQUIRED = "input_required";
export const STAMP_MEMBERS = ["_meta", "resultType", "ttlMs", "cacheScope"];
