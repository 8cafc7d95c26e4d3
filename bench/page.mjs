// A page in headless Chromium, from the start of its navigation to the answer of its first call: a fresh
// profile each time, so nothing is cached, everything gzipped, the processor slowed down.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { Server } from "mcp-duet/server";
import { openChromium } from "../tests/browser/chromium.mjs";
import { bundle } from "./bundles.mjs";
import { SERVER_INFO, tools } from "./fixtures.mjs";
import { shuffled } from "./processes.mjs";

const PACKAGES = /** @type {const} */ (["duet", "sdk", "floor"]);
/** As slow as a phone: the factor by which Chromium holds the processor back. */
const SLOWER = 4;
const TOOLS = 10;
const RUNTIME = `Chromium, ${SLOWER} × slower: navigation, list, call`;

const PAGE = `<!doctype html><link rel="icon" href="data:,"><title>bench</title><script type="module">
globalThis.outcome = import("./app.mjs").then(({ main }) => main(location.origin + "/mcp")).then(() => performance.now());
</script>`;

/** @typedef {{ type: string, gzip: Uint8Array }} File */

/** @returns {Promise<Map<string, File>>} by path */
async function files() {
	/** @type {Map<string, File>} */
	const out = new Map();
	for (const name of PACKAGES) {
		const { script, wasm, later } = await bundle(name === "duet" ? "page.duet" : `client.${name}`, "browser");
		const add = (/** @type {string} */ path, /** @type {string} */ type, /** @type {Uint8Array | string} */ bytes) =>
			out.set(`/${name}/${path}`, { type, gzip: gzipSync(bytes, { level: 9 }) });
		add("", "text/html", PAGE);
		add("app.mjs", "text/javascript", readFileSync(script));
		for (const path of [...wasm, ...later]) add(`wasm/${basename(path)}`, "application/wasm", readFileSync(path));
	}
	return out;
}

/** Everyone's page and the server that they all call. */
async function site() {
	const served = await files();
	/** @param {any} args */
	const handler = (args) => args.text;
	const server = new Server({
		...SERVER_INFO,
		tools: /** @type {any[]} */ (tools(TOOLS)).map((tool) => ({ ...tool, handler })),
	});
	const http = createServer(async (request, response) => {
		const file = served.get(/** @type {string} */ (request.url));
		if (file) {
			response.writeHead(200, { "content-type": file.type, "content-encoding": "gzip" }).end(file.gzip);
			return;
		}
		if (request.url !== "/mcp") {
			response.writeHead(404).end();
			return;
		}
		/** @type {Uint8Array[]} */
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		const headers = /** @type {Record<string, string>} */ (request.headers);
		const body = Buffer.concat(chunks);
		const answer = await server.fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
		response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
	});
	await new Promise((resolve) => http.listen(0, "127.0.0.1", () => resolve(undefined)));
	const { port } = /** @type {import("node:net").AddressInfo} */ (http.address());
	return {
		url: `http://127.0.0.1:${port}`,
		close() {
			server.close();
			http.closeAllConnections();
			http.close();
		},
	};
}

/**
 * One visit of each page.
 * @param {number} rounds
 * @param {(round: number) => void} begun
 * @returns {Promise<{ round: number, adapter: string, runtime: string, ms: number }[]>}
 */
export async function visits(rounds, begun) {
	const { url, close } = await site();
	const chromium = await openChromium();
	const out = [];
	try {
		for (let round = 1; round <= rounds; round++) {
			begun(round);
			for (const adapter of shuffled([...PACKAGES], round)) {
				const { page, problems, close } = await chromium.open("about:blank");
				const session = await page.context().newCDPSession(page);
				await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
				await page.goto(`${url}/${adapter}/`);
				const ms = await page.evaluate(() => /** @type {any} */ (globalThis).outcome);
				const said = await page.textContent("body");
				if (problems.length > 0 || !said?.includes("hello")) {
					throw new Error(`${adapter}: a wrong answer in the page: ${said} ${problems.join("; ")}`);
				}
				out.push({ round, adapter, runtime: RUNTIME, ms });
				await close();
			}
		}
	} finally {
		await chromium.close();
		close();
	}
	return out;
}
