// Servers that were connected and end later: what their toolset says then.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { spawn } from "mcp-duet/node";
import { connect, connectAll, disconnectAll, stderr } from "mcp-duet/toolset";
import { installed } from "./harness.mjs";

const SECRET = "planted-secret-1122334455";

/**
 * A program with a tool that ends it, and one that ends it before it has answered.
 * @param {string} name
 */
const program = (name) => ({
	command: [
		...[process.execPath, "--input-type=module", "-e"],
		`import { Server } from ${JSON.stringify(`file://${join(installed(), "server.node.js")}`)};
import { serveStdio } from ${JSON.stringify(`file://${join(installed(), "lib/node.js")}`)};
const end = () => {
	console.error("no more of", process.env.KEY);
	process.exit(5);
};
const tool = (name, handler) => ({ name, inputSchema: { type: "object" }, handler });
serveStdio(new Server({ name: ${JSON.stringify(name)}, version: "1", tools: [
	tool("echo", ({ text }) => text),
	tool("leave", () => void setImmediate(() => setTimeout(end, 10)) ?? "goodbye"),
	tool("crash", end),
	tool("kill", () => process.kill(process.pid, "SIGKILL")),
	tool("wait", () => new Promise(() => {})),
] }));`,
	],
	env: { KEY: SECRET },
});

/** @param {import("mcp-duet/toolset").Toolset} toolset @param {string} name */
function toolNamed(toolset, name) {
	const tool = toolset.tools.find((one) => one.name === name);
	assert.ok(tool, name);
	return tool;
}

/** Both servers, and a promise of the names of the tools that are told of next. */
async function pair() {
	/** @type {(names: string[]) => void} */
	let told = () => {};
	const changed = new Promise((/** @type {(names: string[]) => void} */ resolve) => {
		told = resolve;
	});
	let times = 0;
	const toolset = await connectAll(
		{ a: program("a"), b: program("b") },
		{
			spawn,
			onToolsChanged: (tools) => {
				times++;
				told(tools.map(({ name }) => name));
			},
		},
	);
	assert.deepEqual(toolset.statuses, { a: "connected", b: "connected" });
	return { toolset, changed, times: () => times };
}

const LEFT = ["b_echo", "b_leave", "b_crash", "b_kill", "b_wait"];

test("a server that ends between two calls has failed, and the others go on", { timeout: 60_000 }, async () => {
	const { toolset, changed, times } = await pair();
	try {
		const echo = toolNamed(toolset, "a_echo");
		assert.equal((await toolNamed(toolset, "a_leave").handler()).text, "goodbye");
		assert.deepEqual(await changed, LEFT);
		assert.deepEqual(toolset.statuses, { a: "failed", b: "connected" });
		const [a] = toolset.connections;
		assert.deepEqual([a.error?.code, a.error?.message], ["CONNECTION_LOST", "peer exited (status 5)"]);
		assert.deepEqual([a.exitCode, a.tools.length], [5, 0]);
		assert.deepEqual(stderr(a), ["no more of [redacted]"]);
		assert.deepEqual(
			toolset.errors.map(({ server, error }) => [server, error]),
			[["a", a.error]],
		);
		assert.deepEqual(
			toolset.tools.map(({ name }) => name),
			LEFT,
		);
		// Who has kept a tool is told why, and nothing is started for it.
		await assert.rejects(echo.handler({ text: "x" }), {
			code: "CLOSED",
			message: "the server a is not connected: peer exited (status 5)",
		});
		assert.equal((await toolNamed(toolset, "b_echo").handler({ text: "北京" })).text, "北京");
		assert.equal(times(), 1);
	} finally {
		await disconnectAll(toolset);
	}
	// What has failed stays so.
	assert.deepEqual(toolset.statuses, { a: "failed", b: "disconnected" });
	assert.equal(times(), 2, "once more for the tools of b");
});

test("calls that a crash interrupts reject with how it ended", { timeout: 60_000 }, async () => {
	for (const [tool, why, exitCode] of /** @type {const} */ ([
		["a_crash", "peer exited (status 5)", 5],
		["a_kill", "peer exited (signal SIGKILL)", null],
	])) {
		const { toolset, changed } = await pair();
		try {
			const waiting = assert.rejects(toolNamed(toolset, "a_wait").handler(), (/** @type {any} */ error) => {
				assert.deepEqual([error.code, error.message.includes(why)], ["CONNECTION_LOST", true], error.message);
				return true;
			});
			await assert.rejects(toolNamed(toolset, tool).handler(), { code: "CONNECTION_LOST" });
			await waiting;
			assert.deepEqual(await changed, LEFT);
			const [a] = toolset.connections;
			assert.deepEqual([a.status, a.error?.message, a.exitCode], ["failed", why, exitCode]);
		} finally {
			await disconnectAll(toolset);
		}
	}
});

test("a server that has failed can be connected to again", { timeout: 60_000 }, async () => {
	const entry = { name: "a", ...program("a") };
	for (let round = 0; round < 2; round++) {
		/** @type {() => void} */
		let told = () => {};
		const lost = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
			told = resolve;
		});
		const connection = await connect(entry, { spawn, onToolsChanged: () => told() });
		assert.equal(connection.status, "connected");
		await assert.rejects(connection.tools[2].handler(), { code: "CONNECTION_LOST" });
		await lost;
		assert.deepEqual([connection.status, connection.exitCode], ["failed", 5]);
	}
});
