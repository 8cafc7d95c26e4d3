// What a page has to keep things in.

/**
 * The database of key pairs and of tokens that tabs share: a key that cannot be read out can be kept there all the same,
 * and what one tab has written there the next one reads. What is in `localStorage` can reach another tab's process later
 * than the lock does, and then a refresh token would be used twice.
 */
const DATABASE = "mcp-duet";
const STORE = "kept";

/**
 * A page's storage: registrations stay, tokens go with the tab unless its tabs share them.
 * @param {{ shared?: boolean }} [options]
 * @returns {import("./auth-session.js").Storage}
 */
export function browserStorage({ shared = false } = {}) {
	const name = (/** @type {string} */ key) => `mcp-duet ${key}`;
	const place = (/** @type {string} */ key) => (key.startsWith("client ") ? localStorage : sessionStorage);
	const inDatabase = (/** @type {string} */ key) => shared && !key.startsWith("client ");
	return {
		keys: async () => [
			...Object.keys({ ...localStorage, ...sessionStorage })
				.filter((key) => key.startsWith(name("")))
				.map((key) => key.slice(name("").length)),
			...(shared ? await stored((store) => store("readonly").getAllKeys()) : []),
		],
		get: (key) => (inDatabase(key) ? stored((store) => store("readonly").get(key)) : place(key).getItem(name(key))),
		set: (key, value) =>
			inDatabase(key) ? stored((store) => store("readwrite").put(value, key)) : place(key).setItem(name(key), value),
		delete: (key) =>
			inDatabase(key) ? stored((store) => store("readwrite").delete(key)) : place(key).removeItem(name(key)),
		lock: (key, work) => locked(name(key), work),
		keyPair: (key, make) => locked(name(key), () => kept(key, make)),
	};
}

/**
 * Pages that are not secure have no locks, and no keys either.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
const locked = (name, work) => (navigator.locks ? navigator.locks.request(name, work) : work());

/**
 * @param {string} key
 * @param {() => Promise<CryptoKeyPair>} make
 * @returns {Promise<CryptoKeyPair>}
 */
async function kept(key, make) {
	const found = await stored((store) => store("readonly").get(key));
	if (found) return found;
	const made = await make();
	await stored((store) => store("readwrite").put(made, key));
	return made;
}

/**
 * One request to the database.
 * @param {(store: (mode: IDBTransactionMode) => IDBObjectStore) => IDBRequest<any>} ask
 */
async function stored(ask) {
	const opening = indexedDB.open(DATABASE, 1);
	opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
	const database = await done(opening);
	try {
		return await done(ask((mode) => database.transaction(STORE, mode).objectStore(STORE)));
	} finally {
		database.close();
	}
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const done = (request) =>
	new Promise((resolve, reject) => {
		request.onsuccess = () => resolve(request.result);
		request.onerror = () => reject(request.error);
	});
