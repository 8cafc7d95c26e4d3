// Clients of the official TypeScript SDK, both generations, behind one face.

import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
	CreateMessageRequestSchema,
	ElicitRequestSchema,
	ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const info = { name: "peer", version: "1.0.0" };

/** @typedef {"1.32" | "2.4"} Generation */
/** @typedef {"legacy" | "auto" | { pin: string }} Mode */

/** What a person, a model and a file system would answer. @type {Record<string, (request: any) => any>} */
const ANSWERS = {
	"elicitation/create": ({ params }) =>
		params.message === "哪个城市？" ? { action: "accept", content: { city: "北京" } } : { action: "decline" },
	"sampling/createMessage": () => ({ role: "assistant", model: "none", content: { type: "text", text: "东京" } }),
	"roots/list": () => ({ roots: [{ uri: "file:///根" }] }),
};
/** How the first generation names the methods. @type {Record<string, any>} */
const SCHEMAS = {
	"elicitation/create": ElicitRequestSchema,
	"sampling/createMessage": CreateMessageRequestSchema,
	"roots/list": ListRootsRequestSchema,
};
const capabilities = { elicitation: {}, sampling: {}, roots: {} };

/**
 * A connected client, and its `callTool` in the form that both share here.
 * @param {Generation} generation
 * @param {string | import("mcp-duet").MessageTransport} place its URL, or a transport
 * @param {Mode} [mode] how the second generation finds the era
 */
export async function connected(generation, place, mode = "auto") {
	/** @type {any} */
	const client =
		generation === "1.32"
			? new Client1(info, { capabilities })
			: new Client2(info, { capabilities, versionNegotiation: { mode } });
	for (const [method, answer] of Object.entries(ANSWERS)) {
		client.setRequestHandler(generation === "1.32" ? SCHEMAS[method] : method, answer);
	}
	const Http = generation === "1.32" ? Transport1 : Transport2;
	await client.connect(typeof place === "string" ? new Http(new URL(place)) : place);
	/** @type {(name: string, args?: unknown, options?: { onprogress?: (report: unknown) => void, signal?: AbortSignal }) => Promise<any>} */
	const call = (name, args = {}, options = {}) => {
		const request = { name, arguments: args };
		return generation === "1.32" ? client.callTool(request, undefined, options) : client.callTool(request, options);
	};
	return { client, call };
}
