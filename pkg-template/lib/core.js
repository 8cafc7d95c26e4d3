// Which wasm serves which half, when it is loaded, and what happens when it traps.
//
// Entries register their wasm at import; nothing is loaded before it is needed. A trap
// leaves an instance that goes on answering with broken state, so every call into wasm
// goes through Live.call: whatever is thrown that is not one of our errors ends the instance.

import { McpError } from "../errors.js";
import { compileBytes, compileResponse, loadFailure } from "./compile.js";
import { Mailbox } from "./mailbox.js";

export { fromText } from "./text.js";

/** @typedef {"client" | "server" | "whole" | "auth" | "apps" | "toolset" | "schema"} Kind `whole` is a server that leaves nothing out */

/**
 * @typedef {object} Source what an entry registers
 * @property {Kind[]} kinds
 * @property {(module: WebAssembly.Module) => any} instantiate
 * @property {() => WebAssembly.Module | Promise<WebAssembly.Module>} compile
 * @property {(wasm: any) => import("./partial.js").Partial | undefined} [partial] for an instance that has yet to load something
 * @property {typeof import("./client-seats.js").Seats} [Seats] for clients in a runtime that keeps the I/O of requests apart
 * @property {Partial<Record<Kind, () => Promise<unknown>>>} [lazy] registers what this wasm leaves to others
 */

/** Thrown by `Live.call` where the call needs what the instance has yet to load; nothing has happened then. */
export class Incomplete {
	/** @param {Promise<void>} ready resolves when the call can be made again */
	constructor(ready) {
		this.ready = ready;
	}
}

/**
 * What `work` gives; where the instance has to load something for it first, a promise of what it gives then.
 * @template T
 * @param {() => T} work begins with a call into the core
 * @returns {T | Promise<Awaited<T>>}
 */
export function completed(work) {
	try {
		return work();
	} catch (error) {
		if (!(error instanceof Incomplete)) throw error;
		return /** @type {Promise<any>} */ (error.ready.then(work));
	}
}

/** @typedef {Source & { module?: WebAssembly.Module, live?: Live, loading?: Promise<Live> }} Registered */

/** @type {Partial<Record<Kind, Registered>>} */
const slots = {};

/** One instance of the core. */
export class Live {
	/** @type {any} */
	glue;
	mailbox;
	dead = false;
	/** @type {McpError | undefined} */
	#crash;
	/** @type {Set<(crash: McpError) => void>} */
	#pending = new Set();
	#retire;
	/** What this instance has yet to load. */
	partial;
	Seats;

	/**
	 * @param {any} glue what `instantiate(module)` returned
	 * @param {(live: Live) => void} retire forgets this instance
	 * @param {Source} source
	 */
	constructor(glue, retire, { partial, Seats }) {
		this.partial = partial?.(glue.wasm);
		this.Seats = Seats;
		this.glue = glue;
		this.mailbox = new Mailbox(glue);
		this.#retire = retire;
	}

	/**
	 * Runs `work`, which calls into the wasm and does nothing else that could throw.
	 * @template T
	 * @param {() => T} work
	 * @returns {T}
	 */
	call(work) {
		if (this.#crash) throw this.#crash;
		this.partial?.keep(this);
		try {
			return work();
		} catch (error) {
			if (error instanceof McpError) throw error;
			throw this.partial ? this.partial.restore(this) : this.end(error);
		}
	}

	/**
	 * Calls back once if this instance dies: for what is pending in it.
	 * @param {(crash: McpError) => void} callback must not throw
	 * @returns {() => void} forgets the callback
	 */
	onDeath(callback) {
		if (this.#crash) {
			callback(this.#crash);
			return () => {};
		}
		this.#pending.add(callback);
		return () => {
			this.#pending.delete(callback);
		};
	}

	/** Loads what this instance has yet to load. */
	complete() {
		return this.partial?.complete(this);
	}

	/** Ends this instance and everything that is pending in it. @param {unknown} cause */
	end(cause) {
		const said = cause instanceof Error ? cause.message : String(cause);
		const lost = "what was pending in it is lost, the next call starts a fresh one";
		const crash =
			cause instanceof McpError
				? cause
				: new McpError("CORE_CRASHED", `the wasm core trapped (${said}); ${lost}`, { cause });
		this.dead = true;
		this.#crash = crash;
		this.glue.retire();
		this.#retire(this);
		const pending = [...this.#pending];
		this.#pending.clear();
		for (const callback of pending) callback(crash);
		return crash;
	}
}

/**
 * Registers an entry's wasm. Where two entries offer the same half, the one that offers
 * more wins, so that a page with several entries loads one file; one that has started stays.
 * @param {Source} source
 * @returns {(input?: InitInput | Promise<InitInput>) => Promise<void>} this entry's `init`
 */
export function provide(source) {
	/** @type {Registered} */
	const registered = { ...source };
	for (const kind of source.kinds) {
		const other = slots[kind];
		if (other === undefined || (!started(other) && other.kinds.length < source.kinds.length)) slots[kind] = registered;
	}
	return (input) => init(registered, input);
}

/** @param {Registered} source */
const started = (source) => source.module !== undefined || source.loading !== undefined;

/**
 * The running instance for this half, if there is one; loads nothing.
 * @param {Kind} kind
 * @returns {Live | undefined}
 */
export function current(kind) {
	return slots[kind]?.live;
}

/**
 * What the wasm of another half leaves out, registered and loaded if need be.
 * @param {Kind} kind
 * @param {Kind} of
 * @returns {Promise<Live>}
 */
export async function acquireRest(kind, of) {
	// A promise of its own for each: in an edge worker, one belongs to the request that has made it.
	if (slots[kind] === undefined) await slots[of]?.lazy?.[kind]?.();
	return acquire(kind);
}

/**
 * The instance for this half, loaded if need be.
 * @param {Kind} kind
 * @returns {Promise<Live>}
 */
export function acquire(kind) {
	const source = slots[kind];
	if (source === undefined) {
		const entry =
			{ apps: "apps/host", schema: "validator", whole: "server-whole" }[/** @type {string} */ (kind)] ?? kind;
		const message = `no wasm is registered for the ${kind}: import it from "mcp-duet" or "mcp-duet/${entry}"`;
		return Promise.reject(new McpError("CORE_NOT_LOADED", message));
	}
	return source.live ? Promise.resolve(source.live) : load(source);
}

/** @param {Registered} source */
function load(source) {
	source.loading ??= start(source).finally(() => {
		// A failure is not kept: the next call tries again.
		source.loading = undefined;
	});
	return source.loading;
}

/** @param {Registered} source */
async function start(source) {
	try {
		if (source.module === undefined) {
			const compiled = source.compile();
			source.module = compiled instanceof Promise ? await compiled : compiled;
		}
		const forget = (/** @type {Live} */ dead) => {
			if (source.live === dead) source.live = undefined;
		};
		const live = new Live(source.instantiate(source.module), forget, source);
		source.live = live;
		return live;
	} catch (error) {
		throw loadFailure(error);
	}
}

/** @typedef {string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module} InitInput */

/**
 * @param {Registered} source
 * @param {InitInput | Promise<InitInput>} [input]
 */
async function init(source, input) {
	// Who names an entry explicitly wants that one.
	for (const kind of source.kinds) {
		const other = slots[kind];
		if (other === undefined || !started(other)) slots[kind] = source;
	}
	if (input === undefined || started(source)) {
		if (!source.live) await load(source);
		return;
	}
	const usual = source.compile;
	source.compile = () => compileInput(input);
	try {
		await load(source);
	} finally {
		source.compile = usual;
	}
}

/**
 * @param {InitInput | Promise<InitInput>} promised
 * @returns {Promise<WebAssembly.Module>}
 */
async function compileInput(promised) {
	let input = await promised;
	if (input instanceof WebAssembly.Module) return input;
	let from = "the bytes given to init()";
	if (typeof input === "string" || input instanceof URL) input = await fetch(input);
	if (input instanceof Response) {
		from = input.url || "the Response given to init()";
		if (!input.ok)
			throw new McpError("CORE_NOT_LOADED", `expected a WebAssembly file from ${from}, got status ${input.status}`);
		return compileResponse(input, from);
	}
	if (!(input instanceof ArrayBuffer || ArrayBuffer.isView(input))) {
		const message = "init() takes a URL, a Response, bytes or a WebAssembly.Module, or a promise of one";
		throw new McpError("INVALID_ARGUMENT", message);
	}
	return compileBytes(input, from);
}
