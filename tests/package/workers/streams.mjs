// A worker with two servers, one with sessions, whose streams are written to from other requests than their own.

import { Server } from "mcp-duet";

/** @type {any} */
const object = { type: "object" };
const form = { message: "name?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

let stopped = 0;

/** @param {any} [more] @returns {Server} */
function serverOf(more) {
	/** @type {Server} */
	const server = new Server({
		name: "streams",
		version: "1",
		capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } },
		resources: [],
		tools: [
			{
				name: "ask",
				inputSchema: object,
				handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) =>
					`Hello, ${(await ctx.elicit(form)).content?.name}`,
			},
			{
				name: "touch",
				inputSchema: object,
				handler: async () => {
					await server.notify({ type: "tools_list_changed" });
					await server.log("info", "touched");
					return "touched";
				},
			},
			{
				name: "leave",
				inputSchema: object,
				handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
					ctx.closeStream();
					await pause(50);
					return "came back";
				},
			},
			{
				name: "count",
				inputSchema: object,
				handler: async (/** @type {any} */ { to, name }, /** @type {any} */ ctx) => {
					for (let at = 1; at <= to; at++) {
						ctx.sendProgress(at, to, `${name} ${at}`);
						await pause(1);
						if (ctx.signal.aborted) {
							stopped++;
							return "stopped";
						}
					}
					return name;
				},
			},
			{ name: "stopped", inputSchema: object, handler: () => String(stopped) },
		],
		...more,
	});
	return server;
}

const stateless = serverOf();
const sessions = serverOf({ legacy: "sessions" });

/** @param {Request} request @param {any} [options] @returns {Promise<Response>} */
export function answer(request, options) {
	return (new URL(request.url).pathname === "/sessions" ? sessions : stateless).fetch(request, options);
}

export default {
	/** @param {Request} request @param {unknown} env @param {any} context */
	fetch: (request, env, context) =>
		answer(request, { env, waitUntil: (/** @type {Promise<unknown>} */ work) => context.waitUntil(work) }),
};
