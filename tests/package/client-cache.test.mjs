// Results that a client keeps, through the package.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Server } from "mcp-duet";

/** A client of a server in this process, and what it asks it for. @param {any} options @param {any} [more] */
function pair(options, more) {
	/** @type {string[]} */
	const asked = [];
	const server = new Server({
		...{ name: "keeping", version: "1", capabilities: { tools: { listChanged: true } } },
		tools: [{ name: "t", inputSchema: { type: "object" }, handler: () => "done" }],
		...more,
	});
	/** @param {string} url @param {any} init */
	const fetch = (url, init) => {
		asked.push(JSON.parse(init.body).method);
		return server.fetch(new Request(url, init));
	};
	return { client: new Client({ url: "http://localhost/mcp", fetch, ...options }), server, asked };
}

/** Lists tools over a fetch that answers with that. @param {any} hints @param {any} options */
function listing(hints, options) {
	let count = 0;
	/** @param {string} _url @param {any} init */
	const fetch = async (_url, { body }) => {
		const { id, method } = JSON.parse(body);
		if (method === "server/discover") {
			return Response.json({ jsonrpc: "2.0", id, result: { supportedVersions: ["2026-07-28"], capabilities: {} } });
		}
		count++;
		return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", tools: [], count, ...hints } });
	};
	const client = new Client({ url: "http://localhost/mcp", fetch, ...options });
	/** @param {any} [more] */
	const list = async (more) => /** @type {any} */ (await client.listTools(more)).count;
	return { client, list };
}

const forEver = { ttlMs: 1e9, cacheScope: "private" };

test("nothing is kept unless that is wanted, nor what the server does not let us keep", async () => {
	const plain = listing(forEver, {});
	assert.deepEqual([await plain.list(), await plain.list()], [1, 2]);
	const { client, asked } = pair({ cache: true });
	for (let round = 0; round < 2; round++) await client.listTools();
	assert.deepEqual(asked, ["server/discover", "tools/list", "tools/list"], "our server's default is 0");
	for (const one of [plain.client, client]) await one.close();
});

test("what is kept is a value of its own every time", async () => {
	const { client, list } = listing(forEver, { cache: true });
	assert.equal(await list(), 1);
	const first = await client.listTools();
	first.tools.push(/** @type {any} */ ({ name: "added" }));
	assert.deepEqual((await client.listTools()).tools, []);
	assert.equal(await list({ cacheMode: "bypass" }), 2);
	assert.equal(await list(), 1);
	assert.equal(await list({ cacheMode: "refresh" }), 3);
	assert.equal(await list(), 3);
	await client.ping();
	await client.close();
});

test("other parameters are another request", async () => {
	const { client } = listing(forEver, { cache: true });
	const count = async (/** @type {any} */ params) =>
		/** @type {any} */ (await client.request("tools/list", params)).count;
	assert.deepEqual(
		[await count({}), await count({ cursor: "x" }), await count({}), await count({ cursor: "x" })],
		[1, 2, 1, 3],
	);
	await client.close();
});

test("private results go with whoever got them; without a word for that, where tokens may change, none is kept", async () => {
	let user = "Ada";
	const named = listing(forEver, { cache: { authorizationContext: () => user }, headers: () => ({}) });
	assert.deepEqual([await named.list(), await named.list()], [1, 1]);
	user = "";
	assert.deepEqual([await named.list(), await named.list()], [2, 2]);
	user = "Ada";
	assert.equal(await named.list(), 3);
	const unnamed = listing(forEver, { cache: true, headers: () => ({}) });
	assert.deepEqual([await unnamed.list(), await unnamed.list()], [1, 2]);
	const shared = listing({ ...forEver, cacheScope: "public" }, { cache: true, headers: () => ({}) });
	assert.deepEqual([await shared.list(), await shared.list()], [1, 1]);
	for (const { client } of [named, unnamed, shared]) await client.close();
});
