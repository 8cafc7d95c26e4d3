// The public Client: holds the options, takes the wasm on the first call, hands every call to the pump.

import { McpError } from "../errors.js";
import { Pump } from "./client-pump.js";
import { FIRST_MODERN_PROTOCOL_VERSION, PROTOCOL_VERSIONS } from "./constants.js";
import { acquire, current } from "./core.js";

/** Where a failed fetch may be the browser's refusal: pages, web workers, service workers. workerd and Node have no `location`. */
const isBrowser = () => typeof location === "object" && typeof navigator === "object" && typeof document !== "undefined"
	|| typeof (/** @type {any} */ (globalThis).WorkerGlobalScope) === "function" && typeof location === "object";

/** @param {any} options */
function checked(options) {
	const { url, transport, versionNegotiation, supportedVersions } = options ?? {};
	if ((url === undefined) === (transport === undefined)) {
		throw new McpError("INVALID_ARGUMENT", "a client needs either a url or a transport");
	}
	if (transport !== undefined && typeof transport !== "function") {
		throw new McpError("INVALID_ARGUMENT", "transport must be a function from a message to its answer");
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

export class Client {
	#options;
	#url;
	/** @type {Pump | undefined} */
	#pump;
	#closed = false;

	/** @param {any} options */
	constructor(options) {
		this.#options = checked(options);
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

	/** @param {{ signal?: AbortSignal, timeoutMs?: number }} [options] */
	async connect(options) {
		const signal = options?.signal;
		signal?.throwIfAborted();
		const connected = (await this.#ready()).connect();
		if (!signal) return connected;
		/** @type {(() => void) | undefined} */
		let onAbort;
		const aborted = new Promise((_, reject) => {
			onAbort = () => reject(signal.reason);
			signal.addEventListener("abort", onAbort, { once: true });
		});
		try {
			await Promise.race([connected, aborted]);
		} finally {
			signal.removeEventListener("abort", /** @type {any} */ (onAbort));
		}
	}

	/** @param {any} [options] */
	listTools(options) {
		return this.#call({ method: "tools/list", options, member: "tools" });
	}

	/** @param {any} [options] */
	listResources(options) {
		return this.#call({ method: "resources/list", options, member: "resources" });
	}

	/** @param {any} [options] */
	listResourceTemplates(options) {
		return this.#call({ method: "resources/templates/list", options, member: "resourceTemplates" });
	}

	/** @param {any} [options] */
	listPrompts(options) {
		return this.#call({ method: "prompts/list", options, member: "prompts" });
	}

	/**
	 * @param {string} name
	 * @param {any} [args]
	 * @param {any} [options]
	 */
	callTool(name, args, options) {
		return this.#call({ method: "tools/call", params: { name, arguments: args ?? {} }, options });
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

	/** @param {any} [options] */
	async ping(options) {
		const pump = await this.#ready();
		await pump.connect();
		return pump.request({ method: pump.info.era === "legacy" ? "ping" : "server/discover", options });
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
		return this.#call({ method, params, options: { ...options, manual: true } });
	}

	/**
	 * @param {string} method
	 * @param {any} [params]
	 * @returns {Promise<void>}
	 */
	async notify(method, params) {
		await this.#call({ method, params, notification: true });
	}

	async close() {
		if (this.#closed) return;
		this.#closed = true;
		const pump = this.#pump;
		if (pump && !pump.live.dead) await pump.close();
	}

	/**
	 * @param {import("./client-pump.js").Request} request
	 * @returns {Promise<any>}
	 */
	#call(request) {
		const pump = this.#pump;
		if (pump && !pump.live.dead && !this.#closed) return pump.request(request);
		return this.#ready().then((pump) => pump.request(request));
	}

	/** The pump over a living core, made if need be. */
	async #ready() {
		if (this.#closed) throw new McpError("CLOSED", "the client is closed");
		if (this.#pump && !this.#pump.live.dead) return this.#pump;
		const live = current("client") ?? (await acquire("client"));
		if (this.#closed) throw new McpError("CLOSED", "the client is closed");
		// Two first calls at once have waited for the same instance.
		if (!this.#pump || this.#pump.live.dead) this.#pump = new Pump(live, this.#settings(), this.#hooks());
		return this.#pump;
	}

	#settings() {
		const { transport, headers, fetch, clientInfo, capabilities } = this.#options;
		const { versionNegotiation, supportedVersions, timeoutMs, probe } = this.#options;
		const kind = transport && transport.kind !== "http" ? "pipe" : "http";
		const core = JSON.stringify({
			clientInfo,
			capabilities,
			versionNegotiation,
			supportedVersions,
			timeoutMs,
			probe,
			kind,
			browser: kind === "http" && !transport && isBrowser(),
		});
		return { url: this.#url, transport, headers, fetch, kind, core };
	}

	#hooks() {
		const { onNotification, onError } = this.#options;
		return {
			/** @param {string} method @param {any} params */
			notification: (method, params) => onNotification?.({ method, params }),
			/** @param {any} error */
			error: (error) => {
				if (onError) onError(error);
				else if (error?.code === "INVALID_DEFINITION") console.warn(error.message);
			},
			request: () => {
				throw new McpError("INVALID_ARGUMENT", "no handler");
			},
		};
	}
}
