// The corpus of tests/transcripts through the package: each message as text, as bytes and as an object.
// tests/server_transcripts.rs runs the same corpus natively; there is one implementation.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { handle_message, Server } from "mcp-duet";

const folder = join(import.meta.dirname, "../transcripts");
const definitions = JSON.parse(readFileSync(join(folder, "servers.json"), "utf8"));

/** @typedef {{ name: string, textOnly: boolean, input: string, output: string[] }} Case */

/** @param {string} file */
function read(file) {
	let server = "";
	/** @type {Case[]} */
	const cases = [];
	for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
		const rest = line.slice(line[1] === " " ? 2 : 1);
		const last = cases[cases.length - 1];
		if (line[0] === "@") server = rest;
		else if (line[0] === "=") cases.push({ name: rest, textOnly: false, input: "", output: [] });
		else if (line[0] === "!") last.textOnly = true;
		else if (line[0] === ">") last.input += last.input === "" ? rest : `\n${rest}`;
		else if (line[0] === "<") last.output.push(rest);
	}
	return { server, cases };
}

/** @type {Record<string, (args: any, ctx: any) => any>} */
const tools = {
	echo: ({ text }) => text ?? "",
	fail: ({ message }) => {
		throw new Error(message);
	},
	天气: async ({ 城市 }) => `${城市}：晴`,
	progress: async (_args, ctx) => {
		ctx.sendProgress(1, 2, "半");
		ctx.log("info", { a: [1] }, "fixture");
		await undefined;
		ctx.log("error", "坏");
		ctx.sendProgress(2, 2);
		return "done";
	},
	structured: ({ a = 0, b = 0 }) => ({ structuredContent: { 和: a + b } }),
	whole: () => ({ _meta: { "com.example/trace": "t" }, content: [{ type: "text", text: "整" }], isError: false }),
	nothing: () => [],
	image: () => [{ type: "image", data: "AAEC/w==", mimeType: "image/png" }],
};

/** @type {Record<string, () => any>} */
const resources = {
	text: () => "Some text, 北京",
	bytes: () => new Uint8Array([0, 1, 2, 255]),
	北京: async () => [
		{ uri: "test://北京", text: "一" },
		{ uri: "test://北京/2", text: "二" },
	],
	gone: () => undefined,
	broken: () => {
		throw new Error("the disk is on fire");
	},
	whole: () => ({ contents: [{ uri: "test://whole", text: "整" }], ttlMs: 5, cacheScope: "public" }),
};

/** @type {Record<string, (args: any) => any>} */
const prompts = {
	greet: ({ who }) => `Hello, ${who}!`,
	messages: () => [
		{ role: "user", content: { type: "text", text: "一" } },
		{ role: "assistant", content: { type: "text", text: "二" } },
	],
};

/** @param {string} name */
function fixture(name) {
	const { complete, ...definition } = definitions[name];
	/** @param {any[] | undefined} items @param {(item: any) => any} more */
	const each = (items, more) => items?.map((item) => ({ ...item, ...more(item) }));
	return new Server({
		...definition,
		...(complete && { complete: () => ["北京", "北海"] }),
		tools: each(definition.tools, (tool) => ({ handler: tools[tool.name] ?? (() => "called") })),
		resources: each(definition.resources, (resource) => ({ read: resources[resource.name] })),
		resourceTemplates: each(definition.resourceTemplates, () => ({
			read: (/** @type {string} */ _uri, /** @type {any} */ variables) => JSON.stringify(variables),
		})),
		prompts: each(definition.prompts, (prompt) => ({ get: prompts[prompt.name] })),
	});
}

/**
 * Tells of all that can change, ends the subscriptions, and gives the next server.
 * @param {any} server
 */
async function changed(server) {
	await server.ready;
	await new Promise(setImmediate);
	for (const list of ["tools", "prompts", "resources"]) server.notify({ type: `${list}_list_changed` });
	for (const uri of ["test://text", "test://other"]) server.notify({ type: "resource_updated", uri });
	server.close();
	return fixture("listening");
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

let count = 0;
for (const file of readdirSync(folder).filter((name) => name.endsWith(".txt"))) {
	test(file, async () => {
		const { server: kind, cases } = read(file);
		let server = fixture(kind);
		for (const { name, textOnly, input, output } of cases) {
			/** @param {any} message @param {(reply: any) => any} show */
			const exchange = async (message, show) => {
				/** @type {any[]} */
				const sent = [];
				const replying = server.handleMessage(message, { send: (/** @type {any} */ text) => sent.push(text) });
				if (kind === "listening") server = await changed(server);
				const reply = await replying;
				return [...sent, ...(reply === null ? [] : [reply])].map(show);
			};
			assert.deepEqual(await exchange(input, (text) => text), output, `${name}, as text`);
			const bytes = await exchange(encoder.encode(input), (bytes) => decoder.decode(bytes));
			assert.deepEqual(bytes, output, `${name}, as bytes`);
			count++;
			if (textOnly) continue;
			/** @type {any} */
			let object;
			try {
				object = JSON.parse(input);
			} catch {
				continue;
			}
			if (object === null || typeof object !== "object") continue;
			const expected = output.map((text) => JSON.parse(text));
			assert.deepEqual(await exchange(object, (object) => object), expected, `${name}, as an object`);
			if (object.method === "subscriptions/listen") continue;
			const reply = await handle_message(server, object);
			const last = expected.at(-1);
			assert.deepEqual(reply, last && ("id" in last || "error" in last || Array.isArray(last)) ? last : null);
		}
	});
}

test("the corpus is there", () => {
	assert.ok(count > 200, `${count} exchanges`);
});
