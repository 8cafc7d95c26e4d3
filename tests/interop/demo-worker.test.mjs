// Everybody's clients against the demo worker in workerd.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "mcp-duet";
import { installed } from "../../scripts/link.mjs";
import { startWorker } from "../../scripts/workerd.mjs";
import { connected } from "./sdk-clients.mjs";

/** @type {import("../../scripts/workerd.mjs").RunningWorker} */
let worker;
before(
	async () => {
		const main = fileURLToPath(new URL("../../www/worker.js", import.meta.url));
		worker = await startWorker({ main, packages: { "mcp-duet": installed } });
	},
	{ timeout: 60_000 },
);
after(() => worker?.stop());

const endpoint = () => `${worker.url}/mcp`;

/**
 * Any client in the words of ours.
 * @type {Record<string, () => Promise<any>>}
 */
const clients = {
	"our client": async () => new Client({ url: endpoint() }),
	"our client, legacy": async () => new Client({ url: endpoint(), versionNegotiation: "legacy" }),
	"SDK 1.32": () => adapted("1.32"),
	"SDK 2.4, legacy": () => adapted("2.4", "legacy"),
	"SDK 2.4, auto": () => adapted("2.4", "auto"),
	"SDK 2.4, pinned": () => adapted("2.4", { pin: "2026-07-28" }),
};

/**
 * @param {import("./sdk-clients.mjs").Generation} generation
 * @param {import("./sdk-clients.mjs").Mode} [mode]
 */
async function adapted(generation, mode) {
	const { client, call } = await connected(generation, endpoint(), mode);
	return {
		listTools: () => client.listTools(),
		listResources: () => client.listResources(),
		listPrompts: () => client.listPrompts(),
		callTool: call,
		readResource: (/** @type {string} */ uri) => client.readResource({ uri }),
		getPrompt: (/** @type {string} */ name, /** @type {Record<string, string>} */ args) =>
			client.getPrompt({ name, arguments: args }),
		close: () => client.close(),
	};
}

for (const [name, start] of Object.entries(clients)) {
	test(`${name} lists, calls, reads and prompts`, { timeout: 60_000 }, async () => {
		const client = await start();
		const { tools } = await client.listTools();
		const names = tools.map((/** @type {{ name: string }} */ tool) => tool.name);
		assert.ok(names.includes("greet_北京") && names.includes("get_weather"), names.join());
		const greeting = await client.callTool("greet_北京", { person: "小明" });
		assert.match(greeting.content[0].text, /小明/);
		const weather = await client.callTool("get_weather", { city: "北京", days: 2 });
		assert.match(JSON.stringify(weather), /北京/);
		const refused = await client.callTool("get_weather", { city: 7 });
		assert.equal(refused.isError, true);

		const { resources } = await client.listResources();
		const beijing = resources.find((/** @type {{ name: string }} */ resource) => resource.name === "北京");
		assert.match((await client.readResource(beijing.uri)).contents[0].text, /首都/);
		const forecast = await client.readResource("demo://forecast/%E5%8C%97%E4%BA%AC");
		assert.match(forecast.contents[0].text, /^北京\n/);
		const picture = await client.readResource("demo://discs.png");
		assert.match(picture.contents[0].blob, /^iVBOR/);

		const { prompts } = await client.listPrompts();
		assert.equal(prompts[0].name, "plan_trip");
		const prompt = await client.getPrompt("plan_trip", { city: "北京" });
		assert.match(prompt.messages[0].content.text, /北京/);
		await client.close();
	});
}
