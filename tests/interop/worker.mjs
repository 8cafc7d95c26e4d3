// Those servers as an edge worker.

import { handler } from "./our-server.mjs";

const answer = handler();

export default {
	/**
	 * @param {Request} request
	 * @param {unknown} env
	 * @param {{ waitUntil: (work: Promise<unknown>) => void }} context
	 */
	fetch: (request, env, context) =>
		answer(request, { env, waitUntil: (/** @type {Promise<unknown>} */ work) => context.waitUntil(work) }),
};
