// A server loads what few need when something first needs it, and then behaves as one that has had it from the start.

import assert from "node:assert/strict";
import test from "node:test";
import { output, project } from "./harness.mjs";

/**
 * What a program prints, JSON: its module ends with `print(value)`.
 * @param {string} entry
 * @param {string} text
 */
async function printed(entry, text) {
	const cwd = project({
		"main.js": `import { Server } from ${JSON.stringify(entry)};
import { current } from "../node_modules/mcp-duet/lib/core.js";
const print = (value) => console.log(JSON.stringify(value));
const request = (method, params, id = 1) => ({ jsonrpc: "2.0", id, method, params });
const call = (name, args) => request("tools/call", { name, arguments: args });
const tool = (name, properties, more = {}) => ({
	name,
	inputSchema: { type: "object", properties, ...more },
	handler: (args) => "got " + JSON.stringify(args),
});
${text}`,
	});
	return JSON.parse(await output(process.execPath, ["main.js"], { cwd }));
}

test("what usual tools need is in the usual file: types, limits, enums, alternatives, refusals of arguments", async () => {
	const { replies, loaded } = await printed(
		"mcp-duet/server",
		`
const server = new Server({
	name: "a",
	version: "1",
	tools: [
		tool("t", {
			city: { type: "string", minLength: 1, maxLength: 20, description: "where", format: "city" },
			days: { type: "integer", minimum: 1, maximum: 7, default: 1 },
			unit: { enum: ["C", "F"] },
			of: { anyOf: [{ type: "boolean" }, { type: ["array", "null"], items: { type: "number" }, maxItems: 2 }] },
		}, { $schema: "http://json-schema.org/draft-07/schema#", required: ["city"], additionalProperties: false }),
	],
	resources: [{ uri: "a:b", name: "b", read: () => "text" }],
	prompts: [{ name: "p", arguments: [{ name: "x", required: true }], get: ({ x }) => x }],
});
const replies = [];
for (const message of [
	request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } }),
	request("tools/list"),
	call("t", { city: "Bern", days: 2, unit: "C", of: [1, 2] }),
	call("t", { city: "", days: 1.5, unit: "K", of: [1, 2, 3], more: 1 }),
	call("t", {}),
	request("resources/read", { uri: "a:b" }),
	request("prompts/get", { name: "p", arguments: { x: "y" } }),
]) replies.push(await server.handleMessage(message));
print({ replies, loaded: current("whole") !== undefined });
`,
	);
	assert.equal(loaded, false);
	assert.match(replies[2].result.content[0].text, /^got /);
	assert.equal(
		replies[3].result.content[0].text,
		'Invalid arguments for tool t: /city: expected at least 1 characters, got ""; ' +
			'/days: expected integer, got 1.5; /unit: expected one of ["C","F"], got "K"; ' +
			"/of: expected at most 2 items, got [1,2,3]; /more: property not allowed, got 1",
	);
	assert.match(replies[4].result.content[0].text, /missing required property "city"/);
});

const MODERN = `const modern = (method, params) => request(method, {
	...params,
	_meta: {
		"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
		"io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
	},
});`;

for (const [what, text] of /** @type {[string, string][]} */ ([
	...[
		["a pattern", '{ s: { type: "string", pattern: "^a+$" } }', "{}", '{ s: "b" }'],
		["a reference", '{ s: { $ref: "#/$defs/d" } }', '{ $defs: { d: { type: "string" } } }', "{ s: 1 }"],
		["unique items", '{ s: { type: "array", uniqueItems: true } }', "{}", "{ s: [1, 1.0] }"],
		["a conditional", "{ s: { if: { const: 1 }, then: false } }", "{}", "{ s: 1 }"],
		["a keyword with a wrong value", '{ s: { type: "strng" } }', "{}", "{ s: 1 }"],
		["a dialect that nobody knows", "{ s: { type: 1 } }", '{ $schema: "https://example.com/own" }', "{ s: 1 }"],
	].map(([what, properties, more, args]) => [
		what,
		`const server = new Server({ name: "a", version: "1", tools: [tool("plain", {}), tool("t", ${properties}, ${more})] });
const messages = [call("plain", {}), call("t", {}), call("t", ${args}), call("plain", {})];`,
	]),
	[
		"an output schema",
		`const server = new Server({
	name: "a",
	version: "1",
	tools: [
		{
			name: "t",
			inputSchema: { type: "object" },
			outputSchema: { type: "object", properties: { n: { multipleOf: 2 } } },
			handler: ({ n }) => ({ structuredContent: { n } }),
		},
	],
});
const messages = [call("t", { n: 2 }), call("t", { n: 3 }), modern("tools/call", { name: "t", arguments: { n: 4 } })];`,
	],
	[
		"a prompt's schema",
		`const server = new Server({
	name: "a",
	version: "1",
	prompts: [{
		name: "p",
		argsSchema: { type: "object", properties: { x: { type: "string", pattern: "^\\\\d$" } }, required: ["x"] },
		get: ({ x }) => x,
	}],
});
const get = (x) => request("prompts/get", { name: "p", arguments: { x } });
const messages = [request("prompts/list"), get("1"), get("a")];`,
	],
	[
		"a template that is registered later, and one with a fault",
		`const server = new Server({ name: "a", version: "1", tools: [tool("t", {})] });
const messages = [
	call("t", {}),
	() => {
		try {
			server.registerResourceTemplate("m", "a://{", {}, () => "");
		} catch (error) {
			return error.message;
		}
	},
	call("t", {}),
	() => void server.registerResourceTemplate("n", "a://{x}", {}, (uri, { x }) => x),
	request("resources/templates/list"),
	request("resources/read", { uri: "a://b" }),
];`,
	],
	[
		"batches, completion and callers who see different things",
		`const server = new Server({
	name: "a",
	version: "1",
	tools: [
		tool("t", {}),
		{ ...tool("hidden", {}), visible: () => false },
		{ ...tool("scoped", {}), scopes: ["a:b"] },
	],
	prompts: [{ name: "p", arguments: [{ name: "x" }], complete: { x: (value) => [value + "!"] }, get: () => "" }],
});
const messages = [
	call("t", {}),
	[call("t", {}), call("t", {})],
	request("completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "a" } }),
	call("hidden", {}),
	call("scoped", {}),
	request("tools/list"),
];`,
	],
	[
		"a handler that asks",
		`const server = new Server({
	name: "a",
	version: "1",
	requestState: { key: "k".repeat(32) },
	tools: [{
		...tool("t", {}),
		handler: async (args, { elicit, once }) => {
			const n = await once("n", () => 7);
			const requestedSchema = { type: "object", properties: { mail: { type: "string", format: "email" } } };
			return [n, (await elicit({ message: "?", requestedSchema })).content.mail].join();
		},
	}],
});
const ask = modern("tools/call", { name: "t", arguments: {} });
const answers = { "ask-1": { action: "accept", content: { mail: "a@b.c" } } };
const wrong = { "ask-1": { action: "accept", content: { mail: "a" } } };
const again = (inputResponses, requestState) => ({ ...ask, params: { ...ask.params, inputResponses, requestState } });
const messages = [ask, again(answers), again(wrong)];`,
	],
])) {
	test(`${what}: loaded with the first message that needs it, and answered as by a server that has everything`, async () => {
		const program = `${MODERN}
${text}
const replies = [];
for (const message of messages) {
	const reply = typeof message === "function" ? await message() : await server.handleMessage(message);
	replies.push(reply ?? null);
}
// What is sealed differs each time.
for (const reply of replies) if (reply?.result?.requestState) reply.result.requestState = "sealed";
print({ replies, loaded: current("whole") !== undefined });`;
		const usual = await printed("mcp-duet/server", program);
		const everything = await printed("mcp-duet/inline", program);
		assert.deepEqual(usual.replies, everything.replies);
		assert.equal(usual.loaded, true);
	});
}

test("calls at once that need the rest load it once, and what runs meanwhile ends", async () => {
	const { replies } = await printed(
		"mcp-duet/server",
		`let free;
const gate = new Promise((resolve) => { free = resolve; });
const server = new Server({
	name: "a",
	version: "1",
	tools: [{ ...tool("slow", {}), handler: () => gate }, tool("t", { s: { type: "string", pattern: "^a$" } })],
});
const slow = server.handleMessage(call("slow", {}));
const rest = await Promise.all(["a", "b", "a"].map((s) => server.handleMessage(call("t", { s }))));
free("done");
print({ replies: [await slow, ...rest].map(({ result }) => [result.isError === true, result.content[0].text]) });
`,
	);
	assert.deepEqual(
		replies.map((/** @type {[boolean, string]} */ [failed]) => failed),
		[false, false, true, false],
	);
	assert.equal(replies[0][1], "done");
});
