// The progress of a call that comes over the stream of its answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "mcp-duet/client";

const limit = { timeout: 20_000 };
const discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };

/** @param {any} params */
const progress = (params) => ({ jsonrpc: "2.0", method: "notifications/progress", params });
const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "meanwhile" } };

/**
 * A server whose calls are answered with a stream of these messages, given the call's id.
 * @param {(id: any) => any[]} messages
 * @param {(init: any) => void} [look]
 */
const server = (messages, look) => async (/** @type {any} */ _url, /** @type {any} */ init) => {
	const { id, method } = JSON.parse(init.body);
	if (method === "server/discover") return Response.json({ jsonrpc: "2.0", id, result: discovered });
	look?.(init);
	const text = messages(id).map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`);
	return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
};

/** @param {any} fetch @param {any} [options] */
function clientOf(fetch, options) {
	/** @type {any[]} */
	const heard = [];
	const client = new Client({
		url: "http://127.0.0.1/mcp",
		fetch,
		onNotification: ({ params }) => heard.push(params.data),
		onError: ({ code, message }) => heard.push(code ?? message),
		...options,
	});
	return { client, heard };
}

for (const [what, options] of /** @type {[string, any][]} */ ([
	["as it is", {}],
	["looked at by others", { onMessage: () => {} }],
])) {
	test(`progress, ${what}, comes in its order among all else, and its listener's mistake is told`, limit, async () => {
		const { client, heard } = clientOf(
			server((id) => [
				progress({ progressToken: id, progress: 1, message: "北京 🌍" }),
				log,
				progress({ progressToken: id + 1, progress: 100 }),
				progress({ progressToken: `${id}`, progress: 101 }),
				"not json",
				progress({ progressToken: id, progress: 2 }),
				progress([id]),
				progress({ progressToken: id, progress: 3 }),
				{ jsonrpc: "2.0", id, result: { content: [], resultType: "complete" } },
				progress({ progressToken: id, progress: 4 }),
			]),
			options,
		);
		const onProgress = (/** @type {any} */ { progress, message }) => {
			heard.push(message ?? progress);
			if (progress === 2) throw new Error("mistaken");
		};
		assert.deepEqual((await client.callTool("slow", {}, { onProgress })).content, []);
		assert.deepEqual(heard, ["北京 🌍", "meanwhile", "INVALID_MESSAGE", 2, "mistaken", "INVALID_MESSAGE", 3]);
		await client.close();
	});
}

test("nothing is heard of a call that its listener gives up", limit, async () => {
	/** @type {AbortSignal | undefined} */
	let carried;
	const { client, heard } = clientOf(
		server(
			(id) => [1, 2, 3].map((n) => progress({ progressToken: id, progress: n })),
			({ signal }) => {
				carried = signal;
			},
		),
	);
	const abort = new AbortController();
	const onProgress = (/** @type {any} */ { progress }) => {
		heard.push(progress);
		if (progress === 2) abort.abort(new Error("enough"));
	};
	await assert.rejects(client.callTool("slow", {}, { onProgress, signal: abort.signal }), { message: "enough" });
	assert.deepEqual(heard, [1, 2]);
	assert.equal(carried?.aborted, true);
	await client.close();
});

test("a token of the caller's own is told of as well", limit, async () => {
	const { client, heard } = clientOf(
		server((id) => [
			progress({ progressToken: id, progress: 100 }),
			progress({ progressToken: "mine", progress: 1 }),
			{ jsonrpc: "2.0", id, result: { content: [], resultType: "complete" } },
		]),
	);
	const params = { name: "slow", _meta: { progressToken: "mine" } };
	await client.request("tools/call", params, { onProgress: (/** @type {any} */ { progress }) => heard.push(progress) });
	assert.deepEqual(heard, [1]);
	await client.close();
});
