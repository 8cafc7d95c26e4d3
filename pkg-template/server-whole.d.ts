/**
 * What the servers of `mcp-duet` and `mcp-duet/server` load when they first need something that most servers do without.
 *
 * Importing it beside the server has it there from the start, for bundles that cannot load anything later, such as a
 * service worker's; {@link init} takes it from where somebody hosts it.
 *
 * @packageDocumentation
 */

export * from "./errors.js";
export * from "./init.js";
