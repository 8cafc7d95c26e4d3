// Tools, resources, prompts, completion, logging, subscriptions: what servers offer.

import type {
	Annotations,
	BaseMetadata,
	CacheableResult,
	Icons,
	LoggingLevel,
	MetaObject,
	NotificationMetaObject,
	PaginatedResult,
	ProgressToken,
	RequestId,
	RequestParams,
	Result,
	ResultMetaObject,
	Role,
} from "./base.js";
import type { InputResponseRequestParams } from "./client-features.js";
import type { BlobResourceContents, ContentBlock, Resource, TextResourceContents } from "./content.js";
import type { TaskMetadata, ToolExecution } from "./tasks.js";

/** A page of tools. */
export interface ListToolsResult extends PaginatedResult, CacheableResult {
	tools: Tool[];
}

/** A tool as the client sees it. */
export interface Tool extends BaseMetadata, Icons {
	/** What it does, for a model. */
	description?: string;
	/**
	 * The JSON Schema of the arguments, 2020-12 unless `$schema` says otherwise. A property may
	 * carry `x-mcp-header`: its value then also travels as a header.
	 */
	inputSchema: { $schema?: string; type: "object"; [key: string]: unknown };
	/** The JSON Schema of `structuredContent`; in the legacy era of type object. Since 2025-06-18. */
	outputSchema?: { $schema?: string; [key: string]: unknown };
	annotations?: ToolAnnotations;
	/** 2025-11-25 only. */
	execution?: ToolExecution;
	_meta?: MetaObject;
}

/** Hints about a tool; not to be trusted from a server that is not. Since 2025-03-26. */
export interface ToolAnnotations {
	/** For people; `Tool.title` goes before it. */
	title?: string;
	/**
	 * It changes nothing.
	 * @defaultValue false
	 */
	readOnlyHint?: boolean;
	/**
	 * It may destroy something.
	 * @defaultValue true
	 */
	destructiveHint?: boolean;
	/**
	 * Calling it twice is like calling it once.
	 * @defaultValue false
	 */
	idempotentHint?: boolean;
	/**
	 * It deals with the world outside.
	 * @defaultValue true
	 */
	openWorldHint?: boolean;
}

/** Parameters of `tools/call`. */
export interface CallToolRequestParams extends InputResponseRequestParams {
	name: string;
	arguments?: { [key: string]: unknown };
	/** 2025-11-25 only: run it as a task. */
	task?: TaskMetadata;
}

/** The result of a tool. */
export interface CallToolResult extends Result {
	content: ContentBlock[];
	/** The result as JSON, after `outputSchema`; an object in the legacy era. Since 2025-06-18. */
	structuredContent?: unknown;
	/**
	 * The tool failed, and `content` says how.
	 * @defaultValue false
	 */
	isError?: boolean;
}

/** A page of resources. */
export interface ListResourcesResult extends PaginatedResult, CacheableResult {
	resources: Resource[];
}

/** A page of resource templates. */
export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
	resourceTemplates: ResourceTemplate[];
}

/** A family of resources. */
export interface ResourceTemplate extends BaseMetadata, Icons {
	/** A URI template, RFC 6570. */
	uriTemplate: string;
	description?: string;
	/** The media type, where all of them have the same. */
	mimeType?: string;
	annotations?: Annotations;
	_meta?: MetaObject;
}

/** Parameters that name a resource. */
export interface ResourceRequestParams extends RequestParams {
	uri: string;
}

/** Parameters of `resources/read`. */
export interface ReadResourceRequestParams extends ResourceRequestParams, InputResponseRequestParams {}

/** The contents of a resource: one entry, or many where it has parts. */
export interface ReadResourceResult extends CacheableResult {
	contents: (TextResourceContents | BlobResourceContents)[];
}

/** A page of prompts. */
export interface ListPromptsResult extends PaginatedResult, CacheableResult {
	prompts: Prompt[];
}

/** A prompt as the client sees it. */
export interface Prompt extends BaseMetadata, Icons {
	description?: string;
	arguments?: PromptArgument[];
	_meta?: MetaObject;
}

/** An argument of a prompt. */
export interface PromptArgument extends BaseMetadata {
	description?: string;
	/** @defaultValue false */
	required?: boolean;
}

/** Parameters of `prompts/get`. */
export interface GetPromptRequestParams extends InputResponseRequestParams {
	name: string;
	arguments?: { [key: string]: string };
}

/** A prompt with its arguments filled in. */
export interface GetPromptResult extends Result {
	description?: string;
	messages: PromptMessage[];
}

/** One message of a prompt. */
export interface PromptMessage {
	role: Role;
	content: ContentBlock;
}

/** Names a prompt whose argument is to be completed. */
export interface PromptReference extends BaseMetadata {
	type: "ref/prompt";
}

/** Names a resource template whose variable is to be completed. */
export interface ResourceTemplateReference {
	type: "ref/resource";
	/** The URI or the URI template. */
	uri: string;
}

/** Parameters of `completion/complete`. */
export interface CompleteRequestParams extends RequestParams {
	ref: PromptReference | ResourceTemplateReference;
	argument: {
		name: string;
		/** What has been typed so far. */
		value: string;
	};
	/** Since 2025-06-18. */
	context?: {
		/** Arguments that are decided already. */
		arguments?: { [key: string]: string };
	};
}

/** Proposals for an argument. */
export interface CompleteResult extends Result {
	completion: {
		/** At most 100. */
		values: string[];
		/** How many there are in all. */
		total?: number;
		/** There are more than these. */
		hasMore?: boolean;
	};
}

/**
 * Parameters of `logging/setLevel`; legacy.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface SetLevelRequestParams extends RequestParams {
	level: LoggingLevel;
}

/**
 * A log message of the server.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface LoggingMessageNotificationParams {
	_meta?: NotificationMetaObject;
	level: LoggingLevel;
	logger?: string;
	/** Any JSON value. */
	data: unknown;
}

/** How far a request has got. */
export interface ProgressNotificationParams {
	_meta?: NotificationMetaObject;
	progressToken: ProgressToken;
	/** Grows with every notification. */
	progress: number;
	/** What `progress` will be in the end. */
	total?: number;
	/** Since 2025-03-26. */
	message?: string;
}

/** A request that is no longer wanted. */
export interface CancelledNotificationParams {
	_meta?: NotificationMetaObject;
	requestId?: RequestId;
	reason?: string;
}

/** A resource that has changed. */
export interface ResourceUpdatedNotificationParams {
	_meta?: NotificationMetaObject;
	uri: string;
}

/** What a subscription wants to hear of. Modern. */
export interface SubscriptionFilter {
	toolsListChanged?: boolean;
	promptsListChanged?: boolean;
	resourcesListChanged?: boolean;
	/** The URIs of single resources. */
	resourceSubscriptions?: string[];
}

/** Parameters of `subscriptions/listen`. Modern. */
export interface SubscriptionsListenRequestParams extends RequestParams {
	notifications: SubscriptionFilter;
}

/** The first message of a subscription: what of the filter holds. Modern. */
export interface SubscriptionsAcknowledgedNotificationParams {
	_meta?: NotificationMetaObject;
	notifications: SubscriptionFilter;
}

/** The `_meta` of a {@link SubscriptionsListenResult}. */
export type SubscriptionsListenResultMetaObject = ResultMetaObject & {
	"io.modelcontextprotocol/subscriptionId": RequestId;
};

/** A subscription has ended as it should. Modern. */
export interface SubscriptionsListenResult extends Result {
	_meta: SubscriptionsListenResultMetaObject;
}
