/**
 * The server: answers messages and HTTP requests of both eras, without state of its own unless it has sessions.
 *
 * @packageDocumentation
 */

import type { ArgumentsOf, ObjectSchema, PromptArgumentsOf, StandardSchema } from "./schema.js";
import type {
	BlobResourceContents,
	CallToolResult,
	ClientCapabilities,
	CompleteRequestParams,
	CompleteResult,
	ContentBlock,
	CreateMessageRequestParams,
	CreateMessageResult,
	ElicitRequestParams,
	ElicitResult,
	Era,
	GetPromptResult,
	Icon,
	Implementation,
	InputRequiredResult,
	InputResponses,
	JSONRPCErrorObject,
	JSONRPCResponse,
	ListRootsResult,
	LoggingLevel,
	MetaObject,
	Prompt,
	PromptMessage,
	ProtocolVersion,
	ReadResourceResult,
	RequestId,
	RequestMetaObject,
	Resource,
	ResourceTemplate,
	ServerCapabilities,
	TextResourceContents,
	Tool,
	ToolAnnotations,
} from "./types.js";

export * from "./errors.js";
export * from "./init.js";
export * from "./protocol.js";
export type {
	AnyArguments,
	ArgumentsOf,
	FromSchema,
	ObjectSchema,
	PromptArgumentsOf,
	StandardResult,
	StandardSchema,
} from "./schema.js";

type MaybePromise<T> = T | PromiseLike<T>;

/** Names an answer, so that the next run of the handler finds it again. */
export interface AskOptions {
	/** @defaultValue the place in the order of the handler's asks */
	key?: string;
}

/** What a method of the server's own knows about its request, and what it can do besides answering. */
export type MethodContext = Omit<
	RequestContext,
	"elicit" | "sample" | "listRoots" | "once" | "requestState" | "inputResponses"
>;

/** What is known of a caller: what {@link Visible} and `list` decide by. */
export type CallerContext = Omit<MethodContext, "log" | "sendProgress">;

/**
 * Says whether the caller may see an item; only `true` does. If it fails, nobody sees it and the request fails. Lists with
 * such items and the contents of such resources are always `cacheScope: "private"`.
 */
export type Visible = (ctx: CallerContext) => MaybePromise<boolean>;

/** What a handler knows about the request that it answers, and what it can do besides answering. */
export interface RequestContext {
	/** The era of this request. */
	readonly era: Era;
	/** The version of this request. A legacy request without a session names none: then what the header says, or 2025-03-26. */
	readonly protocolVersion: ProtocolVersion;
	readonly requestId: RequestId;
	/** Who the client says it is; only modern requests and sessions say it. Not to be trusted. */
	readonly clientInfo: Implementation | undefined;
	/** What the client can do; only modern requests and sessions say it. */
	readonly clientCapabilities: ClientCapabilities | undefined;
	/** The request's `_meta`. */
	readonly meta: RequestMetaObject;
	/** The headers of the HTTP request, if it came by HTTP. */
	readonly headers: Headers | undefined;
	/** Whatever was passed as `authInfo` with the message or the request. */
	readonly authInfo: any;
	/** Whatever was passed as `env`: in a Worker, its bindings. */
	readonly env: any;
	/** Keeps the worker alive for what goes on after the answer. Without a platform's own, the promise just runs. */
	waitUntil(promise: Promise<unknown>): void;
	/**
	 * Aborted when the answer is no longer wanted. A legacy client that goes away over HTTP aborts nothing; in a session
	 * it cancels with `notifications/cancelled`, or ends the session.
	 */
	readonly signal: AbortSignal;
	/** Modern: the client's answers to the questions of a result that the handler made itself. */
	readonly inputResponses: InputResponses | undefined;
	/** Modern: the `requestState` of such a result, as it came back. */
	readonly requestState: string | undefined;
	/** Sends a notification of the server's own on the stream of the request; does nothing where there is none. */
	notify(method: string, params?: { [name: string]: unknown }): void;
	/** Tells how far it is; does nothing unless the client asked for progress. */
	sendProgress(progress: number, total?: number, message?: string): void;
	/**
	 * Sends a log message; does nothing unless the client wants messages of that level.
	 * @deprecated by SEP-2577 in 2026-07-28; still works.
	 */
	log(level: LoggingLevel, data: unknown, logger?: string): void;
	/**
	 * In a session, ends the connection of the request but not the request: a client of 2025-11-25 comes back for the
	 * rest, so a long call need not hold a connection. Does nothing elsewhere.
	 */
	closeStream(): void;
	/**
	 * In the modern era the handler runs again from the top once the person has answered: what comes before must bear
	 * repeating, or stand in {@link RequestContext.once}. Questions asked at once go out together.
	 *
	 * An accepted form fits its `requestedSchema`, with the defaults filled in; one that does not rejects with
	 * −32602, which the client gets unless the handler catches it. A handler that asks again after an answer needs the
	 * server's `requestState`. In the legacy era the question goes out on the stream of the request; without one it
	 * rejects with `INVALID_ARGUMENT`, as a question that cannot be asked does. A modern client that did not declare the
	 * capability is refused with −32021; of a session the question rejects with that error, a {@link ProtocolError}, which
	 * makes the result of a tool that does not catch it an `isError`.
	 */
	elicit(params: ElicitRequestParams, options?: AskOptions): Promise<ElicitResult>;
	/**
	 * In the modern era the handler runs again from the top, as with {@link RequestContext.elicit}, once the client has
	 * asked a model.
	 * @deprecated by SEP-2577 in 2026-07-28; still works.
	 */
	sample(params: CreateMessageRequestParams, options?: AskOptions): Promise<CreateMessageResult>;
	/**
	 * In the modern era the handler runs again from the top, as with {@link RequestContext.elicit}, once the client has
	 * told its roots.
	 * @deprecated by SEP-2577 in 2026-07-28; still works.
	 */
	listRoots(options?: AskOptions): Promise<ListRootsResult>;
	/**
	 * Runs something once, however often the handler runs and calls it, and gives its value each time; what fails has not
	 * run. The value travels, sealed, with a modern client, and must be JSON; for nothing there is null.
	 */
	once<T>(key: string, run: () => T | PromiseLike<T>): Promise<T>;
}

/** What a tool's handler may give: text, content, or a whole result, which may leave `content` out if it is structured. */
export type ToolOutput =
	| string
	| ContentBlock[]
	| CallToolResult
	| (Omit<CallToolResult, "content"> & { structuredContent: unknown })
	| InputRequiredResult;
/** What a resource's `read` may give: text, bytes, contents, or a whole result. */
export type ResourceOutput =
	| string
	| Uint8Array
	| (TextResourceContents | BlobResourceContents)[]
	| ReadResourceResult
	| InputRequiredResult;
/** What a prompt's `get` may give: the text of one user message, messages, or a whole result. */
export type PromptOutput = string | PromptMessage[] | GetPromptResult | InputRequiredResult;

/** A tool and what runs it. */
export interface ToolDefinition<Schema = ObjectSchema> {
	/** 1 to 128 characters: letters and digits of any script, `_`, `-`, `.` and `/`. */
	name: string;
	title?: string;
	/** What it does, for a model. */
	description?: string;
	icons?: Icon[];
	/**
	 * The schema of the arguments: JSON Schema, `{ type: "object" }` for any, or a schema of zod, arktype or another
	 * library that follows Standard Schema, whose output `args` then is. Either gives `args` its type; JSON Schema if
	 * it is written as a literal. A property may carry `x-mcp-header`: its value then also travels as a header.
	 */
	inputSchema: Schema & (ObjectSchema | StandardSchema<any, any>);
	/** The schema of `structuredContent`: JSON Schema, or that of a library, whose output is what clients get. */
	outputSchema?: Tool["outputSchema"] | StandardSchema<any, any>;
	annotations?: ToolAnnotations;
	_meta?: MetaObject;
	/** Who sees it, and may call it: to others it does not exist, and lists are private. */
	visible?: Visible;
	/**
	 * Scopes that a caller needs, all of them, in `authInfo.scopes`: a list, or a text with spaces. Over HTTP a caller
	 * without them is answered with 403 and a challenge that names them.
	 */
	scopes?: readonly string[];
	/**
	 * Runs the tool. The arguments fit the schema; what it throws becomes a result with `isError`.
	 * It keeps no state between the calls of one client: any isolate may get the next one.
	 */
	handler(args: ArgumentsOf<Schema>, ctx: RequestContext): MaybePromise<ToolOutput>;
}

/** How long a modern client may reuse a result. */
export interface CacheHint {
	/**
	 * In milliseconds.
	 * @defaultValue 0
	 */
	ttlMs?: number;
	/**
	 * Whether anybody may reuse it, or only the same authorization context.
	 * @defaultValue "private"
	 */
	cacheScope?: "public" | "private";
}

/** A resource and what reads it. */
export interface ResourceDefinition extends Resource {
	/** Who sees it, and may read it: to others it does not exist, and lists are private. */
	visible?: Visible;
	/**
	 * Of the contents.
	 * @defaultValue the hint for `resources/read`
	 */
	cacheHint?: CacheHint;
	/** Reads it; what it throws becomes an error. */
	read(uri: string, ctx: RequestContext): MaybePromise<ResourceOutput>;
}

/** The values of a template's variables; a list for a variable with `*`. */
export interface TemplateVariables {
	[name: string]: string | string[] | undefined;
}

/** Completes an argument: gives the proposals, or a whole result. */
export type Completion = (
	params: CompleteRequestParams,
	ctx: RequestContext,
) => MaybePromise<string[] | CompleteResult>;

/** Completes arguments one by one: `value` is what has been typed, `args` what is known of the others. */
export interface CompletionByArgument {
	[argument: string]: (
		value: string,
		args: { [name: string]: string },
		ctx: RequestContext,
	) => MaybePromise<string[] | CompleteResult>;
}

/** A family of resources and what reads them. */
export interface ResourceTemplateDefinition extends ResourceTemplate {
	/** Who sees it, and may use it: to others it does not exist, and lists are private. */
	visible?: Visible;
	/**
	 * Gives resources for `resources/list`, asked for with every request. What one leaves out, its template says;
	 * one that the server defines itself is left out.
	 */
	list?(ctx: CallerContext): MaybePromise<Resource[] | { resources: Resource[] }>;
	/** Completes the template's variables. */
	complete?: Completion | CompletionByArgument;
	/**
	 * Of the contents.
	 * @defaultValue the hint for `resources/read`
	 */
	cacheHint?: CacheHint;
	/**
	 * Reads one of them. The variables are percent-decoded and may hold anything, `/` and `..`
	 * included: they are not safe as a path.
	 */
	read(uri: string, variables: TemplateVariables, ctx: RequestContext): MaybePromise<ResourceOutput>;
}

/** A prompt and what fills it in. */
export interface PromptDefinition<Schema = unknown> extends Prompt {
	/** In place of `arguments`: a schema of an object of texts, JSON Schema or that of a library, as of a tool. */
	argsSchema?: Schema & (ObjectSchema | StandardSchema<any, any>);
	/** Who sees it, and may use it: to others it does not exist, and lists are private. */
	visible?: Visible;
	/** Completes the prompt's arguments. */
	complete?: Completion | CompletionByArgument;
	/** Fills it in; required arguments are there. */
	get(args: PromptArgumentsOf<Schema>, ctx: RequestContext): MaybePromise<PromptOutput>;
}

/** What a {@link Server} consists of. */
export interface ServerDefinition<
	Schemas extends readonly unknown[] = readonly ObjectSchema[],
	PromptSchemas extends readonly unknown[] = readonly unknown[],
> {
	name: string;
	version: string;
	title?: string;
	description?: string;
	websiteUrl?: string;
	icons?: Icon[];
	/** How to use the server, for a model. */
	instructions?: string;
	tools?: { readonly [Index in keyof Schemas]: ToolDefinition<Schemas[Index]> };
	resources?: readonly ResourceDefinition[];
	resourceTemplates?: readonly ResourceTemplateDefinition[];
	prompts?: { readonly [Index in keyof PromptSchemas]: PromptDefinition<PromptSchemas[Index]> };
	/** Completes where the prompt or template does not do so itself. */
	complete?: Completion | CompletionByArgument;
	/** Requests of the server's own, by their method, in both eras. A handler gives an object. */
	methods?: {
		readonly [method: string]: (params: any, ctx: MethodContext) => MaybePromise<{ [name: string]: unknown }>;
	};
	/** Takes notifications of the server's own, by their method. What it throws, nobody hears. */
	notifications?: { readonly [method: string]: (params: any, caller: NotificationCaller) => unknown };
	/**
	 * Capabilities beyond those that follow from the rest, extensions above all, declared as they are. `listChanged` of tools, resources or
	 * prompts is declared by itself once a handle of one was given out; `listChanged: false` keeps it away.
	 */
	capabilities?: ServerCapabilities;
	/**
	 * Versions to speak.
	 * @defaultValue all five
	 */
	supportedVersions?: readonly ProtocolVersion[];
	/**
	 * What happens to legacy requests: each is answered by itself; over HTTP in a session, which
	 * `initialize` opens and the client can end; or refused with the versions that do work.
	 * @defaultValue "stateless"
	 */
	legacy?: "stateless" | "sessions" | "reject";
	/** How sessions are kept, where `legacy` is `"sessions"`. */
	sessions?: SessionOptions;
	/** How the state of handlers that ask more than once is sealed while the client carries it. */
	requestState?: {
		/** 32 bytes or more, as bytes or text, the same in every isolate. Of a list the first one seals, and all open. */
		key: string | Uint8Array | readonly (string | Uint8Array)[];
		/**
		 * How long a state holds, in milliseconds.
		 * @defaultValue 600 000
		 */
		ttlMs?: number;
		/**
		 * Whose call it is: a state opens for the same one only.
		 * @defaultValue that of `sessions`, else `authInfo.sub`, else `authInfo.clientId`
		 */
		principal?: (authInfo: any) => unknown;
	};
	/**
	 * The largest HTTP body, in bytes; a larger one is answered with 413.
	 * @defaultValue 4 194 304
	 */
	maxBodyBytes?: number;
	/**
	 * How many items a page of a list has, from 1 to 1 000.
	 * @defaultValue 1 000
	 */
	pageSize?: number;
	/** How long the results of these methods may be reused. */
	cacheHints?: {
		[Method in
			| "server/discover"
			| "tools/list"
			| "resources/list"
			| "resources/templates/list"
			| "resources/read"
			| "prompts/list"]?: CacheHint;
	};
	/**
	 * Origins whose pages may call the server beside its own, as browsers write them, without a path; `"*"` for all.
	 * Requests without `Origin` pass.
	 * @defaultValue []
	 */
	allowedOrigins?: readonly string[];
	/**
	 * Headers that pages of those origins may send beside those of the protocol.
	 * @defaultValue []
	 */
	allowedHeaders?: readonly string[];
	/**
	 * Headers of responses that such pages may read beside those of the protocol.
	 * @defaultValue []
	 */
	exposedHeaders?: readonly string[];
	/**
	 * Hosts, with their port if there is one, under which the server may be called.
	 * @defaultValue any; for a server on a loopback address, loopback names only
	 */
	allowedHosts?: readonly string[];
	/**
	 * What carries changes to the clients that listen; one that reaches other isolates lets each tell its own clients.
	 * @defaultValue one for this isolate
	 */
	bus?: ChangeBus;
	/**
	 * How many clients may listen at once.
	 * @defaultValue 1024
	 */
	maxSubscriptions?: number;
	/**
	 * For how many milliseconds a legacy client may take over its answer to `ctx.elicit`, `sample` or `listRoots`. Then
	 * it is told that the answer is no longer wanted, and the handler gets an error, `TIMED_OUT`. A modern client answers
	 * by a request of its own; what it may take is the `ttlMs` of `requestState`.
	 * @defaultValue 600 000
	 */
	askTimeoutMs?: number;
}

/** Who sent a notification. */
export interface NotificationCaller {
	/** Whatever was passed as `authInfo`. */
	readonly authInfo: any;
	/** Whatever was passed as `env`. */
	readonly env: any;
	/** The headers of the HTTP request, if it came by HTTP. */
	readonly headers: Headers | undefined;
}

/** How legacy clients are served in sessions over HTTP. */
export interface SessionOptions {
	/**
	 * Where sessions are kept: one that other isolates reach lets each of them serve every session.
	 * @defaultValue this isolate's memory, for `maxSessions`
	 */
	store?: SessionStore;
	/**
	 * Where events are kept for clients that come back for what they have missed.
	 * @defaultValue this isolate's memory, for `maxEvents` and `maxEventChars`
	 */
	events?: EventStore;
	/**
	 * Whose session it is: only the same one may use it.
	 * @defaultValue `authInfo.sub`, else `authInfo.clientId`
	 */
	principal?: (authInfo: any) => unknown;
	/**
	 * How long a session is kept after its last use, in milliseconds; a stream that is open counts as use.
	 * @defaultValue 1 800 000
	 */
	idleMs?: number;
	/**
	 * How many sessions the store in memory keeps; the one that was used longest ago makes room.
	 * @defaultValue 10 000
	 */
	maxSessions?: number;
	/**
	 * How many events the store in memory keeps, of all streams together; the oldest makes room.
	 * @defaultValue 10 000
	 */
	maxEvents?: number;
	/**
	 * How many characters of events the store in memory keeps.
	 * @defaultValue 16 777 216
	 */
	maxEventChars?: number;
	/**
	 * After how many milliseconds a client should come back to a stream.
	 * @defaultValue 1 000
	 */
	retryMs?: number;
}

/**
 * Keeps sessions, texts of at most 65 536 characters, by their ids. One isolate makes its changes of a session one after
 * the other, also where the store answers later; of changes that two isolates make at the same moment the last one counts.
 */
export interface SessionStore {
	get(id: string): MaybePromise<string | null | undefined>;
	/** Keeps it for at least that long; what is there under the id is replaced. */
	set(id: string, session: string, ttlMs: number): unknown;
	delete(id: string): unknown;
}

/** A message of a stream, or a mark without a text. */
export interface StreamEvent {
	/** Its place in the stream. */
	number: number;
	/** The message as JSON. */
	text: string;
	/** Whether nothing comes after it. */
	last: boolean;
}

/** Keeps the events of sessions' streams. */
export interface EventStore {
	/** Keeps one more event of a stream; they come in order. */
	append(session: string, stream: string, event: StreamEvent): unknown;
	/** @returns the later events of the stream in order; nothing if that one is not there any more */
	after(session: string, stream: string, number: number): MaybePromise<StreamEvent[] | null | undefined>;
	/** Forgets the events of a session that has ended. */
	forget(session: string): unknown;
}

/** Something that changed. */
export type ChangeEvent =
	| { type: "tools_list_changed" | "prompts_list_changed" | "resources_list_changed" }
	| { type: "resource_updated"; uri: string };

/** What one isolate tells the others: changes, and what concerns sessions. It is JSON. */
export type BusEvent = ChangeEvent | { type: string; [member: string]: unknown };

/**
 * Carries changes, within one isolate or between many; each event reaches every listener, the publisher's own too. Where
 * one fails, only those hear of it who wait: `notify`, `log`, a client that opens a stream.
 */
export interface ChangeBus {
	publish(event: any): unknown;
	/**
	 * @param lost is called when no events will come any more: clients are then sent away to come back
	 * @returns what ends it; a promise of that once nothing is missed
	 */
	subscribe(listener: (event: any) => void, lost: () => void): MaybePromise<() => unknown>;
}

/** An item of a running server. Clients that listen are told of each change, once for all that change together. */
export interface Registered<Definition> {
	/** Whether clients can see and use it. */
	readonly enabled: boolean;
	/** Puts it back where it was. */
	enable(): void;
	/** Takes it away: clients get the errors of an item that does not exist. Its name stays taken. */
	disable(): void;
	/**
	 * Replaces members of its definition. Calls that run already end as they began.
	 * @throws {@link McpError} `INVALID_DEFINITION`: it was removed, a rule is broken, the new name is taken
	 */
	update(changes: Partial<Definition>): void;
	/** Takes it away for good. */
	remove(): void;
}
/** A tool of a running server. */
export interface RegisteredTool<Schema = ObjectSchema> extends Registered<ToolDefinition<Schema>> {
	readonly name: string;
}
/** A resource of a running server. */
export interface RegisteredResource extends Registered<ResourceDefinition> {
	readonly uri: string;
}
/** A resource template of a running server. */
export interface RegisteredResourceTemplate extends Registered<ResourceTemplateDefinition> {
	readonly uriTemplate: string;
}
/** A prompt of a running server. */
export interface RegisteredPrompt<Schema = unknown> extends Registered<PromptDefinition<Schema>> {
	readonly name: string;
}

/** What goes with a message. */
export interface HandleOptions {
	/**
	 * Takes the notifications that belong to the request: progress, log messages. They are of
	 * the message's kind: objects for an object, text for text, bytes for bytes. Without it they are dropped.
	 */
	send?: (notification: any) => void;
	/** Aborts the handler's `ctx.signal`. */
	signal?: AbortSignal;
	/** Whose message it is, for a client with a channel of its own. Without it a legacy request is answered by itself. */
	channel?: ServerChannel;
	/** Becomes `ctx.authInfo`. */
	authInfo?: unknown;
	/** Becomes `ctx.env`. */
	env?: unknown;
	/** Becomes `ctx.waitUntil`. */
	waitUntil?: (promise: Promise<unknown>) => void;
}

/**
 * What a server remembers of one client whose messages come over a channel of its own: in the legacy era its session, with
 * the version that was agreed on, what the client says of itself, its level of log messages and the resources that it watches.
 */
export interface ServerChannel {
	/** To be called when the client has gone. */
	close(): void;
}

/** What goes with an HTTP request. */
export interface FetchOptions {
	/** Becomes `ctx.authInfo`. */
	authInfo?: unknown;
	/** Becomes `ctx.env`. */
	env?: unknown;
	/** Becomes `ctx.waitUntil`. */
	waitUntil?: (promise: Promise<unknown>) => void;
}

/**
 * A server of both eras. One value serves any number of requests at once.
 *
 * @example
 * ```js
 * const server = new Server({
 *   name: "weather",
 *   version: "1.0.0",
 *   tools: [{
 *     name: "get_weather",
 *     inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
 *     handler: ({ city }) => `Sunny in ${city}`,
 *   }],
 * });
 * export default { fetch: (request) => server.fetch(request) };
 * ```
 */
export class Server<
	const Schemas extends readonly unknown[] = readonly ObjectSchema[],
	const PromptSchemas extends readonly unknown[] = readonly unknown[],
> {
	/** Loads nothing; a wrong definition rejects {@link Server.ready} and the first call. */
	constructor(definition: ServerDefinition<Schemas, PromptSchemas>);

	/**
	 * Resolves when the definition has been checked; awaiting it is not needed.
	 * Rejects with `INVALID_DEFINITION`, as the first call then does; also with
	 * `CORE_NOT_LOADED` or `WASM_FORBIDDEN`.
	 */
	readonly ready: Promise<void>;

	/**
	 * Answers one message: JSON text and bytes in kind, and so an object.
	 * @returns `null` for what has no answer: a notification, a response
	 */
	handleMessage(message: string, options?: HandleOptions): Promise<string | null>;
	handleMessage(message: Uint8Array | ArrayBuffer, options?: HandleOptions): Promise<Uint8Array | null>;
	handleMessage(message: object, options?: HandleOptions): Promise<JSONRPCResponse | null>;

	/** Answers one HTTP request. It never rejects: every failure is a response. */
	fetch(request: Request, options?: FetchOptions): Promise<Response>;

	/**
	 * Checks the headers of a modern HTTP request against its body, for those who bring their own web layer.
	 *
	 * @param message the body: JSON text, bytes, or an object
	 * @returns the error to answer with (−32020, status 400), or `null` when they agree
	 */
	checkHeaders(
		headers: HeadersInit,
		message: string | Uint8Array | ArrayBuffer | object,
	): Promise<JSONRPCErrorObject | null>;

	/**
	 * Adds a tool, at the end of the list.
	 * @throws {@link McpError} `INVALID_DEFINITION`: the name is taken; a rule is broken, once the WebAssembly is
	 * loaded (before that, a broken rule rejects {@link Server.ready} and the first call)
	 */
	registerTool<const Schema>(
		name: string,
		config: Omit<ToolDefinition<Schema>, "name" | "handler">,
		handler: ToolDefinition<Schema>["handler"],
	): RegisteredTool<Schema>;
	/** Adds a resource; see {@link Server.registerTool}. */
	registerResource(
		name: string,
		uri: string,
		config: Omit<ResourceDefinition, "name" | "uri" | "read">,
		read: ResourceDefinition["read"],
	): RegisteredResource;
	/** Adds a resource template; see {@link Server.registerTool}. */
	registerResourceTemplate(
		name: string,
		uriTemplate: string,
		config: Omit<ResourceTemplateDefinition, "name" | "uriTemplate" | "read">,
		read: ResourceTemplateDefinition["read"],
	): RegisteredResourceTemplate;
	/** Adds a prompt; see {@link Server.registerTool}. */
	registerPrompt<const Schema>(
		name: string,
		config: Omit<PromptDefinition<Schema>, "name" | "get">,
		get: PromptDefinition<Schema>["get"],
	): RegisteredPrompt<Schema>;

	/** The tool of that name, wherever it was defined. */
	tool(name: string): RegisteredTool | undefined;
	/** The resource with that URI. */
	resource(uri: string): RegisteredResource | undefined;
	/** The resource template of that text. */
	resourceTemplate(uriTemplate: string): RegisteredResourceTemplate | undefined;
	/** The prompt of that name. */
	prompt(name: string): RegisteredPrompt | undefined;

	/**
	 * Tells the clients that listen of a change, as far as `capabilities` declares that it is told:
	 * `listChanged` of tools, prompts or resources, `subscribe` of resources.
	 */
	notify(event: ChangeEvent): unknown;

	/**
	 * Logs to the clients of legacy sessions that listen, outside of any request; modern clients ask for log messages
	 * with their requests only.
	 */
	log(level: LoggingLevel, data: unknown, logger?: string): unknown;

	/**
	 * A client with a channel of its own: to be given with each of its messages. `serveMessages` of `mcp-duet/transport` does it.
	 * @param send takes what belongs to no request, for a legacy client: changes, and log messages
	 */
	channel(send: (notification: any) => void): ServerChannel;

	/**
	 * Ends the subscriptions, and what handlers ask legacy clients with `CLOSED`. Calls that run end as they would have,
	 * and the memory in WebAssembly is let go with the last of them; what is called later rejects with `CLOSED`.
	 */
	close(): void;
}

/**
 * Seals and opens the state of handlers that ask by a result of their own, `{ resultType: "input_required",
 * inputRequests, requestState }`, without the server's option `requestState`, which does it for them.
 *
 * @throws {@link McpError} `INVALID_DEFINITION`: an option is wrong
 */
export function createRequestStateCodec(options: {
	/** 32 bytes or more, as bytes or text. Of a list the first one seals, and all open. */
	key: string | Uint8Array | readonly (string | Uint8Array)[];
	/**
	 * How long a state holds, in milliseconds.
	 * @defaultValue 600 000
	 */
	ttlMs?: number;
	/** What a state is bound to: it opens where this gives the same. Principal, method and arguments belong there. */
	bind?: (ctx: any) => unknown;
}): {
	/** Seals anything that is JSON. */
	mint(payload: unknown, ctx?: RequestContext): Promise<string>;
	/** Opens it. Rejects with a {@link ProtocolError} (−32602): changed, expired, or bound to something else. */
	verify(state: string, ctx?: RequestContext): Promise<any>;
};

/** {@link Server.handleMessage} as a function. */
export function handle_message(server: Server, message: string, options?: HandleOptions): Promise<string | null>;
export function handle_message(
	server: Server,
	message: Uint8Array | ArrayBuffer,
	options?: HandleOptions,
): Promise<Uint8Array | null>;
export function handle_message(
	server: Server,
	message: object,
	options?: HandleOptions,
): Promise<JSONRPCResponse | null>;

/** {@link Server.checkHeaders} as a function. */
export function checkHeaders(
	server: Server,
	headers: HeadersInit,
	message: string | Uint8Array | ArrayBuffer | object,
): Promise<JSONRPCErrorObject | null>;
