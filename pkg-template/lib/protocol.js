// Building a modern request, and questions about one member of a message: plain functions, no wasm.

import {
	FIRST_MODERN_PROTOCOL_VERSION,
	LATEST_PROTOCOL_VERSION,
	META_CLIENT_CAPABILITIES,
	META_CLIENT_INFO,
	META_MODERN_CLAIMS,
	META_PROTOCOL_VERSION,
	METHOD_INITIALIZE,
	MODERN_ONLY_METHODS,
	RESULT_TYPE_INPUT_REQUIRED,
} from "./constants.js";

export * from "./constants.js";

/** @param {any} value */
const isObject = (value) => typeof value === "object" && value !== null;

/**
 * Whether a result asks for input before the request is sent again.
 * @param {any} result
 */
export const isInputRequired = (result) => isObject(result) && result.resultType === RESULT_TYPE_INPUT_REQUIRED;

/**
 * The protocol version that a request or notification states: in `_meta`, or as the parameter of `initialize`.
 * @param {any} message
 * @returns {string | undefined}
 */
export function protocolVersionOf(message) {
	const params = isObject(message) ? message.params : undefined;
	if (!isObject(params)) return undefined;
	const inMeta = isObject(params._meta) ? params._meta[META_PROTOCOL_VERSION] : undefined;
	const version = inMeta ?? (message.method === METHOD_INITIALIZE ? params.protocolVersion : undefined);
	return typeof version === "string" ? version : undefined;
}

/**
 * The era of a version, or of a request by its own shape; `undefined` where neither tells.
 * @param {any} versionOrMessage
 * @returns {"legacy" | "modern" | undefined}
 */
export function eraOf(versionOrMessage) {
	if (typeof versionOrMessage === "string") {
		// Versions are dates, and dates sort as text.
		if (!/^\d{4}-\d\d-\d\d$/.test(versionOrMessage)) return undefined;
		return versionOrMessage >= FIRST_MODERN_PROTOCOL_VERSION ? "modern" : "legacy";
	}
	if (!isObject(versionOrMessage) || typeof versionOrMessage.method !== "string") return undefined;
	const { method, params, id } = versionOrMessage;
	const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
	if (MODERN_ONLY_METHODS.includes(method) || META_MODERN_CLAIMS.some((key) => Object.hasOwn(meta, key)))
		return "modern";
	// Notifications need not say which era they are of.
	return id === undefined ? undefined : "legacy";
}

/**
 * A modern request: version, client and capabilities are in its `_meta`, and what the caller has there is kept.
 * @param {string} method
 * @param {any} params
 * @param {{ id: string | number, protocolVersion?: string, clientInfo?: any, capabilities?: any }} sender
 */
export function request(
	method,
	params,
	{ id, protocolVersion = LATEST_PROTOCOL_VERSION, clientInfo, capabilities = {} },
) {
	const _meta = {
		[META_PROTOCOL_VERSION]: protocolVersion,
		...(clientInfo === undefined ? undefined : { [META_CLIENT_INFO]: clientInfo }),
		[META_CLIENT_CAPABILITIES]: capabilities,
		...params?._meta,
	};
	return { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
}
