//! Resources and their templates.

use super::{Annotations, CacheScope, Icon, InputResponses, Number, Object, Resource, ResourceContents, ResultType};

record! {
    /// A family of resources.
    ResourceTemplate {
        /// RFC 6570.
        uri_template: String = "uriTemplate",
        name: String = "name",
        /// Since 2025-06-18.
        title: Option<String> = "title",
        description: Option<String> = "description",
        mime_type: Option<String> = "mimeType",
        annotations: Option<Annotations> = "annotations",
        /// Since 2025-11-25.
        icons: Option<Vec<Icon>> = "icons",
        meta: Option<Object> = "_meta",
    }

    /// The result of `resources/list`.
    ListResourcesResult {
        result_type: Option<ResultType> = "resultType",
        resources: Vec<Resource> = "resources",
        next_cursor: Option<String> = "nextCursor",
        ttl_ms: Option<Number> = "ttlMs",
        cache_scope: Option<CacheScope> = "cacheScope",
        meta: Option<Object> = "_meta",
    }

    /// The result of `resources/templates/list`.
    ListResourceTemplatesResult {
        result_type: Option<ResultType> = "resultType",
        resource_templates: Vec<ResourceTemplate> = "resourceTemplates",
        next_cursor: Option<String> = "nextCursor",
        ttl_ms: Option<Number> = "ttlMs",
        cache_scope: Option<CacheScope> = "cacheScope",
        meta: Option<Object> = "_meta",
    }

    /// Parameters of `resources/read`, `resources/subscribe` and `resources/unsubscribe`.
    ResourceParams {
        uri: String = "uri",
        /// Modern.
        input_responses: Option<InputResponses> = "inputResponses",
        /// Modern.
        request_state: Option<String> = "requestState",
        meta: Option<Object> = "_meta",
    }

    /// The result of `resources/read`.
    ReadResourceResult {
        result_type: Option<ResultType> = "resultType",
        contents: Vec<ResourceContents> = "contents",
        ttl_ms: Option<Number> = "ttlMs",
        cache_scope: Option<CacheScope> = "cacheScope",
        meta: Option<Object> = "_meta",
    }

    /// Parameters of `notifications/resources/updated`.
    ResourceUpdatedParams {
        uri: String = "uri",
        meta: Option<Object> = "_meta",
    }
}
