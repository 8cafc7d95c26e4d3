// The real TypeScript SDK clients against a server of ours, in workerd and behind `node:http`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "mcp-duet";
import { installed } from "../../scripts/link.mjs";
import { startWorker } from "../../scripts/workerd.mjs";
import { exerciseSdk } from "./exercise.mjs";
import { serveFetch } from "./http.mjs";
import { handler } from "./our-server.mjs";
import { connected } from "./sdk-clients.mjs";
import { Watch } from "./watch.mjs";

const watch = new Watch();
/** @type {Record<"workerd" | "Node", { url: string, stop: () => Promise<void> }>} */
let hosts;
before(
	async () => {
		const main = fileURLToPath(new URL("worker.mjs", import.meta.url));
		const [workerd, Node] = await Promise.all([
			startWorker({ main, packages: { "mcp-duet": installed } }),
			serveFetch(handler(watch)),
		]);
		hosts = { workerd, Node };
	},
	{ timeout: 60_000 },
);
after(() => Promise.all(Object.values(hosts ?? {}).map((host) => host.stop())));

/** @type {{ name: string, generation: import("./sdk-clients.mjs").Generation, mode?: import("./sdk-clients.mjs").Mode, paths: string[], era: string | undefined }[]} */
const rows = [
	{ name: "SDK 2.4 in legacy mode", generation: "2.4", mode: "legacy", paths: ["/mcp", "/legacy"], era: "legacy" },
	{ name: "SDK 2.4 in auto mode", generation: "2.4", mode: "auto", paths: ["/mcp", "/modern"], era: "modern" },
	{ name: "SDK 2.4 in auto mode", generation: "2.4", mode: "auto", paths: ["/legacy"], era: "legacy" },
	{
		name: "SDK 2.4 pinned to 2026-07-28",
		generation: "2.4",
		mode: { pin: "2026-07-28" },
		paths: ["/mcp", "/modern"],
		era: "modern",
	},
	{ name: "SDK 1.32", generation: "1.32", paths: ["/mcp", "/legacy"], era: undefined },
];

for (const { name, generation, mode, paths, era } of rows) {
	for (const [path, place] of paths.flatMap(
		(path) =>
			/** @type {const} */ ([
				[path, "workerd"],
				[path, "Node"],
			]),
	)) {
		test(`${name} works with our server at ${path} in ${place}`, { timeout: 60_000 }, async () => {
			const { client, call } = await connected(generation, hosts[place].url + path, mode);
			assert.equal(client.getProtocolEra?.(), era);
			assert.equal(client.getServerVersion()?.name, "duet");
			assert.equal(client.getInstructions(), "说明");

			await exerciseSdk(client, call, generation);
			if (era !== "modern") await client.ping();
			await client.close();
		});
	}
}

test("a list in pages arrives whole, in order", { timeout: 60_000 }, async () => {
	const names = ["查天气", "region", "count", "wait", "ask", "fail", "structured"];
	const namesOf = (/** @type {{ tools: { name: string }[] }} */ { tools }) => tools.map((tool) => tool.name);
	for (const mode of /** @type {const} */ (["legacy", "auto"])) {
		const { client } = await connected("2.4", `${hosts.workerd.url}/paged`, mode);
		assert.deepEqual(namesOf(await client.listTools()), names);
		await client.close();
	}
	const { client } = await connected("1.32", `${hosts.workerd.url}/paged`);
	const pages = [];
	/** @type {string | undefined} */
	let cursor;
	do {
		const page = await client.listTools(cursor === undefined ? undefined : { cursor });
		pages.push(namesOf(page));
		cursor = page.nextCursor;
	} while (cursor !== undefined && pages.length < 9);
	assert.deepEqual(pages, [names.slice(0, 2), names.slice(2, 4), names.slice(4, 6), names.slice(6)]);
	await assert.rejects(client.listTools({ cursor: "nonsense" }), { code: -32602 });
	await client.close();

	const ours = new Client({ url: `${hosts.workerd.url}/paged` });
	assert.deepEqual(namesOf(await ours.listTools()), names);
	await ours.close();
});

test("a modern client that lets go of its call cancels the handler", { timeout: 60_000 }, async () => {
	const { client, call } = await connected("2.4", `${hosts.Node.url}/mcp`);
	const stop = new AbortController();
	const waiting = call("wait", {}, { signal: stop.signal });
	await watch.started;
	stop.abort();
	await assert.rejects(waiting);
	await watch.cancelled;
	assert.deepEqual((await call("查天气", { city: "南京" })).content, [{ type: "text", text: "南京：晴" }]);
	await client.close();
});

test("a legacy client learns from a modern-only server which versions it has", { timeout: 60_000 }, async () => {
	for (const generation of /** @type {const} */ (["1.32", "2.4"])) {
		await assert.rejects(connected(generation, `${hosts.workerd.url}/modern`, "legacy"), /2026-07-28/);
	}
});

test("a pinned client finds that a legacy-only server does not offer its version", { timeout: 60_000 }, async () => {
	const pin = { pin: "2026-07-28" };
	await assert.rejects(connected("2.4", `${hosts.workerd.url}/legacy`, pin), { code: "ERA_NEGOTIATION_FAILED" });
});
