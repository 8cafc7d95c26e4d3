// The package straight from its folder, in every kind of place that a browser has for a module:
// nobody calls init, nothing is bundled, nothing appears on the console.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installed } from "../../scripts/link.mjs";
import { serve } from "../../scripts/serve.mjs";
import { assertQuiet, openChromium, outcome, pageOf } from "./chromium.mjs";

/** A client and a server in one place, and a call with text outside ASCII. */
const talk = (/** @type {string} */ imports) => `${imports}
export default async function talk() {
	const server = new Server({
		name: "here",
		version: "1.0.0",
		tools: [{ name: "greet_北京", inputSchema: { type: "object", properties: { who: { type: "string" } } }, handler: ({ who }) => "你好，" + who }],
	});
	const transport = (message, { signal, onMessage }) => server.handleMessage(message, { signal, send: onMessage });
	const client = new Client({ transport });
	const { content } = await client.callTool("greet_北京", { who: "北京" });
	return client.era + ": " + content[0].text;
}
`;
const all = talk('import { Client, Server } from "/pkg/index.web.js";');
const ANSWER = "modern: 你好，北京";

/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
before(async () => {
	chromium = await openChromium();
});
after(() => chromium?.close());

/**
 * Serves the package and a page, opens it, and gives its outcome with what was fetched.
 * @param {Parameters<typeof serve>[0]} options
 */
async function visit(options) {
	/** @type {string[]} */
	const fetched = [];
	const site = await serve({
		folders: { "/pkg/": installed },
		...options,
		answer: (url, request) => {
			fetched.push(url.pathname);
			return options.answer?.(url, request);
		},
	});
	try {
		const opened = await chromium.open(`${site.url}/`);
		try {
			const result = await outcome(opened);
			return {
				result,
				opened,
				wasm: fetched.filter((path) => path.endsWith(".wasm")),
				text: fetched.filter((path) => path.includes("/inline/")),
			};
		} finally {
			await opened.close();
		}
	} finally {
		await site.stop();
	}
}

/** @param {string} policy */
const csp = (policy) => () => ({ "content-security-policy": policy });

test("a page needs no init", async () => {
	const { result, opened, wasm, text } = await visit({ pages: pageOf(all) });
	assert.equal(result, ANSWER);
	assert.deepEqual({ wasm, text }, { wasm: ["/pkg/wasm/duet_first.wasm"], text: [] });
	assertQuiet(opened);
});

test("a module worker needs no init", async () => {
	const { result, opened } = await visit({
		pages: {
			...pageOf(`export default () => new Promise((resolve, reject) => {
				const worker = new Worker("/worker.js", { type: "module" });
				worker.onmessage = ({ data }) => resolve(data);
				worker.onerror = reject;
			});`),
			"/worker.js": `import talk from "/talk.js"; talk().then(postMessage, (error) => postMessage(String(error)));`,
			"/talk.js": all,
		},
	});
	assert.equal(result, ANSWER);
	assertQuiet(opened);
});

test("a module service worker needs no init", async () => {
	const { result, opened } = await visit({
		pages: {
			...pageOf(`export default async () => {
				await navigator.serviceWorker.register("/service.js", { type: "module" });
				const { active } = await navigator.serviceWorker.ready;
				const { port1, port2 } = new MessageChannel();
				const answer = new Promise((resolve) => { port1.onmessage = ({ data }) => resolve(data); });
				active.postMessage("go", [port2]);
				return answer;
			};`),
			"/service.js": `import talk from "/talk.js";
				addEventListener("message", (event) => {
					const [port] = event.ports;
					event.waitUntil(talk().then((said) => port.postMessage(said), (error) => port.postMessage(String(error))));
				});`,
			"/talk.js": all,
		},
	});
	assert.equal(result, ANSWER);
	assertQuiet(opened);
});

test("a policy with 'wasm-unsafe-eval' is enough", async () => {
	const headers = csp("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:");
	const { result, opened, text } = await visit({ pages: pageOf(all), headers });
	assert.equal(result, ANSWER);
	assert.deepEqual(text, []);
	assertQuiet(opened);
});

test("where nothing may be fetched, the wasm comes as text", async () => {
	const headers = csp("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'none'; img-src data:");
	const { result, opened, wasm, text } = await visit({ pages: pageOf(all), headers });
	assert.equal(result, ANSWER);
	assert.deepEqual({ wasm, text }, { wasm: [], text: ["/pkg/inline/duet.js"] });
	// The browser itself reports what its policy refused, and nothing else is said.
	assert.ok(opened.problems.length > 0);
	for (const problem of opened.problems) assert.match(problem, /Content Security Policy|Refused to connect/i);
});

test("a policy without 'wasm-unsafe-eval' gives one error that names it", async () => {
	const headers = csp("default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:");
	const { result, text } = await visit({ pages: pageOf(all), headers });
	assert.equal(result.failed?.code, "WASM_FORBIDDEN");
	assert.match(result.failed.message, /script-src needs 'wasm-unsafe-eval'/);
	assert.deepEqual(text, [], "the text copy would be forbidden too");
});

test("the wasm may be served as application/octet-stream", async () => {
	const headers = (/** @type {URL} */ url) =>
		/** @type {Record<string, string>} */ (
			url.pathname.endsWith(".wasm") ? { "content-type": "application/octet-stream" } : {}
		);
	const { result, opened, text } = await visit({ pages: pageOf(all), headers });
	assert.equal(result, ANSWER);
	assert.deepEqual(text, []);
	assertQuiet(opened);
});

test("a wasm that is served as one is compiled while it comes", async () => {
	const { result } = await visit({
		pages: pageOf(`${all.replace("export default async", "async")}
const how = [];
for (const name of ["compile", "compileStreaming"]) {
	const usual = WebAssembly[name];
	WebAssembly[name] = (given) => (how.push(name), usual(given));
}
export default async () => [await talk(), ...how];`),
	});
	assert.deepEqual(result, [ANSWER, "compileStreaming"]);
});

for (const [what, status, body, type] of /** @type {const} */ ([
	["missing", 404, "no such file", "text/html"],
	["answered with the start page", 200, "<!doctype html><title>app</title>", "text/html"],
	["cut short", 200, "\0asm\x01", "application/octet-stream"],
	["cut short, though served as one,", 200, "\0asm\x01", "application/wasm"],
])) {
	test(`a wasm file that is ${what} is replaced by its text copy`, async () => {
		const { result, text } = await visit({
			pages: pageOf(all),
			answer: (url) =>
				url.pathname.endsWith(".wasm") ? { status, headers: { "content-type": type }, body } : undefined,
		});
		assert.equal(result, ANSWER);
		assert.deepEqual(text, ["/pkg/inline/duet.js"]);
	});
}

test("client and server entries bring a wasm each", async () => {
	const module = talk('import { Client } from "/pkg/client.web.js"; import { Server } from "/pkg/server.web.js";');
	const { result, opened, wasm } = await visit({ pages: pageOf(module) });
	assert.equal(result, ANSWER);
	assert.deepEqual(wasm.sort(), ["/pkg/wasm/client_first.wasm", "/pkg/wasm/server_first.wasm"]);
	assertQuiet(opened);
});

test("a page loads the rest of a client once a call needs it, and goes on as if it had been there", async () => {
	const { result, opened, wasm } = await visit({
		pages: pageOf(`import { Client } from "/pkg/client.web.js";
			import { Server } from "/pkg/server.web.js";
			const tool = { name: "t", inputSchema: { type: "object" }, handler: () => "called" };
			const server = new Server({ name: "here", version: "1.0.0", tools: [tool] });
			export default async () => {
				const fetch = (url, init) => server.fetch(new Request(url, init));
				const client = new Client({ url: "https://example.com/mcp", fetch });
				const seen = [(await client.callTool("t")).content[0].text];
				const parts = () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("_rest.wasm")).length;
				seen.push(parts());
				const subscribed = client.subscribe({ toolsListChanged: true });
				// Calls beside it go their way meanwhile.
				const beside = client.callTool("t");
				seen.push((await beside).content[0].text, typeof (await subscribed), parts());
				await client.close();
				return seen.join();
			};`),
	});
	assert.equal(result, "called,0,called,object,1");
	assert.deepEqual(
		wasm.sort(),
		["client_first", "client_rest", "server_first"].map((name) => `/pkg/wasm/${name}.wasm`),
	);
	assertQuiet(opened);
});

test("a client whose rest cannot be loaded says so and begins anew", async () => {
	let isMissing = true;
	const { result } = await visit({
		pages: pageOf(`import { Client } from "/pkg/client.web.js";
			import { Server } from "/pkg/server.web.js";
			const server = new Server({ name: "here", version: "1.0.0", tools: [] });
			export default async () => {
				const fetch = (url, init) => server.fetch(new Request(url, init));
				const client = new Client({ url: "https://example.com/mcp", fetch });
				await client.connect();
				const first = await client.subscribe({ toolsListChanged: true }).catch((error) => error.code);
				const second = await client.subscribe({ toolsListChanged: true });
				await client.close();
				return first + " " + typeof second;
			};`),
		answer: (url) => {
			if (!url.pathname.endsWith("_rest.wasm") || !isMissing) return undefined;
			isMissing = false;
			return { status: 404, headers: {}, body: "" };
		},
	});
	assert.equal(result, "CORE_NOT_LOADED object");
});

test("all entries in one page share one wasm and their classes", async () => {
	const module = talk(`import { Client } from "/pkg/client.web.js"; import { Server } from "/pkg/server.web.js";
		import * as everything from "/pkg/index.web.js";
		if (everything.Client !== Client || everything.Server !== Server) throw new Error("two classes");`);
	const { result, opened, wasm } = await visit({ pages: pageOf(module) });
	assert.equal(result, ANSWER);
	assert.deepEqual(wasm, ["/pkg/wasm/duet_first.wasm"]);
	assertQuiet(opened);
});

test("the inline entry fetches no wasm", async () => {
	const { result, opened, wasm } = await visit({
		pages: pageOf(talk('import { Client, Server } from "/pkg/inline.js";')),
	});
	assert.equal(result, ANSWER);
	assert.deepEqual(wasm, []);
	assertQuiet(opened);
});

test("init takes a wasm that is hosted elsewhere", async () => {
	const bytes = await readFile(join(installed, "wasm/duet_bg.wasm"));
	const module = talk('import { Client, Server, init } from "/pkg/index.web.js"; await init("/elsewhere/core");');
	const { result, opened, wasm, text } = await visit({
		pages: { ...pageOf(module), "/elsewhere/core": { status: 200, headers: {}, body: bytes } },
	});
	assert.equal(result, ANSWER);
	assert.deepEqual({ wasm, text }, { wasm: [], text: [] });
	assertQuiet(opened);
});
