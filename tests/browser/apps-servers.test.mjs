// The example servers of the extension, each in a process of nobody else's, with their Views under our host.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { openWorld, viewFrame } from "./apps-world.mjs";
import { openChromium } from "./chromium.mjs";

/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
/** @type {Awaited<ReturnType<typeof openWorld>>} */
let world;
before(async () => {
	chromium = await openChromium();
	world = await openWorld();
});
after(async () => {
	await chromium?.close();
	await world?.stop();
});

/**
 * Serves an example over Streamable HTTP for pages of any origin.
 * @param {() => any} make
 */
async function serveExample(make) {
	const http = createServer(async (request, response) => {
		for (const name of ["origin", "headers", "methods"]) response.setHeader(`access-control-allow-${name}`, "*");
		response.setHeader("access-control-expose-headers", "mcp-session-id");
		if (request.method === "OPTIONS") return response.writeHead(204).end();
		const server = make();
		const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
		response.on("close", () => {
			transport.close().catch(() => {});
			server.close().catch(() => {});
		});
		await server.connect(transport);
		await transport.handleRequest(request, response);
	});
	await new Promise((done) => http.listen(0, "127.0.0.1", () => done(undefined)));
	const { port } = /** @type {import("node:net").AddressInfo} */ (http.address());
	return {
		url: `http://127.0.0.1:${port}/mcp`,
		stop: () => {
			http.closeAllConnections();
			return new Promise((done) => http.close(done));
		},
	};
}

/** A package, what its View must show, and what happens when a person uses it. @type {[string, RegExp, ((frame: import("playwright-core").Frame, page: import("playwright-core").Page) => Promise<void>) | undefined][]} */
const EXAMPLES = [
	["server-basic-vanillajs", /Server Time/, clock],
	["server-basic-react", /Server Time/, clock],
	["server-budget-allocator", /Budget/, undefined],
	["server-system-monitor", /CPU|System/, undefined],
];

/** @param {import("playwright-core").Frame} frame @param {import("playwright-core").Page} page */
async function clock(frame, page) {
	const asked = () => page.evaluate("traffic.filter(({ method }) => method === 'tools/call').length");
	const before = /** @type {number} */ (await asked());
	await frame.getByRole("button", { name: /Get.*Time/ }).click();
	await frame
		.getByText(/\d{4}-\d{2}-\d{2}T/)
		.first()
		.waitFor();
	assert.equal(await asked(), before + 1);
}

for (const [name, shows, use] of EXAMPLES) {
	test(`the View of ${name} is shown, and works`, async () => {
		const { createServer: make } = await import(`@modelcontextprotocol/${name}`);
		const example = await serveExample(make);
		const opened = await chromium.open(world.url);
		const { page } = opened;
		try {
			await page.waitForFunction("globalThis.ready");
			await page.evaluate(`(async () => {
				const client = new Client({ url: ${JSON.stringify(example.url)}, capabilities: host.APPS_CAPABILITIES });
				const { tools } = await client.listTools();
				for (const tool of tools) {
					if ((await host.appUri(tool)) === undefined) continue;
					globalThis.m = await mount({ client, tool }, { arguments: {}, result: client.callTool(tool.name, {}) });
					break;
				}
				await m.app.initialized;
			})()`);
			const view = await viewFrame(page);
			await view.getByText(shows).filter({ visible: true }).first().waitFor();
			await page.waitForFunction("seen.some(([name, size]) => name === 'onSizeChanged' && size.height > 50)");
			await use?.(view, page);
			assert.deepEqual(
				(await page.evaluate("seen")).filter((/** @type {any} */ [name]) => name === "onWarning" || name === "onError"),
				[],
			);
			if (process.env.SCREENSHOTS)
				await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
			await page.evaluate("m.app.close()");
		} finally {
			await opened.close();
			await example.stop();
		}
	});
}
