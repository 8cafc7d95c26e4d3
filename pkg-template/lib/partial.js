// An instance of which pages have loaded only what they need first. Where a call needs more, it traps, because what it
// calls is not in the table yet: then the memory is put back to what it was before, the rest is loaded into the same
// instance, and the caller makes the call again. Until then, each call costs a copy of the memory beforehand,
// without its stack: some 100 kB.

import { loadFailure } from "./compile.js";
import { Incomplete } from "./core.js";

/**
 * Where the memory has become larger than this, in bytes, the rest is loaded without being asked for: memory never
 * shrinks, and a copy of more for each call would be felt.
 */
const MAX_COPY = 1024 * 1024;

/** Exports of the first file; scripts/build/split.mjs makes them. */
const STACK = "-s";

export class Partial {
	#wasm;
	#load;
	#base;
	#kept = new Uint8Array();
	/** How much of `#kept` is of use. */
	#length = 0;
	/** @type {Promise<void> | undefined} */
	#complete;

	/**
	 * @param {any} wasm what the first file exports
	 * @param {() => Promise<WebAssembly.Module>} load the rest
	 */
	constructor(wasm, load) {
		this.#wasm = wasm;
		this.#load = load;
		// The stack comes first in memory and is empty between calls.
		this.#base = wasm[STACK].value;
	}

	/** Keeps what a call may change. @param {import("./core.js").Live} live */
	keep(live) {
		const now = new Uint8Array(this.#wasm.memory.buffer, this.#base);
		if (now.length > MAX_COPY) this.complete(live);
		if (this.#kept.length < now.length) this.#kept = new Uint8Array(now.length);
		this.#kept.set(now);
		this.#length = now.length;
	}

	/**
	 * Undoes the call that has trapped.
	 * @param {import("./core.js").Live} live
	 * @returns {Incomplete} what to throw
	 */
	restore(live) {
		// What the call has made memory grow by is not known to the allocator, and stays unused.
		new Uint8Array(this.#wasm.memory.buffer, this.#base).set(this.#kept.subarray(0, this.#length));
		this.#wasm[STACK].value = this.#base;
		return new Incomplete(this.complete(live));
	}

	/** Loads the rest. @param {import("./core.js").Live} live */
	complete(live) {
		this.#complete ??= this.#fill(live);
		return this.#complete;
	}

	/** @param {import("./core.js").Live} live */
	async #fill(live) {
		try {
			new WebAssembly.Instance(await this.#load(), { "": this.#wasm });
			live.partial = undefined;
		} catch (error) {
			live.end(loadFailure(error));
		}
	}
}
