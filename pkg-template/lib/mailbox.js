// Text, bytes and numbers over the wasm boundary; src/js/mailbox.rs is the other half.
// Write, call one export, read: nothing else may happen in between.

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });

export class Mailbox {
	#glue;
	#memory;
	#table = 0;
	#bytes = new Uint8Array();
	#words = new Uint32Array();
	/** Where the input is. */
	#at = 0;

	/** @param {any} glue what `instantiate(module)` returned */
	constructor(glue) {
		this.#glue = glue;
		this.#memory = glue.wasm.memory;
		this.#table = glue.mailboxTable() >>> 2;
	}

	/** Memory growth detaches the views. */
	#refresh() {
		if (this.#bytes.buffer !== this.#memory.buffer) {
			this.#bytes = new Uint8Array(this.#memory.buffer);
			this.#words = new Uint32Array(this.#memory.buffer);
		}
	}

	/**
	 * Writes text or bytes; gives the number of bytes written, which the export takes.
	 * @param {string | Uint8Array} input
	 */
	write(input) {
		if (typeof input !== "string") {
			const at = this.#glue.mailboxReserve(input.length);
			this.#refresh();
			this.#bytes.set(input, at);
			return input.length;
		}
		return this.#encode(input, 0);
	}

	/**
	 * Writes text, with room for `more` bytes behind it; gives the number of bytes that it took.
	 * @param {string} text
	 * @param {number} more
	 */
	#encode(text, more) {
		// Most text is ASCII: one byte a unit is enough, and a short read says when it was not.
		let at = this.#glue.mailboxReserve(text.length + more);
		this.#at = at;
		this.#refresh();
		const { read, written } = encoder.encodeInto(text, this.#bytes.subarray(at, at + text.length));
		if (read === text.length) return written;
		// What is written stays where more room is made. The rest takes three bytes a unit at most.
		const rest = text.slice(read);
		at = this.#glue.mailboxReserve(written + rest.length * 3 + more);
		this.#at = at;
		this.#refresh();
		return written + encoder.encodeInto(rest, this.#bytes.subarray(at + written)).written;
	}

	/**
	 * Writes text, and bytes behind it; gives the number of bytes that the text took.
	 * @param {string} text
	 * @param {Uint8Array} bytes
	 */
	writeBoth(text, bytes) {
		const length = this.#encode(text, bytes.length);
		this.#bytes.set(bytes, this.#at + length);
		return length;
	}

	/** The strings of the answer. */
	strings() {
		this.#refresh();
		const words = this.#words;
		const table = this.#table;
		const at = words[table];
		const text = decoder.decode(this.#bytes.subarray(at, at + words[table + 1]));
		const count = words[table + 3];
		if (count === 1) return [text];
		const parts = words[table + 2] >>> 2;
		const out = new Array(count);
		let start = 0;
		for (let i = 0; i < count; i++) {
			const end = start + words[parts + i];
			out[i] = text.slice(start, end);
			start = end;
		}
		return out;
	}

	/** A text by its address and length, which are two of the answer's numbers. @param {number[]} numbers @param {number} at */
	text(numbers, at) {
		return decoder.decode(this.bytes(numbers, at));
	}

	/** The bytes of that text, to be read at once. @param {number[]} numbers @param {number} at */
	bytes(numbers, at) {
		this.#refresh();
		return this.#bytes.subarray(numbers[at], numbers[at] + numbers[at + 1]);
	}

	/** The numbers of the answer, copied. A plain array: a typed one of more than 64 bytes costs five times as much. */
	numbers() {
		this.#refresh();
		const words = this.#words;
		const at = words[this.#table + 4] >>> 2;
		const count = words[this.#table + 5];
		/** @type {number[]} */
		const out = new Array(count);
		for (let i = 0; i < count; i++) out[i] = words[at + i];
		return out;
	}
}
