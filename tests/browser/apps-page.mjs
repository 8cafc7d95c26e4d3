// Pages of our host in Chromium, each with what a test asks of it. Whoever imports this gets one browser and one world.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { openWorld, realView, viewFrame } from "./apps-world.mjs";
import { openChromium } from "./chromium.mjs";

/** @typedef {Awaited<ReturnType<typeof openWorld>>} World */

/** @type {Awaited<ReturnType<typeof openChromium>>} */
export let chromium;
/** @type {World} */
export let world;
/** @type {Record<string, string>} */
export const real = {};
before(async () => {
	chromium = await openChromium();
	world = await openWorld();
	for (const library of LIBRARIES) real[library] = await realView(library);
});
after(async () => {
	await chromium?.close();
	await world?.stop();
});

export const LIBRARIES = ["@modelcontextprotocol/ext-apps", "ext-apps-1"];
export const MODERN_VIEW = LIBRARIES[0];

/** What Chromium says of every sandbox whose documents have an origin. */
const EXPECTED = /allow-scripts and allow-same-origin/;

/**
 * A page on which \`body\` runs, an async function's, with \`setup\`, \`world\`, \`mount\`, \`seen\` and the like at hand.
 * @param {any} setup
 * @param {string} body
 */
export async function onPage(setup, body) {
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
export const inView = (frame, body) => frame.evaluate(`(async () => {${body}})()`);

/** Until the expression is true in a View; its policy has no `eval`, which the debugger's own waiting needs. @param {import("playwright-core").Frame} frame @param {string} expression */
export async function untilIn(frame, expression) {
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
export async function mounted(setup) {
	const opened = await onPage(setup, MOUNT);
	return { ...opened, view: await opened.view() };
}

/** @param {any} page @returns {Promise<string[]>} */
export const fromView = (page) => page.run("return traffic.map(({ method, id }) => method ?? 'answer ' + id)");
