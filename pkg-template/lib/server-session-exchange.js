// One HTTP request with messages of a legacy session: the stream of its calls, and what it changes of its session.

import { Exchange, STREAM_HEADERS } from "./server-exchange.js";
import { CANCEL, follow, INVOKE, SESSION } from "./server-step.js";

/** @typedef {import("./server-parts.js").Answer} Answer */
/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */
/** @typedef {import("./server.js").Inside} Inside */

/** After how long a call without a word gets its stream, so that a client that is cut off can come back to it. */
const OPEN_AFTER_MS = 5_000;

/** A session's line as the core reads it. @param {string | null} id @param {string | undefined} text */
export const sessionLine = (id, text) => (id === null ? "" : `=${text ?? ""}`);

/** An id, however it was written. @param {string} json */
const canonical = (json) => JSON.stringify(JSON.parse(json));

export class SessionExchange extends Exchange {
	#sessions;
	#principal;
	#headerLines;
	#id;
	#text;
	/** The header that names a session that this request has opened. @type {Record<string, string> | undefined} */
	#named;
	#streams;
	/** @type {import("./server-session-stream.js").Stream | undefined} of its calls */
	#stream;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#timer;
	#closing = false;
	/** Whether it is this request's turn to change the session. */
	#inTurn = false;

	/**
	 * @param {import("./server-session.js").Sessions} sessions
	 * @param {Request} request
	 * @param {Options} options
	 * @param {boolean} streams
	 * @param {string} principal
	 * @param {string} headerLines
	 * @param {string | null} id
	 * @param {string | undefined} text the session's
	 */
	constructor(sessions, request, options, streams, principal, headerLines, id, text) {
		super(request, options, streams);
		this.#sessions = sessions;
		this.#principal = principal;
		this.#headerLines = headerLines;
		this.#id = id;
		this.#text = text;
		this.#streams = streams;
	}

	get lines() {
		return this.#headerLines + sessionLine(this.#id, this.#text);
	}

	get session() {
		return this.#id !== null && this.#text !== undefined ? this.#id : undefined;
	}

	/** The session's text. */
	get text() {
		return this.#text;
	}

	/** What the session knows of the client, for those who are asked about the caller. */
	get client() {
		return this.session === undefined ? undefined : JSON.parse(/** @type {string} */ (this.#text));
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
		const { session } = this;
		if (step === SESSION) {
			const isNew = session === undefined || numbers[1] !== 0;
			const change =
				isNew || this.#inTurn ? undefined : this.#change(inside, held, session, /** @type {Uint8Array} */ (message));
			return change ?? this.#keep(held, /** @type {string[]} */ (strings), numbers);
		}
		if (session !== undefined) {
			if (step === CANCEL) {
				const id = canonical(/** @type {string[]} */ (strings)[0]);
				this.#sessions.has(session)?.calls.get(id)?.cancel(new Error("the client has cancelled the request"));
				return { text: null, status: 202 };
			}
			if (step === INVOKE && inside.versions[numbers[2]].era === "legacy") {
				return this.#call(inside, held, message, session, numbers, strings);
			}
		}
		return super.follow(inside, held, message, step, numbers, strings);
	}

	/** @param {Inside} inside @param {Held} held @param {Uint8Array} element @param {number} flags */
	element(inside, held, element, flags) {
		return this.run(inside, held, this.lines, element, flags);
	}

	/**
	 * Handles a message that changes the session once more, when it is its turn: others may have changed it meanwhile.
	 * @param {Inside} inside
	 * @param {Held} held
	 * @param {string} session
	 * @param {Uint8Array} body
	 */
	#change(inside, held, session, body) {
		return this.#sessions.inTurn(held, session, this.#principal, (text) => {
			this.#text = text;
			this.#inTurn = true;
			try {
				return this.run(inside, held, this.lines, body, 0);
			} finally {
				this.#inTurn = false;
			}
		});
	}

	/**
	 * @param {Held} held
	 * @param {string[]} strings
	 * @param {number[]} numbers
	 * @returns {Answer | Promise<Answer>}
	 */
	#keep(held, [text, session], [status, isNew]) {
		const id = isNew ? crypto.randomUUID() : /** @type {string} */ (this.#id);
		if (isNew) this.#named = { "mcp-session-id": id };
		const kept = this.#sessions.keep(held, id, this.#principal, session);
		const keep = (/** @type {string} */ kept) => {
			if (!isNew) this.#text = kept;
			return { text, status };
		};
		return kept instanceof Promise ? kept.then(keep) : keep(kept);
	}

	/**
	 * @param {Inside} inside
	 * @param {Held} held
	 * @param {string | Uint8Array} message
	 * @param {string} session
	 * @param {number[]} numbers
	 * @param {string[] | undefined} strings
	 * @returns {Answer | Promise<Answer>}
	 */
	#call(inside, held, message, session, numbers, strings) {
		if (this.#stream === undefined) {
			const stream = this.#sessions.callStream(held, session, /** @type {string} */ (this.#text));
			this.#stream = stream;
			if (this.#streams) {
				this.send = (/** @type {string} */ text) => {
					stream.send(text);
					this.open();
				};
				// Clients that read the stream's first event can come back to it.
				if (stream.first !== "") this.#timer = setTimeout(() => this.open(), OPEN_AFTER_MS);
			}
		}
		const { calls } = this.#sessions.opened(session);
		const id = canonical(/** @type {string} */ (this.id));
		const call = new SessionCall(this, inside);
		calls.set(id, call);
		const answer = call.answer(follow(inside, held, message, call, INVOKE, numbers, strings));
		const end = () => {
			if (calls.get(id) === call) calls.delete(id);
		};
		if (answer instanceof Promise) {
			// The call goes on where its connection has ended, as far as the platform lets it.
			const done = answer.then(end, end);
			this.waitUntil?.(done);
		} else end();
		return answer;
	}

	/** Ends the connection once it has begun; the client comes back for the rest, if it can. */
	closeStream() {
		if (!this.#stream?.first) return;
		if (this.#stream.opened) this.#stream.disconnect();
		else {
			this.#closing = true;
			this.open();
		}
	}

	get hasEvents() {
		const stream = this.#stream;
		return stream === undefined ? super.hasEvents : !stream.opened && (stream.hasEvents || this.#closing);
	}

	get streaming() {
		return this.#stream === undefined ? super.streaming : this.#stream.opened;
	}

	open() {
		const stream = this.#stream;
		if (stream === undefined) return super.open();
		if (stream.opened || !this.onStream) return;
		this.onStream(stream.open());
		if (this.#closing) stream.disconnect();
	}

	/** @param {Answer} answer */
	end(answer) {
		const stream = this.#stream;
		if (stream === undefined) return super.end(answer);
		stream.end(answer.text);
		this.#release();
	}

	/**
	 * @param {Answer} answer
	 * @param {boolean} json
	 * @param {Record<string, string> | undefined} extra
	 */
	respond(answer, json, extra) {
		const stream = this.#stream;
		if (stream === undefined || !(this.hasEvents || (!json && answer.status === 200))) {
			this.#release();
			return super.respond(answer, json, { ...extra, ...this.#named });
		}
		const body = stream.open();
		this.end(answer);
		return new Response(body, { headers: { ...STREAM_HEADERS, ...extra } });
	}

	/** A stream that has ended is kept as its events alone. */
	#release() {
		clearTimeout(this.#timer);
		const { session } = this;
		if (session === undefined) return;
		if (this.#stream) this.#sessions.has(session)?.streams.delete(this.#stream.name);
		this.#sessions.release(session);
	}
}

/** A handler's call in a session: the options of its message. */
class SessionCall {
	#exchange;
	#inside;
	#stop = new AbortController();
	/** @type {((answer: Answer) => void) | undefined} */
	#cancelled;
	/** @type {any} */
	#client;
	/** Ends the wait for answers that come to another isolate. @type {(() => unknown) | undefined} */
	#unsubscribe;
	#done = false;
	isHttp = false;

	/** @param {SessionExchange} exchange @param {Inside} inside */
	constructor(exchange, inside) {
		this.#exchange = exchange;
		this.#inside = inside;
		this.send = exchange.send;
		this.session = exchange.session;
		this.headers = exchange.headers;
		this.authInfo = exchange.authInfo;
		this.env = exchange.env;
		this.waitUntil = exchange.waitUntil;
	}

	/** Aborted when the client cancels the request, or the session ends; not when it goes away. */
	get signal() {
		return this.#stop.signal;
	}

	/** What the session knows of the client. */
	get client() {
		this.#client ??= JSON.parse(/** @type {string} */ (this.#exchange.text));
		return this.#client;
	}

	closeStream() {
		this.#exchange.closeStream();
	}

	/**
	 * The answer, or none once the call is cancelled.
	 * @param {Answer | Promise<Answer>} answer
	 * @returns {Answer | Promise<Answer>}
	 */
	answer(answer) {
		if (!(answer instanceof Promise)) return answer;
		return new Promise((resolve, reject) => {
			this.#cancelled = resolve;
			answer.then(resolve, reject).finally(() => {
				this.#done = true;
				this.#unsubscribe?.();
			});
		});
	}

	/** @param {unknown} reason */
	cancel(reason) {
		this.#stop.abort(reason);
		this.#cancelled?.({ text: null, status: 499 });
	}

	/** Hears of answers that come to another isolate. */
	onAsk() {
		if (this.#unsubscribe) return;
		const { waiting, subscriptions } = this.#inside;
		const subscribed = subscriptions.subscribe((event) => {
			if (event.type === "session_answer") {
				waiting.settle(/** @type {string} */ (event.id), event.session, event.ok === true, event.outcome);
			} else if (event.type === "session_ended" && event.session === this.session) {
				this.cancel(new Error("the session has ended"));
			}
		});
		// Where the bus fails, answers that come to this isolate are heard all the same.
		this.#unsubscribe = () =>
			subscribed.then(
				(end) => end(),
				() => {},
			);
		if (this.#done) this.#unsubscribe();
	}
}
