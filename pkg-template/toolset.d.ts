/**
 * Many servers as one list of tools, for agents and chat front ends, in the shapes that model providers take.
 *
 * @packageDocumentation
 */

import type { ClientAuth, Fetch, RequestOptions } from "./client.js";
import type { McpError } from "./errors.js";
import type { MessageTransport } from "./transport.js";
import type {
	CallToolResult,
	ClientCapabilities,
	ContentBlock,
	ElicitRequestParams,
	ElicitResult,
	ImageContent,
	Implementation,
	ResourceLink,
	ServerRequests,
	ToolAnnotations,
} from "./types.js";

export * from "./errors.js";
export * from "./init.js";

/** How long each phase of connecting may take, in milliseconds. */
export interface Timeouts {
	/** Until there is a channel: a process that runs. */
	connectMs?: number;
	/** Until era and version are settled. */
	handshakeMs?: number;
	/** Until the tools are listed. */
	listMs?: number;
}

/** What is used for a phase that nobody gives a time: 10, 30 and 30 seconds. */
export const DEFAULT_TIMEOUTS: Required<Timeouts>;

/** A server behind a URL, as {@link parseConfig} gives it. */
export interface RemoteServer {
	name: string;
	transport: "http";
	url: string;
	/** Not expanded yet. */
	headers: Record<string, string>;
	disabled: boolean;
	timeouts: Timeouts;
}

/** A server that is a command, as {@link parseConfig} gives it. */
export interface CommandServer {
	name: string;
	transport: "stdio";
	command: string;
	args: string[];
	env: Record<string, string>;
	cwd?: string;
	disabled: boolean;
	timeouts: Timeouts;
}

export type ConfiguredServer = RemoteServer | CommandServer;

/** A server as configurations write it. */
export interface ServerEntry {
	/** Its name, in a list of entries; `name` will do. Without either it is named by where it is. */
	serverId?: string;
	name?: string;
	/** `http:` or `https:`; `serverUrl` and `httpUrl` will do. */
	url?: string;
	/** May hold `${VAR}` and `${VAR:-default}`. */
	headers?: Record<string, string>;
	/** A program, or the whole command line. */
	command?: string | string[];
	args?: string[];
	env?: Record<string, string | number | boolean>;
	environment?: Record<string, string | number | boolean>;
	cwd?: string;
	dir?: string;
	disabled?: boolean;
	enabled?: boolean;
	timeouts?: Timeouts;
	/** For each phase, in milliseconds. */
	timeoutMs?: number;
	[other: string]: unknown;
}

/**
 * The servers of a configuration, sorted by name: an object of servers by name below `mcpServers`, `servers`, `mcp` or
 * `mcp.servers`, or without any of these; or a list of entries. A text may hold comments and trailing commas.
 *
 * @throws {@link McpError} `INVALID_ARGUMENT` with the path of what is wrong; never with a value of headers or env
 */
export function parseConfig(config: string | object): Promise<ConfiguredServer[]>;

/**
 * Which headers there are and what becomes of them: taken as they are, changed by expansion, or in need of a variable
 * that is not set. Nothing of their values.
 */
export function headerShape(
	headers: Record<string, string>,
	env?: Record<string, string | undefined>,
): Promise<Record<string, "plain" | "expanded" | "unset">>;

/** A process that a command has become: a transport over its standard input and output. */
export interface Spawned extends MessageTransport {
	/** `null` while it runs, and where it is not known. */
	readonly exitCode: number | null;
	/** The recent lines of its standard error, from the first instant on, also when it has ended. */
	stderr(): string[];
}

/**
 * Makes a process of a command: `spawn` of `mcp-duet/node` does. `signal` is aborted when nobody waits any longer; what
 * it writes to its standard error must go nowhere but into `stderr()`.
 */
export type Spawn = (
	program: { command: string; args: string[]; env: Record<string, string>; cwd?: string },
	options: { stderr: "ignore"; signal: AbortSignal },
) => Spawned | Promise<Spawned>;

/** A server's question as a host shows it. */
export type ElicitationRequest =
	| {
			id: string;
			mode: "form";
			message: string;
			schema: { type: "object"; properties: Record<string, unknown>; required?: string[] };
			/** Why the answer before was not sent: what of it does not fit the schema. The same question, once more. */
			problem?: string;
	  }
	| { id: string; mode: "url"; message: string; url: string };

/** A host's answer. Any reason but `"declined"` cancels: cancelled, expired, absent. */
export type ElicitationAnswer =
	| { ok: true; data?: Record<string, unknown> | undefined }
	| { ok: false; reason?: string | undefined };

/**
 * A question as a host shows it, with an id that is unique in the process.
 * @throws {@link McpError} `INVALID_ARGUMENT` for a mode that nobody knows, or a URL that is not one of the web
 */
export function elicitationToRequest(params: ElicitRequestParams): Promise<ElicitationRequest>;

/** The result for the server: accept, decline or, for anything that is neither, cancel. */
export function answerToElicitResult(answer: ElicitationAnswer | null | undefined): Promise<ElicitResult>;

/** Options of {@link connectAll} and {@link connect}. */
export interface ToolsetOptions {
	/** Starts commands: `spawn` of `mcp-duet/node`. Without it, a command fails with a clear error. */
	spawn?: Spawn;
	/** What `${VAR}` in headers is taken from: `process.env`, for example. @defaultValue {} */
	env?: Record<string, string | undefined>;
	/** For servers whose entry says nothing else. @defaultValue {@link DEFAULT_TIMEOUTS} */
	timeouts?: Timeouts;
	/** How long a call of a tool may take, in milliseconds. @defaultValue the server's `listMs` */
	callTimeoutMs?: number;
	/** Ends the connecting; what has not connected by then has failed. */
	signal?: AbortSignal;
	/** Used for remote servers instead of the global `fetch`. */
	fetch?: Fetch;
	/** What authorizes the requests to a remote server: a provider of `mcp-duet/auth`. */
	auth?: (server: RemoteServer) => ClientAuth | undefined;
	clientInfo?: Implementation;
	capabilities?: ClientCapabilities;
	/**
	 * Asks the user what a server asks. Without it the capability is not declared, and a server that asks all the same
	 * is refused as for an unknown method. What it throws cancels. An answer that does not fit the form's schema is not
	 * sent: it is asked again, three times in all, and then cancels.
	 */
	onElicitation?: (
		request: ElicitationRequest,
	) => ElicitationAnswer | undefined | Promise<ElicitationAnswer | undefined>;
	/** Answers what else servers ask, by method. */
	handlers?: {
		[Method in keyof ServerRequests]?: (
			params: Exclude<ServerRequests[Method]["params"], undefined>,
		) => ServerRequests[Method]["result"] | PromiseLike<ServerRequests[Method]["result"]>;
	};
	/** Called with all tools when a server's list has changed or its process has ended; `toolset.tools` are they as well. */
	onToolsChanged?: (tools: readonly Tool[]) => void;
	/** Called with every notification of every server. */
	onNotification?: (notification: { method: string; params?: any }) => void;
}

/** A tool's result as what a model is shown. */
export interface ShapedResult {
	/** Whether the tool says that it failed. */
	isError: boolean;
	/**
	 * What a model reads: of a failure the joined text, else the canonical JSON of `structuredContent` (RFC 8785, with
	 * integers beyond 2^53 keeping their digits), else the text parts joined by line breaks.
	 */
	text: string;
	images: ImageContent[];
	links: ResourceLink[];
	/** All other content: sound, embedded resources, kinds that nobody knows yet. */
	others: ContentBlock[];
}

/** @param result as an object, in which a BigInt keeps its digits, or as JSON text, in which every integer does */
export function shapeResult(result: CallToolResult | string): Promise<ShapedResult>;

/** A tool of any server, as plain data and a function. */
export interface Tool {
	/** `server_tool`: letters, digits, `_` and `-`, at most 64, unique in the toolset. */
	name: string;
	/** What it does; says when it opens an interface. */
	description: string;
	/** JSON Schema of the arguments, an object with `type` and `properties`. */
	parameters: { type: "object"; properties: Record<string, unknown>; [keyword: string]: unknown };
	/** Calls it. A tool that fails resolves with `isError`. */
	handler(args?: Record<string, unknown>, options?: RequestOptions): Promise<ShapedResult & { result: CallToolResult }>;
	metadata: {
		/** The server's name in the configuration. */
		server: string;
		/** The tool's own name there. */
		tool: string;
		title?: string;
		annotations?: ToolAnnotations;
		outputSchema?: object;
		/** The URI of the interface that it opens. */
		interface?: string;
	};
}

/** A server that was connected and whose process has ended since has failed, too. */
export type ConnectionStatus = "connected" | "disabled" | "failed" | "disconnected";

/** One server of a toolset. Holds nothing secret. */
export interface Connection {
	readonly name: string;
	status: ConnectionStatus;
	tools: Tool[];
	/** `undefined` where the entry is wrong. */
	readonly transport: "http" | "stdio" | undefined;
	serverInfo: Implementation | undefined;
	/** Why it has failed, at the start or later, without the values of headers and env. */
	error: McpError | undefined;
	/** Of a command that has ended, where it is known. */
	readonly exitCode: number | null;
}

/** Many servers as one. */
export interface Toolset {
	/** Of all connected servers, in the order of the servers' names. */
	readonly tools: readonly Tool[];
	readonly statuses: Record<string, ConnectionStatus>;
	/** In the order of their names. */
	readonly connections: readonly Connection[];
	/** What went wrong: servers that failed, tools that are left out. */
	readonly errors: readonly { server: string; error: McpError }[];
}

/**
 * Connects to all servers of a configuration at once. A server that fails costs no other: it is in `statuses` and
 * `errors`. The outcome is as if they had been asked in the order of their names.
 *
 * @throws {@link McpError} `INVALID_ARGUMENT` where the configuration as a whole cannot be read
 */
export function connectAll(
	config: string | object | readonly ServerEntry[],
	options?: ToolsetOptions,
): Promise<Toolset>;

/** Connects to one server. Does not throw for the server's sake: `status` and `error` say what came of it. */
export function connect(server: ServerEntry | ConfiguredServer, options?: ToolsetOptions): Promise<Connection>;

/** The recent lines that a server has written to its standard error; `[]` for remote ones. Kept when it has failed. */
export function stderr(connection: Connection): string[];

/** Ends a connection, whose tools go, and `onToolsChanged` is told. Bounded, never rejects; again does nothing. */
export function disconnect(connection: Connection): Promise<void>;

/** Ends all connections, and tells `onToolsChanged` once. Bounded, never rejects; again does nothing. */
export function disconnectAll(toolset: { readonly connections: readonly Connection[] }): Promise<void>;

/** Tool definitions for OpenAI's Responses API. */
export function openAITools(
	tools: readonly Tool[],
): { type: "function"; name: string; description: string; parameters: Tool["parameters"]; strict: boolean }[];

/** Tool definitions for OpenAI's Chat Completions API. */
export function openAIChatTools(
	tools: readonly Tool[],
): { type: "function"; function: { name: string; description: string; parameters: Tool["parameters"] } }[];

/** Tool definitions for Anthropic's Messages API. */
export function anthropicTools(
	tools: readonly Tool[],
): { name: string; description: string; input_schema: Tool["parameters"] }[];

/**
 * Tools for the Vercel AI SDK, by name: what its `tool()` gives. A tool that fails throws there, as that SDK has it.
 *
 * @param ai what is needed of the package `ai`
 */
export function aiSdkTools<Schema>(
	tools: readonly Tool[],
	ai: { jsonSchema: (schema: any) => Schema },
): Record<
	string,
	{
		description: string;
		inputSchema: Schema;
		execute: (args: any, context: { abortSignal?: AbortSignal | undefined }) => Promise<ShapedResult>;
		toModelOutput: (made: any) => { type: "text"; value: string };
	}
>;
