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

/** How often something happens while a client is asked: a platform that sees nothing pending takes the request for hung. */
const BEAT_MS = 15_000;

/** The requests that handlers have sent to legacy clients, by id. */
export class Waiting {
	/** @type {Map<string, { session: string | undefined, settle: (ok: boolean, outcome: any) => void }>} */
	#waiting = new Map();

	/**
	 * @param {(id: string) => void} send what it throws ends the wait
	 * @param {AbortSignal | undefined} signal ends the wait
	 * @param {string} [session] only an answer from there counts
	 * @returns {Promise<any>}
	 */
	ask(send, signal, session) {
		const id = crypto.randomUUID();
		return new Promise((resolve, reject) => {
			const beat = setInterval(() => {}, BEAT_MS);
			/** @type {any} */ (beat).unref?.();
			const end = () => {
				clearInterval(beat);
				signal?.removeEventListener("abort", stop);
				this.#waiting.delete(id);
			};
			const stop = () => {
				end();
				reject(signal?.reason);
			};
			const settle = (/** @type {boolean} */ ok, /** @type {any} */ outcome) => {
				end();
				if (ok) resolve(outcome);
				else reject(new ProtocolError(outcome.code, outcome.message, outcome.data));
			};
			this.#waiting.set(id, { session, settle });
			if (signal?.aborted) return stop();
			signal?.addEventListener("abort", stop, { once: true });
			try {
				send(id);
			} catch (error) {
				end();
				reject(error);
			}
		});
	}

	/**
	 * Hands on what a client answered.
	 * @param {string} id
	 * @param {string | undefined} session
	 * @param {boolean} ok
	 * @param {any} outcome the result, or the error
	 * @returns {boolean} whether anybody here waited for it
	 */
	settle(id, session, ok, outcome) {
		const waiting = this.#waiting.get(id);
		if (waiting === undefined || waiting.session !== session) return false;
		waiting.settle(ok, outcome);
		return true;
	}
}

/** @param {string} what */
export const cannot = (what) => new McpError("INVALID_ARGUMENT", what);
