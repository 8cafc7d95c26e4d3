// Changes of one session that overlap, in a store that answers later.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";
import { Legacy, remote } from "./sessions-harness.mjs";

/** A client in a session. @param {any} sessions @param {any} [params] */
async function opened(sessions, params) {
	const server = new Server({
		name: "turns",
		version: "1",
		legacy: "sessions",
		capabilities: { logging: {}, resources: { subscribe: true } },
		resources: [],
		sessions,
	});
	const client = new Legacy((request) => server.fetch(request));
	await client.open(params);
	return client;
}

test("with a store that answers later, changes of a session do not undo each other", async (context) => {
	const store = remote();
	const client = await opened({ store, idleMs: 1000 }, { version: "2025-03-26" });
	const kept = () => JSON.parse(store.kept.get(client.session ?? "") ?? "{}");
	const uris = Array.from({ length: 8 }, (_, i) => `test://${i}`);
	const answers = await Promise.all([
		client.ask("logging/setLevel", { level: "error" }),
		...uris.map((uri) => client.ask("resources/subscribe", { uri })),
		client.ask("resources/unsubscribe", { uri: "test://none" }),
	]);
	assert.deepEqual(answers, Array(10).fill({}));
	assert.deepEqual([kept().logLevel, kept().subscriptions.sort()], ["error", uris]);

	const params = { level: "debug" };
	const batch = [
		{ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params },
		...uris.map((uri, id) => ({ jsonrpc: "2.0", id: id + 2, method: "resources/unsubscribe", params: { uri } })),
	];
	assert.equal((await (await client.request("POST", batch)).json()).length, 9);
	assert.deepEqual([kept().logLevel, kept().subscriptions], ["debug", []]);

	// Being used is a change too.
	context.mock.timers.enable({ apis: ["Date"], now: Date.now() + 900 });
	await Promise.all([client.ask("ping"), client.ask("logging/setLevel", { level: "alert" }), client.ask("ping")]);
	assert.equal(kept().logLevel, "alert");
	assert.ok(kept().until >= Date.now() + 1000);

	// A change that finds the session ended does not bring it back.
	const [ended, late] = await Promise.all([client.end(), client.post("resources/subscribe", { uri: "test://late" })]);
	assert.deepEqual([ended.status, late.status, store.kept.size], [204, 404, 0]);
});

test("a change that never comes to its end holds the next one for five seconds", async (context) => {
	const store = remote();
	const { set } = store;
	const client = await opened({ store });
	await new Promise((reached) => {
		store.set = () => new Promise(() => reached(undefined));
		client.ask("logging/setLevel", { level: "error" });
	});
	store.set = set;
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const waits = context.mock.method(globalThis, "setTimeout");
	let done = false;
	const changing = client.ask("resources/subscribe", { uri: "test://a" }).then((answer) => {
		done = true;
		return answer;
	});
	while (waits.mock.callCount() === 0) await new Promise(setImmediate);
	context.mock.timers.tick(4_999);
	for (let i = 0; i < 9; i++) await new Promise(setImmediate);
	assert.equal(done, false);
	context.mock.timers.tick(1);
	assert.deepEqual(await changing, {});
	assert.deepEqual(JSON.parse(store.kept.get(client.session ?? "") ?? "").subscriptions, ["test://a"]);
});
