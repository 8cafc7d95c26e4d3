// A server of ours on its pipes whose list of tools grows by one with each call.

import { serveStdio } from "mcp-duet/node";
import { Server } from "mcp-duet/server";

let count = 0;
const inputSchema = /** @type {const} */ ({ type: "object" });
const server = new Server({
	name: "growing",
	version: "1",
	capabilities: { tools: { listChanged: true } },
	tools: [
		{
			name: "grow",
			inputSchema,
			handler: () => {
				server.registerTool(`tool-${++count}`, { inputSchema }, () => "");
				return "grown";
			},
		},
	],
});
serveStdio(server);
