// Loads the wasm where there is `fetch`: pages, workers, most bundles.

import { compileBytes, fromTextOr, locate } from "./core.js";

/** @param {import("./locate.js").Located} located */
export const web = (located) => async () => {
	const url = locate(located);
	if (url === undefined) return fromTextOr(located.text);
	/** @type {unknown} */
	let why;
	/** @type {ArrayBuffer | undefined} */
	let bytes;
	try {
		const response = await fetch(url);
		if (response.ok) bytes = await response.arrayBuffer();
		else why = new Error(`${url} answered ${response.status}`);
	} catch (error) {
		why = error;
	}
	if (bytes) {
		try {
			return await compileBytes(bytes, String(url));
		} catch (error) {
			if (/** @type {{ code?: string }} */ (error).code === "WASM_FORBIDDEN") throw error;
			why = error;
		}
	}
	return fromTextOr(located.text, why);
};
