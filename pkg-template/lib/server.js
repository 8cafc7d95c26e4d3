// The server as JavaScript sees it: a definition with handlers, messages in, replies out.

import { McpError } from "../errors.js";
import { FIRST_MODERN_PROTOCOL_VERSION, PROTOCOL_VERSIONS } from "./constants.js";
import { acquire, acquireRest, current, Incomplete } from "./core.js";
import { Waiting } from "./server-asks.js";
import { Channel } from "./server-channel.js";
import { check, failure, respond } from "./server-http.js";
import { LocalBus, MAX_SUBSCRIPTIONS, Subscriptions } from "./server-listen.js";
import { COUNT, checkMembers, FUNCTION, FUNCTIONS } from "./server-options.js";
import { Registry } from "./server-registry.js";
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
 * @property {{ name: string, era: string }[]} versions
 * @property {Waiting} waiting
 * @property {Subscriptions} subscriptions
 * @property {Seal | undefined} seal
 * @property {(authInfo: any) => unknown} principal whose call it is: a state opens for the same one only
 * @property {(authInfo: any) => unknown} owner whose session it is
 * @property {() => Held | undefined} usable the core, if there is one that works
 * @property {() => Promise<Held>} whole a core that leaves nothing out
 * @property {{ store?: any, events?: any, open?: any } | undefined} sessions of legacy clients: the stores, and what is open
 */

/** @typedef {import("./server-parts.js").Held} Held */
/** @typedef {import("./server-parts.js").Options} Options */

/** A server of both eras. Constructing one loads nothing. */
export class Server {
	#registry;
	/** @type {McpError | undefined} why nothing works */
	#refusal;
	/** The lists that clients have yet to be told of. @type {Set<string>} */
	#changed = new Set();
	/** @type {Inside} */
	#inside;
	/** @type {Held | undefined} */
	#held;
	/** Whether something has needed what most servers do without, and the usual wasm leaves out. */
	#isWhole = false;
	/** What of the core is being loaded, for the definition to be read. @type {Promise<void> | undefined} */
	#ready;

	/** @param {any} definition */
	constructor(definition) {
		this.#registry = new Registry((capability) => this.#tell(capability));
		this.#inside = {
			versions: VERSIONS,
			waiting: new Waiting(),
			subscriptions: new Subscriptions(new LocalBus(), MAX_SUBSCRIPTIONS),
			seal: undefined,
			principal: whose,
			owner: whose,
			usable: () => this.#usable(),
			whole: () => {
				this.#isWhole = true;
				return this.#open();
			},
			sessions: undefined,
		};
		try {
			checkMembers(definition, "a server's definition:", {});
			checkMembers(definition, "", { bus: "publish subscribe", maxSubscriptions: COUNT, complete: FUNCTIONS });
			const { requestState, bus = new LocalBus(), maxSubscriptions = MAX_SUBSCRIPTIONS, ...rest } = definition;
			const inside = this.#inside;
			if (rest.legacy === "sessions") {
				const { sessions = {} } = rest;
				checkMembers(sessions, "sessions.", {
					store: "get set delete",
					events: "append after forget",
					principal: FUNCTION,
				});
				const { store, events, principal = whose, ...limits } = sessions;
				inside.sessions = { store, events };
				this.#isWhole = true;
				inside.owner = principal;
				rest.sessions = limits;
			}
			this.#registry.read(rest);
			inside.subscriptions = new Subscriptions(bus, maxSubscriptions);
			if (requestState !== undefined) {
				inside.seal = new Seal(requestState);
				inside.principal = requestState.principal ?? inside.owner;
			}
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
			const answer = this.#answer(held, message, options, undefined);
			return answer instanceof Promise ? await answer : answer;
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
	fetch(request, options = NO_OPTIONS) {
		try {
			const held = this.#usable();
			if (held !== undefined) return respond(this.#inside, held, request, options);
			return this.#open().then((held) => respond(this.#inside, held, request, options), failure);
		} catch (error) {
			return Promise.resolve(failure(error));
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

	/** @param {string} name @param {any} config @param {any} handler */
	registerTool(name, config, handler) {
		return this.#add("tools", { ...config, name, handler });
	}

	/** @param {string} name @param {string} uri @param {any} config @param {any} read */
	registerResource(name, uri, config, read) {
		return this.#add("resources", { ...config, name, uri, read });
	}

	/** @param {string} name @param {string} uriTemplate @param {any} config @param {any} read */
	registerResourceTemplate(name, uriTemplate, config, read) {
		return this.#add("resourceTemplates", { ...config, name, uriTemplate, read });
	}

	/** @param {string} name @param {any} config @param {any} get */
	registerPrompt(name, config, get) {
		return this.#add("prompts", { ...config, name, get });
	}

	/** @param {string} name */
	tool(name) {
		return this.#registry.get("tools", name, this.#check);
	}

	/** @param {string} uri */
	resource(uri) {
		return this.#registry.get("resources", uri, this.#check);
	}

	/** @param {string} uriTemplate */
	resourceTemplate(uriTemplate) {
		return this.#registry.get("resourceTemplates", uriTemplate, this.#check);
	}

	/** @param {string} name */
	prompt(name) {
		return this.#registry.get("prompts", name, this.#check);
	}

	/** @param {string} list @param {any} definition */
	#add(list, definition) {
		try {
			return this.#registry.add(list, definition, this.#check);
		} catch (error) {
			throw invalid(error);
		}
	}

	/** Has the core look at one item, once it is there: before that, a fault of the definition rejects the first call. */
	#check = (/** @type {string} */ list, /** @type {string} */ text) => {
		const live = this.#held?.live;
		if (live === undefined || live.dead) return;
		const { glue, mailbox } = live;
		const alone = `{"name":"","version":"","${list}":[${text}]}`;
		this.#unlessBeyond(() => live.call(() => new glue.ServerCore(mailbox.write(alone)).free()));
	};

	/** Tells of a list that changed, once for all that changes at once. @param {string} capability */
	#tell(capability) {
		// What is registered before anybody has called is no change.
		if (this.#held === undefined) return;
		if (this.#changed.size === 0) {
			queueMicrotask(() => {
				const changed = [...this.#changed];
				this.#changed.clear();
				for (const capability of changed) {
					this.#inside.subscriptions.tell({ type: /** @type {"tools_list_changed"} */ (`${capability}_list_changed`) });
				}
			});
		}
		this.#changed.add(capability);
	}

	/**
	 * Tells the clients of legacy sessions something that belongs to no request.
	 * @param {string} level
	 * @param {unknown} data
	 * @param {string} [logger]
	 */
	log(level, data, logger) {
		return this.#inside.subscriptions.publish({ type: "log", level, params: { logger, data } });
	}

	/** @param {(message: any) => void} send */
	channel(send) {
		this.#isWhole = true;
		return new Channel(this.#inside, send);
	}

	/** Ends the subscriptions and what clients are asked; what is called later is refused. */
	close() {
		const closed = new McpError("CLOSED", "the server is closed");
		this.#inside.subscriptions.close();
		this.#inside.sessions?.open?.close();
		this.#inside.waiting.close(closed);
		this.#refusal ??= closed;
		// Calls that run end with the core that they began with, which is let go with the last of them.
		this.#held = undefined;
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

	/** The core, if there is one that works; of the definition as it is by now. */
	#usable() {
		const held = this.#held;
		if (held === undefined || held.live.dead || held.isWhole !== this.#isWhole) return undefined;
		return held.revision === this.#registry.revision ? held : this.#build(held.live);
	}

	/**
	 * What `build` gives; nothing where that needs the whole core, or more of this one.
	 * @template T
	 * @param {() => T} build
	 */
	#unlessBeyond(build) {
		try {
			return build();
		} catch (error) {
			if (error instanceof Incomplete) this.#ready = error.ready;
			else if (/** @type {any} */ (error)?.code === "BEYOND") this.#isWhole = true;
			else throw error;
			return undefined;
		}
	}

	/** @returns {Promise<Held>} */
	async #open() {
		const held = this.#usable();
		if (held) return held;
		if (this.#refusal) throw this.#refusal;
		const isWhole = this.#isWhole;
		const live = isWhole ? await acquireRest("whole", "server") : (current("server") ?? (await acquire("server")));
		// Meanwhile it may have been closed, or opened by another call, or have needed more.
		if (this.#refusal) throw this.#refusal;
		const opened = this.#usable() ?? (isWhole === this.#isWhole ? this.#build(live) : undefined);
		if (opened) return opened;
		await this.#ready;
		return this.#open();
	}

	/**
	 * Has the core read the definition. Calls that run go on with the core that they began with, which is let
	 * go with the last of them.
	 * @param {import("./core.js").Live} live
	 * @returns {Held | undefined} nothing where the definition needs the whole core
	 */
	#build(live) {
		const { glue, mailbox } = live;
		const registry = this.#registry;
		const { text, running, revision } = registry;
		const isWhole = this.#isWhole;
		const build = () => {
			const core = new glue.ServerCore(mailbox.write(text));
			core.toolFrame();
			const complete = registry.complete.bind(registry, running);
			const { methods, notifications } = registry.own;
			const toolFrame = mailbox.strings();
			return { live, isWhole, core, revision, running, complete, methods, notifications, constants: [], toolFrame };
		};
		const held = this.#unlessBeyond(() => live.call(build));
		if (held) this.#held = held;
		return held;
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

/** Whose call it is, unless the server says how to tell: the subject of a token, or the client that has it. @param {any} authInfo */
const whose = (authInfo) => authInfo?.sub ?? authInfo?.clientId;

/** @param {unknown} error */
function invalid(error) {
	if (error instanceof McpError) return error;
	const said = error instanceof Error ? error.message : String(error);
	return new McpError("INVALID_DEFINITION", `a server's definition must be JSON apart from its functions: ${said}`, {
		cause: error,
	});
}

export { createRequestStateCodec } from "./server-state.js";

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
