// One headless Chromium for a test file, and pages that remember what went wrong in them.

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { ask } from "../../scripts/workspace.mjs";

/** How long anything on a page may take, in milliseconds. */
const PATIENCE_MS = 20_000;

/**
 * @typedef {object} Opened
 * @property {import("playwright-core").Page} page
 * @property {string[]} problems warnings and errors of the console, and exceptions nobody caught
 * @property {() => Promise<void>} close
 */

export async function openChromium() {
	const browser = await chromium.launch({
		executablePath: ask("which", ["chromium"]),
		args: [
			"--no-sandbox",
			"--disable-gpu",
			"--disable-dev-shm-usage",
			"--disable-quic",
			"--disable-background-networking",
		],
	});
	return {
		/**
		 * A page in a profile of its own.
		 * @param {string} url
		 * @param {import("playwright-core").BrowserContextOptions} [options]
		 * @returns {Promise<Opened>}
		 */
		async open(url, options) {
			const context = await browser.newContext(options);
			context.setDefaultTimeout(PATIENCE_MS);
			const page = await context.newPage();
			/** @type {string[]} */
			const problems = [];
			page.on("console", (message) => {
				if (["warning", "error"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
			});
			page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
			await page.goto(url);
			return { page, problems, close: () => context.close() };
		},
		close: () => browser.close(),
	};
}

/** The message of an error, when a page's promise has been made to give one. @typedef {{ failed?: { name: string, code: string, message: string } }} Failed */

/** What stands between a page and its outcome: a promise in `globalThis.outcome`. @param {Opened} opened */
export function outcome({ page }) {
	return page.evaluate(async (patience) => {
		const late = new Promise((_, reject) => setTimeout(() => reject(new Error("no outcome")), patience));
		return await Promise.race([/** @type {any} */ (globalThis).outcome, late]);
	}, PATIENCE_MS);
}

/**
 * A page with one module script that puts its outcome, or its error, where `outcome` finds it.
 * @param {string} module source of a module whose default export is an async function
 * @returns {Record<string, string>} pages for `serve`
 */
export const pageOf = (module) => ({
	"/": '<!doctype html><link rel="icon" href="data:,"><title>test</title><script type="module" src="/run.js"></script>',
	"/module.js": module,
	"/run.js": `const told = (error) => ({ failed: { name: error.constructor.name, code: error.code, message: error.message } });
globalThis.outcome = import("/module.js").then((module) => module.default()).catch(told);
`,
});

/** What Chromium says of every sandbox that the specification of MCP Apps prescribes, sooner or later. */
const PRESCRIBED = /both allow-scripts and allow-same-origin/;

/** @param {Opened} opened */
export function assertQuiet({ problems }) {
	assert.deepEqual(
		problems.filter((problem) => !PRESCRIBED.test(problem)),
		[],
	);
}
