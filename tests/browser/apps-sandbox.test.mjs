// The sandbox in Chromium: what a View may load, where it may go, and who is listened to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chromium, fromView, inView, MODERN_VIEW, mounted, onPage, real, world } from "./apps-page.mjs";
import { realView } from "./apps-world.mjs";

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

test("a sandbox page that never answers is given up, with a reason", async () => {
	const page = await onPage(
		{ html: "<p>" },
		`const made = await world(setup);
		const told = (sandbox) => mount(made, { sandbox, limits: { loadMs: 300 } }).then(({ app }) => app.initialized).then(() => "initialized", ({ code, message }) => [code, message]);
		return [await told("${world.sandboxUrl}/nothing-here"), await told("${world.evilUrl}/other"), document.querySelectorAll("iframe").length, seen.filter(([name]) => name === "onError").length];`,
	);
	try {
		for (const [code, message] of page.result.slice(0, 2)) {
			assert.equal(code, "TIMED_OUT");
			assert.match(message, /the sandbox page did not answer: http/);
		}
		assert.deepEqual(page.result.slice(2), [0, 2]);
	} finally {
		world.evil.length = 0;
		await page.close();
	}
});

test("a frame that shows another origin than the sandbox's is not listened to", async () => {
	const page = await mounted({ html: real[MODERN_VIEW] });
	try {
		await page.run(`traffic.length = 0; m.app.frame.src = "${world.evilUrl}/frame";`);
		await page.until("traffic.some(({ method }) => method === 'tools/call')");
		// What the host had let through would be under way by the end of a call of its own.
		await page.run("await m.client.callTool('internal', {})");
		assert.equal(await page.run("return seen.filter(([name]) => name === 'add').length"), 0);
		assert.equal(await page.run("return m.requests.filter(({ params }) => params?.name === 'add').length"), 0);
	} finally {
		world.evil.length = 0;
		await page.close();
	}
});
