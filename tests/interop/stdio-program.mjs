// Our server of these tests, or one of the SDK's, on standard input and output; the first argument says which.

import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { serveStdio as serveStdio2 } from "@modelcontextprotocol/server/stdio";
import { serveStdio } from "mcp-duet/node";
import { ourServer } from "./our-server.mjs";
import { furnish } from "./sdk-content.mjs";
import { Watch } from "./watch.mjs";

const which = process.argv[2] ?? "ours";
const instructions = "说明";
const watch = new Watch();
// Tests in other processes learn of it by standard error.
watch.started.then(() => process.stderr.write("started\n"));
watch.cancelled.then(() => process.stderr.write("cancelled\n"));

if (which === "sdk1") {
	furnish(new McpServer1({ name: "sdk1", version: "1.0.0" }, { instructions }), watch).connect(
		new StdioServerTransport(),
	);
} else if (which === "sdk2") {
	serveStdio2(() => furnish(new McpServer2({ name: "sdk2", version: "1.0.0" }, { instructions }), watch));
} else {
	const { closed } = serveStdio(ourServer({}, watch));
	console.log("a stray line of the program's own");
	process.stdout.write("and another one\n");
	closed.then(() => process.stderr.write("closed\n"));
}
