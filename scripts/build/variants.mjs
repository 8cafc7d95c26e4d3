// The wasm files and the entries made of them. One table, from which the
// wasm-pack calls, the entry files and the size check are generated.

/**
 * @typedef {object} Variant
 * @property {string} name of the wasm file and its glue
 * @property {string} entry the file name of the entry without its ending
 * @property {("client" | "server" | "whole" | "auth" | "apps" | "toolset" | "schema")[]} kinds what the wasm can be
 * @property {string[]} features cargo's, apart from the default ones
 * @property {string[]} facades modules under lib/ that the entry exports
 * @property {string} [needs] another entry that this one brings along
 * @property {Record<string, string>} [lazy] what this wasm leaves to other entries, which are loaded when it is needed
 * @property {boolean} [fast] whether runtimes that read it from disk get one that is built for speed: half again as large
 * @property {boolean} [first] whether pages load only a first part of the wasm until they need more
 * @property {string[]} [edge] the variants that an edge worker has in place of this one and what it leaves to others: such a worker
 *   brings every file along and its runtime compiles them all at the start, so that one with everything is less
 * @property {number} budget gzip bytes that the entry may download, wasm included; a test holds to it, raised only by hand
 * @property {number} goal what it is meant to come to
 */

/** @type {Variant[]} */
export const variants = [
	{
		name: "duet",
		entry: "index",
		kinds: ["client", "server"],
		features: ["client", "server"],
		facades: ["client", "server", "protocol"],
		lazy: { schema: "validator", whole: "server-whole" },
		edge: ["client", "whole"],
		fast: true,
		first: true,
		budget: 126_000,
		goal: 80_000,
	},
	{
		name: "client",
		entry: "client",
		kinds: ["client"],
		features: ["client"],
		facades: ["client", "protocol"],
		lazy: { schema: "validator" },
		fast: true,
		first: true,
		budget: 69_200,
		goal: 55_000,
	},
	{
		name: "server",
		entry: "server",
		kinds: ["server"],
		features: ["server"],
		facades: ["server", "protocol"],
		lazy: { whole: "server-whole" },
		edge: ["whole"],
		fast: true,
		first: true,
		budget: 80_200,
		goal: 40_000,
	},
	{
		name: "whole",
		entry: "server-whole",
		kinds: ["whole", "schema"],
		features: ["server-whole"],
		facades: [],
		budget: 113_200,
		goal: 80_000,
	},
	{
		name: "auth",
		entry: "auth",
		kinds: ["auth"],
		features: ["auth"],
		facades: ["auth"],
		budget: 51_900,
		goal: 30_000,
	},
	{
		name: "apps",
		entry: "apps/host",
		kinds: ["apps"],
		features: ["apps"],
		facades: ["apps-host"],
		budget: 57_700,
		goal: 30_000,
	},
	{
		name: "toolset",
		entry: "toolset",
		kinds: ["toolset"],
		features: ["toolset"],
		facades: ["toolset"],
		needs: "client",
		budget: 105_000,
		goal: 85_000,
	},
	{
		name: "schema",
		entry: "validator",
		kinds: ["schema"],
		features: ["schema"],
		facades: ["validator"],
		budget: 43_500,
		goal: 25_000,
	},
];
