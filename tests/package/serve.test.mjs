// A server behind node:http, and a client behind a proxy.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { Client } from "mcp-duet/client";
import { proxyFetch, serve } from "mcp-duet/node";
import { Server } from "mcp-duet/server";

const tool = (/** @type {string} */ name, /** @type {any} */ handler) => ({
	name,
	inputSchema: /** @type {const} */ ({ type: "object" }),
	handler,
});

test("clients call it over HTTP, with progress as it comes and long texts whole", async (t) => {
	const server = new Server({
		name: "s",
		version: "1",
		tools: [
			tool("echo", (/** @type {any} */ { text }) => text),
			tool("steps", async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
				for (const step of [1, 2, 3]) ctx.sendProgress(step, 3);
				return "done";
			}),
		],
	});
	const listening = await serve(server, {});
	t.after(listening.close);
	assert.match(listening.url, /^http:\/\/127\.0\.0\.1:\d+$/);
	for (const versionNegotiation of /** @type {const} */ (["auto", "legacy"])) {
		const client = new Client({ url: `${listening.url}/mcp`, versionNegotiation });
		const text = "北京".repeat(500_000);
		assert.equal(/** @type {any} */ ((await client.callTool("echo", { text })).content[0]).text, text);
		/** @type {number[]} */
		const seen = [];
		await client.callTool("steps", {}, { onProgress: ({ progress }) => seen.push(progress) });
		assert.deepEqual(seen, [1, 2, 3]);
		await client.close();
	}
});

test("a client that goes away aborts the request, and what it reads slowly is made slowly", async (t) => {
	let pulled = 0;
	/** @type {(reason?: any) => void} */
	let gone = () => {};
	const aborted = new Promise((resolve) => {
		gone = resolve;
	});
	const listening = await serve((request) => {
		request.signal.addEventListener("abort", () => gone("aborted"));
		return new Response(
			new ReadableStream({
				pull(controller) {
					pulled++;
					controller.enqueue(new Uint8Array(64 * 1024));
				},
				cancel: () => gone("cancelled"),
			}),
		);
	});
	t.after(listening.close);
	const stop = new AbortController();
	const response = await fetch(listening.url, { signal: stop.signal });
	const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
	await reader.read();
	// As much as the pipes hold, and no more.
	let before = -1;
	while (before !== pulled) {
		before = pulled;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	assert.ok(pulled < 1000, `${pulled} pieces were made`);
	stop.abort();
	assert.match(String(await aborted), /aborted|cancelled/);
});

test("what a request left behind is waited for before it closes, and a failure is a 500", async (t) => {
	let finished = false;
	/** @type {any[]} */
	const errors = [];
	const listening = await serve(
		(request, { waitUntil }) => {
			if (request.url.endsWith("/broken")) throw new Error("broken");
			waitUntil(
				new Promise((resolve) => setImmediate(resolve)).then(() => {
					finished = true;
				}),
			);
			const headers = new Headers([
				["set-cookie", "a=1"],
				["set-cookie", "b=2"],
			]);
			return new Response(`${request.method} ${new URL(request.url).pathname}`, { status: 201, headers });
		},
		{ onError: (/** @type {any} */ error) => errors.push(error) },
	);
	t.after(listening.close);
	const response = await fetch(`${listening.url}/path`, { method: "POST", body: "x" });
	assert.deepEqual([response.status, await response.text()], [201, "POST /path"]);
	assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
	assert.equal((await fetch(`${listening.url}/broken`)).status, 500);
	assert.equal(errors[0].message, "broken");
	await listening.close();
	assert.equal(finished, true);
	await assert.rejects(fetch(listening.url));
});

test("a request whose host makes no URL is a 400, and no failure of the server", async (t) => {
	/** @type {unknown[]} */
	const errors = [];
	const { port, close } = await serve(() => new Response("fine"), { onError: (error) => errors.push(error) });
	t.after(close);
	const status = await new Promise((resolve, reject) => {
		const socket = connect(port, "127.0.0.1", () =>
			socket.write("GET / HTTP/1.1\r\nHost: a b%\r\nConnection: close\r\n\r\n"),
		);
		socket.once("error", reject).once("data", (bytes) => resolve(String(bytes).split("\r\n")[0]));
	});
	assert.equal(status, "HTTP/1.1 400 Bad Request");
	assert.deepEqual(errors, []);
});

test("a client calls through a proxy, named or from the environment", async (t) => {
	/** @type {string[]} */
	const tunnels = [];
	const proxy = createServer((_request, response) => void response.writeHead(405).end());
	proxy.on("connect", (request, socket, head) => {
		tunnels.push(String(request.url));
		const [host, port] = String(request.url).split(":");
		const other = connect(Number(port), host, () => {
			socket.write("HTTP/1.1 200 OK\r\n\r\n");
			other.write(head);
			other.pipe(socket).pipe(other);
		});
		for (const end of [socket, other]) end.on("error", () => {});
	});
	await new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve(undefined)));
	const { port } = /** @type {import("node:net").AddressInfo} */ (proxy.address());
	const at = `http://127.0.0.1:${port}`;
	const listening = await serve(new Server({ name: "s", version: "1", tools: [tool("t", () => "fine")] }));
	t.after(async () => {
		await listening.close();
		proxy.closeAllConnections();
		await new Promise((resolve) => proxy.close(resolve));
	});
	const before = { ...process.env };
	Object.assign(process.env, { http_proxy: at, no_proxy: "" });
	t.after(() => {
		for (const name of ["http_proxy", "no_proxy"]) {
			if (before[name] === undefined) delete process.env[name];
			else process.env[name] = before[name];
		}
	});
	for (const way of [at, new URL(at), "env"]) {
		const client = new Client({ url: `${listening.url}/mcp`, fetch: proxyFetch(way) });
		assert.equal(/** @type {any} */ ((await client.callTool("t")).content[0]).text, "fine");
		await client.close();
		assert.equal(tunnels.pop(), `127.0.0.1:${listening.port}`);
		tunnels.length = 0;
	}
	assert.throws(
		() => proxyFetch("nonsense"),
		(/** @type {any} */ error) => error.code === "INVALID_ARGUMENT",
	);
});
