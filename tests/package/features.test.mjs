// Every feature of the installed package in Node.js, Deno, Bun and workerd; tests/browser/features.test.mjs has the browser.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { startWorker } from "../../scripts/workerd.mjs";
import { FEATURES, program } from "./features/expected.mjs";
import { installed, output, project } from "./harness.mjs";

const files = {
	"features.js": program(),
	"main.js": 'import features from "./features.js";\nconsole.log(JSON.stringify(await features()));\n',
	"worker.js":
		'import features from "./features.js";\nexport default { fetch: async () => Response.json(await features()) };\n',
};
const deno = ["run", "--node-modules-dir=manual", "--cached-only", "--no-prompt", "main.js"];

/** @type {[string, string, string[], NodeJS.ProcessEnv][]} */
const programs = [
	["Node.js", process.execPath, ["main.js"], {}],
	["Deno", "deno", deno, { DENO_NO_UPDATE_CHECK: "1", DENO_NO_PROMPT: "1" }],
	["Bun", "bun", ["main.js"], {}],
];

for (const [name, command, args, env] of programs) {
	test(`every feature works in ${name}`, async () => {
		const out = await output(command, args, { cwd: project(files), env });
		assert.deepEqual(JSON.parse(out), FEATURES);
	});
}

test("every feature works in workerd", async () => {
	const worker = await startWorker({ main: join(project(files), "worker.js"), packages: { "mcp-duet": installed() } });
	try {
		const response = await fetch(worker.url, { signal: AbortSignal.timeout(30_000) });
		assert.deepEqual(await response.json(), FEATURES);
	} finally {
		await worker.stop();
	}
});
