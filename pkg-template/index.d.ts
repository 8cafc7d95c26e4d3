/**
 * The Model Context Protocol in both eras and both roles.
 *
 * @packageDocumentation
 */

export * from "./client.js";
export * from "./server.js";
