// What is asked and answered, built once, so that everyone sees the same bytes.

export const MODERN = "2026-07-28";
/** The newest revision without per-request metadata that every peer speaks. */
export const LEGACY = "2025-06-18";
export const SERVER_INFO = { name: "bench-server", version: "1.0.0" };
export const CLIENT_INFO = { name: "bench-client", version: "1.0.0" };
export const ADDRESS = "http://localhost/mcp";

/** @typedef {"modern" | "legacy"} Era */

/** The metadata of every modern request. */
const META = {
	"io.modelcontextprotocol/protocolVersion": MODERN,
	"io.modelcontextprotocol/clientInfo": CLIENT_INFO,
	"io.modelcontextprotocol/clientCapabilities": {},
};

/** Reproducible numbers from 0 to 1 (mulberry32). */
export function random(seed = 1) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

const WORDS =
	'records of a long voyage: "north by east", he wrote (in pencil) and underlined it twice; nothing else was legible'.split(
		" ",
	);
const FOREIGN = ["é", "—", "漢", "“"];

/**
 * Exactly `length` UTF-16 units that look like a tool's output: words, a newline about every 80
 * characters, some quotes, so that about 2 % of the characters need a JSON escape.
 * @param {number} length
 * @param {boolean} [foreign] with 3 % of non-ASCII characters, which V8 holds with two bytes each
 */
export function text(length, foreign = false) {
	const next = random(length);
	let out = "";
	let line = 0;
	while (out.length < length) {
		let word = WORDS[Math.floor(next() * WORDS.length)];
		if (foreign && next() < 0.15) word = word.slice(0, -1) + FOREIGN[Math.floor(next() * FOREIGN.length)];
		line += word.length + 1;
		out += word;
		if (line > 80) {
			out += "\n";
			line = 0;
		} else out += " ";
	}
	return out.slice(0, length);
}

/**
 * Tool definitions; the first gives back the text it is called with, the others are never called.
 * @param {number} count
 */
export const tools = (count) =>
	Array.from({ length: count }, (_, index) =>
		index === 0
			? {
					name: "echo",
					description: "Returns the text it was given",
					inputSchema: {
						type: "object",
						properties: { text: { type: "string", description: "The text to return" } },
						required: ["text"],
					},
				}
			: {
					name: `tool_${index}`,
					description: `Tool number ${index}: looks up records in collection ${index} and returns those that match`,
					inputSchema: {
						type: "object",
						properties: {
							query: { type: "string", description: "Text to look for in the records" },
							limit: { type: "number", description: "At most this many records" },
							mode: { type: "string", enum: ["exact", "prefix", "fuzzy"], description: "How to compare" },
						},
						required: ["query"],
					},
				},
	);

/**
 * @param {Era} era
 * @param {number | string} id
 * @param {string} method
 * @param {Record<string, unknown>} [params]
 */
export const request = (era, id, method, params = {}) => ({
	jsonrpc: "2.0",
	id,
	method,
	params: era === "modern" ? { ...params, _meta: META } : params,
});

/**
 * What a conforming client sends along.
 * @param {Era} era
 * @param {string} method
 * @param {string} [name]
 * @returns {Record<string, string>}
 */
export function headers(era, method, name) {
	const all = { "content-type": "application/json", accept: "application/json, text/event-stream" };
	if (era === "legacy") return { ...all, "mcp-protocol-version": LEGACY };
	const modern = { ...all, "mcp-protocol-version": MODERN, "mcp-method": method };
	return name ? { ...modern, "mcp-name": name } : modern;
}

/** @param {string} size "100", "64k", "1m", or a number of characters */
export const length = (size) => ({ "64k": 65_536, "1m": 1_048_576 })[size] ?? Number(size);

/** The message of an answer, which the SDK gives as an event in the legacy era. @param {string} answer */
const message = (answer) => JSON.parse(answer.startsWith("{") ? answer : answer.slice(answer.indexOf("data: ") + 6));

/**
 * One question to a server: `echo:SIZE`, `utf8:SIZE` (both `@TOOLS` registered tools) or `list:TOOLS`.
 * @param {string} what
 * @param {Era} era
 */
export function question(what, era) {
	const [verb, rest] = what.split(":");
	if (verb === "list") {
		const count = Number(rest);
		return {
			tools: count,
			headers: headers(era, "tools/list"),
			body: JSON.stringify(request(era, 1, "tools/list")),
			/** @param {string} answer */
			right: (answer) => message(answer).result.tools.length === count,
		};
	}
	const [size, registered = "1"] = rest.split("@");
	const sent = text(length(size), verb === "utf8");
	return {
		tools: Number(registered),
		headers: headers(era, "tools/call", "echo"),
		body: JSON.stringify(request(era, 1, "tools/call", { name: "echo", arguments: { text: sent } })),
		/** @param {string} answer */
		right: (answer) => message(answer).result.content[0].text === sent,
	};
}
