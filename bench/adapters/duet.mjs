// mcp-duet, as it comes out of the tarball.

import { Client } from "mcp-duet/client";
import { Server } from "mcp-duet/server";
import { CLIENT_INFO, SERVER_INFO } from "../fixtures.mjs";

/** @param {{ tools: any[] }} options */
export async function server({ tools }) {
	/** @param {any} args */
	const handler = (args) => ({ content: [{ type: "text", text: args.text }] });
	const server = new Server({ ...SERVER_INFO, tools: tools.map((tool) => ({ ...tool, handler })) });
	await server.ready;
	return {
		/** @param {Request} request */
		fetch: (request) => server.fetch(request),
		/** @param {string} message */
		message: (message) => server.handleMessage(message),
	};
}

/** @param {{ url: string, fetch: any, era: string }} options */
export async function client({ url, fetch, era }) {
	const client = new Client({
		url,
		fetch,
		clientInfo: CLIENT_INFO,
		versionNegotiation: era === "modern" ? "auto" : "legacy",
	});
	await client.connect();
	if (client.era !== era) throw new Error(`expected the ${era} era, came out with ${client.era}`);
	return {
		/** @param {any} [onProgress] */
		call: (onProgress) => client.callTool("echo", { text: "x" }, { onProgress }),
		list: () => client.listTools(),
	};
}
