// Streams in workerd, where a request without anything pending of its own counts as hung: what they wait for comes from
// other requests. And many calls at once, there and in Node.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startWorker } from "../../scripts/workerd.mjs";
import { installed } from "./harness.mjs";
import { manyCalls } from "./many-calls.mjs";
import { eventsOf, Legacy } from "./sessions-harness.mjs";
import { answer } from "./workers/streams.mjs";

const main = fileURLToPath(new URL("workers/streams.mjs", import.meta.url));
const flags = ["enable_request_signal"];
const start = () => startWorker({ main, packages: { "mcp-duet": installed() }, flags });
const starting = start();
const another = start();
after(() => Promise.all([starting, another].map(async (worker) => (await worker).stop())));

/** @param {string} path */
const fetchOf = (path) => async (/** @type {Request} */ request) => {
	const { url } = await starting;
	const body = request.method === "POST" ? await request.text() : undefined;
	return fetch(url + path, { method: request.method, headers: request.headers, body });
};

const META = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};
const MODERN = { "mcp-protocol-version": "2026-07-28" };

/** Something that happens in a request of its own. @param {string} path */
async function touch(path) {
	const params = { name: "touch", _meta: META };
	const headers = { ...MODERN, "mcp-method": "tools/call", "mcp-name": "touch" };
	const response = await new Legacy(fetchOf(path)).post("tools/call", params, headers);
	assert.equal((await response.json()).result.content[0].text, "touched");
}

test("a subscription hears of what another request changes", async () => {
	const client = new Legacy(fetchOf("/mcp"));
	const params = { notifications: { toolsListChanged: true }, _meta: META };
	const response = await client.post("subscriptions/listen", params, {
		...MODERN,
		"mcp-method": "subscriptions/listen",
	});
	const events = eventsOf(response);
	assert.equal((await events.next())?.data.method, "notifications/subscriptions/acknowledged");
	for (let round = 0; round < 2; round++) {
		await touch("/mcp");
		assert.equal((await events.next())?.data.method, "notifications/tools/list_changed");
	}
	await events.cancel();
});

test("what a handler asks a legacy client is answered in another request, with a session and without", async () => {
	for (const path of ["/mcp", "/sessions"]) {
		const client = new Legacy(fetchOf(path));
		await client.open({ capabilities: { elicitation: {} } });
		assert.equal(client.session === null, path === "/mcp");
		const events = eventsOf(await client.call("ask"));
		let asked = await events.next();
		if (asked?.data === "") asked = await events.next();
		await client.ask("ping");
		const taken = await client.answer(asked?.data.id, { action: "accept", content: { name: "北京" } });
		assert.equal(taken.status, 202);
		assert.equal((await events.next())?.data.result.content[0].text, "Hello, 北京");
		assert.equal(await events.next(), undefined);
	}
});

test("a session's GET stream hears of what another request changes and logs, and goes on after a disconnection", async () => {
	const client = new Legacy(fetchOf("/sessions"));
	await client.open();
	const events = eventsOf(await client.listen());
	await events.next();
	await touch("/sessions");
	assert.equal((await events.next())?.data.method, "notifications/tools/list_changed");
	const { id, data } = (await events.next()) ?? {};
	assert.equal(data.params.data, "touched");
	await events.cancel();
	const again = eventsOf(await client.listen(id));
	await touch("/sessions");
	assert.equal((await again.next())?.data.method, "notifications/tools/list_changed");
	assert.equal((await client.end()).status, 204);
	assert.equal((await again.next())?.data.params.data, "touched");
	assert.equal(await again.next(), undefined);
});

test("a handler sends its client away, which comes back for the answer", async () => {
	const client = new Legacy(fetchOf("/sessions"));
	await client.open();
	const events = eventsOf(await client.call("leave"));
	const { id } = (await events.next()) ?? {};
	assert.equal(await events.next(), undefined);
	let last = await eventsOf(await client.listen(id)).next();
	while (last?.data === undefined) last = await eventsOf(await client.listen(id)).next();
	assert.equal(last?.data.result.content[0].text, "came back");
});

test("two isolates that share nothing serve a legacy and a modern client in turns", async () => {
	const urls = [(await starting).url, (await another).url];
	let turn = 0;
	const inTurns = async (/** @type {Request} */ request) => {
		const body = request.method === "POST" ? await request.text() : undefined;
		return fetch(`${urls[turn++ % 2]}/mcp`, { method: request.method, headers: request.headers, body });
	};
	const [legacy, modern] = [new Legacy(inTurns), new Legacy(inTurns)];
	await legacy.open();
	assert.equal(legacy.session, null);
	const args = { to: 2, name: "北" };
	for (let round = 0; round < 3; round++) {
		assert.equal((await legacy.ask("tools/list")).tools.length, 5);
		const events = eventsOf(await legacy.call("count", args, `legacy ${round}`, { progressToken: round }));
		assert.deepEqual((await events.next())?.data.params, {
			progressToken: round,
			progress: 1,
			total: 2,
			message: "北 1",
		});
		await events.next();
		assert.deepEqual((await events.next())?.data.id, `legacy ${round}`);
		const params = { name: "count", arguments: args, _meta: META };
		const headers = { ...MODERN, "mcp-method": "tools/call", "mcp-name": "count" };
		const response = await modern.post("tools/call", params, headers, `modern ${round}`);
		const { id, result } = await response.json();
		assert.deepEqual([id, result.resultType, result.content[0].text], [`modern ${round}`, "complete", "北"]);
	}
	assert.equal(turn, 2 + 3 * 3);
});

test("of 200 streaming calls at once none is lost or crossed, and those that are cancelled stop: in workerd", async () => {
	const { url } = await starting;
	await manyCalls((init) => fetch(`${url}/mcp`, init));
});

test("of 200 streaming calls at once none is lost or crossed, and those that are cancelled stop: in Node", async () => {
	await manyCalls((init) => answer(new Request("http://localhost/mcp", init)));
});
