// Servers of the official TypeScript SDK, both generations, and the public everything server.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { z } from "zod";
import { end, spawnOwned } from "../../scripts/processes.mjs";
import { serveFetch } from "./http.mjs";

/** @typedef {{ url: string, stop: () => Promise<void> }} Peer */

/** How long a peer in a process of its own may take until it listens. */
const START_MS = 30_000;

/**
 * The same small server on either generation: they share the registration interface.
 * @template {McpServer1 | McpServer2} S
 * @param {S} server
 * @returns {S}
 */
function furnish(server) {
	// The two generations differ in types that this file has no use for.
	const any = /** @type {any} */ (server);
	// Both generations print seven lines about every tool name outside ASCII, once per request.
	const { warn } = console;
	console.warn = () => {};
	any.registerTool(
		"查天气",
		{ description: "城市的天气", inputSchema: z.object({ city: z.string() }) },
		async (/** @type {{ city: string }} */ { city }) => ({ content: [{ type: "text", text: `${city}：晴` }] }),
	);
	any.registerTool(
		"count",
		{ description: "Counts to three", inputSchema: z.object({}) },
		async (/** @type {unknown} */ _args, /** @type {any} */ extra) => {
			const meta = extra.mcpReq?._meta ?? extra._meta;
			for (const progress of [1, 2, 3]) {
				const notification = {
					method: "notifications/progress",
					params: { progressToken: meta?.progressToken, progress, total: 3, message: `第${progress}步` },
				};
				if (meta?.progressToken !== undefined) await (extra.mcpReq?.notify ?? extra.sendNotification)(notification);
			}
			return { content: [{ type: "text", text: "三" }] };
		},
	);
	any.registerTool("fail", { description: "Fails", inputSchema: z.object({}) }, async () => {
		throw new Error("坏了");
	});
	any.registerResource("北京", "test://cities/beijing", { mimeType: "text/plain" }, async (/** @type {URL} */ uri) => ({
		contents: [{ uri: uri.href, mimeType: "text/plain", text: "你好，北京" }],
	}));
	// The first generation takes the members of a prompt's arguments, the second a schema of the whole.
	const argsSchema = server instanceof McpServer1 ? { city: z.string() } : z.object({ city: z.string() });
	any.registerPrompt(
		"问候",
		{ description: "问候一个城市", argsSchema },
		async (/** @type {{ city: string }} */ { city }) => ({
			messages: [{ role: "user", content: { type: "text", text: `你好，${city}` } }],
		}),
	);
	console.warn = warn;
	return server;
}

/** @param {string} name */
const info = (name) => ({ name, version: "1.0.0" });

/**
 * `createMcpHandler` of the second generation: modern, and legacy without sessions.
 * @param {{ legacy?: "stateless" | "reject", responseMode?: "auto" | "sse" | "json" }} [options]
 * @returns {Promise<Peer>}
 */
export async function sdk2Server(options = {}) {
	const handler = createMcpHandler(() => furnish(new McpServer2(info("sdk2"), { instructions: "说明" })), options);
	const { url, stop } = await serveFetch((request) => handler.fetch(request));
	return {
		url: `${url}/mcp`,
		stop: async () => {
			await handler.close();
			await stop();
		},
	};
}

/**
 * The first generation's Streamable HTTP server: legacy, with sessions or without.
 * @param {{ sessions: boolean, json?: boolean }} options
 * @returns {Promise<Peer>}
 */
export async function sdk1Server({ sessions, json = false }) {
	/** @type {Map<string, StreamableHTTPServerTransport>} */
	const open = new Map();
	const server = createServer(async (request, response) => {
		const id = request.headers["mcp-session-id"];
		let transport = typeof id === "string" ? open.get(id) : undefined;
		if (!transport) {
			if (typeof id === "string") {
				response.writeHead(404, { "content-type": "application/json" });
				response.end(
					JSON.stringify({ jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null }),
				);
				return;
			}
			const fresh = new StreamableHTTPServerTransport({
				sessionIdGenerator: sessions ? () => randomUUID() : undefined,
				enableJsonResponse: json,
				onsessioninitialized: (session) => {
					open.set(session, fresh);
				},
			});
			transport = fresh;
			await furnish(new McpServer1(info("sdk1"))).connect(/** @type {any} */ (transport));
		}
		await transport.handleRequest(request, response);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
	const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
	return {
		url: `http://127.0.0.1:${port}/mcp`,
		stop: async () => {
			for (const transport of open.values()) await transport.close();
			await new Promise((resolve) => {
				server.close(() => resolve(undefined));
				server.closeAllConnections();
			});
		},
	};
}

/** A port that was free a moment ago, for programs that cannot say which one they took. */
async function freePort() {
	const server = createServer();
	await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
	const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/**
 * `@modelcontextprotocol/server-everything` over Streamable HTTP: legacy, with sessions.
 * @returns {Promise<Peer>}
 */
export async function everythingServer() {
	const program = fileURLToPath(
		new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
	);
	const port = await freePort();
	const child = spawnOwned(process.execPath, [program, "streamableHttp"], {
		stdio: ["ignore", "ignore", "pipe"],
		env: { ...process.env, PORT: String(port) },
	});
	await new Promise((resolve, reject) => {
		const timer = setTimeout(
			() => reject(new Error(`server-everything did not listen within ${START_MS} ms: ${said}`)),
			START_MS,
		);
		let said = "";
		child.once("error", reject);
		child.once("exit", (code) => reject(new Error(`server-everything ended with status ${code}: ${said}`)));
		child.stderr?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
			said += text;
			if (!said.includes("listening on port")) return;
			clearTimeout(timer);
			resolve(undefined);
		});
	});
	return { url: `http://127.0.0.1:${port}/mcp`, stop: () => end(child) };
}
