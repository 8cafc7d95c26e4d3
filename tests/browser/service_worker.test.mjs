// Bundles as service workers, which may not import() and whose wasm file a bundler may have left behind.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import webpack from "webpack";
import { serve } from "../../scripts/serve.mjs";
import { DONE, job, project } from "../package/harness.mjs";
import { assertQuiet, openChromium, outcome, pageOf } from "./chromium.mjs";

/** Answers a message with what the job gives. */
const SERVICE = `${job()}
addEventListener("message", (event) => {
	const [port] = event.ports;
	const told = (error) => ({ failed: { code: error.code, message: error.message } });
	event.waitUntil(job().catch(told).then((done) => port.postMessage(done)));
});
`;

/** @param {"classic" | "module"} type */
const page = (type) =>
	pageOf(`export default async () => {
	await navigator.serviceWorker.register("/service.js", { type: ${JSON.stringify(type)} });
	const { active } = await navigator.serviceWorker.ready;
	const { port1, port2 } = new MessageChannel();
	const answer = new Promise((resolve) => { port1.onmessage = ({ data }) => resolve(data); });
	active.postMessage("go", [port2]);
	return answer;
};`);

/** @type {Awaited<ReturnType<typeof openChromium>>} */
let chromium;
before(async () => {
	chromium = await openChromium();
});
after(() => chromium?.close());

/**
 * What the service worker of a bundle answers.
 * @param {string} cwd the project; the bundle lies in its folder `out`
 * @param {"classic" | "module"} type
 */
async function ask(cwd, type) {
	const site = await serve({ folders: { "/": join(cwd, "out") }, pages: page(type) });
	try {
		const opened = await chromium.open(`${site.url}/`);
		const result = await outcome(opened);
		await opened.close();
		return { result, opened };
	} finally {
		await site.stop();
	}
}

/** @param {string} cwd @param {import("esbuild").BuildOptions} options */
const bundle = (cwd, options) =>
	esbuild.build({
		...{ absWorkingDir: cwd, entryPoints: ["service.js"], outdir: "out", bundle: true, logLevel: "silent" },
		...options,
	});

test("a classic service worker by esbuild", async () => {
	const cwd = project({ "service.js": SERVICE });
	await bundle(cwd, { format: "iife" });
	const { result, opened } = await ask(cwd, "classic");
	assert.deepEqual(result, DONE);
	assertQuiet(opened);
});

test("a module service worker by esbuild", async () => {
	const cwd = project({ "service.js": SERVICE });
	await bundle(cwd, { format: "esm" });
	const { result, opened } = await ask(cwd, "module");
	assert.deepEqual(result, DONE);
	assertQuiet(opened);
});

test("a split module service worker by esbuild says what to do, and the entry inline works there", async () => {
	const cwd = project({ "service.js": SERVICE });
	await bundle(cwd, { format: "esm", splitting: true });
	const { result } = await ask(cwd, "module");
	assert.equal(result.failed?.code, "CORE_NOT_LOADED");
	assert.match(result.failed.message, /Import "mcp-duet\/inline" instead/);

	const inline = project({ "service.js": SERVICE.replaceAll('"mcp-duet"', '"mcp-duet/inline"') });
	await bundle(inline, { format: "esm", splitting: true });
	const { result: done, opened } = await ask(inline, "module");
	assert.deepEqual(done, DONE);
	assertQuiet(opened);
});

test("a classic service worker by webpack", async () => {
	const cwd = project({ "service.js": SERVICE });
	const compiler = webpack({
		...{ context: cwd, mode: "production", target: "webworker", entry: "./service.js", performance: { hints: false } },
		output: { path: join(cwd, "out"), filename: "service.js" },
	});
	assert.ok(compiler);
	const stats = await promisify(compiler.run.bind(compiler))();
	await promisify(compiler.close.bind(compiler))();
	assert.deepEqual(stats?.toJson({ all: false, errors: true, warnings: true }), { errors: [], warnings: [] });
	const { result, opened } = await ask(cwd, "classic");
	assert.deepEqual(result, DONE);
	assertQuiet(opened);
});
