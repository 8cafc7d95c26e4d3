// One View on a page: its frame, its messages, and the core that decides about them.

import { McpError, ProtocolError } from "../errors.js";

/** Kinds of input; src/js/apps.rs has the table. */
const MESSAGE = 1;
const PARTIAL = 2;
const INPUT = 3;
const RESULT = 4;
const CANCELLED = 5;
const CONTEXT = 6;
const LIST_CHANGED = 7;
const TOOLS = 8;
const SETTLED = 9;
const DENIED = 10;
const FAILED = 11;
const PROGRESS = 12;
const ASK = 13;
const FORGET = 14;
const TEARDOWN = 15;
const END = 16;
const DEADLINE = 17;

/** The option that answers each request of a View. @type {Record<string, string>} */
export const HANDLERS = {
	"ui/open-link": "onOpenLink",
	"ui/download-file": "onDownloadFile",
	"ui/message": "onMessage",
	"ui/update-model-context": "onUpdateModelContext",
	"ui/request-display-mode": "onRequestDisplayMode",
	"sampling/createMessage": "onCreateMessage",
};

/**
 * @typedef {object} Parts what a View is mounted with
 * @property {import("./core.js").Live} live
 * @property {any} core
 * @property {import("./apps-client.js").Link} link
 * @property {any} options
 * @property {HTMLIFrameElement} frame
 * @property {string} origin of the sandbox
 * @property {any} document parameters of sandbox-resource-ready
 */

/** What the core reads. @param {unknown} value @param {string} name of what it is */
export function textOf(value, name) {
	try {
		return JSON.stringify(value) ?? "";
	} catch (cause) {
		throw new McpError("INVALID_ARGUMENT", `${name} must be JSON: ${/** @type {any} */ (cause).message}`, { cause });
	}
}

/** Refuses what JSON would lose: a Map would become an empty object. @this {any} @param {string} key @param {unknown} value */
function plain(key, value) {
	const own = this[key];
	if (typeof own === "object" && own !== null && !Array.isArray(own) && Object.getPrototypeOf(own) !== Object.prototype)
		throw new TypeError("not a plain object");
	return value;
}

/** @param {unknown} error */
function wireError(error) {
	const { rpcCode, code, message, data } = /** @type {any} */ (error ?? {});
	const number = [rpcCode, code].find((one) => Number.isInteger(one)) ?? -32603;
	return { code: number, message: String(message ?? error), ...(data !== undefined && { data }) };
}

export class MountedApp {
	/** @type {Parts} */
	#parts;
	/** @type {any[]} */
	#queue = [];
	#draining = false;
	/** The View's requests that are under way. @type {Map<number, AbortController>} */
	#calls = new Map();
	/** The application's requests that the View has not answered. @type {Map<number, any>} */
	#asked = new Map();
	#lastAsked = 0;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#timer;
	#life = new AbortController();
	#over = false;
	#height = 0;
	/** @type {any} */
	#view;
	/** @type {string} */
	#mode = "inline";
	/** @type {any} */
	#ready;
	/** @type {any} */
	#gone;
	#undead;

	/** @param {Parts} parts */
	constructor(parts) {
		this.#parts = parts;
		this.#ready = deferred();
		this.#ready.promise.catch(() => {});
		this.#gone = deferred();
		const { live, link, frame } = parts;
		this.#undead = live.onDeath((crash) => this.#crashed(crash));
		const { signal } = this.#life;
		link
			.watch((method) => this.#act(LIST_CHANGED, 0, method), signal)
			.catch((error) => {
				if (!signal.aborted) this.#report(error);
			});
		frame.ownerDocument.defaultView?.addEventListener("message", (event) => this.#message(event), { signal });
		// What the constructor of the core has posted.
		this.#take();
	}

	/** The frame with the sandbox in it. */
	get frame() {
		return this.#parts.frame;
	}

	/** Resolves when the View is initialized, rejects if it is closed before. */
	get initialized() {
		return this.#ready.promise;
	}

	/** Resolves when the View is gone. */
	get closed() {
		return this.#gone.promise;
	}

	get appInfo() {
		return this.#view?.appInfo;
	}

	get appCapabilities() {
		return this.#view?.appCapabilities;
	}

	get displayMode() {
		return this.#mode;
	}

	get prefersBorder() {
		return this.#parts.options.ui?.prefersBorder;
	}

	/** @param {any} partial */
	sendToolInputPartial(partial) {
		this.#act(PARTIAL, 0, textOf(partial, "the input"));
	}

	/** @param {any} [input] */
	sendToolInput(input = {}) {
		this.#act(INPUT, 0, textOf(input, "the input"));
	}

	/** @param {any} result */
	sendToolResult(result) {
		this.#act(RESULT, 0, textOf(result, "the result"));
	}

	/** @param {string} [reason] */
	sendToolCancelled(reason) {
		this.#act(CANCELLED, 0, reason);
	}

	/** @param {any} partial */
	updateContext(partial) {
		this.#act(CONTEXT, 0, textOf(partial, "the context"));
	}

	/** @param {any} [options] */
	listTools(options) {
		return this.#ask("tools/list", {}, options);
	}

	/** @param {string} name @param {any} [args] @param {any} [options] */
	callTool(name, args = {}, options) {
		return this.#ask("tools/call", { name, arguments: args }, options);
	}

	/** Lets the View put its things away, then removes it. @returns {Promise<void>} */
	close() {
		this.#act(TEARDOWN);
		return this.closed;
	}

	/** @param {string} method @param {any} params @param {any} [options] */
	async #ask(method, params, { signal, timeoutMs, onProgress } = /** @type {any} */ ({})) {
		signal?.throwIfAborted();
		if (this.#over) throw new McpError("CLOSED", "the View is closed");
		const call = ++this.#lastAsked;
		const progress = onProgress !== undefined;
		const asked = textOf({ method, params, timeoutMs, progress }, "the arguments");
		return new Promise((resolve, reject) => {
			const onAbort = () => {
				this.#asked.delete(call);
				this.#act(FORGET, call);
				reject(signal.reason);
			};
			signal?.addEventListener("abort", onAbort, { once: true });
			const done = () => signal?.removeEventListener("abort", onAbort);
			this.#asked.set(call, { resolve, reject, onProgress, done });
			try {
				this.#act(ASK, call, asked);
			} catch (error) {
				this.#asked.delete(call);
				done();
				throw error;
			}
		});
	}

	/**
	 * Tells the core what has happened, and does what it wants done.
	 * @param {number} kind
	 * @param {number} [call]
	 * @param {string} [text]
	 */
	#act(kind, call = 0, text = "") {
		if (this.#over) return;
		const { live, core } = this.#parts;
		live.call(() => core.handle(kind, call, live.mailbox.write(text), Date.now()));
		this.#take();
	}

	#take() {
		/** @type {any[]} */
		const outputs = JSON.parse(this.#parts.live.mailbox.strings()[0]);
		clearTimeout(this.#timer);
		const wait = outputs.at(-1);
		if (wait?.do === "wait") {
			// A timer for longer than that would be due at once.
			const delay = Math.min(Math.max(0, wait.at - Date.now()), 2 ** 31 - 1);
			this.#timer = setTimeout(() => this.#act(DEADLINE), delay);
		}
		this.#queue.push(...outputs);
		// Callbacks may bring on more: that comes after what is there.
		if (this.#draining) return;
		this.#draining = true;
		try {
			for (let output = this.#queue.shift(); output; output = this.#queue.shift()) this.#do(output);
		} finally {
			this.#draining = false;
		}
	}

	/** @param {any} output */
	#do(output) {
		const { options, link, frame, origin, document } = this.#parts;
		switch (output.do) {
			case "post":
				frame.contentWindow?.postMessage(output.message, origin);
				break;
			case "load": {
				const message = { jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params: document };
				frame.contentWindow?.postMessage(message, origin);
				break;
			}
			case "forward":
				this.#forward(output);
				break;
			case "ask":
				this.#handle(output);
				break;
			case "cancel":
				this.#calls.get(output.call)?.abort();
				this.#calls.delete(output.call);
				break;
			case "listTools":
				link.tools().then(
					(tools) => this.#act(TOOLS, 0, JSON.stringify(tools)),
					(error) => {
						this.#report(error);
						this.#act(TOOLS);
					},
				);
				break;
			case "initialized":
				this.#view = output;
				this.#ready.resolve({ appInfo: output.appInfo, appCapabilities: output.appCapabilities });
				break;
			case "size":
				this.#resize(output);
				break;
			case "displayMode":
				this.#show(output.mode);
				break;
			case "log":
				this.#call(() => options.onLog?.(output.params));
				break;
			case "teardownRequested":
				this.#call(() => options.onRequestTeardown?.());
				break;
			case "toolsChanged":
				this.#call(() => options.onToolsChanged?.());
				break;
			case "answered": {
				const asked = this.#asked.get(output.call);
				this.#asked.delete(output.call);
				asked?.done();
				const { error, failed, message } = output;
				if (failed) asked?.reject(new McpError(failed, message));
				else if (error) asked?.reject(new ProtocolError(error.code, error.message, error.data));
				else asked?.resolve(output.result);
				break;
			}
			case "progress":
				this.#call(() => this.#asked.get(output.call)?.onProgress?.(output.params));
				break;
			case "warning":
				this.#call(() => options.onWarning?.(output.message));
				break;
			case "silent": {
				const message = `the sandbox page did not answer: ${frame.src} must be one that this page may frame`;
				const error = new McpError("TIMED_OUT", message);
				this.#ready.reject(error);
				this.#report(error);
				break;
			}
			case "closed":
				this.#end(new McpError("CLOSED", "the View was closed before it was initialized"));
				break;
		}
	}

	/** @param {any} request of the View, for the server */
	async #forward({ call, method, params, progress }) {
		const { link, options } = this.#parts;
		const control = new AbortController();
		const { signal } = control;
		this.#calls.set(call, control);
		try {
			const { onToolCall } = options;
			if (method === "tools/call" && onToolCall && (await onToolCall(params)) === false) return this.#act(DENIED, call);
			if (signal.aborted) return;
			const onProgress = progress
				? (/** @type {any} */ told) => this.#act(PROGRESS, call, JSON.stringify(told))
				: undefined;
			const result = await link.request(method, params, { signal, onProgress });
			this.#act(SETTLED, call, JSON.stringify(result));
		} catch (error) {
			if (!signal.aborted) this.#act(FAILED, call, JSON.stringify(wireError(error)));
		} finally {
			this.#calls.delete(call);
		}
	}

	/** @param {any} request of the View, for the application */
	async #handle({ call, method, params }) {
		const { options } = this.#parts;
		const control = new AbortController();
		this.#calls.set(call, control);
		try {
			const handler = options[HANDLERS[method]];
			const argument =
				method === "ui/open-link" ? params.url : method === "ui/request-display-mode" ? params.mode : params;
			const said = await handler(argument, { signal: control.signal });
			if (said === false) return this.#act(DENIED, call);
			const result =
				method === "ui/request-display-mode" ? { mode: typeof said === "string" ? said : undefined } : (said ?? {});
			this.#act(SETTLED, call, JSON.stringify(result === true ? {} : result));
		} catch (error) {
			this.#report(error);
			// What went wrong inside the application is no business of the View's.
			this.#act(FAILED, call, JSON.stringify({ code: -32603, message: `the host failed at ${method}` }));
		} finally {
			this.#calls.delete(call);
		}
	}

	/** @param {MessageEvent} event */
	#message({ source, origin, data }) {
		const { frame, origin: own } = this.#parts;
		if (source === null || source !== frame.contentWindow || origin !== own) return;
		if (typeof data !== "object" || data === null || data.jsonrpc !== "2.0") return;
		let text;
		try {
			text = JSON.stringify(data, plain);
		} catch {
			// Not JSON: refused, if it wants an answer.
			const { id, method } = data;
			const answerable = typeof id === "string" || typeof id === "number";
			text = JSON.stringify({ jsonrpc: "2.0", ...(answerable && { id }), method: String(method), params: 0 });
		}
		this.#act(MESSAGE, 0, text);
	}

	/** @param {{ width?: number, height?: number }} size */
	#resize({ width, height }) {
		const { options, frame } = this.#parts;
		const { autoHeight = true, autoWidth = false, maxHeight = Number.POSITIVE_INFINITY } = options;
		if (height !== undefined) this.#height = Math.min(height, maxHeight);
		if (this.#mode === "inline") {
			if (autoHeight && height !== undefined) frame.style.height = `${this.#height}px`;
			if (autoWidth && width !== undefined) frame.style.width = `${width}px`;
		}
		this.#call(() => options.onSizeChanged?.({ width, height }));
	}

	/** In other modes than inline the application lays the frame out. @param {string} mode */
	#show(mode) {
		const { options, frame } = this.#parts;
		this.#mode = mode;
		const { autoHeight = true } = options;
		if (autoHeight) frame.style.height = mode === "inline" && this.#height > 0 ? `${this.#height}px` : "";
	}

	/** @param {() => void} callback */
	#call(callback) {
		try {
			callback();
		} catch (error) {
			this.#report(error);
		}
	}

	/** @param {unknown} error */
	#report(error) {
		try {
			this.#parts.options.onError?.(error);
		} catch {
			// An application that cannot even take an error.
		}
	}

	/** @param {unknown} crash */
	#crashed(crash) {
		if (this.#over) return;
		this.#report(crash);
		for (const { reject, done } of this.#asked.values()) {
			done();
			reject(crash);
		}
		this.#end(crash);
	}

	/** @param {unknown} why */
	#end(why) {
		this.#over = true;
		this.#undead();
		clearTimeout(this.#timer);
		for (const control of this.#calls.values()) control.abort();
		this.#calls.clear();
		this.#asked.clear();
		this.#life.abort();
		this.#parts.frame.remove();
		this.#ready.reject(why);
		this.#gone.resolve();
		if (!this.#parts.live.dead) this.#parts.core.free();
	}

	/** Ends without a word: the page is going away. */
	end() {
		this.#act(END);
	}
}

function deferred() {
	/** @type {any} */
	const made = {};
	made.promise = new Promise((resolve, reject) => {
		Object.assign(made, { resolve, reject });
	});
	return made;
}
