/**
 * JSON Schema validation by itself: 2020-12, 2019-09, draft-07 and draft-06.
 *
 * A client of `mcp-duet/client` loads it when there is the first result to check. Importing it beside the client has it
 * there from the start, for bundles that cannot load anything later, such as a service worker's.
 *
 * @packageDocumentation
 */

export * from "./errors.js";
export * from "./init.js";

/**
 * Validates a value, JSON or what becomes JSON.
 *
 * @returns what does not fit, as one line of text; `undefined` where all does
 * @throws {@link McpError} `INVALID_DEFINITION` where the schema cannot be used; `CORE_NOT_LOADED`, `WASM_FORBIDDEN`
 */
export function validate(schema: object | boolean, value: unknown): Promise<string | undefined>;
