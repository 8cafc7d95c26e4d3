// Clients of the official TypeScript SDK, both generations, behind one face.

import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const info = { name: "peer", version: "1.0.0" };

/** @typedef {"1.32" | "2.4"} Generation */
/** @typedef {"legacy" | "auto" | { pin: string }} Mode */

/**
 * A connected client, and its `callTool` in the form that both share here.
 * @param {Generation} generation
 * @param {string} url
 * @param {Mode} [mode] how the second generation finds the era
 */
export async function connected(generation, url, mode = "auto") {
	const address = new URL(url);
	/** @type {any} */
	const client = generation === "1.32" ? new Client1(info) : new Client2(info, { versionNegotiation: { mode } });
	await client.connect(generation === "1.32" ? new Transport1(address) : new Transport2(address));
	/** @type {(name: string, args?: unknown, options?: { onprogress?: (report: unknown) => void, signal?: AbortSignal }) => Promise<any>} */
	const call = (name, args = {}, options = {}) => {
		const request = { name, arguments: args };
		return generation === "1.32" ? client.callTool(request, undefined, options) : client.callTool(request, options);
	};
	return { client, call };
}
