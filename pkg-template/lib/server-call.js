// A handler's call and the reply around what it gave. Arguments are parsed and results stringified
// here, once; the core never sees them twice. src/js/server.rs is the other half.

import { McpError, ProtocolError } from "../errors.js";
import { META_CLIENT_CAPABILITIES } from "./constants.js";
import { Asks, cannot } from "./server-asks.js";
import { Context } from "./server-context.js";
import { constant, HEAD, part, REPLY, TOOL } from "./server-parts.js";

/** @typedef {import("./server-parts.js").Answer} Answer */
/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */

// What `settle` is asked to do, and what it answers beside REPLY.
const SHAPE = 0;
const FAILED = 1;
const ERROR = 2;
const PROGRESS = 3;
const LOG = 4;
const NOT_FOUND = 5;
const READABLE = 6;
const ASK = 7;
const ITEMS = 8;

// What a client can read of a handler's result without the core looking through it.
const READS_ALL = 0;
const READS_OBJECTS = 1;
const FRAME_WITH_CONTENT = 3;

// The kinds of handlers, beside TOOL.
const RESOURCE = 1;
const TEMPLATE = 2;
const COMPLETION = 4;
const METHOD = 5;

const INPUT_REQUIRED = "input_required";

/** A handler's call. */
export class Call {
	#inside;
	#held;
	#message;
	#numbers;
	#strings;
	options;
	/** @type {import("./server-asks.js").Kept | undefined} what an earlier run of the handler left */
	#kept;
	/** @type {Asks | undefined} */
	#asks;
	/** @type {((answer: Answer | Promise<Answer>) => void) | undefined} ends the call */
	#end;

	/**
	 * @param {import("./server.js").Inside} inside
	 * @param {Held} held
	 * @param {string | Uint8Array} message
	 * @param {Options} options
	 * @param {number[]} numbers
	 * @param {string[] | undefined} strings
	 */
	constructor(inside, held, message, options, numbers, strings) {
		this.#inside = inside;
		this.#held = held;
		this.#message = message;
		this.#numbers = numbers;
		this.#strings = strings;
		this.options = options;
	}

	/** @returns {Answer | Promise<Answer>} */
	start() {
		return this.#numbers[19] === 0 ? this.#run() : this.#resume();
	}

	/** Runs the handler again, with what its last run left. */
	async #resume() {
		const state = JSON.parse(this.#span(18));
		const { seal } = this.#inside;
		try {
			this.#kept = seal ? await seal.open(state, this.#identity) : { own: state };
		} catch (error) {
			return this.#protocolError(/** @type {ProtocolError} */ (error));
		}
		return this.#run();
	}

	/** @returns {Answer | Promise<Answer>} */
	#run() {
		/** @type {any} */
		let value;
		try {
			value = this.#invoke();
			if (typeof value?.then !== "function") return this.#settle(value);
		} catch (error) {
			return this.fail(error);
		}
		return new Promise((resolve, reject) => {
			// The handler cannot be stopped, but what it gives after the core has died is nobody's answer.
			const forget = this.#held.live.onDeath(reject);
			const end = (/** @type {Answer | Promise<Answer>} */ answer) => {
				forget();
				resolve(answer);
			};
			this.#end = end;
			const fail = (/** @type {unknown} */ error) => {
				try {
					end(this.fail(error));
				} catch (crash) {
					forget();
					reject(crash);
				}
			};
			value.then((/** @type {any} */ value) => {
				try {
					end(this.#settle(value));
				} catch (error) {
					fail(error);
				}
			}, fail);
		});
	}

	/** What a sealed state is bound to: the handler, its input, and whose call it is. */
	get #identity() {
		const [kind, index] = this.#numbers;
		const name = kind === RESOURCE ? null : this.#held.running[kind][index].key;
		const whose = this.#inside.principal(this.options.authInfo) ?? null;
		return JSON.stringify([kind, name, this.#input() ?? null, whose]);
	}

	/** Ends a run that asks: with all that it asked at once. */
	#suspend() {
		const asks = /** @type {Asks} */ (this.#asks);
		const end = /** @type {(answer: Answer | Promise<Answer>) => void} */ (this.#end);
		const { seal } = this.#inside;
		const { kept } = asks;
		if (kept !== undefined && seal === undefined) {
			const message = "A handler that asks again after an answer needs the server's option requestState: { key }";
			end(this.#failed(message));
			return;
		}
		const ask = async () => {
			const requestState = await seal?.seal(kept ?? {}, this.#identity);
			return this.#whole({ resultType: INPUT_REQUIRED, inputRequests: asks.requests, requestState }, true);
		};
		end(ask().catch((error) => this.fail(error)));
	}

	/**
	 * Asks the client.
	 * @param {string} method
	 * @param {unknown} params
	 * @param {string} [key]
	 * @returns {Promise<any>}
	 */
	ask(method, params, key) {
		if (this.#numbers[0] >= COMPLETION) return Promise.reject(cannot("only tools, resources and prompts can ask"));
		if (this.version.era === "modern") return this.#asking.ask(method, params, key);
		const { send, signal, session, onAsk } = this.options;
		if (send === undefined)
			return Promise.reject(cannot("the client cannot be asked: its request came without a stream"));
		onAsk?.call(this.options);
		return this.#inside.waiting.ask(
			(id) => {
				const [text, refusal] = this.#ask(ASK, JSON.stringify({ id, method, params }), this.#numbers[13]).strings;
				if (refusal) throw cannot(refusal);
				send(text);
			},
			signal,
			session,
		);
	}

	/**
	 * @template T
	 * @param {string} key
	 * @param {() => T | Promise<T>} run
	 * @returns {Promise<T>}
	 */
	once(key, run) {
		return this.version.era === "modern" ? this.#asking.once(key, run) : (async () => run())();
	}

	get #asking() {
		this.#asks ??= new Asks(this.#kept ?? {}, this.inputResponses ?? {}, () => this.#suspend());
		return this.#asks;
	}

	/** @returns {Record<string, any> | undefined} */
	get inputResponses() {
		return this.#numbers[17] === 0 ? undefined : JSON.parse(this.#span(16));
	}

	get requestState() {
		return this.#kept?.own;
	}

	/** @returns {any} */
	#invoke() {
		const [kind, index] = this.#numbers;
		const { running, complete, methods } = this.#held;
		const context = new Context(this);
		switch (kind) {
			case RESOURCE:
				return running[kind][index].run(this.#input(), context);
			case TEMPLATE:
				return running[kind][index].run(this.#input(), JSON.parse(this.#text(3)), context);
			case COMPLETION:
				return complete(this.#input(), context);
			case METHOD:
				return methods[index](this.#input(), context);
			default:
				return running[kind][index].run(this.#input() ?? {}, context);
		}
	}

	get #isResource() {
		const [kind] = this.#numbers;
		return kind === RESOURCE || kind === TEMPLATE;
	}

	/** @param {number} at */
	#text(at) {
		return /** @type {string[]} */ (this.#strings)[at];
	}

	/** A span of the message as text. @param {number} at */
	#span(at) {
		return part(this.#message, this.#numbers[at], this.#numbers[at + 1]);
	}

	#input() {
		return this.#numbers[8] === 0 ? undefined : JSON.parse(this.#span(7));
	}

	/** @returns {any} */
	get meta() {
		return this.#numbers[10] === 0 ? undefined : JSON.parse(this.#span(9));
	}

	get id() {
		return JSON.parse(this.#span(5));
	}

	get version() {
		return this.#inside.versions[this.#numbers[2]];
	}

	/** What a handler gave, as the reply. @param {any} value @returns {Answer | Promise<Answer>} */
	#settle(value) {
		const tool = this.#numbers[0] === TOOL;
		const kind = typeof value;
		if (this.#numbers[15] === 1 && (kind === "string" || Array.isArray(value))) {
			return this.#whole({ content: kind === "string" ? [{ type: "text", text: value }] : value });
		}
		if (this.#numbers[0] === METHOD && (kind !== "object" || value === null || Array.isArray(value))) {
			return this.#failed("The handler must give an object");
		}
		if (kind === "string") {
			const [open, tail] = tool ? this.#held.toolFrame : /** @type {string[]} */ (this.#strings);
			return this.#answer(open + JSON.stringify(value) + tail);
		}
		if (Array.isArray(value)) return this.#items(value);
		if (value instanceof Uint8Array && !tool) return this.#blob(value);
		if ((value === null || value === undefined) && this.#isResource) {
			return { text: this.#ask(NOT_FOUND, "").strings[0], status: 200 };
		}
		if (value === null || kind !== "object") {
			return this.#refuse(`The handler returned ${value === null ? "null" : kind}`);
		}
		return this.#whole(value);
	}

	/** @param {string} members the result's own members */
	#answer(members) {
		const id = this.#span(5);
		const head = constant(this.#held, this.#numbers[4]);
		return { text: `${HEAD}${id},"result":${head}${members}}}`, status: 200 };
	}

	/** @param {any[]} value */
	#items(value) {
		const json = JSON.stringify(value);
		if (this.#numbers[0] === TOOL) return this.#answer(this.#readable(`"content":${json}`, false));
		const name = this.#text(2);
		if (name === "completion") return { text: this.#ask(ITEMS, json).strings[0], status: 200 };
		return this.#answer(this.#readable(`"${name}":${json}`, false));
	}

	/** @param {Uint8Array} bytes */
	#blob(bytes) {
		const open = this.#text(0);
		const head = open.slice(0, open.lastIndexOf('"text":'));
		return this.#answer(`${head}"blob":"${base64(bytes)}"${this.#text(1)}`);
	}

	/**
	 * A full result.
	 * @param {any} value
	 * @param {boolean} [sealed] whether its requestState is ours already
	 * @returns {Answer | Promise<Answer>}
	 */
	#whole(value, sealed = false) {
		const { seal } = this.#inside;
		if (value.resultType === INPUT_REQUIRED && typeof value.requestState === "string" && seal && !sealed) {
			const own = seal.seal({ own: value.requestState }, this.#identity);
			return own
				.then((requestState) => this.#whole({ ...value, requestState }, true))
				.catch((error) => this.fail(error));
		}
		const { _meta, resultType, ttlMs, cacheScope, ...rest } = value;
		const tool = this.#numbers[0] === TOOL;
		const items = tool ? "content" : this.#text(2);
		const checked = this.#numbers[15] === 1;
		const plain =
			!checked &&
			rest[items] !== undefined &&
			_meta === undefined &&
			resultType === undefined &&
			ttlMs === undefined &&
			cacheScope === undefined;
		const structured = tool && rest.structuredContent !== undefined;
		if (plain) return this.#answer(this.#readable(JSON.stringify(rest).slice(1, -1), structured));
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
		const { step, strings, status } = this.#ask(SHAPE, JSON.stringify(shape));
		if (step === REPLY) return { text: strings[0], status };
		let members = JSON.stringify(rest).slice(1, -1);
		if (step === FRAME_WITH_CONTENT) {
			const [open, tail] = this.#held.toolFrame;
			members += `,${open}${JSON.stringify(JSON.stringify(rest.structuredContent))}${tail}`;
		}
		members = this.#readable(members, structured);
		let head = strings[0];
		if (members === "" && head.endsWith(",")) head = head.slice(0, -1);
		return { text: `${HEAD}${this.#span(5)},"result":${head}${members}${strings[1]}}`, status: 200 };
	}

	/** @param {string} what */
	#refuse(what) {
		const expected =
			this.#numbers[0] === TOOL ? "a string, content blocks or a result object" : "text, items or a result object";
		return this.#failed(`${what}; expected ${expected}`);
	}

	/** What a handler threw, as the reply: the message only. @param {any} error @returns {Answer} */
	fail(error) {
		if (error instanceof McpError && error.code === "CORE_CRASHED" && this.#held.live.dead) throw error;
		if (error instanceof ProtocolError && this.#numbers[0] !== TOOL) return this.#protocolError(error);
		return this.#failed(said(error));
	}

	/** @param {ProtocolError} error @returns {Answer} */
	#protocolError({ rpcCode: code, message, data }) {
		return { text: this.#ask(ERROR, JSON.stringify({ code, message, data })).strings[0], status: 200 };
	}

	/** @param {string} message */
	#failed(message) {
		if (this.#numbers[0] === TOOL) {
			const [open, , tail] = this.#held.toolFrame;
			return this.#answer(open + JSON.stringify(message) + tail);
		}
		return { text: this.#ask(FAILED, JSON.stringify(message)).strings[0], status: 200 };
	}

	/**
	 * Members of a result as the client's revision can read them: older ones lack kinds of content, and
	 * structured content that is no object.
	 * @param {string} members
	 * @param {boolean} structured
	 */
	#readable(members, structured) {
		const reads = this.#numbers[14];
		if (reads === READS_ALL || (reads === READS_OBJECTS && !structured)) return members;
		const { strings } = this.#ask(READABLE, `{${members}}`, this.#numbers[13]);
		return strings.length === 0 ? members : strings[0].slice(1, -1);
	}

	/**
	 * Has the core do what is rare.
	 * @param {number} how
	 * @param {string} payload
	 * @param {number} [version]
	 * @returns {{ step: number, strings: string[], status: number }}
	 */
	#ask(how, payload, version = this.#numbers[2]) {
		const [kind, index, , level] = this.#numbers;
		const token = this.#numbers[12] === 0 ? "" : this.#span(11);
		const uri = this.#isResource ? this.#span(7) : "";
		const ticket = `${kind} ${index} ${version} ${level}\n${this.#span(5)}\n${token}\n${uri}\n${payload}`;
		const { live, core } = this.#held;
		return live.call(() => {
			const step = core.settle(live.mailbox.write(ticket), how);
			const strings = step === 0 ? [] : live.mailbox.strings();
			return { step, strings, status: step === REPLY ? (live.mailbox.numbers()[0] ?? 200) : 200 };
		});
	}

	/** @param {number} progress @param {number} [total] @param {string} [message] */
	progress(progress, total, message) {
		if (this.#numbers[12] === 0) return;
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
		if (!this.options.send) return;
		const { strings } = this.#ask(how, payload);
		if (strings.length > 0) this.options.send(strings[0]);
	}
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
