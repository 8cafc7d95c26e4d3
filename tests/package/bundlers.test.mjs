// The installed package through bundlers without configuration; the bundles run in Chromium and Node.js.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import * as esbuild from "esbuild";
import { rollup } from "rollup";
import * as vite from "vite";
import webpack from "webpack";
import { serve } from "../../scripts/serve.mjs";
import { openChromium, outcome } from "../browser/chromium.mjs";
import { DONE, job, output, project } from "./harness.mjs";

// An error becomes what the comparison shows.
const source = `${job()}globalThis.outcome = job().catch((error) => ({ failed: String(error.stack) }));`;
const print = `${job()}job().then((done) => console.log(JSON.stringify(done)));`;

/** @param {string} script @param {string} [type] */
const html = (script, type = ' type="module"') =>
	`<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script${type} src="${script}"></script>`;

/** @type {Awaited<ReturnType<typeof openChromium>>} */
let browser;
before(
	async () => {
		browser = await openChromium();
	},
	{ timeout: 60_000 },
);
after(() => browser?.close());

/**
 * Serves the project's folder `out` and opens its index.html in Chromium.
 * @param {string} cwd
 * @param {Record<string, string>} [pages]
 * @returns what the job gave, what was wrong on the page, and the wasm files that it asked for
 */
async function visitOut(cwd, pages = {}) {
	/** @type {string[]} */
	const wasm = [];
	const server = await serve({
		folders: { "/": `${join(cwd, "out")}/` },
		pages,
		answer: ({ pathname }) => {
			if (pathname.endsWith(".wasm")) wasm.push(pathname);
			return undefined;
		},
	});
	try {
		const opened = await browser.open(`${server.url}/index.html`);
		const result = await outcome(opened);
		await opened.close();
		return { result, said: opened.problems, wasm };
	} finally {
		await server.stop();
	}
}

/** @param {string} cwd */
const wasmFiles = (cwd) =>
	readdirSync(join(cwd, "out"), { recursive: true }).filter((name) => String(name).endsWith(".wasm"));

for (const [name, options, type] of /** @type {[string, esbuild.BuildOptions, string?][]} */ ([
	["one ES module", { format: "esm" }],
	["split ES modules", { format: "esm", splitting: true }],
	["a classic script", { format: "iife" }, " defer"],
])) {
	test(`esbuild, ${name}: works from the text copy, and nothing is asked for in vain`, async () => {
		const cwd = project({ "main.js": source });
		const { warnings } = await esbuild.build({
			...{ absWorkingDir: cwd, entryPoints: ["main.js"], outdir: "out", bundle: true, logLevel: "silent", ...options },
		});
		assert.deepEqual(
			warnings.filter(({ text }) => !(options.format === "iife" && text.includes("import.meta"))),
			[],
		);
		const { result, said, wasm } = await visitOut(cwd, { "/index.html": html("/main.js", type) });
		assert.deepEqual([result, said, wasm], [DONE, [], []]);
	});
}

for (const format of /** @type {const} */ (["esm", "cjs"])) {
	test(`esbuild for Node.js, ${format}`, async () => {
		const cwd = project({ "main.js": print });
		const outfile = format === "esm" ? "out/main.mjs" : "out/main.cjs";
		await esbuild.build({
			...{ absWorkingDir: cwd, entryPoints: ["main.js"], outfile, bundle: true, platform: "node", format },
			logLevel: "silent",
		});
		assert.deepEqual(JSON.parse(await output(process.execPath, [outfile], { cwd })), DONE);
	});
}

for (const [name, base] of [
	["at the root", "/"],
	["with relative addresses", "./"],
]) {
	test(`Vite build ${name}: of four wasm files the page fetches the usual one`, async () => {
		const cwd = project({ "index.html": html("/main.js"), "main.js": source });
		await vite.build({ root: cwd, base, logLevel: "silent", configFile: false, build: { outDir: "out" } });
		const { result, said, wasm } = await visitOut(cwd);
		assert.deepEqual([result, said], [DONE, []]);
		assert.equal(wasmFiles(cwd).length, 4);
		assert.equal(wasm.length, 1);
	});
}

test("Vite dev, which moves the code into a folder of its own", async () => {
	const cwd = project({ "index.html": html("/main.js"), "main.js": source });
	const server = await vite.createServer({
		...{
			root: cwd,
			logLevel: "silent",
			configFile: false,
			server: { host: "127.0.0.1", port: 0, hmr: false, ws: false },
		},
	});
	try {
		await server.listen();
		const opened = await browser.open(/** @type {string} */ (server.resolvedUrls?.local[0]));
		assert.deepEqual(await outcome(opened), DONE);
		await opened.close();
	} finally {
		await server.close();
	}
});

test("Vite build for a server, externalised and bundled", async () => {
	for (const noExternal of [undefined, /** @type {const} */ (true)]) {
		const cwd = project({ "main.js": print });
		await vite.build({
			...{ root: cwd, logLevel: "silent", configFile: false, ssr: { noExternal } },
			build: { outDir: "out", ssr: "main.js" },
		});
		assert.deepEqual(JSON.parse(await output(process.execPath, ["out/main.js"], { cwd })), DONE);
	}
});

/** @param {import("webpack").Configuration} configuration */
async function runWebpack(configuration) {
	const compiler = webpack(configuration);
	if (!compiler) throw new Error("webpack gave no compiler");
	const stats = await promisify(compiler.run.bind(compiler))();
	await promisify(compiler.close.bind(compiler))();
	assert.deepEqual(stats?.toJson({ all: false, errors: true, warnings: true }), { errors: [], warnings: [] });
}

for (const mode of /** @type {const} */ (["production", "development"])) {
	test(`webpack, ${mode}: of four wasm files the page fetches the usual one`, async () => {
		const cwd = project({ "main.js": source });
		await runWebpack({
			...{ context: cwd, mode, entry: "./main.js", performance: { hints: false } },
			output: { path: join(cwd, "out"), filename: "main.js" },
		});
		const { result, said, wasm } = await visitOut(cwd, { "/index.html": html("/main.js", " defer") });
		assert.deepEqual([result, said], [DONE, []]);
		assert.equal(wasmFiles(cwd).length, 4);
		assert.equal(wasm.length, 1);
	});
}

test("webpack for Node.js", async () => {
	const cwd = project({ "main.js": print });
	await runWebpack({
		...{ context: cwd, mode: "production", target: "node", entry: "./main.js", performance: { hints: false } },
		output: { path: join(cwd, "out"), filename: "main.cjs" },
	});
	assert.deepEqual(JSON.parse(await output(process.execPath, ["out/main.cjs"], { cwd })), DONE);
});

test("Rollup for a page and for Node.js", async () => {
	for (const [place, exportConditions, text] of /** @type {[string, string[], string][]} */ ([
		["page", ["browser"], source],
		["node", ["node"], print],
	])) {
		const cwd = project({ "main.js": text });
		const bundle = await rollup({
			input: join(cwd, "main.js"),
			external: /^node:/,
			plugins: [nodeResolve({ exportConditions })],
			onwarn: (warning) => assert.fail(`${place}: ${warning.message}`),
		});
		await bundle.write({ dir: join(cwd, "out"), format: "es" });
		await bundle.close();
		if (place === "node") {
			assert.deepEqual(JSON.parse(await output(process.execPath, ["out/main.js"], { cwd })), DONE);
		} else {
			const { result, said, wasm } = await visitOut(cwd, { "/index.html": html("/main.js") });
			assert.deepEqual([result, said, wasm], [DONE, [], []]);
		}
	}
});
