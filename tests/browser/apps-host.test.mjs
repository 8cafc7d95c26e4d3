// Views in Chromium under our host: the official library's Views of both generations, and everything a host must not let through.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openWorld, realView, viewFrame, viewOf } from "./apps-world.mjs";
import { openChromium } from "./chromium.mjs";

/** @typedef {Awaited<ReturnType<typeof openWorld>>} World */

/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
/** @type {World} */
let world;
/** @type {Record<string, string>} */
const real = {};
before(async () => {
	chromium = await openChromium();
	world = await openWorld();
	for (const library of LIBRARIES) real[library] = await realView(library);
});
after(async () => {
	await chromium?.close();
	await world?.stop();
});

const LIBRARIES = ["@modelcontextprotocol/ext-apps", "ext-apps-1"];
const MODERN_VIEW = LIBRARIES[0];

/** What Chromium says of every sandbox whose documents have an origin. */
const EXPECTED = /allow-scripts and allow-same-origin/;

/**
 * A page on which \`body\` runs, an async function's, with \`setup\`, \`world\`, \`mount\`, \`seen\` and the like at hand.
 * @param {any} setup
 * @param {string} body
 */
async function onPage(setup, body) {
	const opened = await chromium.open(setup.url ?? world.url);
	const { page } = opened;
	await page.waitForFunction("globalThis.ready");
	const run = (/** @type {string} */ source, /** @type {any} */ argument = setup) =>
		page.evaluate(`(async (setup) => {${source}})(${JSON.stringify(argument)})`);
	const result = await run(body);
	return {
		result: /** @type {any} */ (result),
		page,
		run,
		/** Until the expression is true in the page. @param {string} expression */
		until: (expression) => page.waitForFunction(expression),
		view: (/** @type {number} */ count = 1) => viewFrame(page, count),
		problems: () => opened.problems.filter((problem) => !EXPECTED.test(problem)),
		close: opened.close,
	};
}

/** Runs an async function's body in a frame. @param {import("playwright-core").Frame} frame @param {string} body @returns {Promise<any>} */
const inView = (frame, body) => frame.evaluate(`(async () => {${body}})()`);

/** Until the expression is true in a View; its policy has no `eval`, which the debugger's own waiting needs. @param {import("playwright-core").Frame} frame @param {string} expression */
async function untilIn(frame, expression) {
	for (let tries = 0; tries < 400; tries++) {
		if (await inView(frame, `return ${expression}`)) return;
		await new Promise((done) => setTimeout(done, 25));
	}
	assert.fail(`never came true: ${expression}`);
}

const MOUNT = `
const made = await world(setup);
globalThis.m = await mount(made, { arguments: { a: 1 }, result: made.client.callTool("show", {}), ...setup.options });
await m.app.initialized;`;

/** @param {any} setup */
async function mounted(setup) {
	const opened = await onPage(setup, MOUNT);
	return { ...opened, view: await opened.view() };
}

/** @param {any} page @returns {Promise<string[]>} */
const fromView = (page) => page.run("return traffic.map(({ method, id }) => method ?? 'answer ' + id)");

for (const library of LIBRARIES) {
	for (const era of ["modern", "legacy"]) {
		test(`a View on ${library} is shown its call by a host whose client is ${era}`, async () => {
			const page = await mounted({
				html: real[library],
				era,
				options: { context: { theme: "dark", styles: { variables: { "--font-sans": "Inter", "--mine": "x" } } } },
			});
			try {
				assert.equal(await inView(page.view, "return connected"), "connected");
				await page.until("seen.some(([name]) => name === 'onSizeChanged')");
				assert.deepEqual((await fromView(page)).slice(0, 4), [
					"ui/notifications/sandbox-proxy-ready",
					"ui/initialize",
					"ui/notifications/initialized",
					"ui/notifications/size-changed",
				]);
				await untilIn(page.view, "heard.length > 1");
				const heard = await inView(page.view, "return heard");
				assert.deepEqual(
					heard.map((/** @type {any} */ [name]) => name),
					["input", "result"],
				);
				assert.deepEqual(heard[0][1], { arguments: { a: 1 } });
				assert.deepEqual(heard[1][1].content, [{ type: "text", text: "shown" }]);
				assert.equal("resultType" in heard[1][1], false);
				const context = await inView(page.view, "return JSON.parse(JSON.stringify(app.getHostContext()))");
				assert.equal(context.theme, "dark");
				assert.deepEqual(context.styles.variables, { "--font-sans": "Inter" });
				assert.equal(context.toolInfo.tool.name, "show");
				assert.deepEqual(context.containerDimensions, { width: 600 });
				assert.equal(await page.run("return m.client.era"), era);

				const called = await inView(page.view, "return app.callServerTool({ name: 'add', arguments: { a: 2, b: 3 } })");
				assert.deepEqual(called.structuredContent, { sum: 5 });
				const read = await inView(page.view, "return app.readServerResource({ uri: 'data://world/x' })");
				assert.equal(read.contents[0].text, "the data");
				for (const [name, reason] of [
					["secret", "not for Views"],
					["nothing", "Unknown tool"],
				]) {
					const refused = await inView(
						page.view,
						`return app.callServerTool({ name: "${name}", arguments: {} }).catch((error) => error.message)`,
					);
					assert.match(refused, new RegExp(reason));
				}
				assert.equal((await page.run("return seen.filter(([name]) => name === 'secret')")).length, 0);
				assert.deepEqual(
					(await inView(page.view, "return app.callServerTool({ name: 'internal', arguments: {} })")).content[0].text,
					"internal",
				);

				await page.run("await m.app.close()");
				assert.equal(await page.run("return document.querySelectorAll('iframe').length"), 0);
				assert.deepEqual(page.problems(), []);
			} finally {
				await page.close();
			}
		});
	}
}

test("what a View asks of the page is answered by callbacks, and refused where there is none or they refuse", async () => {
	const page = await mounted({
		html: real[MODERN_VIEW],
		options: { context: { availableDisplayModes: ["inline", "fullscreen", "pip"] } },
	});
	const ask = (/** @type {string} */ call) =>
		inView(page.view, `return app.${call}.catch((error) => ({ code: error.code, message: error.message }))`);
	try {
		assert.deepEqual(await ask('openLink({ url: "https://a.example/x" })'), {});
		assert.equal((await ask('openLink({ url: "javascript:alert(1)" })')).code, -32602);
		assert.deepEqual(await ask('sendMessage({ role: "user", content: [{ type: "text", text: "hi" }] })'), {});
		assert.deepEqual(await ask("updateModelContext({ structuredContent: { a: 1 } })"), {});
		assert.deepEqual(
			await ask(
				'downloadFile({ contents: [{ type: "resource", resource: { uri: "file:///x/../a.csv", text: "1" } }] })',
			),
			{},
		);
		assert.deepEqual(await ask('requestDisplayMode({ mode: "fullscreen" })'), { mode: "fullscreen" });
		assert.equal(await inView(page.view, "return app.getHostContext().displayMode"), "fullscreen");
		assert.equal(await page.run("return m.app.displayMode"), "fullscreen");
		assert.deepEqual(
			await ask('requestDisplayMode({ mode: "pip" })'),
			{ mode: "fullscreen" },
			"the View never said that it can",
		);
		await ask('sendLog({ level: "info", data: { a: 1 } })');
		await ask("requestTeardown()");
		await page.until("seen.some(([name]) => name === 'onRequestTeardown')");
		assert.deepEqual(await page.run("return seen.filter(([name]) => !/onSize|show/.test(name))"), [
			["onOpenLink", "https://a.example/x"],
			["onMessage", { role: "user", content: [{ type: "text", text: "hi" }] }],
			["onUpdateModelContext", { structuredContent: { a: 1 } }],
			[
				"onDownloadFile",
				{ contents: [{ type: "resource", resource: { uri: "file:///x/../a.csv", text: "1" } }], names: ["a.csv"] },
			],
			["onRequestDisplayMode", "fullscreen"],
			["onLog", { level: "info", data: { a: 1 } }],
			["onRequestTeardown", undefined],
		]);
		await page.run(
			"Object.assign(answers, { onOpenLink: false, onMessage: false, onUpdateModelContext: false, onDownloadFile: () => { throw new Error('the password') } })",
		);
		assert.deepEqual(await ask('openLink({ url: "https://a.example/x" })'), { isError: true });
		assert.deepEqual(await ask('sendMessage({ role: "user", content: [] })'), { isError: true });
		assert.equal((await ask("updateModelContext({})")).code, -32000);
		const failed = await ask("downloadFile({ contents: [] })");
		assert.equal(failed.code, -32603);
		assert.doesNotMatch(failed.message, /password/);
		assert.deepEqual(await page.run("return seen.at(-1)"), ["onError", "the password"]);
	} finally {
		await page.close();
	}
});

test("a View hears how far its call has got, and a call that it gives up ends at the server", async () => {
	for (const era of ["modern", "legacy"]) {
		const page = await mounted({ html: real[MODERN_VIEW], era });
		try {
			const told = await inView(
				page.view,
				`const told = [];
			const result = await app.callServerTool({ name: "steps", arguments: {} }, { onprogress: (progress) => told.push(progress) });
			return [told, result.content[0].text];`,
			);
			assert.deepEqual(told, [
				[
					{ progress: 1, total: 3, message: "one" },
					{ progress: 2, total: 3, message: "two" },
				],
				"done",
			]);
			const given = await inView(
				page.view,
				`const control = new AbortController();
			return app.callServerTool({ name: "slow", arguments: {} }, { signal: control.signal, onprogress: () => control.abort("enough") }).catch((error) => "given up");`,
			);
			assert.equal(given, "given up");
			await page.until("seen.some(([name]) => name === 'aborted')");
		} finally {
			await page.close();
		}
	}
});

test("what the application knows early or wrongly neither reaches nor kills a View", async () => {
	const page = await onPage(
		{ html: real[MODERN_VIEW] },
		`
	const made = await world(setup);
	globalThis.m = await mount(made);
	m.app.updateContext({ theme: "dark" });
	m.app.sendToolInputPartial({ a: 1 });
	m.app.sendToolInputPartial({ a: 12 });
	await m.app.initialized;`,
	);
	try {
		const view = await page.view();
		await untilIn(view, "heard.length > 0");
		await page.run(`m.app.updateContext({ theme: null, locale: 5, "own/key": 1, styles: { variables: { "--mine": "x" } } });
		m.app.sendToolInput({ a: 123 });
		m.app.sendToolResult({ content: [{ type: "video" }, { type: "text", text: "a", annotations: { audience: ["nobody"] } }], structuredContent: [1], isError: null, _meta: null });`);
		await untilIn(view, "heard.some(([name]) => name === 'result')");
		assert.deepEqual(JSON.parse(await inView(view, "return JSON.stringify(heard)")), [
			["partial", { arguments: { a: 12 } }],
			["context", { "own/key": 1, styles: { variables: {} } }],
			["input", { arguments: { a: 123 } }],
			["result", { content: [{ type: "text", text: "a", annotations: { audience: [] } }] }],
		]);
		assert.equal(await inView(view, "return app.getHostContext().theme"), "dark");
		const warnings = (await page.run("return seen")).filter((/** @type {any} */ [name]) => name === "onWarning");
		assert.ok(
			warnings.some((/** @type {any} */ [, text]) => text.includes("result.content[0]")),
			JSON.stringify(warnings),
		);
		const late = await page.run("try { m.app.sendToolInput({}) } catch (error) { return [error.code, error.message] }");
		assert.equal(late[0], "INVALID_ARGUMENT");
	} finally {
		await page.close();
	}
});

test("under the default policy a View runs, and runs nothing but itself", async () => {
	for (const place of ["/sandbox", "/static/sandbox.html"]) {
		const page = await mounted({ html: real[MODERN_VIEW], options: { sandbox: world.sandboxUrl + place } });
		try {
			const seen = await inView(
				page.view,
				`const tried = async (name, work) => { try { await work(); return name + " works"; } catch (error) { return name + ": " + error.name; } };
			await new Promise((done) => setTimeout(done)); // What the debugger runs at once may do what it likes.
			return Promise.all([
				tried("wasm", () => WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))),
				tried("eval", () => (0, eval)("1")),
				tried("fetch", () => fetch("${world.evilUrl}/")),
				tried("own fetch", () => fetch("/")),
				tried("image", () => new Promise((done, failed) => { const image = new Image(); image.onload = done; image.onerror = () => failed(new Error()); image.src = "${world.evilUrl}/a.png"; })),
				tried("script", () => new Promise((done, failed) => { const script = document.createElement("script"); script.onload = done; script.onerror = () => failed(new Error()); script.src = "${world.evilUrl}/a.js"; document.body.append(script); })),
				tried("top", () => top.document.title),
			]);`,
			);
			assert.deepEqual(
				seen,
				[
					"wasm: CompileError",
					"eval: EvalError",
					"fetch: TypeError",
					"own fetch: TypeError",
					"image: Error",
					"script: Error",
					"top: SecurityError",
				],
				place,
			);
			assert.deepEqual(
				(await inView(page.view, "return app.callServerTool({ name: 'add', arguments: { a: 1, b: 1 } })"))
					.structuredContent,
				{ sum: 2 },
			);
			assert.deepEqual(world.evil, []);
		} finally {
			await page.close();
		}
	}
});

test("what a View declares it may load, in its contents or in the list, as text or as base64", async () => {
	const ui = {
		csp: { connectDomains: [world.evilUrl, "*"] },
		permissions: { camera: {}, geolocation: {} },
		prefersBorder: false,
	};
	const html = (await realView(MODERN_VIEW)).replace("A View", "Ein Ausblick: äöü €");
	const blob = Buffer.from(html).toString("base64");
	for (const setup of [
		{ html, meta: { ui } },
		{ html, listMeta: { ui } },
		{ blob, meta: { ui }, listMeta: { ui: {} } },
	]) {
		world.evil.length = 0;
		const page = await mounted({ ...setup, options: { permissions: ["camera"] } });
		try {
			assert.equal(await inView(page.view, `return (await fetch("${world.evilUrl}/allowed")).status`), 200);
			assert.deepEqual(world.evil, ["/allowed"]);
			assert.match(await inView(page.view, "return document.body.innerText"), /Ein Ausblick: äöü €/);
			assert.deepEqual(await inView(page.view, "return app.getHostCapabilities().sandbox"), {
				permissions: { camera: {} },
				csp: { connectDomains: [world.evilUrl] },
			});
			assert.deepEqual(await page.run("return [m.app.frame.allow, m.app.prefersBorder]"), ["camera", false]);
			assert.match(JSON.stringify(await page.run("return seen")), /left out of the policy/);
		} finally {
			await page.close();
		}
	}
	world.evil.length = 0;
});

test("a View cannot navigate its frame away, and one that can is no longer listened to", async () => {
	for (const isolation of ["origin", "opaque"]) {
		for (const ui of [undefined, { csp: { frameDomains: [world.evilUrl] } }]) {
			// Without an origin one document cannot be told from another, so there such a View gets no frames at all.
			const hits = ui && isolation === "origin" ? 1 : 0;
			world.evil.length = 0;
			const page = await mounted({ html: real[MODERN_VIEW], meta: ui && { ui }, options: { isolation } });
			try {
				await inView(page.view, `setTimeout(() => { location.href = "${world.evilUrl}/leak"; }, 0)`);
				await page.until("m.app.closed.then(() => true)");
				await page.run("m.app.end(); try { m.app.sendToolCancelled() } catch {}");
				assert.equal(world.evil.filter((path) => path === "/leak").length, hits, `${isolation} ${JSON.stringify(ui)}`);
				assert.deepEqual(
					world.evil.filter((path) => path === "/got"),
					[],
					"nothing was told",
				);
				assert.equal((await page.run("return seen.filter(([name]) => name === 'add')")).length, 0, "nothing was done");
				assert.match(JSON.stringify(await page.run("return seen")), /left its document/);
			} finally {
				await page.close();
			}
		}
	}
	world.evil.length = 0;
});

test("a View works in a document without an origin", async () => {
	const page = await mounted({ html: real[MODERN_VIEW], options: { isolation: "opaque" } });
	try {
		assert.equal(await inView(page.view, "return origin"), "null");
		assert.deepEqual(
			(await inView(page.view, "return app.callServerTool({ name: 'add', arguments: { a: 1, b: 1 } })"))
				.structuredContent,
			{ sum: 2 },
		);
	} finally {
		await page.close();
	}
});

test("only the View's own window is listened to, and the sandbox's own methods do not pass it", async () => {
	const page = await mounted({ html: real[MODERN_VIEW] });
	try {
		const before = await page.run("return m.requests.length");
		await page.run(`const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add", arguments: { a: 1, b: 1 } } };
		postMessage(call, "*");
		const other = document.createElement("iframe");
		other.src = "${world.evilUrl}/frame";
		document.body.append(other);
		await new Promise((done) => { other.onload = done; });
		await new Promise((done) => setTimeout(done));`);
		await inView(
			page.view,
			`for (const method of ["ui/notifications/sandbox-proxy-ready", "ui/notifications/sandbox-navigated", "ui/notifications/sandbox-resource-ready"])
			parent.postMessage({ jsonrpc: "2.0", method, params: {} }, "*");
		return app.callServerTool({ name: "internal", arguments: {} });`,
		);
		assert.deepEqual(
			(await fromView(page)).filter((method) => method.includes("sandbox")),
			["ui/notifications/sandbox-proxy-ready"],
		);
		assert.equal(await page.run("return seen.filter(([name]) => name === 'add').length"), 0);
		assert.ok((await page.run("return m.requests.length")) - before <= 2, "the call of the View and the list of tools");
	} finally {
		world.evil.length = 0;
		await page.close();
	}
});

test("the sandbox page refuses to run on its own, and on its host's origin", async () => {
	const opened = await chromium.open(`${world.sandboxUrl}/static/sandbox.html`);
	assert.match(String(await opened.page.locator("body").textContent()), /for the page that frames it/);
	await opened.close();
	const page = await onPage(
		{ html: real[MODERN_VIEW] },
		`const made = await world(setup);
	const told = [];
	for (const sandbox of ["/pkg/apps/sandbox.html", "about:blank", "data:text/html,x", undefined])
		told.push(await mount(made, { sandbox }).then(() => "mounted", (error) => error.code));
	const frame = document.createElement("iframe");
	frame.src = "/pkg/apps/sandbox.html?host=" + encodeURIComponent(location.origin);
	document.body.append(frame);
	await new Promise((done) => { frame.onload = done; });
	return [told, frame.contentDocument.body.innerText];`,
	);
	assert.deepEqual(page.result[0], Array(4).fill("INVALID_ARGUMENT"));
	assert.match(page.result[1], /on another origin/);
	await page.close();
});

test("a host that listens late still gets the sandbox's announcement", async () => {
	const page = await onPage(
		{},
		`const frame = document.createElement("iframe");
	frame.src = "${world.sandboxUrl}/sandbox?host=" + encodeURIComponent(location.origin);
	document.body.append(frame);
	await new Promise((done) => { frame.onload = () => setTimeout(done, 700); });
	return new Promise((done) => addEventListener("message", ({ data }) => done(data.method)));`,
	);
	assert.equal(page.result, "ui/notifications/sandbox-proxy-ready");
	await page.close();
});

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

test("several Views on one client hear of its lists, each is answered on its own, and a new tool can be called", async () => {
	const page = await onPage(
		{ html: real[MODERN_VIEW] },
		`const made = await world(setup);
	globalThis.all = await Promise.all([1, 2, 3].map(() => mount(made, { arguments: {}, result: { content: [] } })));
	await Promise.all(all.map(({ app }) => app.initialized));
	const { client } = made;
	for (const method of ["notifications/tools/list_changed", "notifications/message"]) host.relayToApps(client, { method });`,
	);
	try {
		for (const count of [1, 2, 3]) {
			const view = await page.view(count);
			const called = await inView(
				view,
				`return app.callServerTool({ name: "add", arguments: { a: ${count}, b: 10 } })`,
			);
			assert.deepEqual(called.structuredContent, { sum: count + 10 });
			const told = await inView(
				view,
				"return raw.map(({ method }) => method).filter((method) => /list_changed|notifications.message/.test(method))",
			);
			assert.deepEqual(told, ["notifications/tools/list_changed"]);
		}
		await page.run("await all[1].app.close()");
		const view = await page.view(1);
		assert.deepEqual(
			(await inView(view, "return app.callServerTool({ name: 'internal', arguments: {} })")).content[0].text,
			"internal",
		);
	} finally {
		await page.close();
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

for (const [sdk, options] of [
	["sdk-2", { versionNegotiation: { mode: "auto" } }],
	["sdk-2", {}],
	["sdk-1", {}],
]) {
	test(`a host may have the official client: ${sdk} ${JSON.stringify(options)}`, async () => {
		const page = await onPage(
			{ html: real[MODERN_VIEW], options },
			`const made = await world(setup);
			const { Client: Sdk } = await import("/${sdk}.js");
			const client = new Sdk({ name: "sdk", version: "1" }, { capabilities: host.APPS_CAPABILITIES, ...setup.options });
			await client.connect({
				async start() {},
				async send(message) {
					const reply = await made.server.handleMessage(message, { send: (message) => this.onmessage(message) });
					if (reply) this.onmessage(reply);
				},
				async close() { this.onclose?.(); },
			});
			const { tools } = await client.listTools();
			globalThis.m = await mount({ client, tool: tools.find(({ name }) => name === "show") }, { arguments: {}, result: client.callTool({ name: "show", arguments: {} }) });
			await m.app.initialized;`,
		);
		try {
			const view = await page.view();
			await untilIn(view, "heard.length > 1");
			assert.deepEqual(await inView(view, "return heard.map(([name]) => name)"), ["input", "result"]);
			const told = await inView(
				view,
				`const told = [];
				const { content } = await app.callServerTool({ name: "steps", arguments: {} }, { onprogress: ({ message }) => told.push(message) });
				return [...told, content[0].text];`,
			);
			assert.deepEqual(told, ["one", "two", "done"]);
			const refused = await inView(
				view,
				"return app.callServerTool({ name: 'secret', arguments: {} }).catch(({ message }) => message)",
			);
			assert.match(refused, /not for Views/);
			const missing = await inView(view, "return app.readServerResource({ uri: 'x://y' }).catch(({ code }) => code)");
			assert.ok([-32002, -32602].includes(missing), String(missing));
		} finally {
			await page.close();
		}
	});
}

for (const era of ["modern", "legacy"]) {
	for (const isolation of ["origin", "opaque"]) {
		test(`our View under our host, ${era}, with isolation "${isolation}"`, async () => {
			const html = await viewOf(`
			import { connectView } from "mcp-duet/apps/view";
			const heard = [];
			Object.assign(globalThis, { heard });
			globalThis.connected = connectView({
				appInfo: { name: "ours", version: "1" },
				capabilities: { availableDisplayModes: ["inline", "fullscreen"] },
				tools: [{ name: "move", handler: () => "moved" }],
			}).then((app) => {
				globalThis.app = app;
				for (const name of ["toolInput", "toolInputPartial", "toolResult", "toolCancelled", "teardown"]) app.on(name, (value) => { heard.push([name, value]); });
				return app;
			});
			document.body.append("Ours");`);
			const page = await mounted({
				html,
				era,
				options: { isolation, context: { availableDisplayModes: ["inline", "fullscreen"] } },
			});
			const ask = (/** @type {string} */ call) => inView(page.view, `const app = await connected; return app.${call}`);
			try {
				await untilIn(page.view, "heard.length > 1");
				const heard = await inView(page.view, "return heard");
				assert.deepEqual(heard[0], ["toolInput", { arguments: { a: 1 } }]);
				assert.equal(heard[1][0], "toolResult");
				assert.deepEqual((await ask('callServerTool("add", { a: 1, b: 4 })')).structuredContent, { sum: 5 });
				assert.match(await ask('callServerTool("secret", {}).catch((error) => error.message)'), /not for Views/);
				assert.equal((await ask('readServerResource("data://world/x")')).contents[0].text, "the data");
				await ask('openLink("https://a.example/")');
				assert.deepEqual(await page.run("return seen.filter(([name]) => name === 'onOpenLink')"), [
					["onOpenLink", "https://a.example/"],
				]);
				await page.run("answers.onOpenLink = false");
				assert.equal(await ask('openLink("https://a.example/").catch((error) => error.code)'), "DENIED");
				assert.equal(await ask('requestDisplayMode("fullscreen")'), "fullscreen");
				assert.deepEqual(
					await inView(
						page.view,
						`const told = []; const app = await connected;
					await app.callServerTool("steps", {}, { onProgress: ({ progress }) => told.push(progress) }); return told;`,
					),
					[1, 2],
				);
				assert.deepEqual(
					await page.run(
						"return [(await m.app.listTools()).tools[0].name, (await m.app.callTool('move')).content[0].text]",
					),
					["move", "moved"],
				);
				await page.until("seen.some(([name]) => name === 'onSizeChanged')");
				await page.run("await m.app.close()");
				assert.deepEqual(page.problems(), []);
			} finally {
				await page.close();
			}
		});
	}
}

test("a host may let Views compile WebAssembly, which nothing else gives them", async () => {
	const page = await mounted({
		html: real[MODERN_VIEW],
		options: { wasm: true, sandbox: `${world.sandboxUrl}/static/sandbox.html` },
	});
	try {
		const compiled = await inView(
			page.view,
			`await new Promise((done) => setTimeout(done));
			return WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => "compiled");`,
		);
		assert.equal(compiled, "compiled");
	} finally {
		await page.close();
	}
});

test("a host answers for its model, may refuse a tool call, and follows the page's appearance", async () => {
	const page = await onPage(
		{ html: real[MODERN_VIEW] },
		`const made = await world(setup);
		globalThis.m = await mount(made, {
			onCreateMessage: ({ messages }) => ({ role: "assistant", model: "m", content: { type: "text", text: messages[0].content.text + "!" } }),
			onToolCall: ({ name }) => name !== "add",
		});
		await m.app.initialized;`,
	);
	try {
		const view = await page.view();
		const answer = await inView(
			view,
			`return app.createSamplingMessage({ maxTokens: 5, messages: [{ role: "user", content: { type: "text", text: "hi" } }] })`,
		);
		assert.equal(answer.content.text, "hi!");
		const told = await inView(
			view,
			`return Promise.all(["add", "internal"].map((name) => app.callServerTool({ name, arguments: { a: 1, b: 1 } }).then(() => "called", ({ code }) => code)))`,
		);
		assert.deepEqual(told, [-32000, "called"]);
		assert.equal(await inView(view, "return app.getHostContext().theme"), "light");
		await page.page.emulateMedia({ colorScheme: "dark" });
		await untilIn(view, "app.getHostContext().theme === 'dark'");
	} finally {
		await page.close();
	}
});

test("a core that traps takes its Views with it, says so, and the next View gets a fresh one", async () => {
	const page = await onPage(
		{ html: real[MODERN_VIEW] },
		`const made = await world(setup);
		const first = await mount(made, { arguments: {} });
		await first.app.initialized;
		const { acquire } = await import("/pkg/lib/core.js");
		const live = await acquire("apps");
		try { live.call(() => { throw new WebAssembly.RuntimeError("unreachable"); }); } catch {}
		await first.app.closed;
		const second = await mount(made, { arguments: {} });
		await second.app.initialized;
		await second.app.close();
		return [seen.filter(([name]) => name === "onError").length, await first.app.callTool("x").catch(({ code }) => code)];`,
	);
	try {
		assert.deepEqual(page.result, [1, "CLOSED"]);
	} finally {
		await page.close();
	}
});

test("what cannot be mounted is refused with a reason", async () => {
	const page = await onPage(
		{ html: "<p>" },
		`const made = await world(setup);
		const code = (options) => mount(made, options).then(() => "mounted", ({ code, message }) => [code, message]);
		const plain = made.tools.find(({ name }) => name === "add");
		const broken = { ...plain, _meta: { ui: { resourceUri: "https://a.example" } } };
		const missing = { ...plain, _meta: { ui: { resourceUri: "ui://nothing" } } };
		const text = { contents: [{ uri: "ui://world/view", mimeType: "text/plain", text: "x" }] };
		return Promise.all([
			code({ tool: plain }), code({ tool: broken }), code({ tool: missing }), code({ resource: text }), code({ client: {} }),
			code({ container: null }), code({ onMessage: true }), code({ signal: AbortSignal.abort() }),
			host.toolsForModel(made.tools).then((tools) => tools.map(({ name }) => name)), host.appUri(made.tool),
		]);`,
	);
	try {
		const [plain, broken, missing, text, client, container, handler, aborted, names, uri] = page.result;
		assert.match(plain.join(), /^INVALID_ARGUMENT,.*has no View/);
		assert.match(broken.join(), /^INVALID_DEFINITION,.*ui:\/\//);
		assert.equal(missing[0], "PROTOCOL");
		assert.match(text.join(), /^INVALID_RESULT,.*profile=mcp-app, got text\/plain/);
		assert.deepEqual([client[0], container[0], handler[0]], Array(3).fill("INVALID_ARGUMENT"));
		assert.equal(aborted[0], 20, "the signal's own reason");
		assert.deepEqual(names, ["show", "add", "secret", "slow", "steps"]);
		assert.equal(uri, "ui://world/view");
		assert.equal(await page.run("return document.querySelectorAll('iframe').length"), 0);
	} finally {
		await page.close();
	}
});
