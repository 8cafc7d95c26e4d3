// A small server of ours, the counterpart of the SDK's in sdk-servers.mjs.

import { Server } from "mcp-duet";
import { Watch } from "./watch.mjs";

/** @type {import("mcp-duet").ElicitRequestFormParams} */
const WHICH = { message: "哪个城市？", requestedSchema: { type: "object", properties: { city: { type: "string" } } } };
/** @type {import("mcp-duet").CreateMessageRequestParams} */
const SAMPLE = { messages: [{ role: "user", content: { type: "text", text: "首都？" } }], maxTokens: 10 };

/**
 * @param {Record<string, unknown>} [options]
 * @param {Watch} [watch]
 */
export const ourServer = (options, watch = new Watch()) =>
	new Server({
		name: "duet",
		version: "1.0.0",
		instructions: "说明",
		tools: [
			{
				name: "查天气",
				description: "城市的天气",
				inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
				handler: (/** @type {{ city: string }} */ { city }) => `${city}：晴`,
			},
			{
				name: "region",
				description: "Mirrors its argument into a header",
				inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
				handler: (/** @type {{ region?: string }} */ { region }) => region ?? "none",
			},
			{
				name: "count",
				description: "Counts to three",
				inputSchema: { type: "object" },
				handler: (/** @type {unknown} */ _args, /** @type {any} */ ctx) => {
					for (const progress of [1, 2, 3]) ctx.sendProgress(progress, 3, `第${progress}步`);
					return "三";
				},
			},
			{
				name: "wait",
				description: "Waits until it is cancelled",
				inputSchema: { type: "object" },
				handler: async (/** @type {unknown} */ _args, /** @type {import("mcp-duet").RequestContext} */ ctx) => {
					watch.start();
					await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
					watch.cancel();
					return "cancelled";
				},
			},
			{
				name: "ask",
				description: "Asks the client for a city, then for a completion and its roots",
				inputSchema: { type: "object" },
				handler: async (/** @type {unknown} */ _args, /** @type {import("mcp-duet").RequestContext} */ ctx) => {
					const { content } = await ctx.elicit(WHICH);
					const [sampled, listed] = await Promise.all([ctx.sample(SAMPLE), ctx.listRoots()]);
					const [block] = [sampled.content].flat();
					return `${content?.city} ${block.type === "text" && block.text} ${listed.roots[0].uri}`;
				},
			},
			{
				name: "fail",
				description: "Fails",
				inputSchema: { type: "object" },
				handler: () => {
					throw new Error("坏了");
				},
			},
			{
				name: "structured",
				description: "Answers structured content",
				inputSchema: { type: "object" },
				outputSchema: { type: "object", properties: { 城市: { type: "string" } }, required: ["城市"] },
				handler: () => ({ content: [{ type: "text", text: '{"城市":"北京"}' }], structuredContent: { 城市: "北京" } }),
			},
		],
		resources: [
			{ uri: "test://cities/beijing", name: "北京", mimeType: "text/plain", read: () => "你好，北京" },
			{ uri: "test://城市/北京", name: "城市", mimeType: "text/plain", read: () => "首都" },
		],
		resourceTemplates: [
			{
				uriTemplate: "test://weather/{city}",
				name: "天气",
				mimeType: "text/plain",
				read: (/** @type {string} */ _uri, /** @type {Record<string, string>} */ { city }) => `${city}：晴`,
			},
		],
		prompts: [
			{
				name: "问候",
				description: "问候一个城市",
				arguments: [{ name: "city", required: true }],
				get: (/** @type {{ city: string }} */ { city }) => `你好，${city}`,
			},
		],
		requestState: { key: "a key for tests, which keep no secret" },
		complete: ({ argument }) => ["北京", "北海", "上海"].filter((city) => city.startsWith(argument.value)),
		...options,
	});

/**
 * Servers by path: of both eras, of the modern and of the legacy one alone, with short pages.
 * @param {Watch} [watch]
 * @returns {(request: Request, options?: import("mcp-duet").FetchOptions) => Response | Promise<Response>}
 */
export function handler(watch) {
	/** @type {Record<string, ReturnType<typeof ourServer>>} */
	const servers = {
		"/mcp": ourServer({}, watch),
		"/modern": ourServer({ legacy: "reject" }, watch),
		"/legacy": ourServer({ supportedVersions: ["2025-11-25", "2025-06-18"] }, watch),
		"/paged": ourServer({ pageSize: 2 }, watch),
	};
	return (request, options) =>
		servers[new URL(request.url).pathname]?.fetch(request, options) ?? new Response("not found", { status: 404 });
}
