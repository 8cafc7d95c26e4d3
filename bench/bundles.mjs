// The entries as an application ships them: bundled and minified, the wasm beside the script.

import { mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { installed } from "../scripts/link.mjs";
import { root } from "../scripts/workspace.mjs";

/** Conditions of the package's exports. @type {Record<string, string[]>} */
const CONDITIONS = { browser: ["browser"], workerd: ["workerd", "worker", "browser"], node: ["node"] };

/** The wasm that an entry of ours loads by address, which esbuild does not see. @type {Record<string, string>} */
const LOADED = {
	"client.duet": "client_first",
	"page.duet": "client_first",
	"server.duet": "server_first",
	"both.duet": "duet_first",
};

/**
 * @param {string} entry a file of bench/entries without its ending
 * @param {"browser" | "workerd" | "node"} platform
 * @returns {Promise<{ script: string, wasm: string[], later: string[] }>} paths; `later`: what is loaded only when a call needs it
 */
export async function bundle(entry, platform) {
	const folder = join(root, "build/bench", `${entry}.${platform}`);
	mkdirSync(folder, { recursive: true });
	const made = await build({
		entryPoints: [join(root, "bench/entries", `${entry}.mjs`)],
		outdir: folder,
		outExtension: { ".js": ".mjs" },
		...{ bundle: true, minify: true, format: "esm", target: "es2022", metafile: true, logLevel: "error" },
		...{ legalComments: "none", assetNames: "[name]", loader: { ".wasm": platform === "workerd" ? "copy" : "file" } },
		platform: platform === "node" ? "node" : "browser",
		conditions: CONDITIONS[platform],
		// Fetched only where the wasm file cannot be.
		external: ["node:*", "cloudflare:*", "./inline/*"],
	});
	const files = Object.keys(made.metafile.outputs).map((path) => join(root, path));
	const wasm = files.filter((path) => path.endsWith(".wasm"));
	if (wasm.length === 0 && LOADED[entry]) wasm.push(join(installed, "wasm", `${LOADED[entry]}.wasm`));
	const script = /** @type {string} */ (files.find((path) => basename(path) === `${entry}.mjs`));
	const later = wasm.filter((path) => path.endsWith("_first.wasm")).map((path) => path.replace("_first.", "_rest."));
	return { script, wasm, later };
}

/**
 * Everything that is downloaded for an entry, in bytes.
 * @param {string} entry
 * @param {"browser" | "workerd"} platform
 */
export async function weight(entry, platform) {
	const { script, wasm } = await bundle(entry, platform);
	let raw = 0;
	let gzip = 0;
	let brotli = 0;
	for (const bytes of [script, ...wasm].map((path) => readFileSync(path))) {
		raw += bytes.length;
		gzip += gzipSync(bytes, { level: 9 }).length;
		brotli += brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
	}
	return { entry, platform, raw, gzip, brotli };
}
