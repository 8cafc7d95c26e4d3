// The server fixture as an edge worker.

import { server } from "./everything.mjs";

export default {
	/**
	 * @param {Request} request
	 * @param {unknown} env
	 * @param {{ waitUntil: (work: Promise<unknown>) => void }} context
	 */
	fetch: (request, env, context) =>
		server.fetch(request, { env, waitUntil: (/** @type {Promise<unknown>} */ work) => context.waitUntil(work) }),
};
