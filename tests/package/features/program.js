// What client and server do in every runtime: each feature, in both eras, over each way to carry messages. It imports the
// package and nothing else; what it gives is plain data.

import { Client, isInputRequired, Server } from "mcp-duet";
import { inMemoryPair, serveMessages } from "mcp-duet/transport";

/** @typedef {import("mcp-duet").ClientOptions} ClientOptions */
/** @typedef {import("mcp-duet").RequestContext} RequestContext */

/** @type {() => void} */
let started = () => {};
/** @type {(reason: unknown) => void} */
let cancelled = () => {};

const server = new Server({
	name: "features",
	version: "1.0.0",
	instructions: "说明",
	capabilities: { logging: {} },
	requestState: { key: "a key for tests, which keep no secret" },
	tools: [
		{
			name: "sum",
			description: "adds",
			inputSchema: {
				type: "object",
				properties: { a: { type: "number" }, b: { type: "integer", "x-mcp-header": "B" } },
				required: ["a", "b"],
			},
			outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
			handler: (/** @type {{ a: number, b: number }} */ { a, b }) => ({ structuredContent: { sum: a + b } }),
		},
		{
			name: "count",
			inputSchema: { type: "object" },
			handler: async (/** @type {unknown} */ _args, /** @type {RequestContext} */ ctx) => {
				for (const step of [1, 2, 3]) {
					ctx.sendProgress(step, 3, `第${step}步`);
					await new Promise((resolve) => setTimeout(resolve));
				}
				return "三";
			},
		},
		{
			name: "wait",
			inputSchema: { type: "object" },
			handler: (/** @type {unknown} */ _args, /** @type {RequestContext} */ ctx) =>
				new Promise((resolve) => {
					ctx.signal.addEventListener("abort", () => {
						cancelled("the server has heard of it");
						resolve("");
					});
					started();
				}),
		},
		{
			name: "ask",
			inputSchema: { type: "object" },
			handler: async (/** @type {unknown} */ _args, /** @type {RequestContext} */ ctx) => {
				const { content } = await ctx.elicit({
					message: "哪个城市？",
					requestedSchema: { type: "object", properties: { city: { type: "string" } } },
				});
				const [sampled, listed] = await Promise.all([
					ctx.sample({ messages: [{ role: "user", content: { type: "text", text: "首都？" } }], maxTokens: 10 }),
					ctx.listRoots(),
				]);
				const [block] = [sampled.content].flat();
				return `${content?.city} ${block.type === "text" && block.text} ${listed.roots[0].uri}`;
			},
		},
		{
			name: "fail",
			inputSchema: { type: "object" },
			handler: () => {
				throw new Error("坏了");
			},
		},
	],
	resources: [
		{ uri: "note://one", name: "one", read: () => "你好，北京" },
		{ uri: "blob://one", name: "bytes", mimeType: "application/octet-stream", read: () => Uint8Array.of(1, 2, 255) },
	],
	resourceTemplates: [
		{
			uriTemplate: "weather://{city}",
			name: "weather",
			read: (/** @type {string} */ _uri, /** @type {any} */ { city }) => `${city}：晴`,
		},
	],
	prompts: [
		{
			name: "greet",
			arguments: [{ name: "city", required: true }],
			get: (/** @type {any} */ { city }) => `你好，${city}`,
		},
	],
	complete: ({ argument }) => ["北京", "北海", "上海"].filter((city) => city.startsWith(argument.value)),
});

/** @satisfies {import("mcp-duet").ClientSettings["handlers"]} */
const handlers = {
	"elicitation/create": () => ({ action: /** @type {const} */ ("accept"), content: { city: "北京" } }),
	"sampling/createMessage": async () => ({
		role: /** @type {const} */ ("assistant"),
		model: "none",
		content: { type: /** @type {const} */ ("text"), text: "东京" },
	}),
	"roots/list": () => ({ roots: [{ uri: "file:///根" }] }),
};

/** How a client reaches the server. HTTP takes answers to what a legacy server asks only in sessions. */
const ways = {
	fetch: () => ({
		url: "http://127.0.0.1/mcp",
		fetch: (/** @type {string} */ url, /** @type {RequestInit} */ init) => server.fetch(new Request(url, init)),
	}),
	function: () => ({
		transport: (/** @type {any} */ message, /** @type {any} */ { signal, onMessage }) =>
			server.handleMessage(message, { signal, send: onMessage }),
	}),
	pipe: () => {
		const [one, other] = inMemoryPair();
		serveMessages(server, other);
		return { transport: one };
	},
};

/** @param {Promise<any>} promise */
const failure = (promise) =>
	promise.then(
		() => "no failure",
		(error) => [error.code, error.rpcCode ?? null],
	);

/** @param {any} result */
const text = (result) => result.content[0].text;

/** @param {keyof typeof ways} way @param {"auto" | "legacy"} versionNegotiation */
async function run(way, versionNegotiation) {
	const options = /** @type {ClientOptions} */ ({ ...ways[way](), versionNegotiation, handlers });
	const client = new Client(options);
	await client.connect();
	const { tools } = await client.listTools();
	/** @type {unknown[]} */
	const progress = [];
	const onProgress = (/** @type {import("mcp-duet").Progress} */ { progress: step, total, message }) =>
		progress.push({ progress: step, total, message });
	const { contents: note } = await client.readResource("note://one");
	const { contents: bytes } = await client.readResource("blob://one");
	const { contents: weather } = await client.readResource("weather://%E5%8C%97%E4%BA%AC");
	const { messages } = await client.getPrompt("greet", { city: "北京" });
	const ref = { type: /** @type {const} */ ("ref/prompt"), name: "greet" };
	const { completion } = await client.complete({ ref, argument: { name: "city", value: "北" } });

	const running = new Promise((resolve) => {
		started = () => resolve(undefined);
	});
	const heard = new Promise((resolve) => {
		cancelled = resolve;
	});
	const stop = new AbortController();
	const waiting = client.callTool("wait", {}, { signal: stop.signal });
	await running;
	stop.abort(new Error("不用了"));
	const reason = await waiting.catch((error) => error.message);
	// A legacy client over HTTP has no way to tell a server that keeps no session.
	const told = way === "fetch" && client.era === "legacy" ? null : await heard;

	const many = await Promise.all(Array.from({ length: 20 }, (_, a) => client.callTool("sum", { a, b: a })));
	const found = {
		era: client.era,
		version: client.protocolVersion,
		instructions: client.instructions,
		tools: tools.map(({ name }) => name),
		sum: (await client.callTool("sum", { a: 1, b: 41 })).structuredContent,
		wrong: (await client.callTool("sum", { a: "x", b: 1 })).isError,
		counted: text(await client.callTool("count", {}, { onProgress })),
		progress,
		failed: text(await client.callTool("fail")),
		missing: await failure(client.callTool("nothing")),
		note: /** @type {any} */ (note[0]).text,
		bytes: /** @type {any} */ (bytes[0]).blob,
		weather: /** @type {any} */ (weather[0]).text,
		prompt: /** @type {any} */ (messages[0].content).text,
		values: completion.values,
		asked: way === "fetch" && client.era === "legacy" ? null : text(await client.callTool("ask")),
		manual:
			client.era === "modern"
				? isInputRequired(await client.request("tools/call", { name: "ask", arguments: {} }, { manual: true }))
				: null,
		reason,
		told,
		many: many.map((result) => /** @type {any} */ (result.structuredContent).sum),
		late: await failure(client.callTool("wait", {}, { timeoutMs: 20 })),
		after: (await client.callTool("sum", { a: 2, b: 3 })).structuredContent,
	};
	await client.close();
	return { ...found, closed: await failure(client.listTools()) };
}

/** Everything, one after the other. */
export default async function features() {
	/** @type {Record<string, any>} */
	const found = {};
	for (const way of /** @type {(keyof typeof ways)[]} */ (Object.keys(ways))) {
		for (const mode of /** @type {const} */ (["auto", "legacy"])) found[`${way} ${mode}`] = await run(way, mode);
	}
	return found;
}
