// Legacy sessions over fetch: opened, required, bound, ended; asks, cancellation and levels in them; their stores and limits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";
import { eventsOf, LATEST, Legacy, remote } from "./sessions-harness.mjs";

/** @type {any} */
const object = { type: "object" };
const form = { message: "name?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
const META = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};

/** @param {any} [more] */
const serverOf = (more) =>
	new Server({
		name: "sessions",
		version: "1",
		legacy: "sessions",
		capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
		resources: [],
		tools: [
			{ name: "echo", inputSchema: object, handler: (/** @type {any} */ { text }) => text ?? "" },
			{
				name: "ask",
				inputSchema: object,
				handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => JSON.stringify(await ctx.elicit(form)),
			},
			{
				name: "client",
				inputSchema: object,
				handler: (/** @type {any} */ _args, /** @type {any} */ { clientInfo, clientCapabilities, protocolVersion }) =>
					JSON.stringify([clientInfo, clientCapabilities, protocolVersion]),
			},
			{
				name: "log",
				inputSchema: object,
				handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
					await undefined;
					ctx.log("debug", "fine");
					ctx.log("error", "coarse");
					return "logged";
				},
			},
			{
				name: "wait",
				inputSchema: object,
				handler: (/** @type {any} */ { talk }, /** @type {any} */ ctx) => {
					if (talk) ctx.log("error", "waiting");
					return new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve("stopped")));
				},
			},
		],
		...more,
	});

/** @param {Server} server @param {any} [options] */
const clientOf = (server, options) => new Legacy((request, given) => server.fetch(request, given), options);

/** @param {any} [more] @param {any} [params] */
async function opened(more, params) {
	const server = serverOf(more);
	const client = clientOf(server);
	await client.open(params);
	return { server, client };
}

test("initialize opens a session, its id is demanded from then on, and DELETE ends it", async () => {
	const server = serverOf();
	const client = clientOf(server);
	const missing = await client.post("tools/list");
	assert.equal(missing.status, 400);
	assert.match((await missing.json()).error.message, /Mcp-Session-Id/);
	const { result } = await client.open();
	assert.equal(result.protocolVersion, LATEST);
	assert.match(client.session ?? "", /^[\x21-\x7e]{20,}$/);
	assert.equal((await client.ask("tools/list")).tools.length, 5);
	assert.equal((await client.call("echo", { text: "北京" })).headers.get("mcp-session-id"), null);
	assert.equal((await client.end()).status, 204);
	for (const response of [
		await client.post("tools/list"),
		await client.notify("notifications/initialized"),
		await client.answer("x", {}),
		await client.listen(),
		await client.end(),
	]) {
		assert.equal(response.status, 404);
		assert.match((await response.json()).error.message, /^Session not found/);
	}
	const ended = client.session;
	await client.open();
	assert.notEqual(client.session, ended);
});

test("two clients have two sessions, and each is told of its own", async () => {
	const server = serverOf();
	const [one, other] = [clientOf(server), clientOf(server)];
	await one.open({ capabilities: { elicitation: {} } });
	await other.open({ version: "2025-06-18" });
	assert.notEqual(one.session, other.session);
	const told = async (/** @type {Legacy} */ client) =>
		JSON.parse((await (await client.call("client")).json()).result.content[0].text);
	assert.deepEqual(await told(one), [{ name: "legacy", version: "1" }, { elicitation: {} }, LATEST]);
	assert.deepEqual(await told(other), [{ name: "legacy", version: "1" }, {}, "2025-06-18"]);
});

test("a session belongs to whoever opened it", async () => {
	const server = serverOf();
	const client = clientOf(server, { authInfo: { sub: "me" } });
	await client.open();
	assert.equal((await client.post("ping")).status, 200);
	for (const authInfo of [undefined, { sub: "you" }, { clientId: "x" }]) {
		client.options = { authInfo };
		assert.equal((await client.post("ping")).status, 404);
		assert.equal((await client.listen()).status, 404);
		assert.equal((await client.end()).status, 404);
	}
	client.options = { authInfo: { sub: "me", other: 1 } };
	assert.equal((await client.post("ping")).status, 200);
});

test("a version that the server does not have is 400 in a session too", async () => {
	const { client } = await opened();
	for (const version of ["1999-01-01", "nonsense"]) {
		client.version = version;
		for (const response of [await client.post("ping"), await client.listen(), await client.end()]) {
			assert.equal(response.status, 400, version);
		}
	}
	client.version = "";
	assert.equal((await client.post("ping")).status, 200);
});

test("modern clients are served beside sessions, without one", async () => {
	const { server, client } = await opened();
	const modern = clientOf(server);
	const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
	const response = await modern.post("tools/list", { _meta: META }, headers);
	assert.equal((await response.json()).result.resultType, "complete");
	assert.equal(response.headers.get("mcp-session-id"), null);
	for (const method of ["GET", "DELETE"]) {
		const refused = await modern.request(method, undefined, { "mcp-protocol-version": "2026-07-28" });
		assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "POST, OPTIONS"]);
	}
	assert.equal((await client.post("ping")).status, 200);
	// Messages have no sessions.
	const reply = /** @type {any} */ (await server.handleMessage({ jsonrpc: "2.0", id: 1, method: "ping" }));
	assert.deepEqual(reply.result, {});
});

test("what a handler asks goes out on the stream of its call, and only its own session can answer", async () => {
	const { server, client } = await opened({}, { capabilities: { elicitation: {} } });
	const stranger = clientOf(server);
	await stranger.open();
	const events = eventsOf(await client.call("ask", {}, "七"));
	const priming = await events.next();
	assert.deepEqual([priming?.data, priming?.retry], ["", "1000"]);
	const asked = await events.next();
	assert.equal(asked?.data.method, "elicitation/create");
	const { id } = asked?.data ?? {};
	assert.equal((await stranger.answer(id, { action: "decline" })).status, 202);
	assert.equal((await client.answer("unknown", { action: "cancel" })).status, 202);
	assert.equal((await client.answer(id, { action: "accept", content: { name: "北" } })).status, 202);
	const last = await events.next();
	assert.equal(last?.data.id, "七");
	assert.deepEqual(JSON.parse(last?.data.result.content[0].text), { action: "accept", content: { name: "北" } });
	assert.equal(await events.next(), undefined);
});

test("an error is an answer too", async () => {
	const { client } = await opened({}, { capabilities: { elicitation: {} } });
	const events = eventsOf(await client.call("ask"));
	await events.next();
	const asked = await events.next();
	await client.request("POST", { jsonrpc: "2.0", id: asked?.data.id, error: { code: -1, message: "no person" } });
	const last = await events.next();
	assert.deepEqual([last?.data.result.isError, last?.data.result.content[0].text], [true, "no person"]);
});

test("each session has a level of log messages of its own", async () => {
	const { server, client } = await opened();
	const other = clientOf(server);
	await other.open();
	assert.deepEqual(await client.ask("logging/setLevel", { level: "warning" }), {});
	assert.equal((await client.ask("logging/setLevel", { level: "loud" })).code, -32602);
	const logged = async (/** @type {Legacy} */ who) => {
		const events = eventsOf(await who.call("log"));
		const levels = [];
		for (let event = await events.next(); event; event = await events.next()) {
			if (event.data.params) levels.push(event.data.params.level);
		}
		return levels;
	};
	assert.deepEqual(await logged(client), ["error"]);
	assert.deepEqual(await logged(other), ["debug", "error"]);
});

test("notifications/cancelled ends a call without an answer; a disconnection does not", async () => {
	const { client } = await opened();
	const events = eventsOf(await client.call("wait", { talk: true }, 5));
	await events.next();
	await events.next();
	await client.notify("notifications/cancelled", { requestId: "5" });
	await client.notify("notifications/cancelled", { requestId: 6 });
	await client.notify("notifications/cancelled", {});
	await client.notify("notifications/cancelled", { requestId: 5, reason: "enough" });
	assert.equal(await events.next(), undefined);

	const silent = client.call("wait", {}, "six");
	await new Promise(setImmediate);
	await client.notify("notifications/cancelled", { requestId: "six" });
	assert.equal((await silent).status, 499);

	const left = eventsOf(await client.call("wait", { talk: true }, 7));
	const { id } = (await left.next()) ?? {};
	await left.next();
	await left.cancel();
	const again = eventsOf(await client.listen(id));
	assert.equal((await again.next())?.data.method, "notifications/message");
	await client.notify("notifications/cancelled", { requestId: 7 });
	assert.equal(await again.next(), undefined);
});

test("another session's cancellation is none", async () => {
	const { server, client } = await opened();
	const other = clientOf(server);
	await other.open();
	const events = eventsOf(await client.call("wait", { talk: true }, 1));
	await events.next();
	await events.next();
	await other.notify("notifications/cancelled", { requestId: 1 });
	assert.equal((await client.post("ping")).status, 200);
	await client.end();
	assert.equal(await events.next(), undefined, "the end of the session ends its calls");
});

test("batches, where their version has them, run in the session", async () => {
	const { client } = await opened({}, { version: "2025-03-26" });
	const batch = [
		{ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "critical" } },
		{ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "client" } },
		{ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "log" } },
		{ jsonrpc: "2.0", method: "notifications/initialized" },
	];
	const response = await client.request("POST", batch);
	assert.equal(response.headers.get("content-type"), "application/json");
	const replies = await response.json();
	assert.deepEqual(replies.map((/** @type {any} */ reply) => reply.id).sort(), [1, 2, 3]);
	assert.match(replies.find((/** @type {any} */ reply) => reply.id === 2).result.content[0].text, /legacy/);
	client.session = null;
	assert.equal((await client.request("POST", batch)).status, 400);
	const { client: newer } = await opened();
	assert.equal((await newer.request("POST", batch)).status, 400);
});

test("there is a limit on sessions: the one that was used longest ago makes room", async () => {
	const { server, client } = await opened({ sessions: { maxSessions: 2 } });
	const events = eventsOf(await client.listen());
	await events.next();
	for (let i = 0; i < 2; i++) await clientOf(server).open();
	assert.equal((await client.post("ping")).status, 404);
	assert.equal(await events.next(), undefined, "its stream has ended");
});

test("a session that is not used ends", async (context) => {
	context.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
	const { client } = await opened({ sessions: { idleMs: 1000 } });
	context.mock.timers.setTime(1_000_999);
	assert.equal((await client.post("ping")).status, 200);
	context.mock.timers.setTime(1_001_998);
	assert.equal((await client.post("ping")).status, 200, "each use counts");
	context.mock.timers.setTime(1_003_300);
	assert.equal((await client.post("ping")).status, 404);
});

test("what a client says of itself cannot fill the memory", async () => {
	const server = serverOf();
	const client = clientOf(server);
	const params = { protocolVersion: LATEST, capabilities: {}, clientInfo: { name: "x".repeat(70_000), version: "1" } };
	const refused = await client.post("initialize", params);
	assert.match((await refused.json()).error.message, /at most 65536 bytes/);
	await client.open();
	const uri = `test://${"x".repeat(70_000)}`;
	assert.equal((await client.ask("resources/subscribe", { uri })).code, -32602);
	assert.deepEqual(await client.ask("resources/subscribe", { uri: "test://x" }), {});
});

test("with a store of its own, any isolate serves a session, and an answer finds the one that asked", async () => {
	/** @type {Set<(event: any) => void>} */
	const listeners = new Set();
	const bus = {
		publish: async (/** @type {any} */ event) => {
			await new Promise(setImmediate);
			for (const listener of listeners) listener(structuredClone(event));
		},
		subscribe: (/** @type {any} */ listener) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
	const store = remote();
	const [one, two] = [serverOf({ bus, sessions: { store } }), serverOf({ bus, sessions: { store } })];
	const [client, elsewhere] = [clientOf(one), clientOf(two)];
	await client.open({ capabilities: { elicitation: {} } });
	elsewhere.session = client.session;
	assert.equal((await elsewhere.ask("tools/list")).tools.length, 5);
	const events = eventsOf(await client.call("ask"));
	await events.next();
	const asked = await events.next();
	await elsewhere.answer(asked?.data.id, { action: "decline" });
	assert.match((await events.next())?.data.result.content[0].text, /decline/);

	await elsewhere.ask("resources/subscribe", { uri: "test://a" });
	const listening = eventsOf(await client.listen());
	await listening.next();
	await two.notify({ type: "resource_updated", uri: "test://b" });
	await two.notify({ type: "resource_updated", uri: "test://a" });
	assert.equal((await listening.next())?.data.params.uri, "test://a");
	assert.equal((await elsewhere.end()).status, 204);
	assert.equal(await listening.next(), undefined, "ended from the other isolate");
	assert.equal((await client.post("ping")).status, 404);
	assert.equal(store.kept.size, 0);
	assert.equal(listeners.size, 0);
});

test("a wrong limit is refused by name", async () => {
	for (const [sessions, said] of [
		[{ idleMs: 0 }, /sessions\.idleMs/],
		[{ maxSessions: 1.5 }, /sessions\.maxSessions/],
		[{ maxEvents: "many" }, /sessions\.maxEvents/],
		[5, /sessions/],
	]) {
		await assert.rejects(serverOf({ sessions }).ready, { code: "INVALID_DEFINITION", message: said });
	}
	await assert.rejects(serverOf({ legacy: "sometimes" }).ready, { code: "INVALID_DEFINITION" });
});
