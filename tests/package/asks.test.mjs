// What a handler asks the client, in both eras, and what is kept of it between two runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequestStateCodec, Server } from "mcp-duet";

const KEY = "a key of thirty-two bytes or more";
const object = /** @type {const} */ ({ type: "object" });
const form = { message: "name?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };

let runs = 0;
/** @param {any} [more] */
const serverOf = (more) =>
	new Server({
		name: "asking",
		version: "1",
		...more,
		tools: [
			{
				name: "ask",
				inputSchema: object,
				handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
					const [name, roots] = await Promise.all([ctx.elicit(form, { key: "name" }), ctx.listRoots()]);
					return JSON.stringify([name, roots]);
				},
			},
			{
				name: "rounds",
				inputSchema: object,
				handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
					const drawn = await ctx.once("drawn", () => ++runs);
					const { content } = await ctx.elicit(form, { key: "name" });
					const { role } = await ctx.sample({ messages: [], maxTokens: 5 });
					return `${drawn} ${content.name} ${role}`;
				},
			},
			{
				name: "own",
				inputSchema: object,
				handler: (/** @type {any} */ _args, /** @type {any} */ ctx) =>
					ctx.requestState === undefined
						? {
								resultType: "input_required",
								inputRequests: { k: { method: "elicitation/create", params: form } },
								requestState: "mine",
							}
						: `${ctx.requestState} ${JSON.stringify(ctx.inputResponses)}`,
			},
			{
				name: "nothing",
				inputSchema: object,
				handler: () => ({ resultType: "input_required", inputRequests: {} }),
			},
		],
		prompts: [
			{
				name: "asking",
				get: async (/** @type {any} */ _args, /** @type {any} */ ctx) => (await ctx.elicit(form)).content.name,
			},
		],
	});

const ALL = { elicitation: {}, sampling: {}, roots: {} };

/** @param {any} server @param {string} name @param {any} [params] @param {any} [capabilities] @param {any} [options] */
async function call(server, name, params = {}, capabilities = ALL, options = {}) {
	const _meta = {
		"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": capabilities,
	};
	const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {}, ...params, _meta } };
	const reply = await server.handleMessage(message, options);
	return reply.error ?? reply.result;
}

const answer = { action: "accept", content: { name: "北京" } };
const roots = { roots: [{ uri: "file:///京" }] };

test("what is asked at once goes out in one result, and the answers complete it without state", async () => {
	const server = serverOf();
	const asked = await call(server, "ask");
	assert.equal(asked.resultType, "input_required");
	assert.deepEqual(asked.inputRequests, {
		name: { method: "elicitation/create", params: form },
		"ask-1": { method: "roots/list" },
	});
	assert.equal(asked.requestState, undefined);
	assert.equal("ttlMs" in asked, false);
	const inputResponses = { name: answer, "ask-1": roots, unknown: 1 };
	const done = await call(server, "ask", { inputResponses });
	assert.equal(done.resultType, "complete");
	assert.deepEqual(JSON.parse(done.content[0].text), [answer, roots]);
});

test("what is missing or no answer is asked for again", async () => {
	const server = serverOf();
	for (const inputResponses of [{ wrong: answer }, { name: 12345 }, { name: { action: "maybe" } }, {}, null]) {
		const asked = await call(server, "ask", { inputResponses });
		assert.equal(asked.resultType, "input_required", JSON.stringify(inputResponses));
		assert.deepEqual(Object.keys(asked.inputRequests), ["name", "ask-1"]);
	}
	assert.equal((await call(server, "ask", { inputResponses: 5 })).code, -32602);
});

test("a client is asked for nothing that it did not declare", async () => {
	const server = serverOf({ requestState: { key: KEY } });
	const none = await call(server, "ask", {}, {});
	assert.equal(none.code, -32021);
	assert.deepEqual(none.data, { requiredCapabilities: { elicitation: {}, roots: {} } });
	const some = await call(server, "ask", {}, { roots: {} });
	assert.deepEqual(some.data, { requiredCapabilities: { elicitation: {} } });
});

test("answers and what once() gave are kept in the sealed state from round to round", async () => {
	const server = serverOf({ requestState: { key: KEY } });
	runs = 0;
	const first = await call(server, "rounds");
	assert.deepEqual(Object.keys(first.inputRequests), ["name"]);
	const second = await call(server, "rounds", { inputResponses: { name: answer }, requestState: first.requestState });
	assert.deepEqual(Object.keys(second.inputRequests), ["ask-1"]);
	assert.notEqual(second.requestState, first.requestState);
	assert.equal(second.requestState.includes("北京"), false);
	const inputResponses = { "ask-1": { role: "assistant", content: { type: "text", text: "x" }, model: "m" } };
	// Another isolate with the same key goes on where this one stopped.
	const done = await call(serverOf({ requestState: { key: KEY } }), "rounds", {
		inputResponses,
		requestState: second.requestState,
	});
	assert.equal(done.content[0].text, "1 北京 assistant");
	assert.equal(runs, 1);
});

test("a state that was changed, is foreign or has expired is refused with a reason", async () => {
	const server = serverOf({ requestState: { key: KEY } });
	const { requestState } = await call(server, "rounds", {}, ALL, { authInfo: { sub: "a" } });
	const inputResponses = { name: answer };
	/** @type {[any, any, any, any][]} */
	const cases = [
		[server, { requestState: `${requestState}-TAMPERED` }, "a", /not made|changed/],
		[server, { requestState: `${requestState.slice(0, -4)}AAAA` }, "a", /changed/],
		[server, { requestState: "duet1." }, "a", /not made/],
		[server, { requestState: "something" }, "a", /not made/],
		[server, { requestState, arguments: { other: 1 } }, "a", /another call/],
		[server, { requestState, name: "ask" }, "a", /another call/],
		[server, { requestState }, "b", /another call/],
		[
			serverOf({ requestState: { key: "another key, also of thirty-two bytes" } }),
			{ requestState },
			"a",
			/another call/,
		],
	];
	for (const [at, params, sub, reason] of cases) {
		const error = await call(at, "rounds", { inputResponses, ...params }, ALL, { authInfo: { sub } });
		assert.equal(error.code, -32602, JSON.stringify(params));
		assert.match(error.message, reason);
		assert.equal(error.data.reason, "invalid_request_state");
	}
	const short = serverOf({ requestState: { key: KEY, ttlMs: 0 } });
	const old = (await call(short, "rounds")).requestState;
	assert.match((await call(short, "rounds", { requestState: old })).message, /expired/);
});

test("keys rotate: the first one seals, all of them open", async () => {
	const { requestState } = await call(serverOf({ requestState: { key: KEY } }), "rounds");
	const rotated = serverOf({ requestState: { key: [new Uint8Array(32).fill(7), KEY] } });
	const next = await call(rotated, "rounds", { inputResponses: { name: answer }, requestState });
	assert.deepEqual(Object.keys(next.inputRequests), ["ask-1"]);
	const old = await call(serverOf({ requestState: { key: KEY } }), "rounds", { requestState: next.requestState });
	assert.equal(old.code, -32602);
});

test("without a key, a call that needs state says which option it lacks", async () => {
	const failed = await call(serverOf(), "rounds");
	assert.equal(failed.isError, true);
	assert.match(failed.content[0].text, /requestState: \{ key \}/);
});

test("a handler may ask by its own result, and gets its own state back, sealed or not", async () => {
	for (const server of [serverOf(), serverOf({ requestState: { key: KEY } })]) {
		const { requestState, inputRequests } = await call(server, "own");
		assert.deepEqual(Object.keys(inputRequests), ["k"]);
		const done = await call(server, "own", { inputResponses: { k: answer }, requestState });
		assert.equal(done.content[0].text, `mine ${JSON.stringify({ k: answer })}`);
	}
	assert.match((await call(serverOf(), "nothing")).content[0].text, /neither inputRequests nor requestState/);
});

test("a prompt may ask too", async () => {
	const server = serverOf();
	/** @param {any} more */
	const get = (more) =>
		server.handleMessage({
			jsonrpc: "2.0",
			id: 1,
			method: "prompts/get",
			params: {
				name: "asking",
				...more,
				_meta: {
					"io.modelcontextprotocol/protocolVersion": "2026-07-28",
					"io.modelcontextprotocol/clientCapabilities": ALL,
				},
			},
		});
	const asked = /** @type {any} */ (await get({})).result;
	assert.equal(asked.resultType, "input_required");
	const done = /** @type {any} */ (await get({ inputResponses: { "ask-1": answer } })).result;
	assert.equal(done.messages[0].content.text, "北京");
});

test("a legacy client is asked by requests on the call's own channel", async () => {
	const server = serverOf();
	const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "rounds", arguments: {} } };
	/** @type {any[]} */
	const sent = [];
	const reply = await server.handleMessage(message, {
		send: (/** @type {any} */ request) => {
			sent.push(request);
			const result = request.method === "elicitation/create" ? answer : { role: "assistant", content: [], model: "m" };
			assert.equal(typeof request.id, "string");
			server.handleMessage({ jsonrpc: "2.0", id: request.id, result });
		},
	});
	assert.deepEqual(
		sent.map(({ method }) => method),
		["elicitation/create", "sampling/createMessage"],
	);
	assert.match(/** @type {any} */ (reply).result.content[0].text, /^\d+ 北京 assistant$/);
});

test("a legacy client's refusal, and a channel without a way to ask, are what the handler sees", async () => {
	const server = serverOf();
	const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask", arguments: {} } };
	const send = (/** @type {any} */ { id }) =>
		server.handleMessage({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such thing here" } });
	const refused = /** @type {any} */ (await server.handleMessage(message, { send }));
	assert.deepEqual(refused.result, { content: [{ type: "text", text: "no such thing here" }], isError: true });
	const silent = /** @type {any} */ (await server.handleMessage(message));
	assert.match(silent.result.content[0].text, /without a stream/);
});

test("a legacy client that does not answer in time is told so, and the handler gets an error", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const server = serverOf({ askTimeoutMs: 1000 });
	/** @type {any[]} */
	const sent = [];
	const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask", arguments: {} } };
	const send = (/** @type {any} */ request) => {
		sent.push(request);
		// What it throws about a client that has gone is nobody's.
		if (request.method === "notifications/cancelled") throw new Error("gone");
	};
	await server.ready;
	let ended = false;
	const called = server.handleMessage(message, { send }).finally(() => {
		ended = true;
	});
	while (sent.length < 2) await new Promise(setImmediate);
	t.mock.timers.tick(999);
	await new Promise(setImmediate);
	assert.deepEqual([ended, sent.length], [false, 2]);
	t.mock.timers.tick(1);
	const { result } = /** @type {any} */ (await called);
	const late = "the client did not answer elicitation/create within 1000 ms";
	assert.deepEqual(result, { content: [{ type: "text", text: late }], isError: true });
	assert.deepEqual(sent[2], {
		jsonrpc: "2.0",
		method: "notifications/cancelled",
		params: { requestId: sent[0].id, reason: late },
	});
	await server.handleMessage({ jsonrpc: "2.0", id: sent[0].id, result: answer });

	// An answer in time, one that comes while the question is being sent, needs no timer.
	const started = t.mock.method(globalThis, "setTimeout");
	const reply = await server.handleMessage(
		{ ...message, params: { name: "rounds", arguments: {} } },
		{
			send: (/** @type {any} */ { id, method }) => {
				const result = method === "elicitation/create" ? answer : { role: "assistant", content: [], model: "m" };
				server.handleMessage({ jsonrpc: "2.0", id, result });
			},
		},
	);
	assert.match(/** @type {any} */ (reply).result.content[0].text, /北京 assistant$/);
	assert.equal(started.mock.callCount(), 0);
});

const strict = /** @type {any} */ ({
	message: "how many?",
	requestedSchema: {
		type: "object",
		properties: { n: { type: "integer", minimum: 1 }, unit: { type: "string", enum: ["kg"], default: "kg" } },
		required: ["n"],
	},
});
/** @param {any} [handler] */
const strictServer = (handler) =>
	new Server({
		name: "strict",
		version: "1",
		tools: [
			{
				name: "strict",
				inputSchema: object,
				handler: handler ?? (async (_args, ctx) => JSON.stringify((await ctx.elicit(strict, { key: "k" })).content)),
			},
		],
	});
/** Answers what a legacy server asks. @param {any} server @param {any} result @param {any[]} [sent] */
const legacy = async (server, result, sent = []) => {
	const reply = await server.handleMessage(
		{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "strict", arguments: {} } },
		{
			send: (/** @type {any} */ { id, ...rest }) => {
				sent.push(rest);
				server.handleMessage({ jsonrpc: "2.0", id, result });
			},
		},
	);
	return reply.error ?? reply.result;
};

test("an accepted form is checked, and its defaults are filled in, in both eras", async () => {
	const server = strictServer();
	const good = { action: "accept", content: { n: 2 } };
	const expected = { n: 2, unit: "kg" };
	const modern = await call(server, "strict", { inputResponses: { k: good } });
	assert.deepEqual(JSON.parse(modern.content[0].text), expected);
	assert.deepEqual(JSON.parse((await legacy(server, good)).content[0].text), expected);
	for (const content of [{ n: 0 }, {}, { n: 1, unit: "lb" }]) {
		const bad = { action: "accept", content };
		const refused = await call(server, "strict", { inputResponses: { k: bad } });
		assert.equal(refused.code, -32602);
		assert.match(refused.message, /the answer to "k" does not fit what was asked: .*(n|unit)/);
		assert.equal(refused.data.reason, "invalid_input_response");
		assert.equal((await legacy(server, bad)).code, -32602);
	}
	assert.match((await legacy(server, { action: "perhaps" })).message, /none to elicitation\/create/);
});

test("a handler may catch what does not fit", async () => {
	const server = strictServer(async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
		try {
			await ctx.elicit(strict, { key: "k" });
			return "fits";
		} catch (error) {
			return `${/** @type {any} */ (error).rpcCode}`;
		}
	});
	const bad = { action: "accept", content: {} };
	assert.equal((await call(server, "strict", { inputResponses: { k: bad } })).content[0].text, "-32602");
});

test("what cannot be asked rejects before anything goes out, in both eras", async () => {
	for (const ask of [
		(/** @type {any} */ ctx) => ctx.elicit({ message: "m", requestedSchema: { type: "string" } }),
		(/** @type {any} */ ctx) => ctx.elicit({ requestedSchema: { type: "object", properties: {} } }),
		(/** @type {any} */ ctx) => ctx.sample({}),
	]) {
		const server = strictServer((/** @type {any} */ _args, /** @type {any} */ ctx) =>
			ask(ctx).catch((/** @type {any} */ error) => error.code),
		);
		assert.equal((await call(server, "strict")).content[0].text, "INVALID_ARGUMENT");
		/** @type {any[]} */
		const sent = [];
		assert.equal((await legacy(server, {}, sent)).content[0].text, "INVALID_ARGUMENT");
		assert.deepEqual(sent, []);
	}
});

test("a key that stands for two asks is refused", async () => {
	const server = strictServer(async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
		const both = [
			ctx.elicit(strict, { key: "k" }),
			ctx.listRoots({ key: "k" }).catch((/** @type {any} */ e) => e.message),
		];
		return await both[1];
	});
	assert.match((await call(server, "strict")).content[0].text, /the key "k" is used for two different asks/);
});

test("a client that takes no forms is not asked for one", async () => {
	const refused = await call(strictServer(), "strict", {}, { elicitation: { url: {} } });
	assert.deepEqual([refused.code, refused.data], [-32021, { requiredCapabilities: { elicitation: { form: {} } } }]);
});

test("once() runs once at a time, again after a failure, and not in vain", async () => {
	let count = 0;
	const server = new Server({
		name: "once",
		version: "1",
		requestState: { key: KEY },
		tools: [
			{
				name: "once",
				inputSchema: object,
				handler: async (_args, ctx) => {
					const draw = () => Promise.resolve(++count);
					const both = await Promise.all([ctx.once("a", draw), ctx.once("a", draw)]);
					const failed = await ctx.once("b", () => Promise.reject(new Error("no"))).catch(() => "failed");
					const second = await ctx.once("b", () => "works");
					await ctx.elicit(strict);
					return JSON.stringify([both, failed, second, count]);
				},
			},
		],
	});
	const { requestState } = await call(server, "once");
	const inputResponses = { "ask-1": { action: "accept", content: { n: 1 } } };
	const done = await call(server, "once", { requestState, inputResponses });
	assert.deepEqual(JSON.parse(done.content[0].text), [[1, 1], "works", "works", 1]);
});

test("a handler that does not wait for what it asked ends as it does", async () => {
	const server = strictServer((/** @type {any} */ _args, /** @type {any} */ ctx) => {
		ctx.elicit(strict);
		return "did not wait";
	});
	assert.equal((await call(server, "strict")).content[0].text, "did not wait");
	await new Promise((resolve) => setTimeout(resolve));
});

test("a handler seals a state of its own", async () => {
	const codec = createRequestStateCodec({ key: KEY, bind: (ctx) => ctx.authInfo?.sub });
	const server = strictServer(async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
		if (ctx.requestState === undefined)
			return { resultType: "input_required", requestState: await codec.mint({ step: 1 }, ctx) };
		return JSON.stringify(await codec.verify(ctx.requestState, ctx));
	});
	const me = { authInfo: { sub: "me" } };
	const { requestState } = await call(server, "strict", {}, ALL, me);
	assert.equal((await call(server, "strict", { requestState }, ALL, me)).content[0].text, '{"step":1}');
	for (const [state, who] of [
		[requestState, {}],
		[`${requestState}A`, me],
		["own", me],
	]) {
		const refused = await call(server, "strict", { requestState: state }, ALL, who);
		assert.deepEqual([refused.code, refused.data.reason], [-32602, "invalid_request_state"]);
	}
});
