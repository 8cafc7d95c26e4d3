// Moves bytes for one ClientCore: sends what it asks for, reports what came, delivers its
// events. It decides nothing; src/js/client.rs says what the records mean.

import { McpError } from "../errors.js";
import { Channel } from "./client-channel.js";
import { fetchExchange } from "./client-fetch.js";
import { callTransport } from "./client-function.js";
import { Records } from "./client-records.js";
import { HELD, written } from "./client-request.js";
import { Store } from "./client-store.js";
import { FOREVER, SAME, Timer } from "./client-timer.js";
import { ANSWER, ARGUMENTS, CANCEL, CLOSE, CONNECT, CONTEXT, KEPT, REFUSAL, TIME, Wire } from "./client-wire.js";
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
 * @property {boolean} hasToken whether its progress comes under a token of the application's own, and not under its id
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
	/** Serves unless what is done has more posted. @type {Records | undefined} */
	#records = new Records();
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
			(work) => this.#callback(work),
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
				hasToken: asked.params?._meta?.progressToken !== undefined,
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
		call.onProgress = undefined;
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
		const records = this.#records ?? new Records();
		this.#records = undefined;
		records.read(this.live.mailbox);
		while (records.more()) this.#do(records.number(), records);
		this.#records = records;
		this.#unwatch();
	}

	/**
	 * One record of those of which there are many; src/js/client.rs lists them.
	 * @param {number} kind
	 * @param {Records} records
	 */
	#do(kind, records) {
		const wire = this.#wire;
		switch (kind) {
			case 1:
				this.#send(records);
				break;
			case 2: {
				const exchange = wire.exchanges.get(records.number());
				if (exchange) wire.drop(exchange);
				break;
			}
			case 3:
				this.#wait(records.number());
				break;
			case 4:
				this.#finish(records.number(), records.result(wire.held));
				break;
			case 12: {
				const exchange = wire.exchanges.get(records.number());
				const text = records.text();
				if (exchange) wire.message(exchange, text, true);
				break;
			}
			default:
				this.#seldom(kind, records);
		}
	}

	/**
	 * One of the others.
	 * @param {number} kind
	 * @param {Records} records
	 */
	#seldom(kind, records) {
		const wire = this.#wire;
		switch (kind) {
			case 5: {
				const call = this.#calls.get(records.number());
				const page = records.result(wire.held);
				if (call) call.pages = [...(call.pages ?? []), page];
				break;
			}
			case 6: {
				const key = records.number();
				const error = records.failure(wire.cause);
				if (key) this.#settle(key)?.reject(error);
				else {
					this.info = undefined;
					wire.modern = false;
					for (const { reject } of this.#connecting.splice(0)) reject(error);
				}
				break;
			}
			case 7: {
				const call = this.#calls.get(records.number());
				const params = JSON.parse(records.text());
				this.#callback(() => call?.onProgress?.(params));
				break;
			}
			case 8: {
				const method = records.text();
				const params = records.value();
				this.heard(method);
				this.#callback(() => this.#hooks.notification(method, params));
				break;
			}
			case 9:
				this.info = JSON.parse(records.text());
				wire.modern = this.info.era === "modern";
				for (const { resolve } of this.#connecting.splice(0)) resolve();
				this.#hooks.connected();
				break;
			case 10:
			case 17: {
				records.number();
				const error = records.failure(wire.cause);
				this.#callback(() => (kind === 10 ? this.#hooks.error(error) : this.#hooks.closed("remote", error)));
				break;
			}
			case 11:
				this.#answer(records.number(), records.text(), records.value());
				break;
			case 13: {
				const key = records.number();
				const payload = this.#calls.get(key)?.payload ?? "";
				wire.tell(ARGUMENTS, key, 0, `{${payload}}`, wire.seat);
				break;
			}
			case 14:
				wire.release();
				this.#release();
				break;
			case 15:
				wire.endpoint = records.text();
				break;
			case 16: {
				const message = JSON.parse(records.text());
				this.#callback(() => this.#hooks.message("in", message));
				break;
			}
			case 18:
				this.#lookup(records.number(), records.text());
				break;
			case 19: {
				const call = this.#calls.get(records.number());
				const [part, text, ttl] = [records.text(), records.text(), records.number()];
				if (call) this.#store?.keep(this.#subject(call), part, text, ttl);
				break;
			}
			case 20: {
				const [method, uri] = [records.text(), records.text()];
				this.#store?.forget(this.#subject({ method, uri, context: this.#context }));
				break;
			}
		}
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
		const { seats } = this.#wire;
		if (!seats || delay === SAME) this.#timer.set(delay);
		else seats.due = delay === FOREVER ? Number.POSITIVE_INFINITY : this.#wire.now() + delay;
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

	/** @param {Records} records */
	#send(records) {
		const number = records.number();
		// With HELD where the call's parameters go in.
		const verb = records.number();
		const call = this.#calls.get(records.number());
		const id = records.number();
		const count = records.number();
		if (count !== SAME_HEADERS) {
			this.#headers = {};
			for (let i = 0; i < count; i++) this.#headers[records.text()] = records.text();
		}
		const headers = { ...this.#headers };
		const text = records.text() + (verb & HELD ? (call?.payload ?? "") : "") + records.text();
		const { message } = this.#hooks;
		if (message && text) this.#callback(() => message("out", JSON.parse(text)));
		const wire = this.#wire;
		wire.open(number, id, call, (exchange) => {
			if (this.#channel) this.#channel.send(exchange, text);
			else if (wire.settings.transport) callTransport(wire, exchange, text);
			else fetchExchange(wire, exchange, VERBS[verb & 3], headers, text);
		});
	}
}
