// Client and server inside an edge worker, where I/O belongs to the request that started it.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installed } from "../../scripts/link.mjs";
import { startWorker } from "../../scripts/workerd.mjs";
import { root } from "../../scripts/workspace.mjs";

/** Answers with a greeting, or with the code of what went wrong; the path says which client greets. */
const SOURCE = `import { Client } from "mcp-duet/client";
let shared, target;
// Nothing may be begun here: no fetch, no timer, no randomness.
const early = new Client({ url: "http://server.example/mcp", fetch: (_, init) => fetch(target, init) });
const clients = {
	"/early": ({ SERVER }) => ((target = SERVER), early),
	"/own": ({ SERVER }) => new Client({ url: SERVER }),
	"/named-fetch": ({ SERVER }) => new Client({ url: SERVER, fetch: globalThis.fetch }),
	"/shared": ({ SERVER }) => (shared ??= new Client({ url: SERVER })),
	"/outage": () => new Client({ url: "http://127.0.0.1:1/mcp" }),
};
export default {
	async fetch(request, env) {
		const { pathname, searchParams } = new URL(request.url);
		const person = searchParams.get("person");
		const steps = [];
		try {
			const client = clients[pathname](env);
			const { content } = await client.callTool("greet_北京", { person });
			await client.callTool("count_down", { from: 2, pauseMs: 10 }, { onProgress: ({ progress }) => steps.push(progress) });
			return Response.json([client.era, content[0].text, steps]);
		} catch (error) {
			return Response.json([error.name, error.code]);
		}
	},
};`;

/** @type {import("../../scripts/workerd.mjs").RunningWorker} */
let server;
/** @type {import("../../scripts/workerd.mjs").RunningWorker} */
let worker;
before(async () => {
	const packages = { "mcp-duet": installed };
	server = await startWorker({ main: join(root, "www/worker.js"), packages });
	const env = { SERVER: `${server.url}/mcp` };
	worker = await startWorker({ main: join(root, "tests/browser/edge.js"), source: SOURCE, packages, env });
});
after(async () => {
	await worker?.stop();
	await server?.stop();
});

/** @param {string} path @param {string} [person] */
async function ask(path, person = "Ada") {
	const url = `${worker.url}${path}?person=${encodeURIComponent(person)}`;
	const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
	return response.json();
}

/** @param {string} person */
const greeted = (person) => ["modern", `你好，${person}！欢迎来到北京。`, [1, 2]];

// CT-21
test("a client calls with the worker's fetch, named or not", async () => {
	assert.deepEqual(await ask("/own"), greeted("Ada"));
	assert.deepEqual(await ask("/named-fetch"), greeted("Ada"));
});

// CT-27
test("a client that is made when the worker starts serves the requests of later, one by one and at once", async () => {
	assert.deepEqual(await ask("/early"), greeted("Ada"));
	const people = ["北", "京", "上", "海"];
	assert.deepEqual(await Promise.all(people.map((person) => ask("/early", person))), people.map(greeted));
});

// CT-27
test("requests at once share a client, from its first call on", async () => {
	const people = Array.from({ length: 8 }, (_, index) => `北京 ${index}`);
	assert.deepEqual(await Promise.all(people.map((person) => ask("/shared", person))), people.map(greeted));
	assert.deepEqual(await ask("/shared"), greeted("Ada"), "and after the requests that connected it are gone");
});

test("a server that is not there is an error that is ours", async () => {
	assert.deepEqual(await ask("/outage"), ["McpError", "NETWORK"]);
});

/** A server whose instance of the core can be broken from outside. */
const BROKEN = `import { Server } from "mcp-duet/server";
const instances = [];
const Instance = WebAssembly.Instance;
WebAssembly.Instance = function (...given) {
	const instance = new Instance(...given);
	instances.push(instance);
	return instance;
};
const tools = [{ name: "greet", inputSchema: { type: "object" }, handler: () => "你好" }];
const server = new Server({ name: "here", version: "1.0.0", tools });
export default {
	fetch(request) {
		if (request.method !== "DELETE") return server.fetch(request);
		// Memory full of ones: whatever pointer or length is read next leads nowhere.
		new Uint8Array(instances.at(-1).exports.memory.buffer).fill(0xff);
		return new Response(String(instances.length));
	},
};`;

test("a trap in a worker costs one request, which is told so; the isolate goes on", async () => {
	const source = join(root, "tests/browser/broken.js");
	const broken = await startWorker({ main: source, source: BROKEN, packages: { "mcp-duet": installed } });
	const call = async () => {
		const response = await fetch(broken.url, {
			method: "POST",
			headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
			body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{}}}',
			signal: AbortSignal.timeout(20_000),
		});
		const { result, error } = await response.json();
		return [response.status, result?.content[0].text ?? error.message];
	};
	try {
		assert.deepEqual(await call(), [200, "你好"]);
		assert.equal(await (await fetch(broken.url, { method: "DELETE" })).text(), "1");
		const [status, message] = await call();
		assert.equal(status, 500);
		assert.match(message, /the wasm core trapped/);
		assert.deepEqual(await call(), [200, "你好"]);
		assert.equal(await (await fetch(broken.url, { method: "DELETE" })).text(), "2");
	} finally {
		await broken.stop();
	}
});
