// What a server must not see in an output: the values of its headers and variables.

import { HttpError, McpError, ProtocolError } from "../errors.js";

/** Shorter values are words, numbers and flags; taking them out would hide what is said and protect nothing. */
const MIN_LENGTH = 8;
const INSTEAD = "[redacted]";

/**
 * Takes the values out of texts.
 * @param {Iterable<unknown>} values
 */
export function redactor(values) {
	/** @type {Set<string>} */
	const secrets = new Set();
	for (const value of values) {
		if (typeof value !== "string") continue;
		// "Bearer x" is found whole and by its parts.
		for (const part of [value, ...value.split(/\s+/)]) if (part.length >= MIN_LENGTH) secrets.add(part);
	}
	const sorted = [...secrets].sort((one, other) => other.length - one.length);
	/** @param {string} text */
	const redact = (text) => sorted.reduce((rest, secret) => rest.replaceAll(secret, INSTEAD), text);
	return redact;
}

/**
 * The error as it may be shown: its kind and its message, not what the server sent along.
 * @param {any} error
 * @param {(text: string) => string} redact
 * @returns {McpError}
 */
export function presentable(error, redact) {
	const message = redact(error instanceof Error ? error.message : String(error));
	if (error instanceof HttpError) {
		const { status, statusText, contentType, retryAfter } = error;
		return new HttpError(message, { status, statusText: redact(statusText), contentType, retryAfter });
	}
	if (error instanceof ProtocolError) return new ProtocolError(error.rpcCode, message);
	return new McpError(error instanceof McpError ? error.code : "CONNECTION_LOST", message);
}
