// A toolset in Deno, Bun and workerd: two WebAssembly files found at once.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { startWorker } from "../../scripts/workerd.mjs";
import { installed, output, project } from "./harness.mjs";

const job = `
import { Server } from "mcp-duet/server";
import { connectAll, disconnectAll } from "mcp-duet/toolset";

async function job() {
	const handler = ({ city }) => city + ": sunny";
	const tools = [{ name: "get", inputSchema: { type: "object" }, handler }];
	const server = new Server({ name: "s", version: "1", tools });
	const fetch = (url, init) => server.fetch(new Request(url, init));
	const config = { weather: { url: "https://weather.test/mcp" }, local: { command: "x" } };
	const toolset = await connectAll(config, { fetch });
	const { text } = await toolset.tools[0].handler({ city: "北京" });
	const { statuses } = toolset;
	await disconnectAll(toolset);
	return { text, statuses };
}
`;
const DONE = { text: "北京: sunny", statuses: { local: "failed", weather: "connected" } };
const print = "console.log(JSON.stringify(await job()));\n";

test("Deno runs it", async () => {
	const cwd = project({ "main.js": job + print });
	const args = ["run", "--node-modules-dir=manual", "--cached-only", "--no-prompt", "main.js"];
	const env = { DENO_NO_UPDATE_CHECK: "1", DENO_NO_PROMPT: "1" };
	assert.deepEqual(JSON.parse(await output("deno", args, { cwd, env })), DONE);
});

test("Bun runs it", async () => {
	const cwd = project({ "main.js": job + print });
	assert.deepEqual(JSON.parse(await output("bun", ["main.js"], { cwd })), DONE);
});

test("workerd runs it", async () => {
	const cwd = project({ "worker.js": `${job}export default { fetch: async () => Response.json(await job()) };` });
	const worker = await startWorker({ main: join(cwd, "worker.js"), packages: { "mcp-duet": installed() } });
	try {
		const response = await fetch(worker.url, { signal: AbortSignal.timeout(30_000) });
		assert.deepEqual(await response.json(), DONE);
	} finally {
		await worker.stop();
	}
});
