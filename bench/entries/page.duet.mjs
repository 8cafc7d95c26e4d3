import { init } from "mcp-duet/client";

// esbuild, alone among the bundlers, leaves the file where it is; the others write this address themselves.
init(new URL("./wasm/client_first.wasm", import.meta.url));

export { main } from "./client.duet.mjs";
