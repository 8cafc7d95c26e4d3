// Starts the two programs that the suite tests.

import { fileURLToPath } from "node:url";
import { installed } from "../../scripts/link.mjs";
import { end, spawnOwned } from "../../scripts/processes.mjs";
import { startWorker } from "../../scripts/workerd.mjs";

const file = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** How long the server fixture may take until it listens. */
const START_MS = 20_000;

/** The client fixture as the suite wants it: one shell command, the server's URL comes last. */
export const clientCommand = () => `"${process.execPath}" "${file("client.mjs")}"`;

/**
 * The server fixture, listening on loopback.
 * @param {"node" | "workerd"} place
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startServer(place) {
	if (place === "workerd") {
		const worker = await startWorker({ main: file("worker.mjs"), packages: { "mcp-duet": installed }, echo: true });
		return { url: local(worker.url), stop: worker.stop };
	}
	const child = spawnOwned(process.execPath, [file("server.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
	const url = await new Promise((resolve, reject) => {
		const timer = setTimeout(
			() => reject(new Error(`the server fixture did not listen within ${START_MS} ms`)),
			START_MS,
		);
		let said = "";
		child.once("error", reject);
		child.once("exit", (code) => reject(new Error(`the server fixture ended with status ${code}`)));
		child.stdout?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
			said += text;
			const line = /^listening (\S+)$/m.exec(said);
			if (!line) return;
			clearTimeout(timer);
			resolve(line[1]);
		});
	});
	return { url: local(url), stop: () => end(child) };
}

/**
 * The suite checks Host and Origin of a server that it reaches as `localhost`.
 * @param {string} url
 */
const local = (url) => new URL("/mcp", url.replace("127.0.0.1", "localhost")).href;
