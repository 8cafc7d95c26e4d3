// What handlers see of legacy clients that they ask: what one cannot do, and what runs once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ProtocolError, Server } from "mcp-duet";
import { LATEST, Legacy } from "./sessions-harness.mjs";

const object = /** @type {const} */ ({ type: "object" });
const form = { message: "?", requestedSchema: { type: "object", properties: {} } };
const MODERN = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};

/** @param {(args: any, ctx: any) => any} handler @param {any} [more] */
const serverOf = (handler, more) =>
	new Server({ name: "asks", version: "1", tools: [{ name: "t", inputSchema: object, handler }], ...more });

/** A call's result, in a session over HTTP and at the end of a pipe. @param {(args: any, ctx: any) => any} handler */
async function* results(handler) {
	const http = serverOf(handler, { legacy: "sessions" });
	const client = new Legacy((request) => http.fetch(request));
	await client.open({ capabilities: { sampling: {} } });
	yield await client.ask("tools/call", { name: "t" });
	const server = serverOf(handler);
	const send = () => assert.fail("the client was asked what it cannot do");
	const channel = server.channel(send);
	const params = { protocolVersion: LATEST, capabilities: { sampling: {} }, clientInfo: { name: "c", version: "1" } };
	await server.handleMessage({ jsonrpc: "2.0", id: 1, method: "initialize", params }, { channel });
	const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "t" } };
	yield/** @type {any} */ (await server.handleMessage(call, { channel, send })).result;
}

test("in a session, an ask of what the client did not declare rejects with −32021, which the handler may catch", async () => {
	for await (const { isError, content } of results((_args, ctx) => ctx.elicit(form))) {
		assert.equal(isError, true);
		assert.match(content[0].text, /did not declare .*elicitation/);
	}
	const caught = (/** @type {any} */ error) => {
		assert.ok(error instanceof ProtocolError);
		return JSON.stringify([error.rpcCode, error.data]);
	};
	for await (const result of results((_args, ctx) => ctx.elicit(form).catch(caught))) {
		const [code, data] = JSON.parse(result.content[0].text);
		assert.deepEqual([code, data], [-32021, { requiredCapabilities: { elicitation: {} } }]);
	}
});

test("once() is the same in both eras: one run for each key, again after a failure, and null for nothing", async () => {
	const server = serverOf(
		async (_args, ctx) => {
			let count = 0;
			const draw = () => Promise.resolve(++count);
			const drawn = await Promise.all([ctx.once("a", draw), ctx.once("a", draw)]);
			const later = await ctx.once("a", draw);
			const failed = await ctx.once("b", () => Promise.reject(new Error("no"))).catch(() => "failed");
			const second = await ctx.once("b", () => "works");
			return JSON.stringify([drawn, later, failed, second, (await ctx.once("c", () => {})) === null, count]);
		},
		{ requestState: { key: "a key that has thirty-two bytes!" } },
	);
	for (const _meta of [MODERN, {}]) {
		const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", _meta } };
		const { result } = /** @type {any} */ (await server.handleMessage(call));
		assert.deepEqual(JSON.parse(result.content[0].text), [[1, 1], 1, "failed", "works", true, 1]);
	}
});
