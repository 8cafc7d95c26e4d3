// How the View tells its host how high it is, with a host that does as it is told.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { documentOf, INNER, openSites } from "./apps/site.mjs";
import { openChromium } from "./chromium.mjs";

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

/** What page and frames call their globals: functions that run there find it. @type {any} */
const g = undefined;

/** Longer than what the View gathers changes for, the frames' layouts included. */
const QUIET_MS = 300;

/**
 * A View whose content is `#content`.
 * @param {string} style
 * @param {{ body?: string, options?: string }} [more]
 */
async function mount(style, { body = '<div id="content"></div>', options = "" } = {}) {
	const script = `globalThis.view = new mcpDuetView.View({ appInfo: { name: "view", version: "1.0.0" }, ${options} }); view.connect();`;
	const opened = await chromium.open(`${sites.host}/host-2.0.4.html`);
	const { page } = opened;
	await page.waitForFunction(() => "mount" in globalThis);
	const html = documentOf(script, { style, body });
	await page.evaluate((options) => g.mount(options), { sandbox: sites.sandbox, html, inner: INNER.opaque });
	await page.evaluate(() => g.initialized);
	const frame = page.frames()[page.frames().length - 1];
	const heights = () =>
		page.evaluate(() =>
			g.trace
				.filter((/** @type {any} */ { message }) => message.method === "ui/notifications/size-changed")
				.map((/** @type {any} */ { message }) => message.params.height),
		);
	return {
		...opened,
		frame,
		heights,
		/** Waits until nothing more is said. */
		async quiet() {
			for (let known = -1; ; ) {
				await frame.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), QUIET_MS);
				const { length } = await heights();
				if (length === known) return await heights();
				known = length;
			}
		},
		/** @param {string} css */
		content: (css) =>
			frame.evaluate((css) => {
				/** @type {HTMLElement} */ (document.getElementById("content")).style.cssText = css;
			}, css),
	};
}

test("content that grows and shrinks is followed, each height said once", async () => {
	const mounted = await mount("#content { height: 80px }");
	assert.deepEqual(await mounted.quiet(), [80]);
	await mounted.content("height: 300.4px");
	assert.deepEqual(await mounted.quiet(), [80, 301]);
	await mounted.content("height: 40px");
	assert.deepEqual(await mounted.quiet(), [80, 301, 40]);
	assert.equal(await mounted.frame.evaluate(() => document.documentElement.getAttribute("style") || ""), "");
	await mounted.close();
});

test("boxes as high as the frame: what they hold is measured, not they", async () => {
	const mounted = await mount("html, body { height: 100% } #content { height: 400px }");
	assert.deepEqual(await mounted.quiet(), [400]);
	await mounted.content("height: 500px");
	assert.deepEqual(await mounted.quiet(), [400, 500]);
	await mounted.content("height: 60px");
	assert.deepEqual(await mounted.quiet(), [400, 500, 60]);
	await mounted.close();
});

test("a page as high as its frame says so once, and neither grows nor shrinks", async () => {
	const mounted = await mount("#content { height: 100vh }");
	assert.deepEqual(await mounted.quiet(), [150]);
	// A host's frame with borders: two pixels less than was asked for.
	await mounted.page.evaluate(() => {
		g.frame.style.height = "148px";
	});
	assert.deepEqual(await mounted.quiet(), [150]);
	await mounted.close();
});

test("a page that is higher than any frame does not grow for ever", async () => {
	for (const [style, first] of /** @type {const} */ ([
		["#content { height: 100vh; padding-bottom: 16px }", 166],
		["#content { height: 200vh }", 300],
	])) {
		const mounted = await mount(style);
		assert.deepEqual(await mounted.quiet(), [first]);
		// Not even when something else on it moves.
		await mounted.frame.evaluate(() => document.body.setAttribute("data-moved", "1"));
		assert.deepEqual(await mounted.quiet(), [first]);
		await mounted.close();
	}
});

test("content that arrives while the host obeys is measured all the same", async () => {
	const mounted = await mount("#content { height: 20px }");
	await mounted.frame.evaluate(() => {
		addEventListener("resize", () => {
			/** @type {HTMLElement} */ (document.getElementById("content")).style.height = "600px";
		});
	});
	await mounted.content("height: 30px");
	const heights = await mounted.quiet();
	assert.equal(heights[heights.length - 1], 600);
	await mounted.close();
});

test("a page without a height of its own says nothing, unless it does itself", async () => {
	const mounted = await mount("html, body, #content { height: 100% } #content > * { position: absolute; inset: 0 }");
	assert.deepEqual(await mounted.quiet(), []);
	await mounted.frame.evaluate(() => g.view.sendSize({ width: 300, height: 200 }));
	assert.deepEqual(await mounted.quiet(), [200]);
	await mounted.close();
});

test("resizing stops when it is switched off, when the View is closed, and is off when it was not wanted", async () => {
	for (const stop of ["view.setAutoResize(false)", "view.close()"]) {
		const mounted = await mount("#content { height: 80px }");
		assert.deepEqual(await mounted.quiet(), [80]);
		await mounted.frame.evaluate(stop);
		await mounted.content("height: 300px");
		assert.deepEqual(await mounted.quiet(), [80]);
		assert.deepEqual(mounted.problems, []);
		await mounted.close();
	}
	const mounted = await mount("#content { height: 80px }", { options: "autoResize: false" });
	assert.deepEqual(await mounted.quiet(), []);
	await mounted.frame.evaluate(() => g.view.setAutoResize(true));
	assert.deepEqual(await mounted.quiet(), [80]);
	await mounted.close();
});
