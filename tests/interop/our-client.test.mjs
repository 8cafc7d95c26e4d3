// Our client against servers of others.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, isInputRequired } from "mcp-duet";
import { exercise, textOf } from "./exercise.mjs";
import { everythingServer, sdk1Server, sdk1SseServer, sdk2Server } from "./sdk-servers.mjs";

const clientInfo = { name: "duet", version: "1.0.0" };

/**
 * `cancels`: the server can learn that a call is no longer wanted. Without sessions a legacy one cannot.
 * @typedef {object} Row
 * @property {string} name
 * @property {() => Promise<import("./sdk-servers.mjs").SdkPeer>} start
 * @property {Record<string, unknown>} [options]
 * @property {"modern" | "legacy"} era
 * @property {string} version
 * @property {boolean} [progress]
 * @property {boolean} [cancels]
 */
/** @type {Row[]} */
const rows = [
	{ name: "SDK 2.4, auto", start: () => sdk2Server(), era: "modern", version: "2026-07-28" },
	{
		name: "SDK 2.4, always SSE",
		start: () => sdk2Server({ responseMode: "sse" }),
		era: "modern",
		version: "2026-07-28",
	},
	{
		name: "SDK 2.4, always JSON",
		start: () => sdk2Server({ responseMode: "json" }),
		era: "modern",
		version: "2026-07-28",
		progress: false,
	},
	{
		name: "SDK 2.4, modern only, auto",
		start: () => sdk2Server({ legacy: "reject" }),
		era: "modern",
		version: "2026-07-28",
	},
	{
		name: "SDK 2.4, pinned",
		start: () => sdk2Server(),
		options: { versionNegotiation: { pin: "2026-07-28" } },
		era: "modern",
		version: "2026-07-28",
	},
	{
		name: "SDK 2.4, its legacy form",
		start: () => sdk2Server(),
		options: { versionNegotiation: "legacy" },
		cancels: false,
		era: "legacy",
		version: "2025-11-25",
	},
	{
		name: "SDK 1.32 with sessions, auto",
		start: () => sdk1Server({ sessions: true }),
		era: "legacy",
		version: "2025-11-25",
	},
	{
		name: "SDK 1.32 without sessions, auto",
		start: () => sdk1Server({ sessions: false }),
		cancels: false,
		era: "legacy",
		version: "2025-11-25",
	},
	{
		name: "SDK 1.32, always JSON, auto",
		start: () => sdk1Server({ sessions: true, json: true }),
		era: "legacy",
		version: "2025-11-25",
		progress: false,
	},
	{
		name: "SDK 1.32 over HTTP+SSE, auto",
		start: () => sdk1SseServer(),
		era: "legacy",
		version: "2025-11-25",
	},
	{
		name: "SDK 1.32 over HTTP+SSE, legacy",
		start: () => sdk1SseServer(),
		options: { versionNegotiation: "legacy" },
		era: "legacy",
		version: "2025-11-25",
	},
	{
		name: "SDK 1.32 with sessions, legacy",
		start: () => sdk1Server({ sessions: true }),
		options: { versionNegotiation: "legacy" },
		era: "legacy",
		version: "2025-11-25",
	},
];

for (const { name, start, options, era, version, progress = true, cancels = true } of rows) {
	test(`our client works with ${name}`, { timeout: 60_000 }, async () => {
		const peer = await start();
		try {
			const client = new Client({ url: peer.url, clientInfo, ...options });
			await client.connect();
			assert.deepEqual([client.era, client.protocolVersion], [era, version]);
			assert.match(client.serverInfo?.name ?? "", /^sdk[12]$/);
			assert.equal(client.instructions, "说明");
			if (era === "legacy") await client.ping();
			else assert.ok((await client.discover()).supportedVersions.includes(version));
			await exercise(client, { progress });

			const stop = new AbortController();
			const waiting = client.callTool("wait", {}, { signal: stop.signal });
			await peer.watch.started;
			const reason = new Error("不用了");
			stop.abort(reason);
			await assert.rejects(waiting, (error) => error === reason);
			if (cancels) await peer.watch.cancelled;
			assert.equal(textOf((await client.callTool("查天气", { city: "南京" })).content[0]), "南京：晴");
			await client.close();
		} finally {
			await peer.stop();
		}
	});
}

/** What a person, a model and a file system would answer. @satisfies {import("mcp-duet").ClientSettings["handlers"]} */
const handlers = {
	"elicitation/create": (/** @type {{ message: string }} */ { message }) => {
		assert.equal(message, "哪个城市？");
		return { action: /** @type {const} */ ("accept"), content: { city: "北京" } };
	},
	"sampling/createMessage": async () => ({
		role: /** @type {const} */ ("assistant"),
		model: "none",
		content: { type: /** @type {const} */ ("text"), text: "东京" },
	}),
	"roots/list": () => ({ roots: [{ uri: "file:///根" }] }),
};

for (const [name, start] of /** @type {const} */ ([
	["Streamable HTTP", () => sdk1Server({ sessions: true })],
	["HTTP+SSE", sdk1SseServer],
])) {
	test(`our client answers what a legacy server asks during a call over ${name}`, { timeout: 60_000 }, () =>
		answers(start),
	);
}

/** @param {() => Promise<import("./sdk-servers.mjs").Peer>} start */
async function answers(start) {
	const peer = await start();
	try {
		const client = new Client({ url: peer.url, clientInfo, handlers });
		const answer = await client.callTool("ask");
		assert.equal(textOf(answer.content[0]), "北京 东京 file:///根");
		await client.close();

		const silent = new Client({ url: peer.url, clientInfo });
		assert.equal((await silent.callTool("ask")).isError, true, "what nobody declared is refused, not left unanswered");
		await silent.close();
	} finally {
		await peer.stop();
	}
}

test("our client answers what a modern server requires, in as many rounds as it takes", {
	timeout: 60_000,
}, async () => {
	const peer = await sdk2Server();
	try {
		const client = new Client({ url: peer.url, clientInfo, handlers });
		const answer = await client.callTool("ask");
		assert.equal(client.era, "modern");
		assert.equal(textOf(answer.content[0]), "北京 东京 file:///根");
		await client.close();
	} finally {
		await peer.stop();
	}
});

test("our client hands out what a modern server requires, and takes the retry", { timeout: 60_000 }, async () => {
	const peer = await sdk2Server();
	try {
		const client = new Client({
			url: peer.url,
			clientInfo,
			capabilities: { elicitation: {}, sampling: {}, roots: {} },
		});
		/** @type {any} */
		const call = { name: "ask", arguments: {} };
		const first = await client.request("tools/call", call, { manual: true });
		assert.ok(isInputRequired(first));
		assert.deepEqual(Object.keys(first.inputRequests ?? {}), ["elicitation"]);
		const inputResponses = { elicitation: { action: "accept", content: { city: "北京" } } };
		const second = await client.request("tools/call", { ...call, inputResponses, requestState: first.requestState });
		assert.ok(isInputRequired(second));
		assert.deepEqual(Object.keys(second.inputRequests ?? {}).sort(), ["roots", "sampling"]);
		const third = await client.request("tools/call", {
			...call,
			inputResponses: { sampling: await handlers["sampling/createMessage"](), roots: handlers["roots/list"]() },
			requestState: second.requestState,
		});
		assert.ok(!isInputRequired(third));
		assert.equal(textOf(/** @type {any} */ (third).content[0]), "北京 东京 file:///根");
		await client.close();
	} finally {
		await peer.stop();
	}
});

test("a pinned client says that a legacy server does not offer its version", { timeout: 60_000 }, async () => {
	const peer = await sdk1Server({ sessions: true });
	try {
		const client = new Client({ url: peer.url, clientInfo, versionNegotiation: { pin: "2026-07-28" } });
		await assert.rejects(client.connect(), { code: "ERA_UNSETTLED" });
		await client.close();
	} finally {
		await peer.stop();
	}
});

test("a legacy client says that a modern-only server refused it", { timeout: 60_000 }, async () => {
	const peer = await sdk2Server({ legacy: "reject" });
	try {
		const client = new Client({ url: peer.url, clientInfo, versionNegotiation: "legacy" });
		await assert.rejects(client.connect(), (/** @type {any} */ error) => {
			assert.ok(error instanceof Error);
			assert.equal(typeof (/** @type {any} */ (error).code), "string");
			return true;
		});
		await client.close();
	} finally {
		await peer.stop();
	}
});

test("a dropped HTTP+SSE stream fails its calls, and the next one opens another", { timeout: 60_000 }, async () => {
	const peer = await sdk1SseServer();
	try {
		const client = new Client({ url: peer.url, clientInfo });
		const waiting = client.callTool("wait");
		await peer.watch.started;
		peer.drop();
		await assert.rejects(waiting, { code: "CONNECTION_LOST" });
		assert.equal(textOf((await client.callTool("查天气", { city: "南京" })).content[0]), "南京：晴");
		await client.close();
	} finally {
		await peer.stop();
	}
});

for (const transport of /** @type {const} */ (["streamableHttp", "sse"])) {
	test(`our client works with server-everything over ${transport}`, { timeout: 60_000 }, () => everything(transport));
}

/** @param {"streamableHttp" | "sse"} transport */
async function everything(transport) {
	const peer = await everythingServer(transport);
	try {
		const client = new Client({ url: peer.url, clientInfo });
		await client.connect();
		assert.equal(client.era, "legacy");
		const { tools } = await client.listTools();
		assert.ok(tools.some((/** @type {{ name: string }} */ tool) => tool.name === "echo"));
		const echo = await client.callTool("echo", { message: "北京 🌤" });
		assert.deepEqual(echo.content, [{ type: "text", text: "Echo: 北京 🌤" }]);
		const sum = await client.callTool("get-sum", { a: 2, b: 40 });
		assert.match(textOf(sum.content[0]), /42/);
		const structured = await client.callTool("get-structured-content", { location: "Chicago" });
		assert.equal(typeof structured.structuredContent, "object");
		/** @type {number[]} */
		const seen = [];
		await client.callTool(
			"trigger-long-running-operation",
			{ duration: 0.2, steps: 4 },
			{ onProgress: (/** @type {{ progress: number }} */ report) => seen.push(report.progress) },
		);
		assert.deepEqual(seen, [1, 2, 3, 4]);
		const { resources } = await client.listResources();
		const { contents } = await client.readResource(resources[0].uri);
		assert.ok(textOf(contents[0]).length > 0);
		const { resourceTemplates } = await client.listResourceTemplates();
		assert.ok(resourceTemplates.length > 0);
		const prompt = await client.getPrompt("args-prompt", { city: "北京", state: "直辖市" });
		assert.match(textOf(prompt.messages[0].content), /北京/);
		await assert.rejects(client.readResource("demo://no/such/thing"), { code: "PROTOCOL" });
		await client.close();
	} finally {
		await peer.stop();
	}
}
