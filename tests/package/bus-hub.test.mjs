// A bus over a Durable Object that cannot be reached, or that goes away.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";
import { durableObjectBus } from "mcp-duet/bus";
import { eventsOf, Legacy } from "./sessions-harness.mjs";

/** A namespace whose one object answers so. @param {(init: any) => any} fetch */
const namespace = (fetch) => ({
	idFromName: (/** @type {string} */ name) => name,
	get: () => ({ fetch: async (/** @type {string} */ _url, /** @type {any} */ init) => fetch(init) }),
});

/** The near end of a hub's WebSocket. */
class Socket extends EventTarget {
	accepted = false;
	closed = false;
	accept() {
		this.accepted = true;
	}
	close() {
		this.closed = true;
	}
	/** @param {unknown} data */
	say(data) {
		this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(data) }));
	}
}

const none = () => {};
const CHANGED = { type: "tools_list_changed" };
const META = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};

/** @param {any} bus */
const serverOf = (bus) =>
	new Server({ name: "hub", version: "1", bus, tools: [], capabilities: { tools: { listChanged: true } } });

/** @param {Server} server */
function listen(server) {
	const client = new Legacy((request) => server.fetch(request));
	const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
	return client.post("subscriptions/listen", { notifications: { toolsListChanged: true }, _meta: META }, headers);
}

test("a hub that cannot be reached is an error to who publishes or listens, and to nobody else", async () => {
	for (const [fetch, published, subscribed] of /** @type {[() => any, RegExp, RegExp][]} */ ([
		[() => Promise.reject(new Error("overloaded")), /overloaded/, /overloaded/],
		[() => new Response("", { status: 500 }), /expected status 204, got 500/, /expected status 101, got 500/],
	])) {
		const bus = durableObjectBus(namespace(fetch));
		await assert.rejects(async () => bus.publish(/** @type {any} */ (CHANGED)), published);
		await assert.rejects(async () => bus.subscribe(none, none), subscribed);
		const server = serverOf(bus);
		assert.equal((await listen(server)).status, 500);
		await assert.rejects(async () => server.notify(/** @type {any} */ (CHANGED)), published);
		server.registerTool("t", { inputSchema: { type: "object" } }, () => "");
		await new Promise((resolve) => setImmediate(resolve));
		const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
		assert.deepEqual(await server.handleMessage(ping), { jsonrpc: "2.0", id: 1, result: {} });
	}
});

test("a hub that goes away ends the streams of its listeners, once, and one that ends itself hears of it no more", async () => {
	for (const ending of ["close", "error"]) {
		const socket = new Socket();
		const server = serverOf(durableObjectBus(namespace(() => ({ webSocket: socket, status: 101 }))));
		const events = eventsOf(await listen(server));
		await events.next();
		assert.equal(socket.accepted, true);
		for (const other of [5, null, { type: 1 }]) socket.say(other);
		socket.say(CHANGED);
		assert.equal((await events.next())?.data.method, "notifications/tools/list_changed");
		for (const name of [ending, "close"]) socket.dispatchEvent(new Event(name));
		assert.equal((await events.next())?.data.result.resultType, "complete");
		assert.equal(await events.next(), undefined);

		let lost = 0;
		const again = new Socket();
		const bus = durableObjectBus(namespace(() => ({ webSocket: again, status: 101 })));
		const heard = /** @type {any[]} */ ([]);
		const end = await bus.subscribe(
			(event) => heard.push(event),
			() => lost++,
		);
		end();
		again.say(CHANGED);
		again.dispatchEvent(new Event(ending));
		assert.deepEqual([again.closed, heard, lost], [true, [], 0]);
	}
});
