// How the cost grows with the number of tools, calls, subscriptions and bytes.
//   node --expose-gc bench/growth.mjs '{}'

import { Server } from "mcp-duet/server";
import { client } from "./adapters/duet.mjs";
import { ADDRESS, headers, request, SERVER_INFO, text, tools } from "./fixtures.mjs";
import { median } from "./measure.mjs";
import { wire } from "./wire.mjs";

const ROUNDS = 5;

/** @param {any} [more] @param {number} [count] */
function serverOf(more, count = 1) {
	/** @param {any} args */
	const handler = (args) => ({ content: [{ type: "text", text: args.text }] });
	return new Server({ ...SERVER_INFO, tools: tools(count).map((tool) => ({ ...tool, handler })), ...more });
}

/** @param {string} said */
const call = (said) => JSON.stringify(request("modern", 1, "tools/call", { name: "echo", arguments: { text: said } }));

/**
 * Microseconds that an operation takes: the median of some rounds, the first of which is not counted.
 * @param {() => Promise<unknown>} operation
 * @param {number} [repeat] times a round
 */
async function microseconds(operation, repeat = 1) {
	const out = [];
	for (let round = 0; round <= ROUNDS; round++) {
		globalThis.gc?.();
		const start = performance.now();
		for (let n = 0; n < repeat; n++) await operation();
		if (round > 0) out.push(((performance.now() - start) * 1000) / repeat);
	}
	return median(out);
}

/** A client of a server that answers from ready bytes. @param {string} what see `wire` */
const clientOf = (what) =>
	client({ url: ADDRESS, fetch: wire({ era: "modern", what, stream: false }).fetch, era: "modern" });

/** @typedef {{ name: string, axis: string, sizes: number[], measure: (size: number) => Promise<number> }} Curve */

/** @type {Curve[]} */
const curves = [
	{
		name: "call, among N tools",
		axis: "tools",
		sizes: [1, 10, 100, 1000, 10_000],
		async measure(size) {
			const server = serverOf({}, size);
			const message = call("x");
			const cost = await microseconds(() => server.handleMessage(message), 200);
			server.close();
			return cost;
		},
	},
	{
		name: "all pages of a list of N tools",
		axis: "tools",
		sizes: [1, 10, 100, 1000, 10_000],
		async measure(size) {
			const server = serverOf({}, size);
			const cost = await microseconds(async () => {
				let seen = 0;
				for (let cursor; ; ) {
					const message = request("modern", 1, "tools/list", cursor === undefined ? {} : { cursor });
					/** @type {any} */
					const { result } = await server.handleMessage(message);
					seen += result.tools.length;
					cursor = result.nextCursor;
					if (cursor === undefined) break;
				}
				if (seen !== size) throw new Error(`${seen} of ${size} tools were listed`);
			}, 3);
			server.close();
			return cost;
		},
	},
	{
		name: "N calls at once",
		axis: "calls",
		sizes: [1, 10, 100, 1000],
		async measure(size) {
			/** @type {(() => void)[]} */
			let waiting = [];
			const handler = () =>
				new Promise((resolve) => {
					waiting.push(() => resolve("done"));
					if (waiting.length < size) return;
					for (const go of waiting) go();
					waiting = [];
				});
			const server = serverOf({ tools: [{ ...tools(1)[0], handler }] });
			const message = call("x");
			const cost = await microseconds(
				() => Promise.all(Array.from({ length: size }, () => server.handleMessage(message))),
				Math.ceil(200 / size),
			);
			server.close();
			return cost;
		},
	},
	{
		name: "a change told to N subscriptions",
		axis: "subscriptions",
		sizes: [1, 10, 100, 1000],
		async measure(size) {
			const server = serverOf({ capabilities: { tools: { listChanged: true } } });
			const method = "subscriptions/listen";
			const readers = await Promise.all(
				Array.from({ length: size }, async (_, id) => {
					const body = JSON.stringify(request("modern", id, method, { notifications: { toolsListChanged: true } }));
					const init = { method: "POST", headers: headers("modern", method), body };
					const response = await server.fetch(new Request(ADDRESS, init));
					const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
					await reader.read();
					return reader;
				}),
			);
			const cost = await microseconds(async () => {
				server.notify({ type: "tools_list_changed" });
				await Promise.all(readers.map((reader) => reader.read()));
			}, 3);
			server.close();
			return cost;
		},
	},
	{
		name: "call with N bytes, both ways",
		axis: "bytes",
		sizes: [1, 1024, 65_536, 1_048_576, 8_388_608, 67_108_864],
		async measure(size) {
			const server = serverOf({ maxBodyBytes: 1 << 28 });
			const message = call(text(size));
			const cost = await microseconds(() => server.handleMessage(message), Math.max(1, Math.min(200, 2e6 / size)));
			server.close();
			return cost;
		},
	},
	{
		name: "a client's list of N tools",
		axis: "tools",
		sizes: [1, 10, 100, 1000, 10_000],
		async measure(size) {
			const { list } = await clientOf(`list:${size}`);
			return microseconds(list, Math.max(3, 200 / size));
		},
	},
	{
		name: "N calls of a client at once",
		axis: "calls",
		sizes: [1, 10, 100, 1000],
		async measure(size) {
			const { call } = await clientOf("text:100");
			return microseconds(() => Promise.all(Array.from({ length: size }, () => call())), Math.ceil(200 / size));
		},
	},
	{
		name: "a client's call answered with N bytes",
		axis: "bytes",
		sizes: [1, 1024, 65_536, 1_048_576, 8_388_608, 67_108_864],
		async measure(size) {
			const { call } = await clientOf(`text:${size}`);
			return microseconds(() => call(), Math.max(1, Math.min(200, 2e6 / size)));
		},
	},
];

const out = [];
for (const { name, axis, sizes, measure } of curves) {
	const points = [];
	for (const size of sizes) points.push({ size, microseconds: await measure(size) });
	out.push({ name, axis, points });
}
console.log(JSON.stringify(out));
process.exit(0);
