//! The experimental tasks of 2025-11-25.

use super::{Nullable, Number, Object};

open_enum! {
    /// How a task stands.
    TaskStatus {
        Working = "working",
        InputRequired = "input_required",
        Completed = "completed",
        Failed = "failed",
        Cancelled = "cancelled",
    }

    /// Whether a tool can run as a task.
    TaskSupport { Forbidden = "forbidden", Optional = "optional", Required = "required", }
}

record! {
    /// A request that runs on its own; also the result of `tasks/get` and `tasks/cancel`, and the
    /// parameters of `notifications/tasks/status`.
    Task {
        task_id: String = "taskId",
        status: TaskStatus = "status",
        status_message: Option<String> = "statusMessage",
        /// ISO 8601.
        created_at: String = "createdAt",
        /// ISO 8601.
        last_updated_at: String = "lastUpdatedAt",
        /// How long it is kept from its creation, in milliseconds; `null` for ever.
        ttl: Nullable = "ttl",
        /// How often to ask, in milliseconds.
        poll_interval: Option<Number> = "pollInterval",
        meta: Option<Object> = "_meta",
    }

    /// Asks for a request to run as a task.
    TaskMetadata {
        /// In milliseconds.
        ttl: Option<Number> = "ttl",
    }

    /// Ties a message to a task, in `_meta`.
    RelatedTaskMetadata {
        task_id: String = "taskId",
    }

    /// Whether a tool can run as a task.
    ToolExecution {
        task_support: Option<TaskSupport> = "taskSupport",
    }

    /// Parameters of `tasks/get`, `tasks/result` and `tasks/cancel`.
    TaskParams {
        task_id: String = "taskId",
        meta: Option<Object> = "_meta",
    }

    /// The first answer to a request that runs as a task.
    CreateTaskResult {
        task: Task = "task",
        meta: Option<Object> = "_meta",
    }

    /// The result of `tasks/list`.
    ListTasksResult {
        tasks: Vec<Task> = "tasks",
        next_cursor: Option<String> = "nextCursor",
        meta: Option<Object> = "_meta",
    }
}
