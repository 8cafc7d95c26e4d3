// The installed package in Deno, Bun and workerd.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { startWorker } from "../../scripts/workerd.mjs";
import { DONE, installed, job, jobBody, output, project } from "./harness.mjs";

const print = "console.log(JSON.stringify(await job()));\n";
const quiet = { DENO_NO_UPDATE_CHECK: "1", DENO_NO_PROMPT: "1" };

test("Deno runs it with all permissions and with none", async () => {
	const cwd = project({ "main.js": job() + print });
	for (const permission of ["--allow-all", "--no-prompt"]) {
		const args = ["run", "--node-modules-dir=manual", "--cached-only", permission, "main.js"];
		assert.deepEqual(JSON.parse(await output("deno", args, { cwd, env: quiet })), DONE, permission);
	}
});

test("Bun runs it, imported and required", async () => {
	const cwd = project({
		"main.js": job() + print,
		"main.cjs": `const { Client, Server } = require("mcp-duet");${jobBody}
job().then((done) => console.log(JSON.stringify(done)));`,
	});
	for (const file of ["main.js", "main.cjs"]) {
		assert.deepEqual(JSON.parse(await output("bun", [file], { cwd })), DONE, file);
	}
});

test("Bun bundles it into one file that runs elsewhere", async () => {
	const cwd = project({ "main.js": job() + print });
	await output("bun", ["build", "main.js", "--target=bun", "--outfile=out/main.js"], { cwd });
	assert.deepEqual(JSON.parse(await output("bun", ["out/main.js"], { cwd })), DONE);
});

test("workerd runs it, with a server at module level and a request on loopback", async () => {
	for (const entries of [undefined, { client: "mcp-duet/client", server: "mcp-duet/server" }]) {
		const cwd = project({
			"worker.js": `${job(entries)}
export default { fetch: async () => Response.json(await job()) };`,
		});
		const worker = await startWorker({ main: join(cwd, "worker.js"), packages: { "mcp-duet": installed() } });
		try {
			const response = await fetch(worker.url, { signal: AbortSignal.timeout(30_000) });
			assert.deepEqual(await response.json(), DONE);
		} finally {
			await worker.stop();
		}
	}
});

test("in workerd, compiling from bytes gives an error that says what is needed", async () => {
	const cwd = project({
		"worker.js": `import { init } from "mcp-duet/inline";
export default {
	async fetch() {
		const error = await init().catch((error) => error);
		return Response.json([error.name, error.code, error.message]);
	},
};`,
	});
	const worker = await startWorker({ main: join(cwd, "worker.js"), packages: { "mcp-duet": installed() } });
	try {
		const response = await fetch(worker.url, { signal: AbortSignal.timeout(30_000) });
		const [name, code, message] = /** @type {string[]} */ (await response.json());
		assert.deepEqual([name, code], ["McpError", "WASM_FORBIDDEN"]);
		assert.match(message, /workerd/);
	} finally {
		await worker.stop();
	}
});
