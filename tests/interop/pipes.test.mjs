// Clients and servers of ours and of the TypeScript SDK over pipes: in-memory pairs of either, and ports.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { StreamableHTTPClientTransport as Http2, InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Client } from "mcp-duet";
import { inMemoryPair, portTransport, serveMessages } from "mcp-duet/transport";
import { exercise, exerciseSdk, textOf } from "./exercise.mjs";
import { ourServer } from "./our-server.mjs";
import { connected } from "./sdk-clients.mjs";
import { furnish } from "./sdk-content.mjs";
import { sdk1Server, sdk2Server } from "./sdk-servers.mjs";
import { Watch } from "./watch.mjs";

/** @typedef {import("mcp-duet").MessageTransport} MessageTransport */

/** @type {Record<string, () => [MessageTransport, MessageTransport]>} */
const pipes = {
	"our pair": inMemoryPair,
	"a MessageChannel": () => {
		const { port1, port2 } = new MessageChannel();
		return [portTransport(port1), portTransport(port2)];
	},
	"the pair of SDK 1.32": () => Memory1.createLinkedPair(),
	"the pair of SDK 2.4": () => Memory2.createLinkedPair(),
};

/** What a person, a model and a file system would answer. @satisfies {import("mcp-duet").ClientSettings["handlers"]} */
const handlers = {
	"elicitation/create": () => ({ action: /** @type {const} */ ("accept"), content: { city: "北京" } }),
	"sampling/createMessage": () => ({
		role: /** @type {const} */ ("assistant"),
		model: "none",
		content: { type: /** @type {const} */ ("text"), text: "东京" },
	}),
	"roots/list": () => ({ roots: [{ uri: "file:///根" }] }),
};

/** @type {{ name: string, generation: import("./sdk-clients.mjs").Generation, mode?: import("./sdk-clients.mjs").Mode, era: string | undefined }[]} */
const clients = [
	{ name: "SDK 1.32", generation: "1.32", era: undefined },
	{ name: "SDK 2.4 in legacy mode", generation: "2.4", mode: "legacy", era: "legacy" },
	{ name: "SDK 2.4 in auto mode", generation: "2.4", mode: "auto", era: "modern" },
	{ name: "SDK 2.4 pinned", generation: "2.4", mode: { pin: "2026-07-28" }, era: "modern" },
];

for (const [pipe, pair] of Object.entries(pipes)) {
	for (const { name, generation, mode, era } of clients) {
		test(`${name} works with our server over ${pipe}`, { timeout: 60_000 }, async () => {
			const watch = new Watch();
			const [one, other] = pair();
			const serving = serveMessages(ourServer({}, watch), other);
			const { client, call } = await connected(generation, one, mode);
			assert.equal(client.getProtocolEra?.(), era);
			await exerciseSdk(client, call, generation);

			const stop = new AbortController();
			const waiting = call("wait", {}, { signal: stop.signal });
			await watch.started;
			stop.abort();
			await assert.rejects(waiting);
			await watch.cancelled;
			assert.deepEqual((await call("查天气", { city: "南京" })).content, [{ type: "text", text: "南京：晴" }]);
			await client.close();
			await serving.closed;
		});
	}

	/** @type {Record<string, { serve: (transport: any, watch: Watch) => unknown, era: string, name: string, version: string }>} */
	const servers = {
		"SDK 1.32": {
			serve: (transport, watch) =>
				furnish(new McpServer1({ name: "sdk1", version: "1.0.0" }, { instructions: "说明" }), watch).connect(transport),
			era: "legacy",
			name: "sdk1",
			version: "2025-11-25",
		},
		"SDK 2.4": {
			serve: (transport, watch) =>
				serveStdio(() => furnish(new McpServer2({ name: "sdk2", version: "1.0.0" }, { instructions: "说明" }), watch), {
					transport,
				}),
			era: "modern",
			name: "sdk2",
			version: "2026-07-28",
		},
		"SDK 2.4 in its legacy form": {
			serve: (transport, watch) =>
				furnish(new McpServer2({ name: "sdk2", version: "1.0.0" }, { instructions: "说明" }), watch).connect(transport),
			era: "legacy",
			name: "sdk2",
			version: "2025-11-25",
		},
		ours: {
			serve: (transport, watch) => serveMessages(ourServer({}, watch), transport),
			era: "modern",
			name: "duet",
			version: "2026-07-28",
		},
	};
	for (const [name, { serve, era, version, ...server }] of Object.entries(servers)) {
		test(`our client works with the server ${name} over ${pipe}`, { timeout: 60_000 }, async () => {
			const watch = new Watch();
			const [one, other] = pair();
			await serve(other, watch);
			const client = new Client({ transport: one, handlers });
			await client.connect();
			assert.deepEqual([client.era, client.protocolVersion], [era, version]);
			assert.equal(client.serverInfo?.name, server.name);
			if (server.name !== "duet") await exercise(client, { progress: true });
			assert.equal(textOf((await client.callTool("ask")).content[0]), "北京 东京 file:///根");

			const stop = new AbortController();
			const waiting = client.callTool("wait", {}, { signal: stop.signal });
			await watch.started;
			stop.abort(new Error("不用了"));
			await assert.rejects(waiting, /不用了/);
			await watch.cancelled;
			assert.equal(textOf((await client.callTool("查天气", { city: "南京" })).content[0]), "南京：晴");
			await client.close();
		});
	}

	test(`both ends of ${pipe} are ours, in the legacy era`, { timeout: 60_000 }, async () => {
		const watch = new Watch();
		const [one, other] = pair();
		const serving = serveMessages(ourServer({}, watch), other);
		const client = new Client({ transport: one, handlers, versionNegotiation: "legacy" });
		await client.ping();
		assert.equal(client.era, "legacy");
		assert.equal(textOf((await client.callTool("ask")).content[0]), "北京 东京 file:///根");
		/** @type {number[]} */
		const seen = [];
		await client.callTool("count", {}, { onProgress: ({ progress }) => seen.push(progress) });
		assert.deepEqual(seen, [1, 2, 3]);
		const stop = new AbortController();
		const waiting = client.callTool("wait", {}, { signal: stop.signal });
		await watch.started;
		stop.abort(new Error("不用了"));
		await assert.rejects(waiting, /不用了/);
		await watch.cancelled;
		await client.close();
		await serving.closed;
	});

	test(`when ${pipe} is closed at the server's end, calls that are open fail at once`, {
		timeout: 60_000,
	}, async () => {
		const watch = new Watch();
		const [one, other] = pair();
		const serving = serveMessages(ourServer({}, watch), other);
		const client = new Client({ transport: one });
		const waiting = client.callTool("wait");
		await watch.started;
		await serving.close();
		await assert.rejects(waiting, { code: "CONNECTION_LOST" });
		await watch.cancelled;
		await serving.closed;
		await client.close();
	});
}

/** @type {[string, () => Promise<import("./sdk-servers.mjs").SdkPeer>, (url: URL) => any, string][]} */
const remote = [
	["1.32", () => sdk1Server({ sessions: true }), (url) => new Http1(url), "legacy"],
	["2.4", sdk2Server, (url) => new Http2(url), "modern"],
];
for (const [generation, start, transport, era] of remote) {
	test(`our client works over the HTTP transport of SDK ${generation}`, { timeout: 60_000 }, async () => {
		const peer = await start();
		try {
			const client = new Client({ transport: transport(new URL(peer.url)), handlers });
			await client.connect();
			assert.equal(client.era, era);
			assert.equal(textOf((await client.callTool("查天气", { city: "北京" })).content[0]), "北京：晴");
			assert.equal(textOf((await client.callTool("ask")).content[0]), "北京 东京 file:///根");
			/** @type {number[]} */
			const seen = [];
			await client.callTool("count", {}, { onProgress: ({ progress }) => seen.push(progress) });
			assert.deepEqual(seen, [1, 2, 3]);
			await client.close();
		} finally {
			await peer.stop();
		}
	});
}
