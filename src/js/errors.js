// The Error classes of the package. Rust constructs them too (error.rs), so that
// `instanceof` holds whichever side noticed the failure.

/** @typedef {{ code: number, message: string, data?: unknown }} RpcError */

/**
 * @typedef {object} HttpDetails
 * @property {number} status
 * @property {string} [statusText]
 * @property {string} [contentType]
 * @property {string} [body] what the body held, cut to a limit
 * @property {number} [retryAfter] seconds
 * @property {RpcError} [rpcError] the JSON-RPC error in the body, when there is one
 * @property {unknown} [cause]
 */

/** Everything that this package rejects with or throws; `code` says what happened and never changes. */
export class McpError extends Error {
	/**
	 * @param {string} code
	 * @param {string} message
	 * @param {{ cause?: unknown }} [options]
	 */
	constructor(code, message, options) {
		super(message, options);
		this.code = code;
	}

	get name() {
		return "McpError";
	}
}

/** The peer answered with a JSON-RPC error. */
export class ProtocolError extends McpError {
	/**
	 * @param {number} rpcCode
	 * @param {string} message
	 * @param {unknown} [data]
	 * @param {{ cause?: unknown }} [options]
	 */
	constructor(rpcCode, message, data, options) {
		super("PROTOCOL", message, options);
		this.rpcCode = rpcCode;
		this.data = data;
	}

	get name() {
		return "ProtocolError";
	}
}

/** The peer answered with an HTTP status that carries no result. */
export class HttpError extends McpError {
	/**
	 * @param {string} message
	 * @param {HttpDetails} details
	 */
	constructor(message, { status, statusText = "", contentType, body = "", retryAfter, rpcError, cause }) {
		super("HTTP", message, cause === undefined ? undefined : { cause });
		this.status = status;
		this.statusText = statusText;
		this.contentType = contentType;
		this.body = body;
		this.retryAfter = retryAfter;
		this.rpcError = rpcError;
	}

	get name() {
		return "HttpError";
	}
}
