// The reply around what a handler gave. Results are stringified here, once; the core never sees them twice.

import { McpError, ProtocolError } from "../errors.js";
import { META_CLIENT_CAPABILITIES } from "./constants.js";
import { completed } from "./core.js";
import { BEGIN, constant, Encoded, HEAD, IS_QUICKER, REPLY, TOOL } from "./server-parts.js";
import { ERROR, FAILED, ITEMS, METHOD, NOT_FOUND, READABLE, SHAPE, Ticket } from "./server-ticket.js";

/** @typedef {import("./server-parts.js").Answer} Answer */

export const INPUT_REQUIRED = "input_required";

// What a client can read of a handler's result without the core looking through it.
const READS_ALL = 0;
const READS_OBJECTS = 1;
const FRAME_WITH_CONTENT = 3;

// What `compose` is asked to do with a part of a reply, beside BEGIN; src/js/server.rs has the same numbers.
const QUOTED = 1;
const JSON_PART = 2;

/** Shorter texts are not worth the way to the core; of longer ones the copies would fill its memory. */
const LONG = IS_QUICKER ? 4096 : Number.POSITIVE_INFINITY;
const LONGEST = 4 << 20;

/** Where a long text belongs. In a string the quotes would be escaped, so this is a member. */
const PLACE = /"(?:text|blob|data)":5e-324/;

/** A handler's call, as far as its reply goes. */
export class Result extends Ticket {
	/**
	 * A state of the handler's own, sealed, where the server seals.
	 * @param {string} _state
	 * @returns {Promise<string> | undefined}
	 */
	sealed(_state) {
		return undefined;
	}

	/** What a handler gave, as the reply. @param {any} value @returns {Answer | Promise<Answer>} */
	settle(value) {
		const answer = completed(() => this.#settled(value));
		return answer instanceof Promise ? answer.catch((error) => this.fail(error)) : answer;
	}

	/** @param {any} value @returns {Answer | Promise<Answer>} */
	#settled(value) {
		const tool = this.numbers[0] === TOOL;
		const kind = typeof value;
		if (this.numbers[15] === 1 && (kind === "string" || Array.isArray(value))) {
			return this.whole({ content: kind === "string" ? [{ type: "text", text: value }] : value });
		}
		if (this.numbers[0] === METHOD && (kind !== "object" || value === null || Array.isArray(value))) {
			return this.failed("The handler must give an object");
		}
		if (kind === "string") {
			const [open, tail] = tool ? this.held.toolFrame : /** @type {string[]} */ (this.strings);
			return this.around(open, value, tail);
		}
		if (Array.isArray(value)) return this.items(value);
		if (value instanceof Uint8Array && !tool) return this.blob(value);
		if ((value === null || value === undefined) && this.isResource) {
			return { text: this.rare(NOT_FOUND, "").strings[0], status: 200 };
		}
		if (value === null || kind !== "object") {
			return this.refuse(`The handler returned ${value === null ? "null" : kind}`);
		}
		return this.whole(value);
	}

	/** What goes before the own members of a result. */
	get opening() {
		return `${HEAD}${this.span(5)},"result":${constant(this.held, this.numbers[4])}`;
	}

	/** @param {string} members the result's own members */
	answer(members) {
		return { text: `${this.opening}${members}}}`, status: 200 };
	}

	/** @param {string} open @param {string} text @param {string} tail */
	around(open, text, tail) {
		const answer = isLong(text) ? this.compose([open, text, tail]) : undefined;
		return answer ?? this.answer(open + JSON.stringify(text) + tail);
	}

	/**
	 * Has the core quote long texts, which it is quicker at.
	 * @param {string[]} pieces the result's own members; every other piece is a text that goes in there as a JSON string
	 * @returns {Answer | undefined} nothing where a text cannot be quoted exactly
	 */
	compose([first, ...pieces]) {
		const { live, core } = this.held;
		const { mailbox } = live;
		/** @type {(piece: string, how: number) => boolean} */
		const add = (piece, how) => core.compose(mailbox.write(piece), how, piece.length);
		const opening = this.opening + first;
		return live.call(() => {
			add(opening, BEGIN);
			const done = pieces.every((piece, at) => add(piece, at % 2 === 0 ? QUOTED : JSON_PART)) && add("}}", JSON_PART);
			const place = mailbox.numbers();
			/** @type {Answer | undefined} */
			let answer;
			if (done && this.options.isHttp) answer = new Encoded(mailbox.bytes(place, 0).slice());
			else if (done) answer = { text: mailbox.text(place, 0), status: 200 };
			add("", BEGIN);
			return answer;
		});
	}

	/** @param {any[]} value */
	items(value) {
		const json = JSON.stringify(value);
		if (this.numbers[0] === TOOL) return this.answer(this.readable(`"content":${json}`, false));
		const name = this.text(2);
		if (name === "completion") return { text: this.rare(ITEMS, json).strings[0], status: 200 };
		return this.answer(this.readable(`"${name}":${json}`, false));
	}

	/** @param {Uint8Array} bytes */
	blob(bytes) {
		const open = this.text(0);
		const head = open.slice(0, open.lastIndexOf('"text":'));
		return this.answer(`${head}"blob":"${base64(bytes)}"${this.text(1)}`);
	}

	/**
	 * A full result.
	 * @param {any} value
	 * @param {boolean} [sealed] whether its requestState is ours already
	 * @returns {Answer | Promise<Answer>}
	 */
	whole(value, sealed = false) {
		if (value.resultType === INPUT_REQUIRED && typeof value.requestState === "string" && !sealed) {
			const own = this.sealed(value.requestState);
			if (own !== undefined) {
				return own
					.then((requestState) => this.whole({ ...value, requestState }, true))
					.catch((error) => this.fail(error));
			}
		}
		const { _meta, resultType, ttlMs, cacheScope } = value;
		const isOwn = _meta === undefined && resultType === undefined && ttlMs === undefined && cacheScope === undefined;
		// What is undefined is not written: but for that, a copy of a plain object would be written as it is.
		const rest = isOwn && Object.getPrototypeOf(value) === Object.prototype ? value : others(value);
		const tool = this.numbers[0] === TOOL;
		const items = tool ? "content" : this.text(2);
		const checked = this.numbers[15] === 1;
		const structured = tool && rest.structuredContent !== undefined;
		const plain = isOwn && !checked && rest[items] !== undefined;
		if (plain) {
			const pieces = this.reads(structured) ? pieced(rest, items) : undefined;
			const answer = pieces && this.compose(pieces);
			return answer ?? this.answer(this.readable(JSON.stringify(rest).slice(1, -1), structured));
		}
		const shape = {
			_meta,
			resultType,
			ttlMs,
			cacheScope,
			hasItems: rest[items] !== undefined,
			hasStructured: structured,
			isError: rest.isError === true,
			...(checked && { structured: rest.structuredContent }),
			...(resultType !== undefined && {
				inputRequests: rest.inputRequests,
				requestState: rest.requestState,
				clientCapabilities: this.meta?.[META_CLIENT_CAPABILITIES],
			}),
		};
		const { step, strings, status } = this.rare(SHAPE, JSON.stringify(shape));
		if (step === REPLY) return { text: strings[0], status };
		let members = JSON.stringify(rest).slice(1, -1);
		if (step === FRAME_WITH_CONTENT) {
			const [open, tail] = this.held.toolFrame;
			members += `,${open}${JSON.stringify(JSON.stringify(rest.structuredContent))}${tail}`;
		}
		members = this.readable(members, structured);
		let head = strings[0];
		if (members === "" && head.endsWith(",")) head = head.slice(0, -1);
		return { text: `${HEAD}${this.span(5)},"result":${head}${members}${strings[1]}}`, status: 200 };
	}

	/** @param {string} what */
	refuse(what) {
		const expected =
			this.numbers[0] === TOOL ? "a string, content blocks or a result object" : "text, items or a result object";
		return this.failed(`${what}; expected ${expected}`);
	}

	/** What a handler threw, as the reply: the message only. @param {any} error @returns {Answer | Promise<Answer>} */
	fail(error) {
		return completed(() => this.#failed(error));
	}

	/** @param {any} error @returns {Answer} */
	#failed(error) {
		if (error instanceof McpError && error.code === "CORE_CRASHED" && this.held.live.dead) throw error;
		if (error instanceof ProtocolError) {
			// What a client got wrong in a later round is no business of the model.
			const { reason } = /** @type {any} */ (error.data) ?? {};
			const isClients = reason === "invalid_input_response" || reason === "invalid_request_state";
			if (this.numbers[0] !== TOOL || isClients) return this.protocolError(error);
		}
		return this.failed(said(error));
	}

	/** @param {ProtocolError} error @returns {Answer} */
	protocolError({ rpcCode: code, message, data }) {
		return { text: this.rare(ERROR, JSON.stringify({ code, message, data })).strings[0], status: 200 };
	}

	/** @param {string} message */
	failed(message) {
		if (this.numbers[0] === TOOL) {
			const [open, , tail] = this.held.toolFrame;
			return this.answer(open + JSON.stringify(message) + tail);
		}
		return { text: this.rare(FAILED, JSON.stringify(message)).strings[0], status: 200 };
	}

	/** Whether the client can read a result of a handler as it is. @param {boolean} structured */
	reads(structured) {
		const reads = this.numbers[14];
		return reads === READS_ALL || (reads === READS_OBJECTS && !structured);
	}

	/**
	 * Members of a result as the client's revision can read them: older ones lack kinds of content, and
	 * structured content that is no object.
	 * @param {string} members
	 * @param {boolean} structured
	 */
	readable(members, structured) {
		if (this.reads(structured)) return members;
		const { strings } = this.rare(READABLE, `{${members}}`, this.numbers[13]);
		return strings.length === 0 ? members : strings[0].slice(1, -1);
	}
}

/** The members of a result that belong to its handler. @param {any} value */
function others({ _meta, resultType, ttlMs, cacheScope, ...rest }) {
	return rest;
}

/** @param {any} value */
const isLong = (value) => typeof value === "string" && value.length >= LONG && value.length <= LONGEST;

/** The name of an item's long text. @param {any} item */
const longOf = (item) => (isLong(item?.text) ? "text" : isLong(item?.data) ? "data" : isLong(item?.blob) ? "blob" : "");

/**
 * The members of a result in pieces, every other one of which is a long text; nothing where its items have none.
 * @param {any} rest
 * @param {string} list the name of its items
 * @returns {string[] | undefined}
 */
function pieced(rest, list) {
	/** @type {any} */
	const items = rest[list];
	if (!Array.isArray(items) || !items.some(longOf) || "toJSON" in items) return undefined;
	/** @type {string[]} */
	const pieces = [];
	let length = 0;
	const short = items.map((item) => {
		const name = longOf(item);
		if (name === "" || item.toJSON !== undefined) return item;
		// As JSON has it: own members only, each read once.
		const copy = { ...item };
		const text = copy[name];
		if (!isLong(text)) return item;
		pieces.push(`"${name}":`, text);
		length += text.length;
		copy[name] = Number.MIN_VALUE;
		return copy;
	});
	const text = JSON.stringify({ ...rest, [list]: short });
	if (length + text.length > LONGEST) return undefined;
	const json = text.slice(1, -1).split(PLACE);
	// One that is too many is a member that somebody has given that very number.
	if (json.length * 2 !== pieces.length + 2) return undefined;
	json.forEach((part, at) => {
		pieces[at * 2] = part + (pieces[at * 2] ?? "");
	});
	return pieces;
}

/** @param {any} error */
function said(error) {
	try {
		const message = error instanceof Error ? error.message : error;
		return typeof message === "string" && message !== "" ? message : "The handler failed";
	} catch {
		return "The handler failed";
	}
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
	const modern = /** @type {any} */ (bytes);
	if (typeof modern.toBase64 === "function") return modern.toBase64();
	let binary = "";
	// A call's arguments go on the stack: in pieces.
	for (let at = 0; at < bytes.length; at += 8192) {
		binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
	}
	return btoa(binary);
}
