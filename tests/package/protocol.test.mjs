// The plain functions of mcp-duet/protocol.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import {
	eraOf,
	isInputRequired,
	LATEST_PROTOCOL_VERSION,
	META_CLIENT_CAPABILITIES,
	META_CLIENT_INFO,
	META_PROTOCOL_VERSION,
	protocolVersionOf,
	request,
} from "mcp-duet/protocol";
import { Server } from "mcp-duet/server";
import { variants } from "../../scripts/build/variants.mjs";

const not = [undefined, null, 0, 1, "", "x", true, [], {}, () => {}];

test("a result asks for input if its type says so", () => {
	assert.equal(isInputRequired({ resultType: "input_required" }), true);
	for (const value of [...not, { resultType: "complete" }, { resultType: ["input_required"] }]) {
		assert.equal(isInputRequired(value), false);
	}
});

test("the version of a message is what it states itself", () => {
	const modern = { method: "tools/list", params: { _meta: { [META_PROTOCOL_VERSION]: "2026-07-28" } } };
	assert.equal(protocolVersionOf(modern), "2026-07-28");
	const initialize = { method: "initialize", params: { protocolVersion: "2025-11-25" } };
	assert.equal(protocolVersionOf(initialize), "2025-11-25");
	const silent = [
		...not,
		{ method: "tools/list" },
		{ method: "tools/list", params: { protocolVersion: "2025-11-25" } },
		{ method: "tools/list", params: null },
		{ method: "tools/list", params: { _meta: null } },
		{ method: "initialize", params: { protocolVersion: 5 } },
		{ result: { protocolVersion: "2025-11-25" } },
	];
	for (const message of silent) assert.equal(protocolVersionOf(message), undefined);
});

test("the era follows from a version, or from the shape of a request", () => {
	/** @type {[unknown, string | undefined][]} */
	const table = [
		["2026-07-28", "modern"],
		["2027-01-01", "modern"],
		["2025-11-25", "legacy"],
		["2024-11-05", "legacy"],
		["draft", undefined],
		["2026-7-28", undefined],
		[{ id: 1, method: "tools/list" }, "legacy"],
		[{ id: 1, method: "initialize", params: {} }, "legacy"],
		[{ id: 1, method: "server/discover" }, "modern"],
		[{ id: 1, method: "subscriptions/listen" }, "modern"],
		[{ id: 1, method: "tools/list", params: { _meta: { [META_CLIENT_INFO]: null } } }, "modern"],
		[{ id: 1, method: "tools/list", params: { _meta: { progressToken: 1 } } }, "legacy"],
		[{ method: "notifications/cancelled", params: { requestId: 1 } }, undefined],
		[{ method: "notifications/x", params: { _meta: { [META_PROTOCOL_VERSION]: "2026-07-28" } } }, "modern"],
		[{ id: 1, result: {} }, undefined],
		...not.map((value) => /** @type {[unknown, undefined]} */ ([value, undefined])),
	];
	for (const [value, era] of table) assert.equal(eraOf(value), era, JSON.stringify(value));
});

test("a modern request states who sends it, and keeps what the caller has in _meta", async () => {
	const sender = { id: 1, clientInfo: { name: "c", version: "1" }, capabilities: { sampling: {} } };
	const message = request(
		"tools/list",
		{ cursor: "a", _meta: { traceparent: "00-a", [META_CLIENT_INFO]: null } },
		sender,
	);
	assert.deepEqual(message, {
		jsonrpc: "2.0",
		id: 1,
		method: "tools/list",
		params: {
			cursor: "a",
			_meta: {
				[META_PROTOCOL_VERSION]: LATEST_PROTOCOL_VERSION,
				[META_CLIENT_INFO]: null,
				[META_CLIENT_CAPABILITIES]: { sampling: {} },
				traceparent: "00-a",
			},
		},
	});
	assert.equal(eraOf(request("server/discover", undefined, { id: "a", protocolVersion: "2099-01-01" })), "modern");
	const server = new Server({
		name: "s",
		version: "1",
		tools: [{ name: "t", inputSchema: { type: "object" }, handler: () => "" }],
	});
	const reply = await server.handleMessage(request("tools/list", {}, sender));
	assert.equal(/** @type {any} */ (reply).result.tools[0].name, "t");
});

test("the typed model of the Rust crate is in no wasm", () => {
	const folder = join(dirname(createRequire(import.meta.url).resolve("mcp-duet/package.json")), "wasm");
	const files = readdirSync(folder).filter((name) => name.endsWith("_bg.wasm"));
	assert.deepEqual(files.sort(), variants.map(({ name }) => `${name}_bg.wasm`).sort());
	/** @type {Record<string, string>} */
	const names = { auth: "code_challenge", schema: "additionalProperties", toolset: "mcpServers" };
	for (const file of files) {
		const wasm = readFileSync(join(folder, file));
		// What every failure of the model says; and, so that the search itself is known to work, a name on the wire.
		assert.equal(wasm.includes("does not fit the model"), false, file);
		assert.equal(wasm.includes(names[file.split("_")[0]] ?? "tools/call"), true, file);
	}
});
