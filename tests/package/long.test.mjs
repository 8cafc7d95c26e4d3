// Long texts, which the core takes out of arguments and puts into replies: whatever they are, handlers get what
// JSON.parse gives, and clients read what JSON.stringify says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet/server";

const META = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
	"io.modelcontextprotocol/clientCapabilities": {},
};
const HEADERS = {
	"content-type": "application/json",
	accept: "application/json, text/event-stream",
	"mcp-protocol-version": "2026-07-28",
	"mcp-method": "tools/call",
	"mcp-name": "tool",
};
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Enough to be long. @param {string} text */
const long = (text) => text.repeat(Math.ceil(5000 / text.length));

const TEXTS = {
	plain: long("plain text "),
	quotes: long('"'),
	backslashes: long("\\"),
	"escaped controls": long("\b\f\n\r\t\0\x1f\x7f "),
	"Latin-1": long("na\u00efve caf\u00e9 "),
	"non-ASCII": long("北京 “晴” 😀 \n"),
	"a lone surrogate": `${long("é")}\ud83d${long("é")}`,
	"surrogates in the wrong order": long("\ude00\ud83d"),
	"a replacement character": `${long("é")}\ufffd`,
	"a byte order mark": `\ufeff${long("é")}`,
	"a special number": long(',"text":5e-324'),
	"one that is too long to be taken out": "é\n".repeat((4 << 20) / 2 + 1),
};

/**
 * A tool without a schema, called with these arguments in every way; the result that each answer holds.
 * @param {string} argumentsText JSON
 * @param {(args: any) => any} handler
 * @param {any} [options]
 */
async function call(argumentsText, handler, options) {
	const tool = { name: "tool", inputSchema: { type: "object" }, handler, ...options };
	const server = new Server({ name: "long", version: "1", tools: [tool], maxBodyBytes: 64 << 20 });
	const params = `{"name":"tool","arguments":${argumentsText},"_meta":${JSON.stringify(META)}}`;
	const text = `{"jsonrpc":"2.0","id":"é","method":"tools/call","params":${params}}`;
	const results = [
		JSON.parse(String(await server.handleMessage(text))),
		JSON.parse(decoder.decode((await server.handleMessage(encoder.encode(text))) ?? undefined)),
		await server.handleMessage(JSON.parse(text)),
		await (
			await server.fetch(new Request("http://localhost/mcp", { method: "POST", headers: HEADERS, body: text }))
		).json(),
	].map(({ result, id }) => {
		assert.equal(id, "é");
		return result;
	});
	server.close();
	return results;
}

/** @param {any} actual @param {any} expected */
function same(actual, expected) {
	// Two megabytes of difference help nobody.
	assert.ok(
		JSON.stringify(actual) === JSON.stringify(expected),
		`${JSON.stringify(actual).slice(-300)} instead of ${JSON.stringify(expected).slice(-300)}`,
	);
}

for (const [name, value] of Object.entries(TEXTS)) {
	test(`${name}: a handler gets it, and its answers are read as they were given`, async () => {
		// In UTF-8 there are no lone surrogates unless they are escaped.
		const isWellFormed = value === decoder.decode(encoder.encode(value));
		const escaped = JSON.stringify({ first: 1, text: value, last: [2] });
		const raw = isWellFormed ? escaped : undefined;
		const unicode = value.replace(/[^ -!#-[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
		const inUnicode = `{"first":1,"text":"${unicode.replace(/(?<!\\)"|\\(?!u)/g, "\\$&")}","last":[2]}`;
		for (const text of [escaped, raw, name === "backslashes" ? undefined : inUnicode]) {
			if (text === undefined) continue;
			/** @type {any[]} */
			const seen = [];
			const handlers = [
				(/** @type {any} */ args) => args.text,
				(/** @type {any} */ args) => ({ content: [{ type: "text", text: args.text, annotations: { priority: 1 } }] }),
			];
			for (const [index, handler] of handlers.entries()) {
				const results = await call(text, (args) => {
					seen.push(args);
					return handler(args);
				});
				const annotations = index === 1 ? { annotations: { priority: 1 } } : {};
				for (const result of results) same(result.content, [{ type: "text", text: value, ...annotations }]);
			}
			assert.equal(seen.length, handlers.length * 4);
			for (const args of seen) same(args, JSON.parse(text));
		}
	});
}

test("text with a lone surrogate that is not escaped reaches the handler as it is", async () => {
	const value = `${long("é")}\ud83d${long("é")}`;
	const server = new Server({
		...{ name: "long", version: "1" },
		tools: [{ name: "tool", inputSchema: { type: "object" }, handler: (/** @type {any} */ args) => args.text }],
	});
	const params = `{"name":"tool","arguments":{"text":"${value}"},"_meta":${JSON.stringify(META)}}`;
	const answer = await server.handleMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
	assert.ok(JSON.parse(String(answer)).result.content[0].text === value);
});

test("arguments of many long texts, odd names and names that come twice are what JSON.parse makes of them", async () => {
	const [a, b] = [long("a"), `${long("b")}b`];
	for (const text of [
		`{"a":"${a}","b":"${b}"}`,
		`{"b":"${b}","a":"${a}","b":1}`,
		`{"a":1,"b":0,"\\u0061":"${a}"}`,
		`{"a":"${a}","\\u0061":"${b}"}`,
		`{"__proto__":"${a}","x":1}`,
		`{"x":1,"":"${a}","北京":"${b}"}`,
		`{"2":"${a}","1":"${b}"}`,
		`{"x":{"a":"${a}"},"y":["${b}"]}`,
		` { "a" : "${a}" } `,
	]) {
		for (const result of await call(text, (args) =>
			JSON.stringify([args, Object.keys(args), Object.getPrototypeOf(args) === Object.prototype]),
		)) {
			const wanted = JSON.parse(text);
			same(JSON.parse(result.content[0].text), [wanted, Object.keys(wanted), true]);
		}
	}
});

test("results whose items are not plain data are what JSON.stringify makes of them", async () => {
	const text = long("text\n");
	class Block {
		type = "text";
		#text = text;
		get text() {
			return this.#text;
		}
		toJSON() {
			return { type: "text", text: `${this.#text}!` };
		}
	}
	let reads = 0;
	const counting = {
		type: "text",
		get text() {
			return `${text}${reads++ < 0}`;
		},
	};
	const inherited = Object.assign(Object.create({ text }), { type: "text" });
	const results = [
		{
			content: [
				{ type: "text", text },
				{ type: "image", data: long("aGk="), mimeType: "image/png" },
				{ type: "text", text: "short" },
			],
		},
		{
			content: [
				{ type: "resource", resource: { uri: "test://a", text } },
				{ text, type: "text", _meta: { n: [] } },
			],
		},
		{ content: [{ type: "text", text, _meta: { text: Number.MIN_VALUE } }] },
		{ content: [{ type: "text", text, data: text }] },
		{ content: [{ type: "text", text, more: undefined }, null, undefined, { type: "text", text: Object(text) }] },
		{ content: [new Block(), { type: "text", text }] },
		{ content: [counting] },
		{ content: [inherited, { type: "text", text }] },
		{ content: Object.assign([{ type: "text", text }], { toJSON: () => [] }) },
		{ isError: true, content: [{ type: "text", text }], own: text },
		{ content: [{ type: "text", text }], structuredContent: { text } },
		[{ type: "text", text }],
		[],
	];
	for (const given of results) {
		const result = Array.isArray(given) ? { content: given } : given;
		for (const { resultType, _meta, ...got } of await call("{}", () => given))
			same(got, JSON.parse(JSON.stringify(result)));
	}
	assert.ok(reads > 0);
});

test("a long text goes through a schema, into an event stream and back to an older client", async () => {
	const text = long("北京\n");
	/** @type {any} */
	const inputSchema = { type: "object", properties: { text: { type: "string", maxLength: text.length } } };
	const tool = {
		name: "tool",
		inputSchema,
		handler: (/** @type {any} */ args, /** @type {any} */ context) => {
			context.sendProgress(1);
			return args.text;
		},
	};
	const server = new Server({ name: "long", version: "1", tools: [tool] });
	/** @param {string} text @param {any} params @param {any} headers */
	const ask = async (text, params, headers) => {
		const message = {
			jsonrpc: "2.0",
			id: 1,
			method: "tools/call",
			params: { name: "tool", arguments: { text }, ...params },
		};
		const init = { method: "POST", headers: { ...HEADERS, ...headers }, body: JSON.stringify(message) };
		const answer = await (await server.fetch(new Request("http://localhost/mcp", init))).text();
		return JSON.parse(answer.startsWith("{") ? answer : answer.slice(answer.lastIndexOf("data: ") + 6)).result;
	};
	const modern = await ask(text, { _meta: { ...META, progressToken: 1 } }, {});
	same(modern.content, [{ type: "text", text }]);
	const refused = await ask(`${text}!`, { _meta: META }, {});
	assert.equal(refused.isError, true);
	const legacy = await ask(text, {}, { "mcp-protocol-version": "2025-06-18" });
	same(legacy, { content: [{ type: "text", text }] });
});

test("a core of which a long reply was asked lets go of it", async () => {
	const text = "x\n".repeat(1 << 20);
	const server = new Server({
		name: "long",
		version: "1",
		tools: [{ name: "tool", inputSchema: { type: "object" }, handler: () => text }],
	});
	const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "tool", _meta: META } };
	for (let i = 0; i < 50; i++) {
		/** @type {any} */
		const answer = await server.handleMessage(message);
		assert.ok(answer.result.content[0].text === text);
	}
});
