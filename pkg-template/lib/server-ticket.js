// What a handler's call has of its message: the core's numbers and spans, and how the core is asked for what is rare.

import { completed } from "./core.js";
import { part, REPLY, TOOL } from "./server-parts.js";

/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */

// What `settle` is asked to do; src/js/server.rs has the same numbers.
export const SHAPE = 0;
export const FAILED = 1;
export const ERROR = 2;
const PROGRESS = 3;
const LOG = 4;
export const NOT_FOUND = 5;
export const READABLE = 6;
export const ASK = 7;
export const ITEMS = 8;

// The kinds of handlers, beside TOOL.
export const RESOURCE = 1;
export const TEMPLATE = 2;
export const PROMPT = 3;
export const COMPLETION = 4;
export const METHOD = 5;

/** A call of a handler, as far as its message goes. */
export class Ticket {
	/**
	 * @param {import("./server.js").Inside} inside
	 * @param {Held} held
	 * @param {string | Uint8Array} message
	 * @param {Options} options
	 * @param {number[]} numbers
	 * @param {string[] | undefined} strings
	 */
	constructor(inside, held, message, options, numbers, strings) {
		this.inside = inside;
		this.held = held;
		this.message = message;
		this.numbers = numbers;
		this.strings = strings;
		this.options = options;
	}

	get isResource() {
		const [kind] = this.numbers;
		return kind === RESOURCE || kind === TEMPLATE;
	}

	/** @param {number} at */
	text(at) {
		return /** @type {string[]} */ (this.strings)[at];
	}

	/** A span of the message as text. @param {number} at */
	span(at) {
		return part(this.message, this.numbers[at], this.numbers[at + 1]);
	}

	input() {
		if (this.numbers[8] === 0) return undefined;
		const { strings } = this;
		if (this.numbers[0] !== TOOL || strings === undefined) return JSON.parse(this.span(7));
		const [before, after, name, text] = strings;
		const input = JSON.parse(`${before}""${after}`);
		input[name] = text;
		return input;
	}

	/** @returns {any} */
	get meta() {
		return this.numbers[10] === 0 ? undefined : JSON.parse(this.span(9));
	}

	get id() {
		return JSON.parse(this.span(5));
	}

	get version() {
		return this.inside.versions[this.numbers[2]];
	}

	/** What a session knows of the client. @returns {any} */
	get client() {
		const { client, channel } = this.options;
		return client ?? channel?.client;
	}

	/** What the client answered, as JSON. */
	get responsesText() {
		return this.numbers[17] === 0 ? "null" : this.span(16);
	}

	/** @returns {Record<string, any> | undefined} */
	get inputResponses() {
		return this.numbers[17] === 0 ? undefined : JSON.parse(this.span(16));
	}

	/**
	 * Has the core do what is rare.
	 * @param {number} how
	 * @param {string} payload
	 * @param {number} [version]
	 * @returns {{ step: number, strings: string[], status: number }} `status` of an ask: for how many milliseconds it holds
	 */
	rare(how, payload, version = this.numbers[2]) {
		const [kind, index, , level] = this.numbers;
		const token = this.numbers[12] === 0 ? "" : this.span(11);
		const uri = this.isResource ? this.span(7) : "";
		const ticket = `${kind} ${index} ${version} ${level}\n${this.span(5)}\n${token}\n${uri}\n${payload}`;
		const { live, core } = this.held;
		return live.call(() => {
			const step = core.settle(live.mailbox.write(ticket), how);
			const strings = step === 0 ? [] : live.mailbox.strings();
			return { step, strings, status: step === REPLY ? (live.mailbox.numbers()[0] ?? 200) : 200 };
		});
	}

	/** @param {number} progress @param {number} [total] @param {string} [message] */
	progress(progress, total, message) {
		if (this.numbers[12] === 0) return;
		this.#send(PROGRESS, JSON.stringify({ progress, total, message }));
	}

	/** @param {string} level @param {unknown} data @param {string} [logger] */
	log(level, data, logger) {
		this.#send(LOG, JSON.stringify({ level, params: { logger, data } }));
	}

	/** @param {string} method @param {unknown} [params] */
	notify(method, params) {
		this.options.send?.(JSON.stringify({ jsonrpc: "2.0", method, params }));
	}

	/** @param {number} how @param {string} payload */
	#send(how, payload) {
		const { send } = this.options;
		if (!send) return;
		const sent = completed(() => {
			const { strings } = this.rare(how, payload);
			if (strings.length > 0) send(strings[0]);
		});
		// Who reports gets no answer, and the call itself hears of the end of its core.
		if (sent instanceof Promise) sent.catch(() => {});
	}
}
