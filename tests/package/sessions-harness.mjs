// A legacy client's requests to a server with sessions, one by one.

import assert from "node:assert/strict";

export const LATEST = "2025-11-25";

/**
 * Reads a stream's events one by one.
 * @param {Response} response
 */
export function eventsOf(response) {
	assert.equal(response.headers.get("content-type"), "text/event-stream", `${response.status}`);
	const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
	const decoder = new TextDecoder();
	let text = "";
	return {
		/** @returns {Promise<{ id?: string, retry?: string, data?: any } | undefined>} undefined at the end */
		async next() {
			for (;;) {
				const end = text.indexOf("\n\n");
				if (end < 0) {
					const { done, value } = await reader.read();
					if (done) return undefined;
					text += decoder.decode(value, { stream: true });
					continue;
				}
				const lines = text.slice(0, end).split("\n");
				text = text.slice(end + 2);
				/** @type {any} */
				const event = {};
				for (const line of lines) {
					const [, name, value] = /^(\w*): ?(.*)$/.exec(line) ?? [];
					if (name === "data") event.data = value === "" ? "" : JSON.parse(value);
					else if (name) event[name] = value;
				}
				if (Object.keys(event).length > 0) return event;
			}
		},
		cancel: () => reader.cancel(),
	};
}

/** A legacy client of a server's fetch. */
export class Legacy {
	/** @type {string | null} */
	session = null;
	/** The version that was agreed on; none before that. */
	version = "";
	/** What goes with each request. @type {any} */
	options;
	#id = 0;

	/**
	 * @param {(request: Request, options?: any) => Promise<Response>} fetch
	 * @param {any} [options]
	 */
	constructor(fetch, options) {
		this.fetch = fetch;
		this.options = options;
	}

	/** @param {string} method @param {any} message @param {Record<string, string>} [headers] */
	request(method, message, headers = {}) {
		const all = {
			accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
			...(message !== undefined && { "content-type": "application/json" }),
			...(this.session !== null && { "mcp-session-id": this.session }),
			"mcp-protocol-version": this.version,
			...headers,
		};
		const own = Object.entries(all).filter(([, value]) => value !== "");
		const body = message === undefined ? undefined : JSON.stringify(message);
		return this.fetch(
			new Request("http://localhost/mcp", { method, headers: Object.fromEntries(own), body }),
			this.options,
		);
	}

	/** @param {any} [params] */
	async open({ version = LATEST, capabilities = {}, ...more } = {}) {
		const clientInfo = { name: "legacy", version: "1" };
		const params = { protocolVersion: version, capabilities, clientInfo, ...more };
		const response = await this.request("POST", { jsonrpc: "2.0", id: "open", method: "initialize", params });
		this.session = response.headers.get("mcp-session-id");
		const reply = await response.json();
		this.version = reply.result.protocolVersion;
		await this.notify("notifications/initialized");
		return reply;
	}

	/** @param {string} method @param {any} [params] @param {Record<string, string>} [headers] @param {unknown} [id] */
	post(method, params, headers, id = ++this.#id) {
		return this.request("POST", { jsonrpc: "2.0", id, method, params }, headers);
	}

	/** The result of a request that is answered with JSON. @param {string} method @param {any} [params] */
	async ask(method, params) {
		const response = await this.post(method, params);
		const { result, error } = await response.json();
		return error ?? result;
	}

	/** @param {string} name @param {any} [args] @param {unknown} [id] @param {any} [_meta] */
	call(name, args = {}, id = ++this.#id, _meta = {}) {
		return this.post("tools/call", { name, arguments: args, _meta }, {}, id);
	}

	/** @param {string} method @param {any} [params] */
	notify(method, params) {
		return this.request("POST", { jsonrpc: "2.0", method, params });
	}

	/** @param {any} id @param {any} result */
	answer(id, result) {
		return this.request("POST", { jsonrpc: "2.0", id, result });
	}

	/** @param {string} [lastEventId] */
	async listen(lastEventId) {
		return this.request("GET", undefined, lastEventId ? { "last-event-id": lastEventId } : {});
	}

	end() {
		return this.request("DELETE", undefined);
	}
}

/** A store like one behind a network. */
export function remote() {
	/** @type {Map<string, string>} */
	const kept = new Map();
	const later = () => new Promise((resolve) => setImmediate(resolve));
	return {
		kept,
		get: async (/** @type {string} */ id) => {
			await later();
			return kept.get(id);
		},
		set: async (/** @type {string} */ id, /** @type {string} */ session) => {
			await later();
			kept.set(id, session);
		},
		delete: async (/** @type {string} */ id) => {
			await later();
			kept.delete(id);
		},
	};
}
