// A client holds structured content against the output schemas that it has listed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "mcp-duet/client";
import { startWorker } from "../../scripts/workerd.mjs";
import { installed, project } from "./harness.mjs";

const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

/**
 * A client of a server that lists a tool and answers its calls with `result`.
 * @param {{ result?: any, tools?: any[], options?: any }} given
 */
function clientOf({ result, tools = [{ name: "t", inputSchema: { type: "object" }, outputSchema }], options }) {
	/** @type {any[]} */
	const said = [];
	/** @param {any} message */
	const transport = ({ id, method, params }) => {
		/** @type {Record<string, any>} */
		const results = {
			"server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
			"tools/list": { tools: params?.cursor ? tools.slice(1) : tools.slice(0, 1), nextCursor: undefined },
			"tools/call": { content: [], ...result },
		};
		if (method === "tools/list" && tools.length > 1 && !params.cursor) results[method].nextCursor = "more";
		return id === undefined ? null : { jsonrpc: "2.0", id, result: { resultType: "complete", ...results[method] } };
	};
	const client = new Client({ transport, onError: (error) => said.push(error), ...options });
	return { client, said };
}

// The first, before it is loaded.
test("where what validates cannot be loaded, a result passes and that is told, unless the check is required", async (t) => {
	const [usual, strict] = [{}, { validateOutput: true }].map((options) =>
		clientOf({ result: { structuredContent: {} }, options }),
	);
	for (const { client } of [usual, strict]) await client.listTools();
	const { Module, compile } = WebAssembly;
	t.after(() => Object.assign(WebAssembly, { Module, compile }));
	const broken = class {
		constructor() {
			throw new Error("no more of it");
		}
	};
	Object.assign(WebAssembly, { Module: broken, compile: async () => new broken() });
	await usual.client.callTool("t");
	assert.deepEqual(
		usual.said.map(({ code }) => code),
		["CORE_NOT_LOADED"],
	);
	await assert.rejects(strict.client.callTool("t"), { code: "CORE_NOT_LOADED" });
	Object.assign(WebAssembly, { Module, compile });
	for (const { client } of [usual, strict]) await assert.rejects(client.callTool("t"), { code: "INVALID_RESULT" });
});

test("a result that does not fit rejects, says what was expected and what came, and carries the result", async () => {
	const { client } = clientOf({ result: { structuredContent: { n: "five" } } });
	await client.listTools();
	await assert.rejects(client.callTool("t"), (/** @type {any} */ error) => {
		assert.equal(error.code, "INVALID_RESULT");
		assert.match(error.message, /^t: .*\/n: expected integer, got "five"$/);
		assert.deepEqual(error.result.structuredContent, { n: "five" });
		return true;
	});
});

// CD-05
for (const { what, result, fits } of JSON.parse(
	readFileSync(new URL("../tool-results.json", import.meta.url), "utf8"),
)) {
	test(`a result that ${what} ${fits ? "passes" : "is refused"}`, async () => {
		const { client, said } = clientOf({ result });
		await client.listTools();
		const called = client.callTool("t");
		if (fits) await called;
		else await assert.rejects(called, { code: "INVALID_RESULT" });
		assert.deepEqual(said, []);
	});
}

test("any value may be asked for, the falsy ones too", async () => {
	for (const [type, structuredContent] of [
		["null", null],
		["integer", 0],
		["boolean", false],
		["string", ""],
	]) {
		const tools = [{ name: "t", inputSchema: { type: "object" }, outputSchema: { type } }];
		const { client } = clientOf({ tools, result: { structuredContent } });
		await client.listTools();
		assert.equal((await client.callTool("t")).structuredContent, structuredContent);
	}
});

test("nothing is checked that was not listed, or where that is switched off", async () => {
	const result = { structuredContent: 5 };
	assert.equal((await clientOf({ result }).client.callTool("t")).structuredContent, 5);
	const { client } = clientOf({ result, options: { validateOutput: false } });
	await client.listTools();
	assert.equal((await client.callTool("t")).structuredContent, 5);
});

test("a list that holds anything else than tools is no harm", async () => {
	const { client } = clientOf({ tools: [null, 5, { name: "t", outputSchema }] });
	await client.listTools();
	await assert.rejects(client.callTool("t"), { code: "INVALID_RESULT" });
});

test("later pages count, whether walked or asked for one by one", async () => {
	const tools = ["a", "b"].map((name) => ({ name, inputSchema: { type: "object" }, outputSchema }));
	const walked = clientOf({ tools }).client;
	await walked.listTools();
	const paged = clientOf({ tools }).client;
	await paged.listTools({ cursor: null });
	await paged.callTool("b");
	await paged.listTools({ cursor: "more" });
	for (const client of [walked, paged]) {
		for (const name of ["a", "b"]) await assert.rejects(client.callTool(name), { code: "INVALID_RESULT" });
	}
});

test("a change of the list makes what was listed void", async () => {
	/** @type {(message: any) => void} */
	let notify = () => {};
	const { client } = clientOf({ result: { structuredContent: 5 } });
	const legacy = new Client({
		versionNegotiation: "legacy",
		transport: async ({ id, method }, { onMessage }) => {
			if (method === "tools/call") notify(onMessage);
			/** @type {Record<string, any>} */
			const results = {
				initialize: {
					protocolVersion: "2025-11-25",
					capabilities: { tools: {} },
					serverInfo: { name: "s", version: "1" },
				},
				"tools/list": { tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] },
				"tools/call": { content: [], structuredContent: {} },
			};
			return id === undefined ? null : { jsonrpc: "2.0", id, result: results[method] };
		},
	});
	await client.listTools();
	await assert.rejects(client.callTool("t"), { code: "INVALID_RESULT" });
	await legacy.listTools();
	await assert.rejects(legacy.callTool("t"), { code: "INVALID_RESULT" });
	notify = (onMessage) => onMessage({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
	await legacy.callTool("t");
});

test("a schema that cannot be used is told of once, and its tool goes on", async () => {
	const tools = [{ name: "t", inputSchema: { type: "object" }, outputSchema: { type: "object", pattern: "(" } }];
	const { client, said } = clientOf({ tools, result: { structuredContent: {} } });
	await client.listTools();
	for (let round = 0; round < 2; round++) await client.callTool("t");
	assert.deepEqual(
		said.map(({ code }) => code),
		["INVALID_DEFINITION"],
	);
});

test("a validator by itself says what does not fit", async () => {
	// Not before: the client has to find it by itself.
	const { validate } = await import("mcp-duet/validator");
	assert.equal(await validate(outputSchema, { n: 5 }), undefined);
	assert.match(String(await validate(outputSchema, {})), /n/);
	await assert.rejects(validate({ pattern: "(" }, ""), { code: "INVALID_DEFINITION" });
});

const job = `
import { Client } from "mcp-duet/client";

async function job() {
	const tools = [{ name: "t", inputSchema: { type: "object" }, outputSchema: ${JSON.stringify(outputSchema)} }];
	const results = {
		"server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
		"tools/list": { tools },
		"tools/call": { content: [], structuredContent: { n: "five" } },
	};
	const transport = ({ id, method }) => ({ jsonrpc: "2.0", id, result: { resultType: "complete", ...results[method] } });
	const client = new Client({ transport, validateOutput: true });
	await client.listTools();
	return client.callTool("t").then(() => "passed", ({ code }) => code);
}
`;

test("workerd loads what validates when it is needed, for several requests at once", async () => {
	const cwd = project({ "worker.js": `${job}export default { fetch: async () => new Response(await job()) };` });
	const worker = await startWorker({ main: join(cwd, "worker.js"), packages: { "mcp-duet": installed() } });
	try {
		const ask = async () => (await fetch(worker.url, { signal: AbortSignal.timeout(30_000) })).text();
		assert.deepEqual(await Promise.all([ask(), ask()]), ["INVALID_RESULT", "INVALID_RESULT"]);
		assert.equal(await ask(), "INVALID_RESULT");
	} finally {
		await worker.stop();
	}
});
