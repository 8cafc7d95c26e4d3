// What pages do usually, over a wasm whose functions report that they run: prints their numbers as JSON.
// usual.mjs PACKAGE NAME KINDS WASM REPORT

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pkg, name, kinds, file, report] = process.argv.slice(2);
/** @param {string} path */
const load = (path) => import(pathToFileURL(join(pkg, path)).href);

/** @type {Set<number>} */
const ran = new Set();
const module = new WebAssembly.Module(readFileSync(file));
const { Instance } = WebAssembly;
WebAssembly.Instance = /** @type {any} */ (
	class {
		/** @param {WebAssembly.Module} module @param {any} imports */
		constructor(module, imports) {
			for (const names of Object.values(imports)) names[report] = (/** @type {number} */ number) => ran.add(number);
			// biome-ignore lint/correctness/noConstructorReturn: what is made is a real instance
			return new Instance(module, imports);
		}
	}
);

/** @param {unknown} value @param {Record<string, string>} [headers] */
const json = (value, headers) =>
	new Response(JSON.stringify(value), { headers: { "content-type": "application/json", ...headers } });

/** @param {...unknown} messages */
const events = (...messages) =>
	new Response(messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(""), {
		headers: { "content-type": "text/event-stream" },
	});

/**
 * A remote server as a fetch function.
 * @param {boolean} isModern
 */
function remote(isModern) {
	const common = isModern ? { resultType: "complete" } : {};
	const lasting = isModern ? { ttlMs: 60_000, cacheScope: "public" } : {};
	const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {} };
	const serverInfo = { name: "remote", title: "Remote", version: "1.0.0" };
	const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
	const outputSchema = { type: "object", properties: { text: { type: "string" } } };
	/** @type {Record<string, (params: any, id: unknown) => any>} */
	const results = {
		"tools/list": ({ cursor }) =>
			cursor === undefined
				? { tools: [{ name: "echo", description: "Says it again.", inputSchema }], nextCursor: "2", ...lasting }
				: { tools: [{ name: "more", title: "More", inputSchema, outputSchema, annotations: {} }], ...lasting },
		"resources/list": () => ({ resources: [{ uri: "file:///a", name: "a", mimeType: "text/plain" }], ...lasting }),
		"resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "file:///{a}", name: "a" }], ...lasting }),
		"resources/read": ({ uri }) => ({ contents: [{ uri, text: "á" }], ...lasting }),
		"prompts/list": () => ({ prompts: [{ name: "p", arguments: [{ name: "a", required: true }] }], ...lasting }),
		"prompts/get": () => ({ messages: [{ role: "user", content: { type: "text", text: "p" } }] }),
		"completion/complete": () => ({ completion: { values: ["a"], total: 1, hasMore: false } }),
	};
	/** @param {URL | string} _url @param {any} init */
	return async (_url, init) => {
		if (init.method === "DELETE") return new Response(null, { status: 204 });
		if (init.method === "GET") return new Response(null, { status: 405 });
		const { method, id, params = {} } = JSON.parse(init.body);
		/** @param {any} result */
		const answer = (result) => ({ jsonrpc: "2.0", id, result: { ...common, ...result } });
		/** @param {number} code @param {string} message */
		const refusal = (code, message) => ({ jsonrpc: "2.0", id, error: { code, message, data: { why: message } } });
		if (id === undefined) return new Response(null, { status: 202 });
		if (method === "server/discover" && isModern) {
			// More than the capacity that Rust's lists begin with.
			const supportedVersions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
			return json(answer({ supportedVersions, capabilities, serverInfo, instructions: "Ask.", ...lasting }));
		}
		if (method === "server/discover") return new Response("Bad Request: no session", { status: 400 });
		if (method === "initialize") {
			const { protocolVersion } = params;
			return json(answer({ protocolVersion, capabilities, serverInfo }), { "mcp-session-id": "s-1" });
		}
		const result = results[method]?.(params, id);
		if (result) return json(answer(result));
		if (method !== "tools/call") return json(refusal(-32601, "Method not found"));
		const content = [{ type: "text", text: "hi" }];
		const progressToken = params._meta?.progressToken;
		switch (params.arguments?.text) {
			case "events":
				return events(
					{ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } },
					{ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
					answer({ content }),
				);
			case "structured":
				return json(answer({ content, structuredContent: { text: "hi" } }));
			case "tool error":
				return json(answer({ content, isError: true }));
			case "refused":
				return json(refusal(-32602, "Unknown tool: x"));
			case "status":
				return new Response("Internal Server Error", { status: 500, headers: { "content-type": "text/plain" } });
			case "cut": {
				const cut = new ReadableStream({ pull: (controller) => controller.error(new TypeError("network error")) });
				return new Response(cut, { headers: { "content-type": "text/event-stream" } });
			}
			case "nothing":
				throw new TypeError("fetch failed");
			case "never":
				return new Promise((_, reject) =>
					init.signal.addEventListener("abort", () => reject(init.signal.reason), { once: true }),
				);
		}
		return json(answer({ content }));
	};
}

/** Connects, lists, calls, and fails, in both eras. @param {{ Client: new (options: any) => any }} facade */
async function client({ Client }) {
	for (const isModern of [true, false]) {
		const options = { url: "https://example.com/mcp", fetch: remote(isModern), validateOutput: false };
		const client = new Client({ ...options, clientInfo: { name: "page", version: "1" } });
		await client.connect();
		assert.equal(client.era, isModern ? "modern" : "legacy");
		assert.equal((await client.listTools()).tools.length, 2);
		await client.listTools();
		await client.listTools({ cursor: null });
		await Promise.all([client.listResources(), client.listResourceTemplates(), client.listPrompts()]);
		await client.readResource("file:///a");
		await client.getPrompt("p", { a: "1" });
		/** @param {string} text @param {any} [options] */
		const call = (text, options) => client.callTool("echo", { text }, options);
		for (const text of ["plain", "structured", "tool error"]) await call(text);
		const seen = [];
		await call("events", { onProgress: (/** @type {any} */ progress) => seen.push(progress) });
		assert.equal(seen.length, 1);
		for (const text of ["refused", "status", "cut", "nothing"]) await assert.rejects(call(text));
		await assert.rejects(call("never", { timeoutMs: 1 }));
		const leaving = new AbortController();
		const left = call("never", { signal: leaving.signal });
		leaving.abort();
		await assert.rejects(left);
		await client.close();
	}
	// Where nothing can be reached, the rest cannot either: these must not need it.
	const page = { headers: { "content-type": "text/html" } };
	const failures = [
		() => Promise.reject(new TypeError("fetch failed")),
		...[401, 404, 502].map((status) => async () => new Response("<html>", { ...page, status })),
		async () => new Response("<html>", page),
	];
	for (const fetch of failures) {
		const client = new Client({ url: "https://example.com/mcp", fetch });
		await assert.rejects(client.connect());
		await assert.rejects(client.callTool("echo", {}));
		await client.close();
	}
	const other = new Client({ transport: transportOf(remote(true)) });
	await other.listTools();
	await other.callTool("echo", { text: "plain" });
	await other.close();
}

/** A transport of the application's own. @param {ReturnType<typeof remote>} fetch */
const transportOf = (fetch) => async (/** @type {any} */ message) =>
	(await (await fetch("", { body: JSON.stringify(message), signal: new AbortController().signal })).text()) ||
	undefined;

/** Whether a name can stand in a header as it is. @param {string} name */
const isPlain = (name) => /^[!-~]+$/.test(name);

/** @param {string} name */
const encoded = (name) => `=?base64?${Buffer.from(name).toString("base64")}?=`;

/** Is discovered and called, in both eras. @param {{ Server: new (definition: any) => any }} facade */
async function server({ Server }) {
	const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
	const server = new Server({
		...{ name: "page", title: "Page", version: "1.0.0", instructions: "Ask." },
		tools: [
			{ name: "echo", description: "Says it again.", inputSchema, handler: (/** @type {any} */ { text }) => text },
		],
		resources: [{ uri: "page://a", name: "a", mimeType: "text/plain", read: () => "a" }],
		prompts: [{ name: "p", arguments: [{ name: "a", required: true }], get: () => "p" }],
	});
	const _meta = {
		"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
		"io.modelcontextprotocol/clientCapabilities": {},
	};
	const clientInfo = { name: "c", version: "1" };
	/** @type {{ method: string, params?: any }[]} */
	const calls = [
		{ method: "tools/list" },
		{ method: "tools/call", params: { name: "echo", arguments: { text: "hi" } } },
		{ method: "tools/call", params: { name: "天气", arguments: { 城市: "北京" } } },
		{ method: "tools/call", params: { name: "echo", arguments: {} } },
		{ method: "tools/call", params: { name: "none", arguments: {} } },
		...["items", "thrown", "structured", "wrong"].map((as) => ({
			method: "tools/call",
			params: { name: "other", arguments: { as }, _meta: { progressToken: 1 } },
		})),
		{ method: "resources/list" },
		{ method: "resources/read", params: { uri: "page://a" } },
		{ method: "prompts/list" },
		{ method: "prompts/get", params: { name: "p", arguments: { a: "1" } } },
		{ method: "none" },
	];
	const modern = [{ method: "server/discover" }, ...calls].map(({ method, params }) => ({
		method,
		params: { ...params, _meta: { ...params?._meta, ..._meta } },
	}));
	const legacy = [
		{ method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } },
		{ method: "ping" },
		...calls,
	];
	let id = 0;
	for (const [version, messages] of /** @type {[string, any[]][]} */ ([
		["2026-07-28", modern],
		["2025-11-25", legacy],
	])) {
		for (const { method, params } of messages) {
			const message = { jsonrpc: "2.0", id: ++id, method, params };
			await server.handleMessage(message, { signal: new AbortController().signal, send: () => {} });
			await server.handleMessage(new TextEncoder().encode(JSON.stringify(message)));
			await server.handleMessage(JSON.stringify(message));
			const headers = new Headers({ "content-type": "application/json", "mcp-protocol-version": version });
			headers.set("accept", "application/json, text/event-stream");
			headers.set("mcp-method", method);
			const name = params?.name ?? params?.uri;
			if (name && method.includes("/")) headers.set("mcp-name", isPlain(name) ? name : encoded(name));
			const init = { method: "POST", headers, body: JSON.stringify(message) };
			await (await server.fetch(new Request("http://localhost/mcp", init))).text();
		}
		const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
		await server.handleMessage(version === "2025-11-25" ? notification : { ...notification, params: { _meta } });
	}
	server.close();
}

const { provide } = await load("lib/core.js");
const { instantiate } = await load(`wasm/${name}.js`);
provide({ kinds: kinds.split(","), instantiate, compile: () => module });
if (kinds.includes("client")) await client(await load("lib/client.js"));
if (kinds.includes("server")) await server(await load("lib/server.js"));
process.stdout.write(JSON.stringify([...ran].sort((a, b) => a - b)));
