// The calls into one ClientCore that report what came for an exchange.

import { Incomplete } from "./core.js";

/** How to read a body. */
export const DISCARD = 0;
export const ERROR = 2;
export const MESSAGE = 3;
export const TOOLS = 4;
export const STREAM = 5;
export const FOLLOW = 6;
export const FOLLOW_BARE = 7;

/** What `input` is told of; src/js/client.rs says what goes with each. */
export const CONNECT = 0;
export const CLOSE = 1;
export const CANCEL = 2;
const HEAD = 3;
const RESULT = 4;
const BODY = 5;
const CHUNK = 6;
const INCOMING = 7;
const END = 8;
const FAILED = 9;
export const ARGUMENTS = 10;
export const ANSWER = 11;
export const REFUSAL = 12;
export const TIME = 13;
const LOST = 14;
export const ORPHANED = 15;
export const CONTEXT = 16;
export const KEPT = 17;
const PROGRESS = 18;

export const ignore = () => {};

/** Monotonic where the platform has it: a clock that is set back must not stretch a timeout. */
export const clock = () => performance.now();

/** @typedef {import("./client-pump.js").Call} Call */

/**
 * @typedef {object} Exchange one message sent, and what comes back for it
 * @property {number} number
 * @property {number} id of the request, 0 if it is none of ours with a number
 * @property {AbortController | undefined} controller there once it has begun
 * @property {ReadableStreamDefaultReader<Uint8Array> | undefined} reader
 * @property {boolean} done nothing more is wanted of it
 * @property {any} key the request's id, where exchanges share a channel
 * @property {Call | undefined} call the call of the application that it is part of
 * @property {boolean} progressed whether progress has come that the core has not heard of
 * @property {import("./client-seats.js").Seat | undefined} seat whose I/O it is
 * @property {number} holds how many authorizations it waits for
 */

/**
 * @param {number} number
 * @param {number} id
 * @param {Call} [call]
 * @returns {Exchange}
 */
const exchangeOf = (number, id, call) => ({
	number,
	id,
	controller: undefined,
	reader: undefined,
	done: false,
	key: undefined,
	call,
	progressed: false,
	seat: undefined,
	holds: 0,
});

export class Wire {
	live;
	core;
	settings;
	/** @type {Map<number, Exchange>} */
	exchanges = new Map();
	/**
	 * Where a message belongs that answers none of our requests. It lasts, for an engine unlearns how to deal with a kind
	 * of objects fast when it collects the last one of them, between two calls.
	 */
	none = exchangeOf(0, 0);
	signal;
	/** The message that the core is being told of. @type {any} */
	held;
	/** What is behind the failure that the core is being told of. @type {unknown} */
	cause;
	/** Whether the era is known to be modern: otherwise, session ids are of interest. */
	modern = false;
	/** Where POSTs go, if not to the client's own URL. */
	endpoint = "";
	#released = false;
	/** Keeps I/O in the requests of an edge worker; undefined elsewhere. */
	seats;
	/** The seat whose request is running, as far as that is known. @type {import("./client-seats.js").Seat | undefined} */
	seat;
	/** How many authorizations are waited for, since when, and how long that took before. */
	#holds = 0;
	#since = 0;
	#held = 0;
	/** What happens once more of the core is loaded, in order. @type {(() => void)[] | undefined} */
	#behind;
	#run;
	#idle;
	#callback;

	/**
	 * @param {import("./core.js").Live} live
	 * @param {any} settings
	 * @param {() => void} run does what the core has posted
	 * @param {() => void} idle called when an exchange may have been the last
	 * @param {(work: () => void) => void} callback runs what the application does
	 */
	constructor(live, settings, run, idle, callback) {
		this.live = live;
		this.settings = settings;
		this.#run = run;
		this.#idle = idle;
		this.#callback = callback;
		this.none.controller = new AbortController();
		this.signal = this.none.controller.signal;
		this.seats = live.Seats && new live.Seats(this);
		this.core = live.call(() => new live.glue.ClientCore(live.mailbox.write(settings.core)));
	}

	/** The core's time: it stands still while an authorization is waited for, because a person may be asked. */
	now() {
		return (this.#holds > 0 ? this.#since : clock()) - this.#held;
	}

	/**
	 * Waits for an authorization; nothing times out meanwhile.
	 * @template T
	 * @param {Exchange} exchange
	 * @param {Promise<T>} work
	 */
	async hold(exchange, work) {
		exchange.holds++;
		if (this.#holds++ === 0) this.#since = clock();
		try {
			return await work;
		} finally {
			this.unhold(exchange, 1);
		}
	}

	/** @param {Exchange} exchange @param {number} [count] how many of its authorizations are over */
	unhold(exchange, count = exchange.holds) {
		if (exchange.holds < count || count === 0) return;
		exchange.holds -= count;
		this.#holds -= count;
		if (this.#holds === 0) {
			this.#held += clock() - this.#since;
			this.tell(TIME, 0, 0, "", exchange.seat);
		}
	}

	/**
	 * Does what begins with a call into the core: now, or in turn once the core has loaded what that needs. What an exchange
	 * has come to is told in turn as well: what came before it is still to be told of the exchange.
	 * @param {() => void} work
	 */
	enter(work) {
		if (this.#behind === undefined) {
			try {
				return work();
			} catch (error) {
				if (!(error instanceof Incomplete)) throw error;
				this.#behind = [];
				error.ready.then(() => {
					const behind = this.#behind ?? [];
					this.#behind = undefined;
					for (const next of behind) this.enter(next);
				});
			}
		}
		const { held, cause } = this;
		this.#behind.push(() => {
			this.held = held;
			this.cause = cause;
			try {
				work();
			} finally {
				this.held = undefined;
				this.cause = undefined;
			}
		});
	}

	/**
	 * Tells the core of something, and does what it posts. A trap has settled everything already.
	 * @param {number} kind
	 * @param {number} key
	 * @param {number} number
	 * @param {string | Uint8Array} data
	 * @param {import("./client-seats.js").Seat} [seat] in whose request that is
	 */
	tell(kind, key = 0, number = 0, data = "", seat = undefined) {
		this.enter(() => {
			if (this.#released || (kind === TIME && this.#holds > 0)) return;
			this.seat = seat;
			const { live, core } = this;
			let count = 0;
			try {
				count = live.call(() =>
					core.input(kind, key, number, data.length > 0 ? live.mailbox.write(data) : 0, this.now()),
				);
			} catch (error) {
				if (error instanceof Incomplete) throw error;
				return;
			}
			if (count > 0) this.#run();
			else this.#idle();
		});
	}

	/** Gives the core's memory back, without waiting for the collector. */
	release() {
		this.#released = true;
		try {
			this.live.call(() => this.core.free());
		} catch {
			// A dead instance has given up its memory already.
		}
	}

	/**
	 * Begins an exchange, in the request that it belongs to.
	 * @param {number} number
	 * @param {number} id
	 * @param {Call | undefined} call the call of the application that it is part of
	 * @param {(exchange: Exchange) => void} begin
	 */
	open(number, id, call, begin) {
		const exchange = exchangeOf(number, id, call);
		this.exchanges.set(number, exchange);
		const work = () => {
			if (exchange.done) return;
			exchange.controller = new AbortController();
			begin(exchange);
		};
		exchange.seat = call ? call.seat : this.seats?.any(this.seat);
		if (this.seats) this.seats.perform(exchange.seat, work);
		else work();
	}

	/** Lets go of an exchange and of what carries it. @param {Exchange} exchange */
	drop(exchange) {
		this.forget(exchange);
		const work = () => {
			exchange.reader?.cancel().catch(ignore);
			exchange.controller?.abort();
		};
		if (this.seats) this.seats.perform(exchange.seat, work);
		else work();
	}

	/** @param {Exchange} exchange */
	forget(exchange) {
		exchange.done = true;
		this.exchanges.delete(exchange.number);
	}

	/**
	 * The head of an answer; gives how to read its body.
	 * @param {Exchange} exchange
	 * @param {number} status and from bit 16 on: a content type that is told as a number
	 * @param {string} facts
	 * @returns {number | Promise<number>}
	 */
	head(exchange, status, facts) {
		/** @type {number | undefined} */
		let how;
		const read = () => {
			how = this.#head(exchange, status, facts);
		};
		this.enter(read);
		return how ?? new Promise((resolve) => this.enter(() => resolve(/** @type {number} */ (how))));
	}

	/** @param {Exchange} exchange @param {number} status @param {string} facts */
	#head(exchange, status, facts) {
		const { live, core } = this;
		if (this.#released) return DISCARD;
		this.seat = exchange.seat;
		let code = DISCARD;
		try {
			code = live.call(() =>
				core.input(HEAD, exchange.number, status, facts ? live.mailbox.write(facts) : 0, this.now()),
			);
		} catch (error) {
			if (error instanceof Incomplete) throw error;
			return DISCARD;
		}
		if (code > 255) this.#run();
		return code & 255;
	}

	/**
	 * A whole body.
	 * @param {Exchange} exchange
	 * @param {string} text
	 */
	body(exchange, text) {
		this.enter(() => {
			if (exchange.done) return;
			this.forget(exchange);
			this.tell(BODY, exchange.number, 0, text, exchange.seat);
		});
	}

	/**
	 * One message: the result of the request is told as facts, anything else as text.
	 * @param {Exchange} exchange
	 * @param {string} text
	 * @param {boolean} inStream
	 */
	message(exchange, text, inStream) {
		this.enter(() => this.#message(exchange, text, inStream));
	}

	/** @param {Exchange} exchange @param {string} text @param {boolean} inStream */
	#message(exchange, text, inStream) {
		if (exchange.done) return;
		let value;
		try {
			value = JSON.parse(text);
		} catch {
			value = undefined;
		}
		if (!inStream) this.forget(exchange);
		else if (this.#progress(exchange, value)) return;
		if (!this.result(exchange, value)) {
			this.tell(BODY, exchange.number, 0, text, exchange.seat);
		}
	}

	/**
	 * Tells the application of the request's progress, if that is what the value is.
	 * @param {Exchange} exchange
	 * @param {any} value
	 */
	#progress(exchange, value) {
		const { call } = exchange;
		if (!call?.onProgress || value?.method !== "notifications/progress" || this.settings.observes) return false;
		const { id, jsonrpc, params } = value;
		if (jsonrpc !== "2.0" || id !== undefined || call.hasToken) return false;
		if (exchange.id === 0 || params?.progressToken !== exchange.id) return false;
		exchange.progressed = true;
		this.#callback(() => call.onProgress?.(params));
		return true;
	}

	/**
	 * Tells of the request's result, if that is what the value is.
	 * @param {Exchange} exchange
	 * @param {any} value
	 */
	result(exchange, value) {
		const result = value?.result;
		if (typeof result !== "object" || result === null || Array.isArray(result)) return false;
		const { id, jsonrpc, error, method } = value;
		if (id !== exchange.id || id === 0 || jsonrpc !== "2.0" || error !== undefined || method !== undefined) {
			return false;
		}
		// Whoever looks on is to see it, and what tools say of themselves is for the core to read, where it decides on it.
		if (this.settings.observes) return false;
		if (this.settings.retry && Array.isArray(result.tools)) return false;
		const type = result.resultType;
		if (type !== undefined && type !== "complete") return false;
		const cursor = result.nextCursor;
		this.held = value;
		if (typeof cursor === "string") this.tell(RESULT, exchange.number, 1, cursor, exchange.seat);
		else this.tell(RESULT, exchange.number, 0, "", exchange.seat);
		this.held = undefined;
		return true;
	}

	/**
	 * Bytes of a stream.
	 * @param {Exchange} exchange
	 * @param {Uint8Array} bytes
	 */
	chunk(exchange, bytes) {
		this.tell(CHUNK, exchange.number, 0, bytes, exchange.seat);
		// Behind that, should it have to wait.
		this.enter(() => {
			if (!exchange.progressed) return;
			exchange.progressed = false;
			this.tell(PROGRESS, exchange.number, 0, "", exchange.seat);
		});
	}

	/**
	 * One message of a channel that is not HTTP.
	 * @param {Exchange} exchange
	 * @param {string | Uint8Array} message
	 */
	incoming(exchange, message) {
		this.tell(INCOMING, exchange.number, 0, message, exchange.seat);
	}

	/** Nothing more comes. @param {Exchange} exchange */
	end(exchange) {
		this.enter(() => {
			if (exchange.done) return;
			this.forget(exchange);
			this.tell(END, exchange.number, 0, "", exchange.seat);
		});
	}

	/** The channel is gone, with everything that was open on it. @param {string} message */
	lost(message) {
		this.enter(() => {
			for (const exchange of [...this.exchanges.values()]) this.forget(exchange);
			this.tell(LOST, 0, 0, message);
		});
	}

	/** The body of an answer is not wanted. @param {Exchange} exchange */
	discarded(exchange) {
		this.forget(exchange);
		this.#idle();
	}

	/**
	 * @param {Exchange} exchange
	 * @param {unknown} error
	 */
	failed(exchange, error) {
		this.enter(() => {
			if (exchange.done) return;
			this.forget(exchange);
			this.cause = error;
			const message = error instanceof Error ? error.message : String(error);
			this.tell(FAILED, exchange.number, 0, message, exchange.seat);
			this.cause = undefined;
		});
	}
}
