// Options that stay in JavaScript: each wrong one is refused before anything is served, and none replaces another.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { createRequestStateCodec, Server } from "mcp-duet";
import { Legacy } from "./sessions-harness.mjs";

const object = /** @type {const} */ ({ type: "object" });
const KEY = "a key that has thirty-two bytes!";
const none = () => {};
const FORM = { message: "?", requestedSchema: { type: "object", properties: {} } };
const MODERN = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** @param {any} more */
const serverOf = (more) => new Server({ name: "options", version: "1", ...more });

/** @param {any} member */
const tool = (member) => ({ tools: [{ name: "t", inputSchema: object, handler: () => "", ...member }] });
/** @param {any} member */
const template = (member) => ({ resourceTemplates: [{ name: "t", uriTemplate: "test://{a}", read: none, ...member }] });
/** @param {any} sessions */
const sessions = (sessions) => ({ legacy: "sessions", sessions });

test("an option that cannot do its work is refused, by name and with what it has to be", async () => {
	const key = /^requestState\.key: must have at least 32 bytes/;
	const ttl = /^requestState\.ttlMs: must be a whole number, 0 or more$/;
	for (const [options, message] of /** @type {[any, RegExp][]} */ ([
		[{ requestState: null }, /^requestState: must be an object$/],
		[{ requestState: {} }, key],
		[{ requestState: { key: "short" } }, key],
		[{ requestState: { key: [] } }, key],
		[{ requestState: { key: [KEY, "short"] } }, key],
		[{ requestState: { key: KEY, ttlMs: "600000" } }, ttl],
		[{ requestState: { key: KEY, ttlMs: Number.NaN } }, ttl],
		[{ requestState: { key: KEY, ttlMs: Number.POSITIVE_INFINITY } }, ttl],
		[{ requestState: { key: KEY, ttlMs: -1 } }, ttl],
		[{ requestState: { key: KEY, principal: "sub" } }, /^requestState\.principal: must be a function$/],
		[{ maxSubscriptions: Number.NaN }, /^maxSubscriptions: must be a whole number, 0 or more$/],
		[{ maxSubscriptions: "many" }, /^maxSubscriptions: must be a whole number/],
		[{ bus: { publish: none } }, /^bus: must be an object with the methods publish, subscribe$/],
		[{ bus: null }, /^bus: must be an object with the methods/],
		[sessions("all"), /^sessions: must be an object$/],
		[sessions({ store: { get: none, set: none } }), /^sessions\.store: must be .* get, set, delete$/],
		[sessions({ events: { append: none } }), /^sessions\.events: must be .* append, after, forget$/],
		[sessions({ principal: "sub" }), /^sessions\.principal: must be a function$/],
		[{ sessions: {} }, /^sessions: need legacy: "sessions"$/],
		[{ complete: "all" }, /^complete: must be a function, or an object of functions$/],
		[{ methods: { "own/one": 1 } }, /^method "own\/one": needs a handler/],
		[{ notifications: { "own/two": 1 } }, /^notification "own\/two": needs a handler/],
		[template({ list: [] }), /^resource template "test:\/\/{a}": list: must be a function$/],
		[template({ complete: { a: [] } }), /^resource template .*: complete: must be a function, or an object/],
	])) {
		await assert.rejects(serverOf(options).ready, { code: "INVALID_DEFINITION", message }, inspect(options));
	}
	await assert.rejects(new Server(/** @type {any} */ (undefined)).ready, { message: /definition: must be an object$/ });
	assert.throws(() => createRequestStateCodec({ key: "short" }), { code: "INVALID_DEFINITION", message: key });
	assert.throws(() => createRequestStateCodec({ key: KEY, bind: /** @type {any} */ ("sub") }), {
		code: "INVALID_DEFINITION",
		message: /bind: must be a function$/,
	});
	await serverOf(sessions({ store: new Map() })).ready;
});

test("an item whose visibility is no function is refused, and never shown", async () => {
	const running = serverOf({});
	await running.ready;
	for (const visible of [false, true, null, "admin"]) {
		const message = /^tool "t": visible: must be a function$/;
		await assert.rejects(serverOf(tool({ visible })).ready, { code: "INVALID_DEFINITION", message });
		const config = { inputSchema: object, visible: /** @type {any} */ (visible) };
		assert.throws(() => running.registerTool("t", config, () => ""), { code: "INVALID_DEFINITION", message });
	}
	assert.equal(running.tool("t"), undefined);
});

test("a session is its owner's and a state its principal's, each by its own rule", async () => {
	const server = serverOf({
		...sessions({ principal: (/** @type {any} */ { user }) => user }),
		...tool({ handler: (/** @type {any} */ _args, /** @type {any} */ ctx) => ctx.elicit(FORM).then(() => "told") }),
		requestState: { key: KEY, principal: (/** @type {any} */ { tenant }) => tenant },
	});
	const anna = { authInfo: { user: "anna", tenant: "acme" } };
	const bert = { authInfo: { user: "bert", tenant: "acme" } };
	const legacy = new Legacy((request, options) => server.fetch(request, options), anna);
	await legacy.open();
	assert.equal((await legacy.post("ping")).status, 200);
	legacy.options = bert;
	assert.equal((await legacy.post("ping")).status, 404);

	const call = (/** @type {any} */ more, /** @type {any} */ who) =>
		server.handleMessage(
			{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", _meta: MODERN, ...more } },
			who,
		);
	const { result } = /** @type {any} */ (await call({}, anna));
	const inputResponses = Object.fromEntries(
		Object.keys(result.inputRequests).map((key) => [key, { action: "decline" }]),
	);
	const told = await call({ inputResponses, requestState: result.requestState }, bert);
	assert.equal(/** @type {any} */ (told).result.content[0].text, "told");
	const other = { authInfo: { user: "anna", tenant: "other" } };
	const refused = await call({ inputResponses, requestState: result.requestState }, other);
	assert.equal(/** @type {any} */ (refused).error.code, -32602);
});
