// Takes a pipe apart into lines, as src/stdio.rs does: it moves bytes before any of them means something.
// In JavaScript, because through the wasm every byte would be copied in and out again for nothing.

/** The default for the size of one line, in bytes: that of src/stdio.rs. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

export class Lines {
	#limit;
	/** Pieces of the line that is not complete yet. @type {Buffer[]} */
	#pieces = [];
	#size = 0;
	/** The open line is too long: its bytes are dropped. */
	#dropping = false;

	/** @param {number} [limit] in bytes */
	constructor(limit = MAX_LINE_BYTES) {
		this.#limit = limit;
	}

	/**
	 * The lines that these bytes complete, without their ends and without blank ones; `undefined` for one that was too long.
	 * @param {Buffer} bytes
	 * @returns {Generator<string | undefined>}
	 */
	*push(bytes) {
		let start = 0;
		for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
			const isTooLong = this.#take(bytes.subarray(start, end));
			start = end + 1;
			if (isTooLong) yield undefined;
			const line = this.#line();
			if (line !== "") yield line;
		}
		if (this.#take(bytes.subarray(start))) yield undefined;
	}

	/** What stands behind the last LF, at the end of the pipe: a last line without its end. @returns {string} */
	finish() {
		return this.#line();
	}

	/** Keeps a piece; tells once when the line has become too long. @param {Buffer} piece */
	#take(piece) {
		if (this.#dropping) return false;
		this.#size += piece.length;
		this.#pieces.push(piece);
		if (this.#size <= this.#limit) return false;
		this.#dropping = true;
		this.#pieces = [];
		return true;
	}

	#line() {
		const bytes = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
		const isWhole = !this.#dropping;
		this.#pieces = [];
		this.#size = 0;
		this.#dropping = false;
		const start = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0;
		const text = bytes.toString("utf8", start, bytes.at(-1) === CR ? bytes.length - 1 : bytes.length);
		return isWhole && /[^ \t\r\f]/.test(text) ? text : "";
	}
}

/** A message on one line with its end: JSON has no line breaks inside strings. @param {string} text */
export const toLine = (text) => `${text.replaceAll(/[\r\n\u2028\u2029]/g, replacement)}\n`;

/** Servers that read by Node's `readline` take the separators of lines and paragraphs for ends. @param {string} character */
const replacement = (character) => (character === "\u2028" ? "\\u2028" : character === "\u2029" ? "\\u2029" : " ");
