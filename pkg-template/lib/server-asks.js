// What a handler asks the client. Modern: the call ends with all that is asked, and runs again from the
// top once the answers are there; what was answered, and what `once` gave, is kept in the sealed
// requestState. Legacy: each ask is a request to the client on the call's own channel.

import { McpError, ProtocolError } from "../errors.js";
import { METHOD_ELICITATION_CREATE, METHOD_ROOTS_LIST, METHOD_SAMPLING_CREATE_MESSAGE } from "./constants.js";

/** Whether an answer is one to that request: anything else counts as none, and is asked for again. */
/** @type {Record<string, (answer: any) => boolean>} */
const IS_ANSWER = {
	[METHOD_ELICITATION_CREATE]: ({ action }) => action === "accept" || action === "decline" || action === "cancel",
	[METHOD_SAMPLING_CREATE_MESSAGE]: ({ role, content }) => typeof role === "string" && content !== undefined,
	[METHOD_ROOTS_LIST]: ({ roots }) => Array.isArray(roots),
};

/** @typedef {{ answers?: Record<string, unknown>, once?: Record<string, unknown>, own?: string }} Kept */

/** The asks of one run of a handler in the modern era. */
export class Asks {
	/** @type {Record<string, unknown>} */
	#answers;
	/** @type {Record<string, unknown>} */
	#once;
	/** @type {Record<string, unknown>} the answers that this run has come past */
	#used = {};
	/** @type {Map<string, unknown>} */
	#open = new Map();
	#count = 0;
	#suspend;

	/**
	 * @param {Kept} kept of earlier runs
	 * @param {Record<string, unknown>} answers of this request
	 * @param {() => void} suspend ends the run, once all that is asked at once has been asked
	 */
	constructor(kept, answers, suspend) {
		this.#answers = { ...kept.answers, ...answers };
		this.#once = { ...kept.once };
		this.#suspend = suspend;
	}

	/**
	 * @param {string} method
	 * @param {unknown} params
	 * @param {string} [key] of the answer; the order of the asks without
	 * @returns {Promise<any>} never settles if there is no answer yet: the call ends, and nobody waits
	 */
	ask(method, params, key = `ask-${++this.#count}`) {
		const answer = Object.hasOwn(this.#answers, key) ? this.#answers[key] : undefined;
		if (answer !== null && typeof answer === "object" && IS_ANSWER[method](answer)) {
			this.#used[key] = answer;
			return Promise.resolve(answer);
		}
		if (this.#open.size === 0) setTimeout(this.#suspend);
		this.#open.set(key, params === undefined ? { method } : { method, params });
		return new Promise(() => {});
	}

	/**
	 * @template T
	 * @param {string} key
	 * @param {() => T | Promise<T>} run
	 * @returns {Promise<T>}
	 */
	async once(key, run) {
		if (!Object.hasOwn(this.#once, key)) this.#once[key] = (await run()) ?? null;
		return /** @type {T} */ (this.#once[key]);
	}

	get requests() {
		return Object.fromEntries(this.#open);
	}

	/** What the next run has to know; nothing if it needs no state. @returns {Kept | undefined} */
	get kept() {
		const answers = this.#used;
		const once = this.#once;
		return Object.keys(answers).length + Object.keys(once).length > 0 ? { answers, once } : undefined;
	}
}

/** The requests that handlers have sent to legacy clients, by id. */
export class Waiting {
	/** @type {Map<string, { resolve: (result: any) => void, reject: (error: unknown) => void }>} */
	#waiting = new Map();

	/**
	 * @param {(id: string) => void} send what it throws ends the wait
	 * @param {AbortSignal | undefined} signal ends the wait
	 * @returns {Promise<any>}
	 */
	ask(send, signal) {
		const id = crypto.randomUUID();
		return new Promise((resolve, reject) => {
			const stop = () => this.#settle(id)?.reject(signal?.reason);
			this.#waiting.set(id, {
				resolve: (result) => {
					signal?.removeEventListener("abort", stop);
					resolve(result);
				},
				reject: (error) => {
					signal?.removeEventListener("abort", stop);
					reject(error);
				},
			});
			signal?.addEventListener("abort", stop, { once: true });
			try {
				send(id);
			} catch (error) {
				this.#settle(id)?.reject(error);
			}
		});
	}

	/** @param {string} id @param {any} result */
	answer(id, result) {
		this.#settle(id)?.resolve(result);
	}

	/** @param {string} id @param {{ code: number, message: string, data?: unknown }} error */
	refuse(id, { code, message, data }) {
		this.#settle(id)?.reject(new ProtocolError(code, message, data));
	}

	/** @param {string} id */
	#settle(id) {
		const waiting = this.#waiting.get(id);
		this.#waiting.delete(id);
		return waiting;
	}
}

/** @param {string} what */
export const cannot = (what) => new McpError("INVALID_ARGUMENT", what);
