// The server that clients are measured against: a `fetch` that answers from ready bytes. Only the id (and
// the progress token) is written per call, into a gap of fixed width, so that it costs next to nothing.

import { LEGACY, length, MODERN, random, SERVER_INFO, text, tools } from "./fixtures.mjs";

const encoder = new TextEncoder();
/** Blanks around a number are legal JSON. */
const GAP = "        0 ";
const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };

/** @typedef {import("./fixtures.mjs").Era} Era */

/** @param {Era} era @param {boolean} [cacheable] */
function stamp(era, cacheable = false) {
	if (era === "legacy") return {};
	const _meta = { "io.modelcontextprotocol/serverInfo": SERVER_INFO };
	return { resultType: "complete", ...(cacheable ? { ttlMs: 0, cacheScope: "private" } : {}), _meta };
}

/** @param {number} count about 140 bytes of JSON each */
function records(count) {
	const next = random(7);
	return Array.from({ length: count }, (_, id) => ({
		id,
		name: `record ${id}`,
		score: Math.round(next() * 1e4) / 100,
		tags: ["alpha", "beta"],
		active: id % 3 === 0,
		note: text(40),
	}));
}

/** @param {string} what @param {Era} era */
function result(what, era) {
	const [kind, size] = what.split(":");
	if (kind === "list") return { tools: tools(Number(size)), ...stamp(era, true) };
	if (kind === "items") {
		const items = records(Number(size));
		return { content: [{ type: "text", text: `${size} records` }], structuredContent: { items }, ...stamp(era) };
	}
	return { content: [{ type: "text", text: text(length(size), kind === "utf8") }], ...stamp(era) };
}

/** @param {unknown} value @param {boolean} stream */
function withGap(value, stream) {
	const json = `{"jsonrpc":"2.0","id":${GAP},"result":${JSON.stringify(value)}}`;
	const whole = stream ? `event: message\nid: 1\ndata: ${json}\n\n` : json;
	const bytes = encoder.encode(whole);
	const at = whole.indexOf(GAP);
	/** @param {unknown} id */
	return (id) => {
		const digits = JSON.stringify(id).padStart(GAP.length - 1, " ");
		for (let i = 0; i < digits.length; i++) bytes[at + i] = digits.charCodeAt(i);
		return bytes;
	};
}

/**
 * @param {Uint8Array} bytes
 * @param {number} mean
 * @param {boolean} [atRandom] pieces of 1 to twice the mean instead of equal ones
 */
export function pieces(bytes, mean, atRandom = false) {
	const next = random(3);
	const out = [];
	for (let at = 0; at < bytes.length; at += out[out.length - 1].length) {
		out.push(bytes.slice(at, at + (atRandom ? 1 + Math.floor(next() * 2 * mean) : mean)));
	}
	return out;
}

/** @param {Uint8Array[]} chunks */
function streamed(chunks) {
	let next = 0;
	return new ReadableStream(
		{
			pull(controller) {
				if (next < chunks.length) controller.enqueue(chunks[next++]);
				else controller.close();
			},
		},
		{ highWaterMark: 0 },
	);
}

/** @param {number} count @param {unknown} id @param {unknown} token @param {Era} era */
function progress(count, id, token, era) {
	let out = "";
	for (let n = 1; n <= count; n++) {
		const params = `{"progressToken":${JSON.stringify(token)},"progress":${n},"total":${count},"message":"step ${n} — done"}`;
		out += `event: message\nid: e${n}\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":${params}}\n\n`;
	}
	out += `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: result("text:100", era) })}\n\n`;
	return pieces(encoder.encode(out), 2048, true);
}

/**
 * @param {object} options
 * @param {Era} options.era
 * @param {string} options.what `text:SIZE`, `utf8:SIZE`, `items:N`, `progress:N` for calls, `list:N` for lists
 * @param {boolean} options.stream answers to calls as events, in pieces of 16 KiB
 */
export function wire({ era, what, stream }) {
	const list = what.startsWith("list:");
	const steps = what.startsWith("progress:") ? Number(what.slice(9)) : 0;
	const main = steps ? undefined : withGap(result(what, era), stream && !list);
	const short = withGap(result("text:100", era), false);
	const one = withGap(result("list:1", era), false);
	/** `leave` is called right before the answer to a call is given. */
	const state = { calls: 0, leave: () => {} };

	/** @param {any} input @param {any} init */
	async function fetch(input, init) {
		const method = init?.method ?? input?.method ?? "GET";
		if (method === "GET") return new Response(null, { status: 405 });
		if (method === "DELETE") return new Response(null, { status: 200 });
		let body = init?.body ?? (await input.text());
		if (typeof body !== "string") body = new TextDecoder().decode(body);
		const message = JSON.parse(body);
		state.calls++;
		if (message.id === undefined) return new Response(null, { status: 202 });
		/** @param {object} answer @param {number} [status] */
		const say = (answer, status = 200) =>
			new Response(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }), { status, headers: JSON_TYPE });
		const unknown = { error: { code: -32601, message: "Method not found" } };
		switch (message.method) {
			case "server/discover":
				if (era === "legacy") return say(unknown);
				return say({
					result: {
						supportedVersions: [MODERN],
						capabilities: { tools: {} },
						serverInfo: SERVER_INFO,
						...stamp(era, true),
					},
				});
			case "initialize":
				if (era === "modern") return say(unknown, 404);
				return say({ result: { protocolVersion: LEGACY, capabilities: { tools: {} }, serverInfo: SERVER_INFO } });
			case "tools/list":
				return new Response((list && main ? main : one)(message.id), { headers: JSON_TYPE });
			case "tools/call": {
				if (list) return new Response(short(message.id), { headers: JSON_TYPE });
				if (main === undefined) {
					const chunks = progress(steps, message.id, message.params._meta?.progressToken, era);
					state.leave();
					return new Response(streamed(chunks), { headers: STREAM_TYPE });
				}
				const bytes = main(message.id);
				return stream
					? new Response(streamed(pieces(bytes, 16_384)), { headers: STREAM_TYPE })
					: new Response(bytes, { headers: JSON_TYPE });
			}
			default:
				return say({ result: {} });
		}
	}
	return { fetch, state };
}
