// Where an entry finds its wasm file.

/**
 * @typedef {object} Located
 * @property {() => URL} url the wasm file, spelled so that bundlers recognise and rewrite it
 * @property {() => string | undefined} here where the entry's code says it is
 * @property {string} own the entry's file name
 * @property {string} path the wasm file relative to the entry
 * @property {() => Promise<{ default: string }>} text the text copy
 */

/**
 * The address of the wasm file, or nothing when a bundler moved the code and left the
 * file behind. A bundler that knows about the file rewrites `url`, so that it differs
 * from the same path resolved by hand; where both are equal, nobody rewrote it, and it
 * is there only if the entry's code still lies in its own file.
 * @param {Located} located
 */
export function locate({ url, here, own, path }) {
	try {
		const found = url();
		const base = /** @type {string} */ (here());
		const untouched = found.href === new URL(path, base).href;
		return untouched && !new URL(base).pathname.endsWith(`/${own}`) ? undefined : found;
	} catch {
		// A classic script has no import.meta.url.
		return undefined;
	}
}
