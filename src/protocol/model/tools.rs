//! Tools.

use super::{
    CacheScope, Content, Icon, InputResponses, Json, Nullable, Number, Object, ResultType, TaskMetadata, ToolExecution,
};

record! {
    /// A tool as the client sees it.
    Tool {
        name: String = "name",
        /// Since 2025-06-18.
        title: Option<String> = "title",
        description: Option<String> = "description",
        /// The JSON Schema of the arguments, of type object.
        input_schema: Json = "inputSchema",
        /// The JSON Schema of the structured content. Since 2025-06-18; before 2026-07-28 of type object.
        output_schema: Option<Json> = "outputSchema",
        /// Since 2025-03-26.
        annotations: Option<ToolAnnotations> = "annotations",
        /// 2025-11-25 only.
        execution: Option<ToolExecution> = "execution",
        /// Since 2025-11-25.
        icons: Option<Vec<Icon>> = "icons",
        meta: Option<Object> = "_meta",
    }

    /// Hints about a tool; not to be trusted from a server that is not.
    ToolAnnotations {
        title: Option<String> = "title",
        read_only_hint: Option<bool> = "readOnlyHint",
        destructive_hint: Option<bool> = "destructiveHint",
        idempotent_hint: Option<bool> = "idempotentHint",
        open_world_hint: Option<bool> = "openWorldHint",
    }

    /// The result of `tools/list`.
    ListToolsResult {
        result_type: Option<ResultType> = "resultType",
        tools: Vec<Tool> = "tools",
        next_cursor: Option<String> = "nextCursor",
        ttl_ms: Option<Number> = "ttlMs",
        cache_scope: Option<CacheScope> = "cacheScope",
        meta: Option<Object> = "_meta",
    }

    /// Parameters of `tools/call`.
    CallToolParams {
        name: String = "name",
        arguments: Option<Object> = "arguments",
        /// 2025-11-25 only.
        task: Option<TaskMetadata> = "task",
        /// Modern.
        input_responses: Option<InputResponses> = "inputResponses",
        /// Modern.
        request_state: Option<String> = "requestState",
        meta: Option<Object> = "_meta",
    }

    /// The result of `tools/call`.
    CallToolResult {
        result_type: Option<ResultType> = "resultType",
        content: Vec<Content> = "content",
        /// Since 2025-06-18; before 2026-07-28 an object.
        structured_content: Nullable = "structuredContent",
        is_error: Option<bool> = "isError",
        meta: Option<Object> = "_meta",
    }
}
