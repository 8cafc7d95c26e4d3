// Calls at once, calls from inside callbacks, and calls around the end of a client.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, McpError, Server } from "mcp-duet";

/** @param {any} [options] of the client */
function pair(options = {}) {
	/** @type {any} */
	let client;
	const server = new Server({
		name: "pair",
		version: "1",
		tools: [
			{
				name: "echo",
				inputSchema: { type: "object" },
				handler: async (/** @type {any} */ { text }, /** @type {any} */ ctx) => {
					ctx.sendProgress(1, 2, text);
					await new Promise(setImmediate);
					return text;
				},
			},
			{
				name: "again",
				inputSchema: { type: "object" },
				// A handler that uses the very client that called it.
				handler: async (/** @type {any} */ { depth }) =>
					depth === 0 ? "bottom" : (await client.callTool("again", { depth: depth - 1 })).content[0].text,
			},
			{ name: "never", inputSchema: { type: "object" }, handler: () => new Promise(() => {}) },
		],
	});
	client = new Client({
		transport: (/** @type {any} */ message, /** @type {any} */ { signal, onMessage }) =>
			server.handleMessage(message, { signal, send: onMessage }),
		...options,
	});
	return { client, server };
}

/** @param {any} result */
const text = (result) => result.content[0].text;

test("calls made at once, from the first moment, each get their own answer", async () => {
	const { client } = pair();
	const names = Array.from({ length: 50 }, (_, index) => `北京 ${index}`);
	const results = await Promise.all(names.map((name) => client.callTool("echo", { text: name })));
	assert.deepEqual(results.map(text), names);
	await client.close();
});

test("a handler may call its own server through the client that called it", async () => {
	const { client } = pair();
	assert.equal(text(await client.callTool("again", { depth: 20 })), "bottom");
	await client.close();
});

test("a progress callback may call, list, and throw", async () => {
	const { client } = pair();
	/** @type {Promise<any>[]} */
	const inner = [];
	const onProgress = () => {
		inner.push(client.callTool("echo", { text: "inner" }), client.listTools());
	};
	assert.equal(text(await client.callTool("echo", { text: "outer" }, { onProgress })), "outer");
	const [called, listed] = await Promise.all(inner);
	assert.equal(text(called), "inner");
	assert.equal(listed.tools.length, 3);
	await client.close();
});

test("abort() inside a callback rejects with its reason, and the client goes on", async () => {
	const { client } = pair();
	const controller = new AbortController();
	const reason = new Error("enough");
	const onProgress = () => controller.abort(reason);
	await assert.rejects(
		client.callTool("echo", { text: "x" }, { onProgress, signal: controller.signal }),
		(error) => error === reason,
	);
	assert.equal(text(await client.callTool("echo", { text: "next" })), "next");
	await client.close();
});

test("close() ends what is pending, and what comes later, with an error of ours", async () => {
	const { client } = pair();
	await client.connect();
	const pending = client.callTool("never").catch((/** @type {unknown} */ error) => error);
	await client.close();
	for (const error of [await pending, await client.listTools().catch((/** @type {unknown} */ e) => e)]) {
		assert.ok(error instanceof McpError, String(error));
		assert.equal(error.code, "CLOSED");
	}
	await client.close();
});

test("close() before anything has loaded, and close() inside a callback, are calls like others", async () => {
	const { client: fresh } = pair();
	const listing = fresh.listTools().catch((/** @type {any} */ error) => error.code);
	await fresh.close();
	assert.equal(await listing, "CLOSED");

	const { client } = pair();
	const onProgress = () => client.close();
	await assert.rejects(client.callTool("echo", { text: "x" }, { onProgress }), { code: "CLOSED" });
});

test("a client that is mounted twice, as React's strict mode does, works the second time", async () => {
	const { server } = pair();
	const mount = () => {
		const client = new Client({ transport: (/** @type {any} */ message) => server.handleMessage(message) });
		return { client, listing: client.listTools() };
	};
	const first = mount();
	first.listing.catch(() => {});
	first.client.close();
	const second = mount();
	assert.equal((await second.listing).tools.length, 3);
	await second.client.close();
});
