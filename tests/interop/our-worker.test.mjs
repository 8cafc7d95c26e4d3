// The real TypeScript SDK clients against a worker of ours in workerd.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { installed } from "../../scripts/link.mjs";
import { startWorker } from "../../scripts/workerd.mjs";

/** @type {import("../../scripts/workerd.mjs").RunningWorker} */
let worker;
before(
	async () => {
		worker = await startWorker({
			main: fileURLToPath(new URL("worker.mjs", import.meta.url)),
			packages: { "mcp-duet": installed },
		});
	},
	{ timeout: 60_000 },
);
after(() => worker?.stop());

const info = { name: "peer", version: "1.0.0" };
const address = (/** @type {string} */ path) => new URL(path, worker.url);

/**
 * A connected SDK client whose calls take progress in one way, whatever its generation.
 * @param {"1.32" | "2.4"} generation
 * @param {string} path
 * @param {"legacy" | "auto" | { pin: string }} [mode]
 */
async function connected(generation, path, mode) {
	/** @type {any} */
	const client =
		generation === "1.32" ? new Client1(info) : new Client2(info, { versionNegotiation: { mode: mode ?? "auto" } });
	await client.connect(generation === "1.32" ? new Transport1(address(path)) : new Transport2(address(path)));
	/** @type {(name: string, args?: unknown, onprogress?: (report: unknown) => void) => Promise<any>} */
	const call = (name, args = {}, onprogress) => {
		const request = { name, arguments: args };
		const options = onprogress ? { onprogress } : {};
		return generation === "1.32" ? client.callTool(request, undefined, options) : client.callTool(request, options);
	};
	return { client, call };
}

/** @type {{ name: string, generation: "1.32" | "2.4", mode?: "legacy" | "auto" | { pin: string }, paths: string[], era: string | undefined }[]} */
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
	for (const path of paths) {
		test(`${name} works with our worker at ${path}`, { timeout: 60_000 }, async () => {
			const { client, call } = await connected(generation, path, mode);
			assert.equal(client.getProtocolEra?.(), era);
			assert.equal(client.getServerVersion()?.name, "duet");
			assert.equal(client.getInstructions(), "说明");

			const { tools } = await client.listTools();
			assert.deepEqual(
				tools.map((/** @type {{ name: string }} */ tool) => tool.name),
				["查天气", "region", "count", "fail", "structured"],
			);
			assert.deepEqual((await call("查天气", { city: "北京" })).content, [{ type: "text", text: "北京：晴" }]);
			assert.equal((await call("region", { region: "北京 " })).content[0].text, "北京 ");
			assert.deepEqual((await call("structured")).structuredContent, { 城市: "北京" });

			/** @type {unknown[]} */
			const seen = [];
			assert.equal((await call("count", {}, (report) => seen.push(report))).content[0].text, "三");
			assert.deepEqual(
				seen,
				[1, 2, 3].map((step) => ({ progress: step, total: 3, message: `第${step}步` })),
			);

			const failed = await call("fail");
			assert.equal(failed.isError, true);
			assert.match(failed.content[0].text, /坏了/);
			const wrong = await call("查天气", { city: 7 });
			assert.equal(wrong.isError, true);
			await assert.rejects(call("没有"), { code: -32602 });

			const { resources } = await client.listResources();
			assert.deepEqual(
				resources.map((/** @type {{ name: string }} */ resource) => resource.name),
				["北京", "城市"],
			);
			for (const [uri, text] of [
				["test://cities/beijing", "你好，北京"],
				["test://城市/北京", "首都"],
				["test://weather/%E5%8C%97%E4%BA%AC", "北京：晴"],
			]) {
				assert.equal((await client.readResource({ uri })).contents[0].text, text, uri);
			}
			const { resourceTemplates } = await client.listResourceTemplates();
			assert.equal(resourceTemplates[0].uriTemplate, "test://weather/{city}");
			// The second generation shows its users the modern code in both eras.
			await assert.rejects(client.readResource({ uri: "test://no/such/thing" }), {
				code: generation === "1.32" ? -32002 : -32602,
			});

			const { prompts } = await client.listPrompts();
			assert.equal(prompts[0].name, "问候");
			const prompt = await client.getPrompt({ name: "问候", arguments: { city: "北京" } });
			assert.equal(prompt.messages[0].content.text, "你好，北京");

			const cities = Array.from({ length: 20 }, (_, index) => `城市${index}`);
			const answers = await Promise.all(cities.map((city) => call("查天气", { city })));
			assert.deepEqual(
				answers.map((answer) => answer.content[0].text),
				cities.map((city) => `${city}：晴`),
			);
			if (era !== "modern") await client.ping();
			await client.close();
		});
	}
}

test("a legacy client learns from a modern-only worker which versions it has", { timeout: 60_000 }, async () => {
	for (const generation of /** @type {const} */ (["1.32", "2.4"])) {
		await assert.rejects(connected(generation, "/modern", "legacy"), /2026-07-28/);
	}
});

test("a pinned client finds that a legacy-only worker does not offer its version", { timeout: 60_000 }, async () => {
	await assert.rejects(connected("2.4", "/legacy", { pin: "2026-07-28" }), { code: "ERA_NEGOTIATION_FAILED" });
});
