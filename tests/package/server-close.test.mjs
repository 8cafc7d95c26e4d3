// What becomes of a server's clients and calls when it is closed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";
import { LATEST } from "./sessions-harness.mjs";

const object = /** @type {const} */ ({ type: "object" });
const FORM = { message: "?", requestedSchema: { type: "object", properties: {} } };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } };

/** @param {any} handler @param {any} [more] */
const serverOf = (handler, more) =>
	new Server({ name: "closing", version: "1", tools: [{ name: "t", inputSchema: object, handler }], ...more });

test("a call that runs while its server is closed ends as it would have, and disturbs no other server", async () => {
	for (const value of ["text", { content: [], _meta: { a: 1 } }, new Error("failed")]) {
		/** @type {(() => void)[]} */
		const ends = [];
		/** @type {any} */
		let begun;
		const both = new Promise((resolve) => {
			begun = resolve;
		});
		const handler = () =>
			new Promise((resolve, reject) => {
				ends.push(() => (value instanceof Error ? reject(value) : resolve(value)));
				if (ends.length === 2) begun();
			});
		const [closed, other] = [serverOf(handler), serverOf(handler)];
		const answers = [closed.handleMessage(call), other.handleMessage(call)];
		await both;
		closed.close();
		for (const end of ends) end();
		const [own, others] = await Promise.all(answers);
		assert.deepEqual(own, others);
		await assert.rejects(closed.handleMessage(call), { code: "CLOSED" });
	}
});

test("closing ends what a client is asked, and what its channel heard of", async () => {
	/** @type {Set<unknown>} */
	const listeners = new Set();
	const bus = {
		publish: () => {},
		subscribe: (/** @type {unknown} */ listener) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
	/** @type {any} */
	let failure;
	const server = serverOf(
		async (/** @type {any} */ _args, /** @type {any} */ ctx) => {
			failure = await ctx.elicit(FORM).catch((/** @type {any} */ error) => error);
			return "over";
		},
		{ bus },
	);
	const channel = server.channel(() => {});
	const params = {
		protocolVersion: LATEST,
		capabilities: { elicitation: {} },
		clientInfo: { name: "c", version: "1" },
	};
	await server.handleMessage({ jsonrpc: "2.0", id: 0, method: "initialize", params }, { channel });
	/** @type {any} */
	const asked = await new Promise((send) => {
		server.handleMessage(call, { channel, send }).catch(() => {});
	});
	assert.deepEqual([asked.method, listeners.size], ["elicitation/create", 1]);
	server.close();
	await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual([failure?.code, listeners.size], ["CLOSED", 0]);
});
