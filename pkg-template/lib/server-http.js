// One HTTP request through the core: the head before the body is read, the body as bytes, the answer
// as JSON or, once something is sent before it, as an event stream.

import { McpError } from "../errors.js";
import { INTERNAL_ERROR } from "./constants.js";
import { consult } from "./server-caller.js";
import { part } from "./server-parts.js";
import { CONSULT, follow, hasStrings, INVOKE, STREAMS } from "./server-step.js";

/** @typedef {import("./server-parts.js").Answer} Answer */
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
 */

/** @typedef {{ accepts: number, extra: Record<string, string> | undefined }} Admission */

/** The most admissions that are kept, and the longest head that is: what a stranger sends must not fill the memory. */
const MAX_ADMISSIONS = 64;
const MAX_KEPT_HEAD = 1024;

// What `admit` answers: 0 where it refused.
const ACCEPTS_JSON = 1;
const ACCEPTS_STREAM = 2;
const WITH_HEADERS = 4;

const encoder = new TextEncoder();
/** A comment: nothing to whoever reads the stream. */
const KEEP_ALIVE = encoder.encode(":\n\n");
const KEEP_ALIVE_MS = 15_000;
const JSON_HEADERS = { "content-type": "application/json" };
const STREAM_HEADERS = { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" };

/**
 * @param {Inside} inside
 * @param {Held} held
 * @param {Request} request
 * @param {Options} options
 * @returns {Promise<Response>}
 */
export async function respond(inside, held, request, options) {
	const { live, core } = held;
	const { mailbox } = live;
	const http = httpOf(held);
	const head = headOf(request, http.headNames);
	const admission = http.admissions.get(head) ?? admit(held, http, head);
	if (admission instanceof Response) return admission;
	const { accepts, extra } = admission;

	const body = await read(request, http.maxBodyBytes);
	if (body === undefined) {
		return live.call(() => {
			core.tooLarge(mailbox.write(head));
			return posted(mailbox);
		});
	}

	const streams = (accepts & ACCEPTS_STREAM) !== 0;
	const json = (accepts & ACCEPTS_JSON) !== 0;
	const exchange = new Exchange(request, options, streams);
	const answer = exchange.run(inside, held, linesOf(request.headers, http.messageNames), body, streams ? STREAMS : 0);
	if (!(answer instanceof Promise)) return exchange.respond(answer, json, extra);
	return new Promise((resolve) => {
		exchange.onStream = (stream) => resolve(new Response(stream, { headers: { ...STREAM_HEADERS, ...extra } }));
		answer.then(
			(answer) => {
				if (exchange.streaming) exchange.end(answer);
				else resolve(exchange.respond(answer, json, extra));
			},
			(error) => {
				if (exchange.streaming) exchange.end({ text: failureText(error, exchange.id), status: 500 });
				else resolve(failure(error, exchange.id));
			},
		);
		if (exchange.hasEvents) exchange.open();
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
	const lines = linesOf(headers, httpOf(held).messageNames);
	const error = live.call(() => {
		const headLength = live.mailbox.writeBoth(lines, message);
		return core.checkHeaders(headLength + message.length, headLength) === 0 ? undefined : live.mailbox.strings()[0];
	});
	return error === undefined ? null : JSON.parse(error);
}

/**
 * What becomes of a request that the core could not take, or could not finish.
 * @param {any} error
 * @param {string} [id] the request's, as JSON, once it is known
 */
export function failure(error, id) {
	return new Response(failureText(error, id), { status: 500, headers: JSON_HEADERS });
}

/** @param {any} error @param {string} [id] */
function failureText(error, id) {
	const message = error instanceof McpError ? error.message : "Internal error";
	const known = id === undefined ? "" : `"id":${id},`;
	return `{"jsonrpc":"2.0",${known}"error":${JSON.stringify({ code: INTERNAL_ERROR, message })}}`;
}

/** @param {Held} held @returns {Http} */
function httpOf(held) {
	const { live, core } = held;
	held.http ??= live.call(() => {
		core.readHeaders();
		const names = live.mailbox.strings();
		const [count, maxBodyBytes] = live.mailbox.numbers();
		return { headNames: names.slice(0, count), messageNames: names.slice(count), maxBodyBytes, admissions: new Map() };
	});
	return held.http;
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
function linesOf(headers, names) {
	let lines = "";
	for (const name of names) {
		const value = headers.get(name);
		lines += value === null ? "\n" : `=${value}\n`;
	}
	return lines;
}

/** The response in the mailbox. @param {import("./mailbox.js").Mailbox} mailbox */
function posted(mailbox) {
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
async function read(request, limit) {
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

/** The options of a message that came by HTTP; the event stream of its answer, if there is one. */
class Exchange {
	#request;
	#options;
	/** @type {AbortController | undefined} */
	#gone;
	/** @type {[Uint8Array, number, number] | undefined} where the id of a handler's call is */
	#id;
	/** @type {string[]} sent before there was a stream */
	#waiting = [];
	/** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
	#controller;
	/** @type {ReturnType<typeof setInterval> | undefined} */
	#timer;
	/** @type {((stream: ReadableStream<Uint8Array>) => void) | undefined} */
	onStream;

	/** @param {Request} request @param {Options} options @param {boolean} streams */
	constructor(request, options, streams) {
		this.#request = request;
		this.#options = options;
		if (!streams) this.send = undefined;
	}

	/**
	 * @param {Inside} inside
	 * @param {Held} held
	 * @param {string} lines of the message's headers
	 * @param {Uint8Array} body
	 * @param {number} flags
	 * @returns {Answer | Promise<Answer>}
	 */
	run(inside, held, lines, body, flags) {
		const { live, core } = held;
		const { mailbox } = live;
		/** @type {number[] | undefined} */
		let numbers;
		/** @type {string[] | undefined} */
		let strings;
		const step = live.call(() => {
			const headLength = mailbox.writeBoth(lines, body);
			const step = core.handleHttp(headLength + body.length, headLength, flags);
			if (step !== 0) numbers = mailbox.numbers();
			if (hasStrings(step, numbers)) strings = mailbox.strings();
			return step;
		});
		if (numbers === undefined) return { text: null, status: 202 };
		if (step === CONSULT) {
			return consult(inside, held, body, this, numbers, () => this.run(inside, held, lines, body, flags));
		}
		if (step === INVOKE) this.#id = [body, numbers[5], numbers[6]];
		return follow(inside, held, body, this, step, numbers, strings);
	}

	/** A legacy client's disconnection cancels nothing (2025-11-25, basic/transports). */
	get isHttp() {
		return true;
	}

	get headers() {
		return this.#request.headers;
	}

	get authInfo() {
		return this.#options.authInfo;
	}

	get env() {
		return this.#options.env;
	}

	get waitUntil() {
		return this.#options.waitUntil;
	}

	/** Aborted when the client is gone. */
	get signal() {
		if (this.#gone === undefined) {
			const gone = new AbortController();
			this.#gone = gone;
			const { signal } = this.#request;
			if (signal?.aborted) gone.abort(signal.reason);
			else signal?.addEventListener("abort", () => gone.abort(signal.reason), { once: true });
		}
		return this.#gone.signal;
	}

	/** @type {((text: string) => void) | undefined} takes a message before the answer */
	send = (text) => {
		if (this.#controller) this.#enqueue(text);
		else {
			this.#waiting.push(text);
			this.open();
		}
	};

	/** The id of a handler's call, as JSON. */
	get id() {
		return this.#id && part(...this.#id);
	}

	get hasEvents() {
		return this.#waiting.length > 0;
	}

	get streaming() {
		return this.#controller !== undefined;
	}

	/** Begins the event stream, once somebody takes it. */
	open() {
		if (this.#controller || !this.onStream) return;
		this.onStream(this.#stream());
	}

	/** @returns {ReadableStream<Uint8Array>} */
	#stream() {
		// A platform that sees nothing of its own pending takes the request for hung; proxies drop silent connections.
		this.#timer = setInterval(() => this.#controller?.enqueue(KEEP_ALIVE), KEEP_ALIVE_MS);
		/** @type {any} */ (this.#timer).unref?.();
		const stream = new ReadableStream({
			start: (controller) => {
				this.#controller = controller;
			},
			cancel: (reason) => {
				clearInterval(this.#timer);
				this.#controller = undefined;
				this.#waiting = [];
				this.send = () => {};
				this.end = () => {};
				this.#gone?.abort(reason);
			},
		});
		for (const text of this.#waiting) this.#enqueue(text);
		this.#waiting = [];
		return stream;
	}

	/** @param {string} text */
	#enqueue(text) {
		this.#controller?.enqueue(encoder.encode(`event: message\ndata: ${text}\n\n`));
	}

	/** The last event. @param {Answer} answer */
	end = (answer) => {
		clearInterval(this.#timer);
		if (answer.text !== null) this.#enqueue(answer.text);
		this.#controller?.close();
	};

	/**
	 * The response, where nothing has been sent of it.
	 * @param {Answer} answer
	 * @param {boolean} json
	 * @param {Record<string, string> | undefined} extra
	 */
	respond(answer, json, extra) {
		if (answer.text === null) return new Response(null, { status: answer.status, headers: extra });
		if (this.hasEvents || (!json && answer.status === 200)) {
			const stream = this.#stream();
			this.end(answer);
			return new Response(stream, { headers: { ...STREAM_HEADERS, ...extra } });
		}
		const challenge = answer.challenge === undefined ? undefined : { "www-authenticate": answer.challenge };
		return new Response(answer.text, {
			status: answer.status,
			headers: extra || challenge ? { ...JSON_HEADERS, ...extra, ...challenge } : JSON_HEADERS,
		});
	}
}
