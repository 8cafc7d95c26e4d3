// Views in Chromium under our host: the official library's Views of both generations, and the application behind it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromView, inView, LIBRARIES, MODERN_VIEW, mounted, onPage, real, untilIn } from "./apps-page.mjs";
import { viewOf } from "./apps-world.mjs";

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

test("an option that is not what it has to be is refused by its name, and leaves no frame", async () => {
	const page = await onPage(
		{ html: "<p>" },
		`const made = await world(setup);
		const big = { contents: [{ uri: "ui://world/view", mimeType: "text/html;profile=mcp-app", blob: "%" }] };
		const wrong = {
			isolation: ["opaqe", null], onLog: true, onWarning: 1, onError: {}, onSizeChanged: "x", onRequestTeardown: [], onToolsChanged: null,
			permissions: ["camera", ["camara"], null], hostInfo: [{ name: "a" }, "a"], limits: [{ teardownMs: "5s" }, { requests: -1 }, { sizePx: NaN }, 5],
			maxHeight: ["5px", 0, NaN], context: ["dark", null, []], capabilities: [5, []], arguments: { a: 1n }, callId: 1n, resource: big,
		};
		return Promise.all(Object.entries(wrong).flatMap(([name, values]) => (Array.isArray(values) && values.length ? values : [values]).map((value) =>
			mount(made, { [name]: value }).then(() => [name, "mounted"], ({ code, message }) => [name, code, message]))));`,
	);
	try {
		for (const [name, code, message] of page.result) {
			assert.equal(code, name === "resource" ? "INVALID_RESULT" : "INVALID_ARGUMENT", `${name}: ${message}`);
			/** @type {Record<string, RegExp>} */
			const others = { arguments: /the input must be JSON/, callId: /must be JSON/, resource: /base64/ };
			assert.match(message, others[name] ?? new RegExp(`^${name}`));
		}
		assert.equal(page.result.length, 28);
		assert.equal(await page.run("return document.querySelectorAll('iframe').length"), 0);
	} finally {
		await page.close();
	}
});
