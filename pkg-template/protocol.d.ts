/**
 * The protocol's constants, modern requests, and questions about one member of a message: plain functions,
 * no WebAssembly.
 *
 * @packageDocumentation
 */

import type { ClientCapabilities, Era, Implementation, InputRequiredResult, RequestId } from "./types.js";

export * from "./lib/constants.js";
export type * from "./types.js";

/** Whether a result asks for input before the request is sent again (modern). */
export function isInputRequired(result: unknown): result is InputRequiredResult;

/**
 * The protocol version that a request or notification states: in `_meta`, or as the
 * parameter of `initialize`. It need not be one that this package speaks.
 */
export function protocolVersionOf(message: unknown): string | undefined;

/**
 * The era of a version, or of a message by its own shape.
 *
 * @param versionOrMessage a version such as `"2025-11-25"`, or a request or notification
 * @returns `undefined` for what is not a version, for responses, and for notifications of either era
 */
export function eraOf(versionOrMessage: unknown): Era | undefined;

/** Who sends a modern request. */
export interface RequestSender {
	id: RequestId;
	/** The latest one unless said. */
	protocolVersion?: string;
	clientInfo?: Implementation;
	/** None unless said. */
	capabilities?: ClientCapabilities;
}

/**
 * A modern request as plain data: version, client and capabilities are in its `_meta`; keys that the caller has
 * there are kept.
 */
export function request<Params extends object = object>(
	method: string,
	params: Params | undefined,
	sender: RequestSender,
): { jsonrpc: "2.0"; id: RequestId; method: string; params: Params & { _meta: Record<string, unknown> } };
