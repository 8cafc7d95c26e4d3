// The frame of a View in Chromium: started again, moved, resized, flooded, closed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inView, MODERN_VIEW, mounted, real, untilIn } from "./apps-page.mjs";
import { realView, viewFrame, viewOf } from "./apps-world.mjs";

test("a View that mounts twice in its document is told twice, and answered each time", async () => {
	const html = await realView(
		MODERN_VIEW,
		`globalThis.second = () => {
		const twin = new App({ name: "twin", version: "1" }, {}, { autoResize: false });
		const heard = [];
		twin.ontoolinput = () => heard.push("input");
		twin.ontoolresult = () => heard.push("result");
		return twin.connect().then(() => twin.callServerTool({ name: "add", arguments: { a: 1, b: 2 } })).then(({ structuredContent }) => [heard, structuredContent.sum]);
	};`,
	);
	const page = await mounted({ html });
	try {
		await untilIn(page.view, "heard.length > 1");
		assert.deepEqual(await inView(page.view, "return second()"), [["input", "result"], 3]);
	} finally {
		await page.close();
	}
});

test("a frame that is moved starts again, and its View is told everything again", async () => {
	const page = await mounted({ html: real[MODERN_VIEW] });
	try {
		await untilIn(page.view, "heard.length > 1");
		await page.run(`const other = document.createElement("section");
		document.body.append(other);
		traffic.length = 0;
		other.append(m.app.frame);`);
		await page.until("traffic.some(({ method }) => method === 'ui/notifications/initialized')");
		const view = await viewFrame(page.page);
		await untilIn(view, "globalThis.heard?.length > 1");
		assert.deepEqual(
			(await inView(view, "return heard")).map((/** @type {any} */ [name]) => name),
			["input", "result"],
		);
		assert.deepEqual(
			(await inView(view, "return app.callServerTool({ name: 'add', arguments: { a: 1, b: 1 } })")).structuredContent,
			{ sum: 2 },
		);
	} finally {
		await page.close();
	}
});

test("a View has time to save before it goes, and no more than its time", async () => {
	for (const [more, saved] of [
		["", 0],
		[
			"app.onteardown = async () => { await app.callServerTool({ name: 'add', arguments: { a: 40, b: 2 } }); return {}; };",
			1,
		],
		["app.onteardown = () => new Promise(() => {});", 0],
	]) {
		const page = await mounted({
			html: await realView(MODERN_VIEW, String(more)),
			options: { limits: { teardownMs: 300 } },
		});
		try {
			await page.run("await Promise.all([m.app.close(), m.app.close()])");
			assert.equal(await page.run("return seen.filter(([name]) => name === 'add').length"), saved, String(more));
			assert.equal(await page.run("return document.querySelectorAll('iframe').length"), 0);
		} finally {
			await page.close();
		}
	}
});

test("a page whose layout follows its frame comes to rest, within the greatest height", async () => {
	const style = "<style>html, body { height: 100%; margin: 0 } main { min-height: 100vh }</style>";
	for (const [body, height] of [
		["<main>As high as its frame</main>", 400],
		['<div style="height: 3000px">Higher than it may be</div>', 400],
	]) {
		const html = (await realView(MODERN_VIEW)).replace("<body>", `${style}<body>${body}`);
		const page = await mounted({ html, options: { maxHeight: 400 } });
		try {
			await page.until("seen.some(([name]) => name === 'onSizeChanged')");
			assert.deepEqual(await inView(page.view, "return app.getHostContext().containerDimensions"), {
				width: 600,
				maxHeight: 400,
			});
			await page.run("m.container.style.width = '300px'");
			await untilIn(page.view, "app.getHostContext().containerDimensions.width === 300");
			const reached = Number.parseInt(await page.run("return m.app.frame.style.height"), 10);
			assert.ok(reached > 0 && reached <= Number(height), String(reached));
			const sizes = await page.run("return seen.filter(([name]) => name === 'onSizeChanged').length");
			assert.ok(sizes < 20, `${sizes} changes of size`);
		} finally {
			await page.close();
		}
	}
});

test("messages that are no JSON, or too many, cost the View and nobody else", async () => {
	const html = await viewOf(`const heard = [];
	addEventListener("message", ({ data }) => heard.push(data));
	Object.assign(globalThis, { heard, say: (message) => parent.postMessage(message, "*") });
	say({ jsonrpc: "2.0", id: 0, method: "ui/initialize", params: { appInfo: { name: "raw", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" } });
	addEventListener("message", ({ data }) => data.id === 0 && say({ jsonrpc: "2.0", method: "ui/notifications/initialized" }), { once: true });`);
	const page = await mounted({ html });
	try {
		const answers = await inView(
			page.view,
			`
		const answer = (id) => new Promise((done) => addEventListener("message", ({ data }) => data.id === id && done(data.error?.code ?? "result")));
		const call = (id, args, more) => { const answered = answer(id); say({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "add", arguments: args }, ...more }); return answered; };
		for (const junk of ["text", 5, null, undefined, [1], new Map([["jsonrpc", "2.0"]]), { jsonrpc: "1.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: 5n, method: "ping" }, { jsonrpc: "2.0", id: null, method: "ping" }, new Uint8Array(9)]) say(junk);
		const self = { jsonrpc: "2.0", id: "loop", method: "ping", params: {} };
		self.params.self = self;
		const loop = answer("loop");
		say(self);
		return [
			await call(1, new Map([["a", 1]])), await call(2, { a: 5n, b: 1 }), await call(3, [1]), await call(4, { a: 1, b: 2 }, { extra: 1 }),
			await call("x", { a: 1, b: 2 }, { id: "x" }), await loop, await (say({ jsonrpc: "2.0", id: 9, method: "ping", params: null }), answer(9)),
		];`,
		);
		assert.deepEqual(answers, [-32600, -32600, -32602, "result", "result", -32600, "result"]);
		const refused = await inView(
			page.view,
			`let refused = 0;
		addEventListener("message", ({ data }) => { if (data.error?.code === -32000) refused++; });
		for (let id = 1000; id < 3000; id++) say({ jsonrpc: "2.0", id, method: "ping" });
		await new Promise((done) => addEventListener("message", ({ data }) => data.id === 2999 && done()));
		return refused;`,
		);
		assert.ok(refused > 0, String(refused));
		assert.equal(await page.run("return (await m.client.callTool('add', { a: 1, b: 1 })).structuredContent.sum"), 2);
	} finally {
		await page.close();
	}
});

test("the tools of a View are listed, called, given up and told of", async () => {
	const html = await realView(
		MODERN_VIEW,
		`app.registerTool("move", { description: "Moves a piece" }, async () => ({ content: [{ type: "text", text: "moved" }] }));
	app.registerTool("hang", {}, () => new Promise(() => {}));`,
	);
	const page = await mounted({ html });
	try {
		assert.deepEqual(await page.run("return (await m.app.listTools()).tools.map(({ name }) => name)"), [
			"move",
			"hang",
		]);
		assert.equal(await page.run("return (await m.app.callTool('move', {})).content[0].text"), "moved");
		const failures =
			await page.run(`const code = (promise) => promise.then(() => "fine", (error) => (typeof error.code === "string" ? error.code : error.name));
		return [await code(m.app.callTool("hang", {}, { timeoutMs: 50 })), await code(m.app.callTool("hang", {}, { signal: AbortSignal.timeout(50) })), await code(Promise.all([m.app.callTool("hang"), m.app.close()])), await code(m.app.listTools())];`);
		assert.deepEqual(failures, ["TIMED_OUT", "TimeoutError", "CLOSED", "CLOSED"]);
	} finally {
		await page.close();
	}
});

test("an error of a View's tool keeps its code, and what cannot be asked is refused before it leaves", async () => {
	const html = await viewOf(`const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
	addEventListener("message", ({ data: { id, method, params } }) => {
		if (id === 0) say({ method: "ui/notifications/initialized" });
		if (method === "tools/call") say({ id, error: { code: Number(params.name), message: "mine" } });
	});
	say({ id: 0, method: "ui/initialize", params: { appInfo: { name: "raw", version: "1" }, appCapabilities: { tools: {} }, protocolVersion: "2026-01-26" } });`);
	const page = await mounted({ html });
	try {
		const told =
			await page.run(`const told = (promise) => promise.then(() => "fine", ({ code, rpcCode, message }) => [code, rpcCode, message]);
		const signal = new AbortController().signal;
		let listeners = 0;
		const { addEventListener: add, removeEventListener: remove } = signal;
		signal.addEventListener = (...args) => { listeners++; return add.apply(signal, args); };
		signal.removeEventListener = (...args) => { listeners--; return remove.apply(signal, args); };
		return [
			await told(m.app.callTool("-32000")), await told(m.app.callTool("-32001")),
			await told(m.app.callTool("a", { big: 1n }, { signal })), await told(m.app.callTool("a", {}, { timeoutMs: "5s", signal })),
			await told(m.app.listTools({ timeoutMs: Number.NaN })), await told((async () => m.app.sendToolResult({ content: [], big: 1n }))()), listeners,
		];`);
		assert.deepEqual(told.slice(0, 2), [
			["PROTOCOL", -32000, "mine"],
			["PROTOCOL", -32001, "mine"],
		]);
		for (const [code, , message] of told.slice(2, 6)) {
			assert.equal(code, "INVALID_ARGUMENT");
			assert.match(message, /must be JSON|timeoutMs must be a whole number above 0/);
		}
		assert.equal(told[6], 0, "listeners that are left");
	} finally {
		await page.close();
	}
});
