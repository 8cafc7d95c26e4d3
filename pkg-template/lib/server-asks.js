// What handlers ask legacy clients: each ask is a request to the client on the call's own channel.

import { McpError, ProtocolError } from "../errors.js";

/** The requests that handlers have sent to legacy clients, by id. */
export class Waiting {
	/** @type {Map<string, { session: string | undefined, settle: (ok: boolean, outcome: any) => void, fail: (error: unknown) => void }>} */
	#waiting = new Map();

	/**
	 * @param {(id: string) => { ms: number, withdraw: () => void, late: string }} send gives for how long to wait, what tells
	 * the client of the end, and what the asker; what it throws ends the wait
	 * @param {AbortSignal | undefined} signal ends the wait
	 * @param {string} [session] only an answer from there counts
	 * @returns {Promise<any>}
	 */
	ask(send, signal, session) {
		const id = crypto.randomUUID();
		return new Promise((resolve, reject) => {
			/** @type {ReturnType<typeof setTimeout> | undefined} */
			let timer;
			const end = () => {
				clearTimeout(timer);
				signal?.removeEventListener("abort", stop);
				this.#waiting.delete(id);
			};
			const fail = (/** @type {unknown} */ error) => {
				end();
				reject(error);
			};
			const stop = () => fail(signal?.reason);
			const settle = (/** @type {boolean} */ ok, /** @type {any} */ outcome) => {
				if (!ok) return fail(new ProtocolError(outcome.code, outcome.message, outcome.data));
				end();
				resolve(outcome);
			};
			this.#waiting.set(id, { session, settle, fail });
			if (signal?.aborted) return stop();
			signal?.addEventListener("abort", stop, { once: true });
			try {
				const { ms, withdraw, late } = send(id);
				// Whoever answers at once has done so already.
				if (!this.#waiting.has(id)) return;
				// It also shows the platform that something is pending: it takes a request without for hung.
				timer = setTimeout(() => {
					fail(new McpError("TIMED_OUT", late));
					try {
						withdraw();
					} catch {
						// The client has gone: there is nobody to tell.
					}
				}, ms);
				/** @type {any} */ (timer).unref?.();
			} catch (error) {
				fail(error);
			}
		});
	}

	/** Nothing is waited for any more. @param {unknown} error */
	close(error) {
		for (const { fail } of this.#waiting.values()) fail(error);
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
