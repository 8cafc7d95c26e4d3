// Page to worker across origins, several calls at once, callbacks that call back, and a trap.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installed } from "../../scripts/link.mjs";
import { serve } from "../../scripts/serve.mjs";
import { startWorker } from "../../scripts/workerd.mjs";
import { root } from "../../scripts/workspace.mjs";
import { assertQuiet, openChromium, outcome, pageOf } from "./chromium.mjs";

/** @type {import("../../scripts/workerd.mjs").RunningWorker} */
let worker;
/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
before(async () => {
	worker = await startWorker({ main: join(root, "www/worker.js"), packages: { "mcp-duet": installed } });
	chromium = await openChromium();
});
after(async () => {
	await chromium?.close();
	await worker?.stop();
});

/**
 * Runs the body of an async function in a page with `Client`, `Server`, `McpError` and the `url` of a server at hand.
 * @param {string} body
 * @param {string} [url]
 */
async function inPage(body, url = `${worker.url}/mcp`) {
	const module = `import { Client, McpError, Server } from "/pkg/index.web.js";
const url = ${JSON.stringify(url)};
export default async () => {${body}};`;
	const site = await serve({ folders: { "/pkg/": installed }, pages: pageOf(module) });
	try {
		const opened = await chromium.open(`${site.url}/`);
		try {
			return { result: await outcome(opened), opened };
		} finally {
			await opened.close();
		}
	} finally {
		await site.stop();
	}
}

/**
 * A server on another origin that passes requests on to the worker, if the browser lets them through.
 * @param {(requested: string[]) => string[]} allowed which request headers its preflight answer allows
 */
async function gateway(allowed) {
	/** @type {{ preflights: string[][], posts: string[] }} */
	const seen = { preflights: [], posts: [] };
	const server = await serve({
		answer: async (_, request) => {
			/** @type {Record<string, string>} */
			const cors = { "access-control-allow-origin": "*" };
			if (request.method === "OPTIONS") {
				const asked = String(request.headers["access-control-request-headers"] ?? "")
					.split(",")
					.filter(Boolean);
				seen.preflights.push(asked);
				cors["access-control-allow-headers"] = allowed(asked).join(", ");
				return { status: 204, headers: cors, body: "" };
			}
			const chunks = [];
			for await (const chunk of request) chunks.push(chunk);
			const body = Buffer.concat(chunks);
			if (request.method === "POST") seen.posts.push(JSON.parse(body.toString()).method);
			/** @type {Record<string, string>} */
			const headers = {};
			for (const [name, value] of Object.entries(request.headers)) {
				if (/^(mcp-|accept$|content-type$)/.test(name)) headers[name] = String(value);
			}
			const init = request.method === "POST" ? { body } : {};
			const answer = await fetch(`${worker.url}/mcp`, { method: request.method, headers, ...init });
			const type = answer.headers.get("content-type");
			return {
				status: answer.status,
				headers: { ...cors, ...(type && { "content-type": type }) },
				body: Buffer.from(await answer.arrayBuffer()),
			};
		},
	});
	return { ...server, url: `${server.url}/mcp`, seen };
}

// CT-25, CT-26
test("a page on another origin connects, and its preflight asks for the headers of the era", async () => {
	const { url, seen, stop } = await gateway((asked) => asked);
	const { result, opened } = await inPage(
		`const client = new Client({ url });
		await client.listTools();
		const { content } = await client.callTool("get_weather", { city: "北京" });
		await client.close();
		return [client.era, content[0].text.split("\\n")[0]];`,
		url,
	);
	await stop();
	assert.deepEqual(result, ["modern", "北京"]);
	const asked = new Set(seen.preflights.flat());
	for (const header of ["content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-param-city"])
		assert.ok(asked.has(header), header);
	for (const header of asked)
		assert.match(header, /^(content-type|mcp-[a-z-]+)$/, "nothing that a server need not know");
	assertQuiet(opened);
});

test("a server whose CORS answer knows only legacy headers is used in the legacy era", async () => {
	const { url, seen, stop } = await gateway(() => ["content-type", "mcp-protocol-version", "mcp-session-id"]);
	const { result } = await inPage(
		`const client = new Client({ url });
		await client.connect();
		const { content } = await client.callTool("greet_北京", { person: "Ada" });
		return [client.era, content[0].text];`,
		url,
	);
	await stop();
	assert.deepEqual(result, ["legacy", "你好，Ada！欢迎来到北京。"]);
	assert.deepEqual(seen.posts, ["initialize", "notifications/initialized", "tools/call"]);
});

// CT-26
test("a parameter's header that the server's CORS answer forbids is named, and not left out", async () => {
	const { url, seen, stop } = await gateway((asked) => asked.filter((header) => header !== "mcp-param-city"));
	const { result } = await inPage(
		`const client = new Client({ url });
		await client.listTools();
		const failed = await client.callTool("get_weather", { city: "北京" }).catch((error) => error);
		const { content } = await client.callTool("greet_北京", { person: "Ada" });
		return [failed.code, failed.message, content[0].text];`,
		url,
	);
	await stop();
	assert.equal(result[0], "NETWORK");
	assert.match(result[1], /must allow the request headers .*mcp-param-city/i);
	assert.equal(result[2], "你好，Ada！欢迎来到北京。", "and other calls go on");
	assert.equal(seen.posts.filter((method) => method === "tools/call").length, 1, "nothing was sent without it");
});

// CT-32
test("three clients that listen leave room for streamed calls, whose streams are let go with their answers", async () => {
	let open = 0;
	const server = createServer(async (request, response) => {
		const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
		if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
		const result = {
			resultType: "complete",
			supportedVersions: ["2026-07-28"],
			capabilities: { tools: { listChanged: true } },
		};
		if (method === "server/discover") {
			response.writeHead(200, { ...cors, "content-type": "application/json" });
			return response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
		}
		open++;
		response.on("close", () => open--);
		// None of these streams is ended by the server.
		response.writeHead(200, { ...cors, "content-type": "text/event-stream" });
		const _meta = { "io.modelcontextprotocol/subscriptionId": id };
		const granted = {
			method: "notifications/subscriptions/acknowledged",
			params: { _meta, notifications: { toolsListChanged: true } },
		};
		const said = method === "subscriptions/listen" ? granted : { id, result: { content: [] } };
		response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...said })}\n\n`);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
	const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
	const { result } = await inPage(
		`const clients = [1, 2, 3].map(() => new Client({ url, timeoutMs: 15_000 }));
		for (const client of clients) {
			await client.subscribe({ toolsListChanged: true });
			await client.subscribe({ toolsListChanged: true });
		}
		const calls = await Promise.all(clients.flatMap((client) => [1, 2, 3, 4].map(() => client.callTool("t"))));
		return calls.length;`,
		`http://127.0.0.1:${port}/mcp`,
	);
	assert.equal(result, 12);
	assert.ok(open <= 6, `${open} streams are open`);
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

// CT-25
test("what a server's CORS answer forbids is an error that names the headers to allow", async () => {
	const { url, stop } = await gateway(() => []);
	const { result } = await inPage(
		`const client = new Client({ url });
		try { await client.connect(); } catch (error) { return [error instanceof McpError, error.code, error.message]; }`,
		url,
	);
	await stop();
	assert.deepEqual(result.slice(0, 2), [true, "NETWORK"]);
	for (const header of ["content-type", "mcp-protocol-version", "mcp-method", "mcp-name"])
		assert.ok(result[2].includes(header), header);
});

test("a redirect in a page is followed, but never with the application's headers", async () => {
	/** @type {string[]} */
	const arrived = [];
	const cors = {
		"access-control-allow-origin": "*",
		"access-control-allow-headers": "*",
		"access-control-max-age": "0",
	};
	const elsewhere = await serve({
		answer: async (_, request) => {
			arrived.push(`${request.method} ${request.headers["x-api-key"]}`);
			if (request.method === "OPTIONS") return { status: 204, headers: cors, body: "" };
			const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };
			const body = JSON.stringify({ jsonrpc: "2.0", id: "discover-1", result });
			return { status: 200, headers: { ...cors, "content-type": "application/json" }, body };
		},
	});
	const moved = await serve({
		answer: async (_, request) =>
			request.method === "OPTIONS"
				? { status: 204, headers: cors, body: "" }
				: { status: 307, headers: { ...cors, location: `${elsewhere.url}/mcp` }, body: "" },
	});
	const { result } = await inPage(
		`const bare = new Client({ url });
		await bare.connect();
		const keyed = new Client({ url, headers: { "x-api-key": "secret" } });
		return [bare.era, await keyed.connect().catch((error) => [error.code, error.message])];`,
		`${moved.url}/mcp`,
	);
	await moved.stop();
	await elsewhere.stop();
	assert.equal(result[0], "modern");
	assert.equal(result[1][0], "NETWORK");
	assert.match(result[1][1], /the server redirects/);
	assert.ok(arrived.includes("POST undefined"));
	assert.ok(!arrived.some((request) => request.includes("secret")), arrived.join());
});

// CT-21
test("the global fetch, named or not, and a function of one's own are called as functions", async () => {
	const { result, opened } = await inPage(`
		const receivers = [];
		function own(input, init) { "use strict"; receivers.push(this); return fetch(input, init); }
		for (const options of [{}, { fetch: globalThis.fetch }, { fetch: own }]) {
			const client = new Client({ url, ...options });
			await client.listTools();
			await client.close();
		}
		return [receivers.length > 0, receivers.every((receiver) => receiver === undefined)];`);
	assert.deepEqual(result, [true, true]);
	assertQuiet(opened);
});

test("twenty calls at once, from the first moment, each get their own answer", async () => {
	const { result, opened } = await inPage(`
		const client = new Client({ url });
		const names = Array.from({ length: 20 }, (_, index) => "北京 " + index);
		const results = await Promise.all(names.map((person) => client.callTool("greet_北京", { person })));
		return results.filter(({ content }, index) => content[0].text.startsWith("你好，" + names[index] + "！")).length;`);
	assert.equal(result, 20);
	assertQuiet(opened);
});

test("a callback may call, list and abort", async () => {
	const { result, opened } = await inPage(`
		const client = new Client({ url });
		const controller = new AbortController();
		const inner = [];
		const onProgress = ({ progress }) => {
			if (progress === 1) inner.push(client.callTool("greet_北京", { person: "Ada" }), client.listTools());
			if (progress === 3) controller.abort(new Error("enough"));
		};
		const long = await client.callTool("count_down", { from: 50, pauseMs: 30 }, { onProgress, signal: controller.signal }).catch((error) => error.message);
		const [greeting, { tools }] = await Promise.all(inner);
		const after = await client.callTool("divide", { dividend: 1, divisor: 4 });
		return [long, greeting.content[0].text.slice(0, 7), tools.length, after.content[0].text];`);
	assert.deepEqual(result, ["enough", "你好，Ada！", 6, "0.25"]);
	assertQuiet(opened);
});

test("close rejects what is pending, and whatever is called afterwards", async () => {
	const { result, opened } = await inPage(`
		const client = new Client({ url });
		await client.connect();
		const code = (error) => error.code;
		const pending = client.callTool("count_down", { from: 50, pauseMs: 100 }).then(() => "answered", code);
		await client.close();
		return [await pending, await client.listTools().then(() => "answered", code)];`);
	assert.deepEqual(result, ["CLOSED", "CLOSED"]);
	assertQuiet(opened);
});

test("mounting twice, as React's strict mode does, leaves the second client working", async () => {
	const { result, opened } = await inPage(`
		const mount = () => {
			const client = new Client({ url });
			return { listing: client.listTools().then(({ tools }) => tools.length, (error) => error.code), unmount: () => client.close() };
		};
		const first = mount();
		await first.unmount();
		const second = mount();
		return [await first.listing, await second.listing];`);
	assert.deepEqual(result, ["CLOSED", 6]);
	assertQuiet(opened);
});

test("a trap rejects what is pending, and the next call works", async () => {
	const { result, opened } = await inPage(`
		const instances = [];
		const Instance = WebAssembly.Instance;
		WebAssembly.Instance = function (...given) {
			const instance = new Instance(...given);
			instances.push(instance);
			return instance;
		};
		let entered, release;
		const running = new Promise((resolve) => { entered = resolve; });
		const gate = new Promise((resolve) => { release = resolve; });
		const schema = { type: "object" };
		const server = new Server({ name: "here", version: "1.0.0", tools: [
			{ name: "wait", inputSchema: schema, handler: () => { entered(); return gate; } },
			{ name: "greet", inputSchema: schema, handler: () => "你好" },
		] });
		const client = new Client({ transport: (message, { signal, onMessage }) => server.handleMessage(message, { signal, send: onMessage }) });
		const greet = () => client.callTool("greet").then(({ content }) => content[0].text, (error) => error.code);
		const outcomes = [await greet()];
		const pending = client.callTool("wait").then(() => "answered", (error) => error.code);
		await running;
		// Memory full of ones: whatever pointer or length is read next leads nowhere.
		new Uint8Array(instances[0].exports.memory.buffer).fill(0xff);
		outcomes.push(await greet(), await pending, await greet(), await greet());
		release("late");
		return { outcomes, instances: instances.length };`);
	// The second is the rest of the first, where what the call lacks might have been.
	assert.deepEqual(result, { outcomes: ["你好", "CORE_CRASHED", "CORE_CRASHED", "你好", "你好"], instances: 3 });
	assertQuiet(opened);
});
