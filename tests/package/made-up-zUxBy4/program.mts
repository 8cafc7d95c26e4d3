declare const message: object;
declare const server: import("mcp-duet").Server;
import { Client } from "mcp-duet";
const handle = server.registerTool("fetch", { description: "Fetches", inputSchema: { type: "object" } }, () => "…");
handle.disable();
handle.update({ description: "Fetches again" });
server.prompt("greet")?.remove();
