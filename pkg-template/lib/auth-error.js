// What a failed authorization rejects with.

import { McpError } from "../errors.js";

export class AuthorizationError extends McpError {
	/**
	 * @param {string} message
	 * @param {{ step: string, error?: string, status?: number, cause?: unknown }} details
	 */
	constructor(message, { step, error, status, cause }) {
		super("AUTHORIZATION", message, cause === undefined ? undefined : { cause });
		this.step = step;
		this.error = error;
		this.status = status;
	}

	static {
		Object.defineProperty(AuthorizationError.prototype, "name", {
			value: "AuthorizationError",
			configurable: true,
			writable: true,
		});
	}
}

/** Nobody came back. @param {number} timeoutMs */
export function late(timeoutMs) {
	const cause = new McpError("TIMED_OUT", `nobody came back within ${timeoutMs} ms`);
	return new AuthorizationError(cause.message, { step: "authorization", cause });
}
