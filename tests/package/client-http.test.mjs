// The client against node:http, and against transports and fetches of all kinds: what a scripted
// fetch cannot show.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { Client, HttpError, McpError, ProtocolError } from "mcp-duet";

/** @type {import("node:http").Server[]} */
const servers = [];
after(() => {
	for (const server of servers) {
		server.closeAllConnections();
		server.close();
	}
});

const discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };

/**
 * A modern server; `answer` answers everything but the probe.
 * @param {(message: any, response: import("node:http").ServerResponse, request: import("node:http").IncomingMessage) => void} answer
 */
async function listening(answer) {
	const server = createServer(async (request, response) => {
		let text = "";
		for await (const chunk of request.setEncoding("utf8")) text += chunk;
		const message = JSON.parse(text);
		if (message.method === "server/discover") json(response, message.id, discovered);
		else answer(message, response, request);
	});
	servers.push(server);
	await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
	const address = /** @type {import("node:net").AddressInfo} */ (server.address());
	return `http://127.0.0.1:${address.port}/mcp`;
}

/** @param {import("node:http").ServerResponse} response @param {any} id @param {any} result */
function json(response, id, result) {
	response.writeHead(200, { "content-type": "application/json" });
	response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

/** @param {import("node:http").ServerResponse} response @param {any} id @param {any} result */
function sse(response, id, result) {
	response.writeHead(200, { "content-type": "text/event-stream" });
	response.write(": hello\r\n\r\n");
	response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\r\n\r\n`);
}

const limit = { timeout: 30_000 };

// CT-23
test("one signal over many calls keeps no listener, and aborts late without harm", limit, async () => {
	const url = await listening((message, response) => {
		const { name } = message.params;
		if (name === "json") json(response, message.id, { content: [] });
		else if (name === "sse") sse(response, message.id, { content: [] });
		else if (name === "fails") response.writeHead(500).end("no");
	});
	const client = new Client({ url });
	const abort = new AbortController();
	const { signal } = abort;
	for (const name of ["json", "sse", "fails", "silent", "json", "sse", "fails", "silent"]) {
		await client.callTool(name, {}, { signal, timeoutMs: name === "silent" ? 20 : 10_000 }).catch(() => {});
		assert.equal(getEventListeners(signal, "abort").length, 0, name);
	}
	abort.abort();
	await client.callTool("json");
	await client.close();
});

test(
	"an abort rejects with its own reason: before, while the answer is awaited, and while it is read",
	limit,
	async () => {
		let asked = 0;
		/** @type {Array<() => void>} */
		const gone = [];
		const url = await listening((message, response) => {
			asked++;
			if (message.params.name === "reading") {
				response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
			}
			response.on("close", () => gone.shift()?.());
		});
		const client = new Client({ url });
		await client.connect();
		const reason = { any: "thing" };
		const early = AbortSignal.abort(reason);
		await assert.rejects(client.callTool("x", {}, { signal: early }), (error) => error === reason);
		assert.equal(asked, 0, "nothing was sent");
		for (const name of ["waiting", "reading"]) {
			const abort = new AbortController();
			const closed = new Promise((resolve) => gone.push(() => resolve(undefined)));
			const call = client.callTool(name, {}, { signal: abort.signal });
			setTimeout(() => abort.abort(reason), 30);
			await assert.rejects(call, (error) => error === reason);
			await closed;
			assert.equal(getEventListeners(abort.signal, "abort").length, 0);
		}
		await client.close();
	},
);

test("the application's headers go out, and the protocol's win", limit, async () => {
	/** @type {any} */
	let seen;
	const url = await listening((message, response, request) => {
		seen = request.headers;
		json(response, message.id, {});
	});
	let asked = 0;
	for (const headers of [
		{ Authorization: "Bearer 1", "MCP-Method": "forged", accept: "text/html" },
		new Headers({ authorization: "Bearer 1" }),
		async () => ({ authorization: `Bearer ${++asked}` }),
	]) {
		const client = new Client({ url, headers });
		await client.connect();
		asked = 0;
		await client.request("x/y");
		assert.equal(seen.authorization, "Bearer 1");
		assert.equal(seen["mcp-method"], "x/y");
		assert.equal(seen.accept, "application/json, text/event-stream");
		assert.equal(seen["content-type"], "application/json");
		await client.close();
	}
});

test("a redirect keeps method and body; the application's headers stay with their origin", limit, async () => {
	/** @type {any[]} */
	const arrived = [];
	const elsewhere = await listening((message, response, request) => {
		arrived.push(["elsewhere", request.method, request.headers.authorization, message.method]);
		json(response, message.id, {});
	});
	const url = await listening((message, response, request) => {
		arrived.push([request.url, request.method, request.headers.authorization, message.method]);
		const { to } = message.params;
		const location = { near: "/near", far: elsewhere, loop: "/mcp" }[/** @type {"near"} */ (to)];
		if (location === undefined || request.url === "/near") json(response, message.id, {});
		else response.writeHead(to === "near" ? 301 : 307, { location }).end();
	});
	const client = new Client({ url, headers: { authorization: "secret" } });
	await client.request("x/y", { to: "near" });
	await client.request("x/y", { to: "far" });
	assert.deepEqual(arrived, [
		["/mcp", "POST", "secret", "x/y"],
		["/near", "POST", "secret", "x/y"],
		["/mcp", "POST", "secret", "x/y"],
		["elsewhere", "POST", undefined, "x/y"],
	]);
	arrived.length = 0;
	await assert.rejects(client.request("x/y", { to: "loop" }), { code: "HTTP", status: 307 });
	assert.equal(arrived.length, 6, "five times, and no more");
	await client.close();
});

// CT-21
test("fetch is called as a free function, and looked up late", limit, async () => {
	const url = await listening((message, response) => json(response, message.id, { ok: 1 }));
	/** @type {any[]} */
	const receivers = [];
	/** @this {any} @param {string} target @param {any} init */
	function own(target, init) {
		receivers.push(this);
		return fetch(target, init);
	}
	const client = new Client({ url, fetch: own });
	assert.deepEqual(await client.request("x/y"), { ok: 1 });
	assert.deepEqual(receivers, [undefined, undefined]);
	await client.close();

	const late = new Client({ url });
	const original = globalThis.fetch;
	let calls = 0;
	globalThis.fetch = (...args) => {
		calls++;
		return original(...args);
	};
	try {
		await late.connect();
	} finally {
		globalThis.fetch = original;
	}
	assert.equal(calls, 1);
	await late.close();
});

// CT-22, CT-25
test(
	"everything goes through the fetch that was given, without credentials that nobody asked for",
	limit,
	async (t) => {
		t.mock.method(globalThis, "fetch", () => assert.fail("the global fetch was called"));
		const initialized = { protocolVersion: "2025-11-25", capabilities: { resources: { subscribe: true } } };
		/** @type {string[]} */
		const verbs = [];
		/** @param {any} result @param {any} message @param {ResponseInit} [init] */
		const answered = (result, message, init) => Response.json({ jsonrpc: "2.0", id: message.id, result }, init);
		const stream = (/** @type {string} */ text) =>
			new Response(text, { headers: { "content-type": "text/event-stream" } });
		/** @type {Record<string, (verb: string, message: any) => Response>} */
		const places = {
			// A redirect, a session, a stream for notifications, one that is resumed, and the session's end.
			"http://127.0.0.1/old": () => new Response(null, { status: 308, headers: { location: "/mcp" } }),
			"http://127.0.0.1/mcp": (verb, message) => {
				if (verb === "GET") return stream('data: {"jsonrpc":"2.0","id":3,"result":{"contents":[]}}\n\n');
				if (message?.id === undefined) return new Response(null, { status: 202 });
				if (message.method === "initialize") {
					return answered(initialized, message, { headers: { "mcp-session-id": "s-1" } });
				}
				if (message.method === "resources/read") return stream("id: 7\nretry: 1\ndata: \n\n");
				return answered({}, message);
			},
			// A server of the deprecated transport.
			"http://127.0.0.1/sse": (verb) =>
				verb === "GET"
					? stream(
							`event: endpoint\ndata: /post\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: initialized })}\n\n: \n\n`,
						)
					: new Response("", { status: 405 }),
			"http://127.0.0.1/post": () => new Response(null, { status: 202 }),
		};
		const own = async (/** @type {string} */ url, /** @type {any} */ init) => {
			assert.equal(init.credentials, undefined);
			assert.equal(init.mode, undefined);
			verbs.push(init.method);
			return places[url](init.method, init.body && JSON.parse(init.body));
		};
		const client = new Client({ url: "http://127.0.0.1/old", fetch: own, versionNegotiation: "legacy", listen: true });
		const { closed, close } = await client.subscribe({ resourceSubscriptions: ["a:b"] });
		assert.deepEqual(await client.readResource("a:b"), { contents: [] });
		close();
		await closed;
		await client.close();
		assert.deepEqual([...new Set(verbs)].sort(), ["DELETE", "GET", "POST"]);
		const older = new Client({ url: "http://127.0.0.1/sse", fetch: own, versionNegotiation: "legacy" });
		await older.connect();
		await older.close();
	},
);

test("errors are our classes, with everything that the answer said", limit, async () => {
	const url = await listening((message, response) => {
		const error = { code: -32603, message: "上流", data: { a: 1 } };
		const body = JSON.stringify({ jsonrpc: "2.0", id: message.id, error });
		const status = Number(message.params.name);
		if (status === 503) response.writeHead(503, { "retry-after": "30", "content-type": "text/html" }).end("<html>");
		else response.writeHead(status, { "content-type": "application/json" }).end(body);
	});
	const client = new Client({ url });
	await assert.rejects(client.callTool("500"), (/** @type {any} */ error) => {
		assert.ok(error instanceof HttpError && error instanceof McpError);
		assert.deepEqual([error.code, error.status], ["HTTP", 500]);
		assert.deepEqual(error.rpcError, { code: -32603, message: "上流", data: { a: 1 } });
		return true;
	});
	await assert.rejects(client.callTool("503"), (/** @type {any} */ error) => {
		assert.ok(error instanceof HttpError);
		assert.deepEqual([error.retryAfter, error.contentType, error.body], [30, "text/html", "<html>"]);
		return true;
	});
	await assert.rejects(client.callTool("200"), (/** @type {any} */ error) => {
		assert.ok(error instanceof ProtocolError);
		assert.deepEqual([error.code, error.rpcCode, error.message, error.data], ["PROTOCOL", -32603, "上流", { a: 1 }]);
		return true;
	});
	await client.close();
	await assert.rejects(new Client({ url: "http://127.0.0.1:1/mcp" }).connect(), (/** @type {any} */ error) => {
		assert.equal(error.code, "NETWORK");
		assert.ok(error.cause instanceof Error, "what fetch said is kept");
		return true;
	});
});

test("an error of a transport that carries an HTTP answer is judged like one", limit, async () => {
	/** @type {string[]} */
	const asked = [];
	/** @param {any} message */
	const transport = async ({ id, method }) => {
		asked.push(method);
		if (method === "server/discover") {
			throw Object.assign(new Error("refused"), {
				status: 400,
				body: { jsonrpc: "2.0", error: { code: -32000, message: "no" } },
			});
		}
		if (method === "initialize")
			return { jsonrpc: "2.0", id, result: { protocolVersion: "2025-11-25", capabilities: {} } };
		if (method === "tools/call")
			throw Object.assign(new Error("down"), { status: 502, headers: { "retry-after": "3" }, body: "x" });
		return null;
	};
	const client = new Client({ transport: /** @type {any} */ (Object.assign(transport, { kind: "http" })) });
	await client.connect();
	assert.equal(client.era, "legacy");
	assert.deepEqual(asked, ["server/discover", "initialize", "notifications/initialized"]);
	await assert.rejects(client.callTool("x"), (/** @type {any} */ error) => {
		assert.deepEqual([error.code, error.status, error.retryAfter, error.body], ["HTTP", 502, 3, "x"]);
		return true;
	});
	await client.close();

	const outage = Object.assign(() => Promise.reject(Object.assign(new Error("down"), { status: 503 })), {
		kind: /** @type {"http"} */ ("http"),
	});
	await assert.rejects(new Client({ transport: outage }).connect(), { code: "HTTP", status: 503 });
});

test("a transport may answer with objects, text and bytes", limit, async () => {
	for (const wrap of [
		(/** @type {any} */ reply) => reply,
		(/** @type {any} */ reply) => JSON.stringify(reply),
		(/** @type {any} */ reply) => new TextEncoder().encode(JSON.stringify(reply)),
	]) {
		/** @type {any[]} */
		const heard = [];
		const client = new Client({
			transport: async (/** @type {any} */ { id, method }, /** @type {any} */ { onMessage }) => {
				if (method !== "server/discover")
					onMessage(wrap({ jsonrpc: "2.0", method: "notifications/x", params: { 北: 1 } }));
				return wrap({ jsonrpc: "2.0", id, result: method === "server/discover" ? discovered : { 京: id } });
			},
			onNotification: (notification) => heard.push(notification),
		});
		assert.deepEqual(await client.request("x/y"), { 京: 1 });
		assert.deepEqual(heard, [{ method: "notifications/x", params: { 北: 1 } }]);
		await client.close();
	}
});

test("options that make no sense are refused at once", () => {
	const make = (/** @type {any} */ options) => () => new Client(options);
	assert.throws(make({}), { code: "INVALID_ARGUMENT" });
	assert.throws(make({ url: "http://x", transport: () => {} }), { code: "INVALID_ARGUMENT" });
	assert.throws(make({ transport: {} }), { code: "INVALID_ARGUMENT" });
	assert.throws(make({ url: "http://x", versionNegotiation: { pin: "2025-11-25" } }), TypeError);
	assert.throws(make({ url: "http://x", supportedVersions: ["1999-01-01"] }), { code: "UNSUPPORTED_PROTOCOL_VERSION" });
});

test("a verdict is plain data, and spares the next client the probe of the same endpoint", limit, async () => {
	const url = await listening((message, response) => json(response, message.id, { method: message.method }));
	const first = new Client({ url });
	assert.equal(first.verdict, undefined);
	await first.connect();
	const stored = JSON.parse(JSON.stringify(first.verdict));
	assert.deepEqual([stored.endpoint, stored.era, stored.protocolVersion], [url, "modern", "2026-07-28"]);
	await first.close();
	for (const [endpoint, probes] of /** @type {const} */ ([
		[url, 0],
		["http://127.0.0.1/other", 1],
	])) {
		let sent = 0;
		const client = new Client({
			url,
			fetch: (target, init) => {
				sent++;
				return fetch(target, init);
			},
		});
		await client.connect({ prior: { ...stored, endpoint } });
		assert.equal(sent, probes);
		assert.equal(client.era, "modern");
		await client.close();
	}
});

test("a list is whole, or one page of it: the first, and the one behind a cursor, an empty one too", async () => {
	/** @type {any[]} */
	const cursors = [];
	/** @param {string} _url @param {any} init */
	const fetch = async (_url, { body }) => {
		const { id, method, params } = JSON.parse(body);
		const found = { supportedVersions: ["2026-07-28"], capabilities: {} };
		if (method === "server/discover") return Response.json({ jsonrpc: "2.0", id, result: found });
		const { cursor } = params;
		cursors.push(cursor);
		const page = cursor === undefined ? { tools: [{ name: "a" }], nextCursor: "" } : { tools: [{ name: "b" }] };
		return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...page } });
	};
	const client = new Client({ url: "http://127.0.0.1/mcp", fetch });
	const names = (/** @type {any} */ { tools, nextCursor }) => [
		...tools.map((/** @type {any} */ { name }) => name),
		nextCursor,
	];
	assert.deepEqual(names(await client.listTools()), ["a", "b", undefined]);
	assert.deepEqual(names(await client.listTools({ cursor: null })), ["a", ""]);
	assert.deepEqual(names(await client.listTools({ cursor: "" })), ["b", undefined]);
	assert.deepEqual(cursors, [undefined, "", undefined, ""]);
	await client.close();
});

test("a session outlives its client, and the next one goes on with it at once", limit, async () => {
	/** @type {string[]} */
	const asked = [];
	const server = createServer(async (request, response) => {
		let text = "";
		for await (const chunk of request.setEncoding("utf8")) text += chunk;
		const { id, method } = text ? JSON.parse(text) : { id: undefined, method: request.method };
		asked.push(`${method} ${request.headers["mcp-session-id"] ?? "-"}`);
		if (method === "initialize") response.setHeader("mcp-session-id", "s-1");
		const result = method === "initialize" ? { protocolVersion: "2025-11-25", capabilities: {} } : { tools: [] };
		if (id === undefined) response.writeHead(202).end();
		else json(response, id, result);
	});
	servers.push(server);
	await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
	const address = /** @type {import("node:net").AddressInfo} */ (server.address());
	const url = `http://127.0.0.1:${address.port}/mcp`;
	const first = new Client({ url, versionNegotiation: "legacy" });
	assert.equal(first.session, undefined);
	await first.connect();
	const kept = JSON.parse(JSON.stringify(first.session));
	assert.equal(kept.sessionId, "s-1");
	asked.length = 0;

	const second = new Client({ url });
	await second.connect({ session: kept });
	assert.deepEqual([second.era, second.session], ["legacy", first.session]);
	await second.listTools();
	assert.deepEqual(asked.splice(0), ["tools/list s-1"]);
	await second.close();
	assert.deepEqual(asked, ["DELETE s-1"]);

	const elsewhere = new Client({ url, versionNegotiation: "legacy" });
	await elsewhere.connect({ session: { ...kept, endpoint: "https://example.com/mcp" } });
	assert.equal(asked[1], "initialize -");
	await elsewhere.close();
	await first.close();
});

test("a level of log messages that does not exist is refused at once", limit, async () => {
	const client = new Client({ url: "http://127.0.0.1:1/mcp" });
	const call = client.listTools(/** @type {any} */ ({ logLevel: "loud" }));
	await assert.rejects(call, { code: "INVALID_ARGUMENT" });
	await assert.rejects(client.setLogLevel(/** @type {any} */ ("loud")), { code: "INVALID_ARGUMENT" });
	await client.close();
});

test("setLogLevel says the level to servers of both eras", limit, async () => {
	for (const [era, revision] of [
		["modern", "2026-07-28"],
		["legacy", "2025-11-25"],
	]) {
		/** @type {any[]} */
		const heard = [];
		const client = new Client({
			transport: async (/** @type {any} */ { id, method, params }) => {
				if (id === undefined) return null;
				heard.push([method, params?.level ?? params?._meta?.["io.modelcontextprotocol/logLevel"]]);
				const found = { capabilities: { logging: {} }, supportedVersions: [revision], protocolVersion: revision };
				const result = method === "server/discover" || method === "initialize" ? found : {};
				return /** @type {any} */ ({ jsonrpc: "2.0", id, result });
			},
		});
		assert.equal(await client.setLogLevel("debug"), undefined);
		await client.readResource("a:b");
		const [last, before] = heard.reverse();
		if (era === "modern") assert.deepEqual(last, ["resources/read", "debug"]);
		else assert.deepEqual(before, ["logging/setLevel", "debug"]);
		await client.close();
	}
});
