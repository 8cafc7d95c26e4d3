/**
 * The host of MCP Apps: puts the View of a tool call on a page.
 *
 * @packageDocumentation
 */

import type { McpError } from "../errors.js";
import type {
	McpUiAppCapabilities,
	McpUiDisplayMode,
	McpUiHostCapabilities,
	McpUiHostContext,
	McpUiResourceCsp,
	McpUiResourcePermissions,
	UIResourceMeta,
} from "../types/apps.js";
import type {
	CallToolResult,
	ContentBlock,
	CreateMessageRequestParams,
	CreateMessageResult,
	EmbeddedResource,
	Implementation,
	ListToolsResult,
	LoggingLevel,
	ReadResourceResult,
	RequestId,
	ResourceLink,
	Tool,
} from "../types.js";

export * from "../errors.js";
export * from "../init.js";
export type * from "../types/apps.js";

type MaybePromise<T> = T | PromiseLike<T>;

/**
 * A client of the server that the tool is from: a `Client` of this package or of the official SDK, or anything
 * with this method.
 */
export interface AppClient {
	request(method: any, params?: any, options?: any): Promise<any>;
}

/** What is told of a request while it is under way. */
export interface HandlerContext {
	/** Aborted when the View no longer waits, or is gone. */
	signal: AbortSignal;
}

/** What a View's callbacks may say: `false` refuses, everything else accepts. */
export type Answer = MaybePromise<boolean | void>;

/** How much a host puts up with from one View. */
export interface AppLimits {
	/**
	 * The longest message, in bytes of JSON.
	 * @defaultValue 10 551 296: the 10 MiB that a View's tool may give, and an envelope
	 */
	messageBytes?: number;
	/**
	 * Requests of the View that are under way at once.
	 * @defaultValue 100
	 */
	requests?: number;
	/**
	 * Messages in a second.
	 * @defaultValue 1000
	 */
	messagesPerSecond?: number;
	/**
	 * How long the sandbox page may take to answer, in milliseconds.
	 * @defaultValue 30 000
	 */
	loadMs?: number;
	/**
	 * How long the View may take to put its things away, in milliseconds.
	 * @defaultValue 2000
	 */
	teardownMs?: number;
	/**
	 * The largest width or height that is believed, in CSS pixels.
	 * @defaultValue 100 000
	 */
	sizePx?: number;
}

/** What is known of a View before its frame is made. */
export interface AppDetails {
	/** The resource. */
	uri: string;
	/** What it declares. */
	ui: UIResourceMeta;
	/** The sources that it is granted; `undefined` where it declares none. */
	csp: McpUiResourceCsp | undefined;
	/** The content security policy made of them. */
	policy: string;
}

/** Where a View comes from and goes to, and what it may do. Without a callback the View is told that there is no such thing. */
export interface MountOptions {
	client: AppClient;
	/** The tool, as the server lists it. */
	tool: Tool;
	/** The element to put the frame into. */
	container: HTMLElement;
	/**
	 * Where the sandbox page is: on another origin than this page. Views of one sandbox origin can reach each other's
	 * storage, so a function may give each server one of its own.
	 */
	sandbox: string | URL | ((details: AppDetails) => string | URL);
	/** The arguments of the call, if they are complete; else see {@link MountedApp.sendToolInput}. */
	arguments?: { [name: string]: unknown };
	/** The result of the call, or the call itself; one that fails becomes a cancellation. */
	result?: MaybePromise<CallToolResult>;
	/** The id of the call, for `hostContext.toolInfo`. */
	callId?: RequestId;
	/** What `resources/read` gave, where it has been asked already. */
	resource?: ReadResourceResult;
	/** Gives up before there is a frame. */
	signal?: AbortSignal;

	/** @defaultValue this package */
	hostInfo?: Implementation;
	/**
	 * Theme, styles, locale, sizes. What is not given of `theme`, `locale`, `timeZone`, `platform`,
	 * `deviceCapabilities` and `containerDimensions` is taken from the page, theme and dimensions again when they change.
	 */
	context?: McpUiHostContext;
	/** More capabilities, or other ones than what follows from the callbacks and the server. */
	capabilities?: McpUiHostCapabilities;
	/**
	 * The permissions that a View gets if it wants them.
	 * @defaultValue all that there are
	 */
	permissions?: readonly (keyof McpUiResourcePermissions)[];
	/**
	 * Lets Views compile WebAssembly, which the specification's policy forbids; the sandbox page's header has to
	 * allow it, too.
	 * @defaultValue false
	 */
	wasm?: boolean;
	/**
	 * Whether the View's document has the sandbox's origin, or none: then it has neither storage nor frames, and
	 * `'self'` in its policy matches nothing.
	 * @defaultValue "origin"
	 */
	isolation?: "origin" | "opaque";
	/**
	 * The frame takes the height of its content.
	 * @defaultValue true
	 */
	autoHeight?: boolean;
	/**
	 * The frame takes the width of its content.
	 * @defaultValue false
	 */
	autoWidth?: boolean;
	/** The greatest height of the frame, in CSS pixels. */
	maxHeight?: number;
	limits?: AppLimits;
	/**
	 * Understands Views and servers that speak a draft: `ui/size-change`, `text/html+mcp`.
	 * @defaultValue false
	 */
	olderSpellings?: boolean;

	/** A link that the View wants opened: https or http. {@link openInNewTab} does. */
	onOpenLink?(url: string, context: HandlerContext): Answer;
	/** Files that the View wants saved, and a safe name for each. */
	onDownloadFile?(
		files: { contents: (EmbeddedResource | ResourceLink)[]; names: string[] },
		context: HandlerContext,
	): Answer;
	/** A message of the user's into the conversation. */
	onMessage?(message: { role: "user"; content: ContentBlock[] }, context: HandlerContext): Answer;
	/** What the model is to know from now on; replaces what there was. */
	onUpdateModelContext?(
		update: { content?: ContentBlock[]; structuredContent?: { [name: string]: unknown } },
		context: HandlerContext,
	): Answer;
	/**
	 * The View wants to be shown in another mode, which both sides have. Lays out the frame; may say which mode it is now.
	 */
	onRequestDisplayMode?(
		mode: McpUiDisplayMode,
		context: HandlerContext,
	): MaybePromise<McpUiDisplayMode | boolean | void>;
	/** The View asks the model. */
	onCreateMessage?(
		params: CreateMessageRequestParams,
		context: HandlerContext,
	): MaybePromise<CreateMessageResult | false>;
	/** Before a tool call of the View goes to the server; the tool is one that Views may call. */
	onToolCall?(call: { name: string; arguments?: { [name: string]: unknown } }): Answer;
	/** The content has another size. The frame has been changed already, as far as it follows. */
	onSizeChanged?(size: { width?: number; height?: number }): void;
	onLog?(message: { level: LoggingLevel; logger?: string; data: unknown }): void;
	/** The View wants to be closed: {@link MountedApp.close}, or not. */
	onRequestTeardown?(): void;
	/** The tools that the View provides have changed. */
	onToolsChanged?(): void;
	/** Something is not as it should be, for those who write hosts, servers or Views. */
	onWarning?(message: string): void;
	/** A callback or the core has failed. */
	onError?(error: unknown): void;
}

/** How to ask a View. */
export interface AppRequestOptions {
	signal?: AbortSignal;
	/**
	 * In milliseconds; progress starts it anew.
	 * @defaultValue 30 000
	 */
	timeoutMs?: number;
	onProgress?(progress: { progress: number; total?: number; message?: string }): void;
}

/** A View on a page. The frame may be moved: the View then starts again and is told everything again. */
export interface MountedApp {
	/** The frame, with the sandbox in it. */
	readonly frame: HTMLIFrameElement;
	/**
	 * Resolves when the View is initialized; rejects with `CLOSED` if it is closed before, with `TIMED_OUT` if the
	 * sandbox page does not answer.
	 */
	readonly initialized: Promise<{ appInfo: Implementation; appCapabilities: McpUiAppCapabilities }>;
	/** Resolves when the View is gone. */
	readonly closed: Promise<void>;
	readonly appInfo: Implementation | undefined;
	readonly appCapabilities: McpUiAppCapabilities | undefined;
	readonly displayMode: McpUiDisplayMode;
	/** Whether the View wants a border; `undefined` leaves it to the host. */
	readonly prefersBorder: boolean | undefined;

	/** The arguments as far as they have been written; after the input it does nothing. */
	sendToolInputPartial(partial: { [name: string]: unknown }): void;
	/**
	 * The arguments, once. What is sent before the View is initialized waits for it.
	 * @throws {@link McpError} `INVALID_ARGUMENT` the second time, and after the end of the call
	 */
	sendToolInput(input?: { [name: string]: unknown }): void;
	/**
	 * The result; a View that was sent no input gets an empty one first. What Views in use refuse is left out.
	 * @throws {@link McpError} `INVALID_ARGUMENT` after the end of the call
	 */
	sendToolResult(result: CallToolResult): void;
	/**
	 * There will be no result.
	 * @throws {@link McpError} `INVALID_ARGUMENT` after the end of the call
	 */
	sendToolCancelled(reason?: string): void;
	/** Changes members of the context, each as a whole; the View is told of those that differ. */
	updateContext(partial: McpUiHostContext): void;

	/** The tools that the View provides, at most 50. */
	listTools(options?: AppRequestOptions): Promise<ListToolsResult>;
	/**
	 * Calls a tool of the View.
	 * @throws {@link McpError} `TIMED_OUT`, `CLOSED`, `INVALID_ARGUMENT`; {@link ProtocolError} with the View's own code
	 */
	callTool(name: string, args?: { [name: string]: unknown }, options?: AppRequestOptions): Promise<CallToolResult>;

	/** Lets the View put its things away, for a bounded time, and removes it. */
	close(): Promise<void>;
	/** Removes it without a word. */
	end(): void;
}

/**
 * Shows the View of a tool call.
 *
 * @example
 * ```js
 * const result = client.callTool(tool.name, args);
 * const app = await mountApp({ client, tool, container, sandbox, arguments: args, result });
 * ```
 * @throws {@link McpError} `INVALID_ARGUMENT` where an option is not what it has to be; `INVALID_DEFINITION` where the tool's
 * metadata is wrong, `INVALID_RESULT` where the resource is no View; what the client rejects with
 */
export function mountApp(options: MountOptions): Promise<MountedApp>;

/** What a client declares that can show Views: for its `capabilities`. */
export const APPS_CAPABILITIES: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: string[] } } };

/**
 * The URI of a tool's View; `undefined` where it has none.
 * @throws {@link McpError} `INVALID_DEFINITION` where it is not a `ui://` URI
 */
export function appUri(tool: Tool): Promise<string | undefined>;

/** The tools that a model is to see: those whose `visibility` has it. */
export function toolsForModel<T extends Tool>(tools: readonly T[]): Promise<T[]>;

/**
 * Tells the Views of a client that a list of its server has changed: for clients other than this package's, which
 * subscribe by themselves. Other notifications do nothing.
 */
export function relayToApps(client: AppClient, notification: { method: string }): void;

/** Opens a link where it can neither reach this page nor see where it comes from. */
export function openInNewTab(url: string): void;

/** Who may frame the sandbox page, and what it allows. */
export interface SandboxOptions {
	/** The origins of the pages that show Views. Without any, every page may frame it. */
	hosts?: readonly string[];
	/** @defaultValue false */
	wasm?: boolean;
}

/** The sandbox page. It is also in the package as `apps/sandbox.html`, for servers of files. */
export const SANDBOX_PAGE: string;

/**
 * The sandbox page and its headers, with the policy of the View that the address is for.
 * @throws {@link McpError} `INVALID_ARGUMENT`
 */
export function sandboxPage(
	request: Request | string | URL,
	options?: SandboxOptions,
): Promise<{ html: string; headers: { [name: string]: string } }>;

/** The same as a response; 400 for an address that is wrong. */
export function sandboxResponse(request: Request, options?: SandboxOptions): Promise<Response>;
