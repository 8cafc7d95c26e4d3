// What the types accept, what they give, and what they refuse.

import {
	type CallToolResult,
	Client,
	checkHeaders,
	type ErrorCode,
	type eraOf,
	HEADER_MISMATCH,
	HttpError,
	handle_message,
	init,
	isInputRequired,
	type ListToolsResult,
	McpError,
	METHOD_TOOLS_CALL,
	ProtocolError,
	protocolVersionOf,
	type RequestContext,
	Server,
	type ServerDefinition,
	type Tool,
	type ToolDefinition,
	type Transport,
} from "mcp-duet";
import type { Client as OnlyClient } from "mcp-duet/client";
import type { Client as InlineClient, Server as InlineServer } from "mcp-duet/inline";
import type * as protocol from "mcp-duet/protocol";
import type { Server as OnlyServer } from "mcp-duet/server";
import { inMemoryPair, type MessageTransport, portTransport, serveMessages } from "mcp-duet/transport";

/** Fails to compile unless both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(proof?: T) => proof;

// One class under every entry.
is<Same<Client, OnlyClient>>();
is<Same<Client, InlineClient>>();
is<Same<Server, OnlyServer>>();
is<Same<Server, InlineServer>>();

// --- Client: where the server is.
const [end, otherEnd] = inMemoryPair();
new Client({ transport: end });
new Client({ transport: portTransport(new MessageChannel().port1) });
new Client({ transport: portTransport(new Worker("worker.js")) });
const broadcast: MessageTransport = portTransport(new BroadcastChannel("mcp"));
new Client({ transport: broadcast });
// @ts-expect-error a transport sends
new Client({ transport: { close: async () => {} } });
const serving = serveMessages(new Server({ name: "a", version: "1" }), otherEnd, { env: {}, onError: console.error });
is<Same<typeof serving.closed, Promise<void>>>();
new Client({ url: "https://example.com/mcp" });
new Client({
	url: new URL("https://example.com/mcp"),
	headers: async () => ({ authorization: "Bearer x" }),
	fetch: (url, init) => fetch(url, init),
	timeoutMs: 1_000,
	clientInfo: { name: "a", version: "1" },
	capabilities: { elicitation: { form: {} }, extensions: { "com.example/x": {} } },
	versionNegotiation: { pin: "2026-07-28" },
	supportedVersions: ["2026-07-28", "2025-11-25"],
	probe: { timeoutMs: 500, maxRetries: 0 },
	handlers: {
		"elicitation/create": (params) =>
			params.mode === "url" ? { action: "decline" } : { action: "accept", content: { name: params.message } },
		"roots/list": async () => ({ roots: [{ uri: "file:///a" }] }),
	},
	listChanged: { tools: () => {}, prompts: () => {} },
	cache: { authorizationContext: () => "Ada" },
	onNotification: ({ method, params }) => `${method} ${params?.level}`,
	onError: (error) => error.retryable,
});
const pipe: Transport = async (message) => message;
pipe.kind = "http";
const client = new Client({ transport: pipe });
const server = new Server({ name: "a", version: "1" });
new Client({
	transport: async (message, { signal, onMessage }) => server.handleMessage(message, { signal, send: onMessage }),
});
// @ts-expect-error neither url nor transport
new Client({});
// @ts-expect-error both url and transport
new Client({ url: "https://example.com/mcp", transport: pipe });
// @ts-expect-error headers go with a url
new Client({ transport: pipe, headers: {} });
// @ts-expect-error not a version
new Client({ url: "x", versionNegotiation: { pin: "2026-01-01" } });
// @ts-expect-error seconds are not offered
new Client({ url: "x", timeout: 30 });

// --- Client: what comes back.
export async function calls() {
	await client.connect({ signal: AbortSignal.timeout(1_000) });
	is<Same<typeof client.era, "legacy" | "modern" | undefined>>();
	// @ts-expect-error decided by the connection
	client.era = "modern";
	const list: ListToolsResult = await client.listTools();
	const tools: Tool[] = list.tools;
	const result: CallToolResult = await client.callTool(
		tools[0]?.name ?? "",
		{ a: 1 },
		{ onProgress: ({ progress }) => progress.toFixed() },
	);
	for (const block of result.content) {
		switch (block.type) {
			case "text":
				block.text.trim();
				break;
			case "image":
			case "audio":
				block.data.at(0);
				break;
			case "resource_link":
				block.uri.at(0);
				break;
			case "resource":
				if ("text" in block.resource) block.resource.text.trim();
				else block.resource.blob.trim();
				break;
			default:
				// Kinds that this version of the types does not know arrive here.
				block satisfies never;
		}
	}
	const read = await client.readResource("file:///a");
	is<Same<(typeof read)["ttlMs"], number | undefined>>();
	await client.getPrompt("a", { b: "c" });
	// @ts-expect-error arguments of prompts are texts
	await client.getPrompt("a", { b: 1 });
	await client.complete({ ref: { type: "ref/prompt", name: "a" }, argument: { name: "b", value: "" } });
	await client.ping();
	const { supportedVersions } = await client.discover();
	supportedVersions.at(0)?.trim();

	const raw = await client.request("tools/call", { name: "a" });
	if (isInputRequired(raw)) {
		raw.requestState?.trim();
	} else {
		is<Same<(typeof raw)["content"], CallToolResult["content"]>>();
	}
	// @ts-expect-error a known method has parameters
	await client.request<"tools/call">("tools/call", { nome: "a" });
	const custom = await client.request("com.example/custom", { anything: 1 });
	custom.resultType;
	await client.listTools({ cacheMode: "refresh" });
	await client.listPrompts({ cursor: (await client.listPrompts({ cursor: null })).nextCursor ?? null });
	await client.notify("notifications/cancelled", { requestId: 1 });
	await client.notify("com.example/happened", {});
	const subscription = await client.subscribe(
		{ toolsListChanged: true, resourceSubscriptions: ["file:///a"] },
		{
			onNotification: (change) => {
				if (change.method === "notifications/resources/updated") change.params.uri.length;
			},
			onRefresh: () => client.listTools(),
		},
	);
	is<Same<typeof subscription.closed, Promise<"local" | "remote">>>();
	subscription.notifications.resourceSubscriptions?.length;
	subscription.close();
	// @ts-expect-error no such list
	await client.subscribe({ rootsListChanged: true });
	await client.close();
}

// --- Errors.
export function failures(error: unknown) {
	if (error instanceof HttpError) {
		is<Same<typeof error.code, "HTTP">>();
		error.retryAfter?.toFixed();
	} else if (error instanceof ProtocolError) {
		if (error.rpcCode === HEADER_MISMATCH) error.data;
	} else if (error instanceof McpError) {
		const code: ErrorCode = error.code;
		switch (code) {
			case "TIMED_OUT":
			case "CLOSED":
				break;
			// @ts-expect-error no such code
			case "TIMEOUT":
				break;
		}
	}
}

// --- Server: the arguments of a handler follow its schema.
new Server({
	name: "a",
	version: "1",
	tools: [
		{
			name: "weather",
			inputSchema: {
				type: "object",
				properties: {
					city: { type: "string" },
					days: { type: "integer", minimum: 1 },
					unit: { enum: ["C", "F"] },
					tags: { type: "array", items: { type: "string" } },
					place: { type: "object", properties: { lat: { type: "number" } }, required: ["lat"] },
					either: { anyOf: [{ type: "string" }, { type: "null" }] },
					open: {},
				},
				required: ["city", "unit"],
			},
			handler: (args, ctx) => {
				is<
					Same<
						typeof args,
						{
							city: string;
							unit: "C" | "F";
							days?: number;
							tags?: string[];
							place?: { lat: number };
							either?: string | null;
							open?: unknown;
						}
					>
				>();
				is<Same<typeof ctx, RequestContext>>();
				ctx.sendProgress(1, 2, "half");
				ctx.log("info", { city: args.city });
				ctx.waitUntil(Promise.resolve());
				// @ts-expect-error not in the schema
				args.town;
				return `${args.city} ${ctx.env.KEY}`;
			},
		},
		// Another schema in the same list has its own arguments.
		{
			name: "other",
			inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
			handler: async ({ n }) => [{ type: "text", text: n.toFixed() }],
		},
		{
			name: "books",
			inputSchema: { type: "object" },
			handler: async (_args, ctx) => {
				const order = await ctx.once("order", () => 42);
				is<Same<typeof order, number>>();
				const { action, content } = await ctx.elicit(
					{ message: "Sure?", requestedSchema: { type: "object", properties: { sure: { type: "boolean" } } } },
					{ key: "sure" },
				);
				// @ts-expect-error a form has a message
				await ctx.elicit({ requestedSchema: { type: "object", properties: {} } });
				return `${action} ${content?.sure} ${order} ${ctx.requestState}`;
			},
		},
		// Without properties, anything.
		{
			name: "free",
			inputSchema: { type: "object" },
			handler: (args) => ({ content: [], structuredContent: args.whatever, isError: true }),
		},
		{
			name: "asks",
			inputSchema: { type: "object" },
			handler: () => ({ resultType: "input_required", requestState: "s" }),
		},
	],
	resources: [
		{ uri: "a://b", name: "b", read: (uri, ctx) => (ctx.era === "modern" ? uri : new Uint8Array()) },
		{ uri: "a://c", name: "c", mimeType: "text/plain", read: async (uri) => [{ uri, text: "c" }] },
	],
	resourceTemplates: [
		{ uriTemplate: "a://{x}{?y*}", name: "t", read: (_uri, { x, y }) => `${x} ${Array.isArray(y) ? y.join() : y}` },
	],
	prompts: [
		{
			name: "p",
			arguments: [{ name: "topic", required: true }],
			get: ({ topic }) => [{ role: "user", content: { type: "text", text: topic ?? "" } }],
		},
		{ name: "q", get: () => "text", complete: async ({ argument }) => [argument.value] },
	],
	legacy: "reject",
	supportedVersions: ["2026-07-28"],
	maxBodyBytes: 1_024,
	pageSize: 100,
	requestState: { key: ["a key of at least thirty-two bytes", new Uint8Array(32)], ttlMs: 60_000 },
	cacheHints: { "tools/list": { ttlMs: 60_000, cacheScope: "public" } },
	allowedOrigins: ["https://app.example.com"],
	complete: ({ argument }) => [argument.value],
});

// A schema that is not written as a literal says nothing about the arguments.
declare const someSchema: Tool["inputSchema"];
const wide = { name: "wide", inputSchema: someSchema, handler: (args: { [name: string]: any }) => String(args.x) };
new Server({ name: "a", version: "1", tools: [wide] });
const list: ToolDefinition[] = [{ name: "x", inputSchema: someSchema, handler: (args) => args.anything }];
const definition: ServerDefinition = { name: "a", version: "1", tools: list };
const typed: Server = new Server(definition);

// @ts-expect-error a version is required
new Server({ name: "a" });
// @ts-expect-error a tool's handler gives no number
new Server({ name: "a", version: "1", tools: [{ name: "t", inputSchema: { type: "object" }, handler: () => 5 }] });
// @ts-expect-error a tool has a schema
new Server({ name: "a", version: "1", tools: [{ name: "t", handler: () => "" }] });
// @ts-expect-error arguments are objects
new Server({ name: "a", version: "1", tools: [{ name: "t", inputSchema: { type: "string" }, handler: () => "" }] });
// @ts-expect-error sessions are not a way to serve legacy clients
new Server({ name: "a", version: "1", legacy: "session" });

// --- Server: answers in kind.
export async function answers() {
	await typed.ready;
	is<Same<Awaited<ReturnType<typeof text>>, string | null>>();
	const bytes: Uint8Array | null = await handle_message(typed, new Uint8Array(), { send: (bytes) => bytes });
	const object = await typed.handleMessage({ jsonrpc: "2.0", id: 1, method: METHOD_TOOLS_CALL });
	if (object && "error" in object) object.error.code.toFixed();
	const mismatch = await checkHeaders(typed, new Headers(), "{}");
	mismatch?.code.toFixed();
	return bytes;
}
const text = () => typed.handleMessage("{}");

export default {
	fetch: (request: Request, env: unknown, ctx: { waitUntil(promise: Promise<unknown>): void }) =>
		typed.fetch(request, { env, waitUntil: (promise) => ctx.waitUntil(promise), authInfo: { subject: "me" } }),
};

class Weather extends Server {
	temperature = 20;
}
new Weather({ name: "a", version: "1" }).temperature.toFixed();

// --- Protocol.
is<Same<typeof protocol.META_PROTOCOL_VERSION, "io.modelcontextprotocol/protocolVersion">>();
is<Same<typeof protocol.HEADER_MISMATCH, -32020>>();
is<Same<ReturnType<typeof eraOf>, "legacy" | "modern" | undefined>>();
protocolVersionOf({})?.trim();
init(new URL("https://example.com/duet_bg.wasm"));
