// What a client leaves behind, and how far ahead it can look: its timers and listeners.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { Client } from "mcp-duet";
import { output, project } from "./harness.mjs";

const discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };
const limit = { timeout: 30_000 };

/**
 * The timers that are set and not over; each with its delay, and what it does.
 * @param {import("node:test").TestContext} context
 */
function timersOf(context) {
	/** @type {Map<any, { delay: number, fire: () => void }>} */
	const open = new Map();
	const { setTimeout, clearTimeout } = globalThis;
	context.mock.method(globalThis, "setTimeout", (/** @type {() => void} */ work, /** @type {number} */ delay) => {
		const fire = () => {
			open.delete(handle);
			clearTimeout(handle);
			work();
		};
		const handle = setTimeout(fire, delay);
		open.set(handle, { delay, fire });
		return handle;
	});
	context.mock.method(globalThis, "clearTimeout", (/** @type {any} */ handle) => {
		open.delete(handle);
		clearTimeout(handle);
	});
	return open;
}

/**
 * A transport that finds a modern server, and then does what it is told.
 * @param {(message: any, context: any) => any} answer
 */
const transportOf = (answer) => async (/** @type {any} */ message, /** @type {any} */ context) => {
	if (message.method === "server/discover") return { jsonrpc: "2.0", id: message.id, result: discovered };
	return answer(message, context);
};

test("close leaves no timer and no listener behind, whatever was pending", limit, async (context) => {
	const open = timersOf(context);
	/** @type {AbortSignal[]} */
	const carried = [];
	/** @type {(value?: any) => void} */
	let arrived = () => {};
	const both = new Promise((resolve) => {
		arrived = resolve;
	});
	const client = new Client({
		retry: 10,
		transport: transportOf((message, { signal }) => {
			if (message.method === "prompts/list") throw new Error("broken");
			carried.push(signal);
			if (carried.length === 2) arrived();
			return new Promise(() => {});
		}),
	});
	const abort = new AbortController();
	const { signal } = abort;
	const calls = [
		client.callTool("slow", {}, { signal, timeoutMs: 20_000, maxTotalTimeoutMs: 25_000, onProgress: () => {} }),
		client.readResource("a:b", { signal }),
		client.listPrompts({ signal }),
	];
	const outcomes = Promise.allSettled(calls);
	await both;
	assert.equal(open.size, 1, "one timer for all deadlines");
	assert.equal(getEventListeners(signal, "abort").length, 3);
	await client.close();
	for (const outcome of await outcomes) {
		assert.equal(outcome.status === "rejected" && outcome.reason.code, "CLOSED");
	}
	assert.equal(open.size, 0);
	assert.equal(getEventListeners(signal, "abort").length, 0);
	assert.deepEqual(
		carried.map(({ aborted }) => aborted),
		[true, true],
	);
});

test("a timeout longer than a timer can be is waited for in parts", limit, async (context) => {
	const open = timersOf(context);
	const { performance } = globalThis;
	const real = performance.now.bind(performance);
	let passed = 0;
	context.mock.method(performance, "now", () => real() + passed);
	/** @type {() => void} */
	let arrived = () => {};
	const there = new Promise((resolve) => {
		arrived = () => resolve(undefined);
	});
	const client = new Client({
		transport: transportOf(() => {
			arrived();
			return new Promise(() => {});
		}),
	});
	const longest = 2 ** 31 - 1;
	let isOver = false;
	const call = client.callTool("slow", {}, { timeoutMs: longest + 60_000 });
	const outcome = call
		.catch((error) => error)
		.finally(() => {
			isOver = true;
		});
	await there;
	/** Lets the time of the one timer pass. */
	const pass = () => {
		const [{ delay, fire }] = open.values();
		passed += delay;
		fire();
		return delay;
	};
	const delays = [];
	while (!isOver && delays.length < 10) {
		delays.push(pass());
		await new Promise(setImmediate);
	}
	assert.ok(delays.includes(longest) && delays.every((delay) => delay > 0 && delay <= longest), `${delays}`);
	assert.ok(passed >= longest + 59_000, `${passed}`);
	assert.equal((await outcome).code, "TIMED_OUT");
	await client.close();
	assert.equal(open.size, 0);
});

test("a program ends that has left its client open", limit, async () => {
	const cwd = project({
		"main.js": `
import { Client } from "mcp-duet/client";
const discovered = ${JSON.stringify(discovered)};
const transport = async ({ id, method }) => ({ jsonrpc: "2.0", id, result: method === "server/discover" ? discovered : { content: [] } });
const client = new Client({ transport });
for (let n = 0; n < 3; n++) await client.callTool("quick", {});
console.log("called");
`,
	});
	// The time limit of a call is twice the one of this test.
	assert.equal((await output(process.execPath, ["main.js"], { cwd })).trim(), "called");
});

test("one timer serves all clients, and each call has its own time", limit, async (context) => {
	const open = timersOf(context);
	const { performance } = globalThis;
	const real = performance.now.bind(performance);
	let passed = 0;
	context.mock.method(performance, "now", () => real() + passed);
	const silent = () => new Promise(() => {});
	const clients = [new Client({ transport: transportOf(silent) }), new Client({ transport: transportOf(silent) })];
	await Promise.all(clients.map((client) => client.connect()));
	/** @type {string[]} */
	const over = [];
	const calls = [10_000, 20_000, 15_000].map((timeoutMs, n) =>
		clients[n % 2].callTool("slow", {}, { timeoutMs }).catch(({ code }) => over.push(`${n} ${code}`)),
	);
	assert.equal(open.size, 1);
	for (let rung = 0; over.length < 3 && rung < 20; rung++) {
		const [{ delay, fire }] = open.values();
		passed += delay;
		fire();
		await new Promise(setImmediate);
		assert.ok(open.size <= 1, `${open.size} timers`);
	}
	await Promise.all(calls);
	assert.deepEqual(over, ["0 TIMED_OUT", "2 TIMED_OUT", "1 TIMED_OUT"]);
	await Promise.all(clients.map((client) => client.close()));
	assert.equal(open.size, 0);
});
