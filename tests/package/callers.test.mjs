// What depends on who calls: items that only some see, scopes that a tool needs, resources that a template lists;
// and methods of a server's own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";

const object = /** @type {const} */ ({ type: "object" });
const modern = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};

/** @param {any} server @param {string} method @param {any} [params] @param {any} [options] @param {any} [meta] */
const ask = async (server, method, params = {}, options = {}, meta = modern) => {
	const _meta = meta === null ? {} : { _meta: meta };
	const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, ..._meta } };
	const reply = await server.handleMessage(message, options);
	return reply.error ?? reply.result;
};
const admin = { authInfo: { role: "admin" } };
const onlyAdmin = (/** @type {any} */ ctx) => ctx.authInfo?.role === "admin";

const serverOf = (/** @type {any} */ more = {}) =>
	new Server({
		name: "by caller",
		version: "1",
		cacheHints: { "tools/list": { ttlMs: 5000, cacheScope: "public" } },
		tools: [
			{ name: "open", inputSchema: object, handler: () => "open" },
			{
				name: "secret",
				inputSchema: { type: "object", required: ["a"] },
				visible: async (/** @type {any} */ ctx) => onlyAdmin(ctx),
				handler: () => "secret",
			},
		],
		resources: [
			{ name: "r", uri: "test://r", visible: onlyAdmin, read: () => "r" },
			{ name: "s", uri: "test://s", read: () => "s" },
		],
		resourceTemplates: [
			{
				name: "hidden",
				uriTemplate: "test://{id}",
				visible: onlyAdmin,
				list: () => [{ uri: "test://of-hidden", name: "h" }],
				read: () => "by hidden",
			},
			{
				name: "users",
				uriTemplate: "test://users/{id}",
				mimeType: "text/plain",
				description: "a user",
				list: (/** @type {any} */ ctx) => ({
					resources: [
						{ uri: "test://users/1", name: "one" },
						{ uri: "test://s", name: "there already" },
						{ uri: "test://users/2", name: ctx.era, mimeType: "text/html" },
					],
				}),
				read: (/** @type {string} */ uri) => uri,
			},
		],
		prompts: [{ name: "p", visible: onlyAdmin, get: () => "p", complete: () => ["x"] }],
		...more,
	});

test("each caller gets a list of its own, which nobody else may keep", async () => {
	const server = serverOf();
	for (const meta of [modern, null]) {
		const names = async (/** @type {any} */ options) => {
			const { tools } = await ask(server, "tools/list", {}, options, meta);
			return tools.map((/** @type {any} */ tool) => tool.name);
		};
		assert.deepEqual(await names({}), ["open"]);
		assert.deepEqual(await names(admin), ["open", "secret"]);
		assert.deepEqual(await names({}), ["open"]);
	}
	const { ttlMs, cacheScope } = await ask(server, "tools/list");
	assert.deepEqual([ttlMs, cacheScope], [5000, "private"]);
	assert.deepEqual((await ask(server, "prompts/list")).prompts, []);
	assert.deepEqual((await ask(server, "prompts/list", {}, admin)).prompts, [{ name: "p" }]);
	const templates = async (/** @type {any} */ options) =>
		(await ask(server, "resources/templates/list", {}, options)).resourceTemplates.length;
	assert.deepEqual([await templates({}), await templates(admin)], [1, 2]);
});

test("what is hidden cannot be told from what does not exist", async () => {
	const server = serverOf();
	const cases = [
		["tools/call", (/** @type {string} */ name) => ({ name, arguments: {} }), "secret", "absent"],
		["prompts/get", (/** @type {string} */ name) => ({ name }), "p", "q"],
		["resources/read", (/** @type {string} */ uri) => ({ uri: `test:${uri}` }), "//r", "//q/q"],
		[
			"completion/complete",
			(/** @type {string} */ name) => ({ ref: { type: "ref/prompt", name }, argument: { name: "a", value: "" } }),
			"p",
			"q",
		],
	];
	for (const [method, params, hidden, absent] of /** @type {[string, any, string, string][]} */ (cases)) {
		const one = await ask(server, method, params(hidden));
		const other = await ask(server, method, params(absent));
		assert.equal(one.code, -32602, method);
		const replaced = JSON.stringify(other).replaceAll(absent, hidden);
		assert.equal(JSON.stringify(one), replaced, method);
	}
	assert.match((await ask(server, "tools/call", { name: "secret" }, admin)).content[0].text, /Invalid arguments/);
	const call = { name: "secret", arguments: { a: 1 } };
	assert.equal((await ask(server, "tools/call", call, admin)).content[0].text, "secret");
	assert.equal((await ask(server, "resources/read", { uri: "test://r" }, admin)).contents[0].text, "r");
	assert.equal((await ask(server, "resources/read", { uri: "test://x" }, admin)).contents[0].text, "by hidden");
	assert.equal((await ask(server, "resources/read", { uri: "test://x" })).code, -32602);
	assert.deepEqual(
		(
			await ask(
				server,
				"completion/complete",
				{ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
				admin,
			)
		).completion.values,
		["x"],
	);
});

test("a visibility that fails lets nobody in", async () => {
	const server = serverOf({
		tools: [
			{
				name: "t",
				inputSchema: object,
				visible: () => {
					throw new Error("no directory");
				},
				handler: () => "",
			},
			{ name: "u", inputSchema: object, visible: () => "yes", handler: () => "" },
		],
	});
	assert.deepEqual(await ask(server, "tools/list"), { code: -32603, message: "no directory" });
	assert.equal((await ask(server, "tools/call", { name: "u" })).code, -32602);
});

test("a template lists its resources, each with what the template says of all", async () => {
	const server = serverOf();
	const { resources } = await ask(server, "resources/list");
	assert.deepEqual(resources, [
		{ name: "s", uri: "test://s" },
		{ uri: "test://users/1", name: "one", mimeType: "text/plain", description: "a user" },
		{ uri: "test://users/2", name: "modern", mimeType: "text/html", description: "a user" },
	]);
	const all = (await ask(server, "resources/list", {}, admin)).resources;
	assert.deepEqual(
		all.map((/** @type {any} */ resource) => resource.uri),
		["test://r", "test://s", "test://of-hidden", "test://users/1", "test://users/2"],
	);
});

test("pages of a caller's own list follow one another", async () => {
	const server = serverOf({ pageSize: 2 });
	const seen = [];
	let cursor;
	do {
		const page = await ask(server, "resources/list", cursor === undefined ? {} : { cursor }, admin);
		seen.push(page.resources.length);
		cursor = page.nextCursor;
	} while (cursor);
	assert.deepEqual(seen, [2, 2, 1]);
	assert.equal((await ask(server, "resources/list", { cursor: "page-3" }, admin)).code, -32602);
});

test("a listed resource without a name is the server's fault", async () => {
	const server = serverOf({
		resourceTemplates: [{ name: "t", uriTemplate: "a://{x}", list: () => [{ uri: "a://b" }], read: () => "" }],
	});
	assert.equal((await ask(server, "resources/list")).code, -32603);
});

const scoped = () =>
	serverOf({
		tools: [{ name: "write", inputSchema: object, scopes: ["a:write", "a:read"], handler: () => "written" }],
	});

/** @param {any} authInfo @param {any} [meta] */
const post = (authInfo, meta = modern) =>
	scoped().fetch(
		new Request("http://localhost/mcp", {
			method: "POST",
			body: JSON.stringify({
				jsonrpc: "2.0",
				id: 1,
				method: "tools/call",
				params: { name: "write", ...(meta && { _meta: meta }) },
			}),
			headers: {
				"content-type": "application/json",
				accept: "application/json, text/event-stream",
				"mcp-protocol-version": meta ? "2026-07-28" : "2025-11-25",
				"mcp-method": "tools/call",
				"mcp-name": "write",
			},
		}),
		{ authInfo },
	);

test("a caller without a tool's scopes is challenged for all that the call needs", async () => {
	for (const meta of [modern, null]) {
		for (const authInfo of [undefined, {}, { scopes: ["a:read"] }, { scopes: "a:read base" }]) {
			const full = authInfo && {
				...authInfo,
				requiredScopes: ["base", "a:read"],
				resourceMetadata: "https://a.example/.well-known/oauth-protected-resource",
			};
			const response = await post(full, meta);
			assert.equal(response.status, 403);
			const scope = full ? "base a:read a:write" : "a:write a:read";
			const where = full ? `, resource_metadata="${full.resourceMetadata}"` : "";
			const challenge = `Bearer error="insufficient_scope", scope="${scope}"${where}`;
			assert.equal(response.headers.get("www-authenticate"), challenge);
			const { error, id } = await response.json();
			assert.deepEqual([id, error.code, error.data.requiredScopes.join(" ")], [1, -32600, scope]);
		}
		const response = await post({ scopes: ["a:read", "a:write"] }, meta);
		assert.equal(response.status, 200);
		assert.equal((await response.json()).result.content[0].text, "written");
	}
});

test("without HTTP a tool's scopes are needed too", async () => {
	const server = scoped();
	assert.equal((await ask(server, "tools/call", { name: "write" })).code, -32600);
	const options = { authInfo: { scopes: "a:write a:read" } };
	assert.equal((await ask(server, "tools/call", { name: "write" }, options)).content[0].text, "written");
});

test("a server answers methods and takes notifications of its own, in both eras", async () => {
	/** @type {any[]} */
	const taken = [];
	const server = new Server({
		name: "own",
		version: "1",
		capabilities: { extensions: { "com.example/own": { a: 1 } } },
		methods: {
			"com.example/sum": (/** @type {any} */ { a, b }, /** @type {any} */ ctx) => {
				ctx.notify("com.example/working", { on: "it" });
				return { sum: a + b, era: ctx.era };
			},
			"com.example/bad": () => /** @type {any} */ ("text"),
		},
		notifications: {
			"com.example/note": (/** @type {any} */ params, /** @type {any} */ { authInfo }) =>
				taken.push([params, authInfo]),
		},
	});
	const sent = /** @type {any[]} */ ([]);
	const send = (/** @type {any} */ message) => sent.push(message);
	const result = await ask(server, "com.example/sum", { a: 1, b: 2 }, { send });
	assert.deepEqual(result, {
		resultType: "complete",
		_meta: { "io.modelcontextprotocol/serverInfo": { name: "own", version: "1" } },
		sum: 3,
		era: "modern",
	});
	assert.deepEqual(sent, [{ jsonrpc: "2.0", method: "com.example/working", params: { on: "it" } }]);
	assert.deepEqual(await ask(server, "com.example/sum", { a: 1, b: 2 }, {}, null), { sum: 3, era: "legacy" });
	assert.equal((await ask(server, "com.example/bad")).code, -32603);
	assert.equal((await ask(server, "com.example/other")).code, -32601);
	const note = { jsonrpc: "2.0", method: "com.example/note", params: { a: 1 } };
	assert.equal(await server.handleMessage(note, { authInfo: "me" }), null);
	await Promise.resolve();
	assert.deepEqual(taken, [[{ a: 1 }, "me"]]);
	assert.deepEqual((await ask(server, "server/discover")).capabilities.extensions, { "com.example/own": { a: 1 } });
	for (const [definition, message] of /** @type {[any, RegExp][]} */ ([
		[{ methods: { "tools/call": () => ({}) } }, /method "tools\/call": is a method of the specification/],
		[{ methods: { "a b": () => ({}) } }, /method "a b": a method name/],
		[{ notifications: { "notifications/cancelled": () => {} } }, /notification "notifications\/cancelled"/],
		[{ methods: { "a/b": 1 } }, /method "a\/b": needs a handler/],
	])) {
		const bad = new Server({ name: "own", version: "1", ...definition });
		await assert.rejects(bad.ready, { code: "INVALID_DEFINITION", message });
	}
});
