/**
 * The View of an MCP App: the page that a host shows in a frame for a tool call. Plain JavaScript without
 * dependencies, WebAssembly or `eval`, for the policy of that frame forbids them.
 *
 * @packageDocumentation
 */

import type {
	McpUiAppCapabilities,
	McpUiDisplayMode,
	McpUiHostCapabilities,
	McpUiHostContext,
	McpUiTheme,
	McpUiToolCancelled,
	McpUiToolInput,
} from "../types/apps.js";
import type {
	CallToolResult,
	ContentBlock,
	CreateMessageRequestParams,
	CreateMessageResult,
	EmbeddedResource,
	Implementation,
	ListResourcesResult,
	ListToolsResult,
	LoggingLevel,
	ReadResourceResult,
	RequestId,
	ResourceLink,
	Tool,
} from "../types.js";

export { type ErrorCode, McpError, ProtocolError } from "../errors.js";
export type * from "../types/apps.js";

/** How far a request has got. */
export interface Progress {
	/** Grows with every call. */
	progress: number;
	/** What `progress` will be in the end. */
	total?: number;
	message?: string;
}

/** Options of every request. A request before the end of the handshake is sent after it. */
export interface RequestOptions {
	/** Cancels the request, at the host too; it then rejects with the signal's `reason`. */
	signal?: AbortSignal;
	/**
	 * How long to wait for the answer, in milliseconds, at most 24 days; every progress notification starts it anew.
	 * @defaultValue 60 000
	 */
	timeoutMs?: number;
	/** Asks for progress and takes it. */
	onProgress?(progress: Progress): void;
}

/** A tool that the View provides to the model while it is shown. */
export interface ViewTool extends Omit<Tool, "inputSchema"> {
	/** @defaultValue no arguments */
	inputSchema?: Tool["inputSchema"];
	/**
	 * Runs it. The host may have checked the arguments or not: nothing here does. What it throws becomes a result
	 * with `isError`.
	 */
	handler(
		args: any,
		context: {
			requestId: RequestId;
			/** Aborted when the host cancels the call, or the View ends. */
			signal: AbortSignal;
		},
	): ViewToolOutput | PromiseLike<ViewToolOutput>;
}

/** What a View's tool may give: text, content, or a result, whose `content` may be missing. */
export type ViewToolOutput = string | ContentBlock[] | (Omit<CallToolResult, "content"> & { content?: ContentBlock[] });

/** A tool that has been registered. The host hears of every change. */
export interface RegisteredViewTool {
	enable(): void;
	/** It is neither listed nor called. */
	disable(): void;
	update(changes: Partial<Omit<ViewTool, "name">>): void;
	remove(): void;
}

/** What a View is. */
export interface ViewOptions {
	appInfo: Implementation;
	/** What it can do; `tools` follows from the tools. */
	capabilities?: McpUiAppCapabilities;
	/** At most 50. With `capabilities.tools` there can be more of them later. */
	tools?: readonly ViewTool[];
	/**
	 * Whether the host is told of the height of the content, now and whenever it changes.
	 * @defaultValue true
	 */
	autoResize?: boolean;
	/**
	 * How long to try to reach a host, in milliseconds.
	 * @defaultValue 60 000
	 */
	timeoutMs?: number;
	/** Gives up the attempt to connect. */
	signal?: AbortSignal;
	/**
	 * The host's origin. Then messages are taken from it alone, whichever window says it sent them, and sent to
	 * it alone. Few Views can know it: a host's sandbox is anywhere, and its origin may be `"null"`.
	 * @defaultValue whatever the parent's is: the window decides
	 */
	hostOrigin?: string;
	/**
	 * The host's window.
	 * @defaultValue window.parent
	 */
	target?: Window;
	/**
	 * Understands hosts that speak a draft: `ui/tool-cancelled`, `hostContext.viewport`.
	 * @defaultValue false
	 */
	olderSpellings?: boolean;
}

/** What a listener is given. */
export interface ViewEvents {
	/** The context, whole, and of it what has changed. The first time, everything has. */
	hostContext: [context: McpUiHostContext, changes: McpUiHostContext];
	/** The arguments as far as they have been written; the last value may be cut off. */
	toolInputPartial: [input: McpUiToolInput];
	toolInput: [input: McpUiToolInput];
	/** Its `content` is an array, if an empty one. */
	toolResult: [result: CallToolResult];
	toolCancelled: [cancelled: McpUiToolCancelled];
	/** The server's lists have changed. */
	toolsChanged: [params: object];
	resourcesChanged: [params: object];
	promptsChanged: [params: object];
	/** The View is about to be removed. Promises are waited for, as long as the host does: here is where to save. */
	teardown: [params: { reason?: string }];
	/** Why the View is closed. */
	close: [reason: unknown];
}

/** One page in one frame of one host. */
export class View {
	/** Sends nothing: {@link View.connect} does. */
	constructor(options: ViewOptions);

	/**
	 * Shakes hands with the host; more calls wait for the same. Rejects with `TIMED_OUT` when nobody answers, with
	 * `INVALID_RESULT` when the answer lacks what it must have; the View is then closed, and another one can be made.
	 */
	connect(): Promise<this>;
	/** The version that the host answered with; there is only 2026-01-26. */
	readonly protocolVersion: string;
	readonly hostInfo: Implementation;
	readonly hostCapabilities: McpUiHostCapabilities;
	/** All that the host has told of itself so far: another object after each change. */
	readonly hostContext: McpUiHostContext;
	readonly closed: boolean;

	/**
	 * Listens. Context, tool data and the end are told to those who come late, too, in the order in which they happen;
	 * what a listener throws is reported as an uncaught error and disturbs no other.
	 * @returns what ends it
	 */
	on<Name extends keyof ViewEvents>(name: Name, listener: (...values: ViewEvents[Name]) => unknown): () => void;
	/** What an event that is told to latecomers last came with, always the same object; of the current tool call. */
	last<Name extends "hostContext" | "toolInputPartial" | "toolInput" | "toolResult" | "toolCancelled" | "close">(
		name: Name,
	): ViewEvents[Name][0] | undefined;

	/** Calls a tool of the server that the View came from. */
	callServerTool(name: string, args?: { [name: string]: unknown }, options?: RequestOptions): Promise<CallToolResult>;
	/** Asks for a page of the server's tools; not every host forwards it. */
	listServerTools(cursor?: string, options?: RequestOptions): Promise<ListToolsResult>;
	readServerResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
	listServerResources(cursor?: string, options?: RequestOptions): Promise<ListResourcesResult>;
	/** Asks a model, if {@link View.hostCapabilities} has `sampling`; rejects with `INVALID_ARGUMENT` if not. */
	createMessage(params: CreateMessageRequestParams, options?: RequestOptions): Promise<CreateMessageResult>;

	/** Says something in the conversation, as the person. Rejects with `DENIED` when the host or the person refuses. */
	sendMessage(content: string | ContentBlock[], options?: RequestOptions): Promise<void>;
	/** Sets what the model knows of the View from its next turn on; replaces what was set before. */
	updateModelContext(
		context: { content?: ContentBlock[]; structuredContent?: { [name: string]: unknown } },
		options?: RequestOptions,
	): Promise<void>;
	/** Opens a link outside. Rejects with `DENIED` when the host or the person refuses. */
	openLink(url: string | URL, options?: RequestOptions): Promise<void>;
	/** Saves files; their names are the last parts of their URIs. Rejects with `DENIED` when it is refused. */
	downloadFile(contents: (EmbeddedResource | ResourceLink)[], options?: RequestOptions): Promise<void>;
	/**
	 * Asks for a display mode, one that `capabilities` declares if it declares any. A mode that the host does not
	 * have is not asked for.
	 * @returns the mode in force, which may be another
	 */
	requestDisplayMode(mode: McpUiDisplayMode, options?: RequestOptions): Promise<McpUiDisplayMode>;
	/** Sends a log message. */
	log(level: LoggingLevel, data: unknown, logger?: string): void;
	/** Asks to be removed; the host may not care. */
	requestTeardown(): void;
	/** Tells how large the content is, in CSS pixels; for those who have no automatic resizing. */
	sendSize(size: { width?: number; height?: number }): void;
	/** Starts or stops telling the height of the content. */
	setAutoResize(on: boolean): void;
	/** Provides another tool. Needs `tools` or `capabilities.tools` from the start. */
	registerTool(tool: ViewTool): RegisteredViewTool;

	/** Any other request. */
	request(method: string, params?: object, options?: RequestOptions): Promise<any>;
	/** Any other notification; waits for the handshake, too. */
	notify(method: string, params?: object): void;

	/**
	 * Ends it: nothing is sent or heard any more, and what was pending rejects with `CLOSED`. Happens by itself after
	 * a teardown, and when the page goes away.
	 */
	close(): void;
}

/**
 * A View that has shaken hands with its host.
 *
 * @example
 * ```js
 * const app = await connectView({ appInfo: { name: "chart", version: "1.0.0" } });
 * app.on("toolResult", ({ structuredContent }) => draw(structuredContent));
 * ```
 */
export function connectView(options: ViewOptions): Promise<View>;

/** Sets `data-theme` and `color-scheme`, or removes them. */
export function applyTheme(theme: McpUiTheme | undefined, root?: HTMLElement): void;
/** Sets CSS variables, and removes those that an earlier call set and this one does not. */
export function applyStyleVariables(
	variables: { [name: string]: string | undefined } | undefined,
	root?: HTMLElement,
): void;
/** Sets the page's `@font-face` and `@import` rules, or removes them. */
export function applyFonts(css: string | undefined): void;
/**
 * Keeps theme, variables and fonts as the host has them.
 * @returns what ends it and takes them away again
 */
export function followHostStyles(view: View, root?: HTMLElement): () => void;
