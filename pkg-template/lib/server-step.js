// One message through the core: the step that it asks for. src/js/server.rs is the other half.

import { completed } from "./core.js";
import { Call } from "./server-call.js";
import { consult } from "./server-caller.js";
import { BEGIN, BEYOND, constant, HEAD, part, REPLY, replied, TAKES_TEXT, TOOL } from "./server-parts.js";

/** @typedef {import("./server-parts.js").Answer} Answer */
/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */

// What a step is, beside REPLY.
const CONSTANT = 2;
export const INVOKE = 3;
const BATCH = 4;
const ANSWER = 5;
const LISTEN = 6;
export const CONSULT = 7;
const NOTICE = 8;
export const SESSION = 9;
export const CANCEL = 10;

// Flags of a message.
export const STREAMS = 1;
const IN_BATCH = 2;

/** How many numbers an invocation has, apart from those of a long text. */
const NUMBERS = 20;

const encoder = new TextEncoder();

/** @type {Answer} */
const NO_ANSWER = { text: null, status: 202 };

/**
 * Runs one message, text or bytes; gives the answer or a promise of it.
 * @param {import("./server.js").Inside} inside
 * @param {Held} held
 * @param {string | Uint8Array} message
 * @param {Options} options
 * @param {number} flags
 * @returns {Answer | Promise<Answer>}
 */
export const run = (inside, held, message, options, flags) =>
	completed(() => attempt(inside, held, message, options, flags));

/**
 * @param {import("./server.js").Inside} inside
 * @param {Held} held
 * @param {string | Uint8Array} message
 * @param {Options} options
 * @param {number} flags
 * @returns {Answer | Promise<Answer>}
 */
function attempt(inside, held, message, options, flags) {
	const { live, core } = held;
	const { channel } = options;
	const bytes = channel && (typeof message === "string" ? encoder.encode(message) : message);
	let numbers = /** @type {number[] | undefined} */ (undefined);
	/** @type {string[] | undefined} */
	let strings;
	const step = live.call(() => {
		let step = 0;
		if (bytes === undefined) {
			const length = live.mailbox.write(message);
			step = core.handleMessage(length, typeof message === "string" ? message.length : 0, flags | TAKES_TEXT);
		} else {
			const head = live.mailbox.writeBoth(/** @type {any} */ (channel).session, bytes);
			step = core.handleInChannel(head + bytes.length, head, flags | TAKES_TEXT);
		}
		if (step !== 0) numbers = live.mailbox.numbers();
		strings = stringsOf(held, step, numbers);
		return step;
	});
	if (numbers === undefined) return NO_ANSWER;
	if (step === BEYOND) return inside.whole().then((whole) => run(inside, whole, message, options, flags));
	if (step === CONSULT) {
		return consult(inside, held, bytes ?? message, options, numbers, () => run(inside, held, message, options, flags));
	}
	return follow(inside, held, bytes ?? message, options, step, numbers, strings);
}

/**
 * The strings of a step, if it comes with any: a tool's frame is known already. With a long text among a tool's arguments
 * they are the JSON before and behind it, the name of its member, and the text.
 * @param {Held} held
 * @param {number} step
 * @param {number[] | undefined} numbers
 */
export function stringsOf({ live, core }, step, numbers) {
	if (step === INVOKE && numbers?.[0] === TOOL) {
		if (numbers.length === NUMBERS) return undefined;
		const strings = live.mailbox.strings();
		strings.push(live.mailbox.text(numbers, NUMBERS));
		core.compose(0, BEGIN, 0);
		return strings;
	}
	const has =
		step === REPLY || step === ANSWER || step === LISTEN || step === SESSION || step === CANCEL || step === INVOKE;
	return has ? live.mailbox.strings() : undefined;
}

/**
 * Does what a step asks for.
 * @param {import("./server.js").Inside} inside
 * @param {Held} held
 * @param {string | Uint8Array} message
 * @param {Options} options
 * @param {number} step
 * @param {number[]} numbers
 * @param {string[] | undefined} strings
 * @returns {Answer | Promise<Answer>}
 */
export function follow(inside, held, message, options, step, numbers, strings) {
	switch (step) {
		case REPLY:
			return replied(/** @type {string[]} */ (strings), numbers[0]);
		case CONSTANT: {
			const id = part(message, numbers[2], numbers[3]);
			return { text: `${HEAD}${id},"result":${constant(held, numbers[1])}}`, status: numbers[0] };
		}
		case INVOKE:
			return new Call(inside, held, message, options, numbers, strings).start();
		case LISTEN: {
			const send = /** @type {(text: string) => void} */ (options.send);
			const texts = /** @type {string[]} */ (strings);
			const ended = inside.subscriptions.listen(send, options.signal, texts, numbers[0] === 1);
			return ended.then((text) => ({ text, status: 200 }));
		}
		case ANSWER: {
			const [id, outcome] = /** @type {string[]} */ (strings).map((text) => JSON.parse(text));
			const { session } = options;
			const ok = numbers[0] === 1;
			if (!inside.waiting.settle(id, session, ok, outcome) && session !== undefined) {
				// Who asked may be in another isolate.
				const told = inside.subscriptions.publish({ type: "session_answer", session, id, ok, outcome });
				if (told instanceof Promise) return told.then(() => NO_ANSWER);
			}
			return NO_ANSWER;
		}
		case SESSION: {
			const [text, session] = /** @type {string[]} */ (strings);
			options.channel?.keep(session);
			return { text, status: numbers[0] };
		}
		case NOTICE: {
			const [index, start, end] = numbers;
			const params = end === 0 ? undefined : JSON.parse(part(message, start, end));
			// Nobody hears of its end, and nothing waits for it.
			const { authInfo, env, headers, waitUntil } = options;
			const done = (async () => held.notifications[index](params, { authInfo, env, headers }))().catch(() => {});
			waitUntil?.(done);
			return NO_ANSWER;
		}
		case BATCH:
			return batch(inside, held, message, options, numbers);
		default:
			return NO_ANSWER;
	}
}

/**
 * @param {import("./server.js").Inside} inside
 * @param {Held} held
 * @param {string | Uint8Array} message
 * @param {Options} options
 * @param {number[]} spans
 * @returns {Promise<Answer>}
 */
async function batch(inside, held, message, options, spans) {
	const flags = IN_BATCH | (options.send ? STREAMS : 0);
	const running = [];
	for (let i = 0; i < spans.length; i += 2) {
		const [start, end] = [spans[i], spans[i + 1]];
		running.push(
			options.element && typeof message !== "string"
				? options.element(inside, held, message.subarray(start, end), flags)
				: run(inside, held, part(message, start, end), options, flags),
		);
	}
	const replies = (await Promise.all(running)).filter((answer) => answer.text !== null);
	return replies.length === 0
		? NO_ANSWER
		: { text: `[${replies.map((answer) => answer.text).join(",")}]`, status: 200 };
}
