// One of several isolates of a worker: its sessions are in a Durable Object, and its changes go over another one.

import { ChangeHub, durableObjectBus } from "mcp-duet/bus";
import { Server } from "mcp-duet/server";

export { ChangeHub };

/** Keeps texts for every isolate. */
export class Texts {
	#storage;

	/** @param {any} state */
	constructor(state) {
		this.#storage = state.storage;
	}

	/** @param {Request} request */
	async fetch(request) {
		const key = new URL(request.url).pathname;
		if (request.method === "PUT") await this.#storage.put(key, await request.text());
		if (request.method === "DELETE") await this.#storage.delete(key);
		return new Response(request.method === "GET" ? ((await this.#storage.get(key)) ?? "") : null);
	}
}

/** @type {any} */
let bindings;

const texts = (/** @type {string} */ id, /** @type {any} */ init) => {
	const { TEXTS } = bindings;
	return TEXTS.get(TEXTS.idFromName("texts")).fetch(`https://texts.invalid/${id}`, init);
};

/** @type {any} */
const form = { message: "name?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };

const server = new Server({
	name: "hub",
	version: "1",
	legacy: "sessions",
	bus: durableObjectBus(() => bindings.HUB),
	sessions: {
		store: {
			get: async (id) => (await texts(id, {})).text(),
			set: (id, session) => texts(id, { method: "PUT", body: session }),
			delete: (id) => texts(id, { method: "DELETE" }),
		},
	},
	capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
	resources: [],
	tools: [
		{
			name: "touch",
			inputSchema: { type: "object" },
			handler: async (/** @type {any} */ { uri }) => {
				await server.notify(uri ? { type: "resource_updated", uri } : { type: "tools_list_changed" });
				return "touched";
			},
		},
		{
			name: "ask",
			inputSchema: { type: "object" },
			handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) =>
				`Hello, ${(await ctx.elicit(form)).content?.name}`,
		},
	],
});

export default {
	/** @param {Request} request @param {any} env @param {any} context */
	fetch(request, env, context) {
		bindings = env;
		return server.fetch(request, { env, waitUntil: (/** @type {any} */ work) => context.waitUntil(work) });
	},
};
