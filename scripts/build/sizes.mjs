// What each entry downloads, minified and gzipped, and its budget.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { scriptSizes } from "./apps.mjs";
import { variants } from "./variants.mjs";
import { tellGrown } from "./weights.mjs";

/** @param {Uint8Array | string} bytes */
const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length;

/**
 * @param {string} pkg folder of the built package
 * @returns {Promise<{ entry: string, name: string, wasm: number, script: number, rest: number, total: number, budget: number, goal: number }[]>}
 */
export async function sizes(pkg) {
	// Not at the top: npm packages may only just have been installed.
	const { build } = await import("esbuild");
	const table = [];
	const lazy = variants.flatMap(({ lazy }) => Object.values(lazy ?? {}).map((entry) => `./${entry}.*`));
	for (const variant of variants) {
		const { name, entry, needs, budget, goal } = variant;
		const bundle = await build({
			entryPoints: [join(pkg, `${entry}.web.js`)],
			...{ bundle: true, minify: true, format: "esm", target: "es2022", write: false, logLevel: "error" },
			// Fetched only where the wasm file cannot be, or when a feature that few use is used.
			external: ["./inline/*", "../inline/*", "./auth-jwt.js", "./server-session.js", ...lazy],
		});
		const wasm = [variant, ...variants.filter(({ name }) => name === needs)]
			.map(({ name, first }) => gzipped(readFileSync(join(pkg, "wasm", `${name}_${first ? "first" : "bg"}.wasm`))))
			.reduce((sum, size) => sum + size);
		const script = gzipped(bundle.outputFiles[0].contents);
		// What a page loads once a call needs more.
		const rest = variant.first ? gzipped(readFileSync(join(pkg, "wasm", `${name}_rest.wasm`))) : 0;
		table.push({ entry, name, wasm, script, rest, total: wasm + script, budget, goal });
	}
	return table;
}

/**
 * Prints them; of what is over its budget also what has grown.
 * @param {string} pkg
 * @param {boolean} weighed whether the build has weighed its code
 * @returns {Promise<string[]>} the entries over budget
 */
export async function printSizes(pkg, weighed) {
	const over = [];
	for (const { entry, name, wasm, script, rest, total, budget, goal } of await sizes(pkg)) {
		const parts = `wasm ${wasm}, script ${script}${rest ? `; ${rest} more when needed` : ""}`;
		console.log(`build: ${entry.padEnd(6)} ${total} B gzip (${parts}); budget ${budget}, goal ${goal}`);
		if (total <= budget) continue;
		over.push(entry);
		if (weighed) tellGrown(name);
	}
	for (const { entry, total, budget } of await scriptSizes(pkg)) {
		console.log(`build: ${entry} ${total} B gzip; budget ${budget}`);
		if (total > budget) over.push(entry);
	}
	return over;
}
