// Arguments inferred from schema libraries, through the interface that they share.

import type { StandardSchema } from "mcp-duet/server";
import { Server } from "mcp-duet/server";

declare const schema: StandardSchema<{ n?: number }, { n: number }>;

new Server({
	name: "a",
	version: "1",
	tools: [
		{ name: "t", inputSchema: schema, handler: ({ n }) => n.toFixed() },
		// @ts-expect-error not in the schema
		{ name: "u", inputSchema: schema, handler: ({ m }) => m },
	],
});
