// The errors of the failure records.

import { HttpError, McpError, ProtocolError } from "../errors.js";

/** Why nothing was sent at all, because nobody authorized it: no failure of the network. */
const UNSENT = ["AUTHORIZATION", "CORE_CRASHED", "CORE_NOT_LOADED", "WASM_FORBIDDEN", "INVALID_ARGUMENT"];

/**
 * The error of a failure record.
 * @param {number} status
 * @param {boolean} isRetryable
 * @param {string[]} strings
 * @param {unknown} cause
 */
export function failure(status, isRetryable, strings, cause) {
	const [code, message, rpc, statusText, contentType, retryAfter, body] = strings;
	// The application's own error is what its handler's caller gets.
	if (code === "HANDLER_FAILED" && cause !== undefined) return cause;
	if (UNSENT.includes(/** @type {any} */ (cause)?.code)) return cause;
	const rpcError = rpc ? JSON.parse(rpc) : undefined;
	/** @type {any} */
	let error;
	if (code === "PROTOCOL" && rpcError) {
		error = new ProtocolError(rpcError.code, message, rpcError.data);
		if (status) error.status = status;
	} else if (code === "HTTP") {
		error = new HttpError(message, {
			status,
			statusText,
			contentType: contentType || undefined,
			retryAfter: seconds(retryAfter),
			body,
			rpcError,
			cause,
		});
	} else {
		error = new McpError(/** @type {any} */ (code), message, cause === undefined ? undefined : { cause });
		if (rpcError) error.rpcError = rpcError;
		if (status) error.status = status;
	}
	if (isRetryable) error.retryable = true;
	return error;
}

/** `Retry-After` in seconds: it is a number of them, or a date. @param {string} text */
function seconds(text) {
	if (text === "") return undefined;
	const number = Number(text);
	const value = Number.isNaN(number) ? (Date.parse(text) - Date.now()) / 1000 : number;
	return Number.isNaN(value) ? undefined : Math.max(0, Math.round(value));
}
