// The experimental tasks of 2025-11-25; later revisions have them as an extension.

import type { MetaObject, PaginatedResult, Result } from "./base.js";

/** How a task stands. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A request that runs on its own. */
export interface Task {
	taskId: string;
	status: TaskStatus;
	statusMessage?: string;
	/** ISO 8601. */
	createdAt: string;
	/** ISO 8601. */
	lastUpdatedAt: string;
	/** How long it is kept from its creation, in milliseconds; `null` for ever. */
	ttl: number | null;
	/** How often to ask, in milliseconds. */
	pollInterval?: number;
}

/** Asks for a request to run as a task. */
export interface TaskMetadata {
	/** How long to keep it, in milliseconds. */
	ttl?: number;
}

/** Ties a message to a task, under `io.modelcontextprotocol/related-task` in `_meta`. */
export interface RelatedTaskMetadata {
	taskId: string;
}

/** Whether a tool can run as a task. */
export interface ToolExecution {
	/** @defaultValue "forbidden" */
	taskSupport?: "forbidden" | "optional" | "required";
}

/** The first answer to a request that runs as a task. */
export interface CreateTaskResult extends Result {
	task: Task;
}

/** The result of `tasks/get`. */
export type GetTaskResult = Result & Task;
/** The result of `tasks/cancel`. */
export type CancelTaskResult = Result & Task;
/** The result of `tasks/result`: what the request itself would have given. */
export type GetTaskPayloadResult = Result;

/** The result of `tasks/list`. */
export interface ListTasksResult extends PaginatedResult {
	tasks: Task[];
}

/** Parameters of `notifications/tasks/status`. */
export type TaskStatusNotificationParams = { _meta?: MetaObject } & Task;
