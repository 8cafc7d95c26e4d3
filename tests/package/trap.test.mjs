// A trap of the core, provoked by using up its memory from outside: it is noticed, what is
// pending ends, and the next call gets a fresh instance.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

/** @type {WebAssembly.Instance[]} every instance that was made, the newest last */
const instances = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
	/** @param {WebAssembly.Module} module @param {WebAssembly.Imports} [imports] */
	constructor(module, imports) {
		super(module, imports);
		instances.push(this);
	}
};

const { Client, McpError, Server } = await import("mcp-duet");

/** @type {unknown[]} */
const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
afterEach(() => assert.deepEqual(unhandled, []));

/** Takes all the memory that the newest instance may have, so that a large allocation in it fails. */
function exhaust() {
	const memory = /** @type {WebAssembly.Memory} */ (instances.at(-1)?.exports.memory);
	for (let pages = 16_384; pages >= 1; pages >>= 1) {
		for (;;) {
			try {
				memory.grow(pages);
			} catch {
				break;
			}
		}
	}
}

/** @param {unknown} error */
function assertCrash(error) {
	assert.ok(error instanceof McpError, String(error));
	assert.equal(error.code, "CORE_CRASHED");
	assert.ok(error.cause instanceof WebAssembly.RuntimeError, String(error.cause));
}

/** @param {string} name @param {any} [args] @param {number} [id] */
const call = (name, args = {}, id = 1) => ({
	jsonrpc: "2.0",
	id,
	method: "tools/call",
	params: { name, arguments: args },
});

/** A server whose tool "slow" answers when it is told to. */
function slowServer() {
	/** @type {((text: string) => void)[]} */
	const waiting = [];
	/** @type {any} */
	const server = new Server({
		name: "slow",
		version: "1",
		maxBodyBytes: 64 * 1024 * 1024,
		tools: [
			{
				name: "slow",
				inputSchema: { type: "object" },
				handler: () => new Promise((resolve) => waiting.push(resolve)),
			},
			{ name: "quick", inputSchema: { type: "object" }, handler: () => "quick" },
		],
	});
	return { server, waiting };
}

const HUGE = JSON.stringify(call("quick", { text: "x".repeat(32 * 1024 * 1024) }));

test("a server's trap is noticed, its pending calls end, and its next call works", async () => {
	const { server, waiting } = slowServer();
	/** @type {Promise<any>[]} */
	const pending = [1, 2, 3].map((id) =>
		server.handleMessage(call("slow", {}, id)).catch((/** @type {unknown} */ e) => e),
	);
	while (waiting.length < 3) await new Promise(setImmediate);
	const before = instances.length;

	exhaust();
	assertCrash(await server.handleMessage(HUGE).catch((/** @type {unknown} */ error) => error));

	const [next, other] = await Promise.all([
		server.handleMessage(call("quick")),
		/** @type {Promise<any>} */ (
			new Server({ name: "other", version: "1" }).handleMessage({ jsonrpc: "2.0", id: 1, method: "ping" })
		),
	]);
	assert.deepEqual(next.result.content, [{ type: "text", text: "quick" }]);
	assert.deepEqual(other.result, {});
	assert.equal(instances.length, before + 1, "one fresh instance serves all");

	for (const outcome of await Promise.all(pending)) assertCrash(outcome);
	// The handlers run in JavaScript and still end; it changes nothing.
	for (const resolve of waiting) resolve("late");
	await new Promise(setImmediate);
	assert.deepEqual((await server.handleMessage(call("quick"))).result.content, [{ type: "text", text: "quick" }]);
});

test("a trap ends what is pending over HTTP, as JSON and as an event stream, with the request's id", async () => {
	/** @type {(() => void)[]} */
	const begun = [];
	/** @type {any} */
	const server = new Server({
		name: "slow",
		version: "1",
		maxBodyBytes: 64 * 1024 * 1024,
		allowedOrigins: ["https://app.example.com"],
		tools: [
			{
				name: "slow",
				inputSchema: { type: "object" },
				handler: (/** @type {unknown} */ _args, /** @type {any} */ ctx) => {
					ctx.sendProgress(1, 2);
					for (const tell of begun.splice(0, 1)) tell();
					return new Promise(() => {});
				},
			},
		],
	});
	/** @param {unknown} meta @param {string} id */
	const post = (meta, id) =>
		server.fetch(
			new Request("http://localhost/mcp", {
				method: "POST",
				headers: {
					"content-type": "application/json",
					accept: "application/json, text/event-stream",
					origin: "https://app.example.com",
				},
				body: JSON.stringify({
					jsonrpc: "2.0",
					id,
					method: "tools/call",
					params: { name: "slow", arguments: {}, _meta: meta },
				}),
			}),
		);
	const running = new Promise((resolve) => begun.push(() => resolve(undefined)));
	const quiet = post({}, "quiet");
	await running;
	const streaming = await post({ progressToken: "t" }, "streaming");
	assert.match(streaming.headers.get("content-type"), /^text\/event-stream/);

	exhaust();
	assertCrash(await server.handleMessage(HUGE).catch((/** @type {unknown} */ error) => error));

	const refused = await quiet;
	assert.equal(refused.status, 500);
	assert.equal(refused.headers.get("access-control-allow-origin"), "https://app.example.com");
	const body = await refused.json();
	assert.equal(body.id, "quiet");
	assert.match(body.error.message, /the wasm core trapped/);
	const events = (await streaming.text()).split("\n\n").filter((/** @type {string} */ event) => event !== "");
	const last = JSON.parse(events.at(-1).replace("event: message\ndata: ", ""));
	assert.equal(events.length, 2);
	assert.equal(last.id, "streaming");
	assert.match(last.error.message, /the wasm core trapped/);
});

test("a trap rejects the requests of every client in the instance, and each can go on", async () => {
	const { server } = slowServer();
	/** @type {(() => void)[]} */
	const held = [];
	let holding = true;
	/** @type {any[]} */
	const ends = [];
	const clients = [1, 2].map(
		() =>
			new Client({
				onClose: ({ by, error }) => ends.push([by, error?.code]),
				transport: async (/** @type {any} */ message, /** @type {any} */ options) => {
					if (holding && message.method === "tools/call")
						await new Promise((resolve) => held.push(() => resolve(undefined)));
					return server.handleMessage(message, { send: options.onMessage, signal: options.signal });
				},
			}),
	);
	await Promise.all(clients.map((client) => client.connect()));
	const pending = clients.map((client) => client.callTool("quick").catch((/** @type {unknown} */ error) => error));
	while (held.length < 2) await new Promise(setImmediate);

	exhaust();
	assertCrash(await server.handleMessage(HUGE).catch((/** @type {unknown} */ error) => error));
	for (const outcome of await Promise.all(pending)) assertCrash(outcome);
	assert.deepEqual(ends, [
		["local", "CORE_CRASHED"],
		["local", "CORE_CRASHED"],
	]);

	holding = false;
	for (const client of clients) {
		const { content } = await client.callTool("quick");
		assert.deepEqual(content, [{ type: "text", text: "quick" }]);
	}
	// What the dead instance was waiting for comes late and changes nothing.
	for (const release of held) release();
	await new Promise(setImmediate);
	assert.equal((await clients[0].listTools()).tools.length, 2);
	await Promise.all(clients.map((client) => client.close()));
});

test("clients and servers of a dead instance can be closed and collected", async () => {
	const { server } = slowServer();
	await server.ready;
	const client = new Client({
		transport: (/** @type {any} */ message) => server.handleMessage(message),
	});
	await client.connect();
	exhaust();
	assertCrash(await server.handleMessage(HUGE).catch((/** @type {unknown} */ error) => error));
	await client.close();
});

test("depth, which could use up the stack, is an error and no trap", async () => {
	const { server } = slowServer();
	await server.ready;
	const before = instances.length;
	const unclosed = "[".repeat(100_000);
	for (const deep of [unclosed, unclosed + "]".repeat(100_000), `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`]) {
		for (const member of ["arguments", "_meta", "cursor"]) {
			const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quick","${member}":${deep}}}`;
			const { result, error } = JSON.parse(await server.handleMessage(text));
			assert.ok(result !== undefined || error !== undefined, member);
		}
	}
	assert.deepEqual((await server.handleMessage(call("quick"))).result.content, [{ type: "text", text: "quick" }]);
	assert.equal(instances.length, before);
});
