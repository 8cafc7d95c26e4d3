// What a handler is told about its call. Everything is read when it is asked for: most handlers ask for nothing.

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

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
		return this.meta[CLIENT_INFO];
	}

	get clientCapabilities() {
		return this.meta[CLIENT_CAPABILITIES];
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

	// Functions without `this`, so that a handler can take its context apart.

	get sendProgress() {
		return (/** @type {number} */ progress, /** @type {number=} */ total, /** @type {string=} */ message) =>
			this.#call.progress(progress, total, message);
	}

	get log() {
		return (/** @type {string} */ level, /** @type {unknown} */ data, /** @type {string=} */ logger) =>
			this.#call.log(level, data, logger);
	}
}

/** Without a platform that keeps work alive, a promise runs on by itself. @param {Promise<unknown>} promise */
function ignore(promise) {
	promise.catch(() => {});
}
