// What every message is made of (2026-07-28, basic/index).

import type { ClientCapabilities } from "./capabilities.js";

/** Any JSON value. */
export type JSONValue = string | number | boolean | null | JSONObject | JSONArray;
/** A JSON object. */
export type JSONObject = { [key: string]: JSONValue };
/** A JSON array. */
export type JSONArray = JSONValue[];

/** How a connection conveys version, identity and capabilities: once, in `initialize`, or in every request. */
export type Era = "legacy" | "modern";
/** A revision of the protocol that this package speaks. */
export type ProtocolVersion = "2026-07-28" | "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05";

/** The id of a request: a string or an integer. */
export type RequestId = string | number;
/** Ties progress notifications to the request that asked for them. */
export type ProgressToken = string | number;
/** An opaque position in a list. */
export type Cursor = string;
/** Who says something, or whom it is meant for. */
export type Role = "user" | "assistant";

/**
 * Additional data at a message or at a part of one. A key is a name, with an optional
 * prefix of labels joined by dots and closed by a slash: `com.example/trace`. Prefixes
 * whose second label is `mcp` or `modelcontextprotocol` are reserved.
 */
export type MetaObject = { [key: string]: unknown };

/** The `_meta` of a request. The client puts the members that are required in the modern era there itself. */
export type RequestMetaObject = MetaObject & {
	/** Asks for progress notifications that carry this token. */
	progressToken?: ProgressToken;
	/** Modern: the version of this request. */
	"io.modelcontextprotocol/protocolVersion"?: string;
	/** Modern: who sends it; self-reported. */
	"io.modelcontextprotocol/clientInfo"?: Implementation;
	/** Modern: what the client can do for this request. */
	"io.modelcontextprotocol/clientCapabilities"?: ClientCapabilities;
	/**
	 * Modern: the least severe log messages that this request wants; without it, none come.
	 * @deprecated by SEP-2577 in 2026-07-28; still works.
	 */
	"io.modelcontextprotocol/logLevel"?: LoggingLevel;
};

/** The `_meta` of a notification. */
export type NotificationMetaObject = MetaObject & {
	/** Modern: the id of the `subscriptions/listen` request that the notification belongs to. */
	"io.modelcontextprotocol/subscriptionId"?: RequestId;
};

/** The `_meta` of a result. */
export type ResultMetaObject = MetaObject & {
	/** Modern: who answers; self-reported. */
	"io.modelcontextprotocol/serverInfo"?: Implementation;
};

/** What the parameters of every request may have. */
export interface RequestParams {
	_meta?: RequestMetaObject;
}

/** What the parameters of every notification may have. */
export interface NotificationParams {
	_meta?: NotificationMetaObject;
	[key: string]: unknown;
}

/** Parameters of a request for one page of a list. */
export interface PaginatedRequestParams extends RequestParams {
	/** Where the page begins: the `nextCursor` of the page before. */
	cursor?: Cursor;
}

/** How to read a modern result; a missing `resultType` means `"complete"`. */
export type ResultType = "complete" | "input_required" | (string & {});

/** What every result may have. */
export interface Result {
	_meta?: ResultMetaObject;
	/** Modern: how to read the result. */
	resultType?: ResultType;
	[key: string]: unknown;
}

/** A result without content of its own. */
export type EmptyResult = Result;

/** One page of a list. */
export interface PaginatedResult extends Result {
	/** Where the next page begins; there is none without it. */
	nextCursor?: Cursor;
}

/** A modern result that says how long it may be reused; legacy results lack both members. */
export interface CacheableResult extends Result {
	/** How long the result counts as fresh, in milliseconds; 0 is stale at once. */
	ttlMs?: number;
	/** Whether anybody may reuse the result, or only the same authorization context. */
	cacheScope?: "public" | "private";
}

/** The error of a JSON-RPC response. */
export interface JSONRPCErrorObject {
	/** What kind of error it is; the codes are constants of `mcp-duet/protocol`. */
	code: number;
	/** One sentence for people. */
	message: string;
	/** More about it, as the code defines. */
	data?: unknown;
}

/** An image that stands for something in an interface. Since 2025-11-25. */
export interface Icon {
	/** An `https:` or `data:` URI. Images from elsewhere, SVG above all, are not to be trusted. */
	src: string;
	/** The media type, where the source does not say it. */
	mimeType?: string;
	/** Sizes it can be used at: `"48x48"`, or `"any"` for one that scales. */
	sizes?: string[];
	/** The background it is made for; any without it. */
	theme?: "light" | "dark";
}

/** The base of what can have icons. */
export interface Icons {
	/** Images in any number of sizes. Since 2025-11-25. */
	icons?: Icon[];
}

/** The base of what has a name for programs and a title for people. */
export interface BaseMetadata {
	/** For programs; shown where there is no title. */
	name: string;
	/** For people. Since 2025-06-18. */
	title?: string;
}

/** Which software a peer is. */
export interface Implementation extends BaseMetadata, Icons {
	/** The version of that software. */
	version: string;
	/** What it is for. Since 2025-11-25. */
	description?: string;
	/** Its page. Since 2025-11-25. */
	websiteUrl?: string;
}

/** Hints for the client about a piece of content or a resource. */
export interface Annotations {
	/** Whom it is for. */
	audience?: Role[];
	/** How important it is, from 0 to 1. */
	priority?: number;
	/** When it last changed, ISO 8601. Since 2025-06-18. */
	lastModified?: string;
}

/**
 * How severe a log message is, as in RFC 5424.
 * @deprecated by SEP-2577 in 2026-07-28; still works.
 */
export type LoggingLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";
