// A bus that fails, and listeners that do: neither ends the process, another's messages, or what needs no bus.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "mcp-duet";
import { broadcastBus } from "mcp-duet/bus";
import { eventsOf, LATEST, Legacy } from "./sessions-harness.mjs";

const object = /** @type {const} */ ({ type: "object" });
const tool = { name: "t", inputSchema: object, handler: () => "" };
const none = () => {};
const soon = () => new Promise((resolve) => setImmediate(resolve));
const FORM = { message: "?", requestedSchema: { type: "object", properties: {} } };

/** A bus that does as it is told. */
function moody() {
	/** @type {Map<(event: any) => void, () => void>} */
	const listeners = new Map();
	const bus = {
		/** @type {unknown} */
		fault: undefined,
		sync: false,
		listeners,
		/** @param {any} event */
		publish: (event) => bus.done(() => [...listeners.keys()].map((listener) => listener(event))),
		/** @param {(event: any) => void} listener @param {() => void} lost */
		subscribe: (listener, lost) =>
			bus.done(() => {
				listeners.set(listener, lost);
				return () => bus.done(() => listeners.delete(listener));
			}),
		/** @param {() => any} work @returns {any} */
		done(work) {
			if (bus.fault === undefined) return work();
			if (bus.sync) throw bus.fault;
			return Promise.reject(bus.fault);
		},
	};
	return bus;
}

/** @param {any} more */
const serverOf = (more) =>
	new Server({
		name: "moody",
		version: "1",
		tools: [tool],
		capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } },
		...more,
	});

/** A legacy client with a channel of its own, and what it is told. @param {Server} server @param {(message: any) => void} [send] */
async function piped(server, send) {
	/** @type {string[]} */
	const heard = [];
	const channel = server.channel(send ?? (({ method }) => heard.push(method)));
	const clientInfo = { name: "c", version: "1" };
	const params = { protocolVersion: LATEST, capabilities: {}, clientInfo };
	await server.handleMessage({ jsonrpc: "2.0", id: 1, method: "initialize", params }, { channel });
	await soon();
	return { channel, heard };
}

const LISTS = ["tools", "prompts", "resources"].map((list) => `notifications/${list}/list_changed`);

test("a bus that fails ends no process, and tells only those who wait for it", async () => {
	for (const sync of [false, true]) {
		const bus = moody();
		const server = serverOf({ bus });
		const { channel } = await piped(server);
		bus.fault = new Error("no connection");
		bus.sync = sync;
		server.registerTool("u", { inputSchema: object }, () => "");
		await soon();
		await assert.rejects(async () => server.notify({ type: "tools_list_changed" }), /no connection/);
		await piped(server);
		channel.close();
		server.close();
		await soon();
	}
});

test("a client that cannot be told keeps nothing from the others", async () => {
	const server = serverOf({});
	await piped(server, () => {
		throw new Error("the port is closed");
	});
	const { heard } = await piped(server);
	server.notify({ type: "tools_list_changed" });
	await soon();
	assert.deepEqual(heard, [LISTS[0]]);

	const bus = broadcastBus(`failing ${process.pid}`);
	try {
		bus.subscribe(() => {
			throw new Error("a listener's own fault");
		}, none);
		/** @type {any[]} */
		const events = [];
		bus.subscribe((event) => events.push(event.type), none);
		bus.publish({ type: "tools_list_changed" });
		assert.deepEqual(events, ["tools_list_changed"]);
	} finally {
		bus.close();
	}
});

test("a channel hears again of a bus that had failed or was lost, and of all that it may have missed", async (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const bus = moody();
	bus.fault = new Error("no connection");
	const server = serverOf({ bus });
	const { channel, heard } = await piped(server);
	context.mock.timers.tick(5000);
	await soon();
	bus.fault = undefined;
	assert.equal(bus.listeners.size, 0);
	context.mock.timers.tick(5000);
	await soon();
	assert.equal(bus.listeners.size, 1);
	assert.deepEqual(heard.splice(0), LISTS);
	for (const [listener, lost] of bus.listeners) {
		bus.listeners.delete(listener);
		lost();
	}
	context.mock.timers.tick(5000);
	await soon();
	assert.deepEqual(heard.splice(0), LISTS);
	server.notify({ type: "tools_list_changed" });
	await soon();
	assert.deepEqual(heard.splice(0), [LISTS[0]]);
	for (const lost of bus.listeners.values()) lost();
	channel.close();
	bus.listeners.clear();
	context.mock.timers.tick(5000);
	await soon();
	assert.equal(bus.listeners.size, 0, "one that has gone does not come back");
});

test("a session whose bus fails can be asked, and its stream is refused until the bus works", async () => {
	const bus = moody();
	const ask = {
		...tool,
		handler: async (/** @type {any} */ _args, /** @type {any} */ ctx) => (await ctx.elicit(FORM)).action,
	};
	const server = serverOf({ bus, legacy: "sessions", tools: [ask] });
	const client = new Legacy((request) => server.fetch(request));
	await client.open({ capabilities: { elicitation: {} } });
	bus.fault = new Error("no connection");
	const events = eventsOf(await client.call("t"));
	await events.next();
	const asked = await events.next();
	await client.answer(asked?.data.id, { action: "decline" });
	assert.equal((await events.next())?.data.result.content[0].text, "decline");
	assert.equal((await client.listen()).status, 500);
	bus.fault = undefined;
	const stream = eventsOf(await client.listen());
	await stream.next();
	server.notify({ type: "tools_list_changed" });
	assert.equal((await stream.next())?.data.method, LISTS[0]);
	server.close();
	await soon();
	assert.equal(bus.listeners.size, 0);
});
