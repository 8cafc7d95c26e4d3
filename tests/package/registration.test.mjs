// Items that come, change and go while the server runs.

import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { Server } from "mcp-duet";
import { serveStdio } from "mcp-duet/node";
import { inMemoryPair, serveMessages } from "mcp-duet/transport";

const object = /** @type {const} */ ({ type: "object" });
const modern = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};

/** @param {any} server @param {string} method @param {any} [params] @param {any} [options] */
const ask = async (server, method, params = {}, options = {}) => {
	const reply = await server.handleMessage(
		{ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: modern } },
		options,
	);
	return reply.error ?? reply.result;
};
/** @param {any} server */
const toolsOf = async (server) => (await ask(server, "tools/list")).tools.map((/** @type {any} */ tool) => tool.name);
/** @param {any} server @param {string} name @param {any} [args] */
const textOf = async (server, name, args = {}) => {
	const result = await ask(server, "tools/call", { name, arguments: args });
	return result.content?.[0].text ?? result.message;
};
const tool = (/** @type {string} */ name) => ({ name, inputSchema: object, handler: () => `${name}!` });
const serverOf = (/** @type {any} */ more = {}) => new Server({ name: "changing", version: "1", ...more });

test("tools come, are switched off and on, change and go, and the order stays", async () => {
	const server = serverOf({ tools: [tool("a")] });
	assert.deepEqual(await toolsOf(server), ["a"]);
	const b = server.registerTool("b", { inputSchema: object }, () => "b!");
	const c = server.registerTool("c", { inputSchema: object }, () => "c!");
	assert.deepEqual(await toolsOf(server), ["a", "b", "c"]);
	assert.equal(await textOf(server, "b"), "b!");
	b.disable();
	b.disable();
	assert.equal(b.enabled, false);
	assert.deepEqual(await toolsOf(server), ["a", "c"]);
	assert.equal(await textOf(server, "b"), "Unknown tool: b");
	assert.equal(await textOf(server, "c"), "c!");
	b.enable();
	assert.deepEqual(await toolsOf(server), ["a", "b", "c"]);
	b.update({ name: "bee", description: "buzzes", handler: () => "bzz" });
	assert.equal(b.name, "bee");
	const { tools } = await ask(server, "tools/list");
	assert.deepEqual(tools[1], { name: "bee", description: "buzzes", inputSchema: object });
	assert.equal(await textOf(server, "bee"), "bzz");
	c.remove();
	c.enable();
	assert.deepEqual(await toolsOf(server), ["a", "bee"]);
	assert.throws(() => c.update({ description: "gone" }), {
		code: "INVALID_DEFINITION",
		message: 'tool "c": was removed',
	});
});

test("what the constructor got has handles too", async () => {
	const server = serverOf({
		tools: [tool("a")],
		resources: [{ name: "r", uri: "test://r", read: () => "text" }],
		resourceTemplates: [{ name: "t", uriTemplate: "test://t/{id}", read: (/** @type {string} */ uri) => uri }],
		prompts: [{ name: "p", get: () => "text" }],
	});
	assert.equal((await ask(server, "server/discover")).capabilities.tools.listChanged, undefined);
	server.tool("a")?.disable();
	server.resource("test://r")?.disable();
	server.resourceTemplate("test://t/{id}")?.update({ title: "T" });
	server.prompt("p")?.remove();
	assert.equal(server.tool("z"), undefined);
	assert.deepEqual(await toolsOf(server), []);
	assert.deepEqual((await ask(server, "resources/list")).resources, []);
	assert.equal((await ask(server, "resources/templates/list")).resourceTemplates[0].title, "T");
	assert.deepEqual((await ask(server, "prompts/list")).prompts, []);
	const { capabilities } = await ask(server, "server/discover");
	assert.deepEqual(capabilities, {
		tools: { listChanged: true },
		resources: { listChanged: true },
		prompts: { listChanged: true },
	});
});

test("every kind can be registered on a server that began empty, before and after the first call", async () => {
	for (const early of [true, false]) {
		const server = serverOf();
		if (!early) assert.equal((await ask(server, "tools/list")).code, -32601);
		server.registerTool("t", { inputSchema: object }, () => "t!");
		server.registerResource("r", "test://r", { mimeType: "text/plain" }, () => "r!");
		server.registerResourceTemplate("x", "test://x/{id}", {}, (_uri, { id }) => `x${id}`);
		server.registerPrompt("p", { arguments: [{ name: "who" }] }, ({ who }) => `hi ${who}`);
		assert.equal(await textOf(server, "t"), "t!");
		assert.equal((await ask(server, "resources/read", { uri: "test://r" })).contents[0].text, "r!");
		assert.equal((await ask(server, "resources/read", { uri: "test://x/7" })).contents[0].text, "x7");
		const { messages } = await ask(server, "prompts/get", { name: "p", arguments: { who: "you" } });
		assert.equal(messages[0].content.text, "hi you");
	}
});

test("a name that is taken and an item that breaks a rule are refused, and the server goes on", async () => {
	const server = serverOf({ tools: [tool("a")] });
	assert.throws(() => server.registerTool("a", { inputSchema: object }, () => ""), {
		code: "INVALID_DEFINITION",
		message: /tool "a": is registered already/,
	});
	await server.ready;
	const b = server.registerTool("b", { inputSchema: object }, () => "b!");
	const cases = [
		[() => server.registerTool("two words", { inputSchema: object }, () => ""), /tool "two words": .*letters/],
		[() => server.registerTool("c", /** @type {any} */ ({}), () => ""), /tool "c": inputSchema/],
		[() => server.registerTool("c", { inputSchema: object }, /** @type {any} */ (1)), /tool "c": needs handler/],
		[() => server.registerResource("c", "no-scheme", {}, () => ""), /resource "no-scheme": uri must be absolute/],
		[() => b.update({ name: "a" }), /tool "a": is registered already/],
		[() => b.update({ _meta: { "-bad": 1 } }), /tool "b": .*_meta/],
		[
			() =>
				server.registerTool(
					"c",
					{ inputSchema: { type: "object", properties: { a: { type: "string", "x-mcp-header": "a b" } } } },
					() => "",
				),
			/tool "c": .*x-mcp-header/,
		],
	];
	for (const [act, message] of /** @type {[() => void, RegExp][]} */ (cases)) {
		assert.throws(act, { code: "INVALID_DEFINITION", message });
	}
	assert.deepEqual(await toolsOf(server), ["a", "b"]);
	assert.equal(await textOf(server, "b"), "b!");
});

test("a fault from before the first call rejects it, and goes with the item", async () => {
	const server = serverOf();
	const bad = server.registerTool("two words", { inputSchema: object }, () => "");
	await assert.rejects(server.ready, { code: "INVALID_DEFINITION", message: /two words/ });
	bad.remove();
	assert.deepEqual(await toolsOf(server), []);
});

test("a call that runs when its tool goes is answered by the definition that it began with", async () => {
	const server = serverOf();
	/** @type {(text: string) => void} */
	let end = () => {};
	const slow = server.registerTool(
		"slow",
		{ inputSchema: object, outputSchema: { type: "object", required: ["a"] } },
		() => new Promise((resolve) => (end = (a) => resolve({ structuredContent: { a } }))),
	);
	const running = ask(server, "tools/call", { name: "slow", arguments: {} });
	await server.ready;
	await Promise.resolve();
	slow.remove();
	assert.deepEqual(await toolsOf(server), []);
	end("done");
	assert.deepEqual((await running).structuredContent, { a: "done" });
});

test("clients that listen hear of changes, once for all that change together", async () => {
	const server = serverOf({ tools: [tool("a")], prompts: [{ name: "p", get: () => "" }] });
	const handles = [server.tool("a"), server.prompt("p")];
	/** @type {any[]} */
	const heard = [];
	const stop = new AbortController();
	const notifications = { toolsListChanged: true, promptsListChanged: true };
	const listening = server.handleMessage(
		{ jsonrpc: "2.0", id: "l", method: "subscriptions/listen", params: { notifications, _meta: modern } },
		{ send: (/** @type {any} */ message) => heard.push(message.method), signal: stop.signal },
	);
	await server.ready;
	await Promise.resolve();
	assert.deepEqual(heard, ["notifications/subscriptions/acknowledged"]);
	server.registerTool("b", { inputSchema: object }, () => "");
	handles[0]?.disable();
	handles[1]?.remove();
	await Promise.resolve();
	assert.deepEqual(heard.slice(1).sort(), ["notifications/prompts/list_changed", "notifications/tools/list_changed"]);
	handles[0]?.disable();
	await Promise.resolve();
	assert.equal(heard.length, 3);
	stop.abort();
	assert.equal(await listening, null);
});

test("arguments are completed by name where an item says so by a map", async () => {
	const server = serverOf({
		complete: { other: () => ["server"] },
		prompts: [
			{
				name: "p",
				get: () => "",
				complete: {
					city: (/** @type {string} */ value, /** @type {any} */ args) => [`${value}${args.country}`],
				},
			},
		],
	});
	const complete = (/** @type {string} */ name) =>
		ask(server, "completion/complete", {
			ref: { type: "ref/prompt", name: "p" },
			argument: { name, value: "Be" },
			context: { arguments: { country: "DE" } },
		});
	assert.deepEqual((await complete("city")).completion.values, ["BeDE"]);
	assert.deepEqual((await complete("constructor")).completion.values, []);
});

const watchedServer = () =>
	serverOf({
		capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
		tools: [tool("a")],
		resources: [{ name: "r", uri: "test://r", read: () => "" }],
	});
const initialize = {
	jsonrpc: "2.0",
	id: 0,
	method: "initialize",
	params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};
const subscribe = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "test://r" } };

/**
 * Goes through what a legacy client hears over a pipe.
 * @param {any} server
 * @param {(message: any) => unknown} send
 * @param {() => Promise<any>} next
 */
async function hears(server, send, next) {
	// Before it has introduced itself, it hears nothing.
	server.notify({ type: "tools_list_changed" });
	send(initialize);
	assert.equal((await next()).id, 0);
	send(subscribe);
	assert.equal((await next()).id, 1);
	server.tool("a")?.disable();
	assert.deepEqual(await next(), { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
	server.notify({ type: "resource_updated", uri: "test://other" });
	server.notify({ type: "prompts_list_changed" });
	server.notify({ type: "resource_updated", uri: "test://r" });
	const updated = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "test://r" } };
	assert.deepEqual(await next(), updated);
}

test("a legacy client on a pair of transports hears of changes", async () => {
	const server = watchedServer();
	const [near, far] = inMemoryPair();
	const { close } = serveMessages(server, far);
	/** @type {any[]} */
	const came = [];
	let arrived = () => {};
	near.onmessage = (message) => {
		came.push(message);
		arrived();
	};
	await near.start();
	const next = async () => {
		if (came.length === 0) await new Promise((resolve) => (arrived = () => resolve(undefined)));
		return came.shift();
	};
	await hears(server, (message) => near.send(message), next);
	await close();
});

test("a legacy client on standard input and output hears of changes", async () => {
	const server = watchedServer();
	const [input, output] = [new PassThrough(), new PassThrough()];
	const { close } = serveStdio(server, { input, output });
	const lines = createInterface({ input: output })[Symbol.asyncIterator]();
	const next = async () => JSON.parse((await lines.next()).value);
	await hears(server, (message) => input.write(`${JSON.stringify(message)}\n`), next);
	await close();
});

test("a call that waits to hear who calls ends by the definition that it began with", async () => {
	/** @type {((seen: boolean) => void)[]} */
	const waiting = [];
	const visible = () => new Promise((resolve) => waiting.push(resolve));
	const complete = () => ["before"];
	const server = serverOf({
		tools: [{ name: "t", inputSchema: object, visible, handler: () => "before" }],
		prompts: [{ name: "p", visible, get: () => "before", complete }],
	});
	const called = [
		textOf(server, "t"),
		ask(server, "prompts/get", { name: "p" }),
		ask(server, "completion/complete", {
			ref: { type: "ref/prompt", name: "p" },
			argument: { name: "a", value: "" },
		}),
	];
	while (waiting.length < 3) await new Promise(setImmediate);
	server.tool("t")?.update({ handler: () => "after" });
	server.prompt("p")?.update({ name: "q", get: () => "after", complete: () => ["after"] });
	for (const see of waiting) see(true);
	const [text, { messages }, { completion }] = await Promise.all(called);
	assert.deepEqual([text, messages[0].content.text, completion.values], ["before", "before", ["before"]]);
});
