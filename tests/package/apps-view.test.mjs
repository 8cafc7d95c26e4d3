// The View against a host that says exactly what it is told to; the real hosts are in tests/browser/apps-view.test.mjs.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { connectView, McpError, ProtocolError, View } from "mcp-duet/apps/view";

const appInfo = { name: "view", version: "1.0.0" };
const NONE = { autoResize: false };

/** A window whose parent is a host without a mind of its own. */
class Host {
	/** @type {any[]} what the View sent */
	sent = [];
	/** @type {((message: any) => void)[]} */
	#waiting = [];
	window = Object.assign(new EventTarget(), { parent: this });
	hostContext = /** @type {any} */ ({});
	hostCapabilities = /** @type {any} */ ({});
	answersInitialize = true;

	/** @param {any} message @param {string} origin */
	postMessage(message, origin) {
		assert.equal(message.jsonrpc, "2.0");
		this.sent.push(structuredClone(message));
		this.origin = origin;
		if (message.method === "ui/initialize" && this.answersInitialize) this.initialize(message.id);
		for (const wake of this.#waiting.splice(0)) wake(undefined);
	}

	/** @param {unknown} id */
	initialize(id, members = {}) {
		const { hostContext, hostCapabilities } = this;
		const hostInfo = { name: "host", version: "1.0.0" };
		this.say({ id, result: { protocolVersion: "2026-01-26", hostInfo, hostCapabilities, hostContext, ...members } });
	}

	/** @param {any} message @param {{ source?: unknown, origin?: string }} [from] */
	say(message, { source = this, origin = "https://host.example" } = {}) {
		queueMicrotask(() => this.sayNow(message, { source, origin }));
	}

	/** @param {any} message @param {{ source?: unknown, origin?: string }} [from] */
	sayNow(message, { source = this, origin = "https://host.example" } = {}) {
		const data = typeof message === "object" && message !== null ? { jsonrpc: "2.0", ...message } : message;
		this.window.dispatchEvent(Object.assign(new Event("message"), { data, source, origin }));
	}

	/** @param {string} method @param {any} [params] */
	notify(method, params) {
		this.sayNow({ method, params });
	}

	/** The next message that fits, among those there are or that will come. @param {(message: any) => boolean} fits */
	async next(fits) {
		for (;;) {
			const found = this.sent.findIndex(fits);
			if (found >= 0) return this.sent.splice(found, 1)[0];
			await new Promise((resolve) => this.#waiting.push(resolve));
		}
	}

	/** @param {string} method */
	said(method) {
		return this.next((message) => message.method === method);
	}

	/** What the View answers to a request. @param {string} method @param {any} [params] @param {string | number} [id] */
	async ask(method, params, id = 0) {
		this.sayNow({ id, method, params });
		return await this.next((message) => message.id === id && message.method === undefined);
	}
}

/** @type {Host} */
let host;
beforeEach(() => {
	host = new Host();
	Object.assign(globalThis, { window: host.window });
});

/** @param {any} [options] */
const connected = (options) => connectView({ appInfo, ...NONE, ...options });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("the handshake is initialize, its answer, initialized; then what waited for it", async () => {
	const view = new View({ appInfo, ...NONE, capabilities: { availableDisplayModes: ["inline"] } });
	const call = view.callServerTool("early", { a: 1 });
	view.log("info", "early");
	await turn();
	assert.equal(host.sent.length, 0);
	await view.connect();
	await turn();
	assert.deepEqual(
		host.sent.map(({ method }) => method),
		["ui/initialize", "ui/notifications/initialized", "tools/call", "notifications/message"],
	);
	assert.deepEqual(host.sent[0].params, {
		protocolVersion: "2026-01-26",
		appInfo,
		appCapabilities: { availableDisplayModes: ["inline"] },
	});
	assert.deepEqual(Object.keys(host.sent[1]), ["jsonrpc", "method"]);
	assert.equal(view.hostInfo.name, "host");
	host.say({ id: host.sent[2].id, result: { content: [] } });
	assert.deepEqual(await call, { content: [] });
});

test("a View that is closed at once has sent nothing, and another one connects", async () => {
	const first = new View({ appInfo, ...NONE });
	const connecting = first.connect();
	first.close();
	await assert.rejects(connecting, { code: "CLOSED" });
	const second = await connected();
	assert.deepEqual(
		host.sent.map(({ method }) => method),
		["ui/initialize", "ui/notifications/initialized"],
	);
	assert.ok(first.closed && !second.closed);
	await assert.rejects(first.connect(), { code: "CLOSED" });
});

test("initialize is said again, with the same id, to a host that was not there yet", async () => {
	// AP-01
	mock.timers.enable({ apis: ["setTimeout"] });
	try {
		host.answersInitialize = false;
		const connecting = connected();
		await turn();
		for (const pause of [500, 1_000, 2_000]) mock.timers.tick(pause);
		const ids = host.sent.map(({ id }) => id);
		assert.equal(ids.length, 4);
		assert.equal(new Set(ids).size, 1);
		host.initialize(ids[0]);
		host.initialize(ids[0], { hostInfo: { name: "again", version: "1" } });
		const view = await connecting;
		await turn();
		assert.equal(view.hostInfo.name, "host");
		mock.timers.tick(60_000);
		assert.deepEqual(
			host.sent.slice(4).map(({ method }) => method),
			["ui/notifications/initialized"],
		);
	} finally {
		mock.timers.reset();
	}
});

test("nobody there: it times out, is closed and leaves no listener behind", async () => {
	mock.timers.enable({ apis: ["setTimeout"] });
	try {
		host.answersInitialize = false;
		const view = new View({ appInfo, ...NONE, timeoutMs: 700 });
		const waiting = view.callServerTool("x");
		const connecting = view.connect();
		await turn();
		mock.timers.tick(700);
		await assert.rejects(connecting, { code: "TIMED_OUT", message: "ui/initialize: no answer within 700 ms" });
		await assert.rejects(waiting, { code: "TIMED_OUT" });
		const { length } = host.sent;
		host.initialize(host.sent[0].id);
		mock.timers.tick(60_000);
		await turn();
		assert.ok(view.closed);
		assert.equal(host.sent.length, length);
	} finally {
		mock.timers.reset();
	}
});

test("an aborted attempt rejects with the signal's reason", async () => {
	host.answersInitialize = false;
	const abort = new AbortController();
	const connecting = connected({ signal: abort.signal });
	await host.said("ui/initialize");
	abort.abort(new Error("enough"));
	await assert.rejects(connecting, { message: "enough" });
	assert.deepEqual(host.sent, []);
});

test("an answer without what it must have is refused by name, and what it may lack is not missed", async () => {
	// AP-04
	for (const [members, lacks] of /** @type {const} */ ([
		[{ hostInfo: undefined, host: {}, capabilities: {} }, "hostInfo"],
		[{ hostCapabilities: null }, "hostCapabilities"],
		[{ protocolVersion: undefined }, "protocolVersion"],
	])) {
		host = new Host();
		Object.assign(globalThis, { window: host.window });
		host.answersInitialize = false;
		const connecting = connected();
		host.initialize((await host.said("ui/initialize")).id, members);
		await assert.rejects(connecting, {
			code: "INVALID_RESULT",
			message: `ui/initialize: no ${lacks} in the answer`,
		});
	}
	for (const hostContext of [null, undefined, {}]) {
		host = new Host();
		Object.assign(globalThis, { window: host.window });
		host.answersInitialize = false;
		const connecting = connected();
		host.initialize((await host.said("ui/initialize")).id, { hostContext, protocolVersion: "0.1", more: 1 });
		const view = await connecting;
		assert.deepEqual(view.hostContext, {});
		assert.equal(view.protocolVersion, "0.1");
	}
});

test("a page outside of a frame, and options without appInfo, are refused by name", async () => {
	Object.assign(host.window, { parent: host.window });
	await assert.rejects(connected(), { code: "INVALID_ARGUMENT", message: "this page is not in a frame" });
	for (const options of [undefined, {}, { appInfo: { name: "x" } }]) {
		assert.throws(() => new View(/** @type {any} */ (options)), { code: "INVALID_ARGUMENT", message: /appInfo/ });
	}
});

test("two Views of one window have ids of their own and do not take each other's answers", async () => {
	const views = await Promise.all([connected(), connected()]);
	host.sent = [];
	const calls = views.map((view, index) => view.callServerTool(`tool ${index}`));
	const sent = [await host.said("tools/call"), await host.said("tools/call")];
	assert.notEqual(sent[0].id, sent[1].id);
	for (const { id, params } of sent.reverse())
		host.say({ id, result: { content: [], structuredContent: { of: params.name } } });
	assert.deepEqual(
		(await Promise.all(calls)).map(({ structuredContent }) => structuredContent),
		[{ of: "tool 0" }, { of: "tool 1" }],
	);
});

test("foreign windows and what is not JSON-RPC go unheard", async () => {
	// AP-02
	const view = await connected();
	/** @type {any[]} */
	const heard = [];
	view.on("toolResult", (result) => heard.push(result.structuredContent));
	const message = { method: "ui/notifications/tool-result", params: { structuredContent: "foreign" } };
	for (const source of [host.window, null, {}]) host.sayNow(message, { source });
	host.sayNow({ ...message, jsonrpc: "1.0" });
	for (const nonsense of [null, "text", 7, [message]]) host.sayNow(nonsense);
	host.window.dispatchEvent(Object.assign(new Event("message"), { data: new Map([["jsonrpc", "2.0"]]), source: host }));
	host.sayNow({ ...message, params: new Map([["content", []]]) });
	host.sayNow({ ...message, params: [1] });
	host.sayNow({ ...message, id: 1.5 });
	host.sayNow({ ...message, id: null });
	host.sayNow({ ...message, id: 1n });
	host.sayNow({ id: "unknown", result: {} });
	host.sayNow({ method: "constructor", params: {} });
	host.sayNow({ method: "notifications/progress", params: { progressToken: "unknown" } });
	host.sayNow({ method: "notifications/cancelled" });
	assert.deepEqual(heard, []);
	host.sayNow({ ...message, params: { structuredContent: "the host" } });
	assert.deepEqual(heard, ["the host"]);
});

test("with hostOrigin the origin decides, whichever window says it sent the message", async () => {
	// AP-02: WebKit names another window than the parent as the source.
	host.answersInitialize = false;
	const connecting = connected({ hostOrigin: "https://host.example" });
	const { id } = await host.said("ui/initialize");
	assert.equal(host.origin, "https://host.example");
	const result = { protocolVersion: "2026-01-26", hostInfo: { name: "evil", version: "1" }, hostCapabilities: {} };
	host.say({ id, result }, { origin: "https://evil.example" });
	host.say({ id, result: { ...result, hostInfo: { name: "host", version: "1" } } }, { source: host.window });
	assert.equal((await connecting).hostInfo.name, "host");
});

test("who listens late hears what has been said, in its order, and once", async () => {
	// AP-01
	const view = await connected();
	host.notify("ui/notifications/tool-input-partial", { arguments: { city: "Be" } });
	/** @type {any[]} */
	const heard = [];
	view.on("toolInputPartial", (input) => heard.push(["early partial", input.arguments]));
	await turn();
	host.notify("ui/notifications/tool-input", { arguments: { city: "Berlin" } });
	host.notify("ui/notifications/tool-result", { structuredContent: { sky: "clear" }, _meta: { a: 1 } });
	const off = view.on("toolResult", () => heard.push("gone"));
	view.on("toolResult", (result) => heard.push(["result", result]));
	view.on("toolInput", (input) => heard.push(["input", input.arguments]));
	view.on("toolInputPartial", () => heard.push("a partial after the whole"));
	view.on("hostContext", (context) => heard.push(["context", context]));
	off();
	assert.equal(heard.length, 1, "nobody is told before on() has returned");
	await turn();
	await turn();
	assert.deepEqual(heard, [
		["early partial", { city: "Be" }],
		["context", {}],
		["input", { city: "Berlin" }],
		["result", { structuredContent: { sky: "clear" }, _meta: { a: 1 }, content: [] }],
	]);
	assert.equal(view.last("toolResult"), heard[3][1]);
	assert.equal(view.last("toolInputPartial"), undefined);
	assert.throws(() => view.on(/** @type {any} */ ("toolresult"), () => {}), { code: "INVALID_ARGUMENT" });
});

test("input after the end of a call begins another one", async () => {
	const view = await connected();
	host.notify("ui/notifications/tool-input", {});
	host.notify("ui/notifications/tool-cancelled", { reason: "stop" });
	assert.deepEqual(view.last("toolCancelled"), { reason: "stop" });
	host.notify("ui/notifications/tool-input", { arguments: { again: true } });
	assert.equal(view.last("toolCancelled"), undefined);
	host.notify("ui/notifications/tool-result", { content: [] });
	host.notify("ui/notifications/tool-input-partial");
	assert.equal(view.last("toolInput"), undefined);
	assert.equal(view.last("toolResult"), undefined);
	assert.deepEqual(view.last("toolInputPartial"), {});
});

test("the context is merged at its top level, and listeners see what changed", async () => {
	host.hostContext = { theme: "light", styles: { variables: { "--a": "1" } }, own: true };
	const view = await connected();
	/** @type {any[]} */
	const heard = [];
	view.on("hostContext", (...values) => heard.push(values));
	await turn();
	host.notify("ui/notifications/host-context-changed", { theme: "dark", styles: {} });
	assert.deepEqual(heard, [
		[host.hostContext, host.hostContext],
		[
			{ theme: "dark", styles: {}, own: true },
			{ theme: "dark", styles: {} },
		],
	]);
});

test("a listener that throws disturbs no other", async () => {
	const view = await connected();
	const reported = mock.fn();
	Object.assign(globalThis, { reportError: reported });
	/** @type {any[]} */
	const heard = [];
	view.on("toolInput", () => {
		throw new Error("of a listener");
	});
	view.on("toolInput", (input) => heard.push(input));
	host.notify("ui/notifications/tool-input");
	assert.deepEqual(heard, [{}]);
	assert.equal(reported.mock.calls[0].arguments[0].message, "of a listener");
});

test("it answers ping and teardown without any listener, and nothing else", async () => {
	const view = await connected();
	assert.deepEqual((await host.ask("ping")).result, {});
	const refused = (await host.ask("ui/unheard-of", {}, "7")).error;
	assert.deepEqual(refused, { code: -32601, message: "Method not found: ui/unheard-of" });
	assert.equal((await host.ask("tools/list")).error.code, -32601);
	assert.equal((await host.ask("ping", [1])).error.code, -32602);
	assert.deepEqual((await host.ask("ui/resource-teardown", { reason: "gone" })).result, {});
	await new Promise((resolve) => view.on("close", resolve));
});

test("a teardown waits for its listeners, whose requests still go out, whatever comes of them", async () => {
	const view = await connected();
	view.on("teardown", async ({ reason }) => {
		await view.callServerTool("save", { reason });
	});
	view.on("teardown", () => Promise.reject(new Error("not saved")));
	const answer = host.ask("ui/resource-teardown", { reason: "gone" });
	const { id, params } = await host.said("tools/call");
	assert.deepEqual(params.arguments, { reason: "gone" });
	assert.deepEqual(
		host.sent.filter(({ method }) => method === undefined),
		[],
	);
	host.say({ id, result: { content: [] } });
	assert.deepEqual((await answer).result, {});
});

test("every call has its method and parameters", async () => {
	host.hostCapabilities = { sampling: { tools: {} } };
	const view = await connected({ capabilities: { availableDisplayModes: ["inline", "pip"] } });
	const text = { type: /** @type {const} */ ("text"), text: "hi" };
	const link = { type: /** @type {const} */ ("resource_link"), uri: "file:///a.txt", name: "a.txt" };
	const messages = [{ role: /** @type {const} */ ("user"), content: text }];
	for (const [call, method, params, result, value] of /** @type {[() => Promise<any>, string, any, any, any][]} */ ([
		[() => view.listServerTools("c"), "tools/list", { cursor: "c" }, { tools: [] }, { tools: [] }],
		[() => view.readServerResource("a://b"), "resources/read", { uri: "a://b" }, { contents: [] }, { contents: [] }],
		[() => view.listServerResources(), "resources/list", {}, { resources: [] }, { resources: [] }],
		[
			() => view.createMessage({ messages, maxTokens: 9, tools: [] }),
			"sampling/createMessage",
			{ messages, maxTokens: 9, tools: [] },
			{ role: "assistant" },
			{ role: "assistant" },
		],
		[() => view.sendMessage("hi"), "ui/message", { role: "user", content: [text] }, {}, undefined],
		[() => view.sendMessage([text]), "ui/message", { role: "user", content: [text] }, {}, undefined],
		[() => view.updateModelContext({ content: [text] }), "ui/update-model-context", { content: [text] }, {}, undefined],
		[() => view.openLink(new URL("https://a.example/")), "ui/open-link", { url: "https://a.example/" }, {}, undefined],
		[() => view.downloadFile([link]), "ui/download-file", { contents: [link] }, {}, undefined],
		[() => view.requestDisplayMode("pip"), "ui/request-display-mode", { mode: "pip" }, { mode: "inline" }, "inline"],
		[() => view.request("x/y", { z: 1 }), "x/y", { z: 1 }, { ok: true }, { ok: true }],
	])) {
		const done = call();
		const sent = await host.said(method);
		assert.deepEqual(sent.params, params, method);
		host.say({ id: sent.id, result });
		assert.deepEqual(await done, value, method);
	}
	view.log("warning", { a: 1 }, "me");
	assert.deepEqual((await host.said("notifications/message")).params, {
		level: "warning",
		data: { a: 1 },
		logger: "me",
	});
	view.requestTeardown();
	assert.equal((await host.said("ui/notifications/request-teardown")).params, undefined);
});

test("both ways to refuse a request are DENIED, and an error stays an error", async () => {
	const view = await connected();
	host.sent = [];
	for (const call of [() => view.openLink("x:"), () => view.sendMessage("x"), () => view.downloadFile([])]) {
		for (const answer of [{ result: { isError: true } }, { error: { code: -32000, message: "no" } }]) {
			const done = call();
			host.say({ id: (await host.next(({ id }) => id !== undefined)).id, ...answer });
			await assert.rejects(done, (error) => error instanceof McpError && error.code === "DENIED");
			host.sent = [];
		}
		const done = call();
		const { id } = await host.next(({ id }) => id !== undefined);
		host.say({ id, error: { code: -32601, message: "unknown", data: [1] } });
		await assert.rejects(done, (error) => {
			assert.ok(error instanceof ProtocolError);
			assert.deepEqual([error.rpcCode, error.message, error.data], [-32601, "unknown", [1]]);
			return true;
		});
		host.sent = [];
	}
	const done = view.openLink("x:");
	host.say({ id: (await host.said("ui/open-link")).id });
	await assert.rejects(done, { code: "INVALID_RESULT" });
});

test("a tool's result with isError is a result", async () => {
	const view = await connected();
	const done = view.callServerTool("x");
	host.say({ id: (await host.said("tools/call")).id, result: { content: [], isError: true } });
	assert.deepEqual(await done, { content: [], isError: true });
});

test("display modes: undeclared ones are refused, those that the host lacks are not asked for", async () => {
	host.hostContext = { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] };
	const view = await connected({ capabilities: { availableDisplayModes: ["inline", "fullscreen", "pip"] } });
	assert.equal(await view.requestDisplayMode("pip"), "inline");
	const done = view.requestDisplayMode("fullscreen");
	host.say({ id: (await host.said("ui/request-display-mode")).id, result: { mode: "fullscreen" } });
	assert.equal(await done, "fullscreen");
	assert.equal(view.hostContext.displayMode, "fullscreen");
	const own = await connected({ capabilities: { availableDisplayModes: ["inline"] } });
	await assert.rejects(own.requestDisplayMode("fullscreen"), { code: "INVALID_ARGUMENT" });
	await assert.rejects(own.requestDisplayMode(/** @type {any} */ ("huge")), { code: "INVALID_ARGUMENT" });
	assert.deepEqual(
		host.sent.filter(({ method }) => method === "ui/request-display-mode"),
		[],
	);
});

test("sampling is asked for only where it is offered", async () => {
	const view = await connected();
	const params = { messages: [], maxTokens: 1 };
	await assert.rejects(view.createMessage(params), { code: "INVALID_ARGUMENT", message: /no sampling$/ });
	host.hostCapabilities = { sampling: {} };
	const other = await connected();
	await assert.rejects(other.createMessage({ ...params, tools: [] }), { message: /no sampling with tools/ });
});

test("progress reaches its request and keeps it alive; silence ends it, and the host is told", async () => {
	const view = await connected();
	mock.timers.enable({ apis: ["setTimeout"] });
	try {
		/** @type {any[]} */
		const heard = [];
		const done = view.callServerTool(
			"slow",
			{},
			{ timeoutMs: 100, onProgress: (progress) => heard.push(progress.progress) },
		);
		const { id, params } = await host.said("tools/call");
		const { progressToken } = params._meta;
		for (const progress of [1, 2, 3]) {
			mock.timers.tick(99);
			host.notify("notifications/progress", { progressToken, progress });
		}
		assert.deepEqual(heard, [1, 2, 3]);
		mock.timers.tick(100);
		await assert.rejects(done, { code: "TIMED_OUT" });
		const { params: cancelled } = await host.said("notifications/cancelled");
		assert.equal(cancelled.requestId, id);
		// Too late for anything.
		host.sayNow({ id, result: {} });
		host.notify("notifications/progress", { progressToken, progress: 4 });
		assert.deepEqual(heard, [1, 2, 3]);
	} finally {
		mock.timers.reset();
	}
});

test("an aborted request rejects with its reason and is cancelled; one that was never sent is not", async () => {
	host.answersInitialize = false;
	const view = new View({ appInfo, ...NONE });
	const connecting = view.connect();
	const abort = new AbortController();
	const early = view.callServerTool("early", {}, { signal: abort.signal });
	abort.abort("changed my mind");
	await assert.rejects(early, (reason) => reason === "changed my mind");
	host.initialize((await host.said("ui/initialize")).id);
	await connecting;
	const later = new AbortController();
	const done = view.callServerTool("later", {}, { signal: later.signal });
	const { id, params } = await host.said("tools/call");
	assert.equal(params.name, "later");
	later.abort(new Error("stop"));
	await assert.rejects(done, { message: "stop" });
	assert.deepEqual((await host.said("notifications/cancelled")).params, { requestId: id, reason: "stop" });
	await assert.rejects(view.callServerTool("x", {}, { signal: AbortSignal.abort("no") }), (reason) => reason === "no");
	assert.deepEqual(
		host.sent.map(({ method }) => method),
		["ui/notifications/initialized"],
	);
});

test("what is sent is plain JSON, or refused", async () => {
	const view = await connected();
	const cycle = {};
	Object.assign(cycle, { cycle });
	for (const args of [{ big: 1n }, cycle]) {
		await assert.rejects(view.callServerTool("x", args), { code: "INVALID_ARGUMENT", message: /^not JSON: / });
	}
	const args = { map: new Map([["a", 1]]), date: new Date(0), none: undefined, run() {} };
	view.callServerTool("x", args).catch(() => {});
	assert.deepEqual((await host.said("tools/call")).params.arguments, {
		map: { a: 1 },
		date: "1970-01-01T00:00:00.000Z",
	});
	view.close();
});

test("closing rejects what is pending and sends nothing more", async () => {
	const view = await connected();
	/** @type {any[]} */
	const ends = [];
	view.on("close", (reason) => ends.push(/** @type {McpError} */ (reason).code));
	const pending = view.callServerTool("x");
	host.sent = [];
	view.close();
	view.close();
	await assert.rejects(pending, { code: "CLOSED", message: "the View is closed" });
	await assert.rejects(view.callServerTool("y"), { code: "CLOSED" });
	view.log("info", "nobody hears it");
	view.sendSize({ height: 1 });
	host.notify("ui/notifications/tool-input", {});
	host.sayNow({ id: 1, method: "ping" });
	await turn();
	assert.deepEqual(host.sent, []);
	assert.deepEqual(ends, ["CLOSED"]);
	assert.equal(view.last("toolInput"), undefined);
});

test("a page that goes away for good closes its View, one that is kept does not", async () => {
	// AP-01
	const view = await connected();
	host.window.dispatchEvent(Object.assign(new Event("pagehide"), { persisted: true }));
	assert.equal(view.closed, false);
	host.window.dispatchEvent(Object.assign(new Event("pagehide"), { persisted: false }));
	assert.equal(view.closed, true);
});

test("tools of the View: listed, called, switched off, changed, removed; the host hears of it once", async () => {
	const view = await connected({
		tools: [{ name: "first", description: "1", handler: (/** @type {any} */ { a }) => `got ${a}` }],
	});
	assert.deepEqual((await host.said("ui/initialize")).params.appCapabilities, { tools: { listChanged: true } });
	const listed = async () => (await host.ask("tools/list", {}, "list")).result.tools;
	const called = async (/** @type {string} */ name, args = {}) =>
		await host.ask("tools/call", { name, arguments: args }, "call");
	assert.deepEqual(await listed(), [
		{ inputSchema: { type: "object", properties: {} }, name: "first", description: "1" },
	]);
	assert.deepEqual((await called("first", { a: 1 })).result, { content: [{ type: "text", text: "got 1" }] });
	await host.said("notifications/tools/list_changed");

	mock.timers.enable({ apis: ["setTimeout"] });
	try {
		const second = view.registerTool({
			name: "second",
			handler() {
				throw new Error("failed");
			},
		});
		const third = view.registerTool({ name: "third", handler: () => ({ structuredContent: { a: 1 } }) });
		third.disable();
		second.update({ description: "2" });
		mock.timers.tick(100);
		mock.timers.tick(1_000);
		assert.equal(host.sent.filter(({ method }) => method === "notifications/tools/list_changed").length, 1);
		assert.deepEqual(
			(await listed()).map((/** @type {any} */ { name, description }) => [name, description]),
			[
				["first", "1"],
				["second", "2"],
			],
		);
		assert.deepEqual((await called("second")).result, { content: [{ type: "text", text: "failed" }], isError: true });
		assert.deepEqual((await called("third")).error, { code: -32602, message: "Unknown tool: third" });
		third.enable();
		assert.deepEqual((await called("third")).result, { content: [], structuredContent: { a: 1 } });
		third.remove();
		third.remove();
		assert.equal((await called("third")).error.code, -32602);
		assert.throws(() => view.registerTool({ name: "first", handler: () => "" }), { code: "INVALID_DEFINITION" });
		assert.throws(() => view.registerTool(/** @type {any} */ ({ name: "x" })), {
			message: 'tool "x": needs a name and a handler',
		});
		for (let n = 2; n < 50; n++) view.registerTool({ name: `tool ${n}`, handler: () => "" });
		assert.throws(() => view.registerTool({ name: "one more", handler: () => "" }), { message: /more than 50 tools/ });
	} finally {
		mock.timers.reset();
	}
});

test("a View without tools has none to add, and a cancelled call is aborted and not answered", async () => {
	const none = await connected();
	assert.throws(() => none.registerTool({ name: "x", handler: () => "" }), { code: "INVALID_ARGUMENT" });
	none.close();
	/** @type {(signal: AbortSignal) => void} */
	let started = () => {};
	const running = new Promise((resolve) => {
		started = resolve;
	});
	const view = await connected({ capabilities: { tools: {} } });
	host.sent = [];
	mock.timers.enable({ apis: ["setTimeout"] });
	try {
		view.registerTool({
			name: "wait",
			handler: (_, { signal }) => {
				started(signal);
				return new Promise((resolve) => signal.addEventListener("abort", () => resolve("too late")));
			},
		});
		mock.timers.tick(1_000);
	} finally {
		mock.timers.reset();
	}
	host.sayNow({ id: 5, method: "tools/call", params: { name: "wait" } });
	const signal = await running;
	host.notify("notifications/cancelled", { requestId: 5, reason: "enough" });
	assert.equal(signal.reason, "enough");
	await turn();
	assert.deepEqual(host.sent, [], "no answer, and no list_changed that was not declared");
});

test("sizes are whole, within bounds and said once", async () => {
	// AP-04
	const view = await connected();
	host.sent = [];
	for (const height of [10.2, 11, Number.NaN, Number.POSITIVE_INFINITY, -5, 1e9]) view.sendSize({ width: 100, height });
	assert.deepEqual(
		host.sent.map(({ params }) => params),
		[{ width: 100, height: 11 }, { width: 100 }, { width: 100, height: 0 }, { width: 100, height: 100_000 }],
	);
});

test("hosts of the draft are understood when it is asked for", async () => {
	for (const olderSpellings of [true, false]) {
		host = new Host();
		Object.assign(globalThis, { window: host.window });
		host.hostContext = { viewport: { height: 5 } };
		const view = await connected({ olderSpellings });
		host.notify("ui/tool-cancelled", { reason: "x" });
		assert.equal(view.last("toolCancelled")?.reason, olderSpellings ? "x" : undefined);
		assert.deepEqual(view.hostContext.containerDimensions, olderSpellings ? { height: 5 } : undefined);
	}
});
