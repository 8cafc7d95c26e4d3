// What a call of the application is in the core's words: flags, and the texts that the core has to see.

import { McpError } from "../errors.js";

const META = 1;
const NAME = 2;
/** The call has parameters that JavaScript keeps; for a message to be sent, that they go in. */
export const HELD = 4;
const PROGRESS = 8;
const RESET = 16;
const WALK = 32;
const MANUAL = 64;
const NOTIFICATION = 128;
const URI = 256;
const SUBSCRIBE = 512;
const REFRESH = 1024;
const BYPASS = 2048;
const NO_RETRY = 4096;
const LEVEL = 8192;

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/**
 * @typedef {object} Request
 * @property {string} method
 * @property {any} [params]
 * @property {any} [options]
 * @property {string} [member] for lists: what the items are called
 * @property {any} [filter] for subscriptions: what they want to hear of
 * @property {boolean} [notification]
 * @property {(result: any) => any} [check] what is made of the result; what it throws is the call's failure
 */

/**
 * The parameters apart from `_meta`, as the members of an object, and what of them the core has to see.
 * @param {string} method
 * @param {any} params
 */
function parameters(method, params) {
	if (params == null) return { meta: undefined, name: undefined, uri: undefined, payload: "" };
	if (typeof params !== "object" || Array.isArray(params)) {
		throw new McpError("INVALID_ARGUMENT", `${method}: the parameters must be an object`);
	}
	const text = (/** @type {unknown} */ value) => (typeof value === "string" ? value : undefined);
	const rest = params._meta === undefined ? params : { ...params, _meta: undefined };
	try {
		return {
			meta: params._meta === undefined ? undefined : JSON.stringify(params._meta),
			name: text(params.name),
			uri: text(params.uri),
			payload: JSON.stringify(rest).slice(1, -1),
		};
	} catch (cause) {
		throw new McpError("INVALID_ARGUMENT", `${method}: the parameters cannot be written as JSON`, { cause });
	}
}

/**
 * @param {Request} request
 * @param {boolean} keeps whether the client keeps results
 * @returns {{ text: string, flags: number, payload: string }}
 * @throws {McpError} `INVALID_ARGUMENT`
 */
export function written({ method, params, options, member, notification, filter }, keeps) {
	const { meta, name, uri, payload } = parameters(method, params);
	let flags = notification ? NOTIFICATION : 0;
	if (meta !== undefined) flags |= META;
	if (name !== undefined) flags |= NAME;
	if (uri !== undefined) flags |= URI;
	if (payload) flags |= HELD;
	if (member) flags |= WALK;
	if (options) {
		if (options.onProgress) flags |= PROGRESS;
		if (options.resetTimeoutOnProgress) flags |= RESET;
		if (options.manual) flags |= MANUAL;
		if (options.retry === false) flags |= NO_RETRY;
		if (options.logLevel !== undefined) {
			const level = LEVELS.indexOf(options.logLevel) + 1;
			if (level === 0) {
				throw new McpError(
					"INVALID_ARGUMENT",
					`logLevel: expected one of ${LEVELS.join(", ")}, got ${options.logLevel}`,
				);
			}
			flags |= level * LEVEL;
		}
	}
	if (keeps) {
		// The core knows a list's cursor and a resource's URI, and nothing else of what was asked.
		const isPlain = !payload || payload === `"uri":${JSON.stringify(uri ?? "")}`;
		if (options?.cacheMode === "bypass" || !isPlain) flags |= BYPASS;
		else if (options?.cacheMode === "refresh") flags |= REFRESH;
	}
	if (filter) flags |= SUBSCRIBE | META;
	const head = filter ? JSON.stringify(filter) : (meta ?? "");
	return { text: `${head}\0${method}\0${uri ?? ""}\0${name ?? ""}`, flags, payload };
}
