// One exchange by a transport function.

import { DISCARD } from "./client-wire.js";

/** @typedef {import("./client-wire.js").Exchange} Exchange */
/** @typedef {import("./client-wire.js").Wire} Wire */

/**
 * @param {Wire} wire
 * @param {Exchange} exchange
 * @param {string} text empty where HTTP would send a request without a message
 */
export async function callTransport(wire, exchange, text) {
	const { transport } = wire.settings;
	try {
		if (text !== "") {
			const { signal } = /** @type {AbortController} */ (exchange.controller);
			const onMessage = (/** @type {any} */ message) => incoming(wire, exchange, message);
			const reply = await transport(JSON.parse(text), { signal, onMessage });
			if (reply !== undefined && reply !== null) incoming(wire, exchange, reply);
		}
		wire.end(exchange);
	} catch (error) {
		const answer = /** @type {any} */ (error);
		if (!exchange.done && typeof answer?.status === "number") judge(wire, exchange, answer);
		else wire.failed(exchange, error);
	}
}

/**
 * An error that carries an HTTP answer.
 * @param {Wire} wire
 * @param {Exchange} exchange
 * @param {any} error
 */
function judge(wire, exchange, error) {
	const headers = new Headers(error.headers ?? {});
	const header = (/** @type {string} */ name) => headers.get(name) ?? "";
	const type = header("content-type");
	const facts = [
		type,
		header("mcp-session-id"),
		header("retry-after"),
		header("www-authenticate"),
		error.statusText ?? "",
	];
	const read = (/** @type {number} */ how) => {
		wire.cause = error;
		if (how === DISCARD) wire.discarded(exchange);
		else wire.body(exchange, text(error.body));
		wire.cause = undefined;
	};
	wire.cause = error;
	const how = wire.head(exchange, error.status & 0xffff, facts.join("\0"));
	wire.cause = undefined;
	if (typeof how === "number") read(how);
	else how.then(read);
}

/**
 * One message: an object, text or bytes.
 * @param {Wire} wire
 * @param {Exchange} exchange
 * @param {any} message
 */
function incoming(wire, exchange, message) {
	if (exchange.done) return;
	if (typeof message === "string") wire.incoming(exchange, message);
	else if (ArrayBuffer.isView(message)) wire.incoming(exchange, bytes(message));
	else if (wire.settings.kind !== "pipe" || !wire.result(exchange, message)) {
		wire.incoming(exchange, JSON.stringify(message) ?? "undefined");
	}
}

/** @param {ArrayBufferView} view */
const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** A body as text, whatever it is. @param {any} body */
function text(body) {
	if (typeof body === "string") return body;
	return ArrayBuffer.isView(body) ? new TextDecoder().decode(bytes(body)) : (JSON.stringify(body) ?? "");
}
