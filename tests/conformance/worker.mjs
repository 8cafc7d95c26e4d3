// The server fixture as an edge worker, without sessions.

import { everything } from "./everything.mjs";

const server = everything();

export default {
	/**
	 * @param {Request} request
	 * @param {unknown} env
	 * @param {{ waitUntil: (work: Promise<unknown>) => void }} context
	 */
	fetch: (request, env, context) =>
		server.fetch(request, { env, waitUntil: (/** @type {Promise<unknown>} */ work) => context.waitUntil(work) }),
};
