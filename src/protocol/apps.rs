//! The facts of the extension MCP Apps, `io.modelcontextprotocol/ui` (ext-apps, specification 2026-01-26 and draft).
//!
//! One source for the host, which is Rust, and for the View, which is plain JavaScript:
//! `examples/constants.rs` writes the module that the View imports. The channel between the
//! two has no era: neither the MCP `initialize` nor the per-request `_meta` runs on it.

use super::json::{Kind, Raw};
use super::method;

/// The extension's key in `capabilities.extensions`.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The only version of the channel between View and host.
pub const PROTOCOL_VERSION: &str = "2026-01-26";
/// The type of a resource that is a View.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// What the URI of such a resource begins with.
pub const URI_PREFIX: &str = "ui://";
/// The member of `_meta` in which tools and resources declare what concerns their View.
pub const META_UI: &str = "ui";
/// The member of [`META_UI`] that names a tool's View.
pub const RESOURCE_URI: &str = "resourceUri";
/// The older, flat key of `_meta` for the same; still read and written by hosts and servers.
pub const META_RESOURCE_URI: &str = "ui/resourceUri";

/// View to host, the first request.
pub const INITIALIZE: &str = "ui/initialize";
/// View to host: a link to open.
pub const OPEN_LINK: &str = "ui/open-link";
/// View to host: files to save (draft).
pub const DOWNLOAD_FILE: &str = "ui/download-file";
/// View to host: a message of the user's into the conversation.
pub const MESSAGE: &str = "ui/message";
/// View to host: what the model is to know from now on; replaces what was there.
pub const UPDATE_MODEL_CONTEXT: &str = "ui/update-model-context";
/// View to host: another display mode, please.
pub const REQUEST_DISPLAY_MODE: &str = "ui/request-display-mode";
/// View to host: the handshake is done.
pub const INITIALIZED: &str = "ui/notifications/initialized";
/// View to host: how large the content is, in CSS pixels.
pub const SIZE_CHANGED: &str = "ui/notifications/size-changed";
/// View to host: the View would like to be closed (draft).
pub const REQUEST_TEARDOWN: &str = "ui/notifications/request-teardown";
/// Host to View: the arguments as far as they have been written.
pub const TOOL_INPUT_PARTIAL: &str = "ui/notifications/tool-input-partial";
/// Host to View: the arguments.
pub const TOOL_INPUT: &str = "ui/notifications/tool-input";
/// Host to View: the result.
pub const TOOL_RESULT: &str = "ui/notifications/tool-result";
/// Host to View: there will be no result.
pub const TOOL_CANCELLED: &str = "ui/notifications/tool-cancelled";
/// Host to View: members of the host context that have changed.
pub const HOST_CONTEXT_CHANGED: &str = "ui/notifications/host-context-changed";
/// Host to View, a request: the View is about to be removed.
pub const RESOURCE_TEARDOWN: &str = "ui/resource-teardown";
/// Sandbox proxy to host: its listener is there.
pub const SANDBOX_PROXY_READY: &str = "ui/notifications/sandbox-proxy-ready";
/// Host to sandbox proxy: the document of the View.
pub const SANDBOX_RESOURCE_READY: &str = "ui/notifications/sandbox-resource-ready";

/// What the methods begin with that a sandbox proxy keeps to itself.
pub const SANDBOX_PREFIX: &str = "ui/notifications/sandbox-";
/// What the methods begin with that a host never forwards to a server.
pub const UI_PREFIX: &str = "ui/";

/// The only requests that are valid before [`INITIALIZED`].
pub const BEFORE_INITIALIZED: [&str; 2] = [INITIALIZE, method::PING];

/// Requests that a host answers itself.
pub const HOST_ANSWERS: [&str; 8] = [
    INITIALIZE,
    OPEN_LINK,
    DOWNLOAD_FILE,
    MESSAGE,
    UPDATE_MODEL_CONTEXT,
    REQUEST_DISPLAY_MODE,
    method::PING,
    method::SAMPLING_CREATE_MESSAGE,
];

/// Requests that a host forwards to the server that the View came from.
pub const HOST_FORWARDS: [&str; 6] = [
    method::TOOLS_CALL,
    method::TOOLS_LIST,
    method::RESOURCES_READ,
    method::RESOURCES_LIST,
    method::RESOURCES_TEMPLATES_LIST,
    method::PROMPTS_LIST,
];

/// Notifications that a View sends.
pub const VIEW_NOTIFIES: [&str; 7] = [
    INITIALIZED,
    SIZE_CHANGED,
    REQUEST_TEARDOWN,
    method::LOG_MESSAGE,
    method::TOOLS_LIST_CHANGED,
    method::PROGRESS,
    method::CANCELLED,
];

/// Requests that a View answers; those for tools only if it provides some.
pub const VIEW_ANSWERS: [&str; 4] = [RESOURCE_TEARDOWN, method::TOOLS_LIST, method::TOOLS_CALL, method::PING];

/// Notifications about the server's lists that a host passes on.
pub const LISTS_CHANGED: [&str; 3] =
    [method::TOOLS_LIST_CHANGED, method::RESOURCES_LIST_CHANGED, method::PROMPTS_LIST_CHANGED];

/// Spellings of drafts and older peers, each with what it means now.
pub const OLDER_SPELLINGS: [(&str, &str); 5] = [
    ("ui/size-change", SIZE_CHANGED),
    ("ui/notifications/size-change", SIZE_CHANGED),
    ("ui/tool-cancelled", TOOL_CANCELLED),
    ("ui/notifications/sandbox-ready", SANDBOX_PROXY_READY),
    ("ui/sandbox-resource-ready", SANDBOX_RESOURCE_READY),
];

/// What a host tells a View about the one tool call that it stands for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ToolData {
    /// [`TOOL_INPUT_PARTIAL`]
    InputPartial,
    /// [`TOOL_INPUT`]
    Input,
    /// [`TOOL_RESULT`]
    Result,
    /// [`TOOL_CANCELLED`]
    Cancelled,
}

impl ToolData {
    /// All of it, in the order in which it may come.
    pub const ALL: [Self; 4] = [Self::InputPartial, Self::Input, Self::Result, Self::Cancelled];

    /// The notification's method.
    pub fn method(self) -> &'static str {
        match self {
            Self::InputPartial => TOOL_INPUT_PARTIAL,
            Self::Input => TOOL_INPUT,
            Self::Result => TOOL_RESULT,
            Self::Cancelled => TOOL_CANCELLED,
        }
    }

    /// Whether this may come after `last`: partial input any number of times, input once, then result
    /// or cancellation; a cancellation may also take the place of the input (2026-01-26, "Data Passing").
    pub fn may_follow(self, last: Option<Self>) -> bool {
        match self {
            Self::InputPartial | Self::Input => matches!(last, None | Some(Self::InputPartial)),
            Self::Result => last == Some(Self::Input),
            Self::Cancelled => matches!(last, None | Some(Self::InputPartial | Self::Input)),
        }
    }
}

/// Who may see or call a tool; both unless it says otherwise.
pub const VISIBILITY: [&str; 2] = ["model", "app"];
/// Whether a tool is visible to `who`, `model` or `app`. Without a list it is visible to both; a list that
/// names neither is one that nobody can read, and hides.
pub fn is_visible(tool: Raw<'_>, who: &str) -> bool {
    let ui = tool.get("_meta").and_then(|meta| meta.get(META_UI));
    let Some(list) = ui.and_then(|ui| ui.get_present("visibility")) else { return true };
    list.kind() == Kind::Array && list.elements().any(|one| one.as_str().is_some_and(|one| one == who))
}

/// How a View can be shown.
pub const DISPLAY_MODES: [&str; 3] = ["inline", "fullscreen", "pip"];
/// `hostContext.theme`
pub const THEMES: [&str; 2] = ["light", "dark"];
/// `hostContext.platform`
pub const PLATFORMS: [&str; 3] = ["web", "desktop", "mobile"];
/// Members of `_meta.ui.permissions`, each with its token for the frame's `allow`.
pub const PERMISSIONS: [(&str, &str); 4] = [
    ("camera", "camera"),
    ("microphone", "microphone"),
    ("geolocation", "geolocation"),
    ("clipboardWrite", "clipboard-write"),
];

/// What a host answers, as a JSON-RPC error, when it or the person refuses a request.
pub const DENIED: i64 = -32000;

/// The most tools that a View provides: what a model can be expected to choose from.
pub const MAX_VIEW_TOOLS: u32 = 50;
/// How long a host waits for a tool of a View, in milliseconds.
pub const VIEW_TOOL_TIMEOUT_MS: u32 = 30_000;
/// The most bytes of the result of a View's tool, as JSON.
pub const MAX_VIEW_TOOL_RESULT_BYTES: u32 = 10 * 1024 * 1024;
/// The least time between two notifications that a View's tools have changed, in milliseconds.
pub const LIST_CHANGED_INTERVAL_MS: u32 = 100;
/// How long a View waits for the answer to a request, in milliseconds: what other implementations wait.
pub const REQUEST_TIMEOUT_MS: u32 = 60_000;
/// After how long a View says [`INITIALIZE`] again when nobody answered, in milliseconds; doubled each time.
pub const INITIALIZE_RETRY_MS: u32 = 500;
/// The longest time between two [`INITIALIZE`], in milliseconds.
pub const MAX_INITIALIZE_RETRY_MS: u32 = 8_000;
/// The largest width or height that a View reports or a host believes, in CSS pixels: browsers lay out little more.
pub const MAX_SIZE_PX: u32 = 100_000;

/// The CSS variables that a host may set (2026-01-26, "Theming"): a real View refuses any other.
pub const STYLE_VARIABLES: [&str; 76] = [
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
