// Results in a store of the application: under each key a text, which holds the parts and when each is over.

/** No result is kept longer: a clock may have been set back. */
const LONGEST = 86_400_000;

/** How many keys a client has at most: what it does not remember it could not forget. */
const MOST = 100;

/** @typedef {{ key: string, method: string, uri: string }} Subject what is kept together */

export class Store {
	#store;
	#url;
	#report;
	/** @type {Map<string, Subject>} */
	#known = new Map();
	/** What is written goes one after the other, so that what was forgotten does not come back. @type {Promise<unknown>} */
	#written = Promise.resolve();

	/**
	 * @param {any} store
	 * @param {string} url of the server
	 * @param {(error: unknown) => void} report hears of its failures, which are nobody else's
	 */
	constructor(store, url, report) {
		this.#store = store;
		this.#url = url;
		this.#report = report;
	}

	/**
	 * @param {string} version
	 * @param {string | null} context in whose name was asked
	 * @param {string} method
	 * @param {string} uri
	 * @returns {Subject}
	 */
	subject(version, context, method, uri) {
		return { key: JSON.stringify([this.#url, version, context, method, uri]), method, uri };
	}

	/** @param {Subject} subject */
	#know(subject) {
		this.#known.delete(subject.key);
		this.#known.set(subject.key, subject);
		const [oldest] = this.#known.keys();
		if (this.#known.size > MOST) this.#delete(oldest);
	}

	/** What is fresh under the key. @param {string} key @returns {Promise<Record<string, [number, string]>>} */
	async #parts(key) {
		const now = Date.now();
		const parts = JSON.parse((await this.#store.get(key)) ?? "{}");
		const isFresh = (/** @type {any} */ [, [until, text]]) =>
			until > now && until <= now + LONGEST && typeof text === "string";
		return Object.fromEntries(Object.entries(parts).filter(isFresh));
	}

	/** @param {Subject} subject @param {string} part @returns {Promise<string>} empty where there is nothing */
	async lookup(subject, part) {
		this.#know(subject);
		await this.#written;
		try {
			return (await this.#parts(subject.key))[part]?.[1] ?? "";
		} catch (error) {
			this.#report(error);
			return "";
		}
	}

	/** @param {Subject} subject @param {string} part @param {string} text @param {number} ttl */
	keep(subject, part, text, ttl) {
		const { key } = subject;
		this.#know(subject);
		this.#write(async () => {
			const now = Date.now();
			/** @type {Record<string, [number, string]>} */
			const parts = await this.#parts(key).catch(() => ({}));
			parts[part] = [now + ttl, text];
			// One whose time is none is over already.
			const all = Object.entries(parts).filter(([, [until]]) => until > now);
			if (all.length === 0) return this.#store.delete(key);
			const longest = Math.max(...all.map(([, [until]]) => until - now));
			return this.#store.set(key, JSON.stringify(Object.fromEntries(all)), longest);
		});
	}

	/** Whoever it was kept for, and whatever is inside of it or it is inside of. @param {Subject} subject */
	forget({ key, method, uri }) {
		const related = [...this.#known.values()].filter(
			(other) => other.method === method && (other.uri.startsWith(uri) || uri.startsWith(other.uri)),
		);
		for (const one of new Set([key, ...related.map((other) => other.key)])) this.#delete(one);
	}

	/** @param {string} key */
	#delete(key) {
		this.#known.delete(key);
		this.#write(() => this.#store.delete(key));
	}

	/** @param {() => unknown} work */
	#write(work) {
		this.#written = this.#written.then(work).catch((error) => this.#report(error));
	}
}
