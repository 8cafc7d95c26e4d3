// Cold start in workerd: from starting the runtime to the first answered call.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startWorker } from "../scripts/workerd.mjs";
import { root } from "../scripts/workspace.mjs";
import { bundle } from "./bundles.mjs";
import { question } from "./fixtures.mjs";
import { result, shuffled } from "./processes.mjs";

const PACKAGES = /** @type {const} */ (["duet", "sdk", "floor"]);

/** Makes the bundles anew. */
export const clean = () => rm(join(root, "build/bench"), { recursive: true, force: true });

/**
 * One start of each package in each runtime.
 * @param {number} seed decides the order
 * @returns {Promise<{ adapter: string, runtime: "Node" | "workerd", ms: number }[]>}
 */
export async function round(seed) {
	const { headers, body, right } = question("echo:100", "modern");
	const out = [];
	for (const adapter of shuffled([...PACKAGES], seed)) {
		// As each starts fastest: ours as installed, with the wasm beside it; the SDK's many files as one bundle.
		const entry = `server.${adapter}`;
		const file =
			adapter === "duet" ? join(root, "bench/entries", `${entry}.mjs`) : (await bundle(entry, "node")).script;
		out.push({ adapter, runtime: /** @type {const} */ ("Node"), ms: result("cold.mjs", { file }).answerMs });
		const worker = await bundle(`server.${adapter}`, "workerd");
		const start = performance.now();
		const { url, stop } = await startWorker({ main: worker.script });
		try {
			const answer = await (await fetch(url, { method: "POST", headers, body })).text();
			out.push({ adapter, runtime: /** @type {const} */ ("workerd"), ms: performance.now() - start });
			if (!right(answer)) throw new Error(`${adapter}: a wrong answer in workerd: ${answer.slice(0, 200)}`);
		} finally {
			await stop();
		}
	}
	return out;
}
