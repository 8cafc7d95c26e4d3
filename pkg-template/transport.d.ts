/**
 * Transports of messages, and a server at the end of one: ports, workers, pairs within one program, and whatever
 * the TypeScript SDK calls a `Transport`. Plain functions, no WebAssembly.
 *
 * @packageDocumentation
 */

import type { Server } from "./server.js";

/**
 * A channel that messages go over in both directions: a process, a port, a socket, a pair. It has the shape of the
 * TypeScript SDK's `Transport`, so its transports work here and ours work there.
 *
 * Whoever uses one sets the callbacks, then calls `start` once. A client calls `start` again when it wants to send
 * something after `onclose`: a transport that can begin anew does so then, any other rejects.
 */
export interface MessageTransport {
	/** Begins to receive. */
	start(): Promise<void>;
	/** Sends one message: an object that `JSON.stringify` can write. Resolves when it is on its way. */
	send(message: any): Promise<void>;
	/** Ends it; `onclose` follows. */
	close(): Promise<void>;
	/** Called with every message that comes: an object. */
	onmessage?: ((message: any, extra?: any) => void) | undefined;
	/** Called once when either end has closed it, or the other end has died; with why, where that is known. */
	onclose?: ((why?: string) => void) | undefined;
	/** Told by a client what `initialize` has agreed on. */
	setProtocolVersion?: ((version: string) => void) | undefined;
	/** Called by a client with a response that none of its requests waits for: late, doubled, or to an id it never used. */
	onstray?: ((response: any) => void) | undefined;
	/** Called with what went wrong without ending it. */
	onerror?: ((error: Error) => void) | undefined;
}

/** Anything with `postMessage` and messages that come: a MessagePort, a Worker, a worker's own scope, a BroadcastChannel. */
export interface Port {
	postMessage(message: any): void;
}

/**
 * Two transports that lead to each other, for a client and a server of one program. What is sent to one that has not
 * started waits for its start.
 */
export function inMemoryPair(): [MessageTransport, MessageTransport];

/**
 * A transport over a port. What comes over it and is no JSON-RPC message is passed over, so a port may carry other things
 * too. There must be exactly one peer: of those who share a BroadcastChannel, two. `close` closes a port or channel and
 * leaves a Worker running; whether the other end has gone is known only where the platform tells (`close`, `exit`).
 */
export function portTransport(port: Port): MessageTransport;

/** Options of {@link serveMessages}. */
export interface ServeOptions {
	/** Becomes `ctx.authInfo`, where the transport has none of its own. */
	authInfo?: unknown;
	/** Becomes `ctx.env`. */
	env?: unknown;
	/** Becomes `ctx.waitUntil`. */
	waitUntil?: (promise: Promise<unknown>) => void;
	/** Called with what went wrong outside of any answer. */
	onError?: (error: unknown) => void;
}

/** A server at the end of a transport. */
export interface Serving {
	/** Resolves when the transport has been closed, from whichever end. */
	readonly closed: Promise<void>;
	/** Closes the transport; handlers that still run have their `ctx.signal` aborted. The server goes on. */
	close(): Promise<void>;
}

/**
 * Answers with a server what comes over a transport, in both eras at once, until it is closed. One server may answer any
 * number of transports. Handlers may ask the client, and `notifications/cancelled` aborts their `ctx.signal`.
 *
 * @example
 * ```js
 * const [ours, theirs] = inMemoryPair();
 * serveMessages(server, theirs);
 * const client = new Client({ transport: ours });
 * ```
 */
export function serveMessages(server: Server<any>, transport: MessageTransport, options?: ServeOptions): Serving;
