/**
 * What exists only where there are processes: servers as child processes, servers on standard input and output, servers
 * behind `node:http`, and proxies. For Node.js, Deno and Bun; no WebAssembly of its own.
 *
 * @packageDocumentation
 */

import type { Server as HttpServer } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { Server } from "./server.js";
import type { MessageTransport } from "./transport.js";

export * from "./errors.js";
export type { MessageTransport } from "./transport.js";

/** A program that is an MCP server on its standard input and output. */
export interface Program {
	/** Its name or path; a list has its arguments behind it. */
	command: string | readonly [string, ...string[]];
	args?: readonly string[];
	/** Added to what is inherited. */
	env?: { [name: string]: string };
	cwd?: string;
}

/** Options of {@link spawn}. */
export interface SpawnOptions {
	/**
	 * What of this process's environment the program gets: all, what programs need to run at all (`PATH`, `HOME`, `LANG`,
	 * `TERM`, `TMPDIR` and their like), or nothing.
	 * @defaultValue true
	 */
	inheritEnv?: boolean | "safe";
	/**
	 * Whether its standard error goes to this process's. Its last 200 lines are kept in any case.
	 * @defaultValue "inherit"
	 */
	stderr?: "inherit" | "ignore";
	/** Given its standard error as it comes. */
	onStderr?: (text: string) => void;
	/**
	 * Called with every notification as it came, and with responses that nobody waits for: to calls that have timed out or
	 * were cancelled, second ones, such whose id is unknown. Those have `id`, and `result` or `error`.
	 */
	onNotification?: (message: {
		method?: string;
		params?: any;
		id?: string | number | null;
		result?: any;
		error?: { code: number; message: string; data?: unknown };
	}) => void;
	/** Told of banners and junk on standard output, which are passed over, and of lines that are too long. */
	onError?: (error: Error) => void;
	/** @defaultValue 16 MiB */
	maxLineBytes?: number;
	/**
	 * How long each step of `close` may take, in milliseconds: the end of its input, SIGTERM, SIGKILL. The signals go to
	 * its whole process group; on Windows, where there are none, its process tree is ended.
	 * @defaultValue 2000
	 */
	graceMs?: number;
}

/** A server in a process of its own. */
export interface Spawned extends MessageTransport {
	/** The last lines of its standard error, oldest first, from its first instant on and after its end. */
	stderr(): string[];
	/** `null` while it runs, when a signal has ended it, and before it was started. */
	readonly exitCode: number | null;
	readonly signalCode: string | null;
	readonly pid: number | undefined;
	/** Ends it; the next message of the client that uses it starts it anew, and the handshake is done again. */
	restart(): Promise<void>;
}

/**
 * A transport to a program. It is started by the first call of the client that uses it. When its output ends, its exit
 * status is waited for for 250 ms: pending calls reject with `peer exited (status 3)`, or say that it is unknown.
 *
 * @example
 * ```js
 * const transport = spawn({ command: ["npx", "-y", "@modelcontextprotocol/server-everything"] });
 * const client = new Client({ transport });
 * ```
 */
export function spawn(program: Program, options?: SpawnOptions): Spawned;

/** Options of {@link serveStdio}. */
export interface ServeStdioOptions {
	/** @defaultValue `process.stdin` */
	input?: Readable;
	/** @defaultValue `process.stdout`, and what else is printed there goes to standard error meanwhile */
	output?: Writable;
	/** Becomes `ctx.authInfo`. */
	authInfo?: unknown;
	/** Becomes `ctx.env`. */
	env?: unknown;
	/** @defaultValue 16 MiB */
	maxLineBytes?: number;
	/** @defaultValue its message goes to standard error */
	onError?: (error: unknown) => void;
}

/**
 * Answers with a server what comes on standard input, in both eras, a line for each message. While nobody reads the
 * answers, nothing more is read. `closed` resolves after the end of the input; handlers have a second to finish, then
 * their `ctx.signal` is aborted.
 */
export function serveStdio(
	server: Server,
	options?: ServeStdioOptions,
): { readonly closed: Promise<void>; close(): Promise<void> };

/** Options of {@link serve}. */
export interface ServeHttpOptions {
	/** @defaultValue 0, a free one */
	port?: number;
	/** @defaultValue "127.0.0.1" */
	host?: string;
	/** Becomes `ctx.authInfo`. */
	authInfo?: unknown;
	/** Becomes `ctx.env`. */
	env?: unknown;
	/** @defaultValue `console.error` */
	onError?: (error: unknown) => void;
}

/** A server that listens. */
export interface Listening {
	readonly url: string;
	readonly port: number;
	readonly http: HttpServer;
	/** Takes no more requests, waits up to 5 s for those that run and for what `waitUntil` was given, then ends them. */
	close(): Promise<void>;
}

/**
 * A server, or any function from a `Request` to a `Response`, behind `node:http`. Bodies stream in both directions at the
 * pace of the slower side; a client that goes away aborts the request's signal.
 */
export function serve(
	target:
		| Server
		| ((request: Request, options: { waitUntil(promise: Promise<unknown>): void }) => Response | Promise<Response>),
	options?: ServeHttpOptions,
): Promise<Listening>;

/**
 * A `fetch` for a `Client` that goes through a proxy: one that is named, or with `"env"` the one that `HTTP_PROXY`,
 * `HTTPS_PROXY` and `NO_PROXY` say. Needs the package `undici`, an optional peer dependency.
 */
export function proxyFetch(proxy: "env" | string | URL): (input: string, init?: RequestInit) => Promise<Response>;
