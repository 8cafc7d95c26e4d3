// What those hear who look on: every message in both directions, and the end of a connection.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "mcp-duet/client";
import { inMemoryPair } from "mcp-duet/transport";

const limit = { timeout: 20_000 };
const discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };
const initialized = {
	protocolVersion: "2025-11-25",
	capabilities: {},
	serverInfo: { name: "s", version: "1" },
};

/** @param {any} message @param {any} result @returns {any} */
const answering = (message, result) => ({ jsonrpc: "2.0", id: message.id, result });

/** @param {Record<string, any>} options */
function watched(options) {
	/** @type {any[]} */
	const seen = [];
	/** @type {any[]} */
	const ends = [];
	const client = new Client(
		/** @type {any} */ ({
			...options,
			onMessage: (/** @type {any} */ observed) => seen.push(observed),
			onClose: (/** @type {any} */ end) => ends.push([end.by, end.error?.code]),
		}),
	);
	return { client, seen, ends };
}

/** @param {any[]} seen */
const brief = (seen) =>
	seen.map(({ direction, message }) => `${direction} ${message.method ?? Object.keys(message).at(-1)} ${message.id}`);

/** A server over HTTP that answers with what `answer` gives: messages of a stream, or one as JSON. @param {any} answer */
const httpServer = (answer) => async (/** @type {string} */ _url, /** @type {any} */ init) => {
	const message = JSON.parse(init.body ?? "null");
	const value = answer(message, init);
	if (value instanceof Response) return value;
	if (!Array.isArray(value)) return Response.json(value);
	const text = value.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("");
	return new Response(text, { headers: { "content-type": "text/event-stream" } });
};

test("every message of HTTP is seen, as JSON, in a stream, in an error, small and large", limit, async () => {
	const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } };
	const text = "x".repeat(40_000);
	const { client, seen } = watched({
		url: "http://127.0.0.1/mcp",
		fetch: httpServer((/** @type {any} */ message) => {
			const { name, arguments: args } = message.params;
			if (message.method === "server/discover") return answering(message, discovered);
			if (name === "json") return answering(message, { content: [], args });
			if (name === "stream") return [log, "not json", answering(message, { content: [{ type: "text", text }] })];
			const error = { code: -32602, message: "no such tool" };
			return Response.json({ jsonrpc: "2.0", id: message.id, error }, { status: 404 });
		}),
	});
	await client.callTool("json", { city: "北京" });
	await client.callTool("stream");
	await assert.rejects(client.callTool("none"), { rpcCode: -32602 });
	assert.deepEqual(brief(seen), [
		"out server/discover discover-1",
		"in result discover-1",
		"out tools/call 1",
		"in result 1",
		"out tools/call 2",
		"in notifications/message undefined",
		"in result 2",
		"out tools/call 3",
		"in error 3",
	]);
	assert.deepEqual(seen[2].message.params.arguments, { city: "北京" });
	assert.equal(seen[6].message.result.content[0].text, text);
	await client.close();
});

test("every message of a channel and of a function is seen, those too that nobody waits for", limit, async () => {
	const [near, far] = inMemoryPair();
	far.onmessage = (/** @type {any} */ message) => {
		if (message.method === "initialize") far.send(answering(message, initialized));
		if (message.method !== "tools/list") return;
		far.send({ jsonrpc: "2.0", id: "ours", method: "ping" });
		far.send(answering({ id: 99 }, {}));
		far.send(answering(message, { tools: [] }));
	};
	await far.start();
	const overPair = watched({ transport: near, versionNegotiation: "legacy" });
	await overPair.client.listTools();
	assert.deepEqual(brief(overPair.seen), [
		"out initialize 1",
		"in result 1",
		"out notifications/initialized undefined",
		"out tools/list 2",
		"in ping ours",
		"out result ours",
		"in result 99",
		"in result 2",
	]);
	await overPair.client.close();
	const overFunction = watched({
		transport: async (/** @type {any} */ message, /** @type {any} */ { onMessage }) => {
			onMessage({ jsonrpc: "2.0", method: "notifications/x" });
			return answering(message, message.method === "server/discover" ? discovered : {});
		},
	});
	await overFunction.client.request("x/y");
	assert.deepEqual(brief(overFunction.seen).slice(2), [
		"in result discover-1",
		"out x/y 1",
		"in notifications/x undefined",
		"in result 1",
	]);
});

test("who looks on cannot do harm", limit, async () => {
	/** @type {any[]} */
	const errors = [];
	const client = new Client({
		transport: async (/** @type {any} */ message) =>
			answering(message, message.method === "server/discover" ? discovered : { tools: [{ name: "a" }] }),
		onMessage: ({ message }) => {
			/** @type {any} */ (message).result = { tools: "mine" };
			throw new Error("mistaken");
		},
		onClose: () => {
			throw new Error("mistaken at the end");
		},
		onError: (error) => errors.push(error.message),
	});
	assert.deepEqual((await client.listTools()).tools, [{ name: "a" }]);
	await client.close();
	assert.deepEqual([...new Set(errors)], ["mistaken", "mistaken at the end"]);
});

test("the end of a connection is told: by close(), and nothing where there was none", limit, async () => {
	const transport = async (/** @type {any} */ message) => answering(message, discovered);
	const { client, ends } = watched({ transport });
	await client.connect();
	assert.deepEqual(ends, []);
	await client.close();
	await client.close();
	assert.deepEqual(ends, [["local", undefined]]);
	const unused = watched({ transport });
	await unused.client.close();
	assert.deepEqual(unused.ends, []);
});

test("the end of a connection is told: a channel that is gone", limit, async () => {
	for (const versionNegotiation of ["legacy", "auto"]) {
		const [near, far] = inMemoryPair();
		far.onmessage = (/** @type {any} */ message) => {
			const found = message.method === "initialize" ? initialized : discovered;
			if (message.id !== undefined) far.send(answering(message, found));
		};
		await far.start();
		const { client, ends } = watched({ transport: near, versionNegotiation });
		await client.connect();
		await far.close();
		await new Promise(setImmediate);
		assert.deepEqual(ends, [["remote", "CONNECTION_LOST"]], versionNegotiation);
	}
});

test("the end of a connection is told: a session that the server has forgotten", limit, async () => {
	let sessions = 0;
	const { client, ends } = watched({
		url: "http://127.0.0.1/mcp",
		versionNegotiation: "legacy",
		fetch: httpServer((/** @type {any} */ message, /** @type {any} */ init) => {
			if (message?.id === undefined) return new Response(null, { status: 202 });
			if (message.method === "initialize") {
				return Response.json(answering(message, initialized), { headers: { "mcp-session-id": `s${++sessions}` } });
			}
			if (init.headers["Mcp-Session-Id"] === "s1") return new Response("", { status: 404 });
			return answering(message, { tools: [] });
		}),
	});
	await client.connect();
	await Promise.all([client.listTools(), client.listTools(), client.listTools()]);
	assert.deepEqual(ends, [["remote", "CONNECTION_LOST"]]);
	await client.close();
	assert.deepEqual(ends.at(-1), ["local", undefined]);
	assert.equal(ends.length, 2);
});
