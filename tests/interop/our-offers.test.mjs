// The real TypeScript SDK clients, both generations, against what a server of ours offers: items that come and go,
// schemas of libraries, items for some callers only, scopes, forms with defaults, listed and completed resources.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { Server } from "mcp-duet";
import { z } from "zod";
import { serveFetch } from "./http.mjs";

/** @returns {any} */
const serverOf = () =>
	new Server({
		name: "offers",
		version: "1",
		legacy: "sessions",
		tools: [
			{
				name: "forecast",
				inputSchema: z.object({ city: z.string(), days: z.string().transform(Number).default(1) }),
				outputSchema: z.object({ city: z.string(), days: z.number(), unit: z.string().default("C") }),
				handler: ({ city, days }) => ({ structuredContent: { city, days } }),
			},
			{
				name: "secret",
				inputSchema: { type: "object" },
				visible: (ctx) => ctx.headers?.get("x-role") === "admin",
				handler: () => "secret",
			},
			{ name: "write", inputSchema: { type: "object" }, scopes: ["files:write"], handler: () => "written" },
			{
				name: "form",
				inputSchema: { type: "object" },
				handler: async (_args, ctx) => {
					const { content } = await ctx.elicit({
						message: "which?",
						requestedSchema: {
							type: "object",
							properties: {
								city: { type: "string", default: "Ulm" },
								size: { type: "string", enum: ["s", "m"], enumNames: ["Small", "Middle"] },
							},
							required: ["city", "size"],
						},
					});
					return JSON.stringify(content);
				},
			},
		],
		resourceTemplates: [
			{
				name: "city",
				uriTemplate: "test://cities/{city}",
				mimeType: "text/plain",
				list: () => ["Ulm", "Bonn"].map((name) => ({ uri: `test://cities/${name}`, name })),
				complete: { city: (value) => ["Ulm", "Bonn", "Berlin"].filter((city) => city.startsWith(value)) },
				read: (_uri, { city }) => `${city}`,
			},
		],
		prompts: [{ name: "greet", argsSchema: z.object({ who: z.string() }), get: ({ who }) => `Hello ${who}` }],
	});

/** @type {any} */
let server;
/** @type {Awaited<ReturnType<typeof serveFetch>>} */
let host;
before(async () => {
	server = serverOf();
	host = await serveFetch((request) => server.fetch(request));
});
after(async () => {
	server?.close();
	await host?.stop();
});

/** @type {{ name: string, generation: "1.32" | "2.4", mode?: any }[]} */
const clients = [
	{ name: "SDK 1.32", generation: "1.32" },
	{ name: "SDK 2.4, legacy", generation: "2.4", mode: "legacy" },
	{ name: "SDK 2.4, modern", generation: "2.4", mode: { pin: "2026-07-28" } },
];

/**
 * @param {typeof clients[number]} which
 * @param {any} [form] what it answers to a form
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>}
 */
async function connect({ generation, mode }, form, headers = {}) {
	const info = { name: "peer", version: "1" };
	const capabilities = { elicitation: {} };
	const url = new URL(`${host.url}/mcp`);
	const requestInit = { headers };
	if (generation === "1.32") {
		const client = new Client1(info, { capabilities });
		client.setRequestHandler(ElicitRequestSchema, () => form);
		await client.connect(new Transport1(url, { requestInit }));
		return client;
	}
	const client = /** @type {any} */ (new Client2(info, { capabilities, versionNegotiation: { mode } }));
	client.setRequestHandler("elicitation/create", () => form);
	await client.connect(new Transport2(url, { requestInit }));
	return client;
}

/** @param {any} client */
const toolsOf = async (client) => (await client.listTools()).tools.map((/** @type {any} */ tool) => tool.name);

for (const which of clients) {
	test(`${which.name}: schemas of a library are listed, applied and answered by`, { timeout: 30_000 }, async () => {
		const client = await connect(which);
		const { tools } = await client.listTools();
		assert.equal(tools[0].inputSchema.properties.days.type, "string");
		const done = await client.callTool({ name: "forecast", arguments: { city: "Ulm", days: "3" } });
		assert.deepEqual(done.structuredContent, { city: "Ulm", days: 3, unit: "C" });
		const failed = await client.callTool({ name: "forecast", arguments: { city: 1 } });
		assert.equal(failed.isError, true);
		const { prompts } = await client.listPrompts();
		assert.deepEqual(prompts[0].arguments, [{ name: "who", required: true }]);
		const { messages } = await client.getPrompt({ name: "greet", arguments: { who: "you" } });
		assert.equal(messages[0].content.text, "Hello you");
		await client.close();
	});

	test(`${which.name}: a hidden tool is there for its callers alone`, { timeout: 30_000 }, async () => {
		const [stranger, admin] = await Promise.all([connect(which), connect(which, undefined, { "x-role": "admin" })]);
		assert.ok(!(await toolsOf(stranger)).includes("secret"));
		assert.ok((await toolsOf(admin)).includes("secret"));
		await assert.rejects(stranger.callTool({ name: "secret", arguments: {} }), { code: -32602 });
		assert.equal((await admin.callTool({ name: "secret", arguments: {} })).content[0].text, "secret");
		await Promise.all([stranger.close(), admin.close()]);
	});

	test(`${which.name}: a tool's scopes are challenged for`, { timeout: 30_000 }, async () => {
		const client = await connect(which);
		await assert.rejects(client.callTool({ name: "write", arguments: {} }), /403|scope/i);
		assert.ok((await toolsOf(client)).includes("write"));
		await client.close();
	});

	test(`${which.name}: a form comes back with its defaults`, { timeout: 30_000 }, async () => {
		const client = await connect(which, { action: "accept", content: { size: "m" } });
		const done = await client.callTool({ name: "form", arguments: {} });
		assert.deepEqual(JSON.parse(done.content[0].text), { size: "m", city: "Ulm" });
		await client.close();
		const wrong = await connect(which, { action: "accept", content: { size: "xxl" } });
		await assert.rejects(wrong.callTool({ name: "form", arguments: {} }), /size/);
		await wrong.close();
	});

	test(`${which.name}: what a template lists is listed, read and completed`, { timeout: 30_000 }, async () => {
		const client = await connect(which);
		const { resources } = await client.listResources();
		assert.deepEqual(
			resources.map((/** @type {any} */ { uri, mimeType }) => [uri, mimeType]),
			[
				["test://cities/Ulm", "text/plain"],
				["test://cities/Bonn", "text/plain"],
			],
		);
		assert.equal((await client.readResource({ uri: "test://cities/Bonn" })).contents[0].text, "Bonn");
		const { completion } = await client.complete({
			ref: { type: "ref/resource", uri: "test://cities/{city}" },
			argument: { name: "city", value: "B" },
		});
		assert.deepEqual(completion.values, ["Bonn", "Berlin"]);
		await client.close();
	});
}

test("SDK 1.32 in a session hears of a tool that comes", { timeout: 30_000 }, async () => {
	// The first handle lets the server declare that its list changes.
	server.registerTool("first", { inputSchema: { type: "object" } }, () => "first");
	const client = await connect(clients[0]);
	assert.equal(client.getServerCapabilities().tools.listChanged, true);
	const heard = new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, resolve));
	/** @type {any} */
	let handle;
	// Its stream of notifications opens by itself, some time after the connection.
	const again = setInterval(() => {
		handle?.remove();
		handle = server.registerTool("late", { inputSchema: { type: "object" } }, () => "late");
	}, 50);
	await heard;
	clearInterval(again);
	assert.ok((await toolsOf(client)).includes("late"));
	handle.remove();
	await client.close();
});

test("SDK 2.4 that listens hears of a tool that is switched off", { timeout: 30_000 }, async () => {
	const handle = server.registerTool("brief", { inputSchema: { type: "object" } }, () => "brief");
	const client = await connect(clients[2]);
	const heard = new Promise((resolve) => client.setNotificationHandler("notifications/tools/list_changed", resolve));
	const subscription = await client.listen({ toolsListChanged: true });
	assert.ok((await toolsOf(client)).includes("brief"));
	handle.disable();
	await heard;
	assert.ok(!(await toolsOf(client)).includes("brief"));
	await subscription.close();
	await client.close();
});
