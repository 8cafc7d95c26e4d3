// What the servers of the official TypeScript SDK in these tests have: the same on either generation.

import { completable as completable1 } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer as McpServer1, ResourceTemplate as Template1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
	CreateMessageResultSchema,
	ElicitResultSchema,
	ListRootsResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import {
	completable as completable2,
	fromJsonSchema,
	inputRequired,
	ResourceTemplate as Template2,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const text = (/** @type {string} */ line) => ({ content: [{ type: "text", text: line }] });

const WHICH = { message: "哪个城市？", requestedSchema: { type: "object", properties: { city: { type: "string" } } } };
const SAMPLE = { messages: [{ role: "user", content: { type: "text", text: "首都？" } }], maxTokens: 10 };

/**
 * Legacy: requests to the client while the call is in flight, on the call's own stream.
 * @param {any} extra
 */
async function askNow({ sendRequest }) {
	const elicited = await sendRequest({ method: "elicitation/create", params: WHICH }, ElicitResultSchema);
	const sampled = await sendRequest({ method: "sampling/createMessage", params: SAMPLE }, CreateMessageResultSchema);
	const listed = await sendRequest({ method: "roots/list" }, ListRootsResultSchema);
	return text(`${elicited.content?.city} ${sampled.content.text} ${listed.roots[0].uri}`);
}

/**
 * Modern: an `input_required` result, twice, with a state that must come back as it was.
 * @param {any} mcpReq
 */
function askForRetry({ inputResponses, requestState }) {
	const state = requestState();
	if (state === undefined) {
		const elicitation = inputRequired.elicit(/** @type {any} */ (WHICH));
		return inputRequired({ inputRequests: { elicitation }, requestState: "城市\u0000 state" });
	}
	if (state === "城市\u0000 state") {
		const { city } = inputResponses.elicitation.content;
		const inputRequests = {
			sampling: inputRequired.createMessage(/** @type {any} */ (SAMPLE)),
			roots: inputRequired.listRoots(),
		};
		return inputRequired({ inputRequests, requestState: `${city}` });
	}
	const { sampling, roots } = inputResponses;
	return text(`${state} ${sampling.content.text} ${roots.roots[0].uri}`);
}

/**
 * The generations share the registration interface but not its types, which these tests have no use for.
 * @template S
 * @param {S} server an `McpServer`
 * @param {import("./watch.mjs").Watch} watch
 * @returns {S}
 */
export function furnish(server, watch) {
	const any = /** @type {any} */ (server);
	const first = server instanceof McpServer1;
	const completable = /** @type {any} */ (first ? completable1 : completable2);
	const Template = first ? Template1 : Template2;
	/** @type {(extra: any) => { meta: any, signal: AbortSignal, notify: (notification: any) => Promise<void> }} */
	const context = ({ mcpReq, _meta, signal, sendNotification }) =>
		mcpReq
			? { meta: mcpReq._meta, signal: mcpReq.signal, notify: mcpReq.notify }
			: { meta: _meta, signal, notify: sendNotification };

	// Both print seven lines about every tool name outside ASCII, once per server, and there is one per request.
	const { warn } = console;
	console.warn = () => {};
	any.registerTool(
		"查天气",
		{ description: "城市的天气", inputSchema: z.object({ city: z.string() }) },
		async (/** @type {{ city: string }} */ { city }) => text(`${city}：晴`),
	);
	const region = {
		type: "object",
		properties: {
			region: { type: "string", "x-mcp-header": "Region" },
			level: { type: "integer", "x-mcp-header": "Level" },
		},
	};
	any.registerTool(
		"mirrored",
		{
			description: "Has arguments that are mirrored into headers",
			inputSchema: first
				? z.object({ region: z.string(), level: z.number() })
				: fromJsonSchema(/** @type {any} */ (region)),
		},
		async (/** @type {{ region: string, level: number }} */ { region, level }) => text(`${region} ${level}`),
	);
	any.registerTool(
		"structured",
		{ description: "Structured", inputSchema: z.object({}), outputSchema: z.object({ 城市: z.string() }) },
		async () => ({ ...text("北京"), structuredContent: { 城市: "北京" } }),
	);
	any.registerTool(
		"count",
		{ description: "Counts to three", inputSchema: z.object({}) },
		async (/** @type {unknown} */ _args, /** @type {any} */ extra) => {
			const { meta, notify } = context(extra);
			for (const progress of [1, 2, 3]) {
				const params = { progressToken: meta?.progressToken, progress, total: 3, message: `第${progress}步` };
				if (meta?.progressToken !== undefined) await notify({ method: "notifications/progress", params });
			}
			return text("三");
		},
	);
	any.registerTool(
		"wait",
		{ description: "Waits until it is cancelled", inputSchema: z.object({}) },
		async (/** @type {unknown} */ _args, /** @type {any} */ extra) => {
			const { signal } = context(extra);
			watch.start();
			await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
			watch.cancel();
			return text("cancelled");
		},
	);
	any.registerTool(
		"ask",
		{ description: "Asks the client for a city, a completion and its roots", inputSchema: z.object({}) },
		async (/** @type {unknown} */ _args, /** @type {any} */ extra) =>
			first ? askNow(extra) : askForRetry(extra.mcpReq),
	);
	any.registerTool("fail", { description: "Fails", inputSchema: z.object({}) }, async () => {
		throw new Error("坏了");
	});
	const plain = { mimeType: "text/plain" };
	any.registerResource("北京", "test://cities/beijing", plain, async (/** @type {URL} */ uri) => ({
		contents: [{ uri: uri.href, ...plain, text: "你好，北京" }],
	}));
	any.registerResource(
		"天气",
		new Template("test://weather/{city}", { list: undefined }),
		plain,
		async (/** @type {URL} */ uri, /** @type {{ city: string }} */ { city }) => ({
			contents: [{ uri: uri.href, ...plain, text: `${decodeURIComponent(city)}：晴` }],
		}),
	);
	const city = completable(z.string(), (/** @type {string} */ value) =>
		["北京", "北海", "上海"].filter((name) => name.startsWith(value)),
	);
	any.registerPrompt(
		"问候",
		// The first generation takes the members of a prompt's arguments, the second a schema of the whole.
		{ description: "问候一个城市", argsSchema: first ? { city } : z.object({ city }) },
		async (/** @type {{ city: string }} */ { city }) => ({
			messages: [{ role: "user", content: { type: "text", text: `你好，${city}` } }],
		}),
	);
	console.warn = warn;
	return server;
}
