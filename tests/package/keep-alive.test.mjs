// What keeps a silent stream alive: a comment now and then, as long as somebody reads. Time is the test's own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";
import { Legacy } from "./sessions-harness.mjs";

const KEEP_ALIVE_MS = 15_000;
const COMMENT = ":\n\n";
const META = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};
const object = /** @type {const} */ ({ type: "object" });
const form = /** @type {const} */ ({ message: "name?", requestedSchema: { type: "object", properties: {} } });

/** @param {any} [more] */
const serverOf = (more) =>
	new Server({
		name: "silent",
		version: "1",
		legacy: "sessions",
		capabilities: { logging: {}, tools: { listChanged: true } },
		tools: [
			{
				name: "wait",
				inputSchema: object,
				handler: (_args, ctx) => {
					ctx.sendProgress(1);
					return new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve("stopped")));
				},
			},
			{ name: "ask", inputSchema: object, handler: async (_args, ctx) => JSON.stringify(await ctx.elicit(form)) },
		],
		...more,
	});

/** @param {any} server @param {string} method @param {any} params */
const modern = (server, method, params) =>
	server.fetch(
		new Request("http://localhost/mcp", {
			method: "POST",
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
			headers: {
				"content-type": "application/json",
				accept: "application/json, text/event-stream",
				"mcp-protocol-version": "2026-07-28",
				"mcp-method": method,
				...(params.name && { "mcp-name": params.name }),
			},
		}),
	);

/** @param {any} server @param {any} [params] */
async function inSession(server, params) {
	const client = new Legacy((request) => server.fetch(request));
	await client.open(params);
	return client;
}

/** How each kind of stream is opened. @type {Record<string, (server: any) => Promise<Response>>} */
const streams = {
	"subscriptions/listen": (server) =>
		modern(server, "subscriptions/listen", { notifications: { toolsListChanged: true }, _meta: META }),
	"a modern call": (server) => modern(server, "tools/call", { name: "wait", _meta: { ...META, progressToken: "p" } }),
	"a session's GET": async (server) => (await inSession(server)).listen(),
	"a session's call": async (server) => (await inSession(server)).call("wait", {}, 1, { progressToken: "p" }),
	"a call that asks": async (server) => (await inSession(server, { capabilities: { elicitation: {} } })).call("ask"),
};

for (const [name, open] of Object.entries(streams)) {
	test(`the stream of ${name} has a comment every 15 seconds, until nobody reads it`, async (t) => {
		t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
		const cleared = t.mock.method(globalThis, "clearInterval");
		const server = serverOf();
		const response = await open(server);
		assert.equal(response.headers.get("content-type"), "text/event-stream");
		const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
		const decoder = new TextDecoder();
		/** @type {string[]} */
		const come = [];
		const reading = (async () => {
			for (;;) {
				const { done, value } = await reader.read();
				if (done) return;
				come.push(decoder.decode(value));
			}
		})();
		/** What came since the last look. */
		const since = async () => {
			await new Promise(setImmediate);
			return come.splice(0).join("");
		};
		assert.match(await since(), /^(id|event|data): /);
		t.mock.timers.tick(KEEP_ALIVE_MS - 1);
		assert.equal(await since(), "");
		t.mock.timers.tick(1);
		assert.equal(await since(), COMMENT);
		t.mock.timers.tick(3 * KEEP_ALIVE_MS);
		assert.equal(await since(), COMMENT.repeat(3));

		const before = cleared.mock.callCount();
		await reader.cancel();
		await reading;
		assert.ok(cleared.mock.callCount() > before, "its timer is let go");
		t.mock.timers.tick(KEEP_ALIVE_MS);
		assert.equal(await since(), "");
		server.close();
	});
}

test("an answer that is no stream starts no timer", async (t) => {
	const started = t.mock.method(globalThis, "setInterval");
	const server = serverOf();
	const client = await inSession(server);
	assert.equal((await client.post("tools/list")).status, 200);
	const response = await modern(server, "tools/list", { _meta: META });
	assert.equal(response.headers.get("content-type"), "application/json");
	assert.equal(started.mock.callCount(), 0);
	server.close();
});
