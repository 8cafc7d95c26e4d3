// Buses between isolates: threads over a BroadcastChannel, workers over a Durable Object.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Server } from "mcp-duet";
import { broadcastBus } from "mcp-duet/bus";
import { Miniflare } from "miniflare";
import { workerModules } from "../../scripts/workerd.mjs";
import { installed } from "./harness.mjs";
import { eventsOf, Legacy } from "./sessions-harness.mjs";

const META = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};
const MODERN = { "mcp-protocol-version": "2026-07-28" };

/** @param {Legacy} client @param {any} notifications */
async function listen(client, notifications) {
	const headers = { ...MODERN, "mcp-method": "subscriptions/listen" };
	const events = eventsOf(await client.post("subscriptions/listen", { notifications, _meta: META }, headers));
	const first = await events.next();
	assert.equal(first?.data.method, "notifications/subscriptions/acknowledged");
	return events;
}

test("over a BroadcastChannel, what one thread changes the clients of another hear of", async () => {
	const name = `test ${process.pid}`;
	const bus = broadcastBus(name);
	const server = new Server({
		name: "near",
		version: "1",
		bus,
		tools: [],
		capabilities: { tools: { listChanged: true } },
	});
	const client = new Legacy((request) => server.fetch(request));
	const events = await listen(client, { toolsListChanged: true });
	const far = new Worker(new URL("workers/thread.mjs", import.meta.url), { workerData: name });
	try {
		assert.deepEqual(await once(far, "message"), ["told"]);
		assert.equal((await events.next())?.data.method, "notifications/tools/list_changed");
		server.notify({ type: "tools_list_changed" });
		assert.deepEqual(await once(far, "message"), ["heard"]);
		assert.equal((await events.next())?.data.method, "notifications/tools/list_changed", "the own ones come once");
		bus.close();
		assert.equal((await events.next())?.data.result.resultType, "complete");
		assert.equal(await events.next(), undefined);
	} finally {
		await far.terminate();
	}
});

const modules = (
	await workerModules(fileURLToPath(new URL("workers/hub.mjs", import.meta.url)), {
		"mcp-duet": installed(),
	})
).map(({ name, kind, source }) => ({
	type: /** @type {"CompiledWasm" | "ESModule"} */ (kind === "wasm" ? "CompiledWasm" : "ESModule"),
	path: name,
	contents: source,
}));

/** @param {string} name */
const isolate = (name) => ({
	name,
	modules,
	compatibilityDate: "2026-06-01",
	durableObjects: {
		HUB: { className: "ChangeHub", scriptName: "one" },
		TEXTS: { className: "Texts", scriptName: "one" },
	},
	unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
});

const miniflare = new Miniflare({ workers: [isolate("one"), isolate("two")] });
after(() => miniflare.dispose());

/** A client of one of the isolates. @param {string} name */
async function at(name) {
	const url = await miniflare.unsafeGetDirectURL(name);
	return new Legacy(async (request) => {
		const body = request.method === "POST" ? await request.text() : undefined;
		return fetch(url, { method: request.method, headers: request.headers, body });
	});
}

/** @param {Legacy} client @param {any} [args] */
async function touch(client, args = {}) {
	const headers = { ...MODERN, "mcp-method": "tools/call", "mcp-name": "touch" };
	const { result } = await (
		await client.post("tools/call", { name: "touch", arguments: args, _meta: META }, headers)
	).json();
	assert.equal(result.content[0].text, "touched");
}

test("over a Durable Object, what one isolate changes the clients of another hear of", async () => {
	const [one, two] = [await at("one"), await at("two")];
	const streams = [await listen(one, { toolsListChanged: true }), await listen(two, { toolsListChanged: true })];
	for (const toucher of [two, one]) {
		await touch(toucher, { uri: "test://nobody" });
		await touch(toucher);
		for (const events of streams) assert.equal((await events.next())?.data.method, "notifications/tools/list_changed");
	}
	await streams[0].cancel();
	await touch(one);
	assert.equal((await streams[1].next())?.data.method, "notifications/tools/list_changed");
	await streams[1].cancel();
});

test("a session spans isolates: its asks are answered, its stream told and its end known from another one", async () => {
	const [one, two] = [await at("one"), await at("two")];
	await one.open({ capabilities: { elicitation: {} } });
	two.session = one.session;
	two.version = one.version;
	const asking = eventsOf(await one.call("ask"));
	await asking.next();
	const asked = await asking.next();
	assert.equal((await two.answer(asked?.data.id, { action: "accept", content: { name: "北" } })).status, 202);
	assert.equal((await asking.next())?.data.result.content[0].text, "Hello, 北");
	await two.ask("resources/subscribe", { uri: "test://a" });
	const events = eventsOf(await one.listen());
	await events.next();
	await touch(two, { uri: "test://b" });
	await touch(two, { uri: "test://a" });
	assert.equal((await events.next())?.data.params.uri, "test://a");
	assert.equal((await two.end()).status, 204);
	assert.equal(await events.next(), undefined);
	assert.equal((await one.post("ping")).status, 404);
});
