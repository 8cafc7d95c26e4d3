// The client's subscriptions: to our own server over fetch, and to a legacy one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Server } from "mcp-duet";

/** What comes, in order, to be awaited one by one. */
function queue() {
	/** @type {any[]} */
	const items = [];
	/** @type {(() => void) | undefined} */
	let ring;
	return {
		/** @param {any} item */
		push: (item) => {
			items.push(item);
			ring?.();
		},
		async next() {
			while (items.length === 0) await new Promise((resolve) => (ring = () => resolve(undefined)));
			return items.shift();
		},
		items,
	};
}

const serverOf = () =>
	new Server({
		name: "listening",
		version: "1",
		capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { subscribe: true } },
		...{ tools: [], prompts: [], resources: [] },
	});

/**
 * Fetches from a server in this process; counts the streams that are open.
 * @param {Server} server
 */
function fetchFrom(server) {
	const open = { count: 0, cut: () => {} };
	/** @param {string} url @param {any} init */
	const fetch = async (url, init) => {
		const response = await server.fetch(new Request(url, init));
		if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
		open.count++;
		const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
		const body = new ReadableStream({
			start(controller) {
				open.cut = () => controller.error(new TypeError("cut"));
			},
			async pull(controller) {
				const { done, value } = await reader.read();
				if (done) controller.close();
				else controller.enqueue(value);
			},
			cancel() {
				open.count--;
				return reader.cancel();
			},
		});
		return new Response(body, response);
	};
	return { fetch, open };
}

const url = "http://localhost/mcp";

test("a subscription hears what it asked for, until it is closed and lets go of its stream", async () => {
	const server = serverOf();
	const { fetch, open } = fetchFrom(server);
	const client = new Client({ url, fetch });
	const heard = queue();
	const subscription = await client.subscribe(
		{ toolsListChanged: true, resourceSubscriptions: ["test://北京"], resourcesListChanged: true },
		{ onNotification: heard.push },
	);
	assert.deepEqual(subscription.notifications, { toolsListChanged: true, resourceSubscriptions: ["test://北京"] });
	server.notify({ type: "prompts_list_changed" });
	server.notify({ type: "resource_updated", uri: "test://other" });
	server.notify({ type: "resource_updated", uri: "test://北京" });
	const { method, params } = await heard.next();
	assert.deepEqual([method, params.uri], ["notifications/resources/updated", "test://北京"]);
	server.notify({ type: "tools_list_changed" });
	assert.equal((await heard.next()).method, "notifications/tools/list_changed");
	assert.equal(open.count, 1);
	subscription.close();
	assert.equal(await subscription.closed, "local");
	assert.equal(open.count, 0);
	await client.close();
});

test("a stream that breaks is asked for again, and the application is told to look anew", async () => {
	const server = serverOf();
	const { fetch, open } = fetchFrom(server);
	const client = new Client({ url, fetch });
	const heard = queue();
	const { closed } = await client.subscribe(
		{ toolsListChanged: true },
		{ onNotification: ({ method }) => heard.push(method), onRefresh: () => heard.push("refresh") },
	);
	open.cut();
	assert.equal(await heard.next(), "refresh");
	server.notify({ type: "tools_list_changed" });
	assert.equal(await heard.next(), "notifications/tools/list_changed");
	await client.close();
	assert.equal(await closed, "local");
});

test("a signal ends a subscription, before and after it has begun", async () => {
	const client = new Client({ url, ...fetchFrom(serverOf()) });
	const early = new AbortController();
	const beginning = client.subscribe({ toolsListChanged: true }, { signal: early.signal });
	early.abort(new Error("changed my mind"));
	await assert.rejects(beginning, /changed my mind/);
	const late = new AbortController();
	const { closed } = await client.subscribe({ toolsListChanged: true }, { signal: late.signal });
	late.abort();
	assert.equal(await closed, "local");
	await assert.rejects(client.subscribe({}, { signal: AbortSignal.abort(new Error("too late")) }), /too late/);
	await client.close();
});

test("handlers of a mistaken application do not harm the others", async () => {
	const server = serverOf();
	const errors = queue();
	const client = new Client({ url, ...fetchFrom(server), onError: errors.push });
	const heard = queue();
	const broken = () => {
		throw new Error("a mistake");
	};
	await client.subscribe({ toolsListChanged: true }, { onNotification: broken });
	await client.subscribe({ toolsListChanged: true }, { onNotification: heard.push });
	server.notify({ type: "tools_list_changed" });
	assert.equal((await heard.next()).method, "notifications/tools/list_changed");
	assert.equal((await errors.next()).message, "a mistake");
	await client.close();
});

test("listChanged handlers are called in the modern era", async () => {
	const server = serverOf();
	const heard = queue();
	const listChanged = { tools: () => heard.push("tools"), resources: () => heard.push("resources") };
	const { fetch, open } = fetchFrom(server);
	const client = new Client({ url, fetch, listChanged });
	await client.connect();
	await client.listTools();
	while (open.count === 0) await new Promise(setImmediate);
	server.notify({ type: "prompts_list_changed" });
	server.notify({ type: "tools_list_changed" });
	assert.equal(await heard.next(), "tools");
	assert.equal(heard.items.length, 0);
	await client.close();
	assert.equal(open.count, 0);
});

/** A legacy server with a stream to tell of things on. */
function legacyServer() {
	const asked = queue();
	/** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
	let stream;
	const tell = (/** @type {any} */ message) =>
		stream?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`));
	/** @param {string} _url @param {any} init */
	const fetch = async (_url, { method, body }) => {
		if (method === "GET") {
			asked.push("GET");
			const events = new ReadableStream({
				start: (controller) => {
					stream = controller;
				},
			});
			return new Response(events, { headers: { "content-type": "text/event-stream" } });
		}
		const message = JSON.parse(body);
		asked.push(message.method);
		if (message.id === undefined) return new Response(null, { status: 202 });
		const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
		const serverInfo = { name: "old", version: "1" };
		const isHandshake = message.method === "initialize";
		const result = isHandshake ? { protocolVersion: "2025-06-18", capabilities, serverInfo } : {};
		return Response.json({ jsonrpc: "2.0", id: message.id, result });
	};
	return { fetch, asked, tell };
}

test("the same calls work with a legacy server", async () => {
	const { fetch, asked, tell } = legacyServer();
	const heard = queue();
	const client = new Client({
		...{ url, fetch, versionNegotiation: "legacy" },
		listChanged: { tools: () => heard.push("tools"), prompts: () => heard.push("prompts") },
	});
	const subscription = await client.subscribe(
		{ resourceSubscriptions: ["file:///a"], promptsListChanged: true },
		{ onNotification: ({ params }) => heard.push(params) },
	);
	assert.deepEqual(subscription.notifications, { resourceSubscriptions: ["file:///a"] });
	const steps = ["initialize", "notifications/initialized", "GET", "resources/subscribe"];
	for (const step of steps) assert.equal(await asked.next(), step);
	tell({ method: "notifications/tools/list_changed" });
	tell({ method: "notifications/resources/updated", params: { uri: "file:///a" } });
	assert.equal(await heard.next(), "tools");
	assert.deepEqual(await heard.next(), { uri: "file:///a" });
	subscription.close();
	assert.equal(await asked.next(), "resources/unsubscribe");
	await client.close();
});
