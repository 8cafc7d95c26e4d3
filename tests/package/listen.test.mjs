// subscriptions/listen over fetch and over messages, and the bus behind it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";

const META = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};
const ID = "io.modelcontextprotocol/subscriptionId";

/** @param {any} [more] */
const serverOf = (more) =>
	new Server({
		name: "listening",
		version: "1",
		capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { subscribe: true } },
		tools: [],
		prompts: [],
		resources: [],
		...more,
	});

/** @param {any} id @param {any} notifications */
const listen = (id, notifications) => ({
	jsonrpc: "2.0",
	id,
	method: "subscriptions/listen",
	params: { notifications, _meta: META },
});

/** @param {any} message */
const request = (message) =>
	new Request("http://localhost/mcp", {
		method: "POST",
		body: JSON.stringify(message),
		headers: {
			"content-type": "application/json",
			accept: "application/json, text/event-stream",
			"mcp-protocol-version": "2026-07-28",
			"mcp-method": message.method,
		},
	});

/** Reads events one by one. @param {Response} response */
function eventsOf(response) {
	const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
	const decoder = new TextDecoder();
	let text = "";
	return {
		async next() {
			for (;;) {
				const end = text.indexOf("\n\n");
				if (end >= 0) {
					const event = text.slice(0, end);
					text = text.slice(end + 2);
					return JSON.parse(event.slice(event.indexOf("data: ") + 6));
				}
				const { done, value } = await reader.read();
				if (done) return undefined;
				text += decoder.decode(value, { stream: true });
			}
		},
		cancel: () => reader.cancel(),
	};
}

test("a stream begins with the acknowledgement, tells of what was asked for, and ends with a result", async () => {
	const server = serverOf();
	const response = await server.fetch(
		request(listen("北", { toolsListChanged: true, resourceSubscriptions: ["test://北京"] })),
	);
	assert.equal(response.headers.get("content-type"), "text/event-stream");
	const events = eventsOf(response);
	const first = await events.next();
	assert.equal(first.method, "notifications/subscriptions/acknowledged");
	server.notify({ type: "prompts_list_changed" });
	server.notify({ type: "resource_updated", uri: "test://other" });
	server.notify({ type: "resource_updated", uri: "test://北京" });
	server.notify({ type: "tools_list_changed" });
	const updated = await events.next();
	assert.deepEqual([updated.method, updated.params.uri], ["notifications/resources/updated", "test://北京"]);
	const changed = await events.next();
	assert.equal(changed.method, "notifications/tools/list_changed");
	for (const event of [first, updated, changed]) assert.equal(event.params._meta[ID], "北");
	server.close();
	const last = await events.next();
	assert.deepEqual([last.id, last.result.resultType, last.result._meta[ID]], ["北", "complete", "北"]);
	assert.equal(await events.next(), undefined);
});

test("many streams, and one that leaves disturbs no other", async () => {
	const server = serverOf();
	const streams = await Promise.all(
		[1, 2, 3].map(async (id) => eventsOf(await server.fetch(request(listen(id, { toolsListChanged: true }))))),
	);
	for (const stream of streams) await stream.next();
	await streams[0].cancel();
	server.notify({ type: "tools_list_changed" });
	for (const [index, stream] of streams.slice(1).entries()) {
		assert.equal((await stream.next()).params._meta[ID], index + 2);
	}
	server.close();
});

test("there is a limit on subscriptions, and an ended one makes room", async () => {
	const server = serverOf({ maxSubscriptions: 1 });
	const first = eventsOf(await server.fetch(request(listen(1, { toolsListChanged: true }))));
	await first.next();
	const refused = await (await server.fetch(request(listen(2, { toolsListChanged: true })))).json();
	assert.equal(refused.error.code, -32603);
	await first.cancel();
	const next = eventsOf(await server.fetch(request(listen(3, { toolsListChanged: true }))));
	assert.equal((await next.next()).params._meta[ID], 3);
	server.close();
});

test("over messages a subscription lasts until its signal is aborted; without a stream it is refused", async () => {
	const server = serverOf();
	const controller = new AbortController();
	/** @type {any[]} */
	const sent = [];
	const options = { signal: controller.signal, send: (/** @type {any} */ message) => sent.push(message.method) };
	const ended = server.handleMessage(listen(1, { toolsListChanged: true }), options);
	await server.ready;
	await new Promise(setImmediate);
	server.notify({ type: "tools_list_changed" });
	controller.abort();
	assert.equal(await ended, null);
	server.notify({ type: "tools_list_changed" });
	assert.deepEqual(sent, ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"]);
	const refused = /** @type {any} */ (await server.handleMessage(listen(2, {})));
	assert.match(refused.error.message, /needs a stream/);
});

test("servers that share a bus share changes", async () => {
	/** @type {Set<(event: any) => void>} */
	const listeners = new Set();
	const bus = {
		publish: (/** @type {any} */ event) => {
			for (const listener of listeners) listener(event);
		},
		subscribe: (/** @type {any} */ listener) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
	const [one, other] = [serverOf({ bus }), serverOf({ bus })];
	const events = eventsOf(await one.fetch(request(listen(1, { toolsListChanged: true }))));
	await events.next();
	other.notify({ type: "tools_list_changed" });
	assert.equal((await events.next()).method, "notifications/tools/list_changed");
	one.close();
	assert.equal(listeners.size, 0);
});
