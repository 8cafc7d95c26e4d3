// The types of the packed package: programs that use them compile, and they tell the truth about what is exported.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "types");
const tsc = join(here, "../../node_modules/typescript/bin/tsc");

/**
 * Compiles programs against the installed package, outside of this repository's own configuration.
 * @param {string[]} files
 * @param {Record<string, string>} options
 */
function compile(files, options) {
	const all = { noEmit: "true", strict: "true", target: "es2022", types: "", ...options };
	const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
	const { status, stdout, error } = spawnSync(
		process.execPath,
		[tsc, "--ignoreConfig", "--pretty", "false", ...args, ...files],
		{ encoding: "utf8", timeout: 120_000 },
	);
	assert.ifError(error);
	assert.equal(status, 0, stdout);
}

const programs = readdirSync(folder)
	.filter((name) => !["sdk.ts", "schemas.ts", "apps-page.ts"].includes(name))
	.map((name) => join(folder, name));

for (const resolution of ["nodenext", "bundler"]) {
	for (const lib of ["dom", "webworker"]) {
		test(`programs compile with ${resolution} resolution and the ${lib} library, every declaration checked`, () => {
			compile(lib === "dom" ? [...programs, join(folder, "apps-page.ts")] : programs, {
				module: resolution === "bundler" ? "esnext" : "nodenext",
				moduleResolution: resolution,
				lib: `es2022,${lib}`,
				skipLibCheck: "false",
				exactOptionalPropertyTypes: "true",
				noUncheckedIndexedAccess: "true",
			});
		});
	}
}

test("messages of ours and of the TypeScript SDK can take each other's place", () => {
	compile([join(folder, "sdk.ts")], {
		module: "nodenext",
		moduleResolution: "nodenext",
		lib: "es2022,dom",
		// What their declarations need beside their own.
		types: "node",
		skipLibCheck: "false",
	});
});

test("handlers' arguments follow the schemas of zod, valibot and arktype", () => {
	compile([join(folder, "schemas.ts")], {
		module: "nodenext",
		moduleResolution: "nodenext",
		lib: "es2022,dom",
		skipLibCheck: "true",
	});
});

/**
 * Compiles a program made of these lines.
 * @param {string} text
 * @param {Record<string, string>} [options]
 */
function compileText(text, options) {
	const temporary = mkdtempSync(join(here, "made-up-"));
	try {
		const program = join(temporary, "program.mts");
		writeFileSync(program, text);
		// What is for Node.js has its types.
		const types = text.includes("mcp-duet/node") ? "node" : "";
		compile([program], { module: "nodenext", moduleResolution: "nodenext", lib: "es2022,dom", types, ...options });
	} finally {
		rmSync(temporary, { recursive: true });
	}
}

/** @param {string[]} names */
const members = (names) => `{ ${names.map((name) => `${JSON.stringify(name)}: true`).join(", ")} }`;

const readme = readFileSync(join(here, "../../README.md"), "utf8");
const examples = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, example]) => example);

test("README has its examples", () => assert.ok(examples.length >= 4));

/** What an example leaves to the text around it. @type {Record<string, string>} */
const OPEN = {
	message: "declare const message: object;",
	server: 'declare const server: import("mcp-duet").Server;',
	Client: 'import { Client } from "mcp-duet";',
	draw: "declare function draw(weather: unknown): void;",
	button: "declare const button: HTMLButtonElement;",
	url: "declare const url: string;",
	tool: 'declare const tool: import("mcp-duet").Tool;',
	args: "declare const args: { [name: string]: unknown };",
	container: "declare const container: HTMLElement;",
	say: "declare function say(content: unknown): void;",
	html: "declare const html: string;",
	inputSchema: 'declare const inputSchema: { type: "object" };',
	handler: "declare function handler(): string;",
	refresh: "declare function refresh(): string;",
};

for (const [index, example] of examples.entries()) {
	test(`example ${index + 1} of README compiles as it stands there`, () => {
		const own = (/** @type {string} */ name) => new RegExp(`(const|import) (\\{[^}]*)?\\b${name}\\b`).test(example);
		const rest = Object.keys(OPEN).filter((name) => !own(name));
		const text = [...rest.map((name) => OPEN[name]), example].join("\n");
		compileText(text, { noImplicitAny: "false" });
	});
}

for (const entry of [
	"mcp-duet",
	"mcp-duet/apps/react",
	"mcp-duet/apps/server",
	"mcp-duet/apps/view",
	"mcp-duet/apps/view-text",
	"mcp-duet/auth",
	"mcp-duet/client",
	"mcp-duet/server",
	"mcp-duet/protocol",
	"mcp-duet/transport",
	"mcp-duet/node",
	"mcp-duet/bus",
	"mcp-duet/inline",
	"mcp-duet/toolset",
	"mcp-duet/validator",
	"mcp-duet/server-whole",
	"mcp-duet/apps/host",
]) {
	test(`the types of ${entry} declare exactly the values that it exports`, async () => {
		const names = Object.keys(await import(entry));
		compileText(`import * as api from ${JSON.stringify(entry)};
export const names: { [Name in keyof typeof api]: true } = ${members(names)};
`);
	});
}

test("the types declare exactly the members that clients, servers and contexts have", async () => {
	const { Client, Server } = await import("mcp-duet");
	/** @type {any} */
	let context;
	const server = new Server({
		name: "a",
		version: "1",
		tools: [
			{
				name: "t",
				inputSchema: { type: "object" },
				handler: (_args, ctx) => {
					context = ctx;
					return "";
				},
			},
		],
	});
	await server.handleMessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } });
	const own = (/** @type {object} */ prototype) =>
		Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
	compileText(`import type { Client, RequestContext, Server } from "mcp-duet";
export const client: { [Name in keyof Client]: true } = ${members(own(Client.prototype))};
export const server: { [Name in keyof Server]: true } = ${members(own(Server.prototype))};
export const context: { [Name in keyof RequestContext]: true } = ${members(own(Object.getPrototypeOf(context)))};
`);
});
