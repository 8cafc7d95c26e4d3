//! Prompts, and completion of their arguments.

use super::{CacheScope, Content, Icon, InputResponses, Map, Number, Object, ResultType, Role};

record! {
    /// A prompt as the client sees it.
    Prompt {
        name: String = "name",
        /// Since 2025-06-18.
        title: Option<String> = "title",
        description: Option<String> = "description",
        arguments: Option<Vec<PromptArgument>> = "arguments",
        /// Since 2025-11-25.
        icons: Option<Vec<Icon>> = "icons",
        meta: Option<Object> = "_meta",
    }

    /// An argument of a prompt.
    PromptArgument {
        name: String = "name",
        /// Since 2025-06-18.
        title: Option<String> = "title",
        description: Option<String> = "description",
        required: Option<bool> = "required",
    }

    /// The result of `prompts/list`.
    ListPromptsResult {
        result_type: Option<ResultType> = "resultType",
        prompts: Vec<Prompt> = "prompts",
        next_cursor: Option<String> = "nextCursor",
        ttl_ms: Option<Number> = "ttlMs",
        cache_scope: Option<CacheScope> = "cacheScope",
        meta: Option<Object> = "_meta",
    }

    /// Parameters of `prompts/get`.
    GetPromptParams {
        name: String = "name",
        arguments: Option<Map<String>> = "arguments",
        /// Modern.
        input_responses: Option<InputResponses> = "inputResponses",
        /// Modern.
        request_state: Option<String> = "requestState",
        meta: Option<Object> = "_meta",
    }

    /// The result of `prompts/get`.
    GetPromptResult {
        result_type: Option<ResultType> = "resultType",
        description: Option<String> = "description",
        messages: Vec<PromptMessage> = "messages",
        meta: Option<Object> = "_meta",
    }

    /// One message of a prompt.
    PromptMessage {
        role: Role = "role",
        content: Content = "content",
    }

    /// Parameters of `completion/complete`.
    CompleteParams {
        reference: Reference = "ref",
        argument: CompleteArgument = "argument",
        /// Since 2025-06-18.
        context: Option<CompleteContext> = "context",
        meta: Option<Object> = "_meta",
    }

    /// What has been typed so far.
    CompleteArgument {
        name: String = "name",
        value: String = "value",
    }

    /// What is decided already.
    CompleteContext {
        arguments: Option<Map<String>> = "arguments",
    }

    /// Names a prompt.
    PromptReference {
        name: String = "name",
        /// Since 2025-06-18.
        title: Option<String> = "title",
    }

    /// Names a resource template.
    ResourceTemplateReference {
        uri: String = "uri",
    }

    /// The result of `completion/complete`.
    CompleteResult {
        result_type: Option<ResultType> = "resultType",
        completion: Completion = "completion",
        meta: Option<Object> = "_meta",
    }

    /// Proposals for an argument.
    Completion {
        /// At most 100.
        values: Vec<String> = "values",
        total: Option<Number> = "total",
        has_more: Option<bool> = "hasMore",
    }
}

open_union! {
    /// What is to be completed.
    Reference by "type" {
        Prompt(PromptReference) = "ref/prompt",
        ResourceTemplate(ResourceTemplateReference) = "ref/resource",
    }
}

impl Default for Reference {
    /// A prompt without a name.
    fn default() -> Self {
        Self::Prompt(PromptReference::default())
    }
}
