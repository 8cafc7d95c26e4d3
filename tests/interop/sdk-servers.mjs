// Servers of the official TypeScript SDK, both generations, and the public everything server.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { end, spawnOwned } from "../../scripts/processes.mjs";
import { serveFetch } from "./http.mjs";
import { furnish } from "./sdk-content.mjs";
import { Watch } from "./watch.mjs";

/** @typedef {{ url: string, stop: () => Promise<void> }} Peer */
/** @typedef {Peer & { watch: Watch }} SdkPeer */

/** How long a peer in a process of its own may take until it listens. */
const START_MS = 30_000;

/** @param {string} name */
const info = (name) => ({ name, version: "1.0.0" });

/**
 * `createMcpHandler` of the second generation: modern, and legacy without sessions.
 * @param {{ legacy?: "stateless" | "reject", responseMode?: "auto" | "sse" | "json" }} [options]
 * @returns {Promise<SdkPeer>}
 */
export async function sdk2Server(options = {}) {
	const watch = new Watch();
	const create = () => furnish(new McpServer2(info("sdk2"), { instructions: "说明" }), watch);
	const handler = createMcpHandler(create, options);
	const { url, stop } = await serveFetch((request) => handler.fetch(request));
	return {
		url: `${url}/mcp`,
		watch,
		stop: async () => {
			await handler.close();
			await stop();
		},
	};
}

/**
 * The first generation's Streamable HTTP server: legacy, with sessions or without.
 * @param {{ sessions: boolean, json?: boolean }} options
 * @returns {Promise<SdkPeer>}
 */
export async function sdk1Server({ sessions, json = false }) {
	const watch = new Watch();
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
			await furnish(new McpServer1(info("sdk1"), { instructions: "说明" }), watch).connect(
				/** @type {any} */ (transport),
			);
		}
		await transport.handleRequest(request, response);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
	const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
	return {
		url: `http://127.0.0.1:${port}/mcp`,
		watch,
		stop: async () => {
			for (const transport of open.values()) await transport.close();
			await new Promise((resolve) => {
				server.close(() => resolve(undefined));
				server.closeAllConnections();
			});
		},
	};
}

/**
 * The first generation's server of the deprecated HTTP+SSE transport.
 * @returns {Promise<SdkPeer & { drop: () => void }>}
 */
export async function sdk1SseServer() {
	const watch = new Watch();
	/** @type {Map<string, SSEServerTransport>} */
	const open = new Map();
	const server = createServer(async (request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
		if (pathname === "/sse" && request.method === "GET") {
			const transport = new SSEServerTransport("/messages", response);
			open.set(transport.sessionId, transport);
			response.on("close", () => open.delete(transport.sessionId));
			await furnish(new McpServer1(info("sdk1"), { instructions: "说明" }), watch).connect(transport);
		} else if (pathname === "/messages" && request.method === "POST") {
			const transport = open.get(searchParams.get("sessionId") ?? "");
			if (transport) await transport.handlePostMessage(request, response);
			else response.writeHead(404).end("Session not found");
		} else response.writeHead(405).end("Method not allowed");
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
	const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
	return {
		url: `http://127.0.0.1:${port}/sse`,
		watch,
		drop: () => server.closeAllConnections(),
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve(undefined));
				server.closeAllConnections();
			}),
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
 * `@modelcontextprotocol/server-everything`: legacy, with sessions.
 * @param {"streamableHttp" | "sse"} [transport]
 * @returns {Promise<Peer>}
 */
export async function everythingServer(transport = "streamableHttp") {
	const program = fileURLToPath(
		new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
	);
	const port = await freePort();
	const child = spawnOwned(process.execPath, [program, transport], {
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
			if (!/(listening|running) on port/.test(said)) return;
			clearTimeout(timer);
			resolve(undefined);
		});
	});
	return { url: `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`, stop: () => end(child) };
}
