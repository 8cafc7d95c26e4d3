// The View of the demo worker's weather, as a host finds it: out of workerd, in a real host's sandbox.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "mcp-duet/client";
import { installed } from "../../scripts/link.mjs";
import { startWorker } from "../../scripts/workerd.mjs";
import { root } from "../../scripts/workspace.mjs";
import { INNER, openSites } from "./apps/site.mjs";
import { assertQuiet, openChromium } from "./chromium.mjs";

/** @type {import("../../scripts/workerd.mjs").RunningWorker} */
let worker;
/** @type {Awaited<ReturnType<typeof openSites>>} */
let sites;
/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
before(async () => {
	worker = await startWorker({ main: join(root, "www/worker.js"), packages: { "mcp-duet": installed } });
	sites = await openSites();
	chromium = await openChromium();
});
after(async () => {
	await chromium?.close();
	await sites?.stop();
	await worker?.stop();
});

/** What page and frames call their globals: functions that run there find it. @type {any} */
const g = undefined;

test("it shows the call's result, calls the server by itself and follows the host's look", async () => {
	const mcp = new Client({ url: `${worker.url}/mcp` });
	const { tools } = await mcp.listTools();
	const tool = tools.find(({ name }) => name === "get_weather");
	const { resourceUri } = /** @type {any} */ (tool)._meta.ui;
	const { contents } = await mcp.readResource(resourceUri);
	const [{ text: html, mimeType, _meta }] = /** @type {any[]} */ (contents);
	assert.equal(mimeType, "text/html;profile=mcp-app");
	assert.deepEqual(_meta, { ui: { prefersBorder: true } });

	const opened = await chromium.open(`${sites.host}/host-2.0.4.html`);
	const { page } = opened;
	await page.exposeFunction("callTool", (/** @type {string} */ name, /** @type {any} */ args) =>
		mcp.callTool(name, args),
	);
	await page.waitForFunction(() => "mount" in globalThis);
	const context = { theme: "dark", availableDisplayModes: ["inline", "fullscreen"], displayMode: "inline" };
	await page.evaluate(
		async (options) => {
			g.answers["tools/call"] = (/** @type {any} */ { name, arguments: args }) => g.callTool(name, args);
			g.answers["ui/request-display-mode"] = (/** @type {any} */ { mode }) => ({ mode });
			await g.mount(options);
			await g.initialized;
			const args = { city: "北京", days: 3 };
			await g.bridge.sendToolInput({ arguments: args });
			await g.bridge.sendToolResult(await g.callTool("get_weather", args));
		},
		{ sandbox: sites.sandbox, html, inner: INNER.opaque, context },
	);
	const view = page.frames()[page.frames().length - 1];
	await view.getByRole("heading", { name: "北京" }).waitFor();
	assert.equal(await view.getByRole("listitem").count(), 3);
	await view.getByRole("button", { name: "°F" }).click();
	await view.getByRole("button", { name: "°C" }).waitFor();
	await view.getByLabel("Another city").fill("Reykjavík");
	await view.getByRole("button", { name: "Show" }).click();
	await view.getByRole("heading", { name: "Reykjavík" }).waitFor();
	await view.getByRole("button", { name: "Larger" }).click();
	await view.getByRole("button", { name: "Smaller" }).waitFor();
	await view.getByRole("button", { name: "Tell the model" }).click();
	await view.getByText("The model knows of Reykjavík now.").waitFor();
	const asked = await page.evaluate(() => g.asked.map((/** @type {any} */ { method }) => method));
	assert.deepEqual(asked, ["tools/call", "tools/call", "ui/request-display-mode", "ui/update-model-context"]);
	assert.equal(await view.evaluate(() => document.documentElement.dataset.theme), "dark");
	assertQuiet(opened);
	await opened.close();
	await mcp.close();
});
