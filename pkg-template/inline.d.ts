/**
 * Everything that `mcp-duet` has, with the WebAssembly carried as text: nothing is fetched.
 *
 * @packageDocumentation
 */

export * from "./client.js";
export * from "./server.js";
