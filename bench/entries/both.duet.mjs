import { Client, Server } from "mcp-duet";

export { Client, Server };
