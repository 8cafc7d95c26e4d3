// What exists only where there are processes: pipes, node:http, proxies.

export { HttpError, McpError, ProtocolError } from "../errors.js";
export { proxyFetch } from "./node-proxy.js";
export { serve } from "./node-serve.js";
export { serveStdio } from "./node-serve-stdio.js";
export { spawn } from "./node-spawn.js";
