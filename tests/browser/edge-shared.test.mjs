// One client for the requests of an edge worker, whose I/O ends with them and may be touched by no other.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installed } from "../../scripts/link.mjs";
import { startWorker } from "../../scripts/workerd.mjs";
import { root } from "../../scripts/workspace.mjs";

/** What is asked, of the client of the server that the path names. */
const SOURCE = `import { Client } from "mcp-duet/client";
const clients = {};
const steps = {
	"/call": async (client, id) => {
		const { content } = await client.callTool("echo", { id });
		return [client.era, content[0].text];
	},
	"/ask": async (client, id) => (await client.callTool("ask", { id })).content[0].text,
	"/short-call": async (client, id) => {
		const { content } = await client.callTool("echo", { id }, { timeoutMs: 3_000 });
		return [client.era, content[0].text];
	},
	"/list": async (client) => (await client.listTools()).tools.length,
	"/connect": async (client) => (await client.connect(), client.era),
	"/close": async (client) => (await client.close(), "closed"),
	"/subscribe": async (client) => {
		const heard = [];
		const { closed } = await client.subscribe(
			{ toolsListChanged: true },
			{ onNotification: ({ method }) => heard.push(method) },
		);
		return [await closed, heard];
	},
	"/wait": (client) => client.callTool("wait", {}),
	"/short": (client) => client.callTool("wait", {}, { timeoutMs: 300 }),
};
export default {
	async fetch(request, env) {
		const { pathname, searchParams } = new URL(request.url);
		const name = searchParams.get("client");
		const handlers = { "elicitation/create": async () => ({ action: "accept", content: { city: "北京" } }) };
		const capabilities = { elicitation: { form: {} } };
		const url = env.SERVER + searchParams.get("server");
		clients[name] ??= new Client({ url, handlers, capabilities, timeoutMs: 5_000 });
		try {
			return Response.json(await steps[pathname](clients[name], searchParams.get("id")));
		} catch (error) {
			return Response.json([error.name, error.code]);
		}
	},
};`;

/**
 * The servers, by path. What a request is held for is never answered.
 * @type {Map<string, { held: string[], seen: string[], onHeld: () => void, onGone: () => void }>}
 */
const servers = new Map();

/**
 * @param {string} path the era, and anything
 * @param {string[]} held methods, each of whose first request is never answered
 */
function serve(path, held = []) {
	/** @type {string[]} */
	const seen = [];
	/** @type {(value?: unknown) => void} */
	let onHeld = () => {};
	/** @type {(value?: unknown) => void} */
	let onGone = () => {};
	const heldOne = new Promise((resolve) => (onHeld = resolve));
	const gone = new Promise((resolve) => (onGone = resolve));
	servers.set(path, { held, seen, onHeld, onGone });
	return { path, seen, held: heldOne, gone };
}

/** @param {any} message @param {boolean} isModern */
function answer({ method, params }, isModern) {
	const input = {
		r: {
			method: "elicitation/create",
			params: { message: "?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } },
		},
	};
	if (method === "tools/call" && params.name === "ask" && !params.inputResponses) {
		return { resultType: "input_required", inputRequests: input };
	}
	const text = params?.inputResponses?.r.content.city ?? String(params?.arguments?.id);
	/** @type {Record<string, any>} */
	const results = {
		"server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true } } },
		initialize: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } },
		"tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
		"tools/call": { content: [{ type: "text", text }] },
	};
	return results[method] && { ...results[method], ...(isModern && { resultType: "complete" }) };
}

const server = createServer(async (asked, response) => {
	const own = /** @type {any} */ (servers.get(String(asked.url)));
	const isModern = String(asked.url).startsWith("/modern");
	let body = "";
	for await (const chunk of asked) body += chunk;
	if (asked.method !== "POST") return void response.writeHead(asked.method === "GET" ? 405 : 204).end();
	const message = JSON.parse(body);
	own.seen.push(message.method);
	const at = own.held.indexOf(message.method);
	if (at >= 0 || message.params?.name === "wait") {
		if (at >= 0) own.held.splice(at, 1);
		own.onHeld();
		response.on("close", own.onGone);
		return;
	}
	if (message.id === undefined) return void response.writeHead(202).end();
	if (message.method === "subscriptions/listen") {
		const params = {
			_meta: { "io.modelcontextprotocol/subscriptionId": message.id },
			notifications: { toolsListChanged: true },
		};
		const tell = (/** @type {any} */ more) =>
			response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...more })}\n\n`);
		response.writeHead(200, { "content-type": "text/event-stream" });
		tell({ method: "notifications/subscriptions/acknowledged", params });
		if (own.seen.filter((/** @type {string} */ method) => method === message.method).length === 1) {
			own.onHeld();
			response.on("close", own.onGone);
			return;
		}
		tell({ method: "notifications/tools/list_changed", params });
		tell({ id: message.id, result: { resultType: "complete" } });
		return void response.end();
	}
	const result = !isModern && message.method === "server/discover" ? undefined : answer(message, isModern);
	const error = { code: -32601, message: "Method not found" };
	const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, ...(result ? { result } : { error }) });
	const status = result ? 200 : 400;
	if (message.params?.arguments?.id?.endsWith("stream")) {
		response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${text}\n\n`);
	} else response.writeHead(status, { "content-type": "application/json", "mcp-session-id": "s1" }).end(text);
});

/** @type {string} */
let origin;
/** @type {import("../../scripts/workerd.mjs").RunningWorker} */
let worker;
before(async () => {
	await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(undefined)));
	origin = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
	worker = await start();
});
after(async () => {
	await worker?.stop();
	server.closeAllConnections();
	server.close();
});

const start = () =>
	startWorker({
		main: join(root, "tests/browser/edge-shared.js"),
		source: SOURCE,
		packages: { "mcp-duet": installed },
		env: { SERVER: origin },
	});

/**
 * @param {string} step
 * @param {string} path
 * @param {string} [id]
 * @param {import("../../scripts/workerd.mjs").RunningWorker} [at]
 */
async function ask(step, path, id = "", at = worker) {
	const query = `client=${path}&server=${path}&id=${encodeURIComponent(id)}`;
	const response = await fetch(`${at.url}${step}?${query}`, { signal: AbortSignal.timeout(20_000) });
	assert.equal(response.status, 200, await response.clone().text());
	return response.json();
}

/**
 * Asks, and resets the connection as soon as it is told to: workerd ends a request for nothing less.
 * @param {string} step
 * @param {string} path
 * @param {Promise<unknown>} told
 */
function askInVain(step, path, told) {
	return new Promise((resolve, reject) => {
		const sent = request(`${worker.url}${step}?client=${path}&server=${path}`);
		sent.on("response", () => reject(new Error("an answer came")));
		sent.on("error", resolve);
		sent.end();
		told.then(() => sent.socket?.resetAndDestroy());
	});
}

/** Nothing may be left unhandled, nor hang. @param {import("../../scripts/workerd.mjs").RunningWorker} at */
const isQuiet = (at) => assert.equal(at.output(), "");

const ids = Array.from({ length: 8 }, (_, index) => (index % 2 ? `北京 ${index} stream` : `北京 ${index}`));

for (const era of ["modern", "legacy"]) {
	test(`eight requests at once share a ${era} client from its first call on, in a worker that has just started`, async () => {
		for (let round = 0; round < 5; round++) {
			const { path } = serve(`/${era}/cold-${round}`);
			const at = await start();
			try {
				const answers = await Promise.all(ids.map((id) => ask("/call", path, id, at)));
				assert.deepEqual(
					answers,
					ids.map((id) => [era, id]),
				);
				assert.deepEqual(await ask("/call", path, "x", at), [era, "x"], "and after they are gone");
				isQuiet(at);
			} finally {
				await at.stop();
			}
		}
	});

	test(`a ${era} connection is made once for all who want it`, async () => {
		const { path, seen } = serve(`/${era}/once`);
		const steps = ["/connect", "/connect", "/call", "/list", "/connect"];
		const answers = await Promise.all(steps.map((step) => ask(step, path, "x")));
		assert.deepEqual(answers, [era, era, [era, "x"], 1, era]);
		const opening = era === "modern" ? "server/discover" : "initialize";
		assert.equal(seen.filter((method) => method === opening).length, 1);
		isQuiet(worker);
	});

	for (const step of ["/call", "/connect"]) {
		test(`a request that ends while it connects (${step}, ${era}) leaves the connection to those who wait`, async () => {
			const opening = era === "modern" ? "server/discover" : "initialize";
			const { path, held, gone } = serve(`/${era}/ends${step}`, [opening]);
			const first = askInVain(step, path, held);
			await held;
			const waiting = ids.map((id) => ask("/call", path, id));
			await first;
			await gone;
			const later = ask("/connect", path);
			assert.deepEqual(
				await Promise.all(waiting),
				ids.map((id) => [era, id]),
			);
			assert.equal(await later, era);
			isQuiet(worker);
		});
	}

	for (const pause of [0, 1_500]) {
		test(`a request that ends while it connects leaves the connection to the next one, ${pause} ms later (${era})`, async () => {
			const { path, held, gone } = serve(`/${era}/next-${pause}`, ["server/discover"]);
			await askInVain("/call", path, held);
			await gone;
			await new Promise((later) => setTimeout(later, pause));
			assert.deepEqual(await ask("/short-call", path, "second"), [era, "second"]);
			isQuiet(worker);
		});
	}

	test(`a request that ends in a call harms no other (${era})`, async () => {
		const { path, held, gone } = serve(`/${era}/call`);
		await askInVain("/wait", path, held);
		await gone;
		assert.deepEqual(
			await Promise.all(ids.map((id) => ask("/call", path, id))),
			ids.map((id) => [era, id]),
		);
		isQuiet(worker);
	});

	test(`a call times out although nothing else happens in its request (${era})`, async () => {
		const { path } = serve(`/${era}/short`);
		assert.deepEqual(await ask("/short", path), ["McpError", "TIMED_OUT"]);
		isQuiet(worker);
	});

	test(`closing from one request ends the calls of the others (${era})`, async () => {
		const { path, held } = serve(`/${era}/close`);
		const waiting = [ask("/wait", path), ask("/wait", path)];
		await held;
		assert.equal(await ask("/close", path), "closed");
		assert.deepEqual(await Promise.all(waiting), [
			["McpError", "CLOSED"],
			["McpError", "CLOSED"],
		]);
		isQuiet(worker);
	});
}

test("requests at once are asked for input, each by its own call", async () => {
	const { path } = serve("/modern/ask");
	assert.deepEqual(
		await Promise.all(ids.map((id) => ask("/ask", path, id))),
		ids.map(() => "北京"),
	);
	isQuiet(worker);
});

test("the stream of all subscriptions is opened anew by another request when the one that holds it ends", async () => {
	const { path, held, gone } = serve("/modern/subscribe");
	const first = askInVain("/subscribe", path, held);
	await held;
	const others = [ask("/subscribe", path), ask("/subscribe", path)];
	await first;
	await gone;
	const heard = ["remote", ["notifications/tools/list_changed"]];
	assert.deepEqual(await Promise.all(others), [heard, heard]);
	isQuiet(worker);
});
