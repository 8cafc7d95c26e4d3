// Generated from the Rust source by examples/constants.rs; a test checks that it is fresh.

// The extension MCP Apps.
export const EXTENSION = "io.modelcontextprotocol/ui";
export const PROTOCOL_VERSION = "2026-01-26";
export const MIME_TYPE = "text/html;profile=mcp-app";
export const URI_PREFIX = "ui://";
export const META_UI = "ui";
export const META_RESOURCE_URI = "ui/resourceUri";

// What a View sends: its own requests, those for the server, notifications.
export const UI_INITIALIZE = "ui/initialize";
export const UI_OPEN_LINK = "ui/open-link";
export const UI_DOWNLOAD_FILE = "ui/download-file";
export const UI_MESSAGE = "ui/message";
export const UI_UPDATE_MODEL_CONTEXT = "ui/update-model-context";
export const UI_REQUEST_DISPLAY_MODE = "ui/request-display-mode";
export const PING = "ping";
export const SAMPLING_CREATE_MESSAGE = "sampling/createMessage";
export const TOOLS_CALL = "tools/call";
export const TOOLS_LIST = "tools/list";
export const RESOURCES_READ = "resources/read";
export const RESOURCES_LIST = "resources/list";
export const RESOURCES_TEMPLATES_LIST = "resources/templates/list";
export const PROMPTS_LIST = "prompts/list";
export const UI_INITIALIZED = "ui/notifications/initialized";
export const UI_SIZE_CHANGED = "ui/notifications/size-changed";
export const UI_REQUEST_TEARDOWN = "ui/notifications/request-teardown";
export const MESSAGE = "notifications/message";
export const TOOLS_LIST_CHANGED = "notifications/tools/list_changed";
export const PROGRESS = "notifications/progress";
export const CANCELLED = "notifications/cancelled";

// What a host sends; TOOL_DATA in the order in which it comes.
export const UI_TOOL_INPUT_PARTIAL = "ui/notifications/tool-input-partial";
export const UI_TOOL_INPUT = "ui/notifications/tool-input";
export const UI_TOOL_RESULT = "ui/notifications/tool-result";
export const UI_TOOL_CANCELLED = "ui/notifications/tool-cancelled";
export const TOOL_DATA = [
	"ui/notifications/tool-input-partial",
	"ui/notifications/tool-input",
	"ui/notifications/tool-result",
	"ui/notifications/tool-cancelled",
];
export const UI_HOST_CONTEXT_CHANGED = "ui/notifications/host-context-changed";
export const UI_RESOURCE_TEARDOWN = "ui/resource-teardown";
export const RESOURCES_LIST_CHANGED = "notifications/resources/list_changed";
export const PROMPTS_LIST_CHANGED = "notifications/prompts/list_changed";

// Between a host and its sandbox proxy.
export const UI_SANDBOX_PROXY_READY = "ui/notifications/sandbox-proxy-ready";
export const UI_SANDBOX_RESOURCE_READY = "ui/notifications/sandbox-resource-ready";
export const SANDBOX_PREFIX = "ui/notifications/sandbox-";

// The only requests before UI_INITIALIZED; what older peers say, and of that, what a View hears.
export const BEFORE_INITIALIZED = ["ui/initialize", "ping"];
export const OLDER_SPELLINGS = {
	"ui/size-change": "ui/notifications/size-changed",
	"ui/notifications/size-change": "ui/notifications/size-changed",
	"ui/tool-cancelled": "ui/notifications/tool-cancelled",
	"ui/notifications/sandbox-ready": "ui/notifications/sandbox-proxy-ready",
	"ui/sandbox-resource-ready": "ui/notifications/sandbox-resource-ready",
};
export const OLDER_UI_TOOL_CANCELLED = "ui/tool-cancelled";

// Values.
export const VISIBILITY = ["model", "app"];
export const DISPLAY_MODES = ["inline", "fullscreen", "pip"];
export const THEMES = ["light", "dark"];
export const PLATFORMS = ["web", "desktop", "mobile"];
export const PERMISSIONS = {
	camera: "camera",
	microphone: "microphone",
	geolocation: "geolocation",
	clipboardWrite: "clipboard-write",
};
export const STYLE_VARIABLES = [
	"--color-background-primary",
	"--color-background-secondary",
	"--color-background-tertiary",
	"--color-background-inverse",
	"--color-background-ghost",
	"--color-background-info",
	"--color-background-danger",
	"--color-background-success",
	"--color-background-warning",
	"--color-background-disabled",
	"--color-text-primary",
	"--color-text-secondary",
	"--color-text-tertiary",
	"--color-text-inverse",
	"--color-text-ghost",
	"--color-text-info",
	"--color-text-danger",
	"--color-text-success",
	"--color-text-warning",
	"--color-text-disabled",
	"--color-border-primary",
	"--color-border-secondary",
	"--color-border-tertiary",
	"--color-border-inverse",
	"--color-border-ghost",
	"--color-border-info",
	"--color-border-danger",
	"--color-border-success",
	"--color-border-warning",
	"--color-border-disabled",
	"--color-ring-primary",
	"--color-ring-secondary",
	"--color-ring-inverse",
	"--color-ring-info",
	"--color-ring-danger",
	"--color-ring-success",
	"--color-ring-warning",
	"--font-sans",
	"--font-mono",
	"--font-weight-normal",
	"--font-weight-medium",
	"--font-weight-semibold",
	"--font-weight-bold",
	"--font-text-xs-size",
	"--font-text-xs-line-height",
	"--font-text-sm-size",
	"--font-text-sm-line-height",
	"--font-text-md-size",
	"--font-text-md-line-height",
	"--font-text-lg-size",
	"--font-text-lg-line-height",
	"--font-heading-xs-size",
	"--font-heading-xs-line-height",
	"--font-heading-sm-size",
	"--font-heading-sm-line-height",
	"--font-heading-md-size",
	"--font-heading-md-line-height",
	"--font-heading-lg-size",
	"--font-heading-lg-line-height",
	"--font-heading-xl-size",
	"--font-heading-xl-line-height",
	"--font-heading-2xl-size",
	"--font-heading-2xl-line-height",
	"--font-heading-3xl-size",
	"--font-heading-3xl-line-height",
	"--border-radius-xs",
	"--border-radius-sm",
	"--border-radius-md",
	"--border-radius-lg",
	"--border-radius-xl",
	"--border-radius-full",
	"--border-width-regular",
	"--shadow-hairline",
	"--shadow-sm",
	"--shadow-md",
	"--shadow-lg",
];

// Error codes.
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const DENIED = -32000;

// Limits.
export const MAX_VIEW_TOOLS = 50;
export const VIEW_TOOL_TIMEOUT_MS = 30000;
export const MAX_VIEW_TOOL_RESULT_BYTES = 10485760;
export const LIST_CHANGED_INTERVAL_MS = 100;
export const REQUEST_TIMEOUT_MS = 60000;
export const INITIALIZE_RETRY_MS = 500;
export const MAX_INITIALIZE_RETRY_MS = 8000;
export const MAX_SIZE_PX = 100000;
