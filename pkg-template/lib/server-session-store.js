// Where sessions and their events are kept unless the server's definition says otherwise: in this isolate's memory.

/**
 * Keeps the texts of sessions.
 * @typedef {object} SessionStore
 * @property {(id: string) => string | undefined | null | Promise<string | undefined | null>} get
 * @property {(id: string, session: string, ttlMs: number) => unknown} set
 * @property {(id: string) => unknown} delete
 */

/** @typedef {{ number: number, text: string, last: boolean }} StreamEvent */

/**
 * Keeps the events of streams, each of a session, by their numbers.
 * @typedef {object} EventStore
 * @property {(session: string, stream: string, event: StreamEvent) => unknown} append
 * @property {(session: string, stream: string, number: number) => StreamEvent[] | undefined | null | Promise<StreamEvent[] | undefined | null>} after
 * @property {(session: string) => unknown} forget
 */

/** @implements {SessionStore} */
export class MemorySessions {
	/** The one that was kept longest ago first. @type {Map<string, { session: string, until: number }>} */
	#kept = new Map();
	#max;
	#onEnd;

	/** @param {number} max @param {(id: string) => void} onEnd is told of each one that has run out or had to make room */
	constructor(max, onEnd) {
		this.#max = max;
		this.#onEnd = onEnd;
	}

	/** @param {string} id */
	get(id) {
		return this.#kept.get(id)?.session;
	}

	/** @param {string} id @param {string} session @param {number} ttlMs */
	set(id, session, ttlMs) {
		const now = Date.now();
		this.#kept.delete(id);
		for (const [oldest, { until }] of this.#kept) {
			if (until > now && this.#kept.size < this.#max) break;
			this.#kept.delete(oldest);
			this.#onEnd(oldest);
		}
		this.#kept.set(id, { session, until: now + ttlMs });
	}

	/** @param {string} id */
	delete(id) {
		this.#kept.delete(id);
	}
}

/** @implements {EventStore} */
export class MemoryEvents {
	/** The oldest first, so an event is never there without those of its stream that came after it. @type {Map<string, StreamEvent>} */
	#kept = new Map();
	#length = 0;
	#max;
	#maxLength;

	/** @param {number} max @param {number} maxLength of their texts */
	constructor(max, maxLength) {
		this.#max = max;
		this.#maxLength = maxLength;
	}

	/** @param {string} session @param {string} stream @param {StreamEvent} event */
	append(session, stream, event) {
		this.#kept.set(keyOf(session, stream, event.number), event);
		this.#length += event.text.length;
		for (const oldest of this.#kept.keys()) {
			if (this.#kept.size <= this.#max && this.#length <= this.#maxLength) break;
			this.#drop(oldest);
		}
	}

	/** @param {string} session @param {string} stream @param {number} number */
	after(session, stream, number) {
		if (!this.#kept.has(keyOf(session, stream, number))) return undefined;
		const later = [];
		for (;;) {
			const event = this.#kept.get(keyOf(session, stream, ++number));
			if (event === undefined) return later;
			later.push(event);
		}
	}

	/** @param {string} session */
	forget(session) {
		const prefix = `${session}\n`;
		for (const key of this.#kept.keys()) if (key.startsWith(prefix)) this.#drop(key);
	}

	/** @param {string} key */
	#drop(key) {
		this.#length -= this.#kept.get(key)?.text.length ?? 0;
		this.#kept.delete(key);
	}
}

/** @param {string} session @param {string} stream @param {number} number */
const keyOf = (session, stream, number) => `${session}\n${stream}\n${number}`;
