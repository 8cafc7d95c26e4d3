// The streams of legacy sessions: what belongs to no request, and what a client that was cut off comes back for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";
import { eventsOf, Legacy } from "./sessions-harness.mjs";

/** @type {any} */
const object = { type: "object" };

/** What tests let handlers wait for, by name. @type {Map<string, Promise<unknown>>} */
const gates = new Map();

/** @param {string} name @returns {() => void} opens it */
function gate(name) {
	let open = () => {};
	gates.set(name, new Promise((resolve) => (open = () => resolve(undefined))));
	return open;
}

/** @param {any} [more] */
const serverOf = (more) =>
	new Server({
		name: "streams",
		version: "1",
		legacy: "sessions",
		capabilities: {
			logging: {},
			tools: { listChanged: true },
			prompts: { listChanged: true },
			resources: { subscribe: true },
		},
		resources: [],
		prompts: [],
		tools: [
			{
				name: "count",
				inputSchema: object,
				handler: async (/** @type {any} */ { to, name, leave }, /** @type {any} */ ctx) => {
					for (let at = 1; at <= to; at++) {
						await gates.get(`${name}-${at}`);
						ctx.log("info", `${name}-${at}`);
						if (at === leave) ctx.closeStream();
					}
					await gates.get(`${name}-end`);
					return `${name} ended`;
				},
			},
			{
				name: "leave",
				inputSchema: object,
				handler: async (/** @type {any} */ { name }, /** @type {any} */ ctx) => {
					ctx.closeStream();
					await gates.get(name);
					return "came back";
				},
			},
		],
		...more,
	});

/** @param {Server} server */
const clientOf = (server) => new Legacy((request, options) => server.fetch(request, options));

/** @param {any} [more] @param {any} [params] */
async function opened(more, params) {
	const server = serverOf(more);
	const client = clientOf(server);
	await client.open(params);
	return { server, client };
}

/** @param {Response} response */
async function listening(response) {
	const events = eventsOf(response);
	const first = await events.next();
	assert.equal(first?.data, "");
	return { ...events, first: /** @type {string} */ (first?.id) };
}

/** @param {any} event */
const said = (event) => event?.data.params?.data ?? event?.data.result?.content[0].text;

test("a GET stream tells of changes that the server declares, and of resources that the session watches", async () => {
	const { server, client } = await opened();
	const events = await listening(await client.listen());
	server.notify({ type: "resources_list_changed" });
	server.notify({ type: "tools_list_changed" });
	assert.equal((await events.next())?.data.method, "notifications/tools/list_changed");
	server.notify({ type: "resource_updated", uri: "test://a" });
	await client.ask("resources/subscribe", { uri: "test://a" });
	await client.ask("resources/subscribe", { uri: "test://北" });
	await client.ask("resources/unsubscribe", { uri: "test://a" });
	server.notify({ type: "resource_updated", uri: "test://a" });
	server.notify({ type: "resource_updated", uri: "test://北" });
	assert.deepEqual((await events.next())?.data.params, { uri: "test://北" });
	server.notify({ type: "prompts_list_changed" });
	assert.equal((await events.next())?.data.method, "notifications/prompts/list_changed");
	server.close();
	assert.equal(await events.next(), undefined);
});

test("log messages without a request go to the GET stream, as far as the session's level lets them", async () => {
	const { server, client } = await opened();
	const other = clientOf(server);
	await other.open();
	await client.ask("logging/setLevel", { level: "error" });
	const [events, others] = [await listening(await client.listen()), await listening(await other.listen())];
	server.log("info", { 城: "北京" }, "weather");
	server.log("critical", "bad");
	assert.deepEqual((await events.next())?.data.params, { level: "critical", data: "bad" });
	assert.deepEqual((await others.next())?.data.params, { level: "info", logger: "weather", data: { 城: "北京" } });
	assert.equal(said(await others.next()), "bad");
	server.close();
});

test("of several GET streams one gets each message, and another takes over when it is gone", async () => {
	const { server, client } = await opened();
	const one = await listening(await client.listen());
	const two = await listening(await client.listen());
	server.log("info", 1);
	assert.equal(said(await two.next()), 1);
	await two.cancel();
	server.log("info", 2);
	assert.equal(said(await one.next()), 2, "and 1 did not come twice");
	server.close();
});

test("a session has a limit of GET streams: the oldest makes room", async () => {
	const { server, client } = await opened();
	const streams = [];
	for (let at = 0; at < 9; at++) streams.push(await listening(await client.listen()));
	assert.equal(await streams[0].next(), undefined);
	server.log("info", "told");
	assert.equal(said(await streams[8].next()), "told");
	server.close();
	for (const stream of streams) assert.equal(await stream.next(), undefined);
});

test("what clients have left open is let go with their session's time, whatever the store", async (context) => {
	context.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
	/** @type {Map<string, string>} */
	const kept = new Map();
	const store = {
		get: (/** @type {string} */ id) => kept.get(id),
		set: (/** @type {string} */ id, /** @type {string} */ session) => kept.set(id, session),
		delete: (/** @type {string} */ id) => kept.delete(id),
	};
	let listeners = 0;
	const bus = {
		publish: () => {},
		subscribe: () => {
			listeners++;
			return () => listeners--;
		},
	};
	const { server, client } = await opened({ bus, sessions: { store, idleMs: 1000 } });
	await (await listening(await client.listen())).cancel();
	const stays = clientOf(server);
	await stays.open();
	const stream = await listening(await stays.listen());
	assert.equal(listeners, 2);
	context.mock.timers.setTime(1_002_000);
	const later = clientOf(server);
	await later.open();
	await listening(await later.listen());
	assert.equal(listeners, 2, "the one that nobody reads has gone");
	await stream.cancel();
	server.close();
	assert.equal(listeners, 0);
});

test("a client that was cut off gets what came later on that stream, and nothing of another", async () => {
	const { server, client } = await opened();
	const end = gate("a-end");
	const second = gate("a-2");
	const first = eventsOf(await client.call("count", { name: "a", to: 2 }, "a"));
	await first.next();
	const { id = "" } = (await first.next()) ?? {};
	await first.cancel();
	const own = await listening(await client.listen());
	server.log("info", "no call's");
	assert.equal(said(await own.next()), "no call's");
	const other = eventsOf(await client.call("count", { name: "b", to: 1 }, "b"));
	await other.next();
	assert.equal(said(await other.next()), "b-1");
	second();
	await new Promise(setImmediate);
	const again = eventsOf(await client.listen(id));
	assert.equal(said(await again.next()), "a-2");
	end();
	const last = await again.next();
	assert.deepEqual([last?.data.id, said(last)], ["a", "a ended"]);
	assert.equal(await again.next(), undefined, "the answer ends the stream");
	// The same place once more: the same events.
	const repeated = eventsOf(await client.listen(id));
	assert.deepEqual([said(await repeated.next()), said(await repeated.next())], ["a-2", "a ended"]);
	assert.equal(await repeated.next(), undefined);
	server.close();
});

test("a GET stream that was cut off goes on where it was", async () => {
	const { server, client } = await opened();
	const events = await listening(await client.listen());
	server.log("info", 1);
	const { id = "" } = (await events.next()) ?? {};
	await events.cancel();
	server.log("info", 2);
	server.log("info", 3);
	const again = eventsOf(await client.listen(id));
	assert.deepEqual([said(await again.next()), said(await again.next())], [2, 3]);
	server.log("info", 4);
	assert.equal(said(await again.next()), 4);
	const early = eventsOf(await client.listen(events.first));
	assert.deepEqual([said(await early.next()), said(await early.next())], [1, 2]);
	assert.equal(await again.next(), undefined, "a stream has one connection");
	server.close();
});

test("a handler sends its client away, which comes back for the answer", async () => {
	const { client } = await opened();
	const open = gate("x");
	const events = eventsOf(await client.call("leave", { name: "x" }, 9));
	const first = await events.next();
	assert.deepEqual([first?.data, first?.retry], ["", "1000"]);
	assert.equal(await events.next(), undefined);
	const again = eventsOf(await client.listen(first?.id));
	open();
	assert.equal(said(await again.next()), "came back");
	assert.equal(await again.next(), undefined);

	const later = eventsOf(await client.call("count", { name: "y", to: 2, leave: 1 }, 10));
	await later.next();
	const { id = "" } = (await later.next()) ?? {};
	assert.equal(await later.next(), undefined);
	const rest = eventsOf(await client.listen(id));
	assert.deepEqual([said(await rest.next()), said(await rest.next())], ["y-2", "y ended"]);
});

test("older clients get no event without data, are sent away by nobody, and can come back all the same", async () => {
	const { client } = await opened({}, { version: "2025-06-18" });
	const end = gate("old-end");
	const events = eventsOf(await client.call("count", { name: "old", to: 1, leave: 1 }));
	const first = await events.next();
	assert.equal(said(first), "old-1");
	assert.equal(first?.retry, undefined);
	await events.cancel();
	end();
	const again = eventsOf(await client.listen(first?.id));
	assert.equal(said(await again.next()), "old ended");
	const alone = await client.call("leave", { name: "none" });
	assert.equal(alone.headers.get("content-type"), "application/json");
});

test("Last-Event-ID that leads nowhere is 400; another session's is one of those", async () => {
	const { server, client } = await opened();
	const stranger = clientOf(server);
	await stranger.open();
	const events = await listening(await client.listen());
	for (const [who, id] of /** @type {[Legacy, string][]} */ ([
		[client, "nonsense"],
		[client, "abc-1"],
		[client, `${events.first.split("-")[0]}-7`],
		[stranger, events.first],
	])) {
		const response = await who.listen(id);
		assert.equal(response.status, 400, id);
		assert.match((await response.json()).error.message, /Last-Event-ID/);
	}
	server.log("info", "still here");
	assert.equal(said(await events.next()), undefined, "the stream was not given to the stranger");
	server.close();
});

test("events are kept up to a limit, the latest of them", async () => {
	const { server, client } = await opened({ sessions: { maxEvents: 3 } });
	const events = await listening(await client.listen());
	const ids = [events.first];
	for (let at = 1; at <= 4; at++) {
		server.log("info", at);
		ids.push((await events.next())?.id ?? "");
	}
	await events.cancel();
	assert.equal((await client.listen(ids[1])).status, 400);
	const again = eventsOf(await client.listen(ids[2]));
	assert.deepEqual([said(await again.next()), said(await again.next())], [3, 4]);
	server.close();

	const small = await opened({ sessions: { maxEventChars: 200 } });
	const stream = await listening(await small.client.listen());
	for (let at = 1; at <= 3; at++) small.server.log("info", "x".repeat(80));
	const { id = "" } = (await stream.next()) ?? {};
	assert.equal((await small.client.listen(id)).status, 400);
	small.server.close();
});

test("what is sent while a slow store is read comes once and in order", async () => {
	/** @type {Map<string, any[]>} */
	const kept = new Map();
	let read = gate("store");
	const events = {
		append: async (/** @type {string} */ session, /** @type {string} */ stream, /** @type {any} */ event) => {
			const key = `${session} ${stream}`;
			kept.set(key, [...(kept.get(key) ?? []), event]);
		},
		after: async (/** @type {string} */ session, /** @type {string} */ stream, /** @type {number} */ number) => {
			const found = kept.get(`${session} ${stream}`)?.filter((event) => event.number > number);
			await gates.get("store");
			return found;
		},
		forget: async () => kept.clear(),
	};
	const { server, client } = await opened({ sessions: { events } });
	const stream = await listening(await client.listen());
	server.log("info", 1);
	await stream.next();
	await stream.cancel();
	server.log("info", 2);
	const coming = client.listen(stream.first);
	await new Promise(setImmediate);
	server.log("info", 3);
	read();
	const again = eventsOf(await coming);
	assert.deepEqual([said(await again.next()), said(await again.next()), said(await again.next())], [1, 2, 3]);
	read = gate("store");
	read();
	await client.end();
	assert.equal(kept.size, 0);
});

test("a stream of a call in another isolate is replayed, and the client sent to come back", async () => {
	/** @type {Map<string, string>} */
	const sessions = new Map();
	const store = {
		get: (/** @type {string} */ id) => sessions.get(id),
		set: (/** @type {string} */ id, /** @type {string} */ session) => sessions.set(id, session),
		delete: (/** @type {string} */ id) => sessions.delete(id),
	};
	/** @type {any[]} */
	const kept = [];
	const events = {
		append: (/** @type {string} */ _session, /** @type {string} */ _stream, /** @type {any} */ event) =>
			kept.push(event),
		after: (/** @type {string} */ _session, /** @type {string} */ _stream, /** @type {number} */ number) =>
			kept.filter((event) => event.number > number),
		forget: () => {},
	};
	const { client } = await opened({ sessions: { store, events, retryMs: 20 } });
	const elsewhere = clientOf(serverOf({ sessions: { store, events, retryMs: 20 } }));
	elsewhere.session = client.session;
	const end = gate("far-end");
	const stream = eventsOf(await client.call("count", { name: "far", to: 1 }));
	const { id = "" } = (await stream.next()) ?? {};
	await stream.next();
	await stream.cancel();
	const first = eventsOf(await elsewhere.listen(id));
	const event = await first.next();
	assert.equal(said(event), "far-1");
	assert.deepEqual(await first.next(), { retry: "20" });
	assert.equal(await first.next(), undefined);
	end();
	await new Promise(setImmediate);
	const rest = eventsOf(await elsewhere.listen(event?.id));
	assert.equal(said(await rest.next()), "far ended");
	assert.equal(await rest.next(), undefined);
});
