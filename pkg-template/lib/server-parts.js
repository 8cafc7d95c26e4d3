// What the steps of a message and the calls of its handlers share.

/** A step, and an answer of `settle`: the message to send is there. */
export const REPLY = 1;

/** A step: this core leaves out what the message needs. */
export const BEYOND = 11;

const { v8, bun } = /** @type {any} */ (globalThis).process?.versions ?? {};
/**
 * Whether the core reads and quotes long texts faster than the engine does: V8 before 13.8, as in Node.js up to 24, looks
 * at character after character.
 */
export const IS_QUICKER = bun === undefined && Number.parseFloat(v8) < 13.8;

/** A flag of a message: a long text among a tool's arguments may come by itself. */
export const TAKES_TEXT = IS_QUICKER ? 4 : 0;

/** Has `compose` let go of the last reply and begin a new one. */
export const BEGIN = 0;

/** A handler of a tool; src/js/server.rs has the numbers of the others. */
export const TOOL = 0;

/** How every reply with a result begins. */
export const HEAD = '{"jsonrpc":"2.0","id":';
const decoder = new TextDecoder();

/**
 * An instance's core with what was decoded of it.
 * @typedef {object} Held
 * @property {import("./core.js").Live} live
 * @property {boolean} isWhole whether it leaves nothing out
 * @property {any} core the `ServerCore`
 * @property {number} revision of the definition that it has read
 * @property {{ key: string, definition: any, run: (...args: any[]) => any }[][]} running the items by the core's numbers of their kinds and of themselves
 * @property {(params: any, context: any) => any} complete completes an argument
 * @property {((params: any, context: any) => any)[]} methods of the server's own
 * @property {((params: any, caller: Options) => any)[]} notifications of the server's own
 * @property {string[]} constants by key, decoded at the first use
 * @property {string[]} toolFrame what goes around a tool's text
 * @property {import("./server-http.js").Http} [http]
 */

/**
 * What the caller of a message offers.
 * @typedef {object} Options
 * @property {(message: any) => void} [send]
 * @property {AbortSignal} [signal]
 * @property {import("./server-channel.js").Channel} [channel] of the client whose own it is
 * @property {unknown} [authInfo]
 * @property {unknown} [env]
 * @property {(promise: Promise<unknown>) => void} [waitUntil]
 * @property {Headers} [headers]
 * @property {boolean} [isHttp]
 * @property {string} [session] the id of the message's session
 * @property {any} [client] what its session knows of the client: `clientInfo`, `capabilities`
 * @property {() => void} [closeStream] has the client come back for the rest
 * @property {(inside: import("./server.js").Inside, held: Held, element: Uint8Array, flags: number) => Answer | Promise<Answer>} [element] runs a message of a batch
 * @property {() => void} [onAsk] is told that the client is being asked
 */

/**
 * The reply, the HTTP status that goes with it, and `WWW-Authenticate` where the caller lacks a scope.
 * @typedef {{ text: string | null, bytes?: Uint8Array<ArrayBuffer>, status: number, challenge?: string }} Answer
 */

/** A reply that goes out as bytes, and is text to those who want to have that. */
export class Encoded {
	status = 200;

	/** @param {Uint8Array<ArrayBuffer>} bytes */
	constructor(bytes) {
		this.bytes = bytes;
	}

	get text() {
		return decoder.decode(this.bytes);
	}
}

/**
 * A reply of the core's.
 * @param {string[]} strings
 * @param {number} status
 * @returns {Answer}
 */
export function replied([text, challenge], status) {
	return challenge ? { text, status, challenge } : { text, status };
}

/** @param {Held} held @param {number} key */
export function constant(held, key) {
	let text = held.constants[key];
	if (text === undefined) {
		text = held.live.call(() => {
			held.core.constant(key);
			return held.live.mailbox.strings()[0];
		});
		held.constants[key] = text;
	}
	return text;
}

/**
 * @param {string | Uint8Array} message
 * @param {number} start
 * @param {number} end
 */
export function part(message, start, end) {
	return typeof message === "string" ? message.slice(start, end) : decoder.decode(message.subarray(start, end));
}

/** Bodies up to this many bytes are decoded once: each part that is decoded alone costs more than its length. */
const SMALL = 2048;

/** A valid message as text, where it is short and of one byte a unit. @param {Uint8Array} body */
export function inText(body) {
	if (body.length > SMALL) return body;
	const text = decoder.decode(body);
	return text.length === body.length ? text : body;
}
