// Names and arguments that no header can carry as they are, through the Fetch API's own Headers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Server } from "mcp-duet";

/**
 * A client whose server answers what the request says.
 * @param {any[]} tools
 * @param {{ onError?: (error: unknown) => void }} [options]
 */
function clientOf(tools, options) {
	/** @type {Headers[]} */
	const seen = [];
	const client = new Client({
		url: "http://localhost/mcp",
		fetch: async (url, init) => {
			// A Request takes only what a header may hold: it throws otherwise, or trims in silence.
			const request = new Request(url, init);
			seen.push(request.headers);
			const { id, method, params } = await request.json();
			const results = /** @type {Record<string, any>} */ ({
				"server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
				"tools/list": { tools },
				"tools/call": { content: [{ type: "text", text: params.name }] },
			});
			return Response.json({ jsonrpc: "2.0", id, result: results[method] });
		},
		...options,
	});
	return { client, seen };
}

test("CD-08: a name that a header would refuse, trim or decode is encoded for the header and sent as it is", async () => {
	const names = ["größe", "世界", " padded ", "a\tb", "line\nbreak", "=?base64?dGVzdA==?=", "🦀", "a b"];
	const { client, seen } = clientOf(names.map((name) => ({ name, inputSchema: { type: "object" } })));
	for (const name of names) {
		const { content } = await client.callTool(name, {});
		assert.deepEqual(content, [{ type: "text", text: name }]);
		const value = seen.at(-1)?.get("mcp-name") ?? "";
		const encoded = /^=\?base64\?([A-Za-z0-9+/]+=*)\?=$/.exec(value);
		assert.equal(encoded ? Buffer.from(encoded[1], "base64").toString() : value, name);
		assert.equal(encoded === null, name === "a b");
	}
	await client.close();
});

test("CD-08: a URI of 20 kB is mirrored whole", async () => {
	const uri = `test://${"界".repeat(2_000)}${"a".repeat(14_000)}`;
	const server = new Server({
		name: "long",
		version: "1.0.0",
		resources: [{ uri, name: "long", read: () => "all of it" }],
	});
	let value = "";
	const client = new Client({
		url: "http://localhost/mcp",
		fetch: (url, init) => {
			const request = new Request(url, init);
			value = request.headers.get("mcp-name") ?? "";
			return server.fetch(request);
		},
	});
	const { contents } = await client.readResource(uri);
	assert.equal(/** @type {any} */ (contents[0]).text, "all of it");
	assert.equal(Buffer.from(value.slice(9, -2), "base64").toString(), uri);
	await client.close();
});

test("CD-07: arguments are mirrored encoded, absent ones not at all, and an annotation that breaks the rules costs its tool only", async () => {
	const region = { type: "string", "x-mcp-header": "Region" };
	const inner = { type: "object", properties: { b: { type: "integer", "x-mcp-header": "Count" } } };
	/** @type {any} */
	const inputSchema = { type: "object", properties: { region, a: inner } };
	/** @type {any} */
	const evil = { type: "object", properties: { x: { type: "string", "x-mcp-header": "R\r\nEvil: 1" } } };
	const diagnostics = /** @type {string[]} */ ([]);
	const listed = [
		{ name: "good", inputSchema },
		{ name: "evil", inputSchema: evil },
	];
	const { client, seen } = clientOf(listed, { onError: (error) => diagnostics.push(String(error)) });
	const { tools } = await client.listTools();
	assert.deepEqual(
		tools.map(({ name }) => name),
		["good"],
	);
	assert.match(diagnostics.join("\n"), /evil .*HTTP token/);
	/** @type {[any, string | null, string | null][]} */
	const table = [
		[{ region: "Zürich", a: { b: 2 } }, "=?base64?WsO8cmljaA==?=", "2"],
		[{ region: " x " }, "=?base64?IHgg?=", null],
		[{ region: "=?base64?x?=" }, "=?base64?PT9iYXNlNjQ/eD89?=", null],
		[{ region: "", a: { b: null } }, "", null],
		[{ region: "a\nb" }, "=?base64?YQpi?=", null],
		[{}, null, null],
	];
	for (const [args, regionHeader, countHeader] of table) {
		await client.callTool("good", args);
		assert.equal(seen.at(-1)?.get("mcp-param-region"), regionHeader);
		assert.equal(seen.at(-1)?.get("mcp-param-count"), countHeader);
	}
	await assert.rejects(client.callTool("good", { a: { b: 2 ** 53 } }), { code: "INVALID_ARGUMENT" });
	await client.close();
});
