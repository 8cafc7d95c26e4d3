#!/usr/bin/env node
// The command: looks at servers, calls their tools, and puts one in front of another.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Client, McpError, Server } from "mcp-duet";
import { everything, mirror } from "./node-bridge.js";
import { proxyFetch } from "./node-proxy.js";
import { serve } from "./node-serve.js";
import { serveStdio } from "./node-serve-stdio.js";
import { spawn } from "./node-spawn.js";

const HELP = `Usage: mcp-duet <command> [options] <server>

  inspect <server>                       who it is, which era it speaks, what it can do
  list    <server>                       its tools, resources, templates and prompts
  call    <tool> [name=value …] <server> calls a tool
  bridge  <server>                       a server on standard input and output in front of it,
                                         or with --port one behind HTTP

A server is a URL, or everything behind "--": a command and its arguments.

  --args <json>         the arguments of the tool as one JSON object
  --header <name: value>  sent with each request; may be repeated
  --env <name=value>    for a command; may be repeated
  --cwd <folder>        for a command
  --safe-env            a command gets PATH, HOME and their like, nothing else of the environment
  --legacy              speaks the legacy era only
  --pin <version>       speaks this modern version only
  --proxy <url | env>   goes through a proxy; needs the package undici
  --timeout <ms>        how long an answer may take (30000)
  --port <number>       of a bridge behind HTTP
  --host <address>      of a bridge behind HTTP (127.0.0.1)
  --json                one JSON value on standard output, also where something failed
  --quiet               does not show a command's standard error
  --help, --version

The status is 0, 1 where something failed or a tool says so, and 2 for a wrong command line.

With --json, list gives { tools, resources, resourceTemplates, prompts }; inspect the same with { era,
protocolVersion, serverInfo, serverCapabilities, instructions }; call the tool's result, with isError where the
tool has failed. Everything else that fails gives { error: { code, message } }, with rpcCode and data of a
JSON-RPC error, and httpStatus of an HTTP one; a wrong command line has the code "USAGE".
`;

/** A wrong command line. */
class Misuse extends Error {}

/** @param {string[]} words */
function read(words) {
	const at = words.indexOf("--");
	const command = at < 0 ? [] : words.slice(at + 1);
	/** @type {any} */
	let parsed;
	try {
		parsed = parseArgs({
			args: at < 0 ? words : words.slice(0, at),
			allowPositionals: true,
			options: {
				...Object.fromEntries(
					["args", "cwd", "pin", "proxy", "timeout", "port", "host"].map((name) => [
						name,
						{ type: /** @type {const} */ ("string") },
					]),
				),
				header: { type: "string", multiple: true },
				env: { type: "string", multiple: true },
				...Object.fromEntries(
					["json", "quiet", "legacy", "safe-env", "help", "version"].map((name) => [
						name,
						{ type: /** @type {const} */ ("boolean") },
					]),
				),
			},
		});
	} catch (error) {
		throw new Misuse(/** @type {Error} */ (error).message);
	}
	return { options: parsed.values, words: /** @type {string[]} */ (parsed.positionals), command };
}

/** @param {string} text @param {string} joint @param {string} name */
function pair(text, joint, name) {
	const at = text.indexOf(joint);
	if (at <= 0) throw new Misuse(`--${name} must be a name, "${joint}" and a value`);
	const value = text.slice(at + joint.length);
	// Spaces belong to the value of a variable or an argument.
	return [text.slice(0, at).trim(), joint === ":" ? value.trim() : value];
}

/** @param {string} text @param {string} name */
function number(text, name) {
	const value = text.trim() === "" ? Number.NaN : Number(text);
	if (!Number.isInteger(value) || value < 0) throw new Misuse(`--${name} must be a number, not "${text}"`);
	return value;
}

/**
 * The client, and the words that do not name its server.
 * @param {ReturnType<typeof read>} line
 * @param {string[]} words
 */
function connecting({ options, command }, words) {
	const settings = {
		versionNegotiation: options.legacy ? "legacy" : options.pin ? { pin: options.pin } : "auto",
		timeoutMs: options.timeout === undefined ? undefined : number(options.timeout, "timeout"),
	};
	const [others, kind] =
		command.length > 0 ? [["header", "proxy"], "a URL"] : [["env", "cwd", "safe-env"], "a command"];
	const foreign = others.find((name) => options[name] !== undefined);
	if (foreign !== undefined) throw new Misuse(`--${foreign} is for a server that is ${kind}`);
	if (command.length > 0) {
		const env = Object.fromEntries((options.env ?? []).map((/** @type {string} */ text) => pair(text, "=", "env")));
		const transport = spawn(
			{ command: /** @type {any} */ (command), env, cwd: options.cwd },
			{ stderr: options.quiet ? "ignore" : "inherit", inheritEnv: options["safe-env"] ? "safe" : true },
		);
		return { client: new Client(/** @type {any} */ ({ ...settings, transport })), rest: words, transport };
	}
	const url = words.find((word) => /^https?:\/\//.test(word));
	if (url === undefined) throw new Misuse("which server? Give a URL, or a command behind --");
	const headers = (options.header ?? []).map((/** @type {string} */ text) => pair(text, ":", "header"));
	const fetch = options.proxy === undefined ? undefined : proxyFetch(options.proxy);
	const client = new Client(/** @type {any} */ ({ ...settings, url, headers, fetch }));
	return { client, rest: words.filter((word) => word !== url), transport: undefined };
}

/** @param {unknown} value */
const json = (value) => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

/** @param {string} text */
const print = (text) => void process.stdout.write(`${text}\n`);

/** Text of a server for a terminal: nothing in it moves the cursor. @param {unknown} text */
const plain = (text) =>
	[...String(text ?? "")]
		.map((one) => (one < " " && one !== "\n" && one !== "\t" ? " " : one === "\x7f" ? " " : one))
		.join("");

/**
 * Columns as wide as their widest, the last one as far as the terminal goes.
 * @param {string} title
 * @param {unknown[][]} rows
 */
function table(title, rows) {
	if (rows.length === 0) return;
	print(`${title} (${rows.length})`);
	const cells = rows.map((row) => row.map((cell) => plain(cell).replaceAll(/\s+/g, " ").trim()));
	const widths = cells[0].map((_, at) => Math.max(...cells.map((row) => row[at].length)));
	const room = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
	for (const row of cells) {
		const text = `  ${row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at]))).join("  ")}`;
		print((text.length > room ? `${text.slice(0, room - 1)}…` : text).trimEnd());
	}
}

/** @param {any} client @param {any} options */
async function list(client, options) {
	const all = await everything(client);
	if (options.json) return json(all);
	table(
		"Tools",
		all.tools.map(({ name, description }) => [name, description]),
	);
	table(
		"Resources",
		all.resources.map(({ uri, name, mimeType }) => [uri, mimeType, name]),
	);
	table(
		"Templates",
		all.resourceTemplates.map(({ uriTemplate, name }) => [uriTemplate, name]),
	);
	table(
		"Prompts",
		all.prompts.map(({ name, description }) => [name, description]),
	);
}

/** @param {any} client @param {any} options */
async function inspect(client, options) {
	const all = await everything(client);
	const { era, protocolVersion, serverInfo, serverCapabilities, instructions } = client;
	if (options.json) return json({ era, protocolVersion, serverInfo, serverCapabilities, instructions, ...all });
	print(`${plain(serverInfo?.title ?? serverInfo?.name)} ${plain(serverInfo?.version)}`);
	print(`  speaks        ${protocolVersion} (${era})`);
	print(`  capabilities  ${Object.keys(serverCapabilities ?? {}).join(", ") || "none"}`);
	const counts = Object.entries(all).map(([name, items]) => `${items.length} ${name}`);
	print(`  offers        ${counts.join(", ")}`);
	if (instructions) print(`\n${plain(instructions)}`);
}

/**
 * The arguments of a tool: texts where its schema wants texts, JSON where it can be read as that.
 * @param {string[]} words
 * @param {any} given
 * @param {any} schema
 */
function argumentsOf(words, given, schema) {
	/** @type {Record<string, unknown>} */
	let args = {};
	if (given !== undefined) {
		try {
			args = JSON.parse(given);
		} catch {
			throw new Misuse("--args must be a JSON object");
		}
		if (Object(args) !== args || Array.isArray(args)) throw new Misuse("--args must be a JSON object");
	}
	for (const word of words) {
		const [name, value] = pair(word, "=", "an argument");
		const { type } = schema?.properties?.[name] ?? {};
		args[name] = value;
		if (type === "string") continue;
		try {
			args[name] = JSON.parse(value);
		} catch {
			// Then it is a text.
		}
	}
	return args;
}

/** @param {any} piece */
function shown(piece) {
	const { type, text, mimeType, data, resource, uri, name } = piece;
	if (type === "text") return plain(text);
	if (type === "resource") return plain(resource.text ?? `[resource ${resource.uri}]`);
	if (type === "resource_link") return plain(`[${name ?? "resource"}: ${uri}]`);
	return `[${type} ${mimeType ?? ""}, ${Math.floor(((data?.length ?? 0) * 3) / 4)} bytes]`;
}

/** @param {any} client @param {any} options @param {string[]} words */
async function call(client, options, [tool, ...words]) {
	if (tool === undefined) throw new Misuse("which tool?");
	const found = (await client.listTools()).tools.find((/** @type {any} */ { name }) => name === tool);
	if (found === undefined) throw new McpError("INVALID_ARGUMENT", `the server has no tool ${tool}`);
	const args = argumentsOf(words, options.args, found.inputSchema);
	const showsProgress = process.stderr.isTTY && !options.quiet;
	const onProgress = (/** @type {any} */ { progress, total, message }) => {
		const part = total ? `${Math.round((progress / total) * 100)} %` : String(progress);
		process.stderr.write(`\r\x1b[K${part} ${plain(message)}`.slice(0, process.stderr.columns ?? 80));
	};
	const result = await client.callTool(tool, args, showsProgress ? { onProgress } : {});
	if (showsProgress) process.stderr.write("\r\x1b[K");
	if (options.json) json(result);
	else if (result.content.length > 0) for (const piece of result.content) print(shown(piece));
	else if (result.structuredContent !== undefined) json(result.structuredContent);
	if (result.isError) process.exitCode = 1;
}

/** @param {any} client @param {any} options */
async function bridge(client, options) {
	const server = new Server(await mirror(client));
	await server.ready;
	if (options.port === undefined) return serveStdio(server).closed;
	const { url, close } = await serve(server, { port: number(options.port, "port"), host: options.host });
	process.stderr.write(`listening at ${url}/mcp\n`);
	await new Promise((resolve) => {
		for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, resolve);
	});
	await close();
}

/** @type {Record<string, (client: any, options: any, words: string[]) => Promise<void>>} */
const commands = { list, inspect, call, bridge };

async function main() {
	const line = read(process.argv.slice(2));
	const [name, ...words] = line.words;
	if (line.options.version) {
		return print(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version);
	}
	if (line.options.help || name === undefined) {
		if (!line.options.help) process.exitCode = 2;
		return void process.stdout.write(HELP);
	}
	const run = Object.hasOwn(commands, name) ? commands[name] : undefined;
	if (run === undefined) throw new Misuse(`there is no command ${name}`);
	const { client, rest } = connecting(line, words);
	try {
		await run(client, line.options, rest);
	} finally {
		await client.close();
	}
}

/** What a program gets to know of a failure: not the body of an answer, which may be anything. @param {any} error */
function failure(error) {
	const { message, rpcCode, data, status: httpStatus } = error;
	const code = error instanceof Misuse ? "USAGE" : error instanceof McpError ? error.code : "INTERNAL";
	return { error: { code, message, rpcCode, data, httpStatus } };
}

/** Whether a program reads this, even if the rest of the line cannot be understood. */
function forProgram() {
	const words = process.argv.slice(2);
	const at = words.indexOf("--");
	return (at < 0 ? words : words.slice(0, at)).includes("--json");
}

main().catch((error) => {
	if (forProgram()) json(failure(error));
	process.stderr.write(`mcp-duet: ${error.message}\n`);
	if (error instanceof Misuse) process.stderr.write("mcp-duet --help says how it is used\n");
	process.exitCode = error instanceof Misuse ? 2 : 1;
});
