// What a handler is told about its call. Everything is read when it is asked for: most handlers ask for nothing.

import {
	META_CLIENT_CAPABILITIES,
	META_CLIENT_INFO,
	METHOD_ELICITATION_CREATE,
	METHOD_ROOTS_LIST,
	METHOD_SAMPLING_CREATE_MESSAGE,
} from "./constants.js";

/** @typedef {{ key?: string }} AskOptions */

export class Context {
	#call;
	/** @type {any} */
	#meta;
	/** @type {AbortSignal | undefined} */
	#signal;

	/** @param {import("./server-call.js").Call} call */
	constructor(call) {
		this.#call = call;
	}

	get era() {
		return this.#call.version.era;
	}

	get protocolVersion() {
		return this.#call.version.name;
	}

	get requestId() {
		return this.#call.id;
	}

	get meta() {
		this.#meta ??= this.#call.meta ?? {};
		return this.#meta;
	}

	get clientInfo() {
		return this.meta[META_CLIENT_INFO] ?? this.#call.client?.clientInfo;
	}

	get clientCapabilities() {
		return this.meta[META_CLIENT_CAPABILITIES] ?? this.#call.client?.capabilities;
	}

	get headers() {
		return this.#call.options.headers;
	}

	get authInfo() {
		return this.#call.options.authInfo;
	}

	get env() {
		return this.#call.options.env;
	}

	get waitUntil() {
		return this.#call.options.waitUntil ?? ignore;
	}

	get signal() {
		if (this.#signal === undefined) {
			const { options } = this.#call;
			const given = options.isHttp && this.era === "legacy" ? undefined : options.signal;
			this.#signal = given ?? new AbortController().signal;
		}
		return this.#signal;
	}

	get inputResponses() {
		return this.#call.inputResponses;
	}

	get requestState() {
		return this.#call.requestState;
	}

	// Functions without `this`, so that a handler can take its context apart.

	get sendProgress() {
		return (/** @type {number} */ progress, /** @type {number=} */ total, /** @type {string=} */ message) =>
			this.#call.progress(progress, total, message);
	}

	get log() {
		return (/** @type {string} */ level, /** @type {unknown} */ data, /** @type {string=} */ logger) =>
			this.#call.log(level, data, logger);
	}

	get notify() {
		return (/** @type {string} */ method, /** @type {unknown=} */ params) => this.#call.notify(method, params);
	}

	get closeStream() {
		return () => this.#call.options.closeStream?.();
	}

	get elicit() {
		return (/** @type {unknown} */ params, /** @type {AskOptions=} */ options) =>
			this.#call.ask(METHOD_ELICITATION_CREATE, params, options?.key);
	}

	get sample() {
		return (/** @type {unknown} */ params, /** @type {AskOptions=} */ options) =>
			this.#call.ask(METHOD_SAMPLING_CREATE_MESSAGE, params, options?.key);
	}

	get listRoots() {
		return (/** @type {AskOptions=} */ options) => this.#call.ask(METHOD_ROOTS_LIST, undefined, options?.key);
	}

	get once() {
		return (/** @type {string} */ key, /** @type {() => any} */ run) => this.#call.once(key, run);
	}
}

/** Without a platform that keeps work alive, a promise runs on by itself. @param {Promise<unknown>} promise */
function ignore(promise) {
	promise.catch(() => {});
}
