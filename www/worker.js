// The demo edge worker: one MCP server, both eras, for the page beside it and for anyone else on this machine.

import { Server } from "mcp-duet/server";
import { prompts, resources, resourceTemplates } from "./demo/content.js";
import { tools } from "./demo/tools.js";

const server = new Server({
	name: "duet-demo",
	title: "Duet demo 北京",
	version: "1.0.0",
	instructions: "A server to try things on. get_weather knows every city, because it makes the weather up.",
	tools,
	resources,
	resourceTemplates,
	prompts,
});

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Pages on this machine may read the answers; a page from elsewhere may not.
 * @param {Request} request
 */
function corsHeaders(request) {
	const headers = new Headers({ vary: "origin" });
	const origin = request.headers.get("origin") ?? "";
	if (!URL.canParse(origin) || !LOOPBACK.has(new URL(origin).hostname)) return headers;
	headers.set("access-control-allow-origin", origin);
	headers.set("access-control-allow-methods", "GET, POST, DELETE, OPTIONS");
	// Which Mcp-Param-* headers come depends on the tool, so what is asked for is what is allowed.
	headers.set("access-control-allow-headers", request.headers.get("access-control-request-headers") ?? "*");
	headers.set("access-control-expose-headers", "mcp-session-id, www-authenticate, retry-after");
	headers.set("access-control-max-age", "600");
	return headers;
}

export default {
	/**
	 * @param {Request} request
	 * @param {Record<string, unknown>} env
	 * @param {{ waitUntil(promise: Promise<unknown>): void }} ctx
	 */
	async fetch(request, env, ctx) {
		const cors = corsHeaders(request);
		if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
		if (new URL(request.url).pathname !== "/mcp") {
			return new Response("The MCP endpoint of this worker is /mcp.\n", { status: 404, headers: cors });
		}
		if (request.headers.has("origin") && !cors.has("access-control-allow-origin")) {
			return new Response("Pages from this origin may not use this server.\n", { status: 403, headers: cors });
		}
		const answer = await server.fetch(request, {
			env,
			waitUntil: (/** @type {Promise<unknown>} */ promise) => ctx.waitUntil(promise),
		});
		const response = new Response(answer.body, answer);
		for (const [name, value] of cors) response.headers.set(name, value);
		return response;
	},
};
