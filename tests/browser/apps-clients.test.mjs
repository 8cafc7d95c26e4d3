// The client behind a View: ours in either era, the official ones, and what its server's lists say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inView, MODERN_VIEW, mounted, onPage, real, untilIn } from "./apps-page.mjs";

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
	test(`a View hears that its server's tools have changed, and its host judges by the new list, ${era}`, async () => {
		const page = await mounted({ html: real[MODERN_VIEW], era, pipe: true });
		try {
			const call = "return app.callServerTool({ name: 'add', arguments: { a: 1, b: 2 } })";
			assert.deepEqual((await inView(page.view, call)).structuredContent, { sum: 3 });
			await page.run("m.server.tool('add').update({ _meta: { ui: { visibility: ['model'] } } })");
			await untilIn(page.view, "raw.some(({ method }) => method === 'notifications/tools/list_changed')");
			assert.match(await inView(page.view, `${call}.catch(({ message }) => message)`), /not for Views/);
			assert.equal(
				await inView(page.view, "return raw.filter(({ method }) => method?.endsWith('list_changed')).length"),
				1,
				"told once",
			);
		} finally {
			await page.close();
		}
	});
}

test("what a View may call is never read from what the client has kept of the list", async () => {
	const page = await mounted({
		html: real[MODERN_VIEW],
		...{ http: true, client: { cache: true } },
		server: { cacheHints: { "tools/list": { ttlMs: 3_600_000 } }, capabilities: {} },
	});
	try {
		await page.run(
			"m.server.registerTool('later', { inputSchema: { type: 'object' } }, () => 'late'); m.server.tool('add').update({ _meta: { ui: { visibility: ['model'] } } })",
		);
		assert.equal((await page.run("return m.client.listTools()")).tools.length, 6, "kept");
		const call = (/** @type {string} */ name) =>
			inView(
				page.view,
				`return app.callServerTool({ name: "${name}", arguments: {} }).then(({ content }) => content[0].text, ({ message }) => message)`,
			);
		assert.equal(await call("later"), "late");
		assert.match(await call("add"), /not for Views/);
	} finally {
		await page.close();
	}
});
