// The public Client: holds the options, takes the wasm on the first call, hands every call to the pump.

import { McpError } from "../errors.js";
import { Outputs } from "./client-outputs.js";
import { Pump } from "./client-pump.js";
import { subscribe, watchLists } from "./client-subscription.js";
import { FIRST_MODERN_PROTOCOL_VERSION, PROTOCOL_VERSIONS } from "./constants.js";
import { acquire, current, Incomplete } from "./core.js";
import { isBrowser } from "./place.js";

/** A URL as the page sees it, if it is a relative one. @param {string | undefined} url */
function absolute(url) {
	const page = globalThis.location?.href;
	return url !== undefined && URL.canParse(url, page) ? new URL(url, page).href : url;
}

/** @param {any} options */
function checked(options) {
	const { url, transport, auth, versionNegotiation, supportedVersions, cache } = options ?? {};
	if ((url === undefined) === (transport === undefined)) {
		throw new McpError("INVALID_ARGUMENT", "a client needs either a url or a transport");
	}
	if (transport !== undefined && typeof transport !== "function" && typeof transport?.send !== "function") {
		throw new McpError(
			"INVALID_ARGUMENT",
			"transport must be a function from a message to its answer, or have a send()",
		);
	}
	if (auth !== undefined && typeof auth?.fetch !== "function") {
		throw new McpError("INVALID_ARGUMENT", "auth must be one of the providers of mcp-duet/auth, or have their fetch()");
	}
	const store = cache?.store;
	if (
		store !== undefined &&
		(url === undefined || ["get", "set", "delete"].some((name) => typeof store?.[name] !== "function"))
	) {
		throw new McpError("INVALID_ARGUMENT", "cache.store must have get(), set() and delete(), beside a url");
	}
	const pin = versionNegotiation?.pin;
	if (pin !== undefined && !(PROTOCOL_VERSIONS.includes(pin) && pin >= FIRST_MODERN_PROTOCOL_VERSION)) {
		throw new TypeError(`versionNegotiation.pin must be a modern version that this package speaks, not ${pin}`);
	}
	for (const version of supportedVersions ?? []) {
		if (!PROTOCOL_VERSIONS.includes(version)) {
			throw new McpError("UNSUPPORTED_PROTOCOL_VERSION", `supportedVersions: ${version} is not spoken here`);
		}
	}
	return options;
}

/**
 * Rejects with the signal's reason as soon as it is aborted.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
function abortable(promise, signal) {
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(signal.reason);
		signal.addEventListener("abort", onAbort, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
	});
}

export class Client {
	#options;
	#url;
	/** @type {Pump | undefined} */
	#pump;
	/** What of the core is being loaded before there can be a pump. @type {Promise<void> | undefined} */
	#rest;
	#closed = false;
	/** @type {Outputs | undefined} */
	#outputs;

	/** @param {any} options */
	constructor(options) {
		this.#options = checked(options);
		const { validateOutput } = options;
		if (validateOutput !== false) this.#outputs = new Outputs(validateOutput === true, (error) => this.#report(error));
		this.#url = options.url === undefined ? undefined : String(options.url);
	}

	get era() {
		return this.#pump?.info?.era;
	}

	get protocolVersion() {
		return this.#pump?.info?.protocolVersion;
	}

	get serverInfo() {
		return this.#pump?.info?.serverInfo;
	}

	get serverCapabilities() {
		return this.#pump?.info?.serverCapabilities;
	}

	get instructions() {
		return this.#pump?.info?.instructions;
	}

	/** What has been found out about the server: to be stored, and given to `connect` as `prior`. */
	get verdict() {
		const info = this.#pump?.info;
		if (info === undefined || info.brief) return undefined;
		const { era, protocolVersion, serverInfo, serverCapabilities, instructions } = info;
		return { endpoint: this.#url, era, protocolVersion, serverInfo, serverCapabilities, instructions };
	}

	/** The legacy session, to be stored, and given to `connect` of a later client instead of a handshake. */
	get session() {
		const info = this.#pump?.info;
		if (info?.sessionId === undefined) return undefined;
		const { sessionId, protocolVersion, serverInfo, serverCapabilities, instructions } = info;
		return { endpoint: this.#url, sessionId, protocolVersion, serverInfo, serverCapabilities, instructions };
	}

	/**
	 * @param {{ signal?: AbortSignal, prior?: any, session?: any }} [options]
	 * @returns {Promise<void>}
	 */
	connect(options) {
		const signal = options?.signal;
		if (signal?.aborted) return Promise.reject(signal.reason);
		// A verdict speaks of one endpoint and of no other.
		const verdict = options?.prior?.endpoint === this.#url ? options?.prior : undefined;
		const { session } = options ?? {};
		// One whose endpoint is not named was given for this client.
		const prior = session && (session.endpoint ?? this.#url) === this.#url ? session : verdict;
		const pump = this.#now();
		const connected = pump ? pump.connect(prior) : this.#ready().then((pump) => pump.connect(prior));
		return signal ? abortable(connected, signal) : connected;
	}

	/** @param {any} [options] */
	listTools(options) {
		const listing = this.#list("tools/list", "tools", options);
		return this.#outputs ? this.#outputs.learn(listing, typeof options?.cursor === "string") : listing;
	}

	/** @param {any} [options] */
	listResources(options) {
		return this.#list("resources/list", "resources", options);
	}

	/** @param {any} [options] */
	listResourceTemplates(options) {
		return this.#list("resources/templates/list", "resourceTemplates", options);
	}

	/** @param {any} [options] */
	listPrompts(options) {
		return this.#list("prompts/list", "prompts", options);
	}

	/**
	 * @param {string} name
	 * @param {any} [args]
	 * @param {any} [options]
	 */
	callTool(name, args, options) {
		const outputs = this.#outputs;
		const check = outputs && ((/** @type {any} */ result) => outputs.check(name, result));
		return this.#call({ method: "tools/call", params: { name, arguments: args ?? {} }, options, check });
	}

	/**
	 * @param {string} uri
	 * @param {any} [options]
	 */
	readResource(uri, options) {
		return this.#call({ method: "resources/read", params: { uri }, options });
	}

	/**
	 * @param {string} name
	 * @param {any} [args]
	 * @param {any} [options]
	 */
	getPrompt(name, args, options) {
		return this.#call({ method: "prompts/get", params: { name, arguments: args }, options });
	}

	/**
	 * @param {any} params
	 * @param {any} [options]
	 */
	complete(params, options) {
		return this.#call({ method: "completion/complete", params, options });
	}

	/**
	 * @param {string} level
	 * @param {any} [options]
	 */
	async setLogLevel(level, options) {
		await this.#call({ method: "logging/setLevel", params: { level }, options: { ...options, logLevel: level } });
	}

	/** @param {any} [options] */
	async ping(options) {
		await this.connect(options);
		await this.#call({
			method: this.era === "legacy" ? "ping" : "server/discover",
			options: { ...options, cacheMode: "bypass" },
		});
		return {};
	}

	/** @param {any} [options] */
	discover(options) {
		return this.#call({ method: "server/discover", options });
	}

	/**
	 * @param {string} method
	 * @param {any} [params]
	 * @param {any} [options]
	 */
	request(method, params, options) {
		return this.#call({ method, params, options: { manual: true, ...options } });
	}

	/**
	 * @param {string} method
	 * @param {any} [params]
	 * @returns {Promise<void>}
	 */
	async notify(method, params) {
		await this.#call({ method, params, notification: true });
	}

	/**
	 * @param {any} filter
	 * @param {any} [options]
	 */
	async subscribe(filter, options) {
		return subscribe(this.#now() ?? (await this.#ready()), filter, options);
	}

	async close() {
		if (this.#closed) return;
		this.#closed = true;
		const pump = this.#pump;
		if (pump && !pump.live.dead) await pump.close();
	}

	/**
	 * A whole list, or the page behind a cursor: `null` stands before the first.
	 * @param {string} method
	 * @param {string} member
	 * @param {any} [options]
	 */
	#list(method, member, options) {
		const cursor = options?.cursor;
		if (cursor === undefined) return this.#call({ method, options, member });
		return this.#call({ method, params: cursor === null ? undefined : { cursor }, options });
	}

	/**
	 * @param {import("./client-pump.js").Request} request
	 * @returns {Promise<any>}
	 */
	#call(request) {
		const pump = this.#now();
		return pump ? pump.request(request) : this.#ready().then((pump) => pump.request(request));
	}

	/** The pump over a living core, if that takes no loading: calls then go out in the order in which they are made. */
	#now() {
		if (this.#closed) return undefined;
		if (this.#pump && !this.#pump.live.dead) return this.#pump;
		const live = current("client");
		if (live === undefined) return undefined;
		try {
			this.#pump = new Pump(live, this.#settings(), this.#hooks());
		} catch (error) {
			if (!(error instanceof Incomplete)) throw error;
			this.#rest = error.ready;
			return undefined;
		}
		return this.#pump;
	}

	/** The same, loaded if need be. @returns {Promise<Pump>} */
	async #ready() {
		if (!this.#closed) await acquire("client");
		let pump = this.#now();
		if (pump === undefined) {
			await this.#rest;
			pump = this.#now();
		}
		if (pump) return pump;
		throw new McpError("CLOSED", "the client is closed");
	}

	#settings() {
		const { transport, headers, fetch, auth, clientInfo, capabilities, handlers, onNotification, listen } =
			this.#options;
		const { versionNegotiation, supportedVersions, timeoutMs, probe, cache, retry, logLevel } = this.#options;
		const observes = this.#options.onMessage !== undefined;
		const { authorizationContext, store } = cache || {};
		// Whose tokens a provider or a function will send is not known here, nor who else uses a store.
		const isKnown = authorizationContext || (!store && !auth && typeof headers !== "function");
		const kind = transport && transport.kind !== "http" ? "pipe" : "http";
		const browser = !transport && isBrowser();
		const core = JSON.stringify({
			clientInfo,
			capabilities,
			versionNegotiation,
			supportedVersions,
			timeoutMs,
			probe,
			retry,
			logLevel,
			handled: Object.keys(handlers ?? {}),
			listens: listen ?? (onNotification !== undefined || handlers !== undefined),
			observes,
			kind,
			browser,
			endpoint: absolute(this.#url),
			stores: store !== undefined,
			caching: cache ? (isKnown ? "private" : "public") : undefined,
		});
		const own = { url: this.#url, transport, headers, fetch, auth, kind, browser, retry, observes, core };
		return { ...own, keeps: Boolean(cache), authorizationContext, store };
	}

	/** @param {any} error of no call */
	#report(error) {
		const { onError } = this.#options;
		if (onError) onError(error);
		else if (error?.code === "INVALID_DEFINITION") console.warn(error.message);
	}

	#hooks() {
		const { onNotification, handlers, listChanged, onMessage, onClose } = this.#options;
		let isWatching = listChanged === undefined;
		return {
			connected: () => {
				if (isWatching) return;
				isWatching = true;
				const pump = /** @type {Pump} */ (this.#pump);
				watchLists(pump, listChanged)
					.then(({ closed }) => closed)
					.catch((error) => this.#options.onError?.(error));
			},
			/** @param {string} method @param {any} params */
			notification: (method, params) => onNotification?.({ method, params }),
			message:
				onMessage &&
				((/** @type {string} */ direction, /** @type {any} */ message) => onMessage({ direction, message })),
			/** @param {string} by @param {any} error */
			closed: (by, error) => onClose?.({ by, error }),
			/** The tools may have changed. */
			changed: () => this.#outputs?.forget(),
			/** @param {any} error */
			error: (error) => this.#report(error),
			/** @param {string} method @param {any} params */
			request: (method, params) => handlers[method](params),
		};
	}
}
