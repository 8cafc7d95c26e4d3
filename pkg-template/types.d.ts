/**
 * The Model Context Protocol's types, under the specification's names, for the five
 * revisions 2024-11-05 to 2026-07-28: a member that only some revisions have is optional
 * and says so. Nothing here has a run-time value.
 *
 * @packageDocumentation
 */

export type * from "./types/base.js";
export type * from "./types/capabilities.js";
export type * from "./types/client-features.js";
export type * from "./types/content.js";
export type * from "./types/elicitation.js";
export type * from "./types/messages.js";
export type * from "./types/server-features.js";
export type * from "./types/tasks.js";
