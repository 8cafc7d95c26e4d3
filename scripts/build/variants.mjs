// The three wasm files and the entries made of them. One table, from which the
// wasm-pack calls, the entry files and the size check are generated.

/**
 * @typedef {object} Variant
 * @property {string} name of the wasm file and its glue
 * @property {string} entry the file name of the entry without its ending
 * @property {("client" | "server")[]} kinds what the wasm can be
 * @property {string[]} features cargo's; empty for the default ones
 * @property {string[]} facades modules under lib/ that the entry exports
 * @property {number} budget gzip bytes that the entry may download, wasm included; raised only by hand
 */

/** @type {Variant[]} */
export const variants = [
	{
		name: "duet",
		entry: "index",
		kinds: ["client", "server"],
		features: [],
		facades: ["client", "server", "protocol"],
		budget: 80_000,
	},
	{
		name: "client",
		entry: "client",
		kinds: ["client"],
		features: ["client"],
		facades: ["client", "protocol"],
		budget: 55_000,
	},
	{
		name: "server",
		entry: "server",
		kinds: ["server"],
		features: ["server"],
		facades: ["server", "protocol"],
		budget: 40_000,
	},
];
