// Loads the wasm from disk, at once: Node, Bun, Deno, and bundles for them.

import { readFileSync } from "node:fs";
import { fromTextOr, locate } from "./core.js";

/** Deno asks the person at a plain read without permission; the text copy needs none. @param {URL} url */
function mayRead(url) {
	const deno = /** @type {any} */ (globalThis).Deno;
	return deno?.permissions === undefined || deno.permissions.querySync({ name: "read", path: url }).state === "granted";
}

/** @param {import("./locate.js").Located} located */
export const disk = (located) => () => {
	try {
		const url = locate(located);
		if (url !== undefined && mayRead(url)) return new WebAssembly.Module(readFileSync(url));
	} catch (error) {
		return fromTextOr(located.text, error);
	}
	return fromTextOr(located.text);
};
