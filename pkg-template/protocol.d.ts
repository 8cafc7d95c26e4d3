/**
 * The protocol's constants and questions about one member of a message: plain functions,
 * no WebAssembly.
 *
 * @packageDocumentation
 */

import type { Era, InputRequiredResult } from "./types.js";

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
