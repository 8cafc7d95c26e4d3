// Many streaming calls at once, of which some are cancelled: what has to be true of them wherever the server runs.

import assert from "node:assert/strict";
import { eventsOf } from "./sessions-harness.mjs";

const CALLS = 200;
const STEPS = 5;
/** How often the server is asked how many calls have been cancelled: each time takes a while. */
const MAX_ASKED = 5_000;

/**
 * @param {string} id
 * @param {string} name
 * @param {any} args
 */
function requestOf(id, name, args) {
	const _meta = {
		"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": {},
		progressToken: `token ${id}`,
	};
	return {
		method: "POST",
		body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta } }),
		headers: {
			"content-type": "application/json",
			accept: "application/json, text/event-stream",
			"mcp-protocol-version": "2026-07-28",
			"mcp-method": "tools/call",
			"mcp-name": name,
		},
	};
}

/**
 * Calls a server of workers/streams.mjs 200 times at once and cancels every fourth call after its first event.
 * @param {(init: RequestInit) => Promise<Response>} send
 */
export async function manyCalls(send) {
	await Promise.all(
		Array.from({ length: CALLS }, async (_, at) => {
			const id = `call ${at}`;
			const cancelled = at % 4 === 3;
			// A call that is to be cancelled would not end before it is.
			const init = requestOf(id, "count", { name: id, to: cancelled ? 10_000 : STEPS });
			const events = eventsOf(await send(init));
			for (let step = 1; step <= (cancelled ? 1 : STEPS); step++) {
				const { params } = (await events.next())?.data ?? {};
				assert.deepEqual([params?.progressToken, params?.message], [`token ${id}`, `${id} ${step}`]);
			}
			if (cancelled) return events.cancel();
			const last = await events.next();
			assert.deepEqual([last?.data.id, last?.data.result.content[0].text], [id, id]);
			assert.equal(await events.next(), undefined);
		}),
	);
	// The handlers hear of it at their next step.
	let stopped = 0;
	for (let asked = 0; stopped < CALLS / 4; asked++) {
		assert.ok(asked < MAX_ASKED, `${stopped} of ${CALLS / 4} handlers have heard that nobody waits for them`);
		const { result } = await (await send(requestOf("how many", "stopped", {}))).json();
		stopped = Number(result.content[0].text);
	}
	assert.equal(stopped, CALLS / 4);
}
