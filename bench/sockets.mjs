// Requests a second and latencies over real sockets: keep-alive connections on the loopback interface.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startWorker } from "../scripts/workerd.mjs";
import { root } from "../scripts/workspace.mjs";
import { bundle } from "./bundles.mjs";
import { question } from "./fixtures.mjs";
import { node, shuffled } from "./processes.mjs";

const CONNECTIONS = [1, 64];
const SECONDS = 3;

/** @typedef {{ url: string, stop: () => Promise<unknown> }} Running */

/** @param {"duet" | "sdk" | "floor"} adapter @returns {Promise<Running>} */
async function onNode(adapter) {
	const script = join(root, "bench/socket-server.mjs");
	const child = spawn(node, [script, JSON.stringify({ adapter })], { stdio: ["pipe", "pipe", "inherit"] });
	const [port] = await once(createInterface(child.stdout), "line");
	const stop = () => {
		const gone = once(child, "exit");
		child.stdin.end();
		return gone;
	};
	return { url: `http://127.0.0.1:${port}/mcp`, stop };
}

/** @param {"duet" | "sdk" | "floor"} adapter @returns {Promise<Running>} */
async function inWorkerd(adapter) {
	const { script } = await bundle(`server.${adapter}`, "workerd");
	const { url, stop } = await startWorker({ main: script });
	return { url: `${url}/mcp`, stop };
}

/** @type {Record<string, () => Promise<Running>>} */
const SERVERS = {
	"duet on Node": () => onNode("duet"),
	"sdk on Node": () => onNode("sdk"),
	"floor on Node": () => onNode("floor"),
	"duet in workerd": () => inWorkerd("duet"),
	"sdk in workerd": () => inWorkerd("sdk"),
	"floor in workerd": () => inWorkerd("floor"),
};

/**
 * @param {number} seed decides the order
 * @returns {Promise<{ server: string, connections: number, perSecond: number, p50: number, p99: number }[]>} latencies in ms
 */
export async function round(seed) {
	// Not at the top: only this part needs it.
	const { default: autocannon } = await import("autocannon");
	const { headers, body, right } = question("echo:100", "modern");
	const out = [];
	for (const server of shuffled(Object.keys(SERVERS), seed)) {
		const { url, stop } = await SERVERS[server]();
		try {
			const answer = await (await fetch(url, { method: "POST", headers, body })).text();
			if (!right(answer)) throw new Error(`${server}: a wrong answer: ${answer.slice(0, 200)}`);
			const load = { url, method: /** @type {const} */ ("POST"), headers, body };
			await autocannon({ ...load, connections: 8, duration: 1 });
			for (const connections of CONNECTIONS) {
				const { requests, latency, errors, non2xx } = await autocannon({ ...load, connections, duration: SECONDS });
				if (errors + non2xx > 0) throw new Error(`${server}: ${errors + non2xx} requests failed`);
				out.push({ server, connections, perSecond: requests.average, p50: latency.p50, p99: latency.p99 });
			}
		} finally {
			await stop();
		}
	}
	return out;
}
