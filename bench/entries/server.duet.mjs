import { Server } from "mcp-duet/server";

const server = new Server({
	name: "bench-server",
	version: "1.0.0",
	tools: [
		{
			name: "echo",
			description: "Returns the text it was given",
			inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
			handler: ({ text }) => text,
		},
	],
});
export default { fetch: (/** @type {Request} */ request) => server.fetch(request) };
