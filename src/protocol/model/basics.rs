//! What every message is made of (2026-07-28, basic/index).

use super::{Json, Number, Object};

open_enum! {
    /// Who says something, or whom it is meant for.
    Role { User = "user", Assistant = "assistant", }

    /// How to read a modern result; a missing one means complete.
    ResultType { Complete = "complete", InputRequired = "input_required", }

    /// Who may reuse a result.
    CacheScope { Private = "private", Public = "public", }

    /// The background that an icon is made for.
    IconTheme { Light = "light", Dark = "dark", }

    /// How severe a log message is, as in RFC 5424. Deprecated by SEP-2577 in 2026-07-28.
    LoggingLevel {
        Debug = "debug",
        Info = "info",
        Notice = "notice",
        Warning = "warning",
        Error = "error",
        Critical = "critical",
        Alert = "alert",
        Emergency = "emergency",
    }
}

record! {
    /// An image that stands for something in an interface. Since 2025-11-25.
    Icon {
        src: String = "src",
        mime_type: Option<String> = "mimeType",
        sizes: Option<Vec<String>> = "sizes",
        theme: Option<IconTheme> = "theme",
    }

    /// Which software a peer is.
    Implementation {
        name: String = "name",
        title: Option<String> = "title",
        version: String = "version",
        description: Option<String> = "description",
        icons: Option<Vec<Icon>> = "icons",
        website_url: Option<String> = "websiteUrl",
    }

    /// Hints for the client about a piece of content or a resource.
    Annotations {
        audience: Option<Vec<Role>> = "audience",
        /// From 0 to 1.
        priority: Option<Number> = "priority",
        /// ISO 8601. Since 2025-06-18.
        last_modified: Option<String> = "lastModified",
    }

    /// Parameters without members of their own.
    BareParams {
        meta: Option<Object> = "_meta",
    }

    /// Parameters of a request for one page of a list.
    PaginatedParams {
        cursor: Option<String> = "cursor",
        meta: Option<Object> = "_meta",
    }

    /// A result without members of its own.
    EmptyResult {
        result_type: Option<ResultType> = "resultType",
        meta: Option<Object> = "_meta",
    }

    /// Parameters of `logging/setLevel`; legacy.
    SetLevelParams {
        level: LoggingLevel = "level",
        meta: Option<Object> = "_meta",
    }

    /// Parameters of `notifications/message`.
    LogMessageParams {
        level: LoggingLevel = "level",
        logger: Option<String> = "logger",
        data: Json = "data",
        meta: Option<Object> = "_meta",
    }

    /// Parameters of `notifications/progress`.
    ProgressParams {
        progress_token: super::Token = "progressToken",
        progress: Number = "progress",
        total: Option<Number> = "total",
        /// Since 2025-03-26.
        message: Option<String> = "message",
        meta: Option<Object> = "_meta",
    }

    /// Parameters of `notifications/cancelled`.
    CancelledParams {
        /// Required but in 2025-11-25, where a task may be meant instead.
        request_id: Option<super::Token> = "requestId",
        reason: Option<String> = "reason",
        meta: Option<Object> = "_meta",
    }
}
