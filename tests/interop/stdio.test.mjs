// Processes on both ends of a pipe: hosts of the TypeScript SDK with our server, our client with the SDK's servers
// and with the public ones.

import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client } from "mcp-duet/client";
import { spawn } from "mcp-duet/node";
import { exercise, exerciseSdk, textOf } from "./exercise.mjs";
import { connected } from "./sdk-clients.mjs";

const program = fileURLToPath(new URL("stdio-program.mjs", import.meta.url));

/** @param {string} name */
const packaged = (name) =>
	fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));

/** What a person, a model and a file system would answer. @satisfies {import("mcp-duet").ClientSettings["handlers"]} */
const handlers = {
	"elicitation/create": () => ({ action: /** @type {const} */ ("accept"), content: { city: "北京" } }),
	"sampling/createMessage": () => ({
		role: /** @type {const} */ ("assistant"),
		model: "none",
		content: { type: /** @type {const} */ ("text"), text: "东京" },
	}),
	"roots/list": () => ({ roots: [{ uri: "file:///根" }] }),
};

/** Resolves when that has been said on standard error. @param {any} stream @param {string} word */
const heard = (stream, word) =>
	new Promise((resolve) => {
		let all = "";
		stream.on("data", (/** @type {any} */ text) => {
			all += text;
			if (all.includes(word)) resolve(undefined);
		});
	});

/** @type {{ name: string, generation: import("./sdk-clients.mjs").Generation, Stdio: any, mode?: import("./sdk-clients.mjs").Mode, era: string | undefined }[]} */
const hosts = [
	{ name: "SDK 1.32", generation: "1.32", Stdio: Stdio1, era: undefined },
	{ name: "SDK 2.4 in legacy mode", generation: "2.4", Stdio: Stdio2, mode: "legacy", era: "legacy" },
	{ name: "SDK 2.4 in auto mode", generation: "2.4", Stdio: Stdio2, mode: "auto", era: "modern" },
	{ name: "SDK 2.4 pinned", generation: "2.4", Stdio: Stdio2, mode: { pin: "2026-07-28" }, era: "modern" },
];
for (const { name, generation, Stdio, mode, era } of hosts) {
	test(`a host made with ${name} drives our server on its pipes`, { timeout: 60_000 }, async () => {
		const transport = new Stdio({ command: process.execPath, args: [program], stderr: "pipe" });
		const [started, cancelled, closed] = ["started", "cancelled", "closed"].map((word) =>
			heard(transport.stderr, word),
		);
		const { client, call } = await connected(generation, transport, mode);
		assert.equal(client.getProtocolEra?.(), era);
		await exerciseSdk(client, call, generation, { inOneRead: true });
		const stop = new AbortController();
		const waiting = call("wait", {}, { signal: stop.signal });
		await started;
		stop.abort();
		await assert.rejects(waiting);
		await cancelled;
		assert.deepEqual((await call("查天气", { city: "南京" })).content, [{ type: "text", text: "南京：晴" }]);
		await client.close();
		await closed;
	});
}

for (const [which, era] of [
	["sdk1", "legacy"],
	["sdk2", "modern"],
	["ours", "modern"],
]) {
	test(`our client drives the server ${which} on its pipes`, { timeout: 60_000 }, async (t) => {
		/** @type {(text: string) => void} */
		let onStderr = () => {};
		const transport = spawn(
			{ command: [process.execPath, program, which] },
			{ stderr: "ignore", onStderr: (text) => onStderr(text) },
		);
		const client = new Client({ transport, handlers });
		t.after(() => client.close());
		await client.connect();
		assert.equal(client.era, era);
		if (which !== "ours") await exercise(client, { progress: true });
		assert.equal(textOf((await client.callTool("ask")).content[0]), "北京 东京 file:///根");
		const started = new Promise((resolve) => {
			onStderr = (text) => text.includes("started") && resolve(undefined);
		});
		const stop = new AbortController();
		const waiting = client.callTool("wait", {}, { signal: stop.signal });
		await started;
		stop.abort(new Error("不用了"));
		await assert.rejects(waiting, /不用了/);
		assert.equal(textOf((await client.callTool("查天气", { city: "南京" })).content[0]), "南京：晴");
		await client.close();
		assert.ok(transport.exitCode === 0 || transport.signalCode === "SIGTERM");
	});
}

/** A client of a public server. @param {import("node:test").TestContext} t @param {string} name @param {string[]} args @param {Record<string, string>} [env] */
function publicServer(t, name, args, env) {
	const transport = spawn({ command: process.execPath, args: [packaged(name), ...args], env }, { stderr: "ignore" });
	const client = new Client({ transport, handlers });
	t.after(() => client.close());
	return client;
}

/** @param {import("node:test").TestContext} t */
function folder(t) {
	const made = realpathSync(mkdtempSync(join(tmpdir(), "mcp-duet-stdio-")));
	t.after(() => rmSync(made, { recursive: true }));
	return made;
}

test("server-everything, on its pipes", { timeout: 60_000 }, async (t) => {
	const client = publicServer(t, "server-everything", ["stdio"]);
	const { tools } = await client.listTools();
	assert.ok(tools.length > 5);
	assert.equal(client.era, "legacy");
	assert.match(textOf((await client.callTool("echo", { message: "北京" })).content[0]), /北京/);
	const { resources } = await client.listResources();
	assert.ok((await client.readResource(resources[0].uri)).contents.length > 0);
	/** @type {number[]} */
	const seen = [];
	const args = { duration: 1, steps: 2 };
	await client.callTool("trigger-long-running-operation", args, { onProgress: ({ progress }) => seen.push(progress) });
	assert.ok(seen.length > 0);
});

test("server-filesystem, on its pipes", { timeout: 60_000 }, async (t) => {
	const place = folder(t);
	const client = publicServer(t, "server-filesystem", [place]);
	const path = join(place, "北京.txt");
	await client.callTool("write_file", { path, content: "晴\r\n晴" });
	const read = await client.callTool("read_text_file", { path });
	assert.equal(textOf(read.content[0]), "晴\r\n晴");
	const outside = await client.callTool("read_text_file", { path: "/etc/hostname" });
	assert.equal(outside.isError, true);
});

test("server-memory, on its pipes, and again after a restart", { timeout: 60_000 }, async (t) => {
	const MEMORY_FILE_PATH = join(folder(t), "memory.json");
	const client = publicServer(t, "server-memory", [], { MEMORY_FILE_PATH });
	const entities = [{ name: "北京", entityType: "城市", observations: ["晴"] }];
	await client.callTool("create_entities", { entities });
	await client.close();
	const again = publicServer(t, "server-memory", [], { MEMORY_FILE_PATH });
	assert.match(textOf((await again.callTool("read_graph")).content[0]), /北京/);
});

test("server-sequential-thinking, on its pipes", { timeout: 60_000 }, async (t) => {
	const client = publicServer(t, "server-sequential-thinking", []);
	const thought = { thought: "晴?", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
	const { content } = await client.callTool("sequentialthinking", thought);
	assert.match(textOf(content[0]), /thoughtNumber/);
});
