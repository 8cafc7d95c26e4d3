// One operation of one package in a process of its own; the last line that it prints is its samples.
//   node --expose-gc bench/child.mjs '{"adapter":"duet","side":"server","what":"echo:100","via":"fetch","era":"modern"}'

import { ADDRESS, tools as definitions, question } from "./fixtures.mjs";
import { sample } from "./measure.mjs";
import { wire } from "./wire.mjs";

/**
 * @typedef {object} Task
 * @property {"duet" | "sdk" | "floor"} adapter
 * @property {"server" | "client"} side
 * @property {string} what see `question` in fixtures.mjs and `wire` in wire.mjs
 * @property {"fetch" | "message" | "json" | "sse"} via
 * @property {import("./fixtures.mjs").Era} era
 * @property {number} [warmMs]
 * @property {number} [sampleMs]
 * @property {number} [samples]
 */

/** @param {Task} task @returns {Promise<{ operation: () => Promise<any>, right: (answer: any) => boolean }>} */
async function server({ adapter, what, via, era }) {
	const { tools, headers, body, right } = question(what, era);
	const { server } = await import(`./adapters/${adapter}.mjs`);
	const target = await server({ tools: definitions(tools), era });
	const init = { method: "POST", headers, body };
	const operation =
		via === "fetch"
			? // Making the request and reading the text is in the time of everyone.
				async () => (await target.fetch(new Request(ADDRESS, init))).text()
			: async () => target.message(body);
	return { operation, right };
}

/** @param {Task} task */
async function client({ adapter, what, via, era }) {
	const peer = wire({ era, what, stream: via === "sse" });
	const { client } = await import(`./adapters/${adapter}.mjs`);
	const target = await client({ url: ADDRESS, fetch: peer.fetch, era });
	const list = what.startsWith("list:");
	/** @param {any} answer */
	const right = (answer) => (list ? answer.tools.length === Number(what.slice(5)) : answer.content[0].text.length > 0);
	return { operation: list ? () => target.list() : () => target.call(), right, target, peer };
}

/**
 * Timed from the moment the stream leaves the server.
 * @param {Task} task
 * @returns {Promise<import("./measure.mjs").Sample[]>}
 */
async function progress(task) {
	const { target, peer } = await client(task);
	const expected = Number(task.what.slice(9));
	const out = [];
	const samples = task.samples ?? 3;
	const unmeasured = task.warmMs === 0 ? 0 : 2;
	for (let n = 0; n < samples + unmeasured; n++) {
		let start = 0;
		let cpu = process.cpuUsage();
		let seen = 0;
		globalThis.gc?.();
		peer.state.leave = () => {
			start = performance.now();
			cpu = process.cpuUsage();
		};
		await target.call(() => {
			seen++;
		});
		const wall = performance.now() - start;
		const { user, system } = process.cpuUsage(cpu);
		if (seen !== expected) throw new Error(`${task.adapter}: ${seen} of ${expected} progress notifications came`);
		if (n >= unmeasured) out.push({ cpu: user + system, wall: wall * 1000 });
	}
	return out;
}

/**
 * The operation, once run and its answer looked at.
 * @param {Task} task
 */
export async function prepare(task) {
	const { operation, right } = await (task.side === "server" ? server(task) : client(task));
	if (!right(await operation())) throw new Error(`${task.adapter}: a wrong answer to ${task.what}`);
	return { operation };
}

/** @param {Task} task */
export async function run(task) {
	if (task.what.startsWith("progress:")) return progress(task);
	const { operation } = await prepare(task);
	return sample(operation, task);
}

if (process.argv[1] === import.meta.filename) {
	console.log(JSON.stringify(await run(JSON.parse(process.argv[2]))));
	// Timers of whoever was measured must not hold the round up.
	process.exit(0);
}
