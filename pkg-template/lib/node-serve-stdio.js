// A server at the end of a pair of pipes, as a rule standard input and output: one line a message.

import { INTERNAL_ERROR, NOTIFICATION_CANCELLED } from "./constants.js";
import { Lines, MAX_LINE_BYTES, toLine } from "./node-lines.js";

/** How long handlers may go on after the end of the input, in milliseconds: what is nearly done is still answered. */
const DRAIN_MS = 1_000;

/**
 * @param {any} server
 * @param {any} [options]
 */
export function serveStdio(server, options = {}) {
	const { input = process.stdin, output = process.stdout, maxLineBytes = MAX_LINE_BYTES } = options;
	const { onError = (/** @type {any} */ error) => process.stderr.write(`${error?.message ?? error}\n`), ...more } =
		options;
	const given = { authInfo: more.authInfo, env: more.env };
	/** What is being answered, by the text of its id. @type {Map<string, AbortController>} */
	const running = new Map();
	/** @type {Set<Promise<void>>} */
	const work = new Set();
	const own = output.write.bind(output);
	// What others print would break the stream of messages.
	const guarded = output === process.stdout;
	if (guarded) process.stdout.write = process.stderr.write.bind(process.stderr);
	let isOpen = true;
	let isFull = false;
	/** @type {() => void} */
	let drained = () => {};

	/** The last write, after which all that came before it is out. @type {Promise<unknown>} */
	let written = Promise.resolve();

	/** @param {string} text */
	const write = (text) => {
		if (!isOpen) return;
		written = new Promise((resolve) => {
			if (!own(toLine(text), resolve)) isFull = true;
		});
	};
	const send = (/** @type {any} */ message) => write(typeof message === "string" ? message : JSON.stringify(message));

	/** What the server knows of the connection: a legacy client hears of changes. */
	const channel = server.channel?.(send);
	/** While the core loads, messages wait in their order. */
	const ready = server.ready?.catch(() => {});

	/** @param {string} line */
	const answer = async (line) => {
		const controller = new AbortController();
		/** @type {any} */
		let message;
		try {
			message = JSON.parse(line);
		} catch {
			// The server says what is wrong with it.
		}
		const id = message?.method !== undefined && message.id !== undefined ? JSON.stringify(message.id) : undefined;
		if (id !== undefined) running.set(id, controller);
		if (message?.method === NOTIFICATION_CANCELLED) {
			const { requestId, reason } = message.params ?? {};
			running.get(JSON.stringify(requestId))?.abort(new Error(reason ?? "the client has cancelled the request"));
		}
		try {
			await ready;
			const reply = await server.handleMessage(line, { ...given, send, signal: controller.signal, channel });
			if (reply !== null) write(reply);
		} catch (error) {
			onError(error);
			const text = error instanceof Error ? error.message : "Internal error";
			if (id !== undefined) send({ jsonrpc: "2.0", id: message.id, error: { code: INTERNAL_ERROR, message: text } });
		} finally {
			if (id !== undefined && running.get(id) === controller) running.delete(id);
		}
	};

	/** @param {string} line */
	const begin = (line) => {
		const one = answer(line).finally(() => work.delete(one));
		work.add(one);
	};

	const onDrain = () => {
		isFull = false;
		drained();
	};
	/** The reader has gone: nobody will be answered. @param {any} error */
	const onBroken = (error) => {
		isOpen = false;
		drained();
		input.destroy?.();
		if (error?.code !== "EPIPE") onError(error);
	};

	const read = async () => {
		const lines = new Lines(maxLineBytes);
		output.on("drain", onDrain);
		output.on("error", onBroken);
		try {
			for await (const bytes of input) {
				for (const line of lines.push(typeof bytes === "string" ? Buffer.from(bytes) : bytes)) {
					if (line === undefined) onError(new Error(`a line of more than ${maxLineBytes} bytes was dropped`));
					else begin(line);
				}
				// Whoever does not read the answers is not asked for more.
				if (isFull && isOpen) {
					await new Promise((resolve) => {
						drained = () => resolve(undefined);
					});
				}
			}
			const last = lines.finish();
			if (last) begin(last);
		} catch (error) {
			if (isOpen) onError(error);
		}
		await settle();
	};

	const settle = async () => {
		/** @type {NodeJS.Timeout | undefined} */
		let timer;
		const late = new Promise((resolve) => {
			timer = setTimeout(resolve, DRAIN_MS);
		});
		const done = Promise.allSettled(work).then(() => written);
		await Promise.race([done, late]);
		clearTimeout(timer);
		for (const controller of running.values()) controller.abort(new Error("the client has gone"));
		isOpen = false;
		channel?.close();
		output.off("drain", onDrain);
		output.off("error", onBroken);
		// A broken pipe may be told of late; nobody is left who minds.
		output.on("error", () => {});
		if (guarded) process.stdout.write = own;
	};

	const closed = read();
	return {
		closed,
		close: async () => {
			input.destroy();
			await closed;
		},
	};
}
