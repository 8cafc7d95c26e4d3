// The server's fetch in Node: the body's limit, streams, cancellation, and what the handler is told.

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHeaders, Server } from "mcp-duet";

const META = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};
const URL_ = "http://localhost:3000/mcp";

/** @type {any[]} */
const seen = [];
const server = new Server({
	name: "fetching",
	version: "1",
	capabilities: { logging: {} },
	maxBodyBytes: 1000,
	tools: [
		{
			name: "echo",
			inputSchema: { type: "object", properties: { text: { type: "string" } } },
			handler: (/** @type {any} */ { text }) => text ?? "",
		},
		{
			name: "progress",
			inputSchema: { type: "object" },
			handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
				await undefined;
				ctx.sendProgress(1, 2, "半");
				await undefined;
				ctx.sendProgress(2, 2);
				return "done";
			},
		},
		{
			name: "at-once",
			inputSchema: { type: "object" },
			handler: (/** @type {any} */ _args, /** @type {any} */ ctx) => {
				ctx.sendProgress(1, 1);
				return "done";
			},
		},
		{
			name: "wait",
			inputSchema: { type: "object" },
			handler: (/** @type {any} */ _args, /** @type {any} */ ctx) => {
				ctx.sendProgress(1);
				return new Promise((resolve) => {
					const stop = () => {
						seen.push(ctx.era);
						resolve("stopped");
					};
					if (ctx.signal.aborted) stop();
					else ctx.signal.addEventListener("abort", stop);
				});
			},
		},
		{
			name: "context",
			inputSchema: { type: "object" },
			handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
				ctx.waitUntil(Promise.resolve("later"));
				const { era, protocolVersion, requestId, env, authInfo } = ctx;
				return JSON.stringify([era, protocolVersion, requestId, env, authInfo, ctx.headers.get("x-own")]);
			},
		},
	],
});

/** @param {string} name @param {any} [args] @param {any} [meta] */
const call = (name, args = {}, meta = {}) => ({
	jsonrpc: "2.0",
	id: "七",
	method: "tools/call",
	params: { name, arguments: args, _meta: { ...META, ...meta } },
});

/** @param {any} message @param {any} [headers] */
function request(message, headers = {}) {
	const { method, params } = message;
	const modern = params?._meta
		? { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...(params.name && { "mcp-name": params.name }) }
		: {};
	return new Request(URL_, {
		method: "POST",
		body: typeof message === "string" ? message : JSON.stringify(message),
		headers: {
			"content-type": "application/json",
			accept: "application/json, text/event-stream",
			...modern,
			...headers,
		},
	});
}

/** @param {Response} response */
async function events(response) {
	assert.equal(response.headers.get("content-type"), "text/event-stream");
	assert.equal(response.headers.get("x-accel-buffering"), "no");
	const text = await response.text();
	return text
		.split("\n\n")
		.filter((event) => event !== "")
		.map((event) => JSON.parse(/** @type {string} */ (event.match(/^event: message\ndata: (.*)$/)?.[1])));
}

test("a result without notifications is one JSON message", async () => {
	const response = await server.fetch(request(call("echo", { text: "北京" })));
	assert.equal(response.status, 200);
	assert.equal(response.headers.get("content-type"), "application/json");
	const reply = await response.json();
	assert.equal(reply.id, "七");
	assert.equal(reply.result.content[0].text, "北京");
});

test("notifications before the result make it a stream; a client that takes no stream gets the result alone", async () => {
	for (const name of ["progress", "at-once"]) {
		const message = call(name, {}, { progressToken: 1 });
		const sent = await events(await server.fetch(request(message)));
		assert.equal(sent.at(-1).result.content[0].text, "done");
		assert.deepEqual(
			sent.slice(0, -1).map((event) => event.params.progress),
			name === "progress" ? [1, 2] : [1],
		);
		const alone = await server.fetch(request(message, { accept: "application/json" }));
		assert.equal((await alone.json()).result.content[0].text, "done");
	}
	const stream = await server.fetch(request(call("echo", { text: "x" }), { accept: "text/event-stream" }));
	assert.equal((await events(stream)).length, 1);
});

test("a body beyond the limit is 413, whether it says so or not, and the next request works", async () => {
	const large = call("echo", { text: "x".repeat(2000) });
	assert.equal((await server.fetch(request(large))).status, 413);
	assert.equal((await server.fetch(request(large, { "content-length": "5000" }))).status, 413);
	let pulled = 0;
	const endless = new ReadableStream({
		pull(controller) {
			pulled++;
			controller.enqueue(new Uint8Array(400).fill(32));
		},
	});
	const init = { method: "POST", body: endless, duplex: "half", headers: { "content-type": "application/json" } };
	assert.equal((await server.fetch(new Request(URL_, /** @type {any} */ (init)))).status, 413);
	assert.ok(pulled < 10, `${pulled} chunks were taken`);
	assert.equal((await server.fetch(request(call("echo")))).status, 200);
});

test("a body may come in any pieces", async () => {
	const bytes = new TextEncoder().encode(JSON.stringify(call("echo", { text: "北京" })));
	const body = new ReadableStream({
		start(controller) {
			for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
			controller.close();
		},
	});
	const headers = request(call("echo")).headers;
	const init = /** @type {any} */ ({ method: "POST", body, duplex: "half", headers });
	const response = await server.fetch(new Request(URL_, init));
	assert.equal((await response.json()).result.content[0].text, "北京");
});

test("bad bodies are a clear error each, and the next request works", async () => {
	for (const [body, code] of [
		["{", -32700],
		["", -32700],
		["7", -32600],
		["[]", -32600],
		['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
	]) {
		const response = await server.fetch(request(body));
		assert.equal(response.status, 400);
		const { id, error } = await response.json();
		assert.equal(id, undefined);
		assert.equal(error.code, code);
	}
	const empty = new Request(URL_, { method: "POST", headers: { "content-type": "application/json" } });
	assert.equal((await server.fetch(empty)).status, 400);
	assert.equal((await server.fetch(request(call("echo")))).status, 200);
});

test("a disconnection cancels a modern request, and not a legacy one", async () => {
	seen.length = 0;
	const modern = await server.fetch(request(call("wait", {}, { progressToken: 1 })));
	await modern.body?.cancel();
	assert.deepEqual(seen, ["modern"]);
	const params = { name: "wait", arguments: {}, _meta: { progressToken: 1 } };
	const legacy = new Request(URL_, {
		method: "POST",
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
		headers: { "content-type": "application/json" },
	});
	const response = await server.fetch(legacy);
	assert.equal(response.headers.get("content-type"), "text/event-stream");
	await response.body?.cancel();
	await new Promise(setImmediate);
	assert.deepEqual(seen, ["modern"]);

	const controller = new AbortController();
	const aborted = server.fetch(new Request(request(call("wait")), { signal: controller.signal }));
	await new Promise(setImmediate);
	controller.abort();
	await aborted;
	assert.deepEqual(seen, ["modern", "modern"]);
});

test("a handler that looks at its signal late sees that the client has gone", async () => {
	/** @type {(value: boolean) => void} */
	let tell;
	const told = new Promise((resolve) => (tell = resolve));
	let leave = () => {};
	const gone = new Promise((resolve) => (leave = () => resolve(undefined)));
	const late = new Server({
		name: "late",
		version: "1",
		tools: [
			{
				name: "late",
				inputSchema: { type: "object" },
				handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
					ctx.sendProgress(1);
					await gone;
					tell(ctx.signal.aborted);
					return "";
				},
			},
		],
	});
	const response = await late.fetch(request(call("late", {}, { progressToken: 1 })));
	await response.body?.cancel();
	leave();
	assert.equal(await told, true);
});

test("a handler sees the platform's environment, the caller's identity and the headers", async () => {
	/** @type {Promise<unknown>[]} */
	const kept = [];
	const response = await server.fetch(request(call("context"), { "x-own": "1" }), {
		env: { A: 1 },
		authInfo: { sub: "me" },
		waitUntil: (/** @type {Promise<unknown>} */ promise) => kept.push(promise),
	});
	const { result } = await response.json();
	assert.deepEqual(JSON.parse(result.content[0].text), ["modern", "2026-07-28", "七", { A: 1 }, { sub: "me" }, "1"]);
	assert.deepEqual(await Promise.all(kept), ["later"]);
});

test("a notification is 202 without a body", async () => {
	const response = await server.fetch(request({ jsonrpc: "2.0", method: "notifications/initialized" }));
	assert.equal(response.status, 202);
	assert.equal(await response.text(), "");
});

test("fetch never rejects: a wrong definition is a 500 that says why", async () => {
	const wrong = new Server({
		name: "wrong",
		version: "1",
		tools: [{ name: "two words", inputSchema: { type: "object" }, handler: () => "" }],
	});
	await assert.rejects(wrong.ready, { code: "INVALID_DEFINITION" });
	const response = await wrong.fetch(request(call("echo")));
	assert.equal(response.status, 500);
	assert.match((await response.json()).error.message, /two words/);
	const closed = new Server({ name: "closed", version: "1" });
	closed.close();
	assert.equal((await closed.fetch(request(call("echo")))).status, 500);
	await assert.rejects(closed.handleMessage("{}"), { code: "CLOSED" });
});

test("checkHeaders says what differs, for those who bring their own web layer", async () => {
	const message = call("echo");
	const { headers } = request(message);
	assert.equal(await checkHeaders(server, headers, message), null);
	assert.equal(await checkHeaders(server, headers, JSON.stringify(message)), null);
	headers.set("mcp-name", "other");
	assert.equal((await checkHeaders(server, headers, message))?.code, -32020);
	assert.equal(await checkHeaders(server, {}, { jsonrpc: "2.0", id: 1, method: "tools/list" }), null);
});

test("a page of an allowed origin can read a failure of the server too", async () => {
	const broken = () => Promise.reject(new Error("no connection"));
	const origin = "https://app.example.com";
	const failing = new Server({
		name: "failing",
		version: "1",
		allowedOrigins: [origin],
		legacy: "sessions",
		sessions: { store: { get: broken, set: broken, delete: broken } },
	});
	const { status, headers } = await failing.fetch(
		new Request(URL_, {
			method: "POST",
			headers: { "content-type": "application/json", accept: "application/json", origin, "mcp-session-id": "x" },
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
		}),
	);
	assert.deepEqual([status, headers.get("access-control-allow-origin")], [500, origin]);
});
