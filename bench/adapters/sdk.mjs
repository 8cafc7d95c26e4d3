// The official TypeScript SDK, the way a careful user writes it: schemas built once, outside the factory.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod/v4";
import { CLIENT_INFO, LEGACY, request, SERVER_INFO } from "../fixtures.mjs";

const ECHO = z.object({ text: z.string().describe("The text to return") });
const SEARCH = () =>
	z.object({
		query: z.string().describe("Text to look for in the records"),
		limit: z.number().describe("At most this many records").optional(),
		mode: z.enum(["exact", "prefix", "fuzzy"]).describe("How to compare").optional(),
	});

/** A transport in memory that gives each answer to the one who waits for it. */
class Memory {
	/** @type {Map<unknown, (message: any) => void>} */
	#waiting = new Map();
	/** @type {((message: any) => void) | undefined} */
	onmessage;
	/** @type {(() => void) | undefined} */
	onclose;
	async start() {}
	async close() {
		this.onclose?.();
	}
	/** @param {any} message */
	async send(message) {
		if (message.id === undefined || message.method) return;
		this.#waiting.get(message.id)?.(message);
		this.#waiting.delete(message.id);
	}
	/** @param {any} message @returns {Promise<any>} */
	ask(message) {
		return new Promise((resolve) => {
			this.#waiting.set(message.id, resolve);
			this.onmessage?.(message);
		});
	}
}

/** @param {{ tools: any[], era: import("../fixtures.mjs").Era }} options */
export async function server({ tools, era }) {
	const definitions = tools.map(({ name, description }, index) => ({
		name,
		/** @type {any} */
		config: { description, inputSchema: index === 0 ? ECHO : SEARCH() },
	}));
	const factory = () => {
		const server = new McpServer(SERVER_INFO);
		for (const { name, config } of definitions) {
			server.registerTool(name, config, async (/** @type {any} */ args) => ({
				content: [{ type: "text", text: args.text }],
			}));
		}
		return server;
	};
	const handler = createMcpHandler(factory, {});
	// One long-lived instance below HTTP, whose era the first message decides.
	const wire = new Memory();
	serveStdio(factory, { transport: /** @type {any} */ (wire) });
	if (era === "legacy") {
		const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT_INFO };
		await wire.ask(request("legacy", "init", "initialize", params));
		wire.onmessage?.({ jsonrpc: "2.0", method: "notifications/initialized" });
	} else await wire.ask(request("modern", "init", "tools/list"));
	return {
		/** @param {Request} request */
		fetch: (request) => handler.fetch(request),
		/** @param {string} message */
		message: async (message) => JSON.stringify(await wire.ask(JSON.parse(message))),
	};
}

/** @param {{ url: string, fetch: any, era: string }} options */
export async function client({ url, fetch, era }) {
	const client = new Client(CLIENT_INFO, { versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } });
	await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
	if (client.getProtocolEra() !== era) throw new Error(`expected the ${era} era, came out otherwise`);
	return {
		/** @param {any} [onprogress] */
		call: (onprogress) =>
			client.callTool({ name: "echo", arguments: { text: "x" } }, { onprogress, resetTimeoutOnProgress: false }),
		// Otherwise a list is answered from its cache.
		list: () => client.listTools(undefined, { cacheMode: "refresh" }),
	};
}
