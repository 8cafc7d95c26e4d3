// What each entry downloads, minified and gzipped, against its budget.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Failure } from "../workspace.mjs";
import { variants } from "./variants.mjs";

/** @param {Uint8Array | string} bytes */
const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length;

/** @param {string} pkg folder of the built package */
export async function checkSizes(pkg) {
	// Not at the top: npm packages may only just have been installed.
	const { build } = await import("esbuild");
	/** @type {string[]} */
	const over = [];
	const table = [];
	for (const { name, entry, budget } of variants) {
		const bundle = await build({
			entryPoints: [join(pkg, `${entry}.web.js`)],
			...{ bundle: true, minify: true, format: "esm", target: "es2022", write: false, logLevel: "error" },
			// Fetched only where the wasm file cannot be.
			external: ["./inline/*"],
		});
		const wasm = gzipped(readFileSync(join(pkg, "wasm", `${name}_bg.wasm`)));
		const script = gzipped(bundle.outputFiles[0].contents);
		const total = wasm + script;
		table.push({ entry, wasm, script, total, budget });
		if (total > budget) over.push(`${entry}: ${total} bytes gzipped are over the budget of ${budget}`);
	}
	for (const { entry, wasm, script, total, budget } of table) {
		const part = Math.round((100 * total) / budget);
		console.log(`build: ${entry.padEnd(6)} ${total} B gzip (wasm ${wasm}, script ${script}), ${part} % of its budget`);
	}
	if (over.length > 0) throw new Failure(over.join("\n"));
	return table;
}
