// What a call carries for tracing, from a client through a server to its handler.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Server } from "mcp-duet";

for (const versionNegotiation of /** @type {const} */ (["auto", "legacy"])) {
	test(`trace context of a call reaches the handler as it is (${versionNegotiation})`, async () => {
		/** @type {any} */
		let seen;
		const server = new Server({
			...{ name: "traced", version: "1" },
			tools: [
				{
					...{ name: "t", inputSchema: { type: "object" } },
					handler: (_, { meta }) => {
						seen = meta;
						return "done";
					},
				},
			],
		});
		const client = new Client({
			url: "http://localhost/mcp",
			fetch: (url, init) => server.fetch(new Request(url, init)),
			versionNegotiation,
		});
		const trace = {
			traceparent: "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
			tracestate: "vendor=1,other=a:b",
			baggage: "user=Ada,city=%E5%8C%97%E4%BA%AC",
		};
		await client.request("tools/call", { name: "t", arguments: {}, _meta: trace });
		for (const [name, value] of Object.entries(trace)) assert.equal(seen[name], value, name);
		assert.equal(client.era, versionNegotiation === "legacy" ? "legacy" : "modern");
		await client.close();
	});
}
