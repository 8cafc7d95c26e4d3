// Loads the wasm from disk, at once: Node, Bun, Deno, and bundles for them.

import { fromTextOr } from "./compile.js";
import { locate } from "./locate.js";

/** Deno asks the person at a plain read without permission; the text copy needs none. @param {URL} url */
function mayRead(url) {
	const deno = /** @type {any} */ (globalThis).Deno;
	return deno?.permissions === undefined || deno.permissions.querySync({ name: "read", path: url }).state === "granted";
}

/** @param {import("./locate.js").Located} located */
export const disk = (located) => () => {
	try {
		const url = locate(located);
		if (url !== undefined && mayRead(url)) {
			// Not imported: for that Node lists all that the module has, and loads what few use (1 to 3 ms of a start).
			const { readFileSync } = process.getBuiltinModule("node:fs");
			return new WebAssembly.Module(readFileSync(url));
		}
	} catch (error) {
		return fromTextOr(located.text, error);
	}
	return fromTextOr(located.text);
};
