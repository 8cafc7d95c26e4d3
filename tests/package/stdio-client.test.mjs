// A client of servers that are processes: odd lines, silence, crashes, and the end of it all.

import assert from "node:assert/strict";
import { spawn as start } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Client } from "mcp-duet/client";
import { spawn } from "mcp-duet/node";
import { root } from "../../scripts/workspace.mjs";
import { installed } from "./harness.mjs";

const program = join(root, "tests/package/programs/odd.mjs");

/**
 * A client of the odd server.
 * @param {import("node:test").TestContext} t
 * @param {string} how
 * @param {any} [entry]
 * @param {any} [options]
 * @param {any} [ofClient]
 */
function odd(t, how, entry, options, ofClient) {
	/** @type {Error[]} */
	const errors = [];
	const transport = spawn(
		{ command: [process.execPath, program, how], ...entry },
		{ stderr: "ignore", onError: (error) => errors.push(error), ...options },
	);
	const client = new Client({ transport, ...ofClient });
	t.after(() => client.close());
	return { client, transport, errors };
}

/** @param {Client} client @param {string} name @param {any} [args] */
const said = async (client, name, args) => {
	const [first] = (await client.callTool(name, args)).content;
	return /** @type {any} */ (first).text;
};

/** Whether that process is there. @param {number} pid */
function alive(pid) {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

/** @param {() => boolean} condition */
async function until(condition) {
	while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

for (const [how, what, strays] of /** @type {const} */ ([
	["plain", "lines as they should be", 0],
	["bom", "a byte order mark before each", 0],
	["crlf", "CR LF", 0],
	["bytes", "bytes that come one by one", 0],
	["junk", "banners and junk between them", 3],
])) {
	test(`messages are understood: ${what} (ST-01)`, async (t) => {
		const { client, errors } = odd(t, how);
		const text = "北京\u2028 and \u2029 🎈";
		assert.equal(await said(client, "echo", { text }), text);
		assert.equal(client.era, "legacy");
		const big = "x".repeat(how === "bytes" ? 1000 : 5_000_000);
		assert.equal(await said(client, "echo", { text: big }), big);
		assert.equal(errors.length % 3, 0);
		assert.equal(errors.length > 0, strays > 0);
		if (strays > 0) assert.match(errors[0].message, /no JSON: "Listening on stdio\.\.\."/);
	});
}

test("a line over the limit is named and passed over, and the next one is read (ST-01)", async (t) => {
	const { client, errors } = odd(t, "long", {}, { maxLineBytes: 100_000 });
	assert.equal(await said(client, "echo", { text: "still there" }), "still there");
	assert.match(errors[0].message, /more than 100000 bytes/);
});

test("the splitter gives the lines that the core's gives, however the bytes come (ST-01)", async () => {
	const { Lines } = await import(pathToFileURL(join(root, "pkg-template/lib/node-lines.js")).href);
	const rows = JSON.parse(readFileSync(join(root, "tests/stdio-lines.json"), "utf8"));
	for (const [text, expected] of rows) {
		const bytes = Buffer.from(text);
		for (const size of [1, 2, 3, 1000]) {
			const lines = new Lines(20);
			const seen = [];
			for (let at = 0; at < bytes.length; at += size) seen.push(...lines.push(bytes.subarray(at, at + size)));
			const last = lines.finish();
			if (last !== "") seen.push(last);
			assert.deepEqual(
				seen.map((line) => line ?? null),
				expected,
				`${JSON.stringify(text)} in pieces of ${size}`,
			);
		}
	}
});

test("a last line without its end counts (ST-01)", async (t) => {
	const { client } = odd(t, "plain");
	assert.equal(await said(client, "last"), "without an end");
});

test("requests interleave freely", async (t) => {
	const { client } = odd(t, "plain");
	const texts = Array.from({ length: 50 }, (_, at) => `number ${at}`);
	assert.deepEqual(await Promise.all(texts.map((text) => said(client, "echo", { text }))), texts);
});

test("a server that is silent when it is probed is a legacy one", async (t) => {
	const { client } = odd(t, "silent", {}, {}, { probe: { timeoutMs: 300 } });
	assert.equal(await said(client, "echo", { text: "x" }), "x");
	assert.equal(client.era, "legacy");
});

test("a crash is told with its status, and standard error explains it", async (t) => {
	const { client, transport } = odd(t, "plain");
	await client.connect();
	const other = client.callTool("wait-for-nothing-that-comes");
	await assert.rejects(
		Promise.all([client.callTool("crash"), other]),
		(/** @type {any} */ error) => error.code === "CONNECTION_LOST" && error.message.includes("peer exited (status 3)"),
	);
	assert.equal(transport.exitCode, 3);
	assert.deepEqual(transport.stderr().slice(-3), ["started", "something dreadful", "at line 7"]);
});

test("a signal is told by its name, and an end without a status as that", async (t) => {
	const killed = odd(t, "plain");
	await assert.rejects(killed.client.callTool("kill"), /peer exited \(signal SIGKILL\)/);
	const closed = odd(t, "stubborn", {}, { graceMs: 100 });
	await assert.rejects(closed.client.callTool("close"), /exit status unknown/);
});

test("a crash shows even while something that it has started holds the pipe", async (t) => {
	const { client } = odd(t, "plain");
	await assert.rejects(client.callTool("heir"), /peer exited \(status 4\)/);
});

test("notifications are heard as they come, and so are responses that nobody waits for", async (t) => {
	/** @type {any[]} */
	const seen = [];
	let enough = () => {};
	const heard = (/** @type {number} */ count) =>
		new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
			enough = () => seen.length >= count && resolve();
			enough();
		});
	/** @type {string[]} */
	const reported = [];
	const onNotification = (/** @type {any} */ message) => {
		seen.push(message);
		enough();
		if (seen.length === 1) throw new Error("a mistake of the application");
	};
	const onError = (/** @type {Error} */ error) => reported.push(error.message);
	const { client, errors } = odd(t, "plain", {}, { onNotification }, { onError });
	await client.connect();
	assert.equal(await said(client, "strays"), "once");
	await heard(4);
	const result = (/** @type {string} */ text) => ({ content: [{ type: "text", text }] });
	assert.deepEqual(
		seen.map(({ jsonrpc: _, ...rest }) => rest),
		[
			{ id: "nobody", result: { a: "北京" } },
			{ id: null, error: { code: -32700, message: "Parse error" } },
			{ method: "notifications/odd", params: { b: 1 } },
			{ id: seen[3].id, result: result("twice") },
		],
	);
	assert.deepEqual(
		errors.map(({ message }) => message),
		["a mistake of the application"],
	);
	assert.match(reported[0], /no open request was passed over; its id is "nobody"/);

	const stop = new AbortController();
	const waiting = client.callTool("wait", {}, { signal: stop.signal });
	// What comes after it has been read after it.
	assert.equal(await said(client, "echo", { text: "x" }), "x");
	stop.abort(new Error("enough"));
	await assert.rejects(waiting, /enough/);
	await heard(5);
	assert.deepEqual(seen[4].result, result("late"));
});

test("many servers at once are no cause for warnings, and all of them end", async (t) => {
	/** @type {Error[]} */
	const warnings = [];
	const onWarning = (/** @type {Error} */ warning) => warnings.push(warning);
	process.on("warning", onWarning);
	t.after(() => process.off("warning", onWarning));
	const all = Array.from({ length: 12 }, () => odd(t, "plain"));
	await Promise.all(all.map(({ client }) => client.connect()));
	await Promise.all(all.map(({ client }) => client.close()));
	assert.deepEqual(
		all.map(({ transport }) => transport.exitCode),
		all.map(() => 0),
	);
	assert.deepEqual(warnings, []);
});

test("after a crash the next call starts it anew, and so does a restart", async (t) => {
	const { client, transport } = odd(t, "plain");
	await assert.rejects(client.callTool("crash"));
	assert.equal(await said(client, "echo", { text: "again" }), "again");
	const { pid } = transport;
	await transport.restart();
	assert.equal(await said(client, "echo", { text: "and again" }), "and again");
	assert.notEqual(transport.pid, pid);
});

test("a program that is not there is named", async (t) => {
	const { client } = odd(t, "plain", { command: "no-such-program-anywhere" });
	await assert.rejects(client.connect(), /no-such-program-anywhere could not be started \(ENOENT\)/);
});

test("a folder that is not there is named, not the program", async (t) => {
	const { client } = odd(t, "plain", { cwd: "/no/such/folder" });
	await assert.rejects(client.connect(), /could not be started \(there is no folder \/no\/such\/folder\)/);
});

test("what a server has left behind ends with the process that had started the server", async () => {
	const heir = "process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000);";
	const server = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(heir)}], { stdio: ["ignore", "inherit", "ignore"] });
process.stdin.on("end", () => process.exit()).resume();`;
	const parent = `import { spawn } from ${JSON.stringify(pathToFileURL(join(installed(), "lib/node.js")).href)};
const transport = spawn({ command: [process.execPath, "-e", ${JSON.stringify(server)}] }, { onError: async ({ message }) => {
	console.log(/\\d+/.exec(message.split("message:")[1])[0]);
	await transport.close();
	process.exit();
} });
await transport.start();`;
	const child = start(process.execPath, ["--input-type=module", "-e", parent], { timeout: 30_000 });
	let out = "";
	child.stdout.setEncoding("utf8").on("data", (text) => {
		out += text;
	});
	await new Promise((resolve) => child.once("close", resolve));
	const left = Number(/^\d+$/m.exec(out)?.[0]);
	assert.ok(left > 0, out);
	await until(() => !alive(left));
});

test("close ends its input, and it goes by itself", async (t) => {
	const { client, transport } = odd(t, "plain", {}, { graceMs: 60_000 });
	await client.connect();
	await client.close();
	assert.equal(transport.exitCode, 0);
});

test("one that does not go is ended firmly, with what it has started", async (t) => {
	const { client, transport } = odd(t, "stubborn", {}, { graceMs: 100 });
	const child = Number(await said(client, "child"));
	assert.ok(alive(child));
	const pid = Number(transport.pid);
	await client.close();
	assert.equal(transport.signalCode, "SIGKILL");
	assert.ok(!alive(pid));
	await until(() => !alive(child));
	assert.ok(transport.stderr().includes("not now"), "it was asked first");
});

test("the environment is the parent's, a safe part of it or none, and its own on top", async (t) => {
	process.env.PLANTED_SECRET = "planted";
	t.after(() => {
		delete process.env.PLANTED_SECRET;
	});
	for (const [inheritEnv, planted, path] of /** @type {const} */ ([
		[true, "planted", process.env.PATH],
		["safe", undefined, process.env.PATH],
		[false, undefined, undefined],
	])) {
		const { client } = odd(t, "plain", { env: { OWN: "own" }, cwd: tmpdir() }, { inheritEnv });
		const env = JSON.parse(await said(client, "env"));
		assert.deepEqual([env.OWN, env.PLANTED_SECRET, env.PATH], ["own", planted, path]);
		assert.equal(await said(client, "cwd"), realpathSync(tmpdir()));
		await client.close();
	}
});

test("what cannot be a program is said at once", () => {
	for (const entry of [
		{},
		{ command: "" },
		{ command: [] },
		{ command: "node", args: [1] },
		{ command: "node", args: "-v" },
	]) {
		assert.throws(
			() => spawn(/** @type {any} */ (entry)),
			(/** @type {any} */ error) => error.code === "INVALID_ARGUMENT",
		);
	}
});

for (const versionNegotiation of /** @type {const} */ (["auto", "legacy"])) {
	test(`changes are heard of, and again after a restart (${versionNegotiation})`, async (t) => {
		/** @type {(value?: undefined) => void} */
		let heard = () => {};
		const transport = spawn({ command: [process.execPath, join(root, "tests/package/programs/growing.mjs")] });
		const client = new Client({ transport, versionNegotiation, listChanged: { tools: () => heard() } });
		t.after(() => client.close());
		await client.connect();
		assert.equal(client.era, versionNegotiation === "auto" ? "modern" : "legacy");
		for (const round of [1, 2]) {
			if (round === 2) await transport.restart();
			// The first call begins anew; what is subscribed to may be a moment later.
			await client.listTools();
			const change = new Promise((resolve) => {
				heard = resolve;
			});
			let over = false;
			change.then(() => {
				over = true;
			});
			while (!over) {
				await client.callTool("grow");
				await new Promise((resolve) => setImmediate(resolve));
			}
		}
	});
}
