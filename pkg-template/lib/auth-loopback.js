// The user comes back to this machine (RFC 8252 §7.3): for programs in Node.js, Deno and Bun.

import { McpError } from "../errors.js";
import { late } from "./auth-error.js";

/** How long a person may take, in milliseconds. */
const PERSON_MS = 5 * 60_000;

const PAGE = "<!doctype html><title>Done</title><p>You can close this window.";

/**
 * `redirectUri` and `authorize` for an authorization code provider.
 * @param {{ open: (url: string) => unknown, port?: number, path?: string, timeoutMs?: number }} options
 */
export function loopback(options) {
	const { open, port = 33418, path = "/callback", timeoutMs = PERSON_MS } = options ?? {};
	if (typeof open !== "function") {
		throw new McpError("INVALID_ARGUMENT", "open must be a function that shows a URL to the user");
	}
	const origin = `http://127.0.0.1:${port}`;
	return { redirectUri: origin + path, authorize: (/** @type {string} */ url) => receive(url) };

	/** @param {string} url */
	async function receive(url) {
		// An import by name would keep bundlers for the web from taking this file.
		const http = /** @type {any} */ (globalThis).process?.getBuiltinModule?.("node:http");
		if (!http) throw new McpError("INVALID_ARGUMENT", "loopback needs Node.js 20.16, Deno or Bun");
		const state = new URL(url).searchParams.get("state");
		/** @type {any} */
		let server;
		/** @type {ReturnType<typeof setTimeout> | undefined} */
		let timer;
		try {
			return await new Promise((resolve, reject) => {
				server = http.createServer((/** @type {any} */ request, /** @type {any} */ response) => {
					const callback = new URL(request.url, origin);
					// Whatever else runs on this machine may ask too.
					const isOurs = callback.pathname === path && callback.searchParams.get("state") === state;
					response.writeHead(isOurs ? 200 : 404, { "content-type": "text/html", connection: "close" });
					response.end(isOurs ? PAGE : "");
					if (isOurs) resolve(origin + request.url);
				});
				server.once("error", reject);
				server.listen(port, "127.0.0.1", async () => {
					try {
						await open(url);
					} catch (error) {
						reject(error);
					}
				});
				timer = setTimeout(() => reject(late(timeoutMs)), timeoutMs);
			});
		} finally {
			clearTimeout(timer);
			server?.close();
		}
	}
}
