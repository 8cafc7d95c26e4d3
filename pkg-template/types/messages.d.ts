// Whole messages, and which method has which parameters and results.

import type {
	EmptyResult,
	JSONRPCErrorObject,
	MetaObject,
	NotificationParams,
	PaginatedRequestParams,
	RequestId,
	RequestParams,
	Result,
} from "./base.js";
import type { DiscoverResult, InitializeRequestParams, InitializeResult } from "./capabilities.js";
import type {
	CreateMessageRequestParams,
	CreateMessageResult,
	InputRequiredResult,
	ListRootsResult,
} from "./client-features.js";
import type { ElicitRequestParams, ElicitResult } from "./elicitation.js";
import type {
	CallToolRequestParams,
	CallToolResult,
	CancelledNotificationParams,
	CompleteRequestParams,
	CompleteResult,
	GetPromptRequestParams,
	GetPromptResult,
	ListPromptsResult,
	ListResourcesResult,
	ListResourceTemplatesResult,
	ListToolsResult,
	LoggingMessageNotificationParams,
	ProgressNotificationParams,
	ReadResourceRequestParams,
	ReadResourceResult,
	ResourceRequestParams,
	ResourceUpdatedNotificationParams,
	SetLevelRequestParams,
	SubscriptionsAcknowledgedNotificationParams,
	SubscriptionsListenRequestParams,
	SubscriptionsListenResult,
} from "./server-features.js";
import type {
	CancelTaskResult,
	GetTaskPayloadResult,
	GetTaskResult,
	ListTasksResult,
	TaskStatusNotificationParams,
} from "./tasks.js";

/** A message that expects a response. */
export interface JSONRPCRequest {
	jsonrpc: "2.0";
	id: RequestId;
	method: string;
	params?: { [key: string]: any };
}

/** A message that expects none. */
export interface JSONRPCNotification {
	jsonrpc: "2.0";
	method: string;
	params?: { [key: string]: any };
}

/** A request's answer. */
export interface JSONRPCResultResponse {
	jsonrpc: "2.0";
	id: RequestId;
	result: Result;
}

/** A request's refusal; without `id` where the request's was not readable. */
export interface JSONRPCErrorResponse {
	jsonrpc: "2.0";
	id?: RequestId;
	error: JSONRPCErrorObject;
}

/** Either kind of response. */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;
/** Any message. */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

/** Parameters and result of every request from client to server, by method. */
export interface ClientRequests {
	/** Legacy. */
	initialize: { params: InitializeRequestParams; result: InitializeResult };
	/** Legacy. */
	ping: { params?: RequestParams; result: EmptyResult };
	/** Modern. */
	"server/discover": { params?: RequestParams; result: DiscoverResult };
	"tools/list": { params?: PaginatedRequestParams; result: ListToolsResult };
	"tools/call": { params: CallToolRequestParams; result: CallToolResult | InputRequiredResult };
	"resources/list": { params?: PaginatedRequestParams; result: ListResourcesResult };
	"resources/templates/list": { params?: PaginatedRequestParams; result: ListResourceTemplatesResult };
	"resources/read": { params: ReadResourceRequestParams; result: ReadResourceResult | InputRequiredResult };
	/** Legacy. */
	"resources/subscribe": { params: ResourceRequestParams; result: EmptyResult };
	/** Legacy. */
	"resources/unsubscribe": { params: ResourceRequestParams; result: EmptyResult };
	"prompts/list": { params?: PaginatedRequestParams; result: ListPromptsResult };
	"prompts/get": { params: GetPromptRequestParams; result: GetPromptResult | InputRequiredResult };
	"completion/complete": { params: CompleteRequestParams; result: CompleteResult };
	/** Legacy. @deprecated by SEP-2577 in 2026-07-28; still works. */
	"logging/setLevel": { params: SetLevelRequestParams; result: EmptyResult };
	/** Modern. */
	"subscriptions/listen": { params: SubscriptionsListenRequestParams; result: SubscriptionsListenResult };
	/** 2025-11-25. */
	"tasks/get": { params: { taskId: string } & RequestParams; result: GetTaskResult };
	/** 2025-11-25. */
	"tasks/result": { params: { taskId: string } & RequestParams; result: GetTaskPayloadResult };
	/** 2025-11-25. */
	"tasks/list": { params?: PaginatedRequestParams; result: ListTasksResult };
	/** 2025-11-25. */
	"tasks/cancel": { params: { taskId: string } & RequestParams; result: CancelTaskResult };
}

/** Parameters and result of what a server asks a client, by method: requests in the legacy era, `inputRequests` in the modern. */
export interface ServerRequests {
	/** @deprecated by SEP-2577 in 2026-07-28; still works. */
	"sampling/createMessage": { params: CreateMessageRequestParams; result: CreateMessageResult };
	"elicitation/create": { params: ElicitRequestParams; result: ElicitResult };
	/** @deprecated by SEP-2577 in 2026-07-28; still works. */
	"roots/list": { params?: { _meta?: MetaObject }; result: ListRootsResult };
}

/** Parameters of every notification from client to server, by method. */
export interface ClientNotifications {
	"notifications/cancelled": CancelledNotificationParams;
	/** Legacy. */
	"notifications/progress": ProgressNotificationParams;
	/** Legacy. */
	"notifications/initialized": NotificationParams | undefined;
	/** Legacy. @deprecated by SEP-2577 in 2026-07-28; still works. */
	"notifications/roots/list_changed": NotificationParams | undefined;
	/** 2025-11-25. */
	"notifications/tasks/status": TaskStatusNotificationParams;
}

/** Parameters of every notification from server to client, by method. */
export interface ServerNotifications {
	"notifications/cancelled": CancelledNotificationParams;
	"notifications/progress": ProgressNotificationParams;
	/** @deprecated by SEP-2577 in 2026-07-28; still works. */
	"notifications/message": LoggingMessageNotificationParams;
	"notifications/tools/list_changed": NotificationParams | undefined;
	"notifications/prompts/list_changed": NotificationParams | undefined;
	"notifications/resources/list_changed": NotificationParams | undefined;
	"notifications/resources/updated": ResourceUpdatedNotificationParams;
	/** Modern. */
	"notifications/subscriptions/acknowledged": SubscriptionsAcknowledgedNotificationParams;
	/** 2025-11-25. */
	"notifications/elicitation/complete": { elicitationId: string; _meta?: MetaObject };
	/** 2025-11-25. */
	"notifications/tasks/status": TaskStatusNotificationParams;
}
