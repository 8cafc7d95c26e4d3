// The demo edge worker: one MCP server, both eras, for the page beside it and for any client on this machine.

import { appsExtension } from "mcp-duet/apps/server";
import { Server } from "mcp-duet/server";
import { complete, prompts, resources, resourceTemplates } from "./demo/content.js";
import { tools } from "./demo/tools.js";

const server = new Server({
	name: "duet-demo",
	title: "Duet demo 北京",
	version: "1.0.0",
	instructions: "A server to try things on. get_weather knows every city, because it makes the weather up.",
	capabilities: { extensions: appsExtension },
	tools,
	resources,
	resourceTemplates,
	prompts,
	complete,
});

export default {
	/**
	 * @param {Request} request
	 * @param {Record<string, unknown>} env
	 * @param {{ waitUntil(promise: Promise<unknown>): void }} ctx
	 */
	fetch: (request, env, ctx) => server.fetch(request, { env, waitUntil: (promise) => ctx.waitUntil(promise) }),
};
