// The real TypeScript SDK clients, both generations, against what is rare in a server of ours: every kind of content,
// what items say of themselves, logs of one request, cancellation, asks from anywhere, methods of the server's own.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
	ElicitRequestSchema,
	LoggingMessageNotificationSchema,
	ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Server } from "mcp-duet";
import { z } from "zod";
import { serveFetch } from "./http.mjs";

const inputSchema = /** @type {const} */ ({ type: "object" });
const PIXEL = "iVBORw0KGgo=";
/** @type {import("mcp-duet").Annotations} */
const annotations = { audience: ["user"], priority: 0.5 };
/** @type {import("mcp-duet").ContentBlock[]} */
const CONTENT = [
	{ type: "text", text: "文", annotations, _meta: { "example.com/a": 1 } },
	{ type: "image", data: PIXEL, mimeType: "image/png" },
	{ type: "audio", data: PIXEL, mimeType: "audio/wav" },
	{ type: "resource_link", uri: "test://r", name: "r", description: "there", mimeType: "text/plain", size: 3 },
	{ type: "resource", resource: { uri: "test://e", mimeType: "text/plain", text: "in it" } },
	{ type: "resource", resource: { uri: "test://b", mimeType: "image/png", blob: PIXEL } },
];
const icons = [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"] }];
const shown = { title: "T", description: "D", icons, _meta: { "example.com/shown": true } };
/** @type {import("mcp-duet").ElicitRequestFormParams} */
const FORM = { message: "哪个城市？", requestedSchema: { type: "object", properties: { city: { type: "string" } } } };
const EXTENSIONS = { "com.example/own": { a: 1 } };

/** @type {((reason: unknown) => void)[]} */
const cancelled = [];
let drawn = 0;
/** The modern requests for the list of tools. @type {string[]} */
const listed = [];

/** @param {import("mcp-duet").RequestContext} ctx */
const cityOf = async (ctx) => `${(await ctx.elicit(FORM)).content?.city}`;

const serverOf = () =>
	new Server({
		name: "features",
		version: "1",
		legacy: "sessions",
		requestState: { key: "a key for tests, which keep no secret" },
		capabilities: { logging: {}, resources: { subscribe: true }, extensions: EXTENSIONS },
		cacheHints: { "tools/list": { ttlMs: 60_000, cacheScope: "public" } },
		tools: [
			{
				name: "content",
				inputSchema,
				annotations: { readOnlyHint: true, title: "A" },
				...shown,
				handler: () => CONTENT,
			},
			{
				name: "log",
				inputSchema,
				handler: (_args, ctx) => {
					for (const level of /** @type {const} */ (["debug", "error"])) ctx.log(level, { level }, "own");
					return "logged";
				},
			},
			{
				name: "wait",
				inputSchema,
				handler: async (_args, ctx) => {
					ctx.sendProgress(1);
					await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
					for (const tell of cancelled.splice(0)) tell(ctx.era);
					return "late";
				},
			},
			{
				name: "once",
				inputSchema,
				handler: async (_args, ctx) => {
					const first = await ctx.once("draw", () => ++drawn);
					return `${await cityOf(ctx)} ${(await ctx.once("draw", () => ++drawn)) - first}`;
				},
			},
			{
				name: "own",
				inputSchema,
				handler: (_args, ctx) =>
					ctx.requestState === undefined
						? {
								resultType: "input_required",
								inputRequests: { k: { method: "elicitation/create", params: FORM } },
								requestState: "own",
							}
						: `${ctx.requestState} ${JSON.stringify(ctx.inputResponses?.k)}`,
			},
			{
				name: "sample",
				inputSchema,
				handler: async (_args, ctx) => `${(await ctx.sample({ messages: [], maxTokens: 1 })).model}`,
			},
		],
		resources: [
			{
				name: "r",
				uri: "test://r",
				mimeType: "text/plain",
				size: 3,
				annotations,
				...shown,
				read: (_uri, ctx) => cityOf(ctx),
			},
			{ name: "bytes", uri: "test://bytes", mimeType: "image/png", read: () => new Uint8Array([1, 2, 3]) },
		],
		resourceTemplates: [
			{ name: "t", uriTemplate: "test://t/{a}", annotations, ...shown, read: (_uri, _variables, ctx) => cityOf(ctx) },
		],
		prompts: [
			{ name: "ask", ...shown, get: (_args, ctx) => cityOf(ctx) },
			{
				name: "picture",
				get: () => CONTENT.filter(({ type }) => type !== "audio").map((content) => ({ role: "user", content })),
			},
		],
		methods: { "com.example/sum": ({ a, b }) => ({ sum: a + b }) },
	});

/** @type {any} */
let server;
/** @type {Awaited<ReturnType<typeof serveFetch>>} */
let host;
before(async () => {
	server = serverOf();
	host = await serveFetch((request) => {
		if (request.headers.get("mcp-method") === "tools/list") listed.push(request.url);
		return server.fetch(request);
	});
});
after(async () => {
	server?.close();
	await host?.stop();
});

/** @type {{ name: string, generation: "1.32" | "2.4", mode?: any, modern?: true }[]} */
const clients = [
	{ name: "SDK 1.32", generation: "1.32" },
	{ name: "SDK 2.4, legacy", generation: "2.4", mode: "legacy" },
	{ name: "SDK 2.4, modern", generation: "2.4", mode: { pin: "2026-07-28" }, modern: true },
];
const LEVEL = "io.modelcontextprotocol/logLevel";

/** @param {typeof clients[number]} which */
async function connect({ generation, mode }) {
	const info = { name: "peer", version: "1" };
	const capabilities = { elicitation: {} };
	const url = new URL(`${host.url}/mcp`);
	/** @type {any} */
	const client =
		generation === "1.32"
			? new Client1(info, { capabilities })
			: new Client2(info, { capabilities, versionNegotiation: { mode } });
	const named = (/** @type {string} */ method, /** @type {any} */ schema) => (generation === "1.32" ? schema : method);
	client.setRequestHandler(named("elicitation/create", ElicitRequestSchema), () => ({
		action: "accept",
		content: { city: "北京" },
	}));
	/** @type {any[]} */
	const heard = [];
	/** @type {((params: any) => void)[]} */
	const waiting = [];
	const hear = (/** @type {any} */ { params }) => {
		heard.push(params);
		waiting.shift()?.(params);
	};
	client.setNotificationHandler(named("notifications/message", LoggingMessageNotificationSchema), hear);
	client.setNotificationHandler(named("notifications/resources/updated", ResourceUpdatedNotificationSchema), hear);
	await client.connect(generation === "1.32" ? new Transport1(url) : new Transport2(url));
	/** @type {() => Promise<any>} */
	const next = async () => heard.shift() ?? new Promise((resolve) => waiting.push(resolve)).then(() => heard.shift());
	return { client, heard, next };
}

/** A result without what an era adds to it. @param {any} result */
const plain = ({ _meta, resultType, ttlMs, cacheScope, ...rest }) => rest;

/** @type {Record<string, (peer: Awaited<ReturnType<typeof connect>>, which: typeof clients[number]) => Promise<void>>} */
const features = {
	"every kind of content arrives as it is": async ({ client }) => {
		assert.deepEqual(plain(await client.callTool({ name: "content", arguments: {} })), { content: CONTENT });
		const { messages } = await client.getPrompt({ name: "picture" });
		assert.deepEqual(
			messages.map((/** @type {any} */ { content }) => content),
			CONTENT.filter(({ type }) => type !== "audio"),
		);
		const { contents } = await client.readResource({ uri: "test://bytes" });
		assert.deepEqual(contents, [{ uri: "test://bytes", mimeType: "image/png", blob: "AQID" }]);
	},
	"items say of themselves what their author did": async ({ client }) => {
		const { tools } = await client.listTools();
		assert.deepEqual(tools[0], {
			name: "content",
			inputSchema,
			annotations: { readOnlyHint: true, title: "A" },
			...shown,
		});
		const { resources } = await client.listResources();
		const resource = { name: "r", uri: "test://r", mimeType: "text/plain", size: 3, annotations, ...shown };
		assert.deepEqual(resources[0], resource);
		const { resourceTemplates } = await client.listResourceTemplates();
		assert.deepEqual(resourceTemplates, [{ name: "t", uriTemplate: "test://t/{a}", annotations, ...shown }]);
		const { prompts } = await client.listPrompts();
		assert.deepEqual(prompts[0], { name: "ask", ...shown });
	},
	"extensions are declared and methods of the server's own answered": async ({ client }, { modern }) => {
		assert.deepEqual(client.getServerCapabilities().extensions, EXTENSIONS);
		const request = { method: "com.example/sum", params: { a: 1, b: 2 } };
		assert.equal((await client.request(request, z.looseObject({ sum: z.number() }))).sum, 3);
		const unknown = { method: "com.example/none", params: {} };
		// The second generation shows an error with a status of its own as that of HTTP.
		const error = modern ? { message: /-32601/ } : { code: -32601 };
		await assert.rejects(client.request(unknown, z.looseObject({})), error);
	},
	"a request hears of what it logs, from the level on that the client wants": async (
		{ client, next, heard },
		{ modern },
	) => {
		if (!modern) await client.setLoggingLevel("error");
		const _meta = modern ? { [LEVEL]: "error" } : {};
		await client.callTool({ name: "log", arguments: {}, _meta });
		assert.deepEqual(plain(await next()), { level: "error", logger: "own", data: { level: "error" } });
		if (modern) {
			await client.callTool({ name: "log", arguments: {} });
			assert.deepEqual(heard, []);
		}
	},
	"a call that the client lets go of is cancelled": async ({ client }, { generation, modern }) => {
		const told = new Promise((resolve) => cancelled.push(resolve));
		const stop = new AbortController();
		const options = { signal: stop.signal, onprogress: () => stop.abort() };
		const params = { name: "wait", arguments: {} };
		await assert.rejects(
			generation === "1.32" ? client.callTool(params, undefined, options) : client.callTool(params, options),
		);
		assert.equal(await told, modern ? "modern" : "legacy");
	},
	"a resource that the client watches is told of": async ({ client, next }, { modern }) => {
		if (modern) {
			const subscription = await client.listen({ resourceSubscriptions: ["test://r"] });
			assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: ["test://r"] });
		} else {
			await client.subscribeResource({ uri: "test://r" });
		}
		for (const uri of ["test://bytes", "test://r"]) server.notify({ type: "resource_updated", uri });
		assert.equal((await next()).uri, "test://r");
	},
	"tools, resources, templates and prompts ask, and what runs once does": async ({ client }) => {
		const before = drawn;
		const { content } = await client.callTool({ name: "once", arguments: {} });
		assert.deepEqual([content[0].text, drawn - before], ["北京 0", 1]);
		for (const uri of ["test://r", "test://t/1"]) {
			assert.equal((await client.readResource({ uri })).contents[0].text, "北京", uri);
		}
		assert.equal((await client.getPrompt({ name: "ask" })).messages[0].content.text, "北京");
	},
	"a client is not asked for what it did not declare": async ({ client }, { modern }) => {
		const call = client.callTool({ name: "sample", arguments: {} });
		if (modern) await assert.rejects(call, { code: -32021 });
		else assert.match((await call).content[0].text, /did not declare .*sampling/);
	},
	"a handler's own question is asked where the era has a way for it": async ({ client }, { modern }) => {
		const { isError, content } = await client.callTool({ name: "own", arguments: {} });
		if (modern) assert.equal(content[0].text, 'own {"action":"accept","content":{"city":"北京"}}');
		else assert.deepEqual([isError, /no way/.test(content[0].text)], [true, true]);
	},
	"a list is asked for once while it may be kept": async ({ client }, { modern }) => {
		listed.length = 0;
		const first = await client.listTools();
		await client.listTools();
		if (modern) assert.deepEqual([listed.length, first.ttlMs, first.cacheScope], [1, 60_000, "public"]);
		else assert.deepEqual([first.ttlMs, first.cacheScope], [undefined, undefined]);
	},
};

for (const which of clients) {
	for (const [name, feature] of Object.entries(features)) {
		test(`${which.name}: ${name}`, { timeout: 30_000 }, async () => {
			const peer = await connect(which);
			try {
				await feature(peer, which);
			} finally {
				await peer.client.close();
			}
		});
	}
}
