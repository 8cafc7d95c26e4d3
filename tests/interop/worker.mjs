// That server as an edge worker: three policies on three paths.

import { ourServer } from "./our-server.mjs";

/** @type {Record<string, ReturnType<typeof ourServer>>} */
const servers = {
	"/mcp": ourServer(),
	"/modern": ourServer({ legacy: "reject" }),
	"/legacy": ourServer({ supportedVersions: ["2025-11-25", "2025-06-18"] }),
};

export default {
	/**
	 * @param {Request} request
	 * @param {unknown} env
	 * @param {{ waitUntil: (work: Promise<unknown>) => void }} context
	 */
	fetch(request, env, context) {
		const server = servers[new URL(request.url).pathname];
		if (!server) return new Response("not found", { status: 404 });
		return server.fetch(request, { env, waitUntil: (/** @type {Promise<unknown>} */ work) => context.waitUntil(work) });
	},
};
