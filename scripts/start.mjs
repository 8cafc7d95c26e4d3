// `npm start`: builds the package, runs the demo worker in workerd, calls it from Node in both
// eras, then serves the page. `-- --once` stops after the calls; `-- --port=8080` fixes the page's port.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { sandboxOf } from "./sandbox.mjs";
import { serve } from "./serve.mjs";
import { setup } from "./setup.mjs";
import { transcript } from "./transcript.mjs";
import { startWorker } from "./workerd.mjs";
import { Failure, root, script } from "./workspace.mjs";

function options() {
	try {
		const { values } = parseArgs({ options: { once: { type: "boolean" }, port: { type: "string", default: "0" } } });
		const port = Number(values.port);
		if (!Number.isInteger(port) || port < 0 || port > 65_535)
			throw new Error(`--port: expected 0 to 65535, got ${values.port}`);
		return { once: values.once === true, port };
	} catch (error) {
		throw new Failure(`${/** @type {Error} */ (error).message}\nUsage: npm start [-- [--once] [--port=N]]`);
	}
}

/** @param {string} pkg */
async function startDemo(pkg) {
	try {
		return await startWorker({ main: join(root, "www/worker.js"), packages: { "mcp-duet": pkg } });
	} catch (error) {
		throw new Failure(`The demo worker did not start: ${/** @type {Error} */ (error).message}`);
	}
}

/** Resolves when the person has had enough. */
const interrupted = () =>
	new Promise((resolve) => {
		for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => resolve(signal));
	});

await script(async () => {
	const { once, port } = options();
	await setup();
	const pkg = await build();
	const worker = await startDemo(pkg);
	try {
		console.log(`\nDemo worker in workerd: ${worker.url}/mcp`);
		const { Client } = await import(pathToFileURL(join(pkg, "client.node.js")).href);
		await transcript(Client, `${worker.url}/mcp`, console.log).catch((error) => {
			throw new Error(`The main job failed. The worker said:\n${worker.output()}`, { cause: error });
		});
		if (once) return;

		const sandbox = sandboxOf(pkg);
		const page = await serve({
			folders: { "/": join(root, "www"), "/pkg/": pkg },
			port,
			answer: (url, request) =>
				url.pathname === "/" && !url.searchParams.has("server")
					? { status: 302, headers: { location: `/?server=${encodeURIComponent(`${worker.url}/mcp`)}` }, body: "" }
					: sandbox(url, request),
		}).catch((error) => {
			throw new Failure(`The page cannot be served on port ${port}: ${error.message}`);
		});
		console.log(`\nThe page: ${page.url}/\nCtrl+C stops everything.`);
		await interrupted();
		await page.stop();
	} finally {
		await worker.stop();
	}
});
