// The command: what people and programs get to see, and how it ends.

import assert from "node:assert/strict";
import { spawn as start } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "mcp-duet/client";
import { serve, spawn } from "mcp-duet/node";
import { Server } from "mcp-duet/server";
import { installed } from "./harness.mjs";

const command = join(installed(), "lib/node-command.js");

const definition = () => ({
	name: "demo",
	version: "1.2.3",
	instructions: "Ask nicely.",
	tools: [
		{
			name: "echo",
			description: "Says it\nagain",
			inputSchema: { type: "object", properties: { text: { type: "string" }, times: { type: "integer" } } },
			handler: (/** @type {any} */ { text = "", times = 1 }, /** @type {any} */ ctx) => {
				ctx.sendProgress(1, 1);
				return text.repeat(times);
			},
		},
		{
			name: "fail",
			inputSchema: { type: "object" },
			handler: () => {
				throw new Error("broken");
			},
		},
		{ name: "data", inputSchema: { type: "object" }, handler: () => ({ structuredContent: { a: 1 } }) },
	],
	resources: [{ uri: "note://one", name: "one", mimeType: "text/plain", read: () => "hello" }],
	resourceTemplates: [
		{
			uriTemplate: "note://{name}",
			name: "note",
			read: (/** @type {string} */ _uri, /** @type {any} */ { name }) => `note ${name}`,
		},
	],
	prompts: [{ name: "greet", arguments: [{ name: "who" }], get: (/** @type {any} */ { who }) => `Greet ${who}` }],
});

/**
 * @param {string[]} args
 * @param {string} [input]
 */
async function run(args, input = "") {
	const child = start(process.execPath, [command, ...args], { timeout: 30_000, killSignal: "SIGKILL" });
	let [out, err] = ["", ""];
	child.stdout.setEncoding("utf8").on("data", (text) => {
		out += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text) => {
		err += text;
	});
	child.stdin.end(input);
	const status = await new Promise((resolve) => child.once("close", resolve));
	return { status, out, err };
}

/** A program that serves the same on its pipes. */
const program = [
	process.execPath,
	"--input-type=module",
	"-e",
	`import { Server } from ${JSON.stringify(`file://${join(installed(), "server.node.js")}`)};
import { serveStdio } from ${JSON.stringify(`file://${join(installed(), "lib/node.js")}`)};
process.stderr.write("secret of the program\\n");
serveStdio(new Server({ name: "piped", version: "1", tools: [
	{ name: "echo", inputSchema: { type: "object" }, handler: ({ text }) => text },
	{ name: "env", inputSchema: { type: "object" }, handler: () => String(process.env.OWN) },
] }));`,
];

test("a server is inspected, listed and called by its URL", async (t) => {
	const { url, close } = await serve(new Server(/** @type {any} */ (definition())));
	t.after(close);
	const inspected = await run(["inspect", url]);
	assert.deepEqual([inspected.status, inspected.err], [0, ""]);
	assert.match(inspected.out, /^demo 1\.2\.3\n {2}speaks +2026-07-28 \(modern\)\n/);
	assert.match(inspected.out, /3 tools, 1 resources, 1 resourceTemplates, 1 prompts\n\nAsk nicely\.\n$/);
	const listed = await run(["list", url]);
	assert.match(listed.out, /^Tools \(3\)\n {2}echo {2}Says it again\n {2}fail\n {2}data\nResources \(1\)\n/);
	assert.equal((await run(["call", url, "echo", "text=12", "times=3"])).out, "121212\n");
	assert.equal((await run(["call", "echo", "--args", '{"text":"x"}', url])).out, "x\n");
	assert.deepEqual(JSON.parse((await run(["call", "data", url])).out), { a: 1 });
	const failed = await run(["call", url, "fail"]);
	assert.deepEqual([failed.status, failed.out], [1, "broken\n"]);
	const { tools } = JSON.parse((await run(["list", url, "--json"])).out);
	assert.equal(tools[0].description, "Says it\nagain");
	const { era, serverInfo } = JSON.parse((await run(["inspect", "--legacy", "--json", url])).out);
	assert.deepEqual([era, serverInfo.name], ["legacy", "demo"]);
	const called = JSON.parse((await run(["call", "--json", "echo", "text=y", url])).out);
	assert.deepEqual(called.content, [{ type: "text", text: "y" }]);
});

test("a server is called by its command, and its errors are shown or not", async () => {
	const loud = await run(["call", "echo", "text=北京", "--", ...program]);
	assert.deepEqual([loud.status, loud.out, loud.err], [0, "北京\n", "secret of the program\n"]);
	const quiet = await run(["call", "env", "--quiet", "--env", "OWN=mine", "--", ...program]);
	assert.deepEqual([quiet.status, quiet.out, quiet.err], [0, "mine\n", ""]);
	const crashing = await run(["list", "--", process.execPath, "-e", "process.exit(7)"]);
	assert.equal(crashing.status, 1);
	assert.match(crashing.err, /^mcp-duet: .*peer exited \(status 7\)/);
});

test("a wrong command line is told, and nothing else is said", async () => {
	for (const [args, why] of /** @type {[string[], RegExp][]} */ ([
		[["dance"], /no command dance/],
		[["list"], /which server/],
		[["list", "--nonsense", "http://127.0.0.1:1/"], /nonsense/],
		[["call", "http://127.0.0.1:1/", "--args", "[]"], /which tool/],
		[["list", "--timeout", "soon", "http://127.0.0.1:1/"], /--timeout must be a number/],
		[["list", "--header", "nonsense", "http://127.0.0.1:1/"], /--header must be/],
	])) {
		const { status, out, err } = await run(args);
		assert.deepEqual([status, out], [2, ""], args.join(" "));
		assert.match(err, why);
	}
	assert.equal((await run([])).status, 2);
	assert.match((await run(["--help"])).out, /^Usage: mcp-duet/);
	assert.match((await run(["--version"])).out, /^\d+\.\d+\.\d+\n$/);
});

test("with --json programs get one value of a known shape, whatever happens", async (t) => {
	const { url, close } = await serve(new Server(/** @type {any} */ (definition())));
	t.after(close);
	const refusing = await serve(() => new Response("who are you? secret", { status: 403 }));
	t.after(refusing.close);
	const legacy = await serve(async (request) => {
		const { id, method } = await request.json();
		if (id === undefined) return new Response(null, { status: 202 });
		const serverInfo = { name: "old", version: "1" };
		const results = /** @type {Record<string, any>} */ ({
			initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
			"tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
		});
		const error = { code: -32050, message: "the tool is out", data: { until: "明天" } };
		const answer = method in results ? { result: results[method] } : { error };
		return Response.json({ jsonrpc: "2.0", id, ...answer });
	});
	t.after(legacy.close);
	const gone = await serve(() => new Response());
	await gone.close();
	const lists = ["tools", "resources", "resourceTemplates", "prompts"];
	const about = ["era", "protocolVersion", "serverInfo", "serverCapabilities"];
	const error = (/** @type {any} */ members) => (/** @type {any} */ value) => {
		assert.deepEqual(Object.keys(value), ["error"]);
		const { message, ...rest } = value.error;
		assert.deepEqual([typeof message, rest], ["string", members]);
	};
	const keys = (/** @type {string[]} */ names) => (/** @type {any} */ value) => {
		assert.deepEqual(Object.keys(value).sort(), names.toSorted());
		for (const name of lists) assert.ok(Array.isArray(value[name]), name);
	};
	/** @type {[string[], number, (value: any) => void][]} */
	const table = [
		[["list", url], 0, keys(lists)],
		[["list", legacy.url], 0, keys(lists)],
		[["inspect", url], 0, keys([...lists, ...about, "instructions"])],
		[["inspect", legacy.url], 0, keys([...lists, ...about])],
		[["call", url, "echo", "text=x"], 0, ({ content }) => assert.deepEqual(content, [{ type: "text", text: "x" }])],
		[["call", url, "data"], 0, ({ structuredContent }) => assert.deepEqual(structuredContent, { a: 1 })],
		[
			["call", url, "fail"],
			1,
			({ content, isError }) => assert.deepEqual([content, isError], [[{ type: "text", text: "broken" }], true]),
		],
		[["call", url, "nothing"], 1, error({ code: "INVALID_ARGUMENT" })],
		[["call", legacy.url, "t"], 1, error({ code: "PROTOCOL", rpcCode: -32050, data: { until: "明天" } })],
		[["list", refusing.url], 1, error({ code: "HTTP", httpStatus: 403 })],
		[["list", gone.url], 1, error({ code: "NETWORK" })],
		[["list", "--", process.execPath, "-e", "process.exit(7)"], 1, error({ code: "CONNECTION_LOST" })],
		[["list"], 2, error({ code: "USAGE" })],
		[["dance", url], 2, error({ code: "USAGE" })],
		[["list", "--nonsense", url], 2, error({ code: "USAGE" })],
		[["call", url, "--args", "[", "echo"], 2, error({ code: "USAGE" })],
	];
	for (const [args, status, check] of table) {
		const [name, ...rest] = args;
		const ended = await run([name, "--json", ...rest]);
		assert.equal(ended.status, status, `${args.join(" ")}: ${ended.out}${ended.err}`);
		const value = JSON.parse(ended.out);
		check(value);
		// People who look on are told the same.
		if (value.error) assert.ok(ended.err.includes(`mcp-duet: ${value.error.message}`), ended.err);
		else assert.equal(ended.err, "");
		assert.ok(!ended.out.includes("secret"));
	}
	// Behind "--" it belongs to the command.
	const { status, out } = await run(["list", "--", process.execPath, "-e", "process.exit(7)", "--json"]);
	assert.deepEqual([status, out], [1, ""]);
});

test("headers are sent and never shown", async (t) => {
	const secret = "secret-token";
	const { url, close } = await serve((request) => {
		const status = request.headers.get("authorization") === `Bearer ${secret}` ? 418 : 401;
		return new Response("no", { status });
	});
	t.after(close);
	for (const args of [["list"], ["inspect", "--json"], ["call", "x"]]) {
		const { status, out, err } = await run([...args, url, "--header", `Authorization: Bearer ${secret}`]);
		assert.equal(status, 1);
		assert.match(err, /418/);
		assert.ok(!`${out}${err}`.includes(secret));
	}
});

test("a bridge on pipes stands in front of a server behind HTTP, in both eras", async (t) => {
	const { url, close } = await serve(new Server(/** @type {any} */ (definition())));
	t.after(close);
	for (const versionNegotiation of /** @type {const} */ (["auto", "legacy"])) {
		const transport = spawn({ command: [process.execPath, command, "bridge", url] });
		const client = new Client({ transport, versionNegotiation });
		t.after(() => client.close());
		await client.connect();
		assert.deepEqual([client.serverInfo?.name, client.instructions], ["demo", "Ask nicely."]);
		/** @type {number[]} */
		const seen = [];
		const onProgress = (/** @type {any} */ { progress }) => seen.push(progress);
		const echoed = await client.callTool("echo", { text: "北京" }, { onProgress });
		assert.deepEqual([/** @type {any} */ (echoed.content[0]).text, seen], ["北京", [1]]);
		assert.equal((await client.callTool("fail")).isError, true);
		assert.deepEqual((await client.callTool("data")).structuredContent, { a: 1 });
		assert.equal(/** @type {any} */ ((await client.readResource("note://one")).contents[0]).text, "hello");
		assert.equal(/** @type {any} */ ((await client.readResource("note://x")).contents[0]).text, "note x");
		const prompt = await client.getPrompt("greet", { who: "Ada" });
		assert.equal(/** @type {any} */ (prompt.messages[0].content).text, "Greet Ada");
		await client.close();
		assert.equal(transport.exitCode, 0);
	}
});

test("a bridge behind HTTP stands in front of a server on pipes", async (t) => {
	const child = start(process.execPath, [command, "bridge", "--port", "0", "--quiet", "--", ...program]);
	t.after(() => child.kill("SIGKILL"));
	const url = await new Promise((resolve, reject) => {
		let said = "";
		child.once("exit", () => reject(new Error(said)));
		child.stderr.setEncoding("utf8").on("data", (text) => {
			said += text;
			const found = /listening at (\S+)\n/.exec(said);
			if (found) resolve(found[1]);
		});
	});
	const client = new Client({ url });
	const { content } = await client.callTool("echo", { text: "through" });
	assert.equal(/** @type {any} */ (content[0]).text, "through");
	await client.close();
	const ended = new Promise((resolve) => child.once("exit", resolve));
	child.kill("SIGTERM");
	assert.equal(await ended, 0);
});

test("a bridge does not start in front of a server whose list fails", async (t) => {
	const server = new Server(/** @type {any} */ (definition()));
	const { url, close } = await serve(async (/** @type {Request} */ request) => {
		const { id, method } = JSON.parse((await request.clone().text()) || "{}");
		if (method !== "tools/list") return server.fetch(request);
		return Response.json({ jsonrpc: "2.0", id, error: { code: -32603, message: "the disk is on fire" } });
	});
	t.after(close);
	const { status, err } = await run(["bridge", `${url}/mcp`]);
	assert.equal(status, 1);
	assert.match(err, /the disk is on fire/);
});

test("an option for the other kind of server is refused, and values keep their spaces", async (t) => {
	const { url, close } = await serve(new Server(/** @type {any} */ (definition())));
	t.after(close);
	for (const words of [
		["list", "--header", "a: b", "--", ...program],
		["list", "--proxy", "env", "--", ...program],
		["list", "--env", "A=b", `${url}/mcp`],
		["list", "--cwd", "/", `${url}/mcp`],
		["list", "--safe-env", `${url}/mcp`],
		["list", "--timeout", "", `${url}/mcp`],
		["list", "--timeout", "soon", `${url}/mcp`],
	]) {
		const { status, err } = await run(words);
		assert.equal(status, 2, err);
		assert.ok(err.includes(words[1]), err);
	}
	assert.equal((await run(["call", "env", "--env", "OWN= a ", "--quiet", "--", ...program])).out, " a \n");
	assert.equal((await run(["call", "echo", "text= b ", `${url}/mcp`])).out, " b \n");
});
