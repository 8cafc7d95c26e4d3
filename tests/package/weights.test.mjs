// What a build over budget says has grown is read out of the wasm file's own names.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { codecTable } from "../../scripts/build/codec.mjs";
import { variants } from "../../scripts/build/variants.mjs";
import { grown, RECORD, weights } from "../../scripts/build/weights.mjs";

/** @param {string} text */
const name = (text) => [text.length, ...Buffer.from(text)];
/** As two bytes. @param {number} length */
const long = (length) => [(length & 127) | 128, length >> 7];
/** @param {number} id @param {number[]} content */
const section = (id, content) => [id, ...long(content.length), ...content];

test("code is weighed by the module that its function's name says", () => {
	const imports = section(2, [1, ...name("js"), ...name("f"), 0, 0]);
	// Three functions of 2, 4 and 3 bytes.
	const code = section(10, [3, 2, 0, 11, 4, 0, 1, 1, 11, 3, 0, 1, 11]);
	const names = [
		...[4, 0, ...name("imported")],
		...[1, ...name("_RNvMNtNtCs1gEYOT1CN0u_8mcp_duet6server8registryNtB2_8Registry3new")],
		...[2, ...name("_RINvNtNtCs1gEYOT1CN0u_8mcp_duet6server8registry4findhECs1gEYOT1CN0u_8mcp_duet")],
		...[3, ...name("__wbindgen_describe_x")],
	];
	const custom = section(0, [...name("name"), 1, ...long(names.length), ...names]);
	const file = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, ...imports, ...code, ...custom]);
	assert.deepEqual(weights(file), { "mcp_duet::server::registry": 6 });
});

test("what has grown comes first, what has shrunk not at all", () => {
	const before = { json: 100, server: 50, gone: 7, same: 3 };
	const now = { json: 101, server: 90, fresh: 12, same: 3 };
	assert.deepEqual(grown(before, now), [
		{ module: "server", more: 40 },
		{ module: "fresh", more: 12 },
		{ module: "json", more: 1 },
	]);
});

test("every variant has a record to be compared with", () => {
	const record = JSON.parse(readFileSync(RECORD, "utf8"));
	assert.deepEqual(Object.keys(record).sort(), variants.map(({ name }) => name).sort());
	for (const [variant, all] of Object.entries(record)) {
		assert.ok(all["mcp_duet::protocol::json"] > 1000, `${variant}: the codec's own part is named`);
	}
});

test("the README says of the codec's parts what the record says", () => {
	const single = (/** @type {string} */ text) => text.replaceAll(/ +/g, " ");
	const readme = single(readFileSync(new URL("../../README.md", import.meta.url), "utf8"));
	for (const line of codecTable()) assert.ok(readme.includes(single(line)), line);
});
