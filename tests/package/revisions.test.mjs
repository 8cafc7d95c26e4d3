// A handler's result on its way to clients of older revisions: JavaScript keeps it, Rust looks through it where it must.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LATEST_PROTOCOL_VERSION, PROTOCOL_VERSIONS, Server } from "mcp-duet";

/** @type {import("mcp-duet").ContentBlock} */
const link = { type: "resource_link", name: "北京", uri: "test://a" };
/** @type {import("mcp-duet").ContentBlock} */
const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };

const server = new Server({
	name: "revisions",
	version: "1.0.0",
	tools: [
		{ name: "items", inputSchema: { type: "object" }, handler: () => [link, audio] },
		{
			name: "whole",
			inputSchema: { type: "object" },
			handler: () => ({ content: [link], structuredContent: { 和: 1 }, _meta: { "com.example/a": 1 } }),
		},
		{ name: "array", inputSchema: { type: "object" }, handler: () => ({ content: [], structuredContent: [1] }) },
	],
	prompts: [{ name: "p", get: () => [{ role: "user", content: audio }] }],
});

/**
 * @param {string} version
 * @param {string} method
 * @param {string} name
 */
async function result(version, method, name) {
	const modern = version === LATEST_PROTOCOL_VERSION;
	const _meta = modern
		? { "io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {} }
		: undefined;
	const response = await server.fetch(
		new Request("http://localhost/mcp", {
			method: "POST",
			headers: {
				"content-type": "application/json",
				accept: "application/json, text/event-stream",
				"mcp-protocol-version": version,
				...(modern ? { "mcp-method": method, "mcp-name": name } : {}),
			},
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { name, _meta } }),
		}),
	);
	assert.equal(response.status, 200);
	return (await response.json()).result;
}

for (const version of PROTOCOL_VERSIONS) {
	test(`a client of ${version} gets content that it can read`, async () => {
		const linkText = { type: "text", text: "北京: test://a" };
		const audioText = { type: "text", text: `[audio, audio/wav: not part of protocol version ${version}]` };
		const links = version >= "2025-06-18";
		const sounds = version >= "2025-03-26";

		const items = await result(version, "tools/call", "items");
		assert.deepEqual(items.content, [links ? link : linkText, sounds ? audio : audioText]);

		const whole = await result(version, "tools/call", "whole");
		assert.deepEqual(whole.content, [links ? link : linkText]);
		assert.deepEqual(whole.structuredContent, links ? { 和: 1 } : undefined);
		assert.equal(whole._meta["com.example/a"], 1);

		const array = await result(version, "tools/call", "array");
		assert.deepEqual(array.structuredContent, version === LATEST_PROTOCOL_VERSION ? [1] : undefined);

		const prompt = await result(version, "prompts/get", "p");
		assert.deepEqual(prompt.messages, [{ role: "user", content: sounds ? audio : audioText }]);
	});
}

test("a handler is told what its client's revision cannot be asked", async () => {
	const asking = new Server({
		name: "asking",
		version: "1.0.0",
		tools: [
			{
				name: "visit",
				inputSchema: { type: "object" },
				handler: async (_args, ctx) =>
					(await ctx.elicit({ mode: "url", message: "go", url: "https://a.test/" })).action,
			},
		],
	});
	const response = await asking.fetch(
		new Request("http://localhost/mcp", {
			method: "POST",
			headers: {
				"content-type": "application/json",
				accept: "application/json, text/event-stream",
				"mcp-protocol-version": "2025-06-18",
			},
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "visit" } }),
		}),
	);
	const text = await response.text();
	assert.match(text, /"isError":true/);
	assert.match(text, /protocol version 2025-06-18 has no elicitation by URL/);
	assert.doesNotMatch(text, /elicitation\/create/);
});
