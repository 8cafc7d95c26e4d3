// The package as it is inside an extension, whose background is a module service worker.

import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { chromium } from "playwright-core";
import { installed } from "../../scripts/link.mjs";
import { ownedFolder } from "../../scripts/processes.mjs";
import { ask } from "../../scripts/workspace.mjs";
import { DONE, job } from "../package/harness.mjs";

const BACKGROUND = `${job({ from: "./pkg/index.web.js" })}
globalThis.run = () => job().catch((error) => ({ code: error.code, message: error.message }));
`;

/**
 * What the background of an extension with this policy gives.
 * @param {string} policy
 * @returns {Promise<any>}
 */
async function background(policy) {
	const { path, remove } = await ownedFolder("mcp-duet-extension-");
	const extension = join(path, "extension");
	await cp(installed, join(extension, "pkg"), { recursive: true });
	const manifest = {
		manifest_version: 3,
		name: "test",
		version: "1.0",
		background: { service_worker: "background.js", type: "module" },
		content_security_policy: { extension_pages: policy },
	};
	await writeFile(join(extension, "manifest.json"), JSON.stringify(manifest));
	await writeFile(join(extension, "background.js"), BACKGROUND);
	const context = await chromium.launchPersistentContext(join(path, "profile"), {
		executablePath: ask("which", ["chromium"]),
		args: [
			...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
			...[`--disable-extensions-except=${extension}`, `--load-extension=${extension}`],
		],
	});
	try {
		const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker", { timeout: 20_000 }));
		return await worker.evaluate(() => /** @type {any} */ (globalThis).run());
	} finally {
		await context.close();
		await remove();
	}
}

test("an extension whose policy has 'wasm-unsafe-eval' runs it in its service worker", async () => {
	assert.deepEqual(await background("script-src 'self' 'wasm-unsafe-eval'; object-src 'self'"), DONE);
});

test("an extension whose policy lacks it gets the error that says so", async () => {
	const { code, message } = await background("script-src 'self'; object-src 'self'");
	assert.equal(code, "WASM_FORBIDDEN");
	assert.match(message, /'wasm-unsafe-eval'/);
});
