// The View of an MCP App: what a page in a host's frame hears from its host and can ask of it.

import { McpError, ProtocolError } from "../errors.js";
import {
	DENIED,
	DISPLAY_MODES,
	INITIALIZE_RETRY_MS,
	MAX_INITIALIZE_RETRY_MS,
	MESSAGE,
	METHOD_NOT_FOUND,
	OLDER_UI_TOOL_CANCELLED,
	PING,
	PROTOCOL_VERSION,
	RESOURCES_LIST,
	RESOURCES_READ,
	SAMPLING_CREATE_MESSAGE,
	TOOLS_CALL,
	TOOLS_LIST,
	TOOLS_LIST_CHANGED,
	UI_DOWNLOAD_FILE,
	UI_HOST_CONTEXT_CHANGED,
	UI_INITIALIZE,
	UI_MESSAGE,
	UI_OPEN_LINK,
	UI_REQUEST_DISPLAY_MODE,
	UI_REQUEST_TEARDOWN,
	UI_RESOURCE_TEARDOWN,
	UI_SIZE_CHANGED,
	UI_TOOL_CANCELLED,
	UI_UPDATE_MODEL_CONTEXT,
} from "./apps-facts.js";
import { Channel, wrong } from "./view-channel.js";
import { Events } from "./view-events.js";
import { pixels, watchSize } from "./view-size.js";
import { ViewTools } from "./view-tools.js";

/** @typedef {import("./view-channel.js").RequestOptions} RequestOptions */

/** One page in one frame of one host. Constructing it sends nothing. */
export class View extends Events {
	/** @type {any} */
	#options;
	/** @type {any} */
	#capabilities;
	/** @type {Channel} */
	#channel;
	/** @type {ViewTools | undefined} */
	#tools;
	/** @type {Promise<void> | undefined} */
	#connecting;
	/** @type {(() => void) | undefined} */
	#stopResizing;
	/** @type {{ width?: number, height?: number }} */
	#size = {};
	/** @type {any} */
	protocolVersion;
	/** @type {any} */
	hostInfo;
	/** @type {any} */
	hostCapabilities;
	/** @type {any} */
	hostContext = {};

	/** @param {any} options */
	constructor(options) {
		super();
		const { appInfo, capabilities = {}, tools, target = window.parent, hostOrigin } = options ?? {};
		if (typeof appInfo?.name !== "string" || typeof appInfo.version !== "string")
			throw wrong("a View needs appInfo: { name, version }");
		this.#options = { ...options, target };
		this.#capabilities = { ...capabilities };
		this.#channel = new Channel({
			target,
			hostOrigin,
			notified: (method, params) => this.notified(method, params),
			answer: (method, params, context) => this.#answer(method, params, context),
		});
		if (tools || capabilities.tools) {
			this.#capabilities.tools ??= { listChanged: true };
			this.#tools = new ViewTools(() => {
				if (this.#channel.isReady && this.#capabilities.tools.listChanged) this.notify(TOOLS_LIST_CHANGED);
			});
			for (const tool of tools ?? []) this.#tools.register(tool);
		}
	}

	get closed() {
		return this.#channel.closed !== undefined;
	}

	/** @returns {Promise<this>} */
	async connect() {
		this.#connecting ??= this.#shakeHands().catch((error) => this.#end(error));
		await this.#channel.ready;
		return this;
	}

	async #shakeHands() {
		const channel = this.#channel;
		const { appInfo, target, signal, timeoutMs, autoResize = true } = this.#options;
		// Whoever closes at once, as a double mount does, has then sent nothing.
		await null;
		if (this.closed) return;
		if (target === window) throw wrong("this page is not in a frame");

		channel.open();
		channel.listen(window, "pagehide", (event) => event.persisted || this.close());

		const params = { protocolVersion: PROTOCOL_VERSION, appInfo, appCapabilities: this.#capabilities };
		let pause = INITIALIZE_RETRY_MS;
		/** @type {any} */
		let timer;
		/** @param {() => void} send a host that was not there yet has lost it; a second answer to the same id is ignored */
		const repeat = (send) => {
			send();
			timer = setTimeout(() => repeat(send), pause);
			pause = Math.min(2 * pause, MAX_INITIALIZE_RETRY_MS);
		};
		const result = await channel
			.request(UI_INITIALIZE, params, { timeoutMs, signal }, repeat)
			.finally(() => clearTimeout(timer));

		for (const member of /** @type {const} */ (["protocolVersion", "hostInfo", "hostCapabilities"])) {
			if (!result[member]) throw new McpError("INVALID_RESULT", `${UI_INITIALIZE}: no ${member} in the answer`);
			this[member] = result[member];
		}
		channel.opened();
		this.#changeContext(result.hostContext ?? {});
		if (autoResize) this.setAutoResize(true);
	}

	/** @param {any} changes */
	#changeContext(changes) {
		if (this.#options.olderSpellings && changes.viewport)
			changes = { containerDimensions: changes.viewport, ...changes };
		this.hostContext = { ...this.hostContext, ...changes };
		this.keep("hostContext", this.hostContext, changes);
	}

	/** @param {string} method @param {any} params */
	notified(method, params) {
		if (this.#options.olderSpellings && method === OLDER_UI_TOOL_CANCELLED) method = UI_TOOL_CANCELLED;
		if (method === UI_HOST_CONTEXT_CHANGED) this.#changeContext(params);
		else super.notified(method, params);
	}

	/**
	 * @param {string} method
	 * @param {any} params
	 * @param {{ requestId: string | number, signal: AbortSignal }} context
	 */
	async #answer(method, params, context) {
		if (method === PING) return {};
		if (method === UI_RESOURCE_TEARDOWN) {
			// A listener may still save something: it is waited for, whatever comes of it.
			await Promise.allSettled(this.emit("teardown", params));
			// Once the answer is sent.
			setTimeout(() => this.close());
			return {};
		}
		if (this.#tools && method === TOOLS_LIST) return this.#tools.list();
		if (this.#tools && method === TOOLS_CALL) return this.#tools.call(params, context);
		throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`);
	}

	/** @param {string} method @param {any} [params] @param {RequestOptions} [options] */
	request(method, params, options) {
		return this.#channel.request(method, params, options);
	}

	/** @param {string} method @param {any} [params] */
	notify(method, params) {
		this.#channel.notify(method, params);
	}

	/** @param {any} tool */
	registerTool(tool) {
		if (!this.#tools) throw wrong("declare capabilities.tools first");
		return this.#tools.register(tool);
	}

	/** @param {string} name @param {any} [args] @param {RequestOptions} [options] */
	callServerTool(name, args = {}, options) {
		return this.request(TOOLS_CALL, { name, arguments: args }, options);
	}

	/** @param {string} [cursor] @param {RequestOptions} [options] */
	listServerTools(cursor, options) {
		return this.request(TOOLS_LIST, { cursor }, options);
	}

	/** @param {string} uri @param {RequestOptions} [options] */
	readServerResource(uri, options) {
		return this.request(RESOURCES_READ, { uri }, options);
	}

	/** @param {string} [cursor] @param {RequestOptions} [options] */
	listServerResources(cursor, options) {
		return this.request(RESOURCES_LIST, { cursor }, options);
	}

	/** @param {any} params @param {RequestOptions} [options] */
	async createMessage(params, options) {
		await this.#channel.ready;
		const { sampling } = this.hostCapabilities;
		if (!sampling || (params.tools && !sampling.tools))
			throw wrong(`the host offers no sampling${sampling ? " with tools" : ""}`);
		return this.request(SAMPLING_CREATE_MESSAGE, params, options);
	}

	/**
	 * A request that the host or the person may refuse, in either of the two ways in which hosts say so.
	 * @param {string} method
	 * @param {any} params
	 * @param {RequestOptions} [options]
	 */
	async #ask(method, params, options) {
		const result = await this.request(method, params, options).catch((error) => {
			if (error?.rpcCode !== DENIED) throw error;
			throw new McpError("DENIED", `${method}: ${error.message}`, { cause: error });
		});
		if (result.isError) throw new McpError("DENIED", `${method}: refused`);
		return result;
	}

	/** @param {string | any[]} content @param {RequestOptions} [options] */
	async sendMessage(content, options) {
		if (typeof content === "string") content = [{ type: "text", text: content }];
		await this.#ask(UI_MESSAGE, { role: "user", content }, options);
	}

	/** @param {any} context @param {RequestOptions} [options] */
	async updateModelContext(context, options) {
		await this.#ask(UI_UPDATE_MODEL_CONTEXT, context, options);
	}

	/** @param {string | URL} url @param {RequestOptions} [options] */
	async openLink(url, options) {
		await this.#ask(UI_OPEN_LINK, { url: String(url) }, options);
	}

	/** @param {any[]} contents @param {RequestOptions} [options] */
	async downloadFile(contents, options) {
		await this.#ask(UI_DOWNLOAD_FILE, { contents }, options);
	}

	/** @param {string} mode @param {RequestOptions} [options] @returns {Promise<string>} the mode in force */
	async requestDisplayMode(mode, options) {
		const own = this.#capabilities.availableDisplayModes ?? DISPLAY_MODES;
		if (!own.includes(mode)) throw wrong(`display mode ${mode}: expected ${own.join(", ")}`);
		await this.#channel.ready;
		const { availableDisplayModes, displayMode = DISPLAY_MODES[0] } = this.hostContext;
		if (availableDisplayModes?.includes(mode) === false) return displayMode;
		const result = await this.#ask(UI_REQUEST_DISPLAY_MODE, { mode }, options);
		// Not every host says it again as a change of its context.
		if (result.mode !== this.hostContext.displayMode) this.#changeContext({ displayMode: result.mode });
		return result.mode;
	}

	/** @param {string} level @param {unknown} data @param {string} [logger] */
	log(level, data, logger) {
		this.notify(MESSAGE, { level, data, logger });
	}

	requestTeardown() {
		this.notify(UI_REQUEST_TEARDOWN);
	}

	/** @param {{ width?: number, height?: number }} size */
	sendSize(size) {
		const width = pixels(size.width);
		const height = pixels(size.height);
		if (width === this.#size.width && height === this.#size.height) return;
		this.#size = { width, height };
		this.notify(UI_SIZE_CHANGED, this.#size);
	}

	/** @param {boolean} on */
	setAutoResize(on) {
		this.#stopResizing?.();
		this.#stopResizing = on && !this.closed ? watchSize((size) => this.sendSize(size)) : undefined;
	}

	close() {
		this.#end(new McpError("CLOSED", "the View is closed"));
	}

	/** @param {unknown} error */
	#end(error) {
		if (this.closed) return;
		this.#channel.end(error);
		this.setAutoResize(false);
		this.keep("close", error);
	}
}

/** @param {any} options */
export const connectView = (options) => new View(options).connect();
