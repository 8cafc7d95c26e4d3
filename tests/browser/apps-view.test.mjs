// The View in real frames with the real hosts of ext-apps, old and new.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { documentOf, HOSTS, INNER, openSites } from "./apps/site.mjs";
import { assertQuiet, openChromium } from "./chromium.mjs";

/** @type {Awaited<ReturnType<typeof openSites>>} */
let sites;
/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
before(async () => {
	sites = await openSites();
	chromium = await openChromium();
});
after(async () => {
	await chromium?.close();
	await sites?.stop();
});

/** A View that keeps what it hears. */
const VIEW = `
globalThis.heard = [];
globalThis.view = new mcpDuetView.View({
	appInfo: { name: "view", version: "1.0.0" },
	capabilities: { availableDisplayModes: ["inline", "fullscreen"] },
});
for (const name of ["hostContext", "toolInputPartial", "toolInput", "toolResult", "toolCancelled"])
	view.on(name, (value) => heard.push([name, value]));
globalThis.connected = view.connect();`;

/** What page and frames call their globals: functions that run there find it. @type {any} */
const g = undefined;

/**
 * @param {{ version?: string, inner?: string, html?: string, context?: any, capabilities?: any, isDirect?: boolean, delayMs?: number }} [options]
 */
async function mount({ version = "2.0.4", inner = INNER.opaque, html = documentOf(VIEW), ...rest } = {}) {
	const opened = await chromium.open(`${sites.host}/host-${version}.html`);
	const { page } = opened;
	await page.waitForFunction(() => "mount" in globalThis);
	const { isDirect, ...more } = rest;
	const sandbox = isDirect ? undefined : sites.sandbox;
	await page.evaluate((options) => g.mount(options), { sandbox, html, inner, ...more });
	await page.evaluate(() => g.initialized);
	const frames = page.frames();
	const frame = frames[frames.length - 1];
	return {
		...opened,
		frame,
		/** What was said, as `view: method` and `host: method`. */
		said: async () =>
			(await page.evaluate(() => g.trace)).map(
				(/** @type {any} */ { view, message }) => `${view ? "view" : "host"}: ${message.method ?? "answer"}`,
			),
		/** Messages of one method. @param {string} method */
		messages: async (method) =>
			(await page.evaluate(() => g.trace))
				.map((/** @type {any} */ { message }) => message)
				.filter((/** @type {any} */ message) => message.method === method),
		/** Waits until a method has been said so many times. @param {string} method */
		until: (method, times = 1) =>
			page.waitForFunction(
				({ method, times }) =>
					g.trace.filter((/** @type {any} */ { message }) => message.method === method).length >= times,
				{ method, times },
			),
	};
}

/** Lets everything pass through both frames that is under way. @param {Awaited<ReturnType<typeof mount>>} mounted */
async function settled({ frame, page }) {
	await frame.evaluate(() => g.view.request("ping").catch(() => {}));
	await page.evaluate(() => undefined);
}

for (const version of Object.keys(HOSTS)) {
	for (const [kind, inner] of Object.entries(INNER)) {
		test(`${version}, ${kind}: the handshake, tool data and sizes come in the order of the specification`, async () => {
			const html = documentOf(VIEW, { style: "#content { height: 120px }", body: '<div id="content"></div>' });
			const mounted = await mount({ version, inner, html, context: { theme: "dark" } });
			const { page, frame } = mounted;
			await mounted.until("ui/notifications/size-changed");
			await page.evaluate(async () => {
				await g.bridge.sendToolInputPartial({ arguments: { city: "Be" } });
				await g.bridge.sendToolInput({ arguments: { city: "Berlin" } });
				await g.bridge.sendToolResult({
					content: [{ type: "text", text: "clear" }],
					structuredContent: { sky: "clear" },
					_meta: { a: 1 },
				});
			});
			await settled(mounted);
			assert.deepEqual((await mounted.said()).slice(0, 8), [
				"view: ui/notifications/sandbox-proxy-ready",
				"host: ui/notifications/sandbox-resource-ready",
				"view: ui/initialize",
				"host: answer",
				"view: ui/notifications/initialized",
				"view: ui/notifications/size-changed",
				"host: ui/notifications/tool-input-partial",
				"host: ui/notifications/tool-input",
			]);
			assert.deepEqual((await mounted.messages("ui/notifications/size-changed"))[0].params, {
				width: 400,
				height: 120,
			});
			assert.deepEqual(await page.evaluate(() => g.bridge.getAppVersion()), { name: "view", version: "1.0.0" });
			assert.deepEqual(await page.evaluate(() => g.bridge.getAppCapabilities()), {
				availableDisplayModes: ["inline", "fullscreen"],
			});
			assert.deepEqual(await frame.evaluate(() => g.heard), [
				["hostContext", { theme: "dark" }],
				["toolInputPartial", { arguments: { city: "Be" } }],
				["toolInput", { arguments: { city: "Berlin" } }],
				[
					"toolResult",
					{ content: [{ type: "text", text: "clear" }], structuredContent: { sky: "clear" }, _meta: { a: 1 } },
				],
			]);
			assert.equal(await frame.evaluate(() => origin === "null"), kind === "opaque");
			assertQuiet(mounted);
			await mounted.close();
		});
	}

	test(`${version}: every request and notification of the View reaches the host as it must`, async () => {
		const mounted = await mount({ version, capabilities: { sampling: { tools: {} } } });
		const { page, frame } = mounted;
		await page.evaluate(() => {
			Object.assign(g.answers, {
				"tools/call": (/** @type {any} */ { name }) => ({ content: [{ type: "text", text: `called ${name}` }] }),
				"resources/read": (/** @type {any} */ { uri }) => ({ contents: [{ uri, text: "read" }] }),
				"resources/list": () => ({ resources: [{ uri: "a://b", name: "b" }] }),
				"ui/request-display-mode": (/** @type {any} */ { mode }) => ({ mode }),
				"sampling/createMessage": () => ({ role: "assistant", content: { type: "text", text: "ok" }, model: "m" }),
			});
		});
		const results = await frame.evaluate(async () => {
			const { view } = g;
			const text = { type: "text", text: "hi" };
			return [
				await view.callServerTool("x", { a: 1 }),
				await view.readServerResource("a://b"),
				await view.listServerResources(),
				await view.sendMessage("hi"),
				await view.updateModelContext({ content: [text], structuredContent: { a: 1 } }),
				await view.openLink("https://example.com/"),
				await view.downloadFile([{ type: "resource", resource: { uri: "file:///a.txt", text: "a" } }]),
				await view.requestDisplayMode("fullscreen"),
				(await view.createMessage({ messages: [{ role: "user", content: text }], maxTokens: 9 })).model,
				await view.request("ping"),
				view.hostContext,
			];
		});
		assert.deepEqual(JSON.parse(JSON.stringify(results.map((one) => one ?? null))), [
			{ content: [{ type: "text", text: "called x" }] },
			{ contents: [{ uri: "a://b", text: "read" }] },
			{ resources: [{ uri: "a://b", name: "b" }] },
			...[null, null, null, null],
			...["fullscreen", "m"],
			{},
			{ displayMode: "fullscreen" },
		]);
		const asked = await page.evaluate(() =>
			g.asked.map((/** @type {any} */ { method, params: { _meta, ...params } }) => [method, params]),
		);
		const text = { type: "text", text: "hi" };
		assert.deepEqual(asked, [
			["tools/call", { name: "x", arguments: { a: 1 } }],
			["resources/read", { uri: "a://b" }],
			["resources/list", {}],
			["ui/message", { role: "user", content: [text] }],
			["ui/update-model-context", { content: [text], structuredContent: { a: 1 } }],
			["ui/open-link", { url: "https://example.com/" }],
			["ui/download-file", { contents: [{ type: "resource", resource: { uri: "file:///a.txt", text: "a" } }] }],
			["ui/request-display-mode", { mode: "fullscreen" }],
			["sampling/createMessage", { messages: [{ role: "user", content: text }], maxTokens: 9 }],
		]);
		const told = await page.evaluate(() => {
			/** @type {any[]} */
			const told = [];
			g.told = told;
			g.bridge.onloggingmessage = (/** @type {any} */ params) => told.push(params);
			g.bridge.onrequestteardown = () => told.push("teardown, please");
			return told;
		});
		assert.deepEqual(told, []);
		await frame.evaluate(() => {
			g.view.log("warning", { a: 1 }, "me");
			g.view.requestTeardown();
		});
		await settled(mounted);
		assert.deepEqual(await page.evaluate(() => g.told), [
			{ level: "warning", data: { a: 1 }, logger: "me" },
			"teardown, please",
		]);
		assertQuiet(mounted);
		await mounted.close();
	});

	test(`${version}: both ways to refuse are one error, and a host without a handler is another`, async () => {
		const mounted = await mount({ version });
		const { page, frame } = mounted;
		const attempt = () =>
			frame.evaluate(() =>
				g.view.openLink("https://example.com/").catch((/** @type {any} */ { code, rpcCode }) => [code, rpcCode]),
			);
		await page.evaluate(() => {
			g.answers["ui/open-link"] = () => ({ isError: true });
		});
		assert.deepEqual(await attempt(), ["DENIED", undefined]);
		await page.evaluate(() => {
			g.answers["ui/open-link"] = () => {
				throw Object.assign(new Error("no"), { code: -32000 });
			};
		});
		assert.deepEqual(await attempt(), ["DENIED", undefined]);
		const unknown = await frame.evaluate(() =>
			g.view.listServerTools().catch((/** @type {any} */ { code, rpcCode }) => [code, rpcCode]),
		);
		assert.deepEqual(unknown, ["PROTOCOL", -32601]);
		await mounted.close();
	});

	test(`${version}: tools of the View are listed and called by the host`, async () => {
		const html = documentOf(`
globalThis.view = new mcpDuetView.View({
	appInfo: { name: "view", version: "1.0.0" },
	tools: [{
		name: "paint",
		description: "Paints",
		inputSchema: { type: "object", properties: { colour: { type: "string" } } },
		handler: ({ colour }) => "painted " + colour,
	}],
});
view.connect();`);
		const mounted = await mount({ version, html });
		const { page, frame } = mounted;
		assert.deepEqual(await page.evaluate(() => g.bridge.getAppCapabilities()), { tools: { listChanged: true } });
		const { tools } = await page.evaluate(() => g.bridge.listTools({}));
		assert.deepEqual(
			tools.map((/** @type {any} */ { name, description }) => [name, description]),
			[["paint", "Paints"]],
		);
		const painted = await page.evaluate(() => g.bridge.callTool({ name: "paint", arguments: { colour: "red" } }));
		assert.deepEqual(painted.content, [{ type: "text", text: "painted red" }]);
		const unknown = await page.evaluate(() =>
			g.bridge.callTool({ name: "x" }).catch((/** @type {any} */ { code }) => code),
		);
		assert.equal(unknown, -32602);
		await frame.evaluate(() => {
			for (const name of ["one", "two"]) g.view.registerTool({ name, handler: () => "" });
		});
		await mounted.until("notifications/tools/list_changed");
		assert.equal((await page.evaluate(() => g.bridge.listTools({}))).tools.length, 3);
		assertQuiet(mounted);
		await mounted.close();
	});

	test(`${version}: a teardown is answered, with and without a listener, after what the listener saved`, async () => {
		for (const hasListener of [false, true]) {
			const mounted = await mount({ version });
			const { page, frame } = mounted;
			if (hasListener) {
				await frame.evaluate(() => {
					g.view.on("teardown", () => g.view.callServerTool("save"));
				});
			}
			assert.deepEqual(await page.evaluate(() => g.bridge.teardownResource({})), {});
			const saved = await page.evaluate(() => g.asked.map((/** @type {any} */ { params }) => params.name));
			assert.deepEqual(saved, hasListener ? ["save"] : []);
			await frame.waitForFunction(() => g.view.closed);
			assertQuiet(mounted);
			await mounted.close();
		}
	});
}

test("who listens late hears everything, and a View that asks before the handshake waits for it", async () => {
	const html = documentOf(`
globalThis.view = new mcpDuetView.View({ appInfo: { name: "view", version: "1.0.0" } });
globalThis.early = view.callServerTool("early");
view.log("info", "early");
view.connect();`);
	const mounted = await mount({ html });
	const { page, frame } = mounted;
	await page.evaluate(async () => {
		await g.bridge.sendToolInput({});
		await g.bridge.sendToolResult({ content: [] });
	});
	await settled(mounted);
	await frame.evaluate(() => g.early);
	const said = (await mounted.said()).filter((/** @type {string} */ one) => one.startsWith("view: "));
	assert.deepEqual(said.slice(0, 3), [
		"view: ui/notifications/sandbox-proxy-ready",
		"view: ui/initialize",
		"view: ui/notifications/initialized",
	]);
	assert.ok(said.includes("view: tools/call") && said.includes("view: notifications/message"));
	const heard = await frame.evaluate(
		() =>
			new Promise((resolve) => {
				/** @type {string[]} */
				const names = [];
				for (const name of ["toolResult", "toolInput", "hostContext"]) {
					g.view.on(name, () => names.push(name) === 3 && resolve(names));
				}
			}),
	);
	assert.deepEqual(heard, ["hostContext", "toolInput", "toolResult"]);
	assertQuiet(mounted);
	await mounted.close();
});

test("a host that listens too late is reached all the same", async () => {
	// AP-01
	const mounted = await mount({ isDirect: true, delayMs: 700 });
	const { frame } = mounted;
	assert.equal(await frame.evaluate(async () => (await g.connected).hostInfo.name), "real host");
	const said = await mounted.said();
	assert.ok(said.filter((/** @type {string} */ one) => one === "view: ui/initialize").length >= 2);
	assert.equal(said.filter((/** @type {string} */ one) => one === "view: ui/notifications/initialized").length, 1);
	await mounted.close();
});

test("two Views in one frame, and one after another, do not disturb each other", async () => {
	const html = documentOf(`
globalThis.make = () => mcpDuetView.connectView({ appInfo: { name: "view", version: "1.0.0" } });
const first = new mcpDuetView.View({ appInfo: { name: "unmounted at once", version: "1.0.0" } });
first.connect().catch(() => {});
first.close();
globalThis.both = Promise.all([make(), make()]);`);
	const mounted = await mount({ html });
	const { page, frame } = mounted;
	await page.evaluate(() => {
		g.answers["tools/call"] = (/** @type {any} */ { name }) => ({ content: [{ type: "text", text: name }] });
	});
	const texts = await frame.evaluate(async () => {
		const views = await g.both;
		const results = await Promise.all(
			views.map((/** @type {any} */ view, /** @type {number} */ at) => view.callServerTool(`call ${at}`)),
		);
		views[0].close();
		results.push(await views[1].callServerTool("the other"));
		views[1].close();
		g.view = await g.make();
		results.push(await g.view.callServerTool("another one"));
		return results.map((result) => result.content[0].text);
	});
	assert.deepEqual(texts, ["call 0", "call 1", "the other", "another one"]);
	const initializes = await mounted.messages("ui/initialize");
	assert.equal(initializes.length, 3);
	assert.equal(new Set(initializes.map((/** @type {any} */ { id }) => id)).size, 3);
	await mounted.close();
});

test("a View that is loaded again shakes hands again", async () => {
	const mounted = await mount({ inner: INNER["same origin"] });
	const { frame, page } = mounted;
	await page.evaluate(() => g.bridge.sendToolInput({}));
	await frame.evaluate(() => {
		const html = document.documentElement.outerHTML;
		setTimeout(() => {
			document.open();
			document.write(html);
			document.close();
		});
	});
	await mounted.until("ui/notifications/initialized", 2);
	await page.evaluate(() => g.bridge.sendToolResult({ content: [] }));
	await frame.waitForFunction(() => g.view.last("toolResult"));
	await mounted.close();
});

test("a foreign window that poses as the host is not heard", async () => {
	const mounted = await mount();
	const { page, frame } = mounted;
	await page.evaluate(async (evil) => {
		const forged = new Promise((resolve) => {
			addEventListener("message", ({ data }) => data === "forged" && resolve(undefined));
		});
		const frame = document.createElement("iframe");
		frame.src = evil;
		document.body.append(frame);
		await forged;
		await g.bridge.sendToolInput({});
		await g.bridge.sendToolResult({ content: [], structuredContent: { genuine: true } });
	}, sites.evil);
	await frame.waitForFunction(() => g.view.last("toolResult"));
	const results = await frame.evaluate(() => g.heard.filter((/** @type {any} */ [name]) => name === "toolResult"));
	assert.deepEqual(results, [["toolResult", { content: [], structuredContent: { genuine: true } }]]);
	await mounted.close();
});

test("odd messages of a host are passed over, and the View goes on", async () => {
	const mounted = await mount({ isDirect: true });
	const { page, frame } = mounted;
	await page.evaluate(() => {
		const say = (/** @type {any} */ message) => g.frame.contentWindow.postMessage(message, "*");
		const result = "ui/notifications/tool-result";
		for (const odd of [null, "text", 1n, [], new Map([["jsonrpc", "2.0"]]), { jsonrpc: "2.0" }]) say(odd);
		say({ jsonrpc: "2.0", method: result, params: new Map([["content", []]]) });
		say({ jsonrpc: "2.0", method: result, params: "text", id: null });
		say({ jsonrpc: "2.0", method: result, params: {}, id: 1n });
		say({ jsonrpc: "2.0", method: "__proto__", params: {} });
		say({ jsonrpc: "2.0", id: "nobody's", result: new Map() });
		say({ jsonrpc: "2.0", method: "ui/notifications/host-context-changed", params: null });
		say({ jsonrpc: "2.0", method: "ui/notifications/tool-input", params: null, extra: 1 });
		say({ jsonrpc: "2.0", method: result, params: { content: "no list", _meta: null } });
	});
	await frame.waitForFunction(() => g.view.last("toolResult"));
	assert.deepEqual(await frame.evaluate(() => g.heard.slice(-2)), [
		["toolInput", {}],
		["toolResult", { content: [], _meta: null }],
	]);
	assertQuiet(mounted);
	await mounted.close();
});

test("under the specification's policy WebAssembly and eval are forbidden, and the View needs neither", async () => {
	for (const inner of Object.values(INNER)) {
		const html = documentOf(`${VIEW}
globalThis.forbidden = Promise.all([
	WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => "ran", (error) => error.name),
	Promise.resolve().then(() => eval("1")).then(() => "ran", (error) => error.name),
]);`);
		const mounted = await mount({ inner, html });
		assert.deepEqual(await mounted.frame.evaluate(() => g.forbidden), ["CompileError", "EvalError"]);
		assert.equal(await mounted.frame.evaluate(async () => (await g.connected).hostInfo.name), "real host");
		assert.deepEqual(
			mounted.problems.filter((problem) => !/unsafe-eval/.test(problem)),
			[],
		);
		await mounted.close();
	}
});

test("progress keeps a call alive and reaches its listener; an abort reaches the host's handler", async () => {
	const mounted = await mount({ isDirect: true });
	const { page, frame } = mounted;
	await page.evaluate(() => {
		g.aborted = new Promise((resolve) => {
			g.answers["tools/call"] = (/** @type {any} */ { name, _meta }, /** @type {any} */ extra) => {
				if (name === "wait")
					return new Promise((_, reject) => {
						const signal = extra.signal ?? extra.mcpReq.signal;
						signal.addEventListener("abort", () => {
							resolve(true);
							reject(new Error("aborted"));
						});
					});
				const { progressToken } = _meta;
				const params = { progressToken, progress: 1, total: 2, message: "half" };
				g.frame.contentWindow.postMessage({ jsonrpc: "2.0", method: "notifications/progress", params }, "*");
				return { content: [] };
			};
		});
	});
	const progress = await frame.evaluate(async () => {
		/** @type {any[]} */
		const heard = [];
		await g.view.callServerTool(
			"x",
			{},
			{ onProgress: (/** @type {any} */ one) => heard.push([one.progress, one.message]) },
		);
		return heard;
	});
	assert.deepEqual(progress, [[1, "half"]]);
	const reason = await frame.evaluate(async () => {
		const abort = new AbortController();
		const call = g.view.callServerTool("wait", {}, { signal: abort.signal });
		await g.view.request("ping");
		abort.abort("changed my mind");
		return await call.catch((/** @type {any} */ reason) => reason);
	});
	assert.equal(reason, "changed my mind");
	assert.equal(await page.evaluate(() => g.aborted), true);
	await mounted.close();
});

test("the look of the host is put on and taken off", async () => {
	const context = {
		theme: "dark",
		styles: {
			variables: { "--color-text-primary": "rgb(1, 2, 3)", "--font-sans": "serif" },
			css: { fonts: "@font-face { font-family: A; src: local(Arial) }" },
		},
	};
	const html = documentOf(`${VIEW}; globalThis.stop = mcpDuetView.followHostStyles(view);`);
	const mounted = await mount({ html, context });
	const { page, frame } = mounted;
	const look = () =>
		frame.evaluate(() => {
			const { dataset, style } = document.documentElement;
			const value = (/** @type {string} */ name) => style.getPropertyValue(name);
			const fonts = document.querySelectorAll("#mcp-host-fonts").length;
			return [dataset.theme, style.colorScheme, value("--color-text-primary"), value("--font-sans"), fonts];
		});
	await frame.waitForFunction(() => document.documentElement.dataset.theme === "dark");
	assert.deepEqual(await look(), ["dark", "dark", "rgb(1, 2, 3)", "serif", 1]);
	await page.evaluate(() =>
		g.bridge.setHostContext({ theme: "light", styles: { variables: { "--font-sans": "mono" } } }),
	);
	await frame.waitForFunction(() => document.documentElement.dataset.theme === "light");
	assert.deepEqual(await look(), ["light", "light", "", "mono", 0]);
	await frame.evaluate(() => {
		document.documentElement.style.setProperty("--own", "kept");
		g.stop();
	});
	assert.deepEqual(await look(), [undefined, "", "", "", 0]);
	assert.equal(await frame.evaluate(() => document.documentElement.style.getPropertyValue("--own")), "kept");
	assertQuiet(mounted);
	await mounted.close();
});
