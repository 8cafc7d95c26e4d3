// Generated from the Rust source by examples/constants.rs; a test checks that it is fresh.

// Protocol versions, newest first.
export declare const PROTOCOL_VERSIONS: readonly ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
export declare const LATEST_PROTOCOL_VERSION: "2026-07-28";
export declare const FIRST_MODERN_PROTOCOL_VERSION: "2026-07-28";
export declare const LATEST_LEGACY_PROTOCOL_VERSION: "2025-11-25";
export declare const PROTOCOL_VERSION_WITHOUT_HEADER: "2025-03-26";

// Methods: requests of both eras, of one era only, of tasks, from server to client.
export declare const METHOD_TOOLS_LIST: "tools/list";
export declare const METHOD_TOOLS_CALL: "tools/call";
export declare const METHOD_RESOURCES_LIST: "resources/list";
export declare const METHOD_RESOURCES_TEMPLATES_LIST: "resources/templates/list";
export declare const METHOD_RESOURCES_READ: "resources/read";
export declare const METHOD_PROMPTS_LIST: "prompts/list";
export declare const METHOD_PROMPTS_GET: "prompts/get";
export declare const METHOD_COMPLETION_COMPLETE: "completion/complete";
export declare const METHOD_INITIALIZE: "initialize";
export declare const METHOD_PING: "ping";
export declare const METHOD_LOGGING_SET_LEVEL: "logging/setLevel";
export declare const METHOD_RESOURCES_SUBSCRIBE: "resources/subscribe";
export declare const METHOD_RESOURCES_UNSUBSCRIBE: "resources/unsubscribe";
export declare const METHOD_SERVER_DISCOVER: "server/discover";
export declare const METHOD_SUBSCRIPTIONS_LISTEN: "subscriptions/listen";
export declare const METHOD_TASKS_GET: "tasks/get";
export declare const METHOD_TASKS_RESULT: "tasks/result";
export declare const METHOD_TASKS_LIST: "tasks/list";
export declare const METHOD_TASKS_CANCEL: "tasks/cancel";
export declare const METHOD_SAMPLING_CREATE_MESSAGE: "sampling/createMessage";
export declare const METHOD_ELICITATION_CREATE: "elicitation/create";
export declare const METHOD_ROOTS_LIST: "roots/list";
export declare const LEGACY_ONLY_METHODS: readonly [
	"initialize",
	"ping",
	"logging/setLevel",
	"resources/subscribe",
	"resources/unsubscribe",
];
export declare const MODERN_ONLY_METHODS: readonly ["server/discover", "subscriptions/listen"];
export declare const NOTIFICATION_INITIALIZED: "notifications/initialized";
export declare const NOTIFICATION_CANCELLED: "notifications/cancelled";
export declare const NOTIFICATION_PROGRESS: "notifications/progress";
export declare const NOTIFICATION_MESSAGE: "notifications/message";
export declare const NOTIFICATION_TOOLS_LIST_CHANGED: "notifications/tools/list_changed";
export declare const NOTIFICATION_PROMPTS_LIST_CHANGED: "notifications/prompts/list_changed";
export declare const NOTIFICATION_RESOURCES_LIST_CHANGED: "notifications/resources/list_changed";
export declare const NOTIFICATION_RESOURCES_UPDATED: "notifications/resources/updated";
export declare const NOTIFICATION_ROOTS_LIST_CHANGED: "notifications/roots/list_changed";
export declare const NOTIFICATION_ELICITATION_COMPLETE: "notifications/elicitation/complete";
export declare const NOTIFICATION_SUBSCRIPTIONS_ACKNOWLEDGED: "notifications/subscriptions/acknowledged";
export declare const NOTIFICATION_TASKS_STATUS: "notifications/tasks/status";

// Reserved keys of `_meta`; one of META_MODERN_CLAIMS makes a request modern.
export declare const META_PROTOCOL_VERSION: "io.modelcontextprotocol/protocolVersion";
export declare const META_CLIENT_CAPABILITIES: "io.modelcontextprotocol/clientCapabilities";
export declare const META_CLIENT_INFO: "io.modelcontextprotocol/clientInfo";
export declare const META_LOG_LEVEL: "io.modelcontextprotocol/logLevel";
export declare const META_SERVER_INFO: "io.modelcontextprotocol/serverInfo";
export declare const META_SUBSCRIPTION_ID: "io.modelcontextprotocol/subscriptionId";
export declare const META_PROGRESS_TOKEN: "progressToken";
export declare const META_RELATED_TASK: "io.modelcontextprotocol/related-task";
export declare const META_TRACE_CONTEXT: readonly ["traceparent", "tracestate", "baggage"];
export declare const META_MODERN_CLAIMS: readonly [
	"io.modelcontextprotocol/protocolVersion",
	"io.modelcontextprotocol/clientCapabilities",
	"io.modelcontextprotocol/clientInfo",
	"io.modelcontextprotocol/logLevel",
];

// Headers of Streamable HTTP; HEADER_PARAM_PREFIX is followed by the name in `x-mcp-header`.
export declare const HEADER_PROTOCOL_VERSION: "MCP-Protocol-Version";
export declare const HEADER_METHOD: "Mcp-Method";
export declare const HEADER_NAME: "Mcp-Name";
export declare const HEADER_PARAM_PREFIX: "Mcp-Param-";
export declare const HEADER_SESSION_ID: "Mcp-Session-Id";
export declare const HEADER_LAST_EVENT_ID: "Last-Event-ID";

// Error codes.
export declare const PARSE_ERROR: -32700;
export declare const INVALID_REQUEST: -32600;
export declare const METHOD_NOT_FOUND: -32601;
export declare const INVALID_PARAMS: -32602;
export declare const INTERNAL_ERROR: -32603;
export declare const RESOURCE_NOT_FOUND: -32002;
export declare const URL_ELICITATION_REQUIRED: -32042;
export declare const HEADER_MISMATCH: -32020;
export declare const MISSING_REQUIRED_CLIENT_CAPABILITY: -32021;
export declare const UNSUPPORTED_PROTOCOL_VERSION: -32022;

// Results: their type, and the members that a server stamps on them.
export declare const RESULT_TYPE_COMPLETE: "complete";
export declare const RESULT_TYPE_INPUT_REQUIRED: "input_required";
export declare const STAMP_MEMBERS: readonly ["_meta", "resultType", "ttlMs", "cacheScope"];
