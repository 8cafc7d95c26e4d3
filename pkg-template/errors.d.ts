/**
 * What went wrong, for programs. The union is closed: a new code is a new minor version.
 *
 * - `ABORTED` is not among them: an abort rejects with the signal's own `reason`.
 */
export type ErrorCode =
	/** No answer within `timeoutMs`. */
	| "TIMED_OUT"
	/** The client was closed, or the transport is. */
	| "CLOSED"
	/** The network failed before there was an HTTP answer. */
	| "NETWORK"
	/** An HTTP status that carries no result: {@link HttpError}. */
	| "HTTP"
	/** The peer answered with a JSON-RPC error: {@link ProtocolError}. */
	| "PROTOCOL"
	/** The stream of a request broke off before its response. */
	| "CONNECTION_LOST"
	/** The result is not what the method promises. */
	| "INVALID_RESULT"
	/** A message is not JSON-RPC, or not JSON. */
	| "INVALID_MESSAGE"
	/** No version in common, or the pinned one is not offered. */
	| "ERA_UNSETTLED"
	/** A version was named that this package does not speak. */
	| "UNSUPPORTED_PROTOCOL_VERSION"
	/** The connection's era does not have this method. */
	| "METHOD_NOT_IN_ERA"
	/** A message, an event or a body is over its limit. */
	| "TOO_LARGE"
	/** A tool, resource or prompt cannot be registered as it is. */
	| "INVALID_DEFINITION"
	/** The server wants an authorization, and there is none: `AuthorizationError` of `mcp-duet/auth`. */
	| "AUTHORIZATION"
	/** The other side, or its person, refused: MCP Apps. */
	| "DENIED"
	/** An argument of a call to this package is wrong. */
	| "INVALID_ARGUMENT"
	/** The WebAssembly instance died; the next call starts another. */
	| "CORE_CRASHED"
	/** The WebAssembly file could not be loaded. */
	| "CORE_NOT_LOADED"
	/** The page's policy forbids WebAssembly: it needs `'wasm-unsafe-eval'`. */
	| "WASM_FORBIDDEN";

/** The base of every error that this package throws or rejects with, except an abort's own reason. */
export class McpError extends Error {
	constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
	/** What went wrong, for programs. */
	readonly code: ErrorCode;
	/** Set where the same request may be sent again without harm. */
	readonly retryable?: true;
	/** What a tool gave that does not fit its `outputSchema`: `INVALID_RESULT` of `callTool`. */
	readonly result?: unknown;
}

/** The peer answered with a JSON-RPC error. */
export class ProtocolError extends McpError {
	constructor(rpcCode: number, message: string, data?: unknown, options?: { cause?: unknown });
	readonly code: "PROTOCOL";
	/** The code of the JSON-RPC error; the known ones are constants of `mcp-duet/protocol`. */
	readonly rpcCode: number;
	/** The `data` of the JSON-RPC error. */
	readonly data: unknown;
}

/** What an {@link HttpError} tells. */
export interface HttpErrorDetails {
	/** The HTTP status. */
	status: number;
	/** The reason phrase; empty over HTTP/2. */
	statusText?: string;
	contentType?: string;
	/** The body as text, cut off at a limit. */
	body?: string;
	/** `Retry-After`, in seconds. */
	retryAfter?: number;
	/** The JSON-RPC error in the body, if it has one. */
	rpcError?: { code: number; message: string; data?: unknown };
	cause?: unknown;
}

/** The peer answered with an HTTP status that carries no result. */
export class HttpError extends McpError {
	constructor(message: string, details: HttpErrorDetails);
	readonly code: "HTTP";
	/** The HTTP status. */
	readonly status: number;
	/** The reason phrase; empty over HTTP/2. */
	readonly statusText: string;
	readonly contentType: string | undefined;
	/** The body as text, cut off at a limit. */
	readonly body: string;
	/** `Retry-After`, in seconds. */
	readonly retryAfter: number | undefined;
	/** The JSON-RPC error in the body, if it has one. */
	readonly rpcError: { code: number; message: string; data?: unknown } | undefined;
}
