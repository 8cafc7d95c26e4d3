// An MCP server on its pipes that can be odd in many ways; the first argument says in which.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** The id of the call that waits. @type {any} */
let waiting;
const how = process.argv[2] ?? "plain";
const out = (/** @type {string | Uint8Array} */ text) => process.stdout.write(text);
const message = (/** @type {any} */ value) => JSON.stringify({ jsonrpc: "2.0", ...value });
const text = (/** @type {string} */ one) => ({ content: [{ type: "text", text: one }] });

/** @type {Record<string, (line: string) => void>} */
const writers = {
	bom: (line) => out(`\uFEFF${line}\n`),
	crlf: (line) => out(`${line}\r\n`),
	junk: (line) => out(`Listening on stdio...\n\n   \n42\n${line}\n\u001b[31mdebug\u001b[0m\n`),
	bytes: (line) => {
		for (const byte of Buffer.from(`${line}\n`)) out(Buffer.from([byte]));
	},
	long: (line) => out(`${"x".repeat(300_000)}\n${line}\n`),
};
const write = writers[how] ?? ((line) => out(`${line}\n`));

/** @param {any} request */
function answer({ id, method, params }) {
	if (method === "initialize") {
		const serverInfo = { name: "odd", version: "1" };
		return message({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
	}
	if (method === "tools/list")
		return message({ id, result: { tools: [{ name: "t", inputSchema: { type: "object" } }] } });
	if (method === "tools/call") {
		const { name, arguments: args } = params;
		if (name === "crash") {
			process.stderr.write("something dreadful\nat line 7");
			process.exit(3);
		}
		if (name === "heir") {
			// Holds the pipe open after its parent's end.
			spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: ["ignore", "inherit", "ignore"] });
			setTimeout(() => process.exit(4), 50);
			return undefined;
		}
		if (name === "close") return void process.stdout.end();
		if (name === "kill") return void process.kill(process.pid, "SIGKILL");
		if (name === "last") {
			out(message({ id, result: text("without an end") }));
			process.stdout.end(() => process.exit(0));
			return undefined;
		}
		if (name === "strays") {
			out(`${message({ id: "nobody", result: { a: "北京" } })}\n`);
			out(`${message({ id: null, error: { code: -32700, message: "Parse error" } })}\n`);
			out(`${message({ method: "notifications/odd", params: { b: 1 } })}\n`);
			setImmediate(() => out(`${message({ id, result: text("twice") })}\n`));
			return message({ id, result: text("once") });
		}
		if (name === "wait") {
			waiting = id;
			return undefined;
		}
		if (name === "env") return message({ id, result: text(JSON.stringify(process.env)) });
		if (name === "cwd") return message({ id, result: text(process.cwd()) });
		if (name === "child") {
			const child = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
				stdio: "ignore",
			});
			return message({ id, result: text(String(child.pid)) });
		}
		return message({ id, result: text(args.text ?? "") });
	}
	// A legacy server may say nothing to what it does not know.
	if (how === "silent") return undefined;
	return message({ id, error: { code: -32601, message: "Method not found" } });
}

if (how === "stubborn") {
	process.on("SIGTERM", () => process.stderr.write("not now\n"));
	setInterval(() => {}, 1000);
}
process.stderr.write("started\n");
createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
	const request = JSON.parse(line);
	// What it says all the same is late.
	if (request.method === "notifications/cancelled") write(message({ id: waiting, result: text("late") }));
	if (request.id === undefined) return;
	const reply = answer(request);
	if (reply !== undefined) write(reply);
});
