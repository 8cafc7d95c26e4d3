// The exchange of one HTTP request: the options of its message, and its answer as JSON or as an event stream.

import { completed } from "./core.js";
import { consult } from "./server-caller.js";
import { BEYOND, inText, part, TAKES_TEXT } from "./server-parts.js";
import { CONSULT, follow, INVOKE, stringsOf } from "./server-step.js";

/** @typedef {import("./server-parts.js").Answer} Answer */
/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */
/** @typedef {import("./server.js").Inside} Inside */

const encoder = new TextEncoder();
/** A comment: nothing to whoever reads the stream. */
const KEEP_ALIVE = ":\n\n";
export const KEEP_ALIVE_MS = 15_000;
export const JSON_HEADERS = { "content-type": "application/json" };
const JSON_ANSWER = { headers: JSON_HEADERS };
export const STREAM_HEADERS = {
	"content-type": "text/event-stream",
	"cache-control": "no-cache",
	"x-accel-buffering": "no",
};

/** A message as an event. @param {string} text */
export const eventOf = (text) => `event: message\ndata: ${text}\n\n`;

/** The body of a response that is an event stream. */
export class Connection {
	/** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
	#controller;
	#timer;
	stream;
	/** Whether nobody reads it any more. */
	gone = false;

	/**
	 * @param {(reason: unknown) => void} onGone is told when the client goes away
	 * @param {() => void} [onBeat] is told now and then while the client is there
	 */
	constructor(onGone, onBeat) {
		// A platform that sees nothing of its own pending takes the request for hung; proxies drop silent connections.
		this.#timer = setInterval(() => {
			this.write(KEEP_ALIVE);
			onBeat?.();
		}, KEEP_ALIVE_MS);
		/** @type {any} */ (this.#timer).unref?.();
		this.stream = new ReadableStream({
			start: (controller) => {
				this.#controller = controller;
			},
			cancel: (reason) => {
				clearInterval(this.#timer);
				this.#controller = undefined;
				this.gone = true;
				onGone(reason);
			},
		});
	}

	/** @param {string} text */
	write(text) {
		this.#controller?.enqueue(encoder.encode(text));
	}

	close() {
		clearInterval(this.#timer);
		this.#controller?.close();
		this.#controller = undefined;
		this.gone = true;
	}
}

/** The options of a message that came by HTTP, and the response to it. */
export class Exchange {
	#request;
	#options;
	/** Aborted when the client is gone; made when somebody wants to know, or it is. @type {AbortController | undefined} */
	#gone;
	/** The message of a handler's call, and its numbers. @type {string | Uint8Array | undefined} */
	#message;
	/** @type {number[]} */
	#numbers = [];
	/** @type {string[]} sent before there was a stream */
	#waiting = [];
	/** @type {Connection | undefined} */
	#connection;
	/** @type {((stream: ReadableStream<Uint8Array>) => void) | undefined} takes the stream once there is one */
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
		return completed(() => this.#attempt(inside, held, lines, body, flags));
	}

	/**
	 * @param {Inside} inside
	 * @param {Held} held
	 * @param {string} lines
	 * @param {Uint8Array} body
	 * @param {number} flags
	 * @returns {Answer | Promise<Answer>}
	 */
	#attempt(inside, held, lines, body, flags) {
		const { live, core } = held;
		const { mailbox } = live;
		/** @type {number[] | undefined} */
		let numbers;
		/** @type {string[] | undefined} */
		let strings;
		const step = live.call(() => {
			const headLength = mailbox.writeBoth(lines, body);
			const step = core.handleHttp(headLength + body.length, headLength, flags | TAKES_TEXT);
			if (step !== 0) numbers = mailbox.numbers();
			strings = stringsOf(held, step, numbers);
			return step;
		});
		if (numbers === undefined) return { text: null, status: 202 };
		if (step === BEYOND) return inside.whole().then((whole) => this.run(inside, whole, lines, body, flags));
		if (step === CONSULT) {
			return consult(inside, held, body, this, numbers, () => this.run(inside, held, lines, body, flags));
		}
		const message = step === INVOKE ? inText(body) : body;
		if (step === INVOKE) {
			this.#message = message;
			this.#numbers = numbers;
		}
		return this.follow(inside, held, message, step, numbers, strings);
	}

	/**
	 * @param {Inside} inside
	 * @param {Held} held
	 * @param {string | Uint8Array} message
	 * @param {number} step
	 * @param {number[]} numbers
	 * @param {string[] | undefined} strings
	 * @returns {Answer | Promise<Answer>}
	 */
	follow(inside, held, message, step, numbers, strings) {
		return follow(inside, held, message, this, step, numbers, strings);
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
		if (this.#connection) this.#enqueue(text);
		else {
			this.#waiting.push(text);
			this.open();
		}
	};

	/** The id of a handler's call, as JSON. */
	get id() {
		return this.#message && part(this.#message, this.#numbers[5], this.#numbers[6]);
	}

	get hasEvents() {
		return this.#waiting.length > 0;
	}

	get streaming() {
		return this.#connection !== undefined;
	}

	/** Begins the event stream, once somebody takes it. */
	open() {
		if (this.#connection || !this.onStream) return;
		this.onStream(this.#stream());
	}

	/** @returns {ReadableStream<Uint8Array>} */
	#stream() {
		this.#connection = new Connection((reason) => {
			this.send = () => {};
			this.#gone ??= new AbortController();
			this.#gone.abort(reason);
		});
		for (const text of this.#waiting) this.#enqueue(text);
		this.#waiting = [];
		return this.#connection.stream;
	}

	/** @param {string} text */
	#enqueue(text) {
		this.#connection?.write(eventOf(text));
	}

	/** The last event; what is sent later is dropped. @param {Answer} answer */
	end(answer) {
		if (answer.text !== null) this.#enqueue(answer.text);
		this.#connection?.close();
	}

	/**
	 * The response, where nothing has been sent of it.
	 * @param {Answer} answer
	 * @param {boolean} json
	 * @param {Record<string, string> | undefined} extra
	 */
	respond(answer, json, extra) {
		const body = answer.bytes ?? answer.text;
		if (body === null) return new Response(null, { status: answer.status, headers: extra });
		if (this.hasEvents || (!json && answer.status === 200)) {
			const stream = this.#stream();
			this.end(answer);
			return new Response(stream, { headers: { ...STREAM_HEADERS, ...extra } });
		}
		if (answer.status === 200 && extra === undefined && answer.challenge === undefined)
			return new Response(answer.text, JSON_ANSWER);
		const challenge = answer.challenge === undefined ? undefined : { "www-authenticate": answer.challenge };
		return new Response(body, {
			status: answer.status,
			headers: extra || challenge ? { ...JSON_HEADERS, ...extra, ...challenge } : JSON_HEADERS,
		});
	}
}
