// The client's transcripts through the package: a scripted fetch, or a transport function,
// instead of the core's own driver. The format: tests/client-transcripts/README.md.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Client } from "mcp-duet";

const folder = new URL("../client-transcripts/", import.meta.url);
const encoder = new TextEncoder();

/** @param {any} value a text as it is, anything else as JSON */
const bytesOf = (value) => encoder.encode(typeof value === "string" ? value : JSON.stringify(value));

/**
 * Whether `value` has everything that `expected` has.
 * @param {any} value
 * @param {any} expected
 * @param {string} [key]
 * @returns {boolean}
 */
function has(value, expected, key) {
	if (value === undefined) return expected === null;
	if (key === "message") return String(value).includes(expected);
	if (expected !== null && typeof expected === "object" && !Array.isArray(expected)) {
		return Object.entries(expected).every(([key, expected]) => has(value?.[key], expected, key));
	}
	try {
		assert.deepEqual(value, expected);
		return true;
	} catch {
		return false;
	}
}

/** @param {any} error */
const errorValue = (error) => ({
	code: error.code,
	message: error.message,
	rpcCode: error.rpcCode ?? error.rpcError?.code,
	data: error.data ?? error.rpcError?.data,
	status: error.status,
	body: error.body,
	retryable: error.retryable,
});

/**
 * Replays one transcript.
 * @param {any} transcript
 * @param {"as written" | "bytes"} cut
 */
async function replay(transcript, cut) {
	/** @type {any[]} */
	const script = [...transcript.server];
	const events = /** @type {any[]} */ ([]);
	const acknowledged = /** @type {any[]} */ ([]);
	/** @param {any[]} event */
	const hear = (event) => {
		events.push(event);
		abortDue();
	};
	const abortDue = () => {
		for (const { requests, events: heard, abort } of aborts) {
			// What was granted is told by a promise here, but it is an event all the same.
			if (requests <= asked && heard <= events.length + acknowledged.length) setImmediate(() => abort.abort("aborted"));
		}
	};
	const problems = /** @type {any[]} */ ([]);
	let asked = 0;
	/** @type {Array<{ requests: number, events: number, abort: AbortController }>} */
	const aborts = [];

	/** What is said over the stream that is open. @type {ReadableStreamDefaultController | undefined} */
	let open;

	/** @param {string} verb @param {string} url @param {Record<string, string>} headers @param {string} text */
	const next = (verb, url, headers, text) => {
		asked++;
		const { expect = {}, answer } = script.shift() ?? {};
		const sent = `request ${asked}: ${verb} ${text}`;
		if (!answer) problems.push(`${sent}: not expected`);
		if (expect.verb && expect.verb !== verb) problems.push(`${sent}: expected ${expect.verb}`);
		if (expect.url && expect.url !== url) problems.push(`${sent}: expected ${expect.url}, not ${url}`);
		if (expect.body && !has(text ? JSON.parse(text) : undefined, expect.body)) {
			problems.push(`${sent}: expected ${JSON.stringify(expect.body)}`);
		}
		const seen = new Headers(headers);
		for (const [name, value] of Object.entries(expect.headers ?? {})) {
			if (seen.get(name) !== value) problems.push(`${sent}: header ${name}: ${seen.get(name)}`);
		}
		abortDue();
		return answer ?? { status: 500 };
	};

	/** @param {string} url @param {any} init */
	const fetch = async (url, { method, headers, body, signal }) => {
		const answer = next(method, url, headers, body ?? "");
		if (answer.networkError) throw new TypeError(answer.networkError);
		if (answer.silence) {
			return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
		}
		const sent = new Headers(answer.headers);
		let chunks = /** @type {Uint8Array[]} */ ([]);
		if (answer.events) {
			sent.set("content-type", "text/event-stream");
			chunks = answer.events.map((/** @type {any} */ event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
		} else if (answer.chunks) {
			chunks = answer.chunks.map((/** @type {any} */ chunk) =>
				Array.isArray(chunk) ? Uint8Array.from(chunk) : bytesOf(chunk),
			);
		} else if (answer.body !== undefined) {
			if (!sent.has("content-type") && typeof answer.body !== "string") sent.set("content-type", "application/json");
			chunks = [bytesOf(answer.body)];
		}
		if (cut === "bytes") chunks = chunks.flatMap((chunk) => Array.from(chunk, (byte) => Uint8Array.of(byte)));
		const status = answer.status ?? 200;
		const hasBody = ![204, 205, 304].includes(status);
		const said = (answer.then ?? []).map((/** @type {any} */ event) =>
			encoder.encode(`data: ${JSON.stringify(event)}\n\n`),
		);
		for (const event of said) {
			const pieces = cut === "bytes" ? Array.from(event, (byte) => Uint8Array.of(byte)) : [event];
			for (const piece of pieces) open?.enqueue(piece);
		}
		if (answer.thenEnd) open?.close();
		const stream = new ReadableStream({
			start(controller) {
				if (answer.end === "open") open = controller;
			},
			pull(controller) {
				const chunk = chunks.shift();
				if (chunk) controller.enqueue(chunk);
				else if (answer.end === "break") controller.error(new TypeError("broken"));
				else if (answer.end !== "open") controller.close();
			},
		});
		return new Response(hasBody ? stream : null, { status, headers: sent });
	};

	/** @param {any} message @param {any} context */
	const transport = async (message, { signal, onMessage }) => {
		const answer = next("MESSAGE", "", {}, JSON.stringify(message));
		if (answer.networkError) throw new Error(answer.networkError);
		if (answer.silence) {
			return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
		}
		for (const one of answer.messages.slice(0, -1)) onMessage(one);
		return answer.messages.at(-1);
	};

	const { kind, listens = false, caching, ...options } = transcript.options ?? {};
	const client = new Client({
		...options,
		listen: listens,
		cache: caching !== undefined,
		...(kind === "pipe" ? { transport } : { url: "http://127.0.0.1/mcp", fetch }),
		onNotification: (/** @type {any} */ { method, params }) => hear(["notification", method, params ?? null]),
		onError: (/** @type {any} */ error) => hear(["diagnostic", error.code]),
		handlers: Object.fromEntries(
			Object.entries(transcript.handlers ?? {}).map(([method, answer]) => [
				method,
				(/** @type {any} */ params) => {
					hear(["request", method, params ?? null]);
					if (answer.throw) throw new Error(answer.throw);
					return answer;
				},
			]),
		),
	});

	/** @param {any} action */
	const start = async (action) => {
		if (action.connect) {
			const prior = action.prior && { endpoint: kind === "pipe" ? undefined : "http://127.0.0.1/mcp", ...action.prior };
			await client.connect({ prior });
			return { era: client.era, protocolVersion: client.protocolVersion };
		}
		if (action.close) return client.close();
		if (action.notify) return client.notify(action.notify, action.params);
		const { progress, ...given } = action.options ?? {};
		const options = { ...given };
		if (progress) options.onProgress = (/** @type {any} */ progress) => hear(["progress", progress]);
		const { abortAfterRequests, abortAfterEvents } = action;
		if (abortAfterRequests || abortAfterEvents) {
			const abort = new AbortController();
			aborts.push({ requests: abortAfterRequests ?? 0, events: abortAfterEvents ?? 0, abort });
			options.signal = abort.signal;
		}
		if (action.subscribe) {
			const subscription = await client.subscribe(action.subscribe, {
				...options,
				onNotification: (/** @type {any} */ { method, params }) => hear(["told", method, params ?? null]),
				onRefresh: () => hear(["refresh"]),
			});
			acknowledged.push(["acknowledged", subscription.notifications]);
			abortDue();
			return (await subscription.closed) === "local" ? "aborted" : {};
		}
		if (action.list) {
			const walks = {
				"tools/list": "listTools",
				"resources/list": "listResources",
				"prompts/list": "listPrompts",
			};
			return /** @type {any} */ (client)[/** @type {any} */ (walks)[action.list]](options);
		}
		const { name, arguments: args, ...others } = action.params ?? {};
		// request() hands results back as they are; callTool() gives what they ask for.
		if (action.call === "tools/call" && !given.manual && Object.keys(others).length === 0) {
			return client.callTool(name, args, options);
		}
		return client.request(action.call, action.params, options);
	};

	const waiting = /** @type {Array<[any, Promise<any>]>} */ ([]);
	for (const action of transcript.client) {
		const outcome = start(action).then(
			(value) => ({ value }),
			(error) => ({ error }),
		);
		waiting.push([action, outcome]);
		if (action.together) continue;
		for (const [action, outcome] of waiting.splice(0)) {
			const { value, error } = /** @type {any} */ (await outcome);
			const said = JSON.stringify(action);
			if (action.error) {
				assert.ok(error !== undefined, `${said}: succeeded`);
				assert.ok(has(errorValue(error), action.error), `${said}: ${JSON.stringify(errorValue(error))}`);
			} else if (error === "aborted") assert.equal(action.result, "aborted", said);
			else if (error !== undefined) assert.fail(`${said}: ${error.stack ?? error}`);
			// What was walked over leaves out nextCursor, which JSON does not show.
			else if (action.result) assert.deepEqual(JSON.parse(JSON.stringify(value)), action.result, said);
		}
	}
	// Answers to the server, and notices of ours, may still be on their way.
	for (let turn = 0; turn < 50 && script.length > 0; turn++) await new Promise(setImmediate);
	await new Promise(setImmediate);
	assert.deepEqual(problems, []);
	assert.equal(script.length, 0, `the client did not ask for ${JSON.stringify(script)}`);
	const isGrant = (/** @type {any[]} */ [kind]) => kind === "acknowledged";
	const expected = /** @type {any[]} */ (transcript.events ?? []);
	assert.deepEqual(
		events,
		expected.filter((event) => !isGrant(event)),
	);
	assert.deepEqual(acknowledged, expected.filter(isGrant));
	if (transcript.settled) assert.equal(client.era, transcript.settled.era);
	if (!transcript.client.some((/** @type {any} */ action) => action.close)) {
		script.push({ answer: { status: 200 } });
		await client.close();
	}
}

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
	const transcripts = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
	for (const transcript of transcripts) {
		const limit = { timeout: 20_000 };
		test(`${file}: ${transcript.name}`, limit, () => replay(transcript, "as written"));
		if (transcript.options?.kind !== "pipe") {
			test(`${file}: ${transcript.name} (one byte at a time)`, limit, () => replay(transcript, "bytes"));
		}
	}
}
