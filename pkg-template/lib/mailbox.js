// Text, bytes and numbers over the wasm boundary; src/js/mailbox.rs is the other half.
// Write, call one export, read: nothing else may happen in between.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Mailbox {
	#glue;
	#memory;
	#table = 0;
	#bytes = new Uint8Array();
	#words = new Uint32Array();

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
		// Most text is ASCII: one byte a unit is enough, and a short read says when it was not.
		const room = input.length;
		let at = this.#glue.mailboxReserve(room);
		this.#refresh();
		const { read, written } = encoder.encodeInto(input, this.#bytes.subarray(at, at + room));
		if (read === input.length) return written;
		const bytes = encoder.encode(input);
		at = this.#glue.mailboxReserve(bytes.length);
		this.#refresh();
		this.#bytes.set(bytes, at);
		return bytes.length;
	}

	/**
	 * Writes text, and bytes behind it; gives the number of bytes that the text took.
	 * @param {string} text
	 * @param {Uint8Array} bytes
	 */
	writeBoth(text, bytes) {
		let at = this.#glue.mailboxReserve(text.length + bytes.length);
		this.#refresh();
		let { read, written: length } = encoder.encodeInto(text, this.#bytes.subarray(at, at + text.length));
		if (read < text.length) {
			const encoded = encoder.encode(text);
			length = encoded.length;
			at = this.#glue.mailboxReserve(length + bytes.length);
			this.#refresh();
			this.#bytes.set(encoded, at);
		}
		this.#bytes.set(bytes, at + length);
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
