// The public servers of npm and PyPI in one configuration, over pipes and HTTP, from Node.js and from a page.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { serve as listen, spawn } from "mcp-duet/node";
import { connectAll, disconnectAll } from "mcp-duet/toolset";
import { serve } from "../../scripts/serve.mjs";
import { root } from "../../scripts/workspace.mjs";
import { openChromium, outcome } from "../browser/chromium.mjs";
import { everythingServer } from "./sdk-servers.mjs";

/** @param {string} name */
const packaged = (name) =>
	fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));

/** @param {string} name @param {string[]} args */
const npm = (name, ...args) => ({ command: process.execPath, args: [packaged(name), ...args] });

/** A server that scripts/setup.mjs has installed. @param {string} name @param {string[]} args */
const pypi = (name, ...args) => ({
	command: [process.env.PYTHON ?? "python3", "-m", name, ...args],
	env: { PYTHONPATH: join(root, ".tools/python") },
	// Python reads many files, and nothing is compiled the first time.
	timeouts: { handshakeMs: 60_000 },
});

/** @param {import("node:test").TestContext} t */
function folder(t) {
	const made = realpathSync(mkdtempSync(join(tmpdir(), "mcp-duet-toolset-")));
	t.after(() => rmSync(made, { recursive: true }));
	return made;
}

/** @param {import("mcp-duet/toolset").Toolset} toolset */
const caller = (toolset) => (/** @type {string} */ name, /** @type {Record<string, unknown>} */ args) => {
	const tool = toolset.tools.find((one) => one.name === name);
	assert.ok(tool, `${name} is among ${toolset.tools.map(({ name }) => name).join(", ")}`);
	return tool.handler(args);
};

test("the public servers of npm work in one configuration", { timeout: 120_000 }, async (t) => {
	const place = folder(t);
	const { url, stop } = await everythingServer();
	t.after(stop);
	const memory = join(place, "memory.json");
	const toolset = await connectAll(
		{
			mcpServers: {
				everything: npm("server-everything", "stdio"),
				filesystem: npm("server-filesystem", place),
				memory: { ...npm("server-memory"), env: { MEMORY_FILE_PATH: memory } },
				remote: { type: "http", url },
				thinking: npm("server-sequential-thinking"),
			},
		},
		{ spawn },
	);
	t.after(() => disconnectAll(toolset));
	assert.deepEqual(toolset.errors, []);
	assert.deepEqual(
		toolset.connections.map(({ name, status, transport }) => [name, status, transport]),
		[
			["everything", "connected", "stdio"],
			["filesystem", "connected", "stdio"],
			["memory", "connected", "stdio"],
			["remote", "connected", "http"],
			["thinking", "connected", "stdio"],
		],
	);
	const call = caller(toolset);
	// All at once: what one answers is no other's.
	const [here, there, sum, thought, written] = await Promise.all([
		call("everything_echo", { message: "北京" }),
		call("remote_echo", { message: "东京" }),
		call("remote_get-sum", { a: 20, b: 22 }),
		call("thinking_sequentialthinking", {
			...{ thought: "晴?", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
		}),
		call("filesystem_write_file", { path: join(place, "北京.txt"), content: "晴" }),
		call("memory_create_entities", { entities: [{ name: "北京", entityType: "城市", observations: ["晴"] }] }),
	]);
	assert.match(here.text, /北京/);
	assert.match(there.text, /东京/);
	assert.match(sum.text, /42/);
	assert.equal(JSON.parse(thought.text).thoughtNumber, 1);
	assert.equal(written.isError, false);
	assert.equal(readFileSync(join(place, "北京.txt"), "utf8"), "晴");
	assert.equal(JSON.parse((await call("memory_read_graph", {})).text).entities[0].name, "北京");
	const outside = await call("filesystem_read_text_file", { path: "/etc/hostname" });
	assert.equal(outside.isError, true);
	assert.match(outside.text, /outside allowed directories/i);
	const image = await call("everything_get-tiny-image", {});
	assert.equal(image.images[0].mimeType, "image/png");
	await disconnectAll(toolset);
	assert.deepEqual([...new Set(Object.values(toolset.statuses))], ["disconnected"]);
});

test("public servers of PyPI work beside one of npm", { timeout: 120_000 }, async (t) => {
	const page = await listen(() => new Response("晴", { headers: { "content-type": "text/plain; charset=utf-8" } }));
	t.after(() => page.close());
	const toolset = await connectAll(
		{
			fetch: pypi("mcp_server_fetch", "--allow-private-ips"),
			thinking: npm("server-sequential-thinking"),
			time: pypi("mcp_server_time", "--local-timezone", "Asia/Tokyo"),
		},
		{ spawn },
	);
	t.after(() => disconnectAll(toolset));
	assert.deepEqual(toolset.errors, []);
	const call = caller(toolset);
	const args = { source_timezone: "Asia/Tokyo", time: "16:30", target_timezone: "Asia/Shanghai" };
	const converted = JSON.parse((await call("time_convert_time", args)).text);
	assert.match(converted.target.datetime, /T15:30:00\+08:00$/);
	const wrong = await call("time_get_current_time", { timezone: "Nowhere/Never" });
	assert.equal(wrong.isError, true);
	assert.match(wrong.text, /Nowhere\/Never/);
	const fetched = await call("fetch_fetch", { url: page.url, raw: true });
	assert.match(fetched.text, /晴/);
});

test("a page takes the same configuration, but for what are commands", { timeout: 120_000 }, async (t) => {
	const { url, stop } = await everythingServer();
	t.after(stop);
	const out = join(folder(t), "out");
	const { warnings } = await esbuild.build({
		stdin: {
			resolveDir: join(root, "tests"),
			contents: `import { connectAll, disconnectAll } from "mcp-duet/toolset";
const config = ${JSON.stringify({ mcpServers: { local: { command: "npx", args: ["-y", "x"] }, remote: { url } } })};
async function job() {
	const toolset = await connectAll(config);
	const called = async (name, args) => {
		const { text, isError } = await toolset.tools.find((tool) => tool.name === name).handler(args);
		return { text, isError };
	};
	const echo = await called("remote_echo", { message: "北京" });
	const sum = await called("remote_get-sum", { a: 20, b: 22 });
	const errors = toolset.errors.map(({ server, error }) => [server, error.code, error.message]);
	const { statuses } = toolset;
	await disconnectAll(toolset);
	return { statuses, errors, echo, sum, after: toolset.statuses };
}
globalThis.outcome = job().catch((error) => ({ failed: String(error.stack) }));`,
		},
		bundle: true,
		format: "esm",
		outdir: out,
		entryNames: "bundle",
		logLevel: "silent",
	});
	assert.deepEqual(warnings, []);
	const site = await serve({
		folders: { "/": `${out}/` },
		pages: {
			"/": '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="/stdin.js"></script>',
			"/stdin.js": readFileSync(join(out, "bundle.js"), "utf8"),
		},
	});
	t.after(() => site.stop());
	const chromium = await openChromium();
	t.after(() => chromium.close());
	const opened = await chromium.open(`${site.url}/`);
	assert.deepEqual(await outcome(opened), {
		statuses: { local: "failed", remote: "connected" },
		errors: [
			[
				"local",
				"INVALID_ARGUMENT",
				'local is a command, and commands run only where there are processes: give the spawn of "mcp-duet/node"',
			],
		],
		echo: { text: "Echo: 北京", isError: false },
		sum: { text: "The sum of 20 and 22 is 42.", isError: false },
		after: { local: "failed", remote: "disconnected" },
	});
});
