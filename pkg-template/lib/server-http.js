// One HTTP request through the core: the head before the body is read, the body as bytes, the answer
// as JSON or, once something is sent before it, as an event stream.

import { McpError } from "../errors.js";
import { INTERNAL_ERROR } from "./constants.js";
import { completed } from "./core.js";
import { Exchange, JSON_HEADERS, STREAM_HEADERS } from "./server-exchange.js";
import { STREAMS } from "./server-step.js";

/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */
/** @typedef {import("./server.js").Inside} Inside */

/**
 * What `fetch` needs of a core, read at its first request.
 * @typedef {object} Http
 * @property {string[]} headNames the headers that decide whether a body is read
 * @property {string[]} messageNames the headers that a message is checked against
 * @property {number} maxBodyBytes
 * @property {Map<string, Admission>} admissions by head: clients send the same one again and again
 * @property {(string | null)[]} lastHead in its parts, which are compared sooner than put together
 * @property {Admission} [lastAdmission]
 */

/** @typedef {{ accepts: number, extra: Record<string, string> | undefined }} Admission */

/** The most admissions that are kept, and the longest head that is: what a stranger sends must not fill the memory. */
const MAX_ADMISSIONS = 64;
const MAX_KEPT_HEAD = 1024;

// What `admit` answers: 0 where it refused.
const ACCEPTS_JSON = 1;
export const ACCEPTS_STREAM = 2;
const WITH_HEADERS = 4;

/**
 * @param {Inside} inside
 * @param {Held} held
 * @param {Request} request
 * @param {Options} options
 * @returns {Promise<Response>} never rejects
 */
export async function respond(inside, held, request, options) {
	let extra;
	try {
		const admitted = completed(() => admissionOf(held, httpOf(held), request));
		const admission = admitted instanceof Promise ? await admitted : admitted;
		if (admission instanceof Response) return admission;
		extra = admission.extra;
		if (inside.sessions !== undefined) {
			// Who has no sessions does not load what they need.
			const { respondInSession } = await import("./server-session.js");
			return await respondInSession(inside, held, request, options, admission);
		}
		const { maxBodyBytes, messageNames } = httpOf(held);
		const body = await read(request, maxBodyBytes);
		if (body === undefined) return await completed(() => tooLarge(held, request));
		const exchange = new Exchange(request, options, (admission.accepts & ACCEPTS_STREAM) !== 0);
		return answer(exchange, inside, held, linesOf(request.headers, messageNames), body, admission);
	} catch (error) {
		return failure(error, undefined, extra);
	}
}

/**
 * The response to a message.
 * @param {Exchange} exchange
 * @param {Inside} inside
 * @param {Held} held
 * @param {string} lines of the message's headers
 * @param {Uint8Array} body
 * @param {Admission} admission
 * @returns {Response | Promise<Response>}
 */
export function answer(exchange, inside, held, lines, body, { accepts, extra }) {
	const json = (accepts & ACCEPTS_JSON) !== 0;
	const flags = (accepts & ACCEPTS_STREAM) === 0 ? 0 : STREAMS;
	const answer = exchange.run(inside, held, lines, body, flags);
	if (!(answer instanceof Promise)) return exchange.respond(answer, json, extra);
	return new Promise((resolve) => {
		exchange.onStream = (stream) => {
			// A platform that drops a request with its connection lets the handler hear of it first, or go on.
			exchange.waitUntil?.(answer.catch(() => {}));
			resolve(new Response(stream, { headers: { ...STREAM_HEADERS, ...extra } }));
		};
		answer.then(
			(answer) => {
				if (exchange.streaming) exchange.end(answer);
				else resolve(exchange.respond(answer, json, extra));
			},
			(error) => {
				if (exchange.streaming) exchange.end({ text: failureText(error, exchange.id), status: 500 });
				else resolve(failure(error, exchange.id, extra));
			},
		);
		if (exchange.hasEvents) exchange.open();
	});
}

/** @param {Held} held @param {Request} request */
export function tooLarge(held, request) {
	const { live, core } = held;
	const head = headOf(request, httpOf(held).headNames);
	return live.call(() => {
		core.tooLarge(live.mailbox.write(head));
		return posted(live.mailbox);
	});
}

/**
 * The error with which the core answers a modern request whose headers and body differ, or null.
 * @param {Held} held
 * @param {Headers} headers
 * @param {Uint8Array} message
 */
export function check(held, headers, message) {
	const { live, core } = held;
	return completed(() => {
		const lines = linesOf(headers, httpOf(held).messageNames);
		const error = live.call(() => {
			const headLength = live.mailbox.writeBoth(lines, message);
			return core.checkHeaders(headLength + message.length, headLength) === 0 ? undefined : live.mailbox.strings()[0];
		});
		return error === undefined ? null : JSON.parse(error);
	});
}

/**
 * What becomes of a request that the core could not take, or could not finish.
 * @param {any} error
 * @param {string} [id] the request's, as JSON, once it is known
 * @param {Record<string, string>} [extra] headers of every response to it
 */
export function failure(error, id, extra) {
	return new Response(failureText(error, id), { status: 500, headers: { ...JSON_HEADERS, ...extra } });
}

/** @param {any} error @param {string} [id] */
function failureText(error, id) {
	const message = error instanceof McpError ? error.message : "Internal error";
	const known = id === undefined ? "" : `"id":${id},`;
	return `{"jsonrpc":"2.0",${known}"error":${JSON.stringify({ code: INTERNAL_ERROR, message })}}`;
}

/** @param {Held} held @returns {Http} */
export function httpOf(held) {
	const { live, core } = held;
	held.http ??= live.call(() => {
		core.readHeaders();
		const names = live.mailbox.strings();
		const [count, maxBodyBytes] = live.mailbox.numbers();
		return {
			headNames: names.slice(0, count),
			messageNames: names.slice(count),
			maxBodyBytes,
			admissions: new Map(),
			lastHead: [],
		};
	});
	return held.http;
}

/**
 * @param {Held} held
 * @param {Http} http
 * @param {Request} request
 */
function admissionOf(held, http, request) {
	const { headers } = request;
	const { lastHead, lastAdmission } = http;
	/** @type {(string | null)[]} */
	const head = [request.method, request.url];
	for (const name of http.headNames) head.push(headers.get(name));
	if (lastAdmission !== undefined && head.every((part, at) => part === lastHead[at])) return lastAdmission;
	const text = headOf(request, http.headNames);
	const admission = http.admissions.get(text) ?? admit(held, http, text);
	if (!(admission instanceof Response) && text.length <= MAX_KEPT_HEAD) {
		http.lastHead = head;
		http.lastAdmission = admission;
	}
	return admission;
}

/**
 * Asks the core about a head that is new.
 * @param {Held} held
 * @param {Http} http
 * @param {string} head
 * @returns {Admission | Response} the response where it refused
 */
function admit(held, http, head) {
	const { live, core } = held;
	const { mailbox } = live;
	const answer = live.call(() => {
		const accepts = core.admit(mailbox.write(head));
		if (accepts === 0) return posted(mailbox);
		return { accepts, extra: (accepts & WITH_HEADERS) !== 0 ? headers(mailbox.strings()[0]) : undefined };
	});
	if (!(answer instanceof Response) && head.length <= MAX_KEPT_HEAD) {
		if (http.admissions.size >= MAX_ADMISSIONS) http.admissions.clear();
		http.admissions.set(head, answer);
	}
	return answer;
}

/**
 * Method, URL and headers as the core reads them: a line each.
 * @param {Request} request
 * @param {string[]} names
 */
const headOf = (request, names) => `${request.method}\n${request.url}\n${linesOf(request.headers, names)}`;

/**
 * @param {Headers} headers
 * @param {string[]} names
 */
export function linesOf(headers, names) {
	let lines = "";
	for (const name of names) {
		const value = headers.get(name);
		lines += value === null ? "\n" : `=${value}\n`;
	}
	return lines;
}

/** The response in the mailbox. @param {import("./mailbox.js").Mailbox} mailbox */
export function posted(mailbox) {
	const [lines, body] = mailbox.strings();
	return new Response(body === "" ? null : body, { status: mailbox.numbers()[0], headers: headers(lines) });
}

/** @param {string} lines names and values in turn */
function headers(lines) {
	/** @type {Record<string, string>} */
	const out = {};
	const parts = lines.split("\n");
	for (let i = 0; i + 1 < parts.length; i += 2) out[parts[i]] = parts[i + 1];
	return out;
}

/**
 * The body, or nothing if it is larger than `limit`: what comes beyond is not kept.
 * @param {Request} request
 * @param {number} limit
 * @returns {Promise<Uint8Array | undefined>}
 */
export async function read(request, limit) {
	if (Number(request.headers.get("content-length")) > limit) return undefined;
	if (request.body === null) return new Uint8Array();
	const reader = request.body.getReader();
	/** @type {Uint8Array | undefined} */
	let first;
	/** @type {Uint8Array[]} */
	const rest = [];
	let length = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) break;
		length += value.length;
		if (length > limit) {
			// The peer may be sending for ever; nobody waits for its end.
			reader.cancel().catch(() => {});
			return undefined;
		}
		if (first === undefined) first = value;
		else rest.push(value);
	}
	if (first === undefined) return new Uint8Array();
	if (rest.length === 0) return first;
	const whole = new Uint8Array(length);
	whole.set(first);
	let at = first.length;
	for (const chunk of rest) {
		whole.set(chunk, at);
		at += chunk.length;
	}
	return whole;
}
