//! What the peers can do, and the two ways to say so.

use super::{CacheScope, Implementation, Json, Number, Object, ResultType};

record! {
    /// What a client can do; not a closed set.
    ClientCapabilities {
        experimental: Option<Object> = "experimental",
        roots: Option<ListChanged> = "roots",
        sampling: Option<SamplingCapability> = "sampling",
        /// Since 2025-06-18; an empty object means forms.
        elicitation: Option<ElicitationCapability> = "elicitation",
        /// 2025-11-25 only.
        tasks: Option<Json> = "tasks",
        extensions: Option<Object> = "extensions",
    }

    /// What a server can do; not a closed set.
    ServerCapabilities {
        experimental: Option<Object> = "experimental",
        logging: Option<Json> = "logging",
        /// Since 2025-03-26.
        completions: Option<Json> = "completions",
        prompts: Option<ListChanged> = "prompts",
        resources: Option<ResourcesCapability> = "resources",
        tools: Option<ListChanged> = "tools",
        /// 2025-11-25 only.
        tasks: Option<Json> = "tasks",
        extensions: Option<Object> = "extensions",
    }

    /// A capability that may say when a list changes.
    ListChanged {
        list_changed: Option<bool> = "listChanged",
    }

    /// What a server can do with resources.
    ResourcesCapability {
        subscribe: Option<bool> = "subscribe",
        list_changed: Option<bool> = "listChanged",
    }

    /// How a client lets a server ask a model.
    SamplingCapability {
        context: Option<Json> = "context",
        /// Since 2025-11-25.
        tools: Option<Json> = "tools",
    }

    /// How a client lets a server ask the person.
    ElicitationCapability {
        form: Option<Json> = "form",
        /// Since 2025-11-25.
        url: Option<Json> = "url",
    }

    /// Parameters of `initialize`.
    InitializeParams {
        protocol_version: String = "protocolVersion",
        capabilities: ClientCapabilities = "capabilities",
        client_info: Implementation = "clientInfo",
        meta: Option<Object> = "_meta",
    }

    /// The result of `initialize`.
    InitializeResult {
        protocol_version: String = "protocolVersion",
        capabilities: ServerCapabilities = "capabilities",
        server_info: Implementation = "serverInfo",
        instructions: Option<String> = "instructions",
        meta: Option<Object> = "_meta",
    }

    /// The result of `server/discover`.
    DiscoverResult {
        result_type: Option<ResultType> = "resultType",
        supported_versions: Vec<String> = "supportedVersions",
        capabilities: ServerCapabilities = "capabilities",
        instructions: Option<String> = "instructions",
        ttl_ms: Option<Number> = "ttlMs",
        cache_scope: Option<CacheScope> = "cacheScope",
        meta: Option<Object> = "_meta",
    }
}
