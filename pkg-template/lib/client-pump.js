// Moves bytes for one ClientCore: sends what it asks for, reports what came, delivers its
// events. It decides nothing; src/js/client.rs says what the records mean.

import { McpError } from "../errors.js";
import { Channel } from "./client-channel.js";
import { failure } from "./client-errors.js";
import { fetchExchange } from "./client-fetch.js";
import { callTransport } from "./client-function.js";
import { HELD, written } from "./client-request.js";
import { Store } from "./client-store.js";
import { FOREVER, SAME, Timer } from "./client-timer.js";
import { ANSWER, ARGUMENTS, CANCEL, CLOSE, CONNECT, CONTEXT, clock, KEPT, REFUSAL, TIME, Wire } from "./client-wire.js";
import { Incomplete } from "./core.js";

const VERBS = ["", "POST", "GET", "DELETE"];

/** How many headers a send record has, where they are those of the one before. */
const SAME_HEADERS = 0xffffffff;

/**
 * @typedef {object} Call one request of the application
 * @property {(value: any) => void} resolve
 * @property {(reason: unknown) => void} reject
 * @property {string} payload the members of its parameters
 * @property {((progress: any) => void) | undefined} onProgress
 * @property {AbortSignal | undefined} signal
 * @property {(() => void) | undefined} onAbort
 * @property {string | undefined} member what a list's items are called
 * @property {any[] | undefined} pages
 * @property {Seat | undefined} seat the request of an edge worker that it belongs to
 * @property {((result: any) => any) | undefined} check what is made of the result
 * @property {string} method
 * @property {any} uri of the resource, if it is about one
 * @property {string | null} context in whose name it was made
 */

/** @typedef {import("./client-seats.js").Seat} Seat */

/** @typedef {{ resolve: (value?: any) => void, reject: (reason: unknown) => void, seat: Seat | undefined }} Waiting */

const left = () => new McpError("CONNECTION_LOST", "the request that the call was made in counted as gone");

/** @typedef {import("./client-request.js").Request} Request */

export class Pump {
	live;
	#wire;
	#hooks;
	/** @type {Map<number, Call>} */
	#calls = new Map();
	#timer = new Timer(() => this.#wire.tell(TIME));
	/** Those of the last message sent. @type {Record<string, string>} */
	#headers = {};
	/** @type {(() => void) | undefined} */
	#undead;
	/** Each has a promise of its own: in an edge worker, one belongs to the request that has made it. @type {Waiting[]} */
	#connecting = [];
	/** @type {(() => void) | undefined} */
	#closed;
	/** @type {Channel | undefined} */
	#channel;
	/** What the handshake found. @type {any} */
	info;
	/** Where results are kept, if not in the core. @type {Store | undefined} */
	#store;
	/** In whose name was asked last. @type {string | null} */
	#context = null;

	/**
	 * @param {import("./core.js").Live} live
	 * @param {any} settings
	 * @param {any} hooks
	 */
	constructor(live, settings, hooks) {
		this.live = live;
		this.#hooks = hooks;
		this.#wire = new Wire(
			live,
			settings,
			() => this.#run(),
			() => this.#unwatch(),
		);
		const { transport, store } = settings;
		if (store) this.#store = new Store(store, settings.url, (error) => this.#report(error));
		if (typeof transport === "object") this.#channel = new Channel(this.#wire, transport);
	}

	/**
	 * @param {any} [prior] a stored verdict
	 * @returns {Promise<void>}
	 */
	connect(prior) {
		if (this.info) return Promise.resolve();
		return this.#seated((seat) => {
			const connected = new Promise((resolve, reject) => this.#connecting.push({ resolve, reject, seat }));
			this.#watch();
			this.#wire.tell(CONNECT, 0, 0, prior ? JSON.stringify(prior) : "", seat);
			return connected;
		});
	}

	/**
	 * Does something that takes its time, with a seat where those are needed.
	 * @param {(seat: Seat | undefined) => Promise<any>} work
	 * @returns {Promise<any>}
	 */
	#seated(work) {
		const { seats } = this.#wire;
		if (seats === undefined) return work(undefined);
		return new Promise((resolve, reject) => {
			const seat = seats.sit({
				forget: () => {
					this.#connecting = this.#connecting.filter((waiting) => waiting.seat !== seat);
				},
				fail: () => reject(left()),
			});
			work(seat)
				.then(resolve, reject)
				.finally(() => seats.leave(seat));
		});
	}

	/** @returns {Promise<void>} */
	close() {
		return this.#seated(
			(seat) =>
				new Promise((/** @type {(value?: any) => void} */ resolve) => {
					this.#closed = resolve;
					this.#wire.tell(CLOSE, 0, 0, "", seat);
				}),
		);
	}

	/**
	 * @param {Request} asked
	 * @returns {Promise<any>}
	 */
	request(asked) {
		const { options, member } = asked;
		const signal = options?.signal;
		if (signal?.aborted) return Promise.reject(signal.reason);
		/** @type {ReturnType<typeof written>} */
		let request;
		try {
			request = written(asked, this.#wire.settings.keeps);
		} catch (error) {
			return Promise.reject(error);
		}
		const { text, flags, payload } = request;
		const { keeps, authorizationContext } = this.#wire.settings;
		if (keeps && authorizationContext) {
			this.#context = String(authorizationContext());
			this.#wire.tell(CONTEXT, 0, 0, this.#context, this.#wire.seat);
		}
		return new Promise((resolve, reject) => {
			/** @type {Call} */
			const call = {
				resolve,
				reject,
				payload,
				signal,
				onProgress: options?.onProgress,
				onAbort: undefined,
				member,
				pages: undefined,
				check: asked.check,
				seat: undefined,
				context: this.#context,
				method: asked.method,
				uri: asked.params?.uri,
			};
			this.#watch();
			const { live, core } = this.#wire;
			let key = 0;
			call.seat = this.#wire.seats?.sit({
				forget: (seat) => {
					this.#settle(key);
					this.#wire.tell(CANCEL, key, 0, "", seat);
				},
				fail: () => reject(left()),
			});
			this.#wire.enter(() => {
				try {
					// It may have taken some time to get here.
					signal?.throwIfAborted();
					key = live.call(() =>
						core.request(
							live.mailbox.write(text),
							flags,
							options?.timeoutMs ?? 0,
							options?.maxTotalTimeoutMs ?? 0,
							this.#wire.now(),
						),
					);
				} catch (error) {
					if (error instanceof Incomplete) throw error;
					this.#leave(call);
					reject(error);
					return;
				}
				this.#calls.set(key, call);
				this.#wire.seat = call.seat;
				if (signal) {
					call.onAbort = () => {
						this.#settle(key)?.reject(signal.reason);
						this.#wire.tell(CANCEL, key, 0, "", call.seat);
					};
					signal.addEventListener("abort", call.onAbort, { once: true });
				}
				this.#run();
			});
		});
	}

	/** Takes the call out; it ends here, once. @param {number} key */
	#settle(key) {
		const call = this.#calls.get(key);
		if (call === undefined) return undefined;
		this.#calls.delete(key);
		if (call.onAbort) call.signal?.removeEventListener("abort", call.onAbort);
		this.#leave(call);
		return call;
	}

	/** @param {Call} call */
	#leave({ seat }) {
		if (seat) this.#wire.seats?.leave(seat);
	}

	/** While something is pending, the end of the instance has to be known. */
	#watch() {
		this.#undead ??= this.live.onDeath((crash) => this.#die(crash));
	}

	#unwatch() {
		if (this.#calls.size > 0 || this.#wire.exchanges.size > 0 || this.#connecting.length > 0 || this.#closed) return;
		this.#undead?.();
		this.#undead = undefined;
	}

	/** @param {unknown} crash */
	#die(crash) {
		this.#undead = undefined;
		this.#wire.seat = undefined;
		this.#timer.stop();
		for (const key of [...this.#calls.keys()]) this.#settle(key)?.reject(crash);
		for (const exchange of [...this.#wire.exchanges.values()]) this.#wire.drop(exchange);
		for (const { reject } of this.#connecting.splice(0)) reject(crash);
		this.#closed?.();
		this.#closed = undefined;
		this.#end(crash);
	}

	/** Does what the core has posted. */
	#run() {
		const { mailbox } = this.live;
		const numbers = mailbox.numbers();
		const strings = mailbox.strings();
		const { held, cause } = this.#wire;
		let n = 0;
		let s = 0;
		while (n < numbers.length) {
			switch (numbers[n++]) {
				case 1: {
					const count = numbers[n + 4];
					if (count !== SAME_HEADERS) {
						this.#headers = {};
						for (let i = 0; i < count; i++, s += 2) this.#headers[strings[s]] = strings[s + 1];
					}
					this.#send(numbers[n], numbers[n + 1], numbers[n + 2], numbers[n + 3], strings[s], strings[s + 1]);
					n += 5;
					s += 2;
					break;
				}
				case 2: {
					const exchange = this.#wire.exchanges.get(numbers[n++]);
					if (exchange) this.#wire.drop(exchange);
					break;
				}
				case 3:
					this.#wait(numbers[n++]);
					break;
				case 4: {
					const result = numbers[n + 1] ? held.result : JSON.parse(strings[s++]);
					this.#finish(numbers[n], result);
					n += 2;
					break;
				}
				case 5: {
					const result = numbers[n + 1] ? held.result : JSON.parse(strings[s++]);
					const call = this.#calls.get(numbers[n]);
					n += 2;
					if (call) call.pages = [...(call.pages ?? []), result];
					break;
				}
				case 6: {
					const error = failure(numbers, n + 1, strings, s, cause);
					const key = numbers[n];
					n += 3;
					s += 7;
					if (key) this.#settle(key)?.reject(error);
					else {
						this.info = undefined;
						this.#wire.modern = false;
						for (const { reject } of this.#connecting.splice(0)) reject(error);
					}
					break;
				}
				case 7: {
					const call = this.#calls.get(numbers[n++]);
					const params = strings[s++];
					try {
						call?.onProgress?.(JSON.parse(params));
					} catch (error) {
						this.#report(error);
					}
					break;
				}
				case 8: {
					const method = strings[s++];
					const params = numbers[n++] ? JSON.parse(strings[s++]) : undefined;
					this.heard(method);
					this.#callback(() => this.#hooks.notification(method, params));
					break;
				}
				case 9: {
					this.info = JSON.parse(strings[s++]);
					this.#wire.modern = this.info.era === "modern";
					for (const { resolve } of this.#connecting.splice(0)) resolve();
					this.#hooks.connected();
					break;
				}
				case 10: {
					const error = failure(numbers, n + 1, strings, s, cause);
					n += 3;
					s += 7;
					this.#callback(() => this.#hooks.error(error));
					break;
				}
				case 11: {
					const key = numbers[n];
					const method = strings[s++];
					const params = numbers[n + 1] ? JSON.parse(strings[s++]) : undefined;
					n += 2;
					this.#answer(key, method, params);
					break;
				}
				case 12: {
					const exchange = this.#wire.exchanges.get(numbers[n++]);
					const text = strings[s++];
					if (exchange) this.#wire.message(exchange, text, true);
					break;
				}
				case 13: {
					const key = numbers[n++];
					const payload = this.#calls.get(key)?.payload ?? "";
					this.#wire.tell(ARGUMENTS, key, 0, `{${payload}}`, this.#wire.seat);
					break;
				}
				case 16: {
					const message = JSON.parse(strings[s++]);
					this.#callback(() => this.#hooks.message("in", message));
					break;
				}
				case 17: {
					const error = failure(numbers, n + 1, strings, s, cause);
					n += 3;
					s += 7;
					this.#callback(() => this.#hooks.closed("remote", error));
					break;
				}
				case 18:
					this.#lookup(numbers[n++], strings[s++]);
					break;
				case 19: {
					const call = this.#calls.get(numbers[n]);
					if (call) this.#store?.keep(this.#subject(call), strings[s], strings[s + 1], numbers[n + 1]);
					n += 2;
					s += 2;
					break;
				}
				case 20:
					this.#store?.forget(this.#subject({ method: strings[s], uri: strings[s + 1], context: this.#context }));
					s += 2;
					break;
				case 15:
					this.#wire.endpoint = strings[s++];
					break;
				case 14:
					this.#wire.release();
					this.#release();
					break;
			}
		}
		this.#unwatch();
	}

	/** @param {{ method: string, uri: any, context: string | null }} call */
	#subject({ method, uri, context }) {
		return /** @type {Store} */ (this.#store).subject(this.info?.protocolVersion, context, method, String(uri ?? ""));
	}

	/** @param {number} key @param {string} part */
	async #lookup(key, part) {
		const { seat } = this.#wire;
		const call = this.#calls.get(key);
		const text = call && (await this.#store?.lookup(this.#subject(call), part));
		this.#wire.tell(KEPT, key, 0, text, seat);
	}

	/** What says that tools may have changed, over whichever way. @param {string} [method] none: anything may have */
	heard(method) {
		if (method === undefined || method === "notifications/tools/list_changed") this.#hooks.changed();
	}

	/** @param {() => void} work what the application does; its mistakes are its own */
	#callback(work) {
		try {
			work();
		} catch (error) {
			this.#report(error);
		}
	}

	/** @param {unknown} error */
	#report(error) {
		try {
			this.#hooks.error(error);
		} catch {
			// Nobody is left to be told.
		}
	}

	/** The client is closed; its transport may take a moment. */
	async #release() {
		const closed = this.#closed;
		this.#closed = undefined;
		this.#timer.stop();
		try {
			await this.#channel?.close();
		} catch (error) {
			this.#report(error);
		}
		closed?.();
		this.#end();
	}

	/** This end has ended the connection, if there was one. @param {unknown} [error] why, if nobody wanted that */
	#end(error) {
		if (this.info) this.#callback(() => this.#hooks.closed("local", error));
	}

	/** @param {number} delay */
	#wait(delay) {
		if (delay === SAME) return;
		const { seats } = this.#wire;
		if (seats) seats.due = delay === FOREVER ? Number.POSITIVE_INFINITY : this.#wire.now() + delay;
		else this.#timer.set(delay, clock());
	}

	/**
	 * @param {number} key
	 * @param {any} result
	 */
	#finish(key, result) {
		const call = this.#settle(key);
		if (call === undefined) return;
		const { member, pages, check } = call;
		if (member && pages) {
			const items = [...pages, result].flatMap((page) => (Array.isArray(page[member]) ? page[member] : []));
			call.resolve({ ...pages[0], [member]: items, nextCursor: undefined });
			return;
		}
		try {
			call.resolve(check ? check(result) : result);
		} catch (error) {
			call.reject(error);
		}
	}

	/**
	 * A request of the server, for the application to answer.
	 * @param {number} key
	 * @param {string} method
	 * @param {any} params
	 */
	async #answer(key, method, params) {
		const { seat } = this.#wire;
		try {
			const result = JSON.stringify((await this.#hooks.request(method, params)) ?? {});
			this.#wire.tell(ANSWER, key, 0, result, seat);
		} catch (error) {
			/** @type {any} */
			const thrown = error;
			const code = Number.isInteger(thrown?.rpcCode) ? thrown.rpcCode : -32603;
			const message = thrown instanceof Error ? thrown.message : String(thrown);
			this.#wire.cause = error;
			this.#wire.tell(REFUSAL, key, code, message, seat);
			this.#wire.cause = undefined;
		}
	}

	/**
	 * @param {number} number
	 * @param {number} verb with HELD where the call's parameters go in
	 * @param {number} key whose payload goes in
	 * @param {number} id
	 * @param {string} head
	 * @param {string} tail
	 */
	#send(number, verb, key, id, head, tail) {
		const call = this.#calls.get(key);
		const text = head + (verb & HELD ? (call?.payload ?? "") : "") + tail;
		const { message } = this.#hooks;
		if (message && text) this.#callback(() => message("out", JSON.parse(text)));
		const wire = this.#wire;
		const headers = { ...this.#headers };
		wire.open(number, id, call, (exchange) => {
			if (this.#channel) this.#channel.send(exchange, text);
			else if (wire.settings.transport) callTransport(wire, exchange, text);
			else fetchExchange(wire, exchange, VERBS[verb & 3], headers, text);
		});
	}
}
