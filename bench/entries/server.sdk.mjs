import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/v4";

const inputSchema = z.object({ text: z.string() });
export default createMcpHandler(() => {
	const server = new McpServer({ name: "bench-server", version: "1.0.0" });
	const config = { description: "Returns the text it was given", inputSchema };
	server.registerTool("echo", config, async ({ text }) => ({ content: [{ type: "text", text }] }));
	return server;
});
