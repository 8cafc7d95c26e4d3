// What is measured, and what we hold ourselves to.

/**
 * @typedef {object} Operation
 * @property {string} name as the table prints it
 * @property {"server" | "client"} side
 * @property {string} what
 * @property {"fetch" | "message" | "json" | "sse"} via
 * @property {import("./fixtures.mjs").Era} era
 * @property {{ floor?: number, sdk?: number }} goal at most this many times the other's CPU time
 */

/** @param {"server" | "client"} side @param {Operation["via"]} via @param {string} what @param {string} name @param {Operation["goal"]} [goal] */
const modern = (side, via, what, name, goal = {}) => ({
	name,
	side,
	what,
	via,
	era: /** @type {const} */ ("modern"),
	goal,
});

/** @param {Operation} operation @returns {Operation} */
const legacy = (operation) => ({ ...operation, name: `${operation.name}, legacy`, era: "legacy", goal: {} });

const smallFetch = modern("server", "fetch", "echo:100", "fetch, call 100 B", { floor: 1.25, sdk: 1 / 7 });
const smallMessage = modern("server", "message", "echo:100", "message, call 100 B", { sdk: 1 / 9 });
const smallJson = modern("client", "json", "text:100", "client, call 100 B as JSON", { floor: 1.4, sdk: 1 / 3.5 });
const smallEvents = modern("client", "sse", "text:100", "client, call 100 B as events", { floor: 1.4, sdk: 1 / 8 });

/** @type {Operation[]} */
export const operations = [
	smallFetch,
	legacy(smallFetch),
	modern("server", "fetch", "echo:100@100", "fetch, call 100 B, 100 tools", { floor: 1.25, sdk: 1 / 12 }),
	modern("server", "fetch", "list:100", "fetch, list of 100", { floor: 0.6, sdk: 1 / 50 }),
	modern("server", "fetch", "echo:64k", "fetch, call 64 KiB", { floor: 1.1 }),
	modern("server", "fetch", "echo:1m", "fetch, call 1 MiB", { floor: 1.1 }),
	modern("server", "fetch", "utf8:1m", "fetch, call 1 MiB of non-ASCII", { floor: 1.1 }),
	smallMessage,
	legacy(smallMessage),
	modern("server", "message", "echo:100@100", "message, call 100 B, 100 tools"),
	modern("server", "message", "list:100", "message, list of 100"),
	modern("server", "message", "echo:64k", "message, call 64 KiB"),
	modern("server", "message", "echo:1m", "message, call 1 MiB", { sdk: 1 }),
	modern("server", "message", "utf8:1m", "message, call 1 MiB of non-ASCII"),
	smallJson,
	legacy(smallJson),
	smallEvents,
	legacy(smallEvents),
	modern("client", "json", "text:1m", "client, 1 MiB as JSON", { floor: 1.1 }),
	modern("client", "sse", "text:1m", "client, 1 MiB as events", { floor: 1.1 }),
	modern("client", "json", "items:5000", "client, 5 000 items", { floor: 1.1 }),
	modern("client", "json", "list:100", "client, list of 100", { floor: 1.2 }),
	modern("client", "json", "list:1000", "client, list of 1 000", { floor: 1.2 }),
	modern("client", "sse", "progress:10000", "client, 10 000 progress notifications", { floor: 1.4, sdk: 1 / 12 }),
];

/** Absolute bounds, apart from the ratios. */
export const MESSAGE_MICROSECONDS = 4.5;
