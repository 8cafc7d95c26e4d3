// Clients and servers that come and go leave the wasm memory as it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { output, project } from "./harness.mjs";

const COUNT = 100_000;
/** Bytes by which chance may move the high-water mark; a leak of the smallest allocation each would be five times that. */
const SLACK = 4 * 65_536;

/** @param {string} each creates, uses and drops one; `i` counts */
const program = (each) => `
let memory;
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
	constructor(module, imports) {
		super(module, imports);
		memory = this.exports.memory;
	}
};
const { Client, Server } = await import("mcp-duet");
const definition = {
	name: "short-lived",
	version: "1",
	tools: [{ name: "echo", description: "x".repeat(500), inputSchema: { type: "object" }, handler: () => "done" }],
};
const lasting = new Server(definition);
const transport = (message) => lasting.handleMessage(message);
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } };
let settled;
for (let i = 0; i < ${COUNT}; i++) {
	${each}
	if (i % 500 === 499) {
		// Finalizers run between tasks.
		gc();
		await new Promise((resolve) => setTimeout(resolve));
	}
	if (i === ${COUNT / 5}) settled = memory.buffer.byteLength;
}
console.log(JSON.stringify([settled, memory.buffer.byteLength]));
`;

for (const [what, each] of [
	[
		"servers",
		`const server = new Server(definition); await server.handleMessage(call); if (i % 2) await server.close?.();`,
	],
	["clients", `const client = new Client({ transport }); await client.connect(); if (i % 2) await client.close();`],
]) {
	test(`${COUNT} ${what}, half of them closed, leave the memory flat`, async () => {
		const cwd = project({ "main.js": program(each) });
		const [settled, end] = JSON.parse(await output(process.execPath, ["--expose-gc", "main.js"], { cwd }));
		assert.ok(end <= settled + SLACK, `${settled} bytes after a fifth, ${end} at the end`);
	});
}
