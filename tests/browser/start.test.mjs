// `npm start`: what it prints, what it serves, and that nothing of it is left behind.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { spawnOwned } from "../../scripts/processes.mjs";
import { root } from "../../scripts/workspace.mjs";

/**
 * Starts the script; `line` resolves with the first match in what it has printed.
 * @param {...string} args
 */
function start(...args) {
	const child = spawnOwned(process.execPath, [join(root, "scripts/start.mjs"), ...args], {
		stdio: ["ignore", "pipe", "pipe"],
	});
	let printed = "";
	/** @type {Set<() => void>} */
	const readers = new Set();
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding("utf8").on("data", (text) => {
			printed += text;
			for (const read of readers) read();
		});
	}
	const ended = once(child, "close").then(([code]) => ({ code, printed }));
	/** @param {RegExp} pattern @returns {Promise<RegExpExecArray>} */
	const line = (pattern) =>
		Promise.race([
			new Promise((resolve) => {
				const read = () => {
					const found = pattern.exec(printed);
					if (found) resolve(found);
				};
				readers.add(read);
				read();
			}),
			ended.then(() => Promise.reject(new Error(`it ended before it printed ${pattern}:\n${printed}`))),
		]);
	return { child, ended, line };
}

test("with --once it tells the main job in both eras and ends", async () => {
	const { code, printed } = await start("--once").ended;
	assert.equal(code, 0, printed);
	assert.match(printed, /connected: modern era, protocol 2026-07-28, duet-demo 1\.0\.0/);
	assert.match(printed, /connected: legacy era, protocol 2025-11-25, duet-demo 1\.0\.0/);
	const told = printed.split("\n");
	/** @param {RegExp} pattern */
	const count = (pattern) => told.filter((one) => pattern.test(one)).length;
	assert.equal(count(/^tools: get_weather, greet_北京, /), 2);
	assert.equal(count(/^get_weather in 北京: Today: /), 2);
	assert.equal(count(/^count_down reported: 1 to go, lift-off$/), 2);
	assert.equal(count(/^divide by zero: isError true, "Cannot divide 1 by zero"$/), 2);
	assert.equal(count(/^the resource 北京 begins: 北京是/), 2);
	assert.equal(count(/→ .*"method":"server\/discover"/), 1);
	assert.equal(count(/→ .*"method":"initialize"/), 1);
});

test("it serves the page, and an interrupt ends it and the worker", async () => {
	const { child, ended, line } = start();
	const [, worker] = await line(/^Demo worker in workerd: (\S+)$/m);
	const [, page] = await line(/^The page: (\S+)$/m);
	const shown = await fetch(page);
	assert.equal(new URL(shown.url).searchParams.get("server"), worker);
	assert.match(await shown.text(), /<title>mcp-duet workbench<\/title>/);
	for (const path of ["main.js", "style.css", "icon.svg", "pkg/client.web.js", "pkg/wasm/client_first.wasm"]) {
		assert.equal((await fetch(new URL(path, page))).status, 200, path);
	}
	assert.equal((await fetch(new URL("../package.json", page))).status, 404, "nothing outside its folders");
	child.kill("SIGINT");
	const { code, printed } = await ended;
	assert.equal(code, 0, printed);
	await assert.rejects(fetch(worker), "the worker has ended too");
});

test("a port that is taken, or none, is said plainly", async () => {
	const taken = createServer().listen(0, "127.0.0.1");
	await once(taken, "listening");
	const { port } = /** @type {import("node:net").AddressInfo} */ (taken.address());
	const busy = await start(`--port=${port}`).ended;
	taken.close();
	assert.equal(busy.code, 1);
	assert.match(busy.printed, new RegExp(`The page cannot be served on port ${port}: .*EADDRINUSE`));

	const wrong = await start("--port=http").ended;
	assert.equal(wrong.code, 1);
	assert.match(wrong.printed, /--port: expected 0 to 65535, got http\nUsage: npm start/);
});
