//! Pieces of content in results, prompts and sampling.

use super::{Annotations, Icon, Nullable, Number, Object};

record! {
    /// Text.
    TextContent {
        text: String = "text",
        annotations: Option<Annotations> = "annotations",
        meta: Option<Object> = "_meta",
    }

    /// An image.
    ImageContent {
        /// The bytes as base64.
        data: String = "data",
        mime_type: String = "mimeType",
        annotations: Option<Annotations> = "annotations",
        meta: Option<Object> = "_meta",
    }

    /// A sound. Since 2025-03-26.
    AudioContent {
        /// The bytes as base64.
        data: String = "data",
        mime_type: String = "mimeType",
        annotations: Option<Annotations> = "annotations",
        meta: Option<Object> = "_meta",
    }

    /// A resource as a list or a link names it.
    Resource {
        uri: String = "uri",
        name: String = "name",
        /// Since 2025-06-18.
        title: Option<String> = "title",
        description: Option<String> = "description",
        mime_type: Option<String> = "mimeType",
        /// The size in bytes, before any encoding.
        size: Option<Number> = "size",
        annotations: Option<Annotations> = "annotations",
        /// Since 2025-11-25.
        icons: Option<Vec<Icon>> = "icons",
        meta: Option<Object> = "_meta",
    }

    /// The contents of a resource: text or bytes.
    ResourceContents {
        uri: String = "uri",
        mime_type: Option<String> = "mimeType",
        text: Option<String> = "text",
        /// The bytes as base64.
        blob: Option<String> = "blob",
        meta: Option<Object> = "_meta",
    }

    /// A resource put into content as a whole.
    EmbeddedResource {
        resource: ResourceContents = "resource",
        annotations: Option<Annotations> = "annotations",
        meta: Option<Object> = "_meta",
    }

    /// A model asks for a tool. Since 2025-11-25; deprecated by SEP-2577 in 2026-07-28.
    ToolUseContent {
        id: String = "id",
        name: String = "name",
        input: Object = "input",
        meta: Option<Object> = "_meta",
    }

    /// What the tool gave. Since 2025-11-25; deprecated by SEP-2577 in 2026-07-28.
    ToolResultContent {
        tool_use_id: String = "toolUseId",
        content: Vec<Content> = "content",
        structured_content: Nullable = "structuredContent",
        is_error: Option<bool> = "isError",
        meta: Option<Object> = "_meta",
    }
}

open_union! {
    /// A piece of content.
    Content by "type" {
        Text(TextContent) = "text",
        /// An image.
        Image(ImageContent) = "image",
        /// A sound. Since 2025-03-26.
        Audio(AudioContent) = "audio",
        /// Since 2025-06-18.
        ResourceLink(Resource) = "resource_link",
        Resource(EmbeddedResource) = "resource",
        /// In sampling only.
        ToolUse(ToolUseContent) = "tool_use",
        /// In sampling only.
        ToolResult(ToolResultContent) = "tool_result",
    }
}

impl Default for Content {
    /// An empty text.
    fn default() -> Self {
        Self::Text(TextContent::default())
    }
}

impl Content {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), ..TextContent::default() })
    }
}
