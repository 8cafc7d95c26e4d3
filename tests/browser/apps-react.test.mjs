// The View's hooks in real React, with a real host.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bundled, documentOf, INNER, openSites } from "./apps/site.mjs";
import { assertQuiet, openChromium } from "./chromium.mjs";

/** @type {Awaited<ReturnType<typeof openSites>>} */
let sites;
/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
/** @type {string} */
let html;
before(async () => {
	sites = await openSites();
	chromium = await openChromium();
	const script = await bundled("react-view.js", {
		format: "iife",
		define: { "process.env.NODE_ENV": '"development"' },
	});
	html = documentOf(script, { body: '<div id="root"></div>' });
});
after(async () => {
	await chromium?.close();
	await sites?.stop();
});

/** What page and frames call their globals: functions that run there find it. @type {any} */
const g = undefined;

/** @param {any} [context] */
async function mount(context = {}) {
	const opened = await chromium.open(`${sites.host}/host-2.0.4.html`);
	const { page } = opened;
	await page.waitForFunction(() => "mount" in globalThis);
	await page.evaluate((options) => g.mount(options), { sandbox: sites.sandbox, html, inner: INNER.opaque, context });
	await page.evaluate(() => g.initialized);
	const frame = page.frames()[page.frames().length - 1];
	return {
		...opened,
		frame,
		/** Waits until the component shows this. @param {Record<string, unknown>} wanted */
		async shows(wanted) {
			await frame.waitForFunction((wanted) => {
				const shown = JSON.parse(document.querySelector("output")?.textContent ?? "{}");
				return Object.entries(wanted).every(([key, value]) => JSON.stringify(shown[key]) === JSON.stringify(value));
			}, wanted);
		},
		/** @param {string} method */
		count: (method) =>
			page.evaluate(
				(method) => g.trace.filter((/** @type {any} */ { message }) => message.method === method).length,
				method,
			),
	};
}

test("in StrictMode it shakes hands once, and renders context, input and result as they come", async () => {
	const mounted = await mount({ theme: "dark" });
	const { page, frame } = mounted;
	await mounted.shows({ isConnected: true, theme: "dark", clicks: 0 });
	assert.equal(await mounted.count("ui/initialize"), 1);
	assert.equal(await mounted.count("ui/notifications/initialized"), 1);
	assert.equal(await frame.evaluate(() => g.created), 2, "StrictMode mounted it twice");
	await page.evaluate(() => g.bridge.sendToolInput({ arguments: { city: "北京" } }));
	await mounted.shows({ input: { arguments: { city: "北京" } } });
	await page.evaluate(() => g.bridge.sendToolResult({ content: [], structuredContent: { sky: "clear" } }));
	await mounted.shows({ result: { content: [], structuredContent: { sky: "clear" } } });
	await page.evaluate(() => g.bridge.setHostContext({ theme: "light" }));
	await mounted.shows({ theme: "light" });
	await frame.evaluate(() => g.click());
	await mounted.shows({ clicks: 1, theme: "light", input: { arguments: { city: "北京" } } });
	assert.equal(await mounted.count("ui/initialize"), 1);
	assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), "light");
	assertQuiet(mounted);
	await mounted.close();
});

test("the beginning of another call empties what was shown of the last one", async () => {
	const mounted = await mount();
	const { page } = mounted;
	await page.evaluate(async () => {
		await g.bridge.sendToolInput({ arguments: { call: 1 } });
		await g.bridge.sendToolCancelled({ reason: "stop" });
	});
	await mounted.shows({ cancelled: { reason: "stop" } });
	await page.evaluate(() => g.bridge.sendToolInput({ arguments: { call: 2 } }));
	await mounted.shows({ input: { arguments: { call: 2 } }, cancelled: undefined });
	await mounted.close();
});

test("a teardown runs what listens and is shown, an unmount closes the View and takes the look away", async () => {
	const torn = await mount();
	await torn.shows({ isConnected: true });
	await torn.page.evaluate(() => g.bridge.teardownResource({}));
	assert.deepEqual(await torn.page.evaluate(() => g.asked.map((/** @type {any} */ { params }) => params.name)), [
		"save",
	]);
	await torn.shows({ isConnected: false });
	await torn.close();

	const mounted = await mount({ theme: "dark" });
	const { frame } = mounted;
	await mounted.shows({ isConnected: true });
	await frame.evaluate(() => g.unmount());
	assert.equal(await frame.evaluate(() => g.app.closed), true);
	assert.equal(await frame.evaluate(() => document.documentElement.dataset.theme), undefined);
	assertQuiet(mounted);
	await mounted.close();
});
