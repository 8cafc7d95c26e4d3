// The installed package in Node.js.

import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DONE, installed, job, jobBody, output, project } from "./harness.mjs";

const node = process.execPath;
const print = "console.log(JSON.stringify(await job()));\n";

test("an import is all that a program needs", async () => {
	const cwd = project({ "main.js": job() + print });
	assert.deepEqual(JSON.parse(await output(node, ["main.js"], { cwd })), DONE);
});

test("the halves come from their own entries", async () => {
	const cwd = project({ "main.js": job({ client: "mcp-duet/client", server: "mcp-duet/server" }) + print });
	assert.deepEqual(JSON.parse(await output(node, ["main.js"], { cwd })), DONE);
});

test("the entry inline needs no file", async () => {
	const cwd = project({ "main.js": job({ from: "mcp-duet/inline" }) + print });
	assert.deepEqual(JSON.parse(await output(node, ["main.js"], { cwd })), DONE);
});

test("CommonJS can require it", async () => {
	const cwd = project({
		"main.cjs": `const { Client, Server } = require("mcp-duet");${jobBody}
job().then((done) => console.log(JSON.stringify(done)));`,
	});
	assert.deepEqual(JSON.parse(await output(node, ["main.cjs"], { cwd })), DONE);
});

test("it works with the browser condition, as test runners set it", async () => {
	const cwd = project({ "main.js": job() + print });
	assert.deepEqual(JSON.parse(await output(node, ["-C", "browser", "main.js"], { cwd })), DONE);
});

test("it generates no code from strings", async () => {
	const cwd = project({ "main.js": job() + print });
	const args = ["--disallow-code-generation-from-strings", "main.js"];
	assert.deepEqual(JSON.parse(await output(node, args, { cwd })), DONE);
});

test("where the wasm file is missing, the text copy serves", async () => {
	const cwd = project({ "main.js": job() + print });
	cpSync(installed(), join(cwd, "node_modules/mcp-duet"), { recursive: true });
	rmSync(join(cwd, "node_modules/mcp-duet/wasm/duet_fast.wasm"));
	assert.deepEqual(JSON.parse(await output(node, ["main.js"], { cwd })), DONE);
});

test("where the text copy is missing too, the error says what was tried and what to do", async () => {
	const cwd = project({
		"main.js": `import { Client } from "mcp-duet";
const client = new Client({ transport: async () => null });
for (const go of [() => client.connect(), () => client.listTools()]) {
	const error = await go().catch((error) => error);
	console.log(error.name, error.code, error.message);
}`,
	});
	cpSync(installed(), join(cwd, "node_modules/mcp-duet"), { recursive: true });
	rmSync(join(cwd, "node_modules/mcp-duet/wasm/duet_fast.wasm"));
	rmSync(join(cwd, "node_modules/mcp-duet/inline/duet.js"));
	const lines = (await output(node, ["main.js"], { cwd })).split("\n");
	assert.equal(lines.length, 2);
	for (const line of lines)
		assert.match(line, /^McpError CORE_NOT_LOADED .*duet_fast\.wasm.*inline\/duet\.js.*init\(url\)/);
});

test("classes and errors are the same through every entry, and one wasm serves them all", async () => {
	const cwd = project({
		"main.js": `
let modules = 0;
const { Module } = WebAssembly;
WebAssembly.Module = class extends Module { constructor(bytes) { super(bytes); modules++; } };
const all = await import("mcp-duet");
const one = await import("mcp-duet/client");
const other = await import("mcp-duet/server");
const same = all.Client === one.Client && all.Server === other.Server && one.McpError === other.McpError;
const { Client, Server } = all;
${jobBody}
await job();
const error = await new one.Client({ transport: async () => { throw new all.HttpError("no", { status: 503 }); } }).connect().catch((e) => e);
console.log(same, modules, error instanceof other.McpError, error instanceof Error);`,
	});
	assert.equal(await output(node, ["main.js"], { cwd }), "true 1 true true");
});

test("init() takes a URL, a response, bytes, a module or a promise of one", async () => {
	for (const input of [
		"new WebAssembly.Module(bytes)",
		"bytes",
		"bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)",
		"new Response(bytes)",
		"Promise.resolve(bytes)",
		'"data:application/wasm;base64," + bytes.toString("base64")',
		"undefined",
	]) {
		const cwd = project({
			"main.js": `import { readFileSync } from "node:fs";
import { init } from "mcp-duet";
const bytes = readFileSync(new URL(import.meta.resolve("mcp-duet/wasm/duet_bg.wasm")));
${job()}
await init(${input});
${print}`,
		});
		assert.deepEqual(JSON.parse(await output(node, ["main.js"], { cwd })), DONE, input);
	}
});

test("init() says what is wrong with its input, and the next call loads as usual", async () => {
	for (const [input, code, message] of /** @type {const} */ ([
		["new TextEncoder().encode('<!doctype html>')", "CORE_NOT_LOADED", /expected a WebAssembly file .*<!doctype/],
		["new Response('', { status: 404 })", "CORE_NOT_LOADED", /404/],
		["new Uint8Array([0, 0x61, 0x73, 0x6d, 9, 9])", "CORE_NOT_LOADED", /could not be loaded/],
		["42", "INVALID_ARGUMENT", /URL, a Response, bytes or a WebAssembly\.Module/],
	])) {
		const cwd = project({
			"main.js": `import { init } from "mcp-duet";
${job()}
const error = await init(${input}).catch((error) => error);
console.log(JSON.stringify([error.name, error.code, error.message, await job()]));`,
		});
		const [name, seen, said, done] = JSON.parse(await output(node, ["main.js"], { cwd }));
		assert.deepEqual([name, seen, done], ["McpError", code, DONE], input);
		assert.match(said, message);
	}
});
