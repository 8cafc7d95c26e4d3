// A server on a pair of pipes: nothing but messages, at the reader's pace, and a clean end.

import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import { serveStdio } from "mcp-duet/node";
import { Server } from "mcp-duet/server";
import { output, project } from "./harness.mjs";

const meta = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
	"io.modelcontextprotocol/clientCapabilities": {},
};
/** @param {unknown} id @param {string} name @param {any} [args] */
const call = (id, name, args = {}) =>
	JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: meta } });

/** @param {any} [more] */
function make(more) {
	/** @type {any[]} */
	const aborted = [];
	let calls = 0;
	let hangs = 0;
	/** @type {(value?: undefined) => void} */
	let bothHang = () => {};
	const hanging = new Promise((resolve) => {
		bothHang = resolve;
	});
	const tool = (/** @type {string} */ name, /** @type {any} */ handler) => ({
		name,
		inputSchema: /** @type {const} */ ({ type: "object" }),
		handler,
	});
	const server = new Server({
		name: "s",
		version: "1",
		tools: [
			tool("echo", (/** @type {any} */ { text = "" }) => {
				calls++;
				return text;
			}),
			tool("hang", (/** @type {any} */ _args, /** @type {any} */ { signal }) => {
				if (++hangs === 2) bothHang();
				signal.addEventListener("abort", () => aborted.push(signal.reason.message));
				return new Promise(() => {});
			}),
		],
	});
	const [input, out] = [new PassThrough(), new PassThrough()];
	/** @type {any[]} */
	const errors = [];
	const serving = serveStdio(server, { input, output: out, onError: (error) => errors.push(error), ...more });
	return { serving, input, out, errors, aborted, hanging, calls: () => calls };
}

/** All that was written, as messages. @param {PassThrough} out */
const written = (out) =>
	String(out.read() ?? "")
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line));

test("what a host writes is understood, whatever its line ends; ids come back as they were (ST-01)", async () => {
	const { serving, input, out } = make();
	input.write(`\uFEFF${call(1, "echo", { text: "a\u2028b" })}\r\n\n  \r\n`);
	const second = Buffer.from(`${call("二", "echo", { text: "北京" })}\n`);
	for (const byte of second) input.write(Buffer.from([byte]));
	input.end(
		`{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"echo","_meta":${JSON.stringify(meta)}}}`,
	);
	await serving.closed;
	const text = String(out.read());
	assert.match(text, /"id":12345678901234567890[,}]/);
	assert.equal(text.split("\n").length, 4);
	const answers = text.split("\n").map((line) => line && JSON.parse(line));
	const [one, two] = [1, "二"].map((id) => answers.find((answer) => answer.id === id));
	assert.equal(one.result.content[0].text, "a\u2028b");
	assert.deepEqual([two.id, two.result.content[0].text], ["二", "北京"]);
});

test("what is no message is answered as such, and a line that is too long is dropped", async () => {
	const { serving, input, out, errors } = make({ maxLineBytes: 1000 });
	input.write("nonsense\n");
	input.write(`${"x".repeat(5000)}\n`);
	input.end(`${call(1, "echo", { text: "there" })}\n`);
	await serving.closed;
	const answers = written(out);
	assert.deepEqual(answers.map((one) => one.error?.code ?? one.result.content[0].text).sort(), [-32700, "there"]);
	assert.match(errors[0].message, /more than 1000 bytes/);
});

test("nothing more is read while nobody reads the answers", async () => {
	/** @type {(() => void)[]} */
	const held = [];
	let got = 0;
	const slow = new Writable({
		highWaterMark: 1000,
		write(chunk, _encoding, done) {
			got += String(chunk).split("\n").length - 1;
			held.push(done);
		},
	});
	const { serving, input, calls } = make({ output: slow });
	const text = "x".repeat(2000);
	const turn = () => new Promise((resolve) => setImmediate(resolve));
	for (let at = 0; at < 50; at++) {
		input.write(`${call(at, "echo", { text })}\n`);
		// The first one loads the WebAssembly.
		while (at === 0 && calls() === 0) await turn();
		for (let turns = 0; turns < 5; turns++) await turn();
	}
	input.end();
	assert.ok(calls() < 50, `${calls()} calls were taken while nobody read`);
	let over = false;
	serving.closed.then(() => {
		over = true;
	});
	while (!over) {
		held.shift()?.();
		await turn();
	}
	assert.deepEqual([calls(), got], [50, 50]);
});

test("a cancelled call is aborted, and so is what still runs after the end of the input", async () => {
	const { serving, input, aborted, hanging } = make();
	input.write(`${call(1, "hang")}\n${call(2, "hang")}\n`);
	await hanging;
	const params = { requestId: 1, reason: "no longer" };
	input.end(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params })}\n`);
	await serving.closed;
	assert.deepEqual(aborted, ["no longer", "the client has gone"]);
});

test("a reader that goes away ends it", async () => {
	const { serving, input, out } = make();
	out.destroy(Object.assign(new Error("broken"), { code: "EPIPE" }));
	await serving.closed;
	assert.ok(input.destroyed);
});

test("standard output has messages alone, and the process ends by itself", async () => {
	const cwd = project({
		"main.js": `import { serveStdio } from "mcp-duet/node";
import { Server } from "mcp-duet/server";
const server = new Server({ name: "s", version: "1", tools: [
	{ name: "loud", inputSchema: { type: "object" }, handler: () => { console.log("stray"); process.stdout.write("stray too\\n"); return "x"; } },
] });
console.log("before");
serveStdio(server);
process.stdin.push(${JSON.stringify(`${call(1, "loud")}\n`)});
process.stdin.push(null);
`,
	});
	const said = await output("node", ["main.js"], { cwd, stderr: /^stray\nstray too$/ });
	const lines = said.split("\n");
	assert.equal(lines[0], "before");
	assert.equal(lines.length, 2);
	assert.equal(JSON.parse(lines[1]).result.content[0].text, "x");
});

test("the pipe is its legacy client's session", { timeout: 20_000 }, async () => {
	/** @type {any[]} */
	const seen = [];
	const server = new Server({
		name: "s",
		version: "1",
		capabilities: { logging: {} },
		tools: [
			{
				name: "who",
				inputSchema: { type: "object" },
				handler: (_args, ctx) => {
					seen.push([ctx.protocolVersion, ctx.clientInfo?.name]);
					ctx.log("info", "quiet");
					ctx.log("error", "loud");
					return "";
				},
			},
		],
	});
	const [input, out] = [new PassThrough(), new PassThrough()];
	const serving = serveStdio(server, { input, output: out });
	let text = "";
	const answered = new Promise((resolve) => {
		out.on("data", (bytes) => {
			text += bytes;
			if (text.includes('"id":3')) resolve(undefined);
		});
	});
	const clientInfo = { name: "旧", version: "1" };
	for (const message of [
		{ id: 1, method: "initialize", params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo } },
		{ method: "notifications/initialized" },
		{ id: 2, method: "logging/setLevel", params: { level: "warning" } },
		{ id: 3, method: "tools/call", params: { name: "who" } },
	]) {
		input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}
	await answered;
	input.end();
	await serving.closed;
	assert.deepEqual(seen, [["2025-03-26", "旧"]]);
	assert.ok(text.includes("loud") && !text.includes("quiet"), text);
});
