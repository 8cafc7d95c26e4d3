// The real TypeScript SDK clients, both generations, in sessions of a server of ours, over a real connection.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
	CreateMessageRequestSchema,
	ElicitRequestSchema,
	LoggingMessageNotificationSchema,
	ResourceUpdatedNotificationSchema,
	ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Server } from "mcp-duet";
import { serve } from "mcp-duet/node";

/** What the first generation calls the methods. @type {Record<string, any>} */
const SCHEMAS = {
	"elicitation/create": ElicitRequestSchema,
	"sampling/createMessage": CreateMessageRequestSchema,
	"notifications/message": LoggingMessageNotificationSchema,
	"notifications/resources/updated": ResourceUpdatedNotificationSchema,
	"notifications/tools/list_changed": ToolListChangedNotificationSchema,
};

/** @type {import("mcp-duet").ElicitRequestFormParams} */
const FORM = { message: "哪个城市？", requestedSchema: { type: "object", properties: { city: { type: "string" } } } };
/** @type {import("mcp-duet").CreateMessageRequestParams} */
const SAMPLE = { messages: [{ role: "user", content: { type: "text", text: "首都？" } }], maxTokens: 10 };

/** What ends the call of `held` with that name. @type {Map<string, () => void>} */
const gates = new Map();

/** @returns {any} */
const serverOf = () =>
	new Server({
		name: "sessions",
		version: "1",
		legacy: "sessions",
		// Clients come back at once.
		sessions: { retryMs: 20 },
		capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } },
		resources: ["a", "b"].map((name) => ({ name, uri: `test://${name}`, read: () => name })),
		tools: [
			{
				name: "ask",
				inputSchema: { type: "object" },
				handler: async (_args, ctx) => {
					const [{ content }, sampled] = await Promise.all([ctx.elicit(FORM), ctx.sample(SAMPLE)]);
					const [block] = [sampled.content].flat();
					return `${content?.city} ${block.type === "text" && block.text}`;
				},
			},
			{
				name: "log",
				inputSchema: { type: "object" },
				handler: (_args, ctx) => {
					ctx.log("debug", "fine");
					ctx.log("error", "coarse");
					return "logged";
				},
			},
			{
				name: "held",
				inputSchema: { type: "object", properties: { gate: { type: "string" } } },
				handler: async ({ gate }, ctx) => {
					ctx.log("error", "begun");
					await new Promise((resolve) => gates.set(`${gate}`, () => resolve(undefined)));
					ctx.log("error", "going on");
					return "ended";
				},
			},
		],
	});

/** @type {any} */
let server;
/** @type {Awaited<ReturnType<typeof serve>>} */
let host;
before(async () => {
	server = serverOf();
	host = await serve(server);
});
after(async () => {
	server?.close();
	await host?.close();
});

/** Values as they come, one by one. */
class Queue {
	/** @type {any[]} */
	#come = [];
	/** @type {((value: any) => void)[]} */
	#awaited = [];
	/** @param {any} value */
	push = (value) => {
		const next = this.#awaited.shift();
		if (next) next(value);
		else this.#come.push(value);
	};
	/** @returns {Promise<any>} */
	next = async () =>
		this.#come.length > 0 ? this.#come.shift() : new Promise((resolve) => this.#awaited.push(resolve));
}

/** @typedef {"1.32" | "2.4"} Generation */

/**
 * A client in a session, the notifications that it gets, and the answers to its GET requests.
 * @param {Generation} generation
 * @param {string} [sessionId] of a session that is there
 */
async function connect(generation, sessionId) {
	const info = { name: "peer", version: "1" };
	const capabilities = { elicitation: {}, sampling: {} };
	/** Each GET request's Last-Event-ID and status. */
	const streams = new Queue();
	const options = {
		sessionId,
		fetch: async (/** @type {string | URL} */ input, /** @type {RequestInit | undefined} */ init) => {
			const response = await fetch(input, init);
			if (init?.method === "GET") {
				streams.push([response.status, new Headers(init.headers).get("last-event-id")]);
			}
			return response;
		},
	};
	const url = new URL(`${host.url}/mcp`);
	const [client, transport] = /** @type {[any, any]} */ (
		generation === "1.32"
			? [new Client1(info, { capabilities }), new Transport1(url, options)]
			: [new Client2(info, { capabilities, versionNegotiation: { mode: "legacy" } }), new Transport2(url, options)]
	);
	const named = (/** @type {string} */ method) => (generation === "1.32" ? SCHEMAS[method] : method);
	client.setRequestHandler(named("elicitation/create"), () => ({ action: "accept", content: { city: "北京" } }));
	client.setRequestHandler(named("sampling/createMessage"), () => ({
		role: "assistant",
		model: "none",
		content: { type: "text", text: "东京" },
	}));
	const [logged, updated, changed] = [new Queue(), new Queue(), new Queue()];
	client.setNotificationHandler(named("notifications/message"), (/** @type {any} */ { params }) =>
		logged.push(params.data),
	);
	client.setNotificationHandler(named("notifications/resources/updated"), (/** @type {any} */ { params }) =>
		updated.push(params.uri),
	);
	client.setNotificationHandler(named("notifications/tools/list_changed"), () => changed.push("changed"));
	await client.connect(transport);
	return { client, transport, streams, logged, updated, changed };
}

/** @param {any} result */
const textOf = (result) => result.content[0].text;

for (const generation of /** @type {Generation[]} */ (["1.32", "2.4"])) {
	const limit = { timeout: 30_000 };

	test(`SDK ${generation} opens a session and hears on its stream of what changes`, limit, async () => {
		const { client, transport, streams, updated, changed, logged } = await connect(generation);
		assert.match(transport.sessionId, /^[\x21-\x7e]{20,}$/);
		assert.equal(client.getServerVersion()?.name, "sessions");
		assert.deepEqual(await streams.next(), [200, null]);

		const late = server.registerTool("late", { inputSchema: { type: "object" } }, () => "late");
		await changed.next();
		assert.ok((await client.listTools()).tools.some((/** @type {any} */ tool) => tool.name === "late"));
		late.remove();
		await changed.next();

		await client.subscribeResource({ uri: "test://b" });
		for (const uri of ["test://a", "test://b"]) server.notify({ type: "resource_updated", uri });
		assert.equal(await updated.next(), "test://b");
		await client.unsubscribeResource({ uri: "test://b" });
		await client.subscribeResource({ uri: "test://a" });
		for (const uri of ["test://b", "test://a"]) server.notify({ type: "resource_updated", uri });
		assert.equal(await updated.next(), "test://a");

		server.log("info", "told");
		assert.equal(await logged.next(), "told");
		await client.close();
	});

	test(`SDK ${generation} answers what a handler asks in its session`, limit, async () => {
		const { client } = await connect(generation);
		assert.equal(textOf(await client.callTool({ name: "ask", arguments: {} })), "北京 东京");
		await client.close();
	});

	test(`SDK ${generation} sets a level for its session alone`, limit, async () => {
		const [quiet, other] = await Promise.all([connect(generation), connect(generation)]);
		await quiet.streams.next();
		await quiet.client.setLoggingLevel("warning");
		assert.equal(textOf(await quiet.client.callTool({ name: "log", arguments: {} })), "logged");
		assert.equal(await quiet.logged.next(), "coarse");
		server.log("info", "too fine");
		server.log("critical", "heard");
		assert.equal(await quiet.logged.next(), "heard");
		await other.client.callTool({ name: "log", arguments: {} });
		// What was logged before may come first, on the other stream.
		const heard = new Set();
		while (!heard.has("fine") || !heard.has("coarse")) heard.add(await other.logged.next());
		await Promise.all([quiet.client.close(), other.client.close()]);
	});

	test(`SDK ${generation} comes back to streams that were cut, and misses nothing`, limit, async () => {
		const { client, streams, logged, changed } = await connect(generation);
		await streams.next();
		server.log("error", "before");
		assert.equal(await logged.next(), "before");
		const called = client.callTool({ name: "held", arguments: { gate: generation } });
		assert.equal(await logged.next(), "begun");

		// Every connection ends; the call goes on, and what is sent meanwhile waits.
		host.http.closeAllConnections();
		gates.get(generation)?.();
		const late = server.registerTool("late", { inputSchema: { type: "object" } }, () => "late");
		const resumed = [await streams.next(), await streams.next()];
		for (const [status, last] of resumed) {
			assert.equal(status, 200);
			assert.ok(last, "each comes back with the id of its last event");
		}
		assert.notEqual(resumed[0][1], resumed[1][1]);
		assert.equal(textOf(await called), "ended");
		assert.equal(await logged.next(), "going on");
		await changed.next();
		late.remove();
		await changed.next();
		await client.close();
	});

	test(`SDK ${generation} ends its session with DELETE, and it is gone`, limit, async () => {
		const { client, transport, streams } = await connect(generation);
		await streams.next();
		const { sessionId } = transport;
		const again = await connect(generation, sessionId);
		await again.client.ping();
		await transport.terminateSession();
		assert.equal(transport.sessionId, undefined);
		await assert.rejects(again.client.ping(), /Session not found/);
		const headers = { "mcp-session-id": sessionId, accept: "text/event-stream" };
		for (const method of ["GET", "DELETE"]) {
			assert.equal((await fetch(`${host.url}/mcp`, { method, headers })).status, 404, method);
		}
		await Promise.all([client.close(), again.client.close()]);
	});
}
