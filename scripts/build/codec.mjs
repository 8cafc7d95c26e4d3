// What the parts of a wasm file weigh, as the README tells it: `node scripts/build/codec.mjs` prints the table.

import { readFileSync } from "node:fs";
import { RECORD } from "./weights.mjs";

/** @type {[string, string][]} the columns: a head, and a variant */
const COLUMNS = [
	["client", "client"],
	["server", "server"],
	["server-whole", "whole"],
];

/** @type {[string, RegExp][]} each module belongs to the first row that fits it */
const ROWS = [
	["JSON as slices (`protocol::json`)", /^mcp_duet::protocol::json(::|$)/],
	["JSON Schema (`protocol::schema`)", /^mcp_duet::protocol::schema/],
	["URI templates", /^mcp_duet::protocol::uri_template/],
	["what changed between revisions", /^mcp_duet::protocol::changes/],
	["JSON-RPC and the modern envelope", /^mcp_duet::protocol::(jsonrpc|envelope)/],
	["base64, `_meta`, methods, versions, errors", /^mcp_duet::protocol/],
	["HTTP: headers, their checks, event streams", /^mcp_duet::streamable_http/],
	["for comparison: the role itself", /^mcp_duet::(client|server)/],
	["the boundary to JavaScript", /^(mcp_duet|wasm_bindgen|js_sys)/],
	["Rust's own library, with what is instantiated from it", /^/],
];

/** @returns {string[]} lines of Markdown, without the padding of columns */
export function codecTable() {
	const record = JSON.parse(readFileSync(RECORD, "utf8"));
	const sums = COLUMNS.map(([, variant]) => {
		const sum = ROWS.map(() => 0);
		for (const [module, bytes] of Object.entries(record[variant])) {
			sum[ROWS.findIndex(([, pattern]) => pattern.test(module))] += bytes;
		}
		return sum;
	});
	const kilo = (/** @type {number} */ bytes) => (bytes === 0 ? "" : (bytes / 1000).toFixed(1));
	const lines = ROWS.map(([part], row) => [part, ...sums.map((sum) => kilo(sum[row]))]);
	const whole = sums.map((sum) => kilo(sum.reduce((all, one) => all + one)));
	const head = ["part", ...COLUMNS.map(([head]) => head)];
	return [head, ...lines, ["everything", ...whole]].map((cells) => `| ${cells.join(" | ")} |`);
}

if (process.argv[1] === import.meta.filename) {
	const [head, ...lines] = codecTable();
	console.log([head, "| --- | ---: | ---: | ---: |", ...lines].join("\n"));
}
