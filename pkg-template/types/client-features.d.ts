// Sampling, roots, and the questions of a server: what clients offer.

import type { JSONObject, MetaObject, RequestParams, Result, Role } from "./base.js";
import type { SamplingMessageContentBlock } from "./content.js";
import type { ElicitRequestParams, ElicitResult } from "./elicitation.js";
import type { Tool } from "./server-features.js";
import type { TaskMetadata } from "./tasks.js";

/**
 * Parameters of `sampling/createMessage`.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface CreateMessageRequestParams extends RequestParams {
	messages: SamplingMessage[];
	modelPreferences?: ModelPreferences;
	systemPrompt?: string;
	/**
	 * `"thisServer"` and `"allServers"` are deprecated.
	 * @defaultValue "none"
	 */
	includeContext?: "none" | "thisServer" | "allServers";
	temperature?: number;
	/** At most this many tokens. */
	maxTokens: number;
	stopSequences?: string[];
	/** For the model's provider. */
	metadata?: JSONObject;
	/** Tools that the model may ask for. Since 2025-11-25, with the capability `sampling.tools`. */
	tools?: Tool[];
	/** Since 2025-11-25, with the capability `sampling.tools`. */
	toolChoice?: ToolChoice;
	/** 2025-11-25 only. */
	task?: TaskMetadata;
}

/**
 * How the model uses tools.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface ToolChoice {
	/** @defaultValue "auto" */
	mode?: "auto" | "required" | "none";
}

/**
 * What the model said.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface CreateMessageResult extends SamplingMessage {
	/** The model's name. */
	model: string;
	/** Why it stopped; providers may have reasons of their own. */
	stopReason?: "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {});
	[key: string]: unknown;
}

/**
 * One message of a conversation with a model.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface SamplingMessage {
	role: Role;
	/** A list since 2025-11-25. */
	content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
	_meta?: MetaObject;
}

/**
 * Which model the server would like; the client may do otherwise.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface ModelPreferences {
	/** The first that fits counts. */
	hints?: ModelHint[];
	/** From 0 to 1. */
	costPriority?: number;
	/** From 0 to 1. */
	speedPriority?: number;
	/** From 0 to 1. */
	intelligencePriority?: number;
}

/**
 * A model, or a family of models.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface ModelHint {
	/** A part of the model's name. */
	name?: string;
}

/**
 * The places that the server may work on.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface ListRootsResult {
	roots: Root[];
	[key: string]: unknown;
}

/**
 * A place that the server may work on.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export interface Root {
	/** A `file://` URI. */
	uri: string;
	name?: string;
	_meta?: MetaObject;
}

/** One question of a server. */
export type InputRequest =
	| { method: "sampling/createMessage"; params: CreateMessageRequestParams }
	| { method: "elicitation/create"; params: ElicitRequestParams }
	| { method: "roots/list"; params?: { _meta?: MetaObject } };

/** The answer to one question. */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult;

/** Questions by the server's keys. */
export interface InputRequests {
	[key: string]: InputRequest;
}

/** Answers by the same keys. */
export interface InputResponses {
	[key: string]: InputResponse;
}

/** The server needs answers before it can finish: send the request again with them. Modern. */
export interface InputRequiredResult extends Result {
	resultType: "input_required";
	inputRequests?: InputRequests;
	/** Opaque; goes back unchanged. */
	requestState?: string;
}

/** Parameters of a request that may be sent again with answers. Modern. */
export interface InputResponseRequestParams extends RequestParams {
	inputResponses?: InputResponses;
	/** What came in the {@link InputRequiredResult}. */
	requestState?: string;
}
