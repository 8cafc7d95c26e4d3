// The server as JavaScript sees it: a definition with handlers, messages in, replies out.

import { McpError } from "../errors.js";
import { FIRST_MODERN_PROTOCOL_VERSION, PROTOCOL_VERSIONS } from "./constants.js";
import { acquire, current } from "./core.js";
import { Waiting } from "./server-asks.js";
import { check, failure, respond } from "./server-http.js";
import { LocalBus, MAX_SUBSCRIPTIONS, Subscriptions } from "./server-listen.js";
import { Seal } from "./server-state.js";
import { run, STREAMS } from "./server-step.js";

const encoder = new TextEncoder();

/** The versions in the order in which the core numbers them. */
const VERSIONS = PROTOCOL_VERSIONS.map((name) => ({
	name,
	era: name >= FIRST_MODERN_PROTOCOL_VERSION ? "modern" : "legacy",
}));

/**
 * What a server keeps for its calls.
 * @typedef {object} Inside
 * @property {Handlers} handlers
 * @property {{ name: string, era: string }[]} versions
 * @property {(string | undefined)[][]} names of tools and prompts, by the core's number of their kind
 * @property {Waiting} waiting
 * @property {Subscriptions} subscriptions
 * @property {Seal | undefined} seal
 * @property {(authInfo: any) => unknown} principal whose call it is
 */

/**
 * @typedef {object} Handlers by the index of their item in the definition
 * @property {((args: any, context: any) => any)[]} tools
 * @property {((uri: string, context: any) => any)[]} resources
 * @property {((uri: string, variables: any, context: any) => any)[]} templates
 * @property {((args: any, context: any) => any)[]} prompts
 * @property {(params: any, context: any) => any} complete
 */

/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */

/** A server of both eras. Constructing one loads nothing. */
export class Server {
	/** @type {string | undefined} the definition as the core reads it */
	#definition;
	/** @type {McpError | undefined} why there is none */
	#refusal;
	/** @type {Inside} */
	#inside;
	/** @type {Held | undefined} */
	#held;
	/** @type {Promise<Held> | undefined} */
	#opening;

	/** @param {any} definition */
	constructor(definition) {
		this.#inside = {
			handlers: { tools: [], resources: [], templates: [], prompts: [], complete: noCompletion },
			versions: VERSIONS,
			names: [],
			waiting: new Waiting(),
			subscriptions: new Subscriptions(new LocalBus(), MAX_SUBSCRIPTIONS),
			seal: undefined,
			principal: whose,
		};
		try {
			this.#inside.handlers = readHandlers(definition);
			this.#inside.names = [
				namesOf(definition.tools),
				[],
				namesOf(definition.resourceTemplates),
				namesOf(definition.prompts),
			];
			const { requestState, bus, maxSubscriptions, ...rest } = definition;
			if (bus !== undefined || maxSubscriptions !== undefined) {
				const limit = maxSubscriptions ?? MAX_SUBSCRIPTIONS;
				this.#inside.subscriptions = new Subscriptions(bus ?? new LocalBus(), limit);
			}
			if (requestState !== undefined) {
				this.#inside.seal = new Seal(requestState);
				this.#inside.principal = requestState.principal ?? whose;
			}
			this.#definition = JSON.stringify(rest, withoutFunctions);
		} catch (error) {
			this.#refusal = invalid(error);
		}
	}

	/** Resolves when the core has read the definition. */
	get ready() {
		return this.#open().then(() => undefined);
	}

	/**
	 * @param {any} message an object, JSON text or bytes
	 * @param {Options} [options]
	 * @returns {Promise<any>} the reply in kind, or null
	 */
	async handleMessage(message, options = NO_OPTIONS) {
		const held = this.#usable() ?? (await this.#open());
		if (typeof message === "string") {
			const answer = await this.#answer(held, message, options, undefined);
			return answer;
		}
		if (message instanceof ArrayBuffer) message = new Uint8Array(message);
		if (message instanceof Uint8Array) {
			const text = await this.#answer(held, message, options, toBytes);
			return text === null ? null : encoder.encode(text);
		}
		if (message === null || typeof message !== "object") {
			throw new McpError(
				"INVALID_ARGUMENT",
				`a message is an object, JSON text or bytes, not ${message === null ? "null" : typeof message}`,
			);
		}
		const text = await this.#answer(held, JSON.stringify(message), options, JSON.parse);
		return text === null ? null : JSON.parse(text);
	}

	/**
	 * @param {Request} request
	 * @param {Options} [options]
	 * @returns {Promise<Response>} never rejects
	 */
	async fetch(request, options = NO_OPTIONS) {
		try {
			const held = this.#usable() ?? (await this.#open());
			return await respond(this.#inside, held, request, options);
		} catch (error) {
			return failure(error);
		}
	}

	/**
	 * @param {HeadersInit} headers
	 * @param {any} message
	 * @returns {Promise<any>}
	 */
	async checkHeaders(headers, message) {
		const held = this.#usable() ?? (await this.#open());
		return check(held, new Headers(headers), bytesOf(message));
	}

	/**
	 * Tells the clients that listen of a change.
	 * @param {import("./server-listen.js").ChangeEvent} event
	 */
	notify(event) {
		return this.#inside.subscriptions.publish(event);
	}

	/** Ends the subscriptions and lets go of the core's memory; what is called later is refused. */
	close() {
		this.#inside.subscriptions.close();
		this.#refusal ??= new McpError("CLOSED", "the server is closed");
		this.#free();
	}

	/**
	 * @param {Held} held
	 * @param {string | Uint8Array} message
	 * @param {Options} options
	 * @param {((text: string) => any) | undefined} inKind what a notification is sent as
	 * @returns {Promise<string | null> | string | null}
	 */
	#answer(held, message, options, inKind) {
		const { send, signal } = options;
		if (signal?.aborted) return null;
		const own =
			send !== undefined && inKind !== undefined
				? { ...options, send: (/** @type {string} */ text) => send(inKind(text)) }
				: options;
		const answer = run(this.#inside, held, message, own, send === undefined ? 0 : STREAMS);
		if (!(answer instanceof Promise)) return answer.text;
		return signal === undefined ? answer.then(textOf) : unlessAborted(answer, signal).then(textOf);
	}

	/** The core, if there is one that works. */
	#usable() {
		const held = this.#held;
		return held !== undefined && !held.live.dead ? held : undefined;
	}

	/** @returns {Promise<Held>} */
	#open() {
		const held = this.#usable();
		if (held) return Promise.resolve(held);
		if (this.#refusal) return Promise.reject(this.#refusal);
		this.#opening ??= this.#build().finally(() => {
			this.#opening = undefined;
		});
		return this.#opening;
	}

	async #build() {
		const live = current("server") ?? (await acquire("server"));
		const { glue, mailbox } = live;
		const held = live.call(() => {
			const core = new glue.ServerCore(mailbox.write(/** @type {string} */ (this.#definition)));
			core.toolFrame();
			return { live, core, constants: [], toolFrame: mailbox.strings() };
		});
		if (this.#refusal) {
			// Closed while it was loading.
			live.call(() => held.core.free());
			throw this.#refusal;
		}
		this.#held = held;
		return held;
	}

	#free() {
		const held = this.#usable();
		this.#held = undefined;
		if (held) held.live.call(() => held.core.free());
	}
}

/**
 * A message as bytes.
 * @param {any} message
 * @returns {Uint8Array}
 */
function bytesOf(message) {
	if (message instanceof ArrayBuffer) return new Uint8Array(message);
	if (message instanceof Uint8Array) return message;
	return encoder.encode(typeof message === "string" ? message : JSON.stringify(message));
}

/** @type {Options} */
const NO_OPTIONS = {};

/** @param {string} text */
const toBytes = (text) => encoder.encode(text);

/** @param {import("./server-parts.js").Answer} answer */
const textOf = (answer) => answer.text;

/**
 * Nobody waits for the answer of a cancelled request: it has none.
 * @param {Promise<import("./server-parts.js").Answer>} answer
 * @param {AbortSignal} signal
 * @returns {Promise<import("./server-parts.js").Answer>}
 */
function unlessAborted(answer, signal) {
	return new Promise((resolve, reject) => {
		const stop = () => resolve({ text: null, status: 499 });
		signal.addEventListener("abort", stop, { once: true });
		answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
	});
}

/** @param {any} items */
const namesOf = (items) => (Array.isArray(items) ? items.map((item) => item?.name) : []);

/** Whose call it is, unless the server says how to tell: the subject of a token, or the client that has it. @param {any} authInfo */
const whose = (authInfo) => authInfo?.sub ?? authInfo?.clientId;

/** @param {string} key @param {unknown} value */
function withoutFunctions(key, value) {
	// The core declares completion where there is something that completes.
	return typeof value === "function" ? key === "complete" || undefined : value;
}

/** @param {any} definition @returns {Handlers} */
function readHandlers(definition) {
	if (definition === null || typeof definition !== "object")
		throw new McpError("INVALID_DEFINITION", "a server's definition must be an object");
	return {
		tools: functions(definition.tools, "tool", "handler", "name"),
		resources: functions(definition.resources, "resource", "read", "uri"),
		templates: functions(definition.resourceTemplates, "resource template", "read", "uriTemplate"),
		prompts: functions(definition.prompts, "prompt", "get", "name"),
		complete: completion(definition),
	};
}

/**
 * @param {any} items
 * @param {string} what
 * @param {string} member
 * @param {string} key
 */
function functions(items, what, member, key) {
	if (!Array.isArray(items)) return [];
	return items.map((item) => {
		if (typeof item?.[member] !== "function") {
			throw new McpError("INVALID_DEFINITION", `${what} "${item?.[key]}": needs ${member}, a function`);
		}
		return item[member].bind(item);
	});
}

const noCompletion = () => [];

/**
 * What completes an argument: the prompt or template that has it, else the server.
 * @param {any} definition
 */
function completion({ prompts = [], resourceTemplates = [], complete = noCompletion }) {
	return (/** @type {any} */ params, /** @type {any} */ context) => {
		const { type, name, uri } = params.ref;
		const own =
			type === "ref/prompt"
				? prompts.find((/** @type {any} */ prompt) => prompt.name === name)
				: resourceTemplates.find((/** @type {any} */ template) => template.uriTemplate === uri);
		return typeof own?.complete === "function" ? own.complete(params, context) : complete(params, context);
	};
}

/** @param {unknown} error */
function invalid(error) {
	if (error instanceof McpError) return error;
	const said = error instanceof Error ? error.message : String(error);
	return new McpError("INVALID_DEFINITION", `a server's definition must be JSON apart from its functions: ${said}`, {
		cause: error,
	});
}

/**
 * @param {Server} server
 * @param {any} message
 * @param {Options} [options]
 */
export function handle_message(server, message, options) {
	return server.handleMessage(message, options);
}

/**
 * @param {Server} server
 * @param {HeadersInit} headers
 * @param {any} message
 */
export function checkHeaders(server, headers, message) {
	return server.checkHeaders(headers, message);
}
