// No SDK: the least JavaScript that answers rightly. No validation, no negotiation, no errors.

import { MODERN } from "../fixtures.mjs";

/** @param {{ tools: any[], era: string }} options */
export async function server({ tools, era }) {
	const complete = era === "modern" ? { resultType: "complete" } : {};
	const list = { tools, ...complete, ...(era === "modern" ? { ttlMs: 0, cacheScope: "private" } : {}) };
	/** @param {string} text */
	const answer = (text) => {
		const { id, method, params } = JSON.parse(text);
		const call = () => ({ content: [{ type: "text", text: params.arguments.text }], ...complete });
		return JSON.stringify({ jsonrpc: "2.0", id, result: method === "tools/call" ? call() : list });
	};
	const headers = { "content-type": "application/json" };
	return {
		/** @param {Request} request */
		fetch: async (request) => new Response(answer(await request.text()), { headers }),
		message: answer,
	};
}

/** @param {{ url: string, fetch: any, era: string }} options */
export async function client({ url, fetch, era }) {
	const meta =
		era === "modern"
			? {
					"io.modelcontextprotocol/protocolVersion": MODERN,
					"io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
					"io.modelcontextprotocol/clientCapabilities": {},
				}
			: {};
	const accept = "application/json, text/event-stream";
	let last = 0;
	/** @param {string} method @param {object} params @param {any} [onProgress] */
	async function ask(method, params, onProgress) {
		const id = ++last;
		const _meta = onProgress ? { ...meta, progressToken: id } : meta;
		const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
		const headers = { "content-type": "application/json", accept, "mcp-method": method };
		const response = await fetch(url, { method: "POST", headers, body });
		if (response.headers.get("content-type") === "application/json") return (await response.json()).result;
		const decoder = new TextDecoder();
		let result;
		let rest = "";
		for await (const chunk of response.body) {
			const events = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
			rest = events.pop() ?? "";
			for (const event of events) {
				const message = JSON.parse(event.slice(event.indexOf("data: ") + 6));
				if (message.id === id) result = message.result;
				else onProgress?.(message.params);
			}
		}
		return result;
	}
	return {
		/** @param {any} [onProgress] */
		call: (onProgress) => ask("tools/call", { name: "echo", arguments: { text: "x" } }, onProgress),
		list: () => ask("tools/list", {}),
	};
}
