// A server behind node:http.

import { createServer } from "node:http";
import { Readable } from "node:stream";
import { McpError } from "../errors.js";

/** How long `close` waits for what runs, in milliseconds. */
const CLOSE_MS = 5_000;

/**
 * @param {any} target a Server, or a function from a Request to its Response
 * @param {any} [options]
 */
export async function serve(target, options = {}) {
	const {
		port = 0,
		host = "127.0.0.1",
		onError = (/** @type {any} */ error) => console.error(error),
		...more
	} = options;
	const isServer = typeof target?.fetch === "function";
	if (!isServer && typeof target !== "function") {
		throw new McpError("INVALID_ARGUMENT", "serve takes a Server, or a function from a Request to a Response");
	}
	/** What goes on after its answer. @type {Set<Promise<unknown>>} */
	const waiting = new Set();
	const waitUntil = (/** @type {Promise<unknown>} */ promise) => {
		const one = Promise.resolve(promise)
			.catch(onError)
			.finally(() => waiting.delete(one));
		waiting.add(one);
	};
	const given = { authInfo: more.authInfo, env: more.env, waitUntil };
	const http = createServer(async (message, response) => {
		const controller = new AbortController();
		response.once("close", () => {
			if (!response.writableFinished) controller.abort(new Error("the client has gone"));
		});
		/** @type {Request} */
		let request;
		try {
			request = requestOf(message, controller.signal);
		} catch {
			// Its Host or target makes no URL.
			return void response.writeHead(400).end();
		}
		try {
			const answer = await (isServer ? target.fetch(request, given) : target(request, given));
			await reply(response, answer);
		} catch (error) {
			if (!controller.signal.aborted) onError(error);
			if (response.headersSent) response.destroy();
			else response.writeHead(500).end();
		}
	});
	await new Promise((resolve, reject) => {
		http.once("error", reject);
		http.listen(port, host, () => resolve(undefined));
	});
	const at = /** @type {import("node:net").AddressInfo} */ (http.address());
	return {
		port: at.port,
		url: `http://${host.includes(":") ? `[${host}]` : host}:${at.port}`,
		http,
		close: async () => {
			const closed = new Promise((resolve) => http.close(resolve));
			http.closeIdleConnections();
			/** @type {NodeJS.Timeout | undefined} */
			let timer;
			const late = new Promise((resolve) => {
				timer = setTimeout(resolve, CLOSE_MS);
			});
			await Promise.race([Promise.all([closed, ...waiting]), late]);
			clearTimeout(timer);
			http.closeAllConnections();
			await closed;
		},
	};
}

/**
 * @param {import("node:http").IncomingMessage} message
 * @param {AbortSignal} signal
 */
function requestOf(message, signal) {
	const { method = "GET", rawHeaders } = message;
	const headers = new Headers();
	for (let at = 0; at < rawHeaders.length; at += 2) {
		// Those of HTTP/2 and of the connection are none of the request's.
		if (!rawHeaders[at].startsWith(":")) headers.append(rawHeaders[at], rawHeaders[at + 1]);
	}
	// An absolute target is a proxy's; the path is ours in any case.
	const target = message.url?.startsWith("/") ? message.url : new URL(message.url ?? "/", "http://x").pathname;
	const url = `http://${message.headers.host ?? "localhost"}${target}`;
	const hasBody = method !== "GET" && method !== "HEAD";
	/** @type {any} */
	const init = { method, headers, signal };
	if (hasBody) Object.assign(init, { body: Readable.toWeb(message), duplex: "half" });
	return new Request(url, init);
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {Response} answer
 */
async function reply(response, answer) {
	/** @type {Record<string, string | string[]>} */
	const headers = Object.fromEntries(answer.headers);
	const cookies = answer.headers.getSetCookie();
	if (cookies.length > 0) headers["set-cookie"] = cookies;
	response.writeHead(answer.status, headers);
	const reader = answer.body?.getReader();
	if (!reader) return void response.end();
	// A stream may be silent for long; its head is not.
	response.flushHeaders();
	const gone = new Promise((resolve) => response.once("close", () => resolve(undefined)));
	gone.then(() => reader.cancel().catch(() => {}));
	for (;;) {
		const { value, done } = await reader.read();
		if (done || response.destroyed) break;
		if (!response.write(value)) {
			await Promise.race([gone, new Promise((resolve) => response.once("drain", resolve))]);
		}
	}
	response.end();
}
