// The compatibility matrix of the specification's versioning page, client and server both ours:
// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "mcp-duet";
import { ourServer } from "./our-server.mjs";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";

/** @type {Record<string, Record<string, unknown>>} */
const servers = {
	modern: { legacy: "reject" },
	"dual-era": {},
	legacy: { supportedVersions: [LEGACY, "2025-06-18"] },
};

/** @type {Record<string, Record<string, unknown>>} */
const clients = {
	"modern (pinned)": { versionNegotiation: { pin: MODERN } },
	"modern (no legacy version)": { supportedVersions: [MODERN] },
	"dual-era": {},
	legacy: { versionNegotiation: "legacy" },
};

/**
 * What the page says of each pair: the era that it works in, or that it fails.
 * @type {Record<string, Record<string, "modern" | "legacy" | "fails">>}
 */
const matrix = {
	"modern (pinned)": { modern: "modern", "dual-era": "modern", legacy: "fails" },
	"modern (no legacy version)": { modern: "modern", "dual-era": "modern", legacy: "fails" },
	"dual-era": { modern: "modern", "dual-era": "modern", legacy: "legacy" },
	legacy: { modern: "fails", "dual-era": "legacy", legacy: "legacy" },
};

/** The text of a piece of content, or of a resource's contents. @param {any} piece */
const textOf = (piece) => piece.text;

/**
 * How a client reaches a server; each notes the methods that went over it.
 * @type {Record<string, (server: ReturnType<typeof ourServer>, methods: string[]) => Record<string, unknown>>}
 */
const transports = {
	"HTTP in memory": (server, methods) => ({
		url: "http://server.example/mcp",
		fetch: async (/** @type {string | URL | Request} */ input, /** @type {RequestInit} */ init) => {
			const request = new Request(input, init);
			if (request.method === "POST") methods.push(JSON.parse(await request.clone().text()).method);
			return server.fetch(request);
		},
	}),
	"a function": (server, methods) => ({
		transport: (
			/** @type {any} */ message,
			/** @type {{ signal: AbortSignal, onMessage: (message: unknown) => void }} */ { signal, onMessage },
		) => {
			methods.push((typeof message === "string" ? JSON.parse(message) : message).method);
			return server.handleMessage(message, { send: onMessage, signal });
		},
	}),
};

for (const [transportName, transport] of Object.entries(transports)) {
	for (const [clientName, clientOptions] of Object.entries(clients)) {
		for (const [serverName, serverOptions] of Object.entries(servers)) {
			const outcome = matrix[clientName][serverName];
			const says = outcome === "fails" ? "fails with a clear error" : `works in the ${outcome} era`;
			test(`over ${transportName}, a ${clientName} client and a ${serverName} server: ${says}`, {
				timeout: 20_000,
			}, async () => {
				/** @type {string[]} */
				const methods = [];
				const server = ourServer(serverOptions);
				/** @type {any} */
				const options = {
					clientInfo: { name: "duet", version: "1.0.0" },
					timeoutMs: 5_000,
					handlers: {
						"elicitation/create": () => ({ action: "accept", content: { city: "北京" } }),
						"sampling/createMessage": () => ({
							role: "assistant",
							model: "none",
							content: { type: "text", text: "东京" },
						}),
						"roots/list": () => ({ roots: [{ uri: "file:///根" }] }),
					},
					...transport(server, methods),
					...clientOptions,
				};
				const client = new Client(options);
				if (outcome === "fails") {
					await assert.rejects(client.connect(), (/** @type {any} */ error) => {
						assert.ok(error instanceof Error);
						assert.match(/** @type {any} */ (error).code, /^[A-Z][A-Z_]+$/);
						// Whoever reads it learns what the server has.
						assert.ok(
							error.message.includes(serverName === "modern" ? MODERN : LEGACY) || clientName.startsWith("modern"),
							error.message,
						);
						return true;
					});
					// Neither side ever tries the other era's opening.
					if (clientName === "legacy") assert.ok(!methods.includes("server/discover"), methods.join());
					else assert.ok(!methods.includes("initialize"), methods.join());
					await client.close();
					return;
				}
				await client.connect();
				assert.deepEqual([client.era, client.protocolVersion], [outcome, outcome === "modern" ? MODERN : LEGACY]);
				assert.equal(client.serverInfo?.name, "duet");
				assert.equal((await client.listTools()).tools[0].name, "查天气");
				assert.equal(textOf((await client.callTool("查天气", { city: "北京" })).content[0]), "北京：晴");
				/** @type {unknown[]} */
				const seen = [];
				await client.callTool("count", {}, { onProgress: (/** @type {unknown} */ report) => seen.push(report) });
				assert.equal(seen.length, 3);
				assert.equal(textOf((await client.readResource("test://城市/北京")).contents[0]), "首都");
				assert.equal(textOf((await client.getPrompt("问候", { city: "北京" })).messages[0].content), "你好，北京");
				assert.equal(textOf((await client.callTool("ask")).content[0]), "北京 东京 file:///根");
				assert.equal(methods.includes("initialize"), outcome === "legacy", methods.join());
				await client.close();
			});
		}
	}
}
