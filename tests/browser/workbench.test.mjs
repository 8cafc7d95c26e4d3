// The page as a person uses it, against the demo worker in workerd.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { installed } from "../../scripts/link.mjs";
import { sandboxOf } from "../../scripts/sandbox.mjs";
import { serve } from "../../scripts/serve.mjs";
import { startWorker } from "../../scripts/workerd.mjs";
import { root } from "../../scripts/workspace.mjs";
import { assertQuiet, openChromium } from "./chromium.mjs";

/** @type {import("../../scripts/workerd.mjs").RunningWorker} */
let worker;
/** @type {Awaited<ReturnType<typeof serve>>} */
let site;
/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
before(async () => {
	worker = await startWorker({ main: join(root, "www/worker.js"), packages: { "mcp-duet": installed } });
	site = await serve({ folders: { "/": join(root, "www"), "/pkg/": installed }, answer: sandboxOf(installed) });
	chromium = await openChromium();
});
after(async () => {
	await chromium?.close();
	await site?.stop();
	await worker?.stop();
});

/** @param {import("playwright-core").BrowserContextOptions} [options] */
const visit = (options) => chromium.open(`${site.url}/?server=${encodeURIComponent(`${worker.url}/mcp`)}`, options);

/** @param {import("playwright-core").Page} page */
async function connect(page) {
	await page.getByRole("button", { name: "Connect", exact: true }).click();
	await page.getByRole("heading", { name: "Duet demo 北京" }).waitFor();
}

/** @param {import("playwright-core").Page} page @param {string | RegExp} name */
const offer = (page, name) => page.getByRole("navigation").getByRole("button", { name });

/** The newest result. @param {import("playwright-core").Page} page */
const newest = (page) => page.getByRole("article").first();

/**
 * Waits until a text can be seen; folded parts of the page may hold it too.
 * @param {import("playwright-core").Page | import("playwright-core").Locator} where
 * @param {string | RegExp} text
 */
const sees = (where, text) => where.getByText(text).filter({ visible: true }).first().waitFor();

/** The text as it is rendered. @param {import("playwright-core").Locator} where */
// biome-ignore lint/performance/useDomNodeTextContent: what a person reads is the point
const shown = (where) => where.innerText();

test("a person connects, types an argument and sees the result", async () => {
	const opened = await visit();
	const { page } = opened;
	await connect(page);
	const facts = await shown(page.getByRole("list", { name: "What was found out" }));
	assert.match(facts, /modern era\s+protocol 2026-07-28\s+duet-demo 1\.0\.0/);
	assert.equal(await shown(page.getByRole("navigation").getByRole("heading", { name: /Tools/ })), "TOOLS 6");

	await offer(page, /^Weather/).click();
	await sees(page, "as reliable as any made-up forecast");
	await page.getByLabel("city").fill("北京");
	await page.getByLabel("days").fill("2");
	await page.getByRole("button", { name: "Call get_weather" }).click();
	const card = newest(page);
	await sees(card, "Structured content");
	assert.match(await shown(card), /北京\nToday: .+ °C\nIn 1 d: .+ °C/);
	assert.equal(await shown(page.getByRole("status")), "get_weather answered");

	assert.match(await shown(page.locator("#traffic summary").first()), /Messages \d+/);
	assertQuiet(opened);
	await opened.close();
});

test("a tool with a View shows it, and the View asks the server, the model and for room", async () => {
	const opened = await visit();
	const { page } = opened;
	await connect(page);
	await offer(page, /^Weather/).click();
	await page.getByLabel("city").fill("北京");
	await page.getByLabel("days").fill("3");
	await page.getByRole("button", { name: "Call get_weather" }).click();
	const view = page.frameLocator(".view iframe").frameLocator("iframe");
	await view.getByRole("heading", { name: "北京" }).waitFor();
	assert.equal(await view.getByRole("listitem").count(), 3);
	await view.getByRole("button", { name: "°F" }).click();
	await view.getByRole("button", { name: "°C" }).waitFor();
	await view.getByRole("button", { name: "Tell the model" }).click();
	await sees(page, /^A model would know from now on: .*北京/);
	await view.getByRole("button", { name: "Larger" }).click();
	await page.getByRole("button", { name: "Leave full screen" }).click();
	await view.getByRole("button", { name: "Larger" }).waitFor();
	const frame = page.locator(".view iframe");
	assert.ok((await frame.evaluate((element) => element.clientHeight)) > 200, "the frame is as high as the View");
	assert.match((await frame.getAttribute("src")) ?? "", /^http:\/\/localhost:/);
	await page.getByRole("button", { name: "Clear" }).first().click();
	assert.equal(await frame.count(), 0);
	assertQuiet(opened);
	await opened.close();
});

test("the page works from the keyboard alone", async () => {
	const opened = await visit();
	const { page } = opened;
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "Duet demo 北京" }).waitFor();
	await offer(page, /greet_北京/).focus();
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "Greeting from 北京" }).waitFor();
	await page.keyboard.press("Tab");
	assert.equal(
		await page.evaluate(() => document.activeElement?.getAttribute("aria-describedby")?.startsWith("argument-")),
		true,
	);
	await page.keyboard.type("Ada");
	await page.keyboard.press("Enter");
	await sees(newest(page), "你好，Ada！");
	assertQuiet(opened);
	await opened.close();
});

test("a tool that fails is shown as failed, and the next call works", async () => {
	const opened = await visit();
	const { page } = opened;
	await connect(page);
	await offer(page, /^Divide/).click();
	await page.getByRole("button", { name: "Call divide" }).click();
	await sees(newest(page), "The tool says that it failed");
	assert.match(await shown(newest(page)), /Cannot divide 1 by zero/);
	await page.getByLabel("divisor").fill("4");
	await page.getByRole("button", { name: "Call divide" }).click();
	await sees(newest(page), /^0\.25$/);
	assertQuiet(opened);
	await opened.close();
});

test("a list of objects is written as JSON, and what is not JSON stays on the page", async () => {
	const opened = await visit();
	const { page } = opened;
	await connect(page);
	await offer(page, /^Draw a bar chart/).click();
	const field = page.getByLabel("bars");
	await field.fill("[{");
	await page.getByRole("button", { name: "Call draw_bars" }).click();
	assert.match(
		await field.evaluate((/** @type {HTMLTextAreaElement} */ element) => element.validationMessage),
		/^Not JSON: /,
	);
	assert.equal(await page.getByRole("article").count(), 0);
	await field.fill('[{ "label": "北京", "value": 3 }]');
	await page.getByRole("button", { name: "Call draw_bars" }).click();
	const image = newest(page).getByRole("img");
	await image.waitFor();
	assert.equal(
		await image.evaluate((/** @type {HTMLImageElement} */ img) => img.decode().then(() => img.naturalWidth)),
		440,
	);
	assertQuiet(opened);
	await opened.close();
});

test("progress is shown while a tool runs, and the person can cancel it", async () => {
	const opened = await visit();
	const { page } = opened;
	await connect(page);
	await offer(page, /^Count down/).click();
	await page.getByLabel("from").fill("50");
	await page.getByLabel("pauseMs").fill("50");
	await page.getByRole("button", { name: "Call count_down" }).click();
	await sees(newest(page), /\d+ of 50: \d+ to go/);
	await newest(page).getByRole("button", { name: "Cancel" }).click();
	await sees(newest(page), "Cancelled on the page");
	await page.getByLabel("from").fill("2");
	await page.getByRole("button", { name: "Call count_down" }).click();
	await sees(newest(page), "Counted down from 2.");
	assertQuiet(opened);
	await opened.close();
});

test("resources, a template and a prompt are read", async () => {
	const opened = await visit();
	const { page } = opened;
	await connect(page);
	await offer(page, /^北京 \(Beijing\)/).click();
	await page.getByRole("button", { name: "Read it" }).click();
	await sees(newest(page), "北京是中华人民共和国的首都");

	await offer(page, /^Two discs/).click();
	await page.getByRole("button", { name: "Read it" }).click();
	const image = newest(page).getByRole("img");
	await image.waitFor();
	assert.equal(
		await image.evaluate((/** @type {HTMLImageElement} */ img) => img.decode().then(() => img.naturalWidth)),
		64,
	);

	await offer(page, /^Forecast/).click();
	await page.getByLabel("city").fill("北京");
	await page.getByRole("button", { name: "Read it" }).click();
	await sees(newest(page), /北京\nday 0: /);

	await offer(page, /^Plan a trip/).click();
	await page.getByLabel("city").fill("北京");
	await page.getByRole("button", { name: "Get it" }).click();
	await sees(newest(page), "Plan 2 days in 北京");
	assertQuiet(opened);
	await opened.close();
});

test("the server's proposals are offered while the person types", async () => {
	const opened = await visit();
	const { page } = opened;
	await connect(page);
	for (const name of [/^Forecast/, /^Plan a trip/]) {
		await offer(page, name).click();
		const field = page.getByLabel("city");
		await field.fill("b");
		await page.locator('datalist option[value="Berlin"]').waitFor({ state: "attached" });
		const offered = await field.evaluate((/** @type {HTMLInputElement} */ element) =>
			[...(element.list?.options ?? [])].map(({ value }) => value),
		);
		assert.deepEqual(offered, ["Berlin", "Bogotá"]);
	}
	assertQuiet(opened);
	await opened.close();
});

test("the person can ask for the legacy era", async () => {
	const opened = await visit();
	const { page } = opened;
	await page.getByLabel("Protocol").selectOption("Legacy only");
	await connect(page);
	assert.match(await shown(page.getByRole("list", { name: "What was found out" })), /legacy era\s+protocol 2025-11-25/);
	await offer(page, /greet_北京/).click();
	await page.getByLabel("person").fill("Ada");
	await page.getByRole("button", { name: "Call greet_北京" }).click();
	await sees(newest(page), "你好，Ada！");
	assertQuiet(opened);
	await opened.close();
});

test("a server that is not there is an error with its code, and the page stays usable", async () => {
	const opened = await visit();
	const { page } = opened;
	await page.getByLabel("Server address").fill(`${site.url}/nowhere`);
	await page.getByRole("button", { name: "Connect", exact: true }).click();
	const alert = page.getByRole("alert");
	await sees(alert, "404");
	assert.match(await shown(alert), /^HTTP\b/);
	await page.getByLabel("Server address").fill(`${worker.url}/mcp`);
	await connect(page);
	assert.equal(await shown(alert), "");
	await opened.close();
});

test("at phone width nothing is cut off", async () => {
	const opened = await visit({ viewport: { width: 360, height: 740 } });
	const { page } = opened;
	await connect(page);
	await offer(page, /^Draw a bar chart/).click();
	await page.getByRole("button", { name: "Call draw_bars" }).click();
	await newest(page).getByRole("img").waitFor();
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
	assertQuiet(opened);
	await opened.close();
});
