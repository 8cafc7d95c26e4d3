// Results that are kept in a store of the application: whose they are, what makes them invalid, and what its failures cost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "mcp-duet/client";

const limit = { timeout: 20_000 };
const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };

/**
 * A server over fetch that counts what it is asked. Lists have two pages; a tool tells of a change.
 * @param {{ hints?: any, tools?: any[], onList?: () => any }} [more]
 */
function counting({ hints = { ttlMs: 60_000, cacheScope: "public" }, tools = [{ name: "a" }], onList } = {}) {
	/** @type {string[]} */
	const asked = [];
	const fetch = async (/** @type {string} */ _url, /** @type {any} */ { body }) => {
		const { id, method, params } = JSON.parse(body);
		if (method === "server/discover") {
			return Response.json({ jsonrpc: "2.0", id, result: { supportedVersions: ["2026-07-28"], capabilities: {} } });
		}
		asked.push([method, params.cursor ?? params.uri].filter(Boolean).join(" "));
		if (method === "tools/call") {
			const notification = params.arguments.uri
				? { ...changed, method: "notifications/resources/updated", params: params.arguments }
				: changed;
			const said = params.name === "changes" ? [notification] : [];
			const text = [...said, { jsonrpc: "2.0", id, result: { content: [] } }].map(
				(one) => `data: ${JSON.stringify(one)}\n\n`,
			);
			return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
		}
		await onList?.();
		const page = params.cursor ? { tools: [{ name: "b" }] } : { tools, nextCursor: "more" };
		const result = { resultType: "complete", ...(method === "tools/list" ? page : { contents: [] }), ...hints };
		return Response.json({ jsonrpc: "2.0", id, result });
	};
	return { asked, fetch };
}

/** A store that takes its time. */
function slowStore() {
	/** @type {Map<string, string>} */
	const map = new Map();
	const turn = (ms = 2) => new Promise((resolve) => setTimeout(resolve, ms));
	return {
		map,
		get: async (/** @type {string} */ key) => {
			await turn();
			return map.get(key);
		},
		set: async (/** @type {string} */ key, /** @type {string} */ value) => {
			await turn(20);
			map.set(key, value);
		},
		delete: async (/** @type {string} */ key) => {
			await turn();
			map.delete(key);
		},
	};
}

/** @param {any} server @param {any} store @param {any} [more] @returns {Client} */
const clientOf = (server, store, more) => {
	const { authorizationContext, ...options } = more ?? {};
	const url = "http://localhost/mcp";
	return new Client({ url, fetch: server.fetch, cache: { store, authorizationContext }, ...options });
};

test(
	"clients share what one of them has asked for, all pages of a list too, at once or after a while",
	limit,
	async () => {
		for (const store of [new Map(), slowStore()]) {
			const server = counting();
			const first = clientOf(server, store);
			const { tools } = await first.listTools();
			await first.readResource("a:b");
			await first.readResource("a:b");
			await first.close();
			const second = clientOf(server, store);
			assert.deepEqual((await second.listTools()).tools, tools);
			assert.deepEqual((await second.readResource("a:b")).contents, []);
			assert.deepEqual(server.asked, ["tools/list", "tools/list more", "resources/read a:b"]);
			await second.close();
		}
	},
);

test("what another endpoint, another user or another resource is told is not shared", limit, async () => {
	const store = new Map();
	const hints = { ttlMs: 60_000, cacheScope: "private" };
	const server = counting({ hints });
	let user = "Ada";
	const authorizationContext = () => user;
	const named = clientOf(server, store, { authorizationContext });
	const ask = async (/** @type {Client} */ client, cursor = null) => {
		server.asked.length = 0;
		await client.listTools({ cursor });
		return server.asked.length;
	};
	assert.deepEqual([await ask(named), await ask(named)], [1, 0]);
	user = "Bob";
	assert.deepEqual([await ask(named), await ask(named)], [1, 0]);
	user = "Ada";
	assert.equal(await ask(named), 0, "hers are still there");
	await named.callTool("changes");
	user = "Bob";
	assert.equal(await ask(named), 1, "a change is one for all");
	const elsewhere = clientOf(server, store, { authorizationContext, url: "http://localhost/other" });
	assert.equal(await ask(elsewhere), 1);
	// Without a word for the user, nothing private is kept or found, whoever sends the requests.
	for (const options of [{}, { headers: { authorization: "Bearer x" } }, { headers: () => ({}) }]) {
		const unnamed = clientOf(server, store, options);
		assert.deepEqual([await ask(unnamed), await ask(unnamed)], [1, 1]);
		await unnamed.close();
	}
	for (const client of [named, elsewhere]) await client.close();
	assert.ok(![...store.keys()].some((key) => key.includes("Bearer")));
});

test("a change makes invalid what any client has kept, and nothing else", limit, async () => {
	const store = slowStore();
	const server = counting();
	const [first, second] = [clientOf(server, store), clientOf(server, store)];
	await first.listTools();
	for (const uri of ["a:b", "a:b/c", "x:y"]) await first.readResource(uri);
	await second.callTool("changes");
	server.asked.length = 0;
	await second.listTools();
	assert.deepEqual(server.asked, ["tools/list", "tools/list more"]);
	await first.callTool("changes", { uri: "a:b" });
	server.asked.length = 0;
	for (const uri of ["a:b", "a:b/c", "x:y"]) await second.readResource(uri);
	assert.deepEqual(server.asked, ["resources/read a:b", "resources/read a:b/c"]);
	for (const client of [first, second]) await client.close();
});

test("a list that was overtaken by a change is not kept, whatever the store is doing", limit, async () => {
	const store = slowStore();
	/** @type {any} */
	let client;
	let changes = 1;
	const server = counting({
		onList: async () => {
			if (changes-- > 0) await client.callTool("changes");
		},
	});
	client = clientOf(server, store);
	await client.listTools({ cursor: null });
	server.asked.length = 0;
	await client.listTools({ cursor: null });
	assert.deepEqual(server.asked, ["tools/list"], "the first was from before the change");
	// A change right behind a result that is still being written.
	await client.listTools();
	await client.callTool("changes");
	server.asked.length = 0;
	await client.listTools({ cursor: null });
	assert.deepEqual(server.asked, ["tools/list"]);
	await client.close();
});

test("what a store fails at costs no call, and is told", limit, async () => {
	const fail = () => {
		throw new Error("down");
	};
	const never = () => new Promise(() => {});
	const nothing = () => undefined;
	const stores = [
		{ get: fail, set: fail, delete: fail },
		{ get: async () => fail(), set: async () => fail(), delete: async () => fail() },
		{ get: never, set: never, delete: never },
		...["no JSON", "null", "[]", '{"":null}', '{"":[9e15,"x"]}', '{"":[1,"{}"]}'].map((text) => ({
			get: () => text,
			set: nothing,
			delete: nothing,
		})),
		...["no JSON", "[]", "5", ""].map((text) => ({
			get: () => JSON.stringify({ "": [Date.now() + 1_000, text] }),
			...{ set: nothing, delete: nothing },
		})),
	];
	for (const store of stores) {
		/** @type {any[]} */
		const errors = [];
		const server = counting();
		const client = clientOf(server, store, { onError: (/** @type {any} */ error) => errors.push(error.message) });
		assert.equal((await client.listTools({ cursor: null })).tools.length, 1);
		assert.deepEqual(server.asked, ["tools/list"]);
		await client.callTool("changes");
		await client.close();
		if (store.set === fail) assert.deepEqual([...new Set(errors)], ["down"]);
	}
});

test("what is kept teaches a later client what its list said", limit, async () => {
	const city = { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } };
	const server = counting({
		tools: [{ name: "t", inputSchema: city, outputSchema: { type: "object", required: ["n"] } }],
	});
	const store = new Map();
	const first = clientOf(server, store);
	await first.listTools();
	await first.close();
	/** @type {any} */
	let sent;
	const fetch = async (/** @type {string} */ url, /** @type {any} */ init) => {
		sent = init.headers;
		return server.fetch(url, init);
	};
	const second = clientOf({ fetch }, store);
	await second.listTools();
	assert.equal(server.asked.length, 2);
	await assert.rejects(second.callTool("t", { city: "x" }), { code: "INVALID_RESULT" });
	assert.equal(sent["Mcp-Param-City"], "x");
	await second.close();
});

test("the modes of a call hold for a store too", limit, async () => {
	const store = new Map();
	const server = counting();
	const client = clientOf(server, store);
	const ask = async (/** @type {any} */ cacheMode) => {
		server.asked.length = 0;
		await client.listTools({ cursor: null, cacheMode });
		return server.asked.length;
	};
	assert.deepEqual([await ask("use"), await ask("bypass"), await ask("refresh"), await ask("use")], [1, 1, 1, 0]);
	assert.equal(store.size, 1);
	const [key] = store.keys();
	assert.deepEqual(JSON.parse(key), ["http://localhost/mcp", "2026-07-28", null, "tools/list", ""]);
	await client.close();
});

test("a store that is none, or that has no endpoint to keep apart, is refused at once", () => {
	const url = "http://localhost/mcp";
	for (const options of [
		{ url, cache: { store: {} } },
		{ url, cache: { store: 5 } },
		{ transport: () => null, cache: { store: new Map() } },
	]) {
		assert.throws(() => new Client(/** @type {any} */ (options)), { code: "INVALID_ARGUMENT" });
	}
});
