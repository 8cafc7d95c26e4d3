// Transports of messages: pairs, ports, and the client and the server at their ends.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { MessageChannel, Worker } from "node:worker_threads";
import { Client, Server } from "mcp-duet";
import { inMemoryPair, portTransport, serveMessages } from "mcp-duet/transport";

/** @param {any} [definition] */
const server = (definition) =>
	new Server({
		name: "s",
		version: "1.0.0",
		tools: [
			{ name: "echo", inputSchema: { type: "object" }, handler: (/** @type {any} */ args) => JSON.stringify(args) },
		],
		...definition,
	});

/** @param {any} result */
const textOf = ({ content }) => content[0].text;

test("a transport must be a function or have a send()", () => {
	for (const transport of [{}, "x", 7, null]) {
		assert.throws(() => new Client(/** @type {any} */ ({ transport })), { code: "INVALID_ARGUMENT" });
	}
});

test("what is sent before the other end starts waits for it", async () => {
	const [one, other] = inMemoryPair();
	await one.start();
	await one.send({ n: 1 });
	await one.send({ n: 2 });
	/** @type {any[]} */
	const seen = [];
	other.onmessage = (message) => seen.push(message);
	await other.start();
	await one.send({ n: 3 });
	await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual(
		seen.map(({ n }) => n),
		[1, 2, 3],
	);
	const closed = [one, other].map((end) => new Promise((resolve) => Object.assign(end, { onclose: () => resolve(1) })));
	await other.close();
	await Promise.all(closed);
	await assert.rejects(one.send({}), /closed/);
	await one.close();
});

test("a port may carry other things than messages", { timeout: 20_000 }, async () => {
	const { port1, port2 } = new MessageChannel();
	const serving = serveMessages(server(), portTransport(port2));
	const client = new Client({ transport: portTransport(port1) });
	await client.connect();
	for (const other of ["hello", 7, null, { type: "ready" }, [1]]) {
		port1.postMessage(other);
		port2.postMessage(other);
	}
	assert.equal(textOf(await client.callTool("echo", { 城: "北京" })), '{"城":"北京"}');
	await client.close();
	await serving.closed;
});

test("a server in a worker, seen from its parent", { timeout: 20_000 }, async () => {
	const program = `
		import { parentPort } from "node:worker_threads";
		import { Server } from "mcp-duet/server";
		import { portTransport, serveMessages } from "mcp-duet/transport";
		const server = new Server({ name: "w", version: "1.0.0", tools: [
			{ name: "echo", inputSchema: { type: "object" }, handler: (args) => JSON.stringify(args) },
			{ name: "die", inputSchema: { type: "object" }, handler: () => process.exit(3) },
		] });
		serveMessages(server, portTransport(parentPort));
	`;
	const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(resolved(program))}`));
	const client = new Client({ transport: portTransport(worker) });
	try {
		assert.equal(textOf(await client.callTool("echo", { a: 1 })), '{"a":1}');
		assert.equal(client.era, "modern");
		await assert.rejects(client.callTool("die"), { code: "CONNECTION_LOST" });
		await assert.rejects(client.callTool("echo"), { code: "CONNECTION_LOST" });
	} finally {
		await client.close();
		await worker.terminate();
	}
});

/** The program with its bare imports resolved: a data URL has no place to look from. @param {string} program */
const resolved = (program) =>
	program.replaceAll(/from "(mcp-duet[^"]*)"/g, (_, name) => `from ${JSON.stringify(import.meta.resolve(name))}`);

test("two of one BroadcastChannel", { timeout: 20_000 }, async () => {
	const name = `mcp-${process.pid}`;
	const serving = serveMessages(server(), portTransport(new BroadcastChannel(name)));
	const client = new Client({ transport: portTransport(new BroadcastChannel(name)), versionNegotiation: "legacy" });
	assert.equal(textOf(await client.callTool("echo", { a: 1 })), '{"a":1}');
	await client.close();
	await serving.close();
	await serving.closed;
});

test("a transport that cannot start or send fails the call with its reason, and is tried again", {
	timeout: 20_000,
}, async () => {
	let starts = 0;
	const broken = {
		start: async () => {
			starts++;
			throw new Error("nobody there");
		},
		send: async () => {},
		close: async () => {},
	};
	const client = new Client({ transport: broken, versionNegotiation: "legacy" });
	for (const times of [1, 2]) {
		await assert.rejects(client.callTool("echo"), (/** @type {any} */ error) => {
			assert.equal(error.code, "CONNECTION_LOST");
			assert.match(error.message, /nobody there/);
			return true;
		});
		assert.equal(starts, times);
	}
	await client.close();
});

test("a transport that can begin anew does so, and a legacy server is shaken hands with again", {
	timeout: 20_000,
}, async () => {
	/** @type {string[]} */
	const methods = [];
	/** @type {import("mcp-duet/transport").MessageTransport | undefined} */
	let inner;
	const legacy = server({ supportedVersions: ["2025-06-18"] });
	/** @type {import("mcp-duet/transport").MessageTransport} */
	const transport = {
		start: async () => {
			const [one, other] = inMemoryPair();
			serveMessages(legacy, other);
			inner = one;
			one.onmessage = (message) => transport.onmessage?.(message);
			one.onclose = () => transport.onclose?.();
			await one.start();
		},
		send: async (message) => {
			methods.push(message.method);
			await inner?.send(message);
		},
		close: async () => inner?.close(),
	};
	const client = new Client({ transport });
	assert.equal(textOf(await client.callTool("echo", { a: 1 })), '{"a":1}');
	await inner?.close();
	await new Promise((resolve) => setImmediate(resolve));
	assert.equal(textOf(await client.callTool("echo", { a: 2 })), '{"a":2}');
	assert.deepEqual(methods, [
		"server/discover",
		"initialize",
		"notifications/initialized",
		"tools/call",
		"initialize",
		"notifications/initialized",
		"tools/call",
	]);
	await client.close();
});

test("a definition that is wrong is answered, not left unanswered", { timeout: 20_000 }, async () => {
	const [one, other] = inMemoryPair();
	/** @type {unknown[]} */
	const errors = [];
	serveMessages(server({ tools: [{ name: "no tool" }] }), other, { onError: (error) => errors.push(error) });
	const client = new Client({ transport: one, versionNegotiation: "legacy" });
	await assert.rejects(client.connect(), { code: "PROTOCOL", rpcCode: -32603 });
	assert.equal(/** @type {any} */ (errors[0]).code, "INVALID_DEFINITION");
	await client.close();
});

test("when the client goes away, handlers are aborted and questions rejected", { timeout: 20_000 }, async () => {
	const events = new EventTarget();
	/** @type {(error: unknown) => void} */
	let fail = () => {};
	const failed = new Promise((resolve) => {
		fail = resolve;
	});
	const asking = server({
		tools: [
			{
				name: "ask",
				inputSchema: { type: "object" },
				handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
					try {
						const waiting = ctx.elicit({ message: "?", requestedSchema: { type: "object", properties: {} } });
						events.dispatchEvent(new Event("asked"));
						await waiting;
					} catch (error) {
						fail(error);
					}
					return "";
				},
			},
		],
	});
	const [one, other] = inMemoryPair();
	const serving = serveMessages(asking, other);
	const client = new Client({
		transport: one,
		versionNegotiation: "legacy",
		handlers: { "elicitation/create": () => new Promise(() => {}) },
	});
	const asked = once(events, "asked");
	const waiting = client.callTool("ask");
	await asked;
	await client.close();
	await assert.rejects(waiting, { code: "CLOSED" });
	await serving.closed;
	assert.match(String(await failed), /gone/);
});

for (const version of /** @type {const} */ (["2025-11-25", "2025-03-26", "2024-11-05"])) {
	test(`a pipe is a session of a legacy client of ${version}`, { timeout: 20_000 }, async () => {
		/** @type {any[]} */
		const seen = [];
		const remembering = server({
			capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } },
			resources: [{ uri: "note://one", name: "one", read: () => "1" }],
			tools: [
				{
					name: "who",
					inputSchema: { type: "object" },
					handler: (/** @type {any} */ _args, /** @type {any} */ ctx) => {
						seen.push([ctx.protocolVersion, ctx.clientInfo?.name, ctx.clientCapabilities]);
						ctx.log("info", "quiet");
						ctx.log("error", "loud");
						return [{ type: "resource_link", uri: "note://one", name: "one" }];
					},
				},
			],
		});
		const [one, other] = inMemoryPair();
		const serving = serveMessages(remembering, other);
		/** @type {any[]} */
		const heard = [];
		/** @type {() => void} */
		let arrived = () => {};
		const client = new Client({
			transport: one,
			versionNegotiation: "legacy",
			supportedVersions: [version],
			clientInfo: { name: "旧", version: "1" },
			handlers: { "roots/list": () => ({ roots: [] }) },
			onNotification: ({ method, params }) => {
				heard.push([method, params?.data ?? params?.uri ?? null]);
				arrived();
			},
		});
		const next = () =>
			new Promise((resolve) => {
				arrived = () => resolve(undefined);
			});
		await client.request("logging/setLevel", { level: "warning" });
		await client.request("resources/subscribe", { uri: "note://one" });
		const { content } = await client.callTool("who");
		assert.deepEqual(seen, [[version, "旧", { roots: {} }]]);
		assert.equal(content[0].type, version === "2025-11-25" ? "resource_link" : "text", "as its revision can read it");
		let told = next();
		remembering.notify({ type: "resource_updated", uri: "note://two" });
		remembering.notify({ type: "resource_updated", uri: "note://one" });
		await told;
		told = next();
		remembering.registerTool("late", { inputSchema: { type: "object" } }, () => "");
		await told;
		told = next();
		remembering.log("info", "nobody asked");
		remembering.log("critical", "all hear it");
		await told;
		assert.deepEqual(heard, [
			["notifications/message", "loud"],
			["notifications/resources/updated", "note://one"],
			["notifications/tools/list_changed", null],
			["notifications/message", "all hear it"],
		]);
		await client.close();
		await serving.closed;
		remembering.notify({ type: "resource_updated", uri: "note://one" });
		assert.equal(heard.length, 4);
	});
}

test("two legacy clients of one server share nothing, and a modern one beside them has no session", {
	timeout: 20_000,
}, async () => {
	/** @type {any[]} */
	const seen = [];
	const shared = server({
		tools: [
			{
				name: "who",
				inputSchema: { type: "object" },
				handler: (/** @type {any} */ _args, /** @type {any} */ ctx) => {
					seen.push([ctx.era, ctx.protocolVersion, ctx.clientInfo?.name]);
					return "";
				},
			},
		],
	});
	/** @param {string} name @param {any} options */
	const connect = (name, options) => {
		const [one, other] = inMemoryPair();
		serveMessages(shared, other);
		return new Client({ transport: one, clientInfo: { name, version: "1" }, ...options });
	};
	const clients = [
		connect("a", { versionNegotiation: "legacy", supportedVersions: ["2025-06-18"] }),
		connect("b", { versionNegotiation: "legacy", supportedVersions: ["2025-11-25"] }),
		connect("c", {}),
	];
	for (const client of clients) await client.callTool("who");
	for (const client of clients) await client.callTool("who");
	const rounds = [
		["legacy", "2025-06-18", "a"],
		["legacy", "2025-11-25", "b"],
		["modern", "2026-07-28", "c"],
	];
	assert.deepEqual(seen, [...rounds, ...rounds]);
	for (const client of clients) await client.close();
});
