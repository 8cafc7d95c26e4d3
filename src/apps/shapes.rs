//! The shapes of what a host sends: the strictest that Views in use accept (`ext-apps` 1.7 and 2.0).

use super::shape::Shape::{
    self, Any, Base64, DateTime, Either, Flag, Id, List, Map, Names, Number, Object, OneOf, Share, Text,
};
use super::shape::{may, must};
use crate::protocol::apps::{DISPLAY_MODES, PERMISSIONS, PLATFORMS, STYLE_VARIABLES, THEMES};

const RECORD: Shape = Map(&Any);
const TEXTS: Shape = List(&Text);

/// Names of the permissions, for the object that holds them.
const PERMISSION_NAMES: [&str; 4] = [PERMISSIONS[0].0, PERMISSIONS[1].0, PERMISSIONS[2].0, PERMISSIONS[3].0];

const ANNOTATIONS: Shape = Object(&[
    may("audience", List(&OneOf(&["user", "assistant"]))),
    may("priority", Share),
    may("lastModified", DateTime),
]);

const ICONS: Shape =
    List(&Object(&[must("src", Text), may("mimeType", Text), may("sizes", TEXTS), may("theme", OneOf(&THEMES))]));

/// The contents of a resource.
const RESOURCE_CONTENTS: Shape = Either(&[
    Object(&[must("uri", Text), must("text", Text), may("mimeType", Text), may("_meta", RECORD)]),
    Object(&[must("uri", Text), must("blob", Base64), may("mimeType", Text), may("_meta", RECORD)]),
]);

/// A content block.
pub const CONTENT: Shape = Either(&[
    Object(&[
        must("type", OneOf(&["text"])),
        must("text", Text),
        may("annotations", ANNOTATIONS),
        may("_meta", RECORD),
    ]),
    Object(&[
        must("type", OneOf(&["image", "audio"])),
        must("data", Base64),
        must("mimeType", Text),
        may("annotations", ANNOTATIONS),
        may("_meta", RECORD),
    ]),
    RESOURCE_LINK,
    EMBEDDED_RESOURCE,
]);

const RESOURCE_LINK: Shape = Object(&[
    must("type", OneOf(&["resource_link"])),
    must("uri", Text),
    must("name", Text),
    may("title", Text),
    may("description", Text),
    may("mimeType", Text),
    may("size", Number),
    may("icons", ICONS),
    may("annotations", ANNOTATIONS),
    may("_meta", RECORD),
]);

const EMBEDDED_RESOURCE: Shape = Object(&[
    must("type", OneOf(&["resource"])),
    must("resource", RESOURCE_CONTENTS),
    may("annotations", ANNOTATIONS),
    may("_meta", RECORD),
]);

/// What `ui/download-file` carries.
pub const DOWNLOAD: Shape = Either(&[EMBEDDED_RESOURCE, RESOURCE_LINK]);

/// `_meta` of a result: a progress token and a task would have to be well-formed, and mean nothing here.
const RESULT_META: Shape = Object(&[may("progressToken", Id)]);

/// A `CallToolResult`. Structured content that is no object stays out: Views of `ext-apps` 1 refuse it.
pub const CALL_TOOL_RESULT: Shape = Object(&[
    may("content", List(&CONTENT)),
    may("structuredContent", RECORD),
    may("isError", Flag),
    may("_meta", RESULT_META),
]);

/// A `ReadResourceResult`.
pub const READ_RESOURCE_RESULT: Shape =
    Object(&[must("contents", List(&RESOURCE_CONTENTS)), may("_meta", RESULT_META)]);

/// Any other result.
pub const RESULT: Shape = Object(&[may("nextCursor", Text), may("_meta", RESULT_META)]);

/// `notifications/progress`
pub const PROGRESS: Shape = Object(&[must("progress", Number), may("total", Number), may("message", Text)]);

const SCHEMA: [super::shape::Member; 3] =
    [must("type", OneOf(&["object"])), may("properties", Map(&RECORD)), may("required", TEXTS)];

/// A tool.
pub const TOOL: Shape = Object(&[
    must("name", Text),
    must("inputSchema", Object(&SCHEMA)),
    may("outputSchema", Object(&SCHEMA)),
    may("title", Text),
    may("description", Text),
    may("icons", ICONS),
    may(
        "annotations",
        Object(&[
            may("title", Text),
            may("readOnlyHint", Flag),
            may("destructiveHint", Flag),
            may("idempotentHint", Flag),
            may("openWorldHint", Flag),
        ]),
    ),
    may("execution", Object(&[may("taskSupport", OneOf(&["required", "optional", "forbidden"]))])),
    may("_meta", RECORD),
]);

/// An `Implementation`.
pub const IMPLEMENTATION: Shape = Object(&[
    must("name", Text),
    must("version", Text),
    may("title", Text),
    may("description", Text),
    may("websiteUrl", Text),
    may("icons", ICONS),
]);

/// The host context, whole or in part.
pub const HOST_CONTEXT: Shape = Object(&[
    may("toolInfo", Object(&[may("id", Id), must("tool", TOOL)])),
    may("theme", OneOf(&THEMES)),
    may(
        "styles",
        Object(&[may("variables", Names(&STYLE_VARIABLES, &Text)), may("css", Object(&[may("fonts", Text)]))]),
    ),
    may("displayMode", OneOf(&DISPLAY_MODES)),
    may("availableDisplayModes", List(&OneOf(&DISPLAY_MODES))),
    may(
        "containerDimensions",
        Object(&[may("height", Number), may("maxHeight", Number), may("width", Number), may("maxWidth", Number)]),
    ),
    may("locale", Text),
    may("timeZone", Text),
    may("userAgent", Text),
    may("platform", OneOf(&PLATFORMS)),
    may("deviceCapabilities", Object(&[may("touch", Flag), may("hover", Flag)])),
    may(
        "safeAreaInsets",
        Object(&[must("top", Number), must("right", Number), must("bottom", Number), must("left", Number)]),
    ),
]);

const LIST_CAPABILITY: Shape = Object(&[may("listChanged", Flag)]);
const MODALITIES: Shape = Map(&RECORD);

/// The sources that a View may use, as declared or as granted.
pub const CSP: Shape = Object(&[
    may("connectDomains", TEXTS),
    may("resourceDomains", TEXTS),
    may("frameDomains", TEXTS),
    may("baseUriDomains", TEXTS),
]);

/// The permissions that a View wants, or is granted.
pub const PERMISSION_SET: Shape = Names(&PERMISSION_NAMES, &RECORD);

/// The host's capabilities.
pub const HOST_CAPABILITIES: Shape = Object(&[
    may("experimental", Map(&RECORD)),
    may("openLinks", RECORD),
    may("downloadFile", RECORD),
    may("serverTools", LIST_CAPABILITY),
    may("serverResources", LIST_CAPABILITY),
    may("logging", RECORD),
    may("sandbox", Object(&[may("permissions", PERMISSION_SET), may("csp", CSP)])),
    may("updateModelContext", MODALITIES),
    may("message", MODALITIES),
    may("sampling", Map(&RECORD)),
]);
