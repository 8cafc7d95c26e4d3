// Changes of sessions whose store answers later: one waits for the other, or the last one would undo the others.

/** How long a change waits for the one before, in milliseconds: a platform may drop a request in the middle of its own. */
const MAX_WAIT_MS = 5_000;

export class Turns {
	/** The end of the last change of each session, while there is one. @type {Map<string, Promise<unknown>>} */
	#last = new Map();

	/**
	 * Runs a change after those that began before it.
	 * @template T
	 * @param {string} id
	 * @param {() => Promise<T>} change
	 * @returns {Promise<T>}
	 */
	async take(id, change) {
		const before = this.#last.get(id);
		const own = (async () => {
			if (before !== undefined) await atMost(before);
			return change();
		})();
		const end = own.then(ignore, ignore);
		this.#last.set(id, end);
		try {
			return await own;
		} finally {
			if (this.#last.get(id) === end) this.#last.delete(id);
		}
	}
}

/** @param {Promise<unknown>} promise */
async function atMost(promise) {
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;
	const late = new Promise((resolve) => {
		timer = setTimeout(resolve, MAX_WAIT_MS);
	});
	await Promise.race([promise, late]);
	clearTimeout(timer);
}

const ignore = () => {};
