// subscriptions/listen: a subscription lasts until the client cancels it or the server closes, and is told
// of what is published on the server's bus.

/**
 * Something that changed, or that another isolate has to know; JSON.
 * @typedef {{ type: "tools_list_changed" | "prompts_list_changed" | "resources_list_changed" } | { type: "resource_updated", uri: string } | { type: "log", [member: string]: unknown } | { type: "session_answer" | "session_ended", session: string, [member: string]: unknown }} ChangeEvent
 */

/**
 * What carries changes, within one isolate or between many.
 * @typedef {object} Bus
 * @property {(event: ChangeEvent) => unknown} publish
 * @property {(listener: (event: ChangeEvent) => void, lost: () => void) => (() => unknown) | Promise<() => unknown>} subscribe
 * returns what ends it; `lost` says that nothing will come any more
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
	/** What ends whatever hears of the bus. @type {Set<() => unknown>} */
	#heard = new Set();
	closed = false;

	/** @param {Bus} bus @param {number} max */
	constructor(bus, max) {
		this.#bus = bus;
		this.#max = max;
	}

	/** @param {ChangeEvent} event */
	publish(event) {
		return this.#bus.publish(event);
	}

	/** Publishes what nobody waits for: a bus that fails ends nothing else. @param {ChangeEvent} event */
	tell(event) {
		(async () => this.publish(event))().catch(ignore);
	}

	/** Ends them all, gracefully, and whatever else hears of the bus. */
	close() {
		this.closed = true;
		for (const end of this.#open) end();
		for (const end of this.#heard) end();
	}

	/**
	 * Hears of what is published; a listener that fails stops no other.
	 * @param {(event: ChangeEvent) => unknown} listener
	 * @param {() => void} [lost]
	 * @returns {Promise<() => void>} what ends it
	 */
	async subscribe(listener, lost = ignore) {
		const unsubscribe = await this.#bus.subscribe(async (event) => {
			try {
				await listener(event);
			} catch {
				// Whoever listens deals with what it can deal with.
			}
		}, lost);
		const end = async () => {
			if (!this.#heard.delete(end)) return;
			try {
				await unsubscribe();
			} catch {
				// What cannot be ended says nothing any more either.
			}
		};
		this.#heard.add(end);
		if (this.closed) end();
		return end;
	}

	/**
	 * Tells of changes until the subscription ends.
	 * @param {(text: string) => void} send
	 * @param {AbortSignal | undefined} signal
	 * @param {string[]} texts of the core
	 * @param {boolean} empty whether there is nothing to tell of
	 * @returns {Promise<string | null>} the last message; none where the client has gone
	 */
	async listen(send, signal, texts, empty) {
		const [acknowledged, last, refusal, tools, prompts, resources, updated, behind, uris] = texts;
		if (this.#open.size >= this.#max) return refusal;
		if (empty) {
			send(acknowledged);
			return last;
		}
		const lists = new Map([
			["tools_list_changed", tools],
			["prompts_list_changed", prompts],
			["resources_list_changed", resources],
		]);
		const watched = new Set(JSON.parse(uris));
		/** What comes before the acknowledgement, which is the first message. @type {string[] | undefined} */
		let early = [];
		const tell = (/** @type {string | undefined} */ text) => {
			if (!text) return;
			if (early) early.push(text);
			else send(text);
		};
		/** @type {(() => void) | undefined} */
		let unsubscribe;
		let over = false;
		let settle = (/** @type {string | null} */ _text) => {};
		/** @type {Promise<string | null>} */
		const ended = new Promise((resolve) => {
			settle = resolve;
		});
		const end = (/** @type {string | null} */ text) => {
			over = true;
			unsubscribe?.();
			this.#open.delete(close);
			signal?.removeEventListener("abort", gone);
			settle(text);
		};
		const close = () => end(last);
		const gone = () => end(null);
		this.#open.add(close);
		try {
			unsubscribe = await this.subscribe((event) => {
				if (event.type !== "resource_updated") tell(lists.get(event.type));
				else if (watched.has(event.uri)) tell(updated + JSON.stringify(event.uri) + behind);
			}, close);
		} catch (error) {
			end(null);
			throw error;
		}
		if (over) unsubscribe();
		send(acknowledged);
		for (const text of early) send(text);
		early = undefined;
		if (signal?.aborted) gone();
		else signal?.addEventListener("abort", gone, { once: true });
		return ended;
	}
}

const ignore = () => {};
