// JSON-RPC between two windows: requests both ways, each answered once, cancelled or timed out.

import { McpError, ProtocolError } from "../errors.js";
import {
	CANCELLED,
	INTERNAL_ERROR,
	INVALID_PARAMS,
	PROGRESS,
	REQUEST_TIMEOUT_MS,
	TOOLS_CALL,
	UI_INITIALIZE,
	UI_INITIALIZED,
} from "./apps-facts.js";

/** The longest time that a timer can take: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @typedef {{ signal?: AbortSignal, timeoutMs?: number, onProgress?: (progress: any) => void }} RequestOptions */
/** @typedef {{ settle: (message: any) => void, progress: (params: any) => void, fail: (error: unknown) => void }} Pending */

/**
 * @typedef {object} Ends what is at the two ends
 * @property {Window} target whom to talk to
 * @property {string} [hostOrigin] whose messages to take, instead of those of the target
 * @property {(method: string, params: any) => void} notified
 * @property {(method: string, params: any, context: { requestId: string | number, signal: AbortSignal }) => any} answer
 */

/** @param {any} value what a JSON object becomes; nothing else, a Map above all */
export const isObject = (value) => Object.getPrototypeOf(value ?? 0) === Object.prototype;

/** @param {string} message */
export const wrong = (message) => new McpError("INVALID_ARGUMENT", message);

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** As JSON has it: strict hosts refuse a Map, and a function cannot be sent. @param {any} value */
function plain(value) {
	try {
		return JSON.parse(JSON.stringify(value, (_, inner) => (inner instanceof Map ? Object.fromEntries(inner) : inner)));
	} catch (error) {
		throw wrong(`not JSON: ${messageOf(error)}`);
	}
}

/** Calls what a user gave; what it throws goes where uncaught errors go. @param {(...values: any[]) => any} listener @param {any[]} values */
export function tell(listener, values) {
	try {
		return listener(...values);
	} catch (error) {
		reportError(error);
	}
}

export class Channel {
	#ends;
	// Two Views of one frame, as a double mount makes them, must not take each other's answers.
	#prefix = `${Math.random()}-`;
	#count = 0;
	/** @type {Map<unknown, Pending>} requests of ours, by id */
	#pending = new Map();
	/** @type {Map<unknown, AbortController>} requests of the host's, by id */
	#serving = new Map();
	/** @type {AbortController} what listens, listens until the end */
	#listening = new AbortController();
	/** @type {(value?: undefined) => void} */
	#resolve = () => {};
	/** @type {(error: unknown) => void} */
	#reject = () => {};
	/** Resolves when the handshake is done. @type {Promise<undefined>} */
	ready = new Promise((resolve, reject) => {
		this.#resolve = resolve;
		this.#reject = reject;
	});
	isReady = false;
	/** @type {unknown} why it is closed */
	closed;

	/** @param {Ends} ends */
	constructor(ends) {
		this.#ends = ends;
		this.ready.catch(() => {});
	}

	/** Listens to a target until the end. @param {EventTarget} target @param {string} name @param {(event: any) => void} listener */
	listen(target, name, listener) {
		target.addEventListener(name, listener, { signal: this.#listening.signal });
	}

	open() {
		this.listen(window, "message", (event) => this.#receive(event));
	}

	/** The handshake is done. */
	opened() {
		this.#post(plain({ method: UI_INITIALIZED }));
		this.isReady = true;
		this.#resolve();
	}

	/** @param {unknown} error */
	end(error) {
		this.closed = error;
		this.#listening.abort();
		this.#reject(error);
		for (const pending of [...this.#pending.values()]) pending.fail(error);
		for (const abort of this.#serving.values()) abort.abort(error);
	}

	/** @param {any} message plain */
	#post(message) {
		const { target, hostOrigin = "*" } = this.#ends;
		target.postMessage({ jsonrpc: "2.0", ...message }, hostOrigin);
	}

	/** Sends when the handshake is done. @param {() => void} send */
	#soon(send) {
		if (this.isReady) send();
		else this.ready.then(send, () => {});
	}

	/** @param {MessageEvent} event */
	#receive({ source, origin, data }) {
		const { target, hostOrigin, notified } = this.#ends;
		if (hostOrigin ? origin !== hostOrigin : source !== target) return;
		if (!isObject(data) || data.jsonrpc !== "2.0") return;
		const { id, method } = data;
		const params = data.params ?? {};
		if (typeof method !== "string") this.#pending.get(id)?.settle(data);
		else if (typeof id === "string" || Number.isInteger(id)) this.#serve(id, method, params);
		else if (id !== undefined || !isObject(params)) return;
		else if (method === PROGRESS) this.#pending.get(params.progressToken)?.progress(params);
		else if (method === CANCELLED) this.#serving.get(params.requestId)?.abort(params.reason);
		else notified(method, params);
	}

	/**
	 * A request, sent once the handshake is done.
	 * @param {string} method
	 * @param {any} [params]
	 * @param {RequestOptions} [options]
	 * @param {(send: () => void) => void} [start] sends, once or more often
	 * @returns {Promise<any>}
	 */
	request(method, params, options = {}, start = (send) => this.#soon(send)) {
		const { signal, timeoutMs = REQUEST_TIMEOUT_MS, onProgress } = options;
		return new Promise((resolve, reject) => {
			signal?.throwIfAborted();
			if (this.closed) throw this.closed;
			const id = this.#prefix + this.#count++;
			if (onProgress || method === TOOLS_CALL) {
				params = { ...params, _meta: { ...params?._meta, progressToken: id } };
			}
			const message = plain({ id, method, params });
			let isSent = false;
			/** @type {any} */
			let timer;
			/** @param {(value: any) => void} settle @param {unknown} value */
			const end = (settle, value) => {
				clearTimeout(timer);
				this.#pending.delete(id);
				signal?.removeEventListener("abort", aborted);
				settle(value);
			};
			/** @param {unknown} error */
			const cancel = (error) => {
				end(reject, error);
				if (isSent && method !== UI_INITIALIZE) this.notify(CANCELLED, { requestId: id, reason: messageOf(error) });
			};
			const aborted = () => cancel(signal?.reason);
			const late = () => cancel(new McpError("TIMED_OUT", `${method}: no answer within ${timeoutMs} ms`));
			const wait = () => {
				clearTimeout(timer);
				timer = setTimeout(late, Math.min(timeoutMs, MAX_TIMER_MS));
			};
			this.#pending.set(id, {
				fail: (error) => end(reject, error),
				settle: ({ error, result }) => {
					if (isObject(result)) end(resolve, result);
					else if (isObject(error)) end(reject, new ProtocolError(error.code, String(error.message), error.data));
					else end(reject, new McpError("INVALID_RESULT", `${method}: neither a result nor an error`));
				},
				progress: (params) => {
					wait();
					if (onProgress) tell(onProgress, [params]);
				},
			});
			signal?.addEventListener("abort", aborted);
			wait();
			start(() => {
				isSent = true;
				if (this.#pending.has(id)) this.#post(message);
			});
		});
	}

	/**
	 * A notification, once the handshake is done; nothing when it has ended.
	 * @param {string} method
	 * @param {any} [params]
	 */
	notify(method, params) {
		const message = plain({ method, params });
		this.#soon(() => this.closed || this.#post(message));
	}

	/**
	 * @param {string | number} id
	 * @param {string} method
	 * @param {any} params
	 */
	async #serve(id, method, params) {
		const abort = new AbortController();
		const { signal } = abort;
		this.#serving.set(id, abort);
		/** @type {any} */
		let body;
		try {
			if (!isObject(params)) throw new ProtocolError(INVALID_PARAMS, `Invalid params for ${method}: not an object`);
			body = plain({ result: await this.#ends.answer(method, params, { requestId: id, signal }) });
		} catch (error) {
			const { rpcCode = INTERNAL_ERROR } = /** @type {ProtocolError} */ (error);
			body = { error: { code: rpcCode, message: messageOf(error) } };
		}
		this.#serving.delete(id);
		// A cancelled request has no answer, and after the end nobody gets one.
		if (!signal.aborted && !this.closed) this.#post({ id, ...body });
	}
}
