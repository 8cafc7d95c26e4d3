/**
 * The client: finds out which era a server speaks, and calls it.
 *
 * @packageDocumentation
 */

import type { McpError } from "./errors.js";
import type { MessageTransport } from "./transport.js";
import type {
	CallToolResult,
	ClientCapabilities,
	ClientNotifications,
	ClientRequests,
	CompleteRequestParams,
	CompleteResult,
	DiscoverResult,
	EmptyResult,
	Era,
	GetPromptResult,
	Implementation,
	InputRequiredResult,
	JSONRPCMessage,
	ListPromptsResult,
	ListResourcesResult,
	ListResourceTemplatesResult,
	ListToolsResult,
	LoggingLevel,
	ProtocolVersion,
	ReadResourceResult,
	Result,
	ServerCapabilities,
	ServerNotifications,
	ServerRequests,
	SubscriptionFilter,
} from "./types.js";

export * from "./errors.js";
export * from "./init.js";
export * from "./protocol.js";
export type { MessageTransport } from "./transport.js";

/** How far a request has got. */
export interface Progress {
	/** Grows with every call. */
	progress: number;
	/** What `progress` will be in the end. */
	total?: number;
	message?: string;
}

/** Options of every request. */
export interface RequestOptions {
	/** Cancels the request; it then rejects with the signal's `reason`. */
	signal?: AbortSignal;
	/**
	 * How long to wait for the response, in milliseconds.
	 * @defaultValue the client's `timeoutMs`
	 */
	timeoutMs?: number;
	/**
	 * How long it may take over all, in milliseconds, whatever progress is reported and whatever is asked.
	 * @defaultValue no limit
	 */
	maxTotalTimeoutMs?: number;
	/** Starts `timeoutMs` anew with every progress notification. */
	resetTimeoutOnProgress?: boolean;
	/** Asks for progress and is called with it. */
	onProgress?: (progress: Progress) => void;
	/**
	 * What the request makes of results that are kept: `"use"` takes a fresh one, `"refresh"` asks anew and keeps what
	 * comes, `"bypass"` does neither. Without the client's `cache` nothing is kept.
	 * @defaultValue "use"
	 */
	cacheMode?: "use" | "refresh" | "bypass";
	/**
	 * The level from which on the server may send log messages while it works on this request. Modern.
	 * @deprecated as logging is, since 2026-07-28
	 * @defaultValue the client's `logLevel`
	 */
	logLevel?: LoggingLevel;
	/** `false`: this request is not sent again, whatever the client's `retry` says. */
	retry?: false;
	/** Hands an `input_required` result back as it is, instead of asking the handlers; see `isInputRequired`. */
	manual?: boolean;
}

/** Options of a list. */
export interface ListOptions extends RequestOptions {
	/**
	 * Asks for one page instead of the whole list: the one behind this cursor (the `nextCursor` of the page before), or with
	 * `null` the first.
	 */
	cursor?: string | null;
}

/** What a subscription is told of. */
export type ChangeNotification = {
	[Method in
		| "notifications/tools/list_changed"
		| "notifications/prompts/list_changed"
		| "notifications/resources/list_changed"
		| "notifications/resources/updated"]: { method: Method; params: ServerNotifications[Method] };
}[
	| "notifications/tools/list_changed"
	| "notifications/prompts/list_changed"
	| "notifications/resources/list_changed"
	| "notifications/resources/updated"];

/** What a subscription hears, and how long it lasts. */
export interface SubscribeOptions {
	/** Ends the subscription. */
	signal?: AbortSignal;
	/** Called with every notification that the filter lets through. */
	onNotification?: (notification: ChangeNotification) => void;
	/** Called when the subscription was interrupted and goes on: anything may have changed meanwhile. */
	onRefresh?: () => void;
}

/** A subscription that has begun. */
export interface Subscription {
	/** What of the filter the server grants. */
	readonly notifications: SubscriptionFilter;
	/**
	 * Resolves when it is over: `"local"`, by `close()`, the signal or the client's end; `"remote"`, by the server. Rejects
	 * with what keeps it from being had again. A connection that breaks is not the end: it is subscribed to again.
	 */
	readonly closed: Promise<"local" | "remote">;
	/** Ends it. */
	close(): void;
}

/** What a client has found out about a server: plain data, to be stored and given to a later client of the same endpoint. */
export interface Verdict {
	/** The endpoint that it speaks of; a client of another one does not use it. */
	endpoint?: string;
	era: Era;
	protocolVersion: ProtocolVersion;
	serverInfo?: Implementation;
	serverCapabilities?: ServerCapabilities;
	instructions?: string;
}

/** A legacy session over HTTP: plain data, to be stored and given to a later client of the same endpoint. */
export interface Session {
	/** The endpoint that it belongs to; a client of another one does not use it. */
	endpoint?: string;
	sessionId: string;
	/** The legacy version that was agreed on. */
	protocolVersion: ProtocolVersion;
	serverInfo?: Implementation;
	serverCapabilities?: ServerCapabilities;
	instructions?: string;
}

/** What a transport function is given beside the message. */
export interface TransportContext {
	/** Aborted when the answer is no longer wanted. */
	signal: AbortSignal;
	/** To be called with every message that comes before the answer: notifications, requests of the server. */
	onMessage: (message: JSONRPCMessage | string) => void;
}

/**
 * A transport is a function from a message to its answer; `null` or nothing for a
 * notification. An error that it throws may carry `{ status, headers, body }` and is then
 * judged like an HTTP answer.
 */
export interface Transport {
	(
		message: any,
		context: TransportContext,
	): JSONRPCMessage | string | null | undefined | void | PromiseLike<JSONRPCMessage | string | null | undefined | void>;
	/**
	 * What lies behind it. Silence of a pipe means a legacy server, silence over HTTP an outage.
	 * @defaultValue "pipe"
	 */
	kind?: "pipe" | "http";
}

/** How the era is found: ask and see, never ask, or insist on one modern version. */
export type VersionNegotiation = "auto" | "legacy" | { pin: ProtocolVersion };

/**
 * Where results are kept, by text: a `Map`, or any key-value service; several clients may share it. Each may take its time,
 * and may fail: a call then asks the server, as it does after a second, and `onError` is told.
 *
 * A key names the endpoint, the version, the authorization context, the method and, for a resource, its URI; it may be as
 * long as that. The client deletes what a notification makes invalid: lists whoever has put them there, resources that it
 * has asked for itself or that are named.
 */
export interface CacheStore {
	get(key: string): string | null | undefined | PromiseLike<string | null | undefined>;
	/** `ttlMs` says when the value is of no more use. */
	set(key: string, value: string, ttlMs: number): unknown;
	delete(key: string): unknown;
}

/** Options of a client, apart from where the server is. */
export interface ClientSettings {
	/** @defaultValue the name and version of this package */
	clientInfo?: Implementation;
	/** @defaultValue {} */
	capabilities?: ClientCapabilities;
	/**
	 * How long to wait for a response, in milliseconds.
	 * @defaultValue 30 000
	 */
	timeoutMs?: number;
	/** @defaultValue "auto" */
	versionNegotiation?: VersionNegotiation;
	/**
	 * Versions to speak, the best first.
	 * @defaultValue all five
	 */
	supportedVersions?: readonly ProtocolVersion[];
	/** How the probe behaves that finds the era. */
	probe?: {
		/**
		 * In milliseconds.
		 * @defaultValue `timeoutMs`; over a pipe at most 10 000
		 */
		timeoutMs?: number;
		/**
		 * How often it is sent again after a timeout.
		 * @defaultValue 0
		 */
		maxRetries?: number;
	};
	/**
	 * Answers what a server asks, by method. The capability that belongs to a handler is declared by itself.
	 */
	handlers?: {
		[Method in keyof ServerRequests]?: (
			params: Exclude<ServerRequests[Method]["params"], undefined>,
		) => ServerRequests[Method]["result"] | PromiseLike<ServerRequests[Method]["result"]>;
	};
	/** Called with every notification of the server, apart from the progress of calls that have an `onProgress`. */
	onNotification?: (notification: { method: string; params?: any }) => void;
	/**
	 * Keeps results in memory as long as the server says (`ttlMs`) and nothing has changed that it tells of: lists,
	 * resources, `discover`. Modern, over HTTP. Results that the server marks private are kept too where nobody but the
	 * client's user sends its requests: without `auth` and without a `headers` function; or where `authorizationContext`
	 * says in whose name they go out, in a word that changes with the user and not with every token. With a `store`, they
	 * are kept there and nowhere else, and private ones only with an `authorizationContext`.
	 * @defaultValue false
	 */
	cache?: boolean | { authorizationContext?: () => string; store?: CacheStore };
	/**
	 * The level from which on log messages are wanted, as `notifications/message` to `onNotification`. Modern servers are
	 * told with every request, legacy ones that declare `logging` once a session; these may log without being asked too.
	 * @deprecated as logging is, since 2026-07-28
	 */
	logLevel?: LoggingLevel;
	/**
	 * How often a request is sent again, under a new id, when the connection broke before its answer came; `true` is 3,
	 * more than 10 is an error. Of tools only those whose `annotations` say `readOnlyHint` or `idempotentHint`, in a list
	 * that this client has asked for; set it only for servers whose word can be relied on. After a session that the server
	 * has forgotten, reads are sent again in any case, once, and such tools with this option.
	 * @defaultValue 0: `retryable` of the error says that the application may
	 */
	retry?: boolean | number;
	/**
	 * Called when a list has changed, or may have, in either era. The client subscribes to what of it the server declares.
	 */
	listChanged?: { tools?: () => void; prompts?: () => void; resources?: () => void };
	/**
	 * Whether to open the stream over which a legacy server says what belongs to no request.
	 * @defaultValue whether there are `handlers` or `onNotification`
	 */
	listen?: boolean;
	/**
	 * Whether `structuredContent` is held against the `outputSchema` of a tool that this client has listed. What validates
	 * is loaded with the first such result (`mcp-duet/client`) or is there already (`mcp-duet`). `true` refuses a result
	 * where that cannot be loaded; by default the result then passes and `onError` hears of it. `false` checks nothing.
	 */
	validateOutput?: boolean;
	/**
	 * Called with every message that goes out, and with every one that comes in before anything is made of it: what is dropped
	 * or refused afterwards is seen too. For those who look on, such as developer tools; the client reads results more slowly with it.
	 */
	onMessage?: (observed: { direction: "in" | "out"; message: JSONRPCMessage }) => void;
	/**
	 * Called when the connection has ended. `"local"`: by `close()`, or because the core crashed, which is the `error` then.
	 * `"remote"`: a channel is gone, or a legacy server has forgotten the session; `error` says how, and the next request
	 * connects again. Over HTTP, nothing of a modern server can end so.
	 */
	onClose?: (end: { by: "local"; error?: McpError } | { by: "remote"; error: McpError }) => void;
	/** Called with what went wrong outside of any call; without it, warnings go to the console and the rest nowhere. */
	onError?: (error: McpError) => void;
}

/** A `fetch` that is called with a text and options. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Sends a client's requests with what authorizes them; `mcp-duet/auth` has ready ones. */
export interface ClientAuth {
	/**
	 * Sends one request, again after an authorization if it was refused for want of one.
	 *
	 * @param fetch the client's own: everything that this takes goes through it
	 */
	fetch(
		fetch: Fetch,
		url: string,
		init: { method: string; headers: Record<string, string>; body?: string | undefined; signal: AbortSignal },
		/** Waits for something that takes as long as a person takes; nothing of the client times out meanwhile. */
		hold: <T>(work: Promise<T>) => Promise<T>,
	): Promise<Response>;
}

/** Where the server is: a Streamable HTTP endpoint. */
export interface HttpEndpoint {
	url: string | URL;
	/**
	 * Headers of every request; a function is called for each. They do not follow a redirect to another origin; in a
	 * browser, where that cannot be seen, no redirect is followed with them.
	 */
	headers?: HeadersInit | (() => HeadersInit | PromiseLike<HeadersInit>);
	/** Used for every request instead of the global `fetch`. */
	fetch?: Fetch;
	/** Gets and renews tokens: a provider of `mcp-duet/auth`, or one's own. */
	auth?: ClientAuth;
	transport?: never;
}

/** Where the server is: behind a function, or at the other end of a channel. */
export interface TransportEndpoint {
	/** A channel counts as a pipe: where nothing comes back for a probe, the server is a legacy one. `close` closes it. */
	transport: Transport | MessageTransport;
	url?: never;
	headers?: never;
	fetch?: never;
	auth?: never;
}

/** Options of a {@link Client}. */
export type ClientOptions = ClientSettings & (HttpEndpoint | TransportEndpoint);

/**
 * A client of one server, of either era.
 *
 * Every method connects by itself if {@link Client.connect} was not called. They reject
 * with `TIMED_OUT`, `CLOSED`, `NETWORK`, `HTTP`, `PROTOCOL`, `CONNECTION_LOST`,
 * `INVALID_RESULT`, `TOO_LARGE`, `ERA_UNSETTLED` or `CORE_CRASHED`, or with the signal's reason.
 *
 * @example
 * ```js
 * const client = new Client({ url: "https://example.com/mcp" });
 * const { tools } = await client.listTools();
 * const result = await client.callTool("get_weather", { city: "北京" });
 * await client.close();
 * ```
 */
export class Client {
	/**
	 * Neither connects nor loads anything.
	 * @throws {@link McpError} `INVALID_ARGUMENT`, `UNSUPPORTED_PROTOCOL_VERSION`; a TypeError for a `pin`
	 * that is not a modern version
	 */
	constructor(options: ClientOptions);

	/** The server's era; `undefined` before the connection. */
	readonly era: Era | undefined;
	/** The version in use; `undefined` before the connection. */
	readonly protocolVersion: ProtocolVersion | undefined;
	/** Who the server says it is. */
	readonly serverInfo: Implementation | undefined;
	/** What the server can do. */
	readonly serverCapabilities: ServerCapabilities | undefined;
	/** How to use the server, for a model. */
	readonly instructions: string | undefined;
	/** What the handshake found, to be stored and given to `connect` as `prior`; `undefined` before it, and where it was only a guess. */
	readonly verdict: Verdict | undefined;

	/**
	 * The legacy session over HTTP, to be stored and given to `connect` of a later client; `undefined` where there is none.
	 * `close` ends it.
	 */
	readonly session: Session | undefined;

	/**
	 * Finds out the era and, in the legacy one, shakes hands. Calling it again, or twice at
	 * once, connects once. With a `session` that one goes on, and nothing is asked; where the server has forgotten it (404),
	 * a new one begins with the first request, which goes out again if it only reads.
	 * @throws {@link McpError} `ERA_UNSETTLED` when there is no version in common
	 */
	connect(options?: { signal?: AbortSignal; prior?: Verdict; session?: Session }): Promise<void>;

	/** All tools, every page of them; or one page. */
	listTools(options?: ListOptions): Promise<ListToolsResult>;
	/** All resources, every page of them; or one page. */
	listResources(options?: ListOptions): Promise<ListResourcesResult>;
	/** All resource templates, every page of them; or one page. */
	listResourceTemplates(options?: ListOptions): Promise<ListResourceTemplatesResult>;
	/** All prompts, every page of them; or one page. */
	listPrompts(options?: ListOptions): Promise<ListPromptsResult>;

	/**
	 * Calls a tool. A tool that fails gives a result with `isError`; it does not reject.
	 * @throws {@link McpError} `INVALID_RESULT` with the `result` where that does not fit the tool's `outputSchema`; see
	 * `validateOutput`
	 */
	callTool(name: string, args?: { [key: string]: unknown }, options?: RequestOptions): Promise<CallToolResult>;
	/** Reads a resource. */
	readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
	/** Fills in a prompt. */
	getPrompt(name: string, args?: { [key: string]: string }, options?: RequestOptions): Promise<GetPromptResult>;
	/** Completes an argument of a prompt or a variable of a resource template. */
	complete(params: CompleteRequestParams, options?: RequestOptions): Promise<CompleteResult>;
	/**
	 * Sets the client's `logLevel`. Modern: every later request says it. Legacy: a server that logs is told, and again in
	 * every later session of this client.
	 * @deprecated as logging is, since 2026-07-28
	 */
	setLogLevel(level: LoggingLevel, options?: Omit<RequestOptions, "logLevel">): Promise<void>;
	/** Legacy: asks for a sign of life. Modern: asks `server/discover`, since there is no ping. */
	ping(options?: RequestOptions): Promise<EmptyResult>;
	/**
	 * Asks the server about itself. Modern.
	 * @throws {@link McpError} `METHOD_NOT_IN_ERA` on a legacy connection
	 */
	discover(options?: RequestOptions): Promise<DiscoverResult>;

	/**
	 * Sends any request and gives its result as it came; `input_required` results too, unless `manual` is false.
	 * @throws {@link McpError} `METHOD_NOT_IN_ERA`
	 */
	request<Method extends keyof ClientRequests>(
		method: Method,
		params?: ClientRequests[Method]["params"],
		options?: RequestOptions,
	): Promise<ClientRequests[Method]["result"]>;
	request(method: string, params?: object, options?: RequestOptions): Promise<Result | InputRequiredResult>;

	/** Sends a notification. */
	notify<Method extends keyof ClientNotifications>(method: Method, params?: ClientNotifications[Method]): Promise<void>;
	notify(method: string, params?: object): Promise<void>;

	/**
	 * Hears of changes. In the modern era by one `subscriptions/listen` for all that is subscribed to, in the legacy one by
	 * the notifications that the server sends anyway, and `resources/subscribe`.
	 * @throws {@link McpError} what the server answers where it does not grant it
	 */
	subscribe(filter: SubscriptionFilter, options?: SubscribeOptions): Promise<Subscription>;

	/** Ends the connection; what is pending rejects with `CLOSED`. Calling it again does nothing. */
	close(): Promise<void>;
}
