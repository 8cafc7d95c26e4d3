// Loads the wasm where there is `fetch`: pages, workers, most bundles.

import { compileResponse, fromTextOr } from "./compile.js";
import { locate } from "./locate.js";
import { Partial } from "./partial.js";

/** @param {import("./locate.js").Located} located */
export const web = (located) => async () => {
	const url = locate(located);
	if (url === undefined) return fromTextOr(located.text);
	/** @type {unknown} */
	let why;
	try {
		const response = await fetch(url);
		if (response.ok) return await compileResponse(response, String(url));
		why = new Error(`${url} answered ${response.status}`);
	} catch (error) {
		if (/** @type {{ code?: string }} */ (error).code === "WASM_FORBIDDEN") throw error;
		why = error;
	}
	return fromTextOr(located.text, why);
};

/**
 * What the first file of a wasm leaves to the other one.
 * @param {() => URL} url the other file
 * @returns {(wasm: any) => Partial | undefined}
 */
export const partial = (url) => (wasm) => {
	// A whole one needs nothing more.
	if (!("-s" in wasm)) return undefined;
	return new Partial(wasm, async () => {
		const from = url();
		return compileResponse(await fetch(from), String(from));
	});
};
