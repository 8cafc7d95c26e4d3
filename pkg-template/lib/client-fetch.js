// One HTTP exchange by fetch: sends, and reads the answer as the core wants it.

import { beginning } from "./body.js";
import { DISCARD, ERROR, FOLLOW, FOLLOW_BARE, ignore, MESSAGE, STREAM, TOOLS } from "./client-wire.js";

/** The content types that are told as numbers: 1 and 2. */
const TYPES = ["", "application/json", "text/event-stream"];

/** @typedef {import("./client-wire.js").Exchange} Exchange */
/** @typedef {import("./client-wire.js").Wire} Wire */

/** As much as the core reads of an error's body, in bytes. */
const ERROR_BODY_BYTES = 64 * 1024;

const HIDDEN =
	"the server redirects, and a browser would take the application's headers along wherever that leads: use the URL that it leads to";

/**
 * @param {Wire} wire
 * @param {Exchange} exchange
 * @param {string} method
 * @param {Record<string, string>} headers
 * @param {string} text
 */
export async function fetchExchange(wire, exchange, method, headers, text) {
	let { headers: extra, auth } = wire.settings;
	let url = (method === "POST" && wire.endpoint) || wire.settings.url;
	const { fetch: own, browser } = wire.settings;
	try {
		// A free function, looked up late: fetch must not be called as somebody's method.
		const call = own ?? globalThis.fetch;
		for (;;) {
			const init = {
				method,
				headers: extra === undefined ? headers : await merged(extra, headers),
				body: text || undefined,
				signal: /** @type {AbortController} */ (exchange.controller).signal,
				// Browsers hide where a redirect goes, and would take the application's headers along; everywhere else
				// it is followed here, method and all.
				redirect: browser && extra === undefined ? "follow" : "manual",
			};
			const response = await (auth ? authorized(wire, exchange, call, url, init) : call(url, init));
			if (exchange.done) {
				response.body?.cancel().catch(ignore);
				return;
			}
			const { status } = response;
			if (status === 0 && response.type === "opaqueredirect") throw new TypeError(HIDDEN);
			const location = browser || status < 300 || status > 399 ? undefined : target(response, url);
			const how = head(wire, exchange, response, location);
			const code = typeof how === "number" ? how : await how;
			switch (code) {
				case DISCARD:
					wire.discarded(exchange);
					response.body?.cancel().catch(ignore);
					return;
				case ERROR:
					wire.body(exchange, await beginning(response, ERROR_BODY_BYTES));
					return;
				case MESSAGE:
					wire.message(exchange, await response.text(), false);
					return;
				case TOOLS: {
					const text = await response.text();
					// A key may be written with escapes; then it has the escape of an ASCII letter.
					if (text.includes("x-mcp-header") || text.includes("\\u00")) wire.body(exchange, text);
					else wire.message(exchange, text, false);
					return;
				}
				case STREAM: {
					const reader = response.body?.getReader();
					exchange.reader = reader;
					while (reader !== undefined && !exchange.done) {
						const { value, done } = await reader.read();
						if (exchange.done) return;
						if (done) break;
						if (value.length > 0) wire.chunk(exchange, value);
					}
					wire.end(exchange);
					return;
				}
				case FOLLOW:
				case FOLLOW_BARE:
					break;
				default:
					wire.body(exchange, await response.text());
					return;
			}
			response.body?.cancel().catch(ignore);
			url = location;
			if (code === FOLLOW_BARE) {
				extra = undefined;
				auth = undefined;
				headers = { ...headers };
				delete headers["Mcp-Session-Id"];
			}
		}
	} catch (error) {
		wire.failed(exchange, error);
	}
}

/**
 * Tokens belong to the server that was named; where it moved to within its origin, they go along.
 * @param {Wire} wire
 * @param {Exchange} exchange
 * @param {typeof fetch} call
 * @param {any} to
 * @param {any} init
 */
function authorized(wire, exchange, call, to, init) {
	const { url, auth } = wire.settings;
	const sent = (/** @type {string} */ at, /** @type {RequestInit} */ init) => call(at === url ? to : at, init);
	return auth.fetch(sent, url, init, (/** @type {Promise<any>} */ work) => wire.hold(exchange, work));
}

/**
 * The application's headers, overruled by the protocol's.
 * @param {any} own
 * @param {Record<string, string>} headers
 */
async function merged(own, headers) {
	const all = Object.fromEntries(new Headers(typeof own === "function" ? await own() : own));
	for (const name of Object.keys(headers)) {
		delete all[name.toLowerCase()];
		all[name] = headers[name];
	}
	return all;
}

/**
 * Where an answer sends the request, as an absolute URL.
 * @param {Response} response
 * @param {string} url
 */
function target({ headers }, url) {
	const location = headers.get("location");
	return location && URL.canParse(location, url) ? new URL(location, url).href : undefined;
}

/**
 * Tells of the head; gives how to read what follows.
 * @param {Wire} wire
 * @param {Exchange} exchange
 * @param {Response} response
 * @param {string} [location]
 */
function head(wire, exchange, { ok, status, headers, statusText }, location = "") {
	const type = headers.get("content-type") ?? "";
	if (!ok) {
		const [retry, challenge] = [headers.get("retry-after") ?? "", headers.get("www-authenticate") ?? ""];
		return wire.head(exchange, status, `${type}\0\0${retry}\0${challenge}\0${statusText}\0${location}`);
	}
	const session = wire.modern ? undefined : headers.get("mcp-session-id");
	const known = TYPES.indexOf(type);
	if (known > 0 && !session) return wire.head(exchange, status | (known << 16), "");
	return wire.head(exchange, status, `${type}\0${session ?? ""}`);
}
