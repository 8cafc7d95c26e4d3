// Requests through a proxy, by the package undici, which is asked for only here.

import { McpError } from "../errors.js";

/** An optional peer dependency. @type {string} */
const PACKAGE = "undici";

/**
 * A `fetch` for a Client.
 * @param {string | URL} proxy
 */
export function proxyFetch(proxy) {
	if (proxy !== "env" && !URL.canParse(String(proxy))) {
		throw new McpError("INVALID_ARGUMENT", 'proxy must be "env" or the URL of a proxy');
	}
	/** @type {Promise<{ fetch: any, dispatcher: any }> | undefined} */
	let loading;
	const load = async () => {
		/** @type {any} */
		let undici;
		try {
			// By a variable, so that bundlers do not look for what may not be there.
			undici = await import(PACKAGE);
		} catch (cause) {
			const message = "a proxy needs the package undici, which is not installed: npm install undici";
			throw new McpError("INVALID_ARGUMENT", message, { cause });
		}
		// The dispatcher of one version does not fit another one's fetch, so not the global one.
		const { fetch, EnvHttpProxyAgent, ProxyAgent } = undici;
		return { fetch, dispatcher: proxy === "env" ? new EnvHttpProxyAgent() : new ProxyAgent(String(proxy)) };
	};
	/** @param {any} input @param {any} [init] */
	return async (input, init) => {
		loading ??= load();
		const { fetch, dispatcher } = await loading;
		return fetch(input, { ...init, dispatcher });
	};
}
