// One HTTP exchange by fetch: sends, and reads the answer as the core wants it.

import { beginning } from "./body.js";
import { DISCARD, ERROR, FOLLOW, FOLLOW_BARE, ignore, MESSAGE, STREAM, TOOLS } from "./client-wire.js";

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
	const { url: server, fetch: own, browser } = wire.settings;
	try {
		// A free function, looked up late: fetch must not be called as somebody's method.
		const call = own ?? globalThis.fetch;
		const held = (/** @type {Promise<any>} */ work) => wire.hold(exchange, work);
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
			const to = url;
			// Tokens belong to the server that was named; where it moved to within its origin, they go along.
			const sent = (/** @type {string} */ at, /** @type {RequestInit} */ init) => call(at === server ? to : at, init);
			const response = await (auth ? auth.fetch(sent, server, init, held) : call(url, init));
			if (exchange.done) {
				response.body?.cancel().catch(ignore);
				return;
			}
			if (response.type === "opaqueredirect") throw new TypeError(HIDDEN);
			const location = browser ? undefined : target(response, url);
			const code = wire.head(exchange, response.status, facts(wire, response, location));
			if (code !== FOLLOW && code !== FOLLOW_BARE) return await read(wire, exchange, response, code);
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
function target({ status, headers }, url) {
	const location = status >= 300 && status < 400 ? headers.get("location") : null;
	return location && URL.canParse(location, url) ? new URL(location, url).href : undefined;
}

/**
 * @param {Wire} wire
 * @param {Exchange} exchange
 * @param {Response} response
 * @param {number} code how
 */
async function read(wire, exchange, response, code) {
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
		case STREAM:
			await stream(wire, exchange, response);
			return;
		default:
			wire.body(exchange, await response.text());
	}
}

/**
 * What the head says, as the core takes it.
 * @param {Wire} wire
 * @param {Response} response
 * @param {string} [location]
 */
function facts(wire, { ok, headers, statusText }, location = "") {
	const type = headers.get("content-type") ?? "";
	if (ok) return wire.modern ? type : `${type}\0${headers.get("mcp-session-id") ?? ""}`;
	const [retry, challenge] = [headers.get("retry-after") ?? "", headers.get("www-authenticate") ?? ""];
	return `${type}\0\0${retry}\0${challenge}\0${statusText}\0${location}`;
}

/**
 * @param {Wire} wire
 * @param {Exchange} exchange
 * @param {Response} response
 */
async function stream(wire, exchange, response) {
	const reader = response.body?.getReader();
	exchange.reader = reader;
	while (reader !== undefined && !exchange.done) {
		const { value, done } = await reader.read();
		if (exchange.done) return;
		if (done) break;
		if (value.length > 0) wire.chunk(exchange, value);
	}
	wire.end(exchange);
}
