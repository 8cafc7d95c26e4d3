// A configuration of real servers, and of ones that are broken, silent, crashing and off, as one toolset.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { inspect } from "node:util";
import { spawn } from "mcp-duet/node";
import { connectAll, disconnectAll, stderr } from "mcp-duet/toolset";

const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
const SECRET = "planted-secret-5566778899";
const node = process.execPath;
const code = (/** @type {string} */ text) => [node, "-e", text];

test("one real server works whatever becomes of the others, and no secret gets out", async () => {
	const config = {
		mcpServers: {
			everything: { command: node, args: [everything, "stdio"], env: { API_KEY: SECRET } },
			crash: {
				command: code("console.error('cannot go on with', process.env.API_KEY); process.exit(3)"),
				env: { API_KEY: SECRET },
			},
			silent: {
				command: code("process.stdin.resume(); console.error('still', process.env.API_KEY)"),
				env: { API_KEY: SECRET },
				timeouts: { handshakeMs: 1_500 },
			},
			missing: { command: "/nonexistent/program" },
			off: { command: "/nonexistent/program", disabled: true },
		},
	};
	const toolset = await connectAll(config, { spawn });
	try {
		assert.deepEqual(toolset.statuses, {
			crash: "failed",
			everything: "connected",
			missing: "failed",
			off: "disabled",
			silent: "failed",
		});
		const echo = toolset.tools.find(({ metadata }) => metadata.tool === "echo");
		assert.equal(echo?.name, "everything_echo");
		assert.match((await echo.handler({ message: "北京" })).text, /北京/);
		for (const { name } of toolset.tools) assert.match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
		const [crash] = toolset.connections;
		assert.equal(crash.exitCode, 3);
		assert.match(crash.error?.message ?? "", /status 3/);
		assert.match(stderr(crash).join("\n"), /cannot go on with \[redacted\]/);
		const silent = toolset.connections.find(({ name }) => name === "silent");
		assert.equal(silent?.error?.code, "TIMED_OUT");
		assert.match(stderr(/** @type {any} */ (silent)).join("\n"), /still/);
		const shown = [toolset, ...toolset.errors.map(({ error }) => error.stack), ...toolset.connections.flatMap(stderr)];
		assert.equal(inspect(shown, { depth: 9, getters: true }).includes(SECRET), false);
	} finally {
		await disconnectAll(toolset);
		await disconnectAll(toolset);
	}
	assert.equal(toolset.statuses.everything, "disconnected");
});
