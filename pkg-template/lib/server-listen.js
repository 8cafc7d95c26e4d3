// subscriptions/listen: a subscription lasts until the client cancels it or the server closes, and is told
// of what is published on the server's bus.

/**
 * Something that changed.
 * @typedef {{ type: "tools_list_changed" | "prompts_list_changed" | "resources_list_changed" } | { type: "resource_updated", uri: string }} ChangeEvent
 */

/**
 * What carries changes, within one isolate or between many.
 * @typedef {object} Bus
 * @property {(event: ChangeEvent) => unknown} publish
 * @property {(listener: (event: ChangeEvent) => void) => () => void} subscribe returns what ends it
 */

/** Carries changes within this isolate. @implements {Bus} */
export class LocalBus {
	/** @type {Set<(event: ChangeEvent) => void>} */
	#listeners = new Set();

	/** @param {ChangeEvent} event */
	publish(event) {
		for (const listener of this.#listeners) listener(event);
	}

	/** @param {(event: ChangeEvent) => void} listener */
	subscribe(listener) {
		this.#listeners.add(listener);
		return () => {
			this.#listeners.delete(listener);
		};
	}
}

/** The most subscriptions of one server, unless its definition says otherwise: as the TypeScript SDK has it. */
export const MAX_SUBSCRIPTIONS = 1024;

/** The subscriptions of one server. */
export class Subscriptions {
	#bus;
	#max;
	/** @type {Set<() => void>} what ends each of them */
	#open = new Set();

	/** @param {Bus} bus @param {number} max */
	constructor(bus, max) {
		this.#bus = bus;
		this.#max = max;
	}

	/** @param {ChangeEvent} event */
	publish(event) {
		return this.#bus.publish(event);
	}

	/** Ends them all, gracefully. */
	close() {
		for (const end of this.#open) end();
	}

	/**
	 * Tells of changes until the subscription ends.
	 * @param {(text: string) => void} send
	 * @param {AbortSignal | undefined} signal
	 * @param {string[]} texts of the core
	 * @param {boolean} empty whether there is nothing to tell of
	 * @returns {Promise<string | null>} the last message; none where the client has gone
	 */
	listen(send, signal, texts, empty) {
		const [acknowledged, last, refusal, tools, prompts, resources, updated, behind, uris] = texts;
		if (this.#open.size >= this.#max) return Promise.resolve(refusal);
		send(acknowledged);
		if (empty) return Promise.resolve(last);
		/** @type {Record<string, string>} */
		const lists = { tools_list_changed: tools, prompts_list_changed: prompts, resources_list_changed: resources };
		const watched = new Set(JSON.parse(uris));
		const unsubscribe = this.#bus.subscribe((event) => {
			if (event.type === "resource_updated") {
				if (watched.has(event.uri)) send(updated + JSON.stringify(event.uri) + behind);
			} else if (lists[event.type]) send(lists[event.type]);
		});
		return new Promise((resolve) => {
			const end = (/** @type {string | null} */ text) => {
				unsubscribe();
				this.#open.delete(close);
				signal?.removeEventListener("abort", gone);
				resolve(text);
			};
			const close = () => end(last);
			const gone = () => end(null);
			this.#open.add(close);
			if (signal?.aborted) gone();
			else signal?.addEventListener("abort", gone, { once: true });
		});
	}
}
