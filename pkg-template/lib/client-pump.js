// Moves bytes for one ClientCore: sends what it asks for, reports what came, delivers its
// events. It decides nothing; src/js/client.rs says what the records mean.

import { HttpError, McpError, ProtocolError } from "../errors.js";

const META = 1;
const NAME = 2;
const HELD = 4;
const PROGRESS = 8;
const RESET = 16;
const WALK = 32;
const MANUAL = 64;
const NOTIFICATION = 128;
const URI = 256;

const VERBS = ["", "POST", "GET", "DELETE"];

/** How to read a body. */
const DISCARD = 0;
const ERROR = 2;
const MESSAGE = 3;
const TOOLS = 4;
const STREAM = 5;

/** As much as the core reads of an error's body, in bytes. */
const ERROR_BODY_BYTES = 64 * 1024;

const FOREVER = 0xffffffff;

/** Monotonic where the platform has it: a clock that is set back must not stretch a timeout. */
const now = () => performance.timeOrigin + performance.now();

const ignore = () => {};

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
 */

/**
 * @typedef {object} Exchange one message sent, and what comes back for it
 * @property {number} number
 * @property {number} id of the request, 0 if it is none of ours with a number
 * @property {AbortController} controller
 * @property {ReadableStreamDefaultReader<Uint8Array> | undefined} reader
 * @property {boolean} done nothing more is wanted of it
 */

/**
 * @typedef {object} Request
 * @property {string} method
 * @property {any} [params]
 * @property {any} [options]
 * @property {string} [member] for lists: what the items are called
 * @property {boolean} [notification]
 */

export class Pump {
	live;
	core;
	#settings;
	#hooks;
	/** @type {Map<number, Call>} */
	#calls = new Map();
	/** @type {Map<number, Exchange>} */
	#exchanges = new Map();
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#timer;
	/** The message that the core is being told of. @type {any} */
	#held;
	/** What is behind the failure that the core is being told of. @type {unknown} */
	#cause;
	/** @type {(() => void) | undefined} */
	#undead;
	/** @type {{ promise: Promise<void>, resolve: () => void, reject: (reason: unknown) => void } | undefined} */
	#connecting;
	/** @type {(() => void) | undefined} */
	#closed;
	/** Headers of the application that never change, by lower-case name. @type {Record<string, string> | undefined} */
	#ownHeaders;
	/** What the handshake found. @type {any} */
	info;

	/**
	 * @param {import("./core.js").Live} live
	 * @param {any} settings
	 * @param {any} hooks
	 */
	constructor(live, settings, hooks) {
		this.live = live;
		this.#settings = settings;
		this.#hooks = hooks;
		this.core = live.call(() => new live.glue.ClientCore(live.mailbox.write(settings.core)));
	}

	/** @returns {Promise<void>} */
	connect() {
		if (this.info) return Promise.resolve();
		if (!this.#connecting) {
			/** @type {any} */
			const connecting = {};
			connecting.promise = new Promise((resolve, reject) => {
				connecting.resolve = resolve;
				connecting.reject = reject;
			});
			this.#connecting = connecting;
			this.#watch();
			this.#tell(() => this.core.connect(now()));
		}
		return /** @type {any} */ (this.#connecting).promise;
	}

	/** @returns {Promise<void>} */
	close() {
		return new Promise((resolve) => {
			this.#closed = resolve;
			this.#tell(() => this.core.close(now()));
		});
	}

	/**
	 * @param {Request} request
	 * @returns {Promise<any>}
	 */
	request({ method, params, options, member, notification }) {
		const signal = options?.signal;
		if (signal?.aborted) return Promise.reject(signal.reason);
		const onProgress = options?.onProgress;
		let flags = notification ? NOTIFICATION : 0;
		let meta = "";
		let name = "";
		let uri = "";
		let payload = "";
		try {
			let rest = params;
			if (params != null) {
				if (typeof params !== "object" || Array.isArray(params)) {
					throw new McpError("INVALID_ARGUMENT", `${method}: the parameters must be an object`);
				}
				if (params._meta !== undefined) {
					meta = JSON.stringify(params._meta);
					flags |= META;
					rest = { ...params, _meta: undefined };
				}
				if (typeof params.name === "string") {
					name = params.name;
					flags |= NAME;
				}
				if (typeof params.uri === "string") {
					uri = params.uri;
					flags |= URI;
				}
				payload = JSON.stringify(rest).slice(1, -1);
				if (payload) flags |= HELD;
			}
		} catch (error) {
			if (error instanceof McpError) return Promise.reject(error);
			const message = `${method}: the parameters cannot be written as JSON`;
			return Promise.reject(new McpError("INVALID_ARGUMENT", message, { cause: error }));
		}
		if (onProgress) flags |= PROGRESS;
		if (options?.resetTimeoutOnProgress) flags |= RESET;
		if (member) flags |= WALK;
		if (options?.manual) flags |= MANUAL;
		const text = `${meta}\0${method}\0${uri}\0${name}`;
		return new Promise((resolve, reject) => {
			/** @type {Call} */
			const call = { resolve, reject, payload, onProgress, signal, onAbort: undefined, member, pages: undefined };
			this.#watch();
			const { live, core } = this;
			let key = 0;
			try {
				key = live.call(() =>
					core.request(
						live.mailbox.write(text),
						flags,
						options?.timeoutMs ?? 0,
						options?.maxTotalTimeoutMs ?? 0,
						now(),
					),
				);
			} catch (error) {
				reject(error);
				return;
			}
			this.#calls.set(key, call);
			if (signal) {
				call.onAbort = () => {
					this.#settle(key)?.reject(signal.reason);
					this.#tell(() => core.cancel(key, now()));
				};
				signal.addEventListener("abort", call.onAbort, { once: true });
			}
			this.#run();
		});
	}

	/** Takes the call out; it ends here, once. @param {number} key */
	#settle(key) {
		const call = this.#calls.get(key);
		if (call === undefined) return undefined;
		this.#calls.delete(key);
		if (call.onAbort) call.signal?.removeEventListener("abort", call.onAbort);
		return call;
	}

	/** While something is pending, the end of the instance has to be known. */
	#watch() {
		this.#undead ??= this.live.onDeath((crash) => this.#die(crash));
	}

	#unwatch() {
		if (this.#calls.size > 0 || this.#exchanges.size > 0 || this.#connecting || this.#closed) return;
		this.#undead?.();
		this.#undead = undefined;
	}

	/** @param {unknown} crash */
	#die(crash) {
		this.#undead = undefined;
		this.#wait(FOREVER);
		for (const key of [...this.#calls.keys()]) this.#settle(key)?.reject(crash);
		for (const exchange of [...this.#exchanges.values()]) this.#drop(exchange);
		this.#connecting?.reject(crash);
		this.#connecting = undefined;
		this.#closed?.();
		this.#closed = undefined;
	}

	/**
	 * Runs one export and what it posted. A trap has settled everything already.
	 * @param {() => number} work
	 */
	#tell(work) {
		let count = 0;
		try {
			count = this.live.call(work);
		} catch {
			return;
		}
		if (count > 0) this.#run();
		else this.#unwatch();
	}

	/** Does what the core has posted. */
	#run() {
		const { mailbox } = this.live;
		const numbers = mailbox.numbers();
		const strings = mailbox.strings();
		const held = this.#held;
		const cause = this.#cause;
		let n = 0;
		let s = 0;
		while (n < numbers.length) {
			switch (numbers[n++]) {
				case 1: {
					const count = numbers[n + 4];
					/** @type {Record<string, string>} */
					const headers = {};
					for (let i = 0; i < count; i++, s += 2) headers[strings[s]] = strings[s + 1];
					this.#send(numbers[n], numbers[n + 1], numbers[n + 2], numbers[n + 3], headers, strings[s], strings[s + 1]);
					n += 5;
					s += 2;
					break;
				}
				case 2: {
					const exchange = this.#exchanges.get(numbers[n++]);
					if (exchange) this.#drop(exchange);
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
						const connecting = this.#connecting;
						this.#connecting = undefined;
						connecting?.reject(error);
					}
					break;
				}
				case 7: {
					const call = this.#calls.get(numbers[n++]);
					const params = strings[s++];
					if (call?.onProgress) {
						const { onProgress } = call;
						this.#callback(() => onProgress(JSON.parse(params)));
					}
					break;
				}
				case 8: {
					const method = strings[s++];
					const params = numbers[n++] ? JSON.parse(strings[s++]) : undefined;
					this.#callback(() => this.#hooks.notification(method, params));
					break;
				}
				case 9: {
					this.info = JSON.parse(strings[s++]);
					const connecting = this.#connecting;
					this.#connecting = undefined;
					connecting?.resolve();
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
					const exchange = this.#exchanges.get(numbers[n++]);
					const text = strings[s++];
					if (exchange) this.#message(exchange, text, true);
					break;
				}
				case 13: {
					const key = numbers[n++];
					const payload = this.#calls.get(key)?.payload ?? "";
					this.#tell(() => this.core.arguments(key, this.live.mailbox.write(`{${payload}}`), now()));
					break;
				}
				case 14:
					this.#closed?.();
					this.#closed = undefined;
					break;
			}
		}
		this.#unwatch();
	}

	/** @param {() => void} work what the application does; its mistakes are its own */
	#callback(work) {
		try {
			work();
		} catch (error) {
			try {
				this.#hooks.error(error);
			} catch {
				// Nobody is left to be told.
			}
		}
	}

	/** @param {number} delay */
	#wait(delay) {
		clearTimeout(this.#timer);
		this.#timer = delay === FOREVER ? undefined : setTimeout(() => this.#tell(() => this.core.time(now())), delay);
	}

	/**
	 * @param {number} key
	 * @param {any} result
	 */
	#finish(key, result) {
		const call = this.#settle(key);
		if (call === undefined) return;
		const { member, pages } = call;
		if (member && pages) {
			const items = [...pages, result].flatMap((page) => (Array.isArray(page[member]) ? page[member] : []));
			call.resolve({ ...pages[0], [member]: items, nextCursor: undefined });
		} else call.resolve(result);
	}

	/**
	 * A request of the server, for the application to answer.
	 * @param {number} key
	 * @param {string} method
	 * @param {any} params
	 */
	async #answer(key, method, params) {
		const { live, core } = this;
		try {
			const result = JSON.stringify((await this.#hooks.request(method, params)) ?? {});
			this.#tell(() => core.answer(key, live.mailbox.write(result), now()));
		} catch (error) {
			/** @type {any} */
			const thrown = error;
			const code = Number.isInteger(thrown?.rpcCode) ? thrown.rpcCode : -32603;
			const message = thrown instanceof Error ? thrown.message : String(thrown);
			this.#tell(() => core.refusal(key, code, live.mailbox.write(message), now()));
		}
	}

	/**
	 * @param {number} number
	 * @param {number} verb
	 * @param {number} key whose payload goes in
	 * @param {number} id
	 * @param {Record<string, string>} headers
	 * @param {string} head
	 * @param {string} tail
	 */
	#send(number, verb, key, id, headers, head, tail) {
		const text = key ? head + (this.#calls.get(key)?.payload ?? "") + tail : head + tail;
		/** @type {Exchange} */
		const exchange = { number, id, controller: new AbortController(), reader: undefined, done: false };
		this.#exchanges.set(number, exchange);
		if (this.#settings.transport) this.#deliver(exchange, VERBS[verb], text);
		else this.#fetch(exchange, VERBS[verb], headers, text);
	}

	/** Lets go of an exchange. @param {Exchange} exchange */
	#drop(exchange) {
		this.#forget(exchange);
		exchange.reader?.cancel().catch(ignore);
		exchange.controller.abort();
	}

	/** @param {Exchange} exchange */
	#forget(exchange) {
		exchange.done = true;
		this.#exchanges.delete(exchange.number);
	}

	/**
	 * @param {Exchange} exchange
	 * @param {unknown} error
	 */
	#failed(exchange, error) {
		if (exchange.done) return;
		this.#forget(exchange);
		this.#cause = error;
		const message = error instanceof Error ? error.message : String(error);
		this.#tell(() => this.core.failed(exchange.number, this.live.mailbox.write(message), now()));
		this.#cause = undefined;
	}

	/**
	 * @param {Exchange} exchange
	 * @param {string} method
	 * @param {Record<string, string>} headers
	 * @param {string} text
	 */
	async #fetch(exchange, method, headers, text) {
		const { fetch: send, url } = this.#settings;
		try {
			const own = this.#settings.headers;
			// A free function: fetch must not be called as somebody's method.
			const call = send ?? globalThis.fetch;
			/** @type {Response} */
			const response = await call(url, {
				method,
				headers: own === undefined ? headers : await this.#merged(own, headers),
				body: text || undefined,
				signal: exchange.controller.signal,
			});
			await this.#read(exchange, response);
		} catch (error) {
			this.#failed(exchange, error);
		}
	}

	/**
	 * The application's headers, overruled by the protocol's.
	 * @param {any} own
	 * @param {Record<string, string>} headers
	 */
	async #merged(own, headers) {
		let base = this.#ownHeaders;
		if (base === undefined) {
			base = Object.fromEntries(new Headers(typeof own === "function" ? await own() : own));
			if (typeof own !== "function") this.#ownHeaders = base;
		}
		const merged = { ...base };
		for (const name of Object.keys(headers)) {
			delete merged[name.toLowerCase()];
			merged[name] = headers[name];
		}
		return merged;
	}

	/**
	 * @param {Exchange} exchange
	 * @param {Response} response
	 */
	async #read(exchange, response) {
		if (exchange.done) {
			response.body?.cancel().catch(ignore);
			return;
		}
		const { ok, status, headers } = response;
		let facts = headers.get("content-type") ?? "";
		if (!ok) {
			facts += `\0\0${headers.get("retry-after") ?? ""}\0${headers.get("www-authenticate") ?? ""}\0${response.statusText}`;
		} else if (!this.info) facts += `\0${headers.get("mcp-session-id") ?? ""}`;
		switch (this.#head(exchange, status, facts)) {
			case DISCARD:
				this.#forget(exchange);
				response.body?.cancel().catch(ignore);
				this.#unwatch();
				return;
			case ERROR:
				this.#body(exchange, await beginning(response, ERROR_BODY_BYTES));
				return;
			case MESSAGE:
				this.#message(exchange, await response.text(), false);
				return;
			case TOOLS: {
				const text = await response.text();
				// A key may be written with escapes; then it has the escape of an ASCII letter.
				if (text.includes("x-mcp-header") || text.includes("\\u00")) this.#body(exchange, text);
				else this.#message(exchange, text, false);
				return;
			}
			case STREAM:
				await this.#stream(exchange, response);
				return;
			default:
				this.#body(exchange, await response.text());
		}
	}

	/**
	 * @param {Exchange} exchange
	 * @param {number} status
	 * @param {string} facts
	 */
	#head(exchange, status, facts) {
		const { live, core } = this;
		let code = DISCARD;
		try {
			code = live.call(() => core.head(exchange.number, status, live.mailbox.write(facts), now()));
		} catch {
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
	#body(exchange, text) {
		if (exchange.done) return;
		this.#forget(exchange);
		this.#tell(() => this.core.body(exchange.number, this.live.mailbox.write(text), now()));
	}

	/**
	 * One message: the result of the request is told as facts, anything else as text.
	 * @param {Exchange} exchange
	 * @param {string} text
	 * @param {boolean} inStream
	 */
	#message(exchange, text, inStream) {
		if (exchange.done) return;
		let value;
		try {
			value = JSON.parse(text);
		} catch {
			value = undefined;
		}
		if (!inStream) this.#forget(exchange);
		if (!this.#result(exchange, value)) {
			this.#tell(() => this.core.body(exchange.number, this.live.mailbox.write(text), now()));
		}
	}

	/**
	 * Tells of the request's result, if that is what the value is.
	 * @param {Exchange} exchange
	 * @param {any} value
	 */
	#result(exchange, value) {
		const result = value?.result;
		if (typeof result !== "object" || result === null || Array.isArray(result)) return false;
		if (value.id !== exchange.id || value.jsonrpc !== "2.0" || value.error !== undefined || value.method !== undefined) {
			return false;
		}
		const type = result.resultType;
		if (type !== undefined && type !== "complete" && type !== "input_required") return false;
		const cursor = result.nextCursor;
		const { live, core } = this;
		this.#held = value;
		if (typeof cursor === "string") {
			this.#tell(() =>
				core.result(exchange.number, type === "input_required", true, live.mailbox.write(cursor), now()),
			);
		} else this.#tell(() => core.result(exchange.number, type === "input_required", false, 0, now()));
		this.#held = undefined;
		return true;
	}

	/**
	 * @param {Exchange} exchange
	 * @param {Response} response
	 */
	async #stream(exchange, response) {
		const { live, core } = this;
		const reader = response.body?.getReader();
		exchange.reader = reader;
		while (reader !== undefined && !exchange.done) {
			const { value, done } = await reader.read();
			if (exchange.done) return;
			if (done) break;
			if (value.length > 0) this.#tell(() => core.chunk(exchange.number, live.mailbox.write(value), now()));
		}
		if (exchange.done) return;
		this.#forget(exchange);
		this.#tell(() => core.end(exchange.number, now()));
	}

	/**
	 * Gives a message to the transport function.
	 * @param {Exchange} exchange
	 * @param {string} method
	 * @param {string} text
	 */
	async #deliver(exchange, method, text) {
		const { transport } = this.#settings;
		const { live, core } = this;
		try {
			if (text !== "") {
				const { signal } = exchange.controller;
				const onMessage = (/** @type {any} */ message) => this.#incoming(exchange, message);
				const reply = await transport(JSON.parse(text), { signal, onMessage });
				if (exchange.done) return;
				if (reply !== undefined && reply !== null) this.#incoming(exchange, reply);
			}
			if (exchange.done) return;
			this.#forget(exchange);
			this.#tell(() => core.end(exchange.number, now()));
		} catch (error) {
			/** @type {any} */
			const thrown = error;
			if (exchange.done || typeof thrown?.status !== "number") this.#failed(exchange, error);
			else this.#judge(exchange, thrown, method);
		}
	}

	/**
	 * An error of a transport that carries an HTTP answer.
	 * @param {Exchange} exchange
	 * @param {any} error
	 * @param {string} method
	 */
	#judge(exchange, error, method) {
		const headers = new Headers(error.headers ?? {});
		const facts = [
			headers.get("content-type") ?? (error.body === undefined ? "" : "application/json"),
			headers.get("mcp-session-id") ?? "",
			headers.get("retry-after") ?? "",
			headers.get("www-authenticate") ?? "",
			error.statusText ?? "",
		];
		this.#cause = error;
		if (this.#head(exchange, error.status & 0xffff, facts.join("\0")) !== DISCARD) {
			const body = error.body ?? "";
			this.#body(exchange, typeof body === "string" ? body : text(body));
		} else this.#forget(exchange);
		this.#cause = undefined;
		this.#unwatch();
	}

	/**
	 * One message of a transport function.
	 * @param {Exchange} exchange
	 * @param {any} message object, text or bytes
	 */
	#incoming(exchange, message) {
		if (exchange.done) return;
		const { live, core } = this;
		if (typeof message === "string" || ArrayBuffer.isView(message)) {
			const bytes = typeof message === "string" ? message : bytesOf(message);
			this.#tell(() => core.message(exchange.number, live.mailbox.write(bytes), now()));
		} else if (this.#settings.kind !== "pipe" || !this.#result(exchange, message)) {
			const written = JSON.stringify(message);
			this.#tell(() => core.message(exchange.number, live.mailbox.write(written ?? "undefined"), now()));
		}
	}
}

/** @param {ArrayBufferView} view */
const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** A body as text, whatever it is. @param {any} body */
const text = (body) => (ArrayBuffer.isView(body) ? new TextDecoder().decode(bytesOf(body)) : (JSON.stringify(body) ?? ""));

/**
 * The beginning of a body.
 * @param {Response} response
 * @param {number} limit
 */
async function beginning(response, limit) {
	const reader = response.body?.getReader();
	if (reader === undefined) return "";
	const decoder = new TextDecoder();
	let out = "";
	for (let size = 0; size < limit; ) {
		const { value, done } = await reader.read();
		if (done) return out + decoder.decode();
		size += value.length;
		out += decoder.decode(value, { stream: true });
	}
	reader.cancel().catch(ignore);
	return out;
}

/**
 * The error of a failure record.
 * @param {Uint32Array} numbers
 * @param {number} n
 * @param {string[]} strings
 * @param {number} s
 * @param {unknown} cause
 */
function failure(numbers, n, strings, s, cause) {
	const [code, message, rpc, statusText, contentType, retryAfter, body] = strings.slice(s, s + 7);
	const status = numbers[n];
	const rpcError = rpc ? JSON.parse(rpc) : undefined;
	/** @type {any} */
	let error;
	if (code === "PROTOCOL" && rpcError) {
		error = new ProtocolError(rpcError.code, message, rpcError.data);
		if (status) error.status = status;
	} else if (code === "HTTP") {
		error = new HttpError(message, {
			status,
			statusText,
			contentType: contentType || undefined,
			retryAfter: seconds(retryAfter),
			body,
			rpcError,
			cause,
		});
	} else {
		error = new McpError(code, message, cause === undefined ? undefined : { cause });
		if (rpcError) error.rpcError = rpcError;
		if (status) error.status = status;
	}
	if (numbers[n + 1]) error.retryable = true;
	return error;
}

/** `Retry-After` in seconds: it is a number of them, or a date. @param {string} text */
function seconds(text) {
	if (text === "") return undefined;
	const number = Number(text);
	const value = Number.isNaN(number) ? (Date.parse(text) - Date.now()) / 1000 : number;
	return Number.isNaN(value) ? undefined : Math.max(0, Math.round(value));
}
