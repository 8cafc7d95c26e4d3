// Schemas of zod, valibot and arktype, and JSON Schemas, for tools and prompts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Server } from "mcp-duet";
import * as v from "valibot";
import { z } from "zod";
import * as mini from "zod/mini";

const modern = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};

/** @param {any} server @param {string} method @param {any} [params] */
const ask = async (server, method, params = {}) => {
	const reply = await server.handleMessage({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: modern } });
	return reply.error ?? reply.result;
};
/** @param {any} more */
const serverOf = (more) => new Server({ name: "schemas", version: "1", ...more });
/** @param {any} server @param {string} name @param {any} args */
const call = (server, name, args) => ask(server, "tools/call", { name, arguments: args });

const echo = (/** @type {any} */ args) => JSON.stringify(args);
/** Each asks for a city, and for a number written as text; each makes a number of it. @type {[string, any, RegExp][]} */
const libraries = [
	[
		"zod",
		z.object({ city: z.string(), days: z.string().transform(Number) }),
		/^Invalid arguments for tool zod: \/city: /,
	],
	[
		"valibot",
		toStandardJsonSchema(v.object({ city: v.string(), days: v.pipe(v.string(), v.transform(Number)) })),
		/^Invalid arguments for tool valibot: \/city: /,
	],
	["arktype", type({ city: "string", days: "string.numeric.parse" }), /^Invalid arguments for tool arktype: \/city: /],
];

for (const [name, inputSchema, wrong] of libraries) {
	test(`${name}: the list says its JSON Schema, and the handler gets its output`, async () => {
		const server = serverOf({ tools: [{ name, inputSchema, handler: echo }] });
		const { tools } = await ask(server, "tools/list");
		const { type, properties, required } = tools[0].inputSchema;
		assert.equal(type, "object");
		assert.deepEqual(
			[properties.city.type, properties.days.type, required.sort()],
			["string", "string", ["city", "days"]],
		);
		const { content } = await call(server, name, { city: "Ulm", days: "3" });
		assert.deepEqual(JSON.parse(content[0].text), { city: "Ulm", days: 3 });
		const failed = await call(server, name, { city: 1, days: "3" });
		assert.equal(failed.isError, true);
		assert.match(failed.content[0].text, wrong);
	});

	test(`${name}: a tool registered with it later works the same`, async () => {
		const server = serverOf({});
		await server.ready;
		server.registerTool(name, { inputSchema }, echo);
		const { content } = await call(server, name, { city: "Ulm", days: "3" });
		assert.deepEqual(JSON.parse(content[0].text), { city: "Ulm", days: 3 });
	});
}

test("validation may take its time", async () => {
	const inputSchema = z.object({ name: z.string().refine(async (name) => name !== "taken", "is taken") });
	const server = serverOf({ tools: [{ name: "t", inputSchema, handler: echo }] });
	assert.equal((await call(server, "t", { name: "free" })).content[0].text, '{"name":"free"}');
	const failed = await call(server, "t", { name: "taken" });
	assert.deepEqual([failed.isError, failed.content[0].text], [true, "Invalid arguments for tool t: /name: is taken"]);
});

test("a default fills in, and a union of objects is one of arguments", async () => {
	const server = serverOf({
		tools: [
			{ name: "d", inputSchema: z.object({ n: z.number().default(7) }), handler: echo },
			{
				name: "u",
				inputSchema: z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })]),
				handler: echo,
			},
		],
	});
	assert.equal((await ask(server, "tools/call", { name: "d" })).content[0].text, '{"n":7}');
	assert.equal((await call(server, "u", { k: "b" })).content[0].text, '{"k":"b"}');
	assert.equal((await call(server, "u", { k: "c" })).isError, true);
});

test("structured content is validated by its library, and sent as that gives it", async () => {
	const outputSchema = z.object({ n: z.number(), when: z.string().default("now") });
	const server = serverOf({
		tools: [
			{
				name: "t",
				inputSchema: z.object({ give: z.any() }),
				outputSchema,
				handler: (/** @type {any} */ { give }) => give,
			},
		],
	});
	assert.equal((await ask(server, "tools/list")).tools[0].outputSchema.properties.when.type, "string");
	const good = await call(server, "t", { give: { structuredContent: { n: 1 } } });
	assert.deepEqual(good.structuredContent, { n: 1, when: "now" });
	assert.equal(good.content[0].text, '{"n":1,"when":"now"}');
	for (const [give, message] of /** @type {[any, RegExp][]} */ ([
		[{ structuredContent: { n: "x" } }, /^Invalid result of tool t: \/n: /],
		["text", /no structuredContent/],
		[{ content: [] }, /no structuredContent/],
	])) {
		const bad = await call(server, "t", { give });
		assert.equal(bad.isError, true);
		assert.match(bad.content[0].text, message);
	}
	const own = await call(server, "t", { give: { content: [{ type: "text", text: "sorry" }], isError: true } });
	assert.deepEqual([own.isError, own.content[0].text], [true, "sorry"]);
});

test("prompts take their arguments from a schema", async () => {
	const server = serverOf({
		prompts: [
			{
				name: "zod",
				argsSchema: z.object({ days: z.coerce.number().describe("How many"), tone: z.string().optional() }),
				get: echo,
			},
			{
				name: "json",
				argsSchema: {
					type: "object",
					properties: { tone: { enum: ["dry", "wet"], title: "Tone" } },
					required: ["tone"],
				},
				get: echo,
			},
		],
	});
	const { prompts } = await ask(server, "prompts/list");
	assert.deepEqual(prompts, [
		{ name: "zod", arguments: [{ name: "days", description: "How many", required: true }, { name: "tone" }] },
		{ name: "json", arguments: [{ name: "tone", title: "Tone", required: true }] },
	]);
	const get = (/** @type {string} */ name, /** @type {any} */ args) =>
		ask(server, "prompts/get", { name, arguments: args });
	assert.equal((await get("zod", { days: "3" })).messages[0].content.text, '{"days":3}');
	assert.equal((await get("json", { tone: "dry" })).messages[0].content.text, '{"tone":"dry"}');
	for (const [name, args, message] of /** @type {[string, any, RegExp][]} */ ([
		["zod", { days: "x" }, /^Invalid params: prompt zod: \/days: /],
		["zod", {}, /needs the argument days/],
		["json", { tone: "odd" }, /^Invalid params: prompt json: \/tone: /],
	])) {
		const refused = await get(name, args);
		assert.equal(refused.code, -32602);
		assert.match(refused.message, message);
	}
});

test("a schema that cannot say its JSON Schema is refused, and the error says how it could", async () => {
	for (const [inputSchema, message] of /** @type {[any, RegExp][]} */ ([
		[mini.object({ a: mini.string() }), /tool "t": inputSchema: the schema of zod does not say.*toStandardJsonSchema/],
		[v.object({ a: v.string() }), /tool "t": inputSchema: the schema of valibot does not say/],
		[z.object({ a: z.bigint() }), /tool "t": inputSchema: zod cannot say it as a JSON Schema: /],
	])) {
		const server = serverOf({ tools: [{ name: "t", inputSchema, handler: echo }] });
		await assert.rejects(server.ready, { code: "INVALID_DEFINITION", message });
		assert.throws(() => serverOf({}).registerTool("t", { inputSchema }, echo), { code: "INVALID_DEFINITION", message });
	}
});
